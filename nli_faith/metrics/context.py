"""Do the contexts hold what a good answer needs, and do they hold it early?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from nli_faith.datamodels import Label, Record, Status
from nli_faith.metrics.base import MetricValue, missing
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.support import absent, claim_row, supported, unscored
from nli_faith.results import FaithfulnessResult


class ContextRecall:
    """Share of the reference's claims that the contexts entail.

    ``supported reference claims / reference claims``; range [0, 1], higher is better. Low means
    that retrieval missed what the answer needs. NaN without reference or contexts, and for a
    reference that asserts nothing or declines.

    Source: Ragas "context recall"; here claims are sentences and an entailment model judges.
    """

    name: ClassVar[str] = "context_recall"
    required: ClassVar[tuple[str, ...]] = ("reference", "contexts")
    higher_is_better: ClassVar[bool] = True

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record.

        Args:
            record: Needs ``reference`` and ``contexts``.
            engine: Splits and judges.
        """
        lacking = absent(record, self.required)
        if lacking is not None:
            return lacking
        assert record.reference is not None
        result = engine.check(record.reference, record.contexts)
        if result.status is not Status.SCORED:
            return unscored(result, "reference", "contexts")
        found = supported(result)
        return MetricValue(
            found / len(result.claims),
            details={
                "claims": len(result.claims),
                "supported": found,
                "missed": [c.text for c in result.claims if c.label is not Label.SUPPORTED],
                "verdicts": [claim_row(claim) for claim in result.claims],
            },
        )


class ContextPrecision:
    """Are the contexts that hold evidence ranked before those that do not?

    Average precision over the ranks that are evidence: ``sum_k(P@k * v_k) / sum_k(v_k)``, where
    ``v_k`` is 1 if context k is evidence and ``P@k`` the share of evidence among the first k; 0 if
    none is. Range [0, 1], higher is better. A context is evidence if it alone entails a claim of
    the reference (of the answer where there is no reference); for a claim that no context entails
    alone but all together do, each context that the deciding evidence was put together from.

    NaN without contexts, without reference and answer, and where the text asserts nothing.

    Source: Ragas "context precision" (with and without reference), which asks an LLM for
    ``v_k``. The answer as target measures use, not usefulness: a wrong answer finds evidence too.
    """

    name: ClassVar[str] = "context_precision"
    required: ClassVar[tuple[str, ...]] = ("contexts",)
    higher_is_better: ClassVar[bool] = True

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record.

        Args:
            record: Needs ``contexts`` in rank order, and ``reference`` or ``answer``.
            engine: Splits and judges.
        """
        lacking = absent(record, self.required)
        if lacking is not None:
            return lacking
        target = next((f for f in ("reference", "answer") if absent(record, (f,)) is None), None)
        if target is None:
            return missing("reference", "answer")
        text = str(getattr(record, target))
        together = engine.check(text, record.contexts)
        if together.status is not Status.SCORED:
            return unscored(together, target, "contexts")
        ranks = self._ranks(text, record.contexts, together, engine)
        relevant = [bool(rank["evidence"]) for rank in ranks]
        details = {"target": target, "relevant": sum(relevant), "ranks": ranks}
        return MetricValue(average_precision(relevant), details=details)

    @staticmethod
    def _ranks(
        text: str,
        contexts: Sequence[str],
        together: FaithfulnessResult,
        engine: EntailmentEngine,
    ) -> list[dict[str, Any]]:
        alone = [engine.check(text, (context,)) for context in contexts]
        ranks: list[dict[str, Any]] = [
            {
                "context": i,
                "evidence": False,
                "claims": [c.text for c in result.claims if c.label is Label.SUPPORTED],
            }
            for i, result in enumerate(alone)
        ]
        found = {claim for rank in ranks for claim in rank["claims"]}
        for claim in together.claims:
            if claim.label is not Label.SUPPORTED or claim.text in found or not claim.evidence:
                continue
            spans = claim.evidence.spans
            for i in sorted({s[0] for s in spans} or {claim.evidence.context}):
                ranks[i]["claims"].append(claim.text)
        for rank in ranks:
            rank["evidence"] = bool(rank["claims"])
        return ranks


def average_precision(relevant: Sequence[bool]) -> float:
    """Average precision of a ranking over the relevant items in it.

    ``sum_k(P@k * v_k) / sum_k(v_k)``; 0.0 if nothing is relevant. Range [0, 1].

    Args:
        relevant: ``v_k`` in rank order.
    """
    hits, total = 0, 0.0
    for rank, hit in enumerate(relevant, 1):
        if hit:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0
