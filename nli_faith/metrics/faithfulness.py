"""Is what the answer asserts backed by the contexts?"""

from __future__ import annotations

from typing import ClassVar, Final

from nli_faith.datamodels import Label, Record, Status
from nli_faith.metrics.base import MetricValue
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.support import absent, unscored

GRADES: Final = {Label.SUPPORTED: 1.0, Label.UNSUPPORTED: 0.5, Label.CONTRADICTED: 0.0}


class Faithfulness:
    """Share of the answer's claims that the contexts entail.

    Strict (default): ``supported / claims``, the scorer's own score (with its aggregation).
    Graded: the mean over claims of supported 1, unsupported 0.5, contradicted 0; it tells an
    answer that adds from one that distorts. Range [0, 1], higher is better. NaN for a refusal,
    an answer without claims, and a record without answer or contexts.

    Source: Ragas "faithfulness" (Es et al. 2023, arXiv:2309.15217), whose claims and verdicts an
    LLM gives; here sentences and an entailment model. The grades are a convention of ours.
    """

    name: ClassVar[str] = "faithfulness"
    required: ClassVar[tuple[str, ...]] = ("answer", "contexts")
    higher_is_better: ClassVar[bool] = True

    def __init__(self, *, graded: bool = False) -> None:
        """Choose the formula.

        Args:
            graded: Give unsupported claims half.
        """
        self.graded = graded

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record.

        Args:
            record: Needs ``answer`` and ``contexts``.
            engine: Splits and judges.
        """
        lacking = absent(record, ("answer",))
        if lacking is not None:
            return lacking
        result = engine.check(record.answer, record.contexts)
        if result.status is not Status.SCORED:
            return unscored(result, "answer", "contexts")
        grades = [GRADES[claim.label] for claim in result.claims]
        graded = sum(grades) / len(grades)
        details = {
            **result.label_counts,
            "strict": round(result.score, 6),
            "graded": round(graded, 6),
            "claims": [claim.to_dict() for claim in result.claims],  # as in a scored row
        }
        return MetricValue(graded if self.graded else result.score, details=details)
