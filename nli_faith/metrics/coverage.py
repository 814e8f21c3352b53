"""Coverage of a question's points, and completeness against a reference."""

from __future__ import annotations

from typing import ClassVar

from nli_faith.datamodels import Label, Record
from nli_faith.metrics.aboutness import Aboutness
from nli_faith.metrics.base import MetricStatus, MetricValue, missing, nothing
from nli_faith.metrics.covers import PointCover
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.pointed import PointMetric
from nli_faith.metrics.statements import is_fragment, statement
from nli_faith.results import FaithfulnessResult


class Coverage(PointMetric):
    """Share of the question's points that some claim of the answer is about (覆盖度).

    ``covered points / points``, in [0, 1], higher is better. Points are found by rule
    (`split_question`); a point is covered when a claim addresses both whose aspect is asked and
    gives an answer of the kind asked for (`nli_faith.metrics.aboutness`). Being right is not
    asked for: that is faithfulness and correctness. The idea is that of TREC's nugget recall
    (Voorhees 2003, "Overview of the TREC 2003 Question Answering Track"), with the question's
    points as nuggets.

    A refusal covers nothing: 0 with status ``refusal``. An answer that asserts nothing covers
    nothing either: 0. No question or no answer: missing.
    """

    name: ClassVar[str] = "coverage"

    def _measure(
        self, about: Aboutness, covers: list[PointCover]
    ) -> tuple[float, dict[str, object]]:
        return sum(c.covered for c in covers) / len(covers), {}


class Completeness:
    """Share of the reference's claims that the answer entails.

    ``supported claims of the reference / claims of the reference`` with the answer as material,
    in [0, 1], higher is better: the recall of Ragas' factual correctness and of ARES-like claim
    recall, judged by the entailment model and the quantity check instead of an LLM. A reference
    or an answer that is only a fragment (两年) is read with the question (保修期是两年).

    A refusal is complete in nothing: 0 with status ``refusal``. No reference or no answer:
    missing; a reference without claims: nothing to measure.
    """

    name: ClassVar[str] = "completeness"
    required: ClassVar[tuple[str, ...]] = ("reference", "answer")
    higher_is_better: ClassVar[bool] = True

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """See `nli_faith.metrics.base.Metric.compute`."""
        absent = [n for n in self.required if not (getattr(record, n) or "").strip()]
        if absent:
            return missing(*absent)
        reference = record.reference or ""
        if engine.is_refusal(reference):
            return nothing("the reference declines to answer")
        if not engine.claims(reference):
            return nothing("the reference has no claims")
        if engine.is_refusal(record.answer):
            return MetricValue(0.0, MetricStatus.REFUSAL, "the answer declines")
        result = engine.check(
            whole(record.question, reference), [whole(record.question, record.answer)]
        )
        if not result.claims:
            return nothing("the reference has no claims")
        supported = [c.label is Label.SUPPORTED for c in result.claims]
        return MetricValue(sum(supported) / len(supported), details=_completeness(result))


def _completeness(result: FaithfulnessResult) -> dict[str, object]:
    return {
        "claims": [
            {
                "text": c.text,
                "label": c.label.value,
                "support": round(c.support, 6),
                "evidence": c.evidence.text if c.evidence else None,
                "flags": list(c.flags),
            }
            for c in result.claims
        ],
        "missed": [c.text for c in result.claims if c.label is not Label.SUPPORTED],
    }


def whole(question: str | None, answer: str) -> str:
    """An answer, or where it is a fragment, the statement it makes with its question.

    Args:
        question: The question, if known.
        answer: The answer.
    """
    if question and question.strip() and is_fragment(answer):
        return statement(question, answer)
    return answer
