"""Tokenizers made from a sentencepiece file alone, against sentencepiece itself."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from nli_faith.errors import ModelFormatError
from tests.backends.tiny import write_transformers

spm = pytest.importorskip("sentencepiece", reason="converting needs the extra nli_faith[export]")
pytest.importorskip("onnx", reason="exporting needs the extra nli_faith[export]")
pytest.importorskip("torch", reason="the tiny models need the extra nli_faith[torch]")

from tokenizers import Tokenizer, normalizers  # noqa: E402

from nli_faith.backends import PairIds  # noqa: E402
from nli_faith.backends.ort import OrtBackend  # noqa: E402
from nli_faith.export.model import export_model  # noqa: E402
from nli_faith.export.pieces import check_pieces  # noqa: E402
from nli_faith.export.tokenizer import SAMPLE, source_tokenizer  # noqa: E402

#: Ids as Microsoft's DeBERTa-v3 has them, and as fairseq's models (XLM-R) have them.
_IDS = {
    "deberta": {"pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3, "pad_piece": "[PAD]",
                "bos_piece": "[CLS]", "eos_piece": "[SEP]", "unk_piece": "[UNK]"},
    "xlmr": {"unk_id": 0, "bos_id": 1, "eos_id": 2},
}  # fmt: skip
_FILE = {"deberta": "spm.model", "xlmr": "sentencepiece.bpe.model"}


def train(architecture: str, texts: tuple[str, ...] = SAMPLE, **options: object) -> bytes:
    """A unigram model of the texts, with sentencepiece's usual normaliser."""
    model = io.BytesIO()
    settings = {"vocab_size": 160, "hard_vocab_limit": False, "character_coverage": 1.0,
                "minloglevel": 2, "model_type": "unigram", **_IDS[architecture], **options}  # fmt: skip
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(list(texts) * 5), model_writer=model, **settings
    )
    return model.getvalue()


def slow_only(path: Path, architecture: str, **options: object) -> Path:
    """A source with a sentencepiece file and no tokenizer.json."""
    source = write_transformers(architecture, path)
    (source / "tokenizer.json").unlink()
    (source / _FILE[architecture]).write_bytes(train(architecture, **options))
    return source


def loaded(source: Path, architecture: str) -> spm.SentencePieceProcessor:
    return spm.SentencePieceProcessor(model_file=str(source / _FILE[architecture]))


def test_deberta_ids_are_sentencepieces_own(tmp_path: Path) -> None:
    source = slow_only(tmp_path, "deberta")
    fast, slow = Tokenizer.from_str(source_tokenizer(source)), loaded(source, "deberta")
    for text in (*SAMPLE, "保修，两年（含税）", "  两  个空格 ", "ＡＢＣ　１２"):
        ids = fast.encode(text, add_special_tokens=False).ids
        assert ids == slow.encode(text)
        pair = fast.encode(text, "x")
        assert pair.ids == [1, *ids, 2, *slow.encode("x"), 2]
        assert pair.type_ids == [0] * (len(ids) + 2) + [1] * (len(slow.encode("x")) + 1)
    # A full-width comma is the half-width one's piece, as the model was trained.
    assert fast.encode("，").ids == fast.encode(",").ids
    assert fast.token_to_id("[MASK]") == slow.get_piece_size()


def test_xlmr_ids_are_moved_by_fairseqs_dictionary(tmp_path: Path) -> None:
    source = slow_only(tmp_path, "xlmr")
    fast, slow = Tokenizer.from_str(source_tokenizer(source)), loaded(source, "xlmr")
    for text in SAMPLE:
        moved = [3 if i == slow.unk_id() else i + 1 for i in slow.encode(text)]
        assert fast.encode(text, add_special_tokens=False).ids == moved
        assert fast.encode(text, "x").ids[: len(moved) + 3] == [0, *moved, 2, 2]
    assert [fast.token_to_id(t) for t in ("<s>", "<pad>", "</s>", "<unk>")] == [0, 1, 2, 3]
    assert fast.token_to_id("<mask>") == slow.get_piece_size() + 1


def test_pieces_of_the_user_are_never_cut(tmp_path: Path) -> None:
    source = slow_only(tmp_path, "deberta", user_defined_symbols=["500元", "保修"])
    fast, slow = Tokenizer.from_str(source_tokenizer(source)), loaded(source, "deberta")
    text = "保修500元保修期500 元"
    assert fast.encode(text, add_special_tokens=False).tokens == slow.encode(text, out_type=str)
    assert "500元" in slow.encode(text, out_type=str)


def test_a_slow_only_source_is_exported_and_scores(tmp_path: Path) -> None:
    source = slow_only(tmp_path / "source", "deberta", texts=("营收增长。", "营收下降，增长"))
    export_model(source, tmp_path / "out", verify=True)
    backend = OrtBackend(tmp_path / "out")
    premise, hypothesis = backend.encode(["营收增长，", "增长。"])
    assert list(premise) == loaded(source, "deberta").encode("营收增长，")
    rows = backend.predict_pairs([PairIds(premise, hypothesis)])
    assert rows.shape == (1, 3)
    assert np.isfinite(rows).all()


def test_more_pieces_than_rows_are_refused(tmp_path: Path) -> None:
    source = slow_only(tmp_path / "source", "deberta")
    size = loaded(source, "deberta").get_piece_size() + 1
    with pytest.raises(ModelFormatError, match=rf"{size} tokens.* 79 rows"):
        export_model(source, tmp_path / "out")


def test_the_first_text_that_differs_is_quoted(tmp_path: Path) -> None:
    source = slow_only(tmp_path, "deberta")
    fast, slow = Tokenizer.from_str(source_tokenizer(source)), loaded(source, "deberta")
    check_pieces(fast, slow, ("a, b", "年，月"))
    fast.normalizer = normalizers.Sequence([])  # what transformers 5 makes of it
    with pytest.raises(ModelFormatError, match=r"'年，月'.* instead of "):
        check_pieces(fast, slow, ("a, b", "年，月", "也，是"))


def test_unknown_pieces_are_compared_by_place(tmp_path: Path) -> None:
    source = slow_only(tmp_path, "deberta")
    fast, slow = Tokenizer.from_str(source_tokenizer(source)), loaded(source, "deberta")
    assert slow.unk_id() in slow.encode("龘年")
    check_pieces(fast, slow, ("龘年", "年龘龘月"))


def test_ids_that_added_tokens_contradict_are_refused(tmp_path: Path) -> None:
    source = slow_only(tmp_path, "deberta")
    size = loaded(source, "deberta").get_piece_size()
    (source / "added_tokens.json").write_text(json.dumps({"[MASK]": size}))
    assert Tokenizer.from_str(source_tokenizer(source)).token_to_id("[MASK]") == size
    (source / "added_tokens.json").write_text(json.dumps({"[MASK]": size + 7}))
    with pytest.raises(ModelFormatError, match=rf"'\[MASK\]' the id {size + 7}"):
        source_tokenizer(source)


@pytest.mark.parametrize("content", [b"", b"not a model at all", b"\x0a\x03abc"])
def test_a_broken_file_is_said_to_be_one(tmp_path: Path, content: bytes) -> None:
    source = write_transformers("deberta", tmp_path)
    (source / "tokenizer.json").unlink()
    (source / "spm.model").write_bytes(content)
    with pytest.raises(ModelFormatError, match=r"spm\.model"):
        source_tokenizer(source)


def test_bpe_is_refused(tmp_path: Path) -> None:
    source = slow_only(tmp_path, "deberta", model_type="bpe")
    with pytest.raises(ModelFormatError, match="type 2; only unigram"):
        source_tokenizer(source)
