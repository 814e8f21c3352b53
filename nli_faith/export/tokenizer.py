"""The ``tokenizer.json`` of a source model, made from a sentencepiece file where there is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import MissingExtraError, ModelFormatError
from ..manifest import read_json
from .pieces import FAMILIES, check_pieces, convert_pieces

#: Names under which models ship a sentencepiece model.
_PIECES = ("spm.model", "sentencepiece.bpe.model", "spiece.model", "tokenizer.model")

#: What a converted tokenizer is checked on: both scripts, digits, widths, marks, odd spaces.
SAMPLE = (
    "整机保修两年，电池保修一年。",
    "2023年第三季度营业收入为1.2亿元，同比增长12.5%。",
    "住宿标准：一线城市不超过 500 元/晚（含税）。",
    "產品於5月6日上線，預計年底完成。",
    "The warranty covers the battery for 24 months.",
    "iPhone 15 Pro 的售价为 ¥7,999 起，Wi-Fi 6E；A/B 测试",
    "①②③ ＡＢＣ １２３ ㎡ ½",
    "naïve café – “quoted” … don't",
    "x",
    "😀 emoji 和 文字",
)


def clean_tokenizer(path: Path) -> str:
    """A ``tokenizer.json`` without truncation and padding, which a saved one may carry.

    Raises:
        ModelFormatError: It is missing or unreadable.
    """
    return _plain(read_json(path))


def _plain(data: dict[str, Any]) -> str:
    data["truncation"] = data["padding"] = None
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def source_tokenizer(source: Path) -> str:
    """The text of a source's ``tokenizer.json``, converted from sentencepiece if need be.

    Args:
        source: Hugging Face directory.

    Raises:
        MissingExtraError: A conversion needs sentencepiece, and transformers where the
            architecture is not one of `pieces.FAMILIES`.
        ModelFormatError: There is no tokenizer, or the converted one differs from sentencepiece;
            the message quotes the first text that does.
    """
    if (source / "tokenizer.json").is_file():
        return clean_tokenizer(source / "tokenizer.json")
    pieces = next((source / n for n in _PIECES if (source / n).is_file()), None)
    if pieces is None:
        raise ModelFormatError(f"{source} has no tokenizer.json and no {' or '.join(_PIECES)}")
    try:
        import sentencepiece
    except ImportError as exc:
        raise MissingExtraError("sentencepiece", "export") from exc
    family = FAMILIES.get(str(read_json(source / "config.json").get("model_type")))
    if family is not None:
        fast = convert_pieces(source, pieces, family)
    else:
        fast = _by_transformers(source, pieces)
    try:
        slow = sentencepiece.SentencePieceProcessor(model_file=str(pieces))
    except Exception as exc:  # the library raises RuntimeError and OSError, undocumented
        raise ModelFormatError(f"{pieces} is no sentencepiece model: {exc}") from exc
    config = source / "tokenizer_config.json"
    lower = config.is_file() and bool(read_json(config).get("do_lower_case"))
    check_pieces(fast, slow, SAMPLE, lower=lower)
    return _plain(json.loads(fast.to_str()))


def _by_transformers(source: Path, pieces: Path) -> Any:
    """The conversion of an architecture that `pieces` does not know; checked like any other."""
    try:
        from transformers import AutoTokenizer
    except ImportError as exc:
        raise MissingExtraError("transformers", "torch") from exc
    try:
        made = AutoTokenizer.from_pretrained(source, local_files_only=True, use_fast=True)
        return made.backend_tokenizer
    except Exception as exc:  # transformers raises whatever its converters raise
        raise ModelFormatError(f"{pieces} cannot be converted: {exc}") from exc
