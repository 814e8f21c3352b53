"""From what the model said of a record's claims to its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nli_faith.aggregation import TextVerdict, judge_claim, without_context
from nli_faith.combiner import Combiner
from nli_faith.datamodels import Record, Status, Thresholds
from nli_faith.preparation import Prepared
from nli_faith.results import FaithfulnessResult, ScorerInfo
from nli_faith.rounds import ScoredPlan
from nli_faith.verdicts import ClaimResult

#: What the checks of its text found, by the identity of a claim's plan.
Checks = Mapping[int, TextVerdict]


@dataclass(frozen=True, slots=True)
class Judge:
    """What results are made with.

    Attributes:
        thresholds: The thresholds in force.
        combiner: The combiner in force.
        aggregation: How claims make the score.
        info: Model and options, for the result.
    """

    thresholds: Thresholds
    combiner: Combiner | None
    aggregation: str
    info: ScorerInfo

    def result(
        self, prepared: Prepared, scored: Sequence[ScoredPlan], checks: Checks
    ) -> FaithfulnessResult:
        """The result of a record; one with status ``error`` where judging it fails.

        Args:
            prepared: The record with its plans.
            scored: What the model said of each plan.
            checks: What the checks of its claims found.
        """
        try:
            return self._result(prepared, self._claims(prepared, scored, checks), scored)
        except Exception as error:  # one poisoned row must not end a run over millions
            return self.failed(prepared.record.id, error, prepared.record)

    def failed(
        self, name: str, error: Exception, record: Record | None = None
    ) -> FaithfulnessResult:
        """The result of a record that could not be scored.

        Args:
            name: The record's id.
            error: Why.
            record: The record, where it could be read.
        """
        return FaithfulnessResult(
            id=name,
            status=Status.ERROR,
            aggregation=self.aggregation,
            thresholds=self.thresholds,
            error=f"{type(error).__name__}: {error}",
            meta=record.meta if record else {},
            scorer=self.info,
        )

    def _claims(
        self, prepared: Prepared, scored: Sequence[ScoredPlan], checks: Checks
    ) -> list[ClaimResult]:
        if prepared.status is Status.NO_CONTEXT:
            return [without_context(plan) for plan in prepared.plans]
        return [
            judge_claim(
                plan,
                said.probs,
                prepared.segments,
                prepared.record.contexts,
                self.thresholds,
                checks[id(plan)],
                self.combiner,
            )
            for plan, said in zip(prepared.plans, scored, strict=True)
        ]

    def _result(
        self, prepared: Prepared, claims: Sequence[ClaimResult], scored: Sequence[ScoredPlan]
    ) -> FaithfulnessResult:
        record = prepared.record
        return FaithfulnessResult(
            id=record.id,
            status=prepared.status,
            claims=tuple(claims),
            non_claims=tuple(prepared.non_claims),
            aggregation=self.aggregation,
            thresholds=self.thresholds,
            truncated=any(said.cut for said in scored),
            pairs_scored=sum(len(plan.premises) for plan in prepared.plans),
            pairs_possible=prepared.possible,
            dropped_contexts=record.dropped_contexts,
            meta=record.meta,
            scorer=self.info,
        )
