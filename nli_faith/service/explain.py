"""A verdict in words: why each claim got its label, and the evidence where it stands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from nli_faith.datamodels import Label, Record, Status, Thresholds
from nli_faith.results import FaithfulnessResult
from nli_faith.verdicts import ClaimResult, Evidence

AROUND = 60
"""Characters of a context shown before and behind the evidence."""

_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "zh": {
        "score": "忠实度 {score:.2f}：{n} 条论断中有 {k} 条得到材料支持。",
        "unscored": "没有计分：{why}。",
        "no_claims": "答案里没有可核对的论断",
        "no_context": "没有材料可供核对",
        "empty_answer": "答案为空",
        "refusal": "答案是拒答",
        "error": "出错",
        "supported": "有依据",
        "contradicted": "与材料矛盾",
        "unsupported": "材料未支持",
        "not_judged": "未判定",
        "reaches": "{name}概率 {value:.2f}，达到阈值 {limit:.2f}",
        "misses": "{name}概率 {value:.2f}，低于阈值 {limit:.2f}",
        "support": "支持",
        "contradiction": "矛盾",
        "capped": "数字与材料不符，支持概率因此被压低",
        "conflict": "矛盾概率也达到阈值，且不低于支持概率",
        "and": "；",
        "end": "。",
    },
    "en": {
        "score": "Faithfulness {score:.2f}: the material supports {k} of {n} claims.",
        "unscored": "Not scored: {why}.",
        "no_claims": "the answer asserts nothing that could be checked",
        "no_context": "there is no material to check it by",
        "empty_answer": "the answer is empty",
        "refusal": "the answer is a refusal",
        "error": "an error",
        "supported": "supported",
        "contradicted": "contradicted",
        "unsupported": "unsupported",
        "not_judged": "not judged",
        "reaches": "{name} {value:.2f} reaches its threshold {limit:.2f}",
        "misses": "{name} {value:.2f} is below its threshold {limit:.2f}",
        "support": "support",
        "contradiction": "contradiction",
        "capped": "a number differs from the material's, which caps support",
        "conflict": "contradiction reaches its threshold too, and is no lower than support",
        "and": "; ",
        "end": ".",
    },
}


def explain(record: Record, result: FaithfulnessResult, lang: str = "auto") -> dict[str, Any]:
    """Put a result into words.

    Args:
        record: The record.
        result: Its verdict.
        lang: ``zh``, ``en``, or ``auto`` for the answer's language.

    Returns:
        ``lang``, ``summary``, ``claims`` (one a claim, in order: ``text``, ``label``,
        ``label_text``, ``reason``, ``flags``, ``evidence``, ``counter_evidence``) and ``result``.
    """
    if lang == "auto":
        chinese = any("\u4e00" <= c <= "\u9fff" for c in record.answer)
        lang = "zh" if chinese or not record.answer.strip() else "en"
    say = _WORDS[lang]
    return {
        "lang": lang,
        "summary": _summary(result, say),
        "claims": [_claim(c, record, result, say) for c in result.claims],
        "result": result.to_dict(),
    }


def _summary(result: FaithfulnessResult, say: Mapping[str, str]) -> str:
    if result.status is not Status.SCORED:
        return say["unscored"].format(why=say[result.status.value])
    supported = result.label_counts[Label.SUPPORTED.value]
    return say["score"].format(score=result.score, n=len(result.claims), k=supported)


def _claim(
    claim: ClaimResult, record: Record, result: FaithfulnessResult, say: Mapping[str, str]
) -> dict[str, Any]:
    judged = result.status is Status.SCORED
    return {
        "text": claim.text,
        "label": claim.label.value if judged else None,
        "label_text": say[claim.label.value if judged else "not_judged"],
        "reason": _reason(claim, result.thresholds, say) if judged else "",
        "flags": list(claim.flags),
        "evidence": _quoted(claim.evidence, record),
        "counter_evidence": _quoted(claim.counter_evidence, record),
    }


def _reason(claim: ClaimResult, limits: Thresholds | None, say: Mapping[str, str]) -> str:
    parts = []
    if limits is not None:
        parts.append(_held(say, "support", claim.support, limits.support))
        # A model of two classes says nothing of contradiction.
        if not math.isnan(claim.contradiction):
            parts.append(_held(say, "contradiction", claim.contradiction, limits.contradiction))
    if claim.capped:
        parts.append(say["capped"])
    if claim.conflict:
        parts.append(say["conflict"])
    return say["and"].join(parts) + say["end"] if parts else ""


def _held(say: Mapping[str, str], name: str, value: float, limit: float) -> str:
    """A probability held against its threshold."""
    shape = say["reaches" if value >= limit else "misses"]
    return shape.format(name=say[name], value=value, limit=limit)


def _quoted(evidence: Evidence | None, record: Record) -> dict[str, Any] | None:
    """Evidence with a little of what stands before and behind it."""
    if evidence is None:
        return None
    context = record.contexts[evidence.context]
    return {
        "context": evidence.context,
        "start": evidence.start,
        "end": evidence.end,
        "before": context[max(0, evidence.start - AROUND) : evidence.start],
        "quote": context[evidence.start : evidence.end],
        "after": context[evidence.end : evidence.end + AROUND],
    }
