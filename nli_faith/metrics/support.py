"""What the metrics share: absent fields, results without a score, elliptic answers, JSON rows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Final

from nli_faith.datamodels import Label, Record, Status
from nli_faith.metrics.base import MetricStatus, MetricValue, missing, nothing
from nli_faith.metrics.statements import is_fragment, statement
from nli_faith.results import FaithfulnessResult
from nli_faith.text import fold
from nli_faith.verdicts import ClaimResult, json_number

#: A text of whose character pairs this share stands in the question repeats what it is about and
#: needs no question before it; a convention of ours.
REPEATS_QUESTION: Final = 0.3

_SENTENCE_END: Final = re.compile(r"[。！？!?；;\n]")
_QUESTION_END: Final = re.compile(r"[\s？?。！!]+$")
# A yes-no question states what it asks: 保修期是三年吗 would support 保修期是三年 whatever the
# answer says.
_YES_NO: Final = re.compile(
    r"吗|么$|是否|能否|可否|有无|是不是|有没有|能不能|可不可以|会不会|对不对|要不要"
    r"|^(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|should|may)\b"
)


def absent(record: Record, fields: Iterable[str]) -> MetricValue | None:
    """A `missing` value for the fields that a record lacks; None when it has them all.

    Args:
        record: The record.
        fields: Names of `Record` fields. None, blank text and an empty list count as lacking.
    """
    lacking = [name for name in fields if not _given(getattr(record, name))]
    return missing(*lacking) if lacking else None


def _given(value: Any) -> bool:
    return bool(value.strip() if isinstance(value, str) else value)


def unscored(result: FaithfulnessResult, text: str, material: str) -> MetricValue:
    """Why a check has no score, as a metric's value.

    Args:
        result: A result whose status is not ``scored``.
        text: What was checked, for the reason: ``answer``, ``reference``.
        material: What it was checked against: ``contexts``, ``answer``.
    """
    if result.status is Status.REFUSAL:
        reason = f"the {text} declines to answer"
        return MetricValue(math.nan, MetricStatus.REFUSAL, reason)
    if result.status is Status.ERROR:
        return MetricValue(math.nan, MetricStatus.ERROR, result.error or "the check failed")
    if result.status is Status.EMPTY_ANSWER:
        return missing(text)
    if result.status is Status.NO_CONTEXT:
        return missing(material)
    return nothing(f"the {text} asserts nothing that could be checked")


def stated(text: str, question: str | None) -> str:
    """A text as material: a bare answer made a statement with the question it answers.

    ``两年`` supports nothing by itself; ``整机保修两年`` does. See `statements.statement`; the
    question alone is never a premise. Left as it is: a text of several sentences, one that is no
    fragment, one with the question's own words, and the answer to a yes-no question, which would
    state what is asked.

    Args:
        text: An answer or a reference.
        question: The question, if known.
    """
    asked = _QUESTION_END.sub("", (question or "").strip())
    body = text.strip().rstrip("。！!.；;")
    if not asked or _SENTENCE_END.search(asked) or _SENTENCE_END.search(body):
        return text
    if _YES_NO.search(fold(asked)) or not is_fragment(body):
        return text
    pairs = char_pairs(body)
    if not pairs or len(pairs & char_pairs(asked)) >= REPEATS_QUESTION * len(pairs):
        return text
    return statement(asked, body)


def claim_row(claim: ClaimResult) -> dict[str, Any]:
    """A judged claim for ``details``: text, label, probabilities, evidence, flags."""
    row: dict[str, Any] = {
        "text": claim.text,
        "label": claim.label.value,
        "support": json_number(claim.support),
        "contradiction": json_number(claim.contradiction),
    }
    if claim.evidence is not None:
        row["evidence"] = {
            "context": claim.evidence.context,
            "start": claim.evidence.start,
            "end": claim.evidence.end,
            "text": claim.evidence.text,
        }
    if claim.flags:
        row["flags"] = list(claim.flags)
    return row


def supported(result: FaithfulnessResult) -> int:
    """Number of supported claims."""
    return sum(claim.label is Label.SUPPORTED for claim in result.claims)


def char_pairs(text: str) -> frozenset[str]:
    """The pairs of neighbouring letters, ideographs and digits of a text, folded.

    Args:
        text: Any text; one of a single such character gives that.
    """
    plain = "".join(c for c in fold(text) if c.isalnum())
    if len(plain) == 1:
        return frozenset((plain,))
    return frozenset(plain[i : i + 2] for i in range(len(plain) - 1))
