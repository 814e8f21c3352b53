"""What is particular to the torch backend: equal to transformers, precisions, devices, heads."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from nli_faith import FaithfulnessScorer, PairCache
from nli_faith.backends import collate, load_backend
from nli_faith.backends.devices import Device, choose, parse_device, split_devices
from nli_faith.backends.torch_backend import TorchBackend
from nli_faith.errors import BackendError, ConfigError, LabelMapError, ModelFormatError
from tests.backends.conftest import random_pairs
from tests.backends.tiny import write_checkpoint, write_transformers

torch = pytest.importorskip("torch", reason="the torch backend needs the extra nli_faith[torch]")
ARCHITECTURES = ("deberta", "xlmr", "modernbert")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_logits_are_those_of_transformers(tmp_path: Path, architecture: str) -> None:
    from transformers import AutoModelForSequenceClassification

    write_transformers(architecture, tmp_path)
    backend = TorchBackend(tmp_path, device="cpu", threads=1)
    model = AutoModelForSequenceClassification.from_pretrained(tmp_path).eval()
    for length in (8, 33, 512):
        batch = collate(random_pairs(backend, [length] * 3), backend.template, 512)
        with torch.inference_mode():
            expected = model(
                input_ids=torch.from_numpy(batch.input_ids),
                attention_mask=torch.from_numpy(batch.attention_mask),
            ).logits.numpy()
        np.testing.assert_allclose(backend.logits(batch), expected, atol=1e-5)


def test_torch_and_onnx_agree(checkpoint: Path, tiny_fp32: Path) -> None:
    mine, theirs = load_quietly(checkpoint), load_quietly(tiny_fp32)
    pairs = random_pairs(mine, [8, 17, 60, 200])
    np.testing.assert_allclose(mine.predict_pairs(pairs), theirs.predict_pairs(pairs), atol=1e-5)


def load_quietly(path: Path, **options: object):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # random weights fail the self-test
        return load_backend(path, **options)  # type: ignore[arg-type]


def test_auto_takes_onnx_first_and_torch_else(checkpoint: Path, tiny_fp32: Path) -> None:
    assert load_quietly(tiny_fp32).provider == "onnxruntime/CPUExecutionProvider"
    assert load_quietly(checkpoint).provider == "torch/cpu"
    with pytest.raises(ModelFormatError, match=r"has no model\.safetensors"):
        load_quietly(tiny_fp32, backend="torch")
    with pytest.raises(ModelFormatError, match=r"has no model\.onnx"):
        load_quietly(checkpoint, backend="onnx")


def test_bf16_is_near_and_named(checkpoint: Path) -> None:
    full = TorchBackend(checkpoint, device="cpu")
    half = TorchBackend(checkpoint, device="cpu", precision="bf16")
    assert (full.precision, half.precision) == ("fp32", "bf16")
    pairs = random_pairs(full, [20] * 8)
    a, b = full.predict_pairs(pairs), half.predict_pairs(pairs)
    assert 0 < np.abs(a - b).max() < 0.1


@pytest.mark.parametrize(
    "options", [{"precision": "fp16"}, {"precision": "int4"}, {"device": "cuda:7"}]
)
def test_what_a_cpu_cannot_do_is_refused(checkpoint: Path, options: dict[str, str]) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(ConfigError):
        TorchBackend(checkpoint, **{"device": "cpu", **options})


def test_an_absent_device_names_those_that_are_there() -> None:
    with pytest.raises(ConfigError, match=r"'cuda:1' is not available to X here; there is: cpu"):
        choose(parse_device("cuda:1"), ["cpu"], "X")
    assert choose(parse_device("auto"), ["cuda", "cpu"], "X") == Device("cuda")
    assert choose(parse_device("auto"), ["tensorrt", "cuda", "cpu"], "X") == Device("cuda")
    assert choose(parse_device("auto"), ["cpu"], "X") == Device("cpu")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cpu", ["cpu"]),
        ("cuda", ["cuda"]),
        ("cuda:0,1", ["cuda:0", "cuda:1"]),
        ("cuda:2,cuda:3", ["cuda:2", "cuda:3"]),
    ],
)
def test_a_list_of_devices(text: str, parts: list[str]) -> None:
    assert split_devices(text) == parts


@pytest.mark.parametrize("text", ["gpu", "", "cuda:", "cuda:0,0", "1", "cpu,x"])
def test_what_is_no_device_is_quoted(text: str) -> None:
    with pytest.raises(ConfigError):
        split_devices(text)


def test_two_classes_by_an_explicit_map(tmp_path: Path) -> None:
    labels = ("entailment", "not_entailment")
    write_transformers("deberta", tmp_path, labels=labels)
    with pytest.raises(LabelMapError, match="cannot tell contradiction from neutral"):
        TorchBackend(tmp_path, device="cpu")
    backend = TorchBackend(tmp_path, device="cpu", label_map={name: name for name in labels})
    got = backend.predict_pairs(random_pairs(backend, [12, 30]))
    assert backend.two_class
    assert np.isnan(got[:, 2]).all()
    np.testing.assert_allclose(got[:, 0] + got[:, 1], 1.0, atol=1e-6)


def test_one_number_as_log_odds_or_probability(tmp_path: Path) -> None:
    write_transformers("deberta", tmp_path, labels=("consistency",))
    with pytest.raises(LabelMapError, match=r"one number .* says what it is"):
        TorchBackend(tmp_path, device="cpu")
    with pytest.raises(LabelMapError, match="found 'entailment'"):
        TorchBackend(tmp_path, device="cpu", label_map={0: "entailment"})
    backend = TorchBackend(tmp_path, device="cpu", label_map={"consistency": "sigmoid"})
    assert backend.labels.names == ("support",)
    pairs = random_pairs(backend, [12, 30])
    raw = backend.logits(collate(pairs[:1], backend.template))[0, 0]
    got = backend.predict_pairs(pairs)
    assert got[0, 0] == pytest.approx(1 / (1 + np.exp(-raw)), abs=1e-6)
    assert np.isnan(got[:, 2]).all()
    as_is = TorchBackend(tmp_path, device="cpu", label_map={0: "probability"})
    if not 0 <= raw <= 1:
        with pytest.raises(BackendError, match="no probability"):
            as_is.predict_pairs(pairs)


def test_a_scorer_runs_on_it_and_says_so(checkpoint: Path) -> None:
    scorer = FaithfulnessScorer.from_pretrained(
        checkpoint, backend="torch", support_threshold=0.5, contradiction_threshold=0.5
    )
    result = scorer.score({"answer": "营收增长12%。", "contexts": ["公司2023年营收增长12%。"]})
    assert result.status.value == "scored"
    assert scorer.info.model == checkpoint.name


def test_overflow_never_passes_silently(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, overflow=True)
    backend = TorchBackend(tmp_path, device="cpu")
    with pytest.raises(BackendError, match="NaN or infinity"):
        backend.predict_pairs(random_pairs(backend, [20]))


RECORD = {"answer": "营收增长12%。", "contexts": ["公司2023年营收增长12%。"]}
SCORING = {"backend": "torch", "support_threshold": 0.5, "contradiction_threshold": 0.5}
OTHER_ORDER = {0: "entailment", 1: "neutral", 2: "contradiction"}


def test_the_pair_cache_tells_class_maps_apart(checkpoint: Path, tmp_path: Path) -> None:
    fresh = FaithfulnessScorer.from_pretrained(checkpoint, class_map=OTHER_ORDER, **SCORING)
    with PairCache(tmp_path / "pairs.db") as cache:
        FaithfulnessScorer.from_pretrained(checkpoint, cache=cache, **SCORING).score(RECORD)
        cached = FaithfulnessScorer.from_pretrained(
            checkpoint, class_map=OTHER_ORDER, cache=cache, **SCORING
        )
        got = cached.score(RECORD).claims[0].nli_support
    assert got == fresh.score(RECORD).claims[0].nli_support


def test_a_run_is_not_resumed_under_another_class_map_or_precision(checkpoint: Path) -> None:
    hashes = [
        FaithfulnessScorer.from_pretrained(checkpoint, **SCORING, **more).info.config_hash
        for more in ({}, {"class_map": OTHER_ORDER}, {"precision": "bf16"})
    ]
    assert len(set(hashes)) == 3


def test_a_checkpoint_without_its_head_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    path = Path(shutil.copytree(checkpoint, tmp_path / "headless"))
    weights = load_file(path / "model.safetensors")
    save_file(
        {k: v for k, v in weights.items() if not k.startswith("classifier")},
        path / "model.safetensors",
    )
    with pytest.raises(ModelFormatError, match=r"lacks weights \(classifier\.bias"):
        TorchBackend(path, device="cpu")
