"""The words by which people and judges name a verdict, in Chinese and English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nli_faith.datamodels import Label

SKIP = "skip"
_WORDS: Mapping[Label, tuple[str, ...]] = {
    Label.SUPPORTED: (
        "supported", "entailed", "entailment", "faithful", "grounded", "correct", "yes", "true",
        "1", "有依据", "支持", "忠实", "正确", "是",
    ),
    Label.CONTRADICTED: (
        "contradicted", "contradiction", "refuted", "refutes", "矛盾", "与材料矛盾", "相反",
    ),
    Label.UNSUPPORTED: (
        "unsupported", "not_supported", "not_mentioned", "neutral", "unfaithful", "ungrounded",
        "hallucinated", "hallucination", "incorrect", "no", "false", "0", "材料未支持", "无依据",
        "未提及", "幻觉", "不忠实", "错误", "否",
    ),
}  # fmt: skip
SKIPPED = frozenset({"", "not_a_claim", "n/a", "na", "none", "null", "unsure", "skip", "不确定"})
KNOWN = {word: label for label, words in _WORDS.items() for word in words}


def normal_form(value: Any) -> str:
    """A value as the key that words are compared by; empty for null and NaN."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().lower().replace(" ", "_").replace("-", "_")
