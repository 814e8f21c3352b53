"""What every backend must hold, run over each one."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from nli_faith.backends import (
    EXACT,
    EntailmentBackend,
    PairIds,
    TokenBatch,
    collate,
    make_batches,
)
from nli_faith.backends.directory import DirectoryBackend
from nli_faith.backends.ort import OrtBackend
from nli_faith.backends.tokenization import assemble
from nli_faith.errors import BackendError
from tests.backends.conftest import open_model, random_pairs

REPO = Path(__file__).resolve().parents[2]
LENGTHS = [8, 9, 9, 17, 33, 33, 33, 60, 61, 100, 100, 129, 200]

TEXTS = [
    "短。",
    "这是一个明显更长的前提句子，用来制造填充。",
    "😀👍🏽" * 5,
    "   ",
    "",
    "\x00\ufeff\u200b\u202e",
    "</s><s>[SEP][CLS]<pad>",
    "a" * 700,
    "Straße naïve ﬁne ①②③ ㎡ ½",
    "\ud800 lone surrogate",
    "𠀀𪚥 鿋 עברית ไทย हिन्दी",
    "12.5% ¥3,000 2023-01-01 12:30",
]


def test_probabilities_sum_to_one(backend: EntailmentBackend) -> None:
    got = backend.predict_pairs(random_pairs(backend, LENGTHS))
    assert got.dtype == np.float32
    assert got.shape == (len(LENGTHS), 3)
    assert (got >= 0).all()
    np.testing.assert_allclose(got.sum(axis=1), 1.0, atol=1e-6)


def test_different_pairs_get_different_scores(backend: EntailmentBackend) -> None:
    got = backend.predict_pairs(random_pairs(backend, [20] * 8))
    assert len(np.unique(got[:, 0])) > 4


def test_score_does_not_depend_on_batch_mates(backend: EntailmentBackend) -> None:
    pairs = random_pairs(backend, LENGTHS)
    alone = np.concatenate([backend.predict_pairs([pair]) for pair in pairs])
    for budget in (1, 40, 300, 100_000):
        together = backend.predict_pairs(pairs, token_budget=budget)
        np.testing.assert_array_equal(together, alone)


def test_score_does_not_depend_on_order(backend: EntailmentBackend) -> None:
    pairs = random_pairs(backend, LENGTHS * 2)
    straight = backend.predict_pairs(pairs)
    order = np.random.default_rng(3).permutation(len(pairs))
    shuffled = backend.predict_pairs([pairs[i] for i in order])
    np.testing.assert_array_equal(shuffled, straight[order])


def test_score_does_not_depend_on_threads(backend: EntailmentBackend, model_dir: Path) -> None:
    pairs = random_pairs(backend, LENGTHS)
    one = backend.predict_pairs(pairs)
    for threads in (2, 3):
        other = open_model(model_dir, threads).predict_pairs(pairs)
        np.testing.assert_allclose(other, one, atol=1e-5, rtol=0)
        np.testing.assert_array_equal(other.argmax(axis=1), one.argmax(axis=1))
        if isinstance(backend, OrtBackend):  # every call runs on one thread
            np.testing.assert_array_equal(other, one)


def test_large_outlier_in_a_batch_mate_changes_nothing(backend: EntailmentBackend) -> None:
    """Per-tensor dynamic quantisation fails here: one scale would serve the whole batch."""
    calm, wild = random_pairs(backend, [24, 24])
    special = np.full(len(wild.premise_ids), backend.template.suffix[0], dtype=np.int32)
    wild = PairIds(special, wild.hypothesis_ids)
    np.testing.assert_array_equal(
        backend.predict_pairs([calm, wild, wild, wild])[0], backend.predict_pairs([calm])[0]
    )


def test_empty_batch(backend: EntailmentBackend) -> None:
    assert backend.predict_pairs([]).shape == (0, 3)
    empty = collate([], backend.template, backend.max_length)
    assert backend.predict_proba(empty).shape == (0, 3)
    assert backend.encode([]) == []


def test_full_length_and_one_more(backend: EntailmentBackend) -> None:
    assert backend.max_length == 512
    full, too_long = random_pairs(backend, [512, 513])
    assert np.isfinite(backend.predict_pairs([full])).all()
    with pytest.raises(BackendError, match=r"513 tokens .* 512"):
        backend.predict_pairs([too_long])


def test_batch_wider_than_the_model_is_refused(backend: EntailmentBackend) -> None:
    ids = np.full((1, 513), 7, dtype=np.int64)
    with pytest.raises(BackendError, match="513"):
        backend.predict_proba(TokenBatch(ids, np.ones_like(ids), np.zeros_like(ids)))


def test_odd_texts_score_finitely(backend: EntailmentBackend) -> None:
    pairs = [(a, b) for a in TEXTS[:-1] for b in ("保修期两年。", "", "😀")]
    got = backend.predict_texts([p for p in pairs if len(p[0]) < 400])
    assert np.isfinite(got).all()


def test_nothing_is_cut_when_encoding(backend: EntailmentBackend) -> None:
    ids = backend.encode(["公司" * 2000, "公司"])
    assert len(ids[0]) >= 2000
    assert ids[0].dtype == np.int32


def test_encoding_does_not_depend_on_the_call(backend: EntailmentBackend) -> None:
    together = backend.encode(TEXTS)
    for text, ids in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(backend.encode([text])[0], ids)


def test_special_tokens_in_a_text_stay_text(backend: EntailmentBackend) -> None:
    special = {*backend.template.prefix, *backend.template.middle, *backend.template.suffix}
    for text in ("</s>", "<s>", "[SEP]", "[CLS]", "标准</s></s>标准"):
        assert not special & set(backend.encode([text])[0].tolist())


def test_template_equals_pair_encoding(backend: DirectoryBackend) -> None:
    for premise in TEXTS:
        if "</s>" in premise:  # the tokenizer would read it as the end of the premise
            continue
        for hypothesis in ("保修期两年。", "", " x "):
            clean = premise.encode("utf-8", "replace").decode("utf-8")
            whole = backend._tokenizer.encode(clean, hypothesis)
            pair = PairIds(*backend.encode([premise, hypothesis]))
            ids, types = assemble(pair, backend.template)
            assert ids == whole.ids
            if backend.template.typer is None:
                assert types == whole.type_ids
            if len(ids) <= backend.max_length:
                batch = collate([pair], backend.template, backend.max_length)
                assert batch.input_ids[0].tolist() == whole.ids
                assert batch.token_type_ids[0].tolist() == types
                assert batch.attention_mask.all()


def test_concat_safe_holds_on_other_texts(backend: EntailmentBackend) -> None:
    assert backend.concat_safe
    parts = [
        "营收增长。",
        "（一）标准",
        "500元/晚",
        "ok",
        "—",
        "𠀀",
        "①",
        "e\u0301",
        "中间 有空格",
        "$",
    ]
    for a in parts:
        for b in parts:
            first, second, both = backend.encode([a, b, f"{a} {b}"])
            np.testing.assert_array_equal(np.concatenate([first, second]), both)


def test_eight_threads_on_one_backend(backend: EntailmentBackend) -> None:
    pairs = [("公司2023年营收增长12%。" * (1 + i % 5), f"营收增长{i}%。") for i in range(40)]
    wanted = backend.predict_texts(pairs)

    def work(seed: int) -> np.ndarray:
        order = np.random.default_rng(seed).permutation(len(pairs))
        out = np.empty_like(wanted)
        out[order] = backend.predict_texts([pairs[i] for i in order])
        return out

    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(work, range(16)):
            np.testing.assert_array_equal(got, wanted)


_PROCESS = """
import sys
import numpy as np
from tests.backends.conftest import open_model, random_pairs
backend = open_model(sys.argv[1], 1)
sys.stdout.buffer.write(backend.predict_pairs(random_pairs(backend, [8, 33, 100, 129])).tobytes())
"""


def test_three_processes_agree_bit_for_bit(model_dir: Path) -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", _PROCESS, str(model_dir)],
            cwd=REPO,
            capture_output=True,
            check=True,
        ).stdout
        for _ in range(3)
    ]
    assert len(outputs[0]) == 4 * 3 * 4
    assert len(set(outputs)) == 1


_MEMORY = """
import sys
import numpy as np, psutil
from nli_faith.backends import collate
from tests.backends.conftest import open_model, random_pairs
backend = open_model(sys.argv[1], 1)
rng = np.random.default_rng(0)
backend.predict_pairs(random_pairs(backend, [16]))
before = psutil.Process().memory_info().rss
peak = 0
for _ in range(int(sys.argv[2])):
    length = int(rng.integers(8, 513))
    count = int(rng.integers(1, max(1024 // length, 1) + 1))
    backend.predict_pairs(random_pairs(backend, [length] * count), token_budget=100000)
    peak = max(peak, psutil.Process().memory_info().rss - before)
print(peak / 1e6)
"""


@pytest.mark.parametrize(
    "which", ["tiny_int8", "torch_bert", pytest.param("bundled", marks=pytest.mark.slow)]
)
def test_memory_is_bounded_over_200_random_shapes(
    which: str, request: pytest.FixtureRequest
) -> None:
    pytest.importorskip("psutil")
    from nli_faith.model_hub import bundled_dir

    path = bundled_dir() if which == "bundled" else request.getfixturevalue(which)
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY, str(path), "200"],
        cwd=REPO, capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert float(done.stdout) < 200


def test_collate_refuses_mixed_lengths(backend: EntailmentBackend) -> None:
    with pytest.raises(BackendError, match="make_batches"):
        collate(random_pairs(backend, [20, 21]), backend.template, backend.max_length)


def test_padding_is_refused_by_a_model_without_mask(bundled: DirectoryBackend) -> None:
    assert bundled.bucket_steps == EXACT
    ids = np.full((1, 16), 7, dtype=np.int64)
    mask = np.ones_like(ids)
    mask[0, 12:] = 0
    with pytest.raises(BackendError, match="no padding"):
        bundled.predict_proba(TokenBatch(ids, mask, np.zeros_like(ids)))


def test_identity_of_the_backend(backend: EntailmentBackend) -> None:
    assert len(backend.sha256) == 64
    assert backend.precision in ("int8", "fp32")
    assert backend.provider in ("onnxruntime/CPUExecutionProvider", "torch/cpu")
    assert backend.threads == 1
    assert not backend.two_class
    assert backend.pair_overhead == len(
        [*backend.template.prefix, *backend.template.middle, *backend.template.suffix]
    )
    assert (backend.thresholds is not None) == backend.provider.startswith("onnx")


def test_batches_cover_each_pair_once() -> None:
    lengths = np.random.default_rng(0).integers(1, 513, 1000)
    batches = make_batches(lengths, 512)
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    for index in batches:
        assert len(set(lengths[index])) == 1
        assert len(index) == 1 or lengths[index].sum() <= 512
    widths = [int(lengths[index][0]) for index in batches]
    assert widths == sorted(widths, reverse=True)
