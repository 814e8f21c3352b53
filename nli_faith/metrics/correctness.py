"""Does the answer say what the reference says?"""

from __future__ import annotations

from typing import Any, ClassVar

from nli_faith.datamodels import Label, Record, Status
from nli_faith.errors import ConfigError
from nli_faith.metrics.base import MetricStatus, MetricValue
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.support import absent, claim_row, stated, supported, unscored
from nli_faith.results import FaithfulnessResult
from nli_faith.verdicts import ClaimResult

REFUSED = "the answer declines where the reference answers"


class AnswerCorrectness:
    """F1 of the answer's claims against the reference, judged by entailment in both directions.

    TP: answer claims that the reference entails, or that entail a claim of the reference and add
    to it (unless the reference contradicts them, or has another number). FP: the other answer
    claims. FN: reference claims that the answer does not entail. ``precision = TP / (TP + FP)``
    counts answer claims, ``recall = (n - FN) / n`` the n reference claims, and the value is their
    F-beta, ``(1 + b²) P R / (b² P + R)``, b = 1 by default; 0 where both are 0. Range [0, 1],
    higher is better. The scorer's quantity check is part of every verdict: 两年 for 三年 is no TP.

    A bare reference (两年) is read as a statement with its question, see `support.stated`. An
    answer that declines is 0 with status ``refusal``, unless the reference declines as well
    (then 1); an answer to a question that the reference calls unanswerable is 0. NaN without
    answer or reference, or where one of them asserts nothing.

    Source: Ragas "answer correctness" (its factual part), whose ``TP / (TP + (FP + FN) / 2)`` is
    in ``details`` as ``f1_statements``. It counts TP in answer statements only, so an answer that
    puts three facts into one sentence is marked down; the mean of two recalls is not.
    """

    name: ClassVar[str] = "answer_correctness"
    required: ClassVar[tuple[str, ...]] = ("answer", "reference")
    higher_is_better: ClassVar[bool] = True

    def __init__(self, *, beta: float = 1.0) -> None:
        """Choose the weight of recall.

        Args:
            beta: Above 1 an incomplete answer costs more than an added claim.

        Raises:
            ConfigError: ``beta`` is not positive.
        """
        if isinstance(beta, bool) or not isinstance(beta, (int, float)) or not beta > 0:
            raise ConfigError(f"answer_correctness: beta must be positive, not {beta!r}")
        self.beta = float(beta)

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record.

        Args:
            record: Needs ``answer`` and ``reference``; ``question`` helps.
            engine: Splits and judges.
        """
        lacking = absent(record, self.required)
        if lacking is not None:
            return lacking
        assert record.reference is not None
        declined = _declined(record.answer, record.reference, engine)
        if declined is not None:
            return declined
        forward = engine.check(record.answer, (stated(record.reference, record.question),))
        if forward.status is not Status.SCORED:
            return unscored(forward, "answer", "reference")
        backward = engine.check(record.reference, (stated(record.answer, record.question),))
        if backward.status is not Status.SCORED:
            return unscored(backward, "reference", "answer")
        elliptic = stated(record.answer, record.question) != record.answer
        return self._value(forward, backward, elliptic)

    def _value(
        self, forward: FaithfulnessResult, backward: FaithfulnessResult, elliptic: bool
    ) -> MetricValue:
        rows = [_answer_row(c, _entailed_by(c, backward, elliptic)) for c in forward.claims]
        tp, n_answer = sum(row["match"] != "none" for row in rows), len(rows)
        found, n_reference = supported(backward), len(backward.claims)
        fp, fn = n_answer - tp, n_reference - found
        precision, recall = tp / n_answer, found / n_reference
        statements = tp + (fp + fn) / 2
        details: dict[str, Any] = {
            "tp": tp,
            "fp": fp,
            "fn": fn,
            "contradicted": sum(c.label is Label.CONTRADICTED for c in forward.claims),
            "precision": round(precision, 6),
            "recall": round(recall, 6),
            "f1_statements": round(tp / statements, 6) if statements else 0.0,
            "answer_claims": rows,
            "reference_claims": [claim_row(c) for c in backward.claims],
        }
        return MetricValue(f_beta(precision, recall, self.beta), details=details)


def _declined(answer: str, reference: str, engine: EntailmentEngine) -> MetricValue | None:
    """The value where answer or reference is a refusal; None where neither is."""
    answer_declines, reference_declines = engine.is_refusal(answer), engine.is_refusal(reference)
    if answer_declines and reference_declines:
        return MetricValue(1.0, reason="answer and reference both decline")
    if answer_declines:
        return MetricValue(0.0, MetricStatus.REFUSAL, REFUSED)
    if reference_declines:
        return MetricValue(0.0, reason="the answer asserts where the reference declines")
    return None


def _answer_row(claim: ClaimResult, entails: list[str]) -> dict[str, Any]:
    row = claim_row(claim)
    if claim.label is Label.SUPPORTED:
        row["match"] = "entailed"
    elif entails and claim.label is Label.UNSUPPORTED and not claim.capped:
        row["match"] = "entails"
    else:
        row["match"] = "none"
    row["entails"] = entails
    return row


def _entailed_by(claim: ClaimResult, backward: FaithfulnessResult, elliptic: bool) -> list[str]:
    """The reference claims whose evidence in the answer is, or touches, this answer claim.

    Args:
        claim: A claim of the answer.
        backward: The reference checked against the answer.
        elliptic: The answer was read as a statement with its question: offsets are not its own,
            but then it is a single claim.
    """
    out = []
    for other in backward.claims:
        if other.label is not Label.SUPPORTED or other.evidence is None:
            continue
        evidence = other.evidence
        if elliptic or (evidence.start < claim.end and claim.start < evidence.end):
            out.append(other.text)
    return out


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """Weighted harmonic mean ``(1 + b²) P R / (b² P + R)`` in [0, 1]; 0.0 where both are 0.

    Args:
        precision: In [0, 1].
        recall: In [0, 1].
        beta: Weight of recall.
    """
    weight = beta * beta
    below = weight * precision + recall
    return min(1.0, (1 + weight) * precision * recall / below) if below else 0.0
