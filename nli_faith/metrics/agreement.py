"""Whether two answers to the same question say the same, by entailment both ways."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from nli_faith.datamodels import Label
from nli_faith.metrics.coverage import whole
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.text import fold
from nli_faith.verdicts import ClaimResult, json_number


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two answers side by side.

    Attributes:
        value: Harmonic mean of the two shares of entailed claims, in [0, 1]; NaN where one of the
            answers asserts nothing.
        forward: Share of the second answer's claims that the first entails.
        backward: Share of the first answer's claims that the second entails.
        contradictions: Claims of either that the other contradicts; JSON-ready.
        reason: Why the value is what it is, where no claims were compared.
    """

    value: float
    forward: float = math.nan
    backward: float = math.nan
    contradictions: tuple[dict[str, Any], ...] = ()
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, without the contradictions."""
        out: dict[str, Any] = {
            "agreement": json_number(self.value),
            "forward": json_number(self.forward),
            "backward": json_number(self.backward),
        }
        if self.reason:
            out["reason"] = self.reason
        return out


def agree(
    first: str, second: str, engine: EntailmentEngine, *, question: str | None = None
) -> Agreement:
    """Compare two answers to one question.

    Mutual entailment as the test of equal meaning is that of semantic entropy (Kuhn, Gal &
    Farquhar 2023), here claim by claim: ``2 f b / (f + b)`` of the shares f and b that are
    entailed, so that an answer that says much more than the other does not fully agree.

    Args:
        first: An answer.
        second: The other.
        engine: Judges.
        question: What both answer; makes statements of fragments (两年).

    Returns:
        1 for answers that are equal but for white space and punctuation and for two refusals, 0
        for a refusal beside an answer.
    """
    if _letters(first) == _letters(second):
        return Agreement(1.0, 1.0, 1.0, reason="equal")
    refusals = engine.is_refusal(first), engine.is_refusal(second)
    if all(refusals):
        return Agreement(1.0, reason="both decline")
    if any(refusals):
        return Agreement(0.0, reason="one declines")
    texts = whole(question, first), whole(question, second)
    results = engine.check(texts[1], [texts[0]]), engine.check(texts[0], [texts[1]])
    if not all(r.claims for r in results):
        return Agreement(math.nan, reason="one asserts nothing")
    forward, backward = (_supported(r.claims) for r in results)
    both = forward + backward
    found = [
        _contradiction(claim, side)
        for side, result in (("second", results[0]), ("first", results[1]))
        for claim in result.claims
        if claim.label is Label.CONTRADICTED
    ]
    value = 2 * forward * backward / both if both else 0.0
    return Agreement(value, forward, backward, tuple(found))


def _supported(claims: tuple[ClaimResult, ...]) -> float:
    return sum(c.label is Label.SUPPORTED for c in claims) / len(claims)


def _contradiction(claim: ClaimResult, side: str) -> dict[str, Any]:
    return {
        "in": side,
        "claim": claim.text,
        "against": claim.evidence.text if claim.evidence else None,
        "contradiction": json_number(claim.contradiction),
        "flags": list(claim.flags),
    }


def _letters(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum())
