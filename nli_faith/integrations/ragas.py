"""A Ragas metric that asks for no LLM.

    from nli_faith.integrations.ragas import NliFaithfulness
    result = await NliFaithfulness().ascore(response=answer, retrieved_contexts=chunks)

One object serves both of Ragas' interfaces: the collections API (``ascore``, ``abatch_score``,
in experiments) and ``evaluate(dataset, metrics=[...])``, beside metrics that use an LLM.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any

from nli_faith.datamodels import Status
from nli_faith.errors import BackendError, ConfigError, MissingExtraError
from nli_faith.integrations._common import NAME, record_of, scorer_or_bundled
from nli_faith.integrations.assertions import explain
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer

try:
    from ragas.metrics.base import MetricType, SingleTurnMetric
    from ragas.metrics.collections.base import BaseMetric
    from ragas.metrics.result import MetricResult
except ImportError as error:
    raise MissingExtraError(error.name or "ragas", "ragas") from error

_COLUMNS = ("response", "retrieved_contexts", "user_input")


class NliFaithfulness(BaseMetric, SingleTurnMetric):
    """Share of the response's claims that the retrieved contexts back, in [0, 1].

    A response that has no score (a refusal, nothing asserted, no contexts) gives NaN, as Ragas'
    own metrics do; the reason says why.

    Attributes:
        scorer: The scorer; the bundled model, loaded once, when None.
    """

    def __init__(self, scorer: FaithfulnessScorer | None = None, name: str = NAME) -> None:
        """Sets up; the model loads on first use.

        Args:
            scorer: Any scorer.
            name: Name of the metric, and of its column.

        Raises:
            ConfigError: ``scorer`` is none.
        """
        if scorer is not None:
            scorer_or_bundled(scorer)
        super().__init__(name=name, allowed_values=(0.0, 1.0))
        self.scorer = scorer
        self._required_columns = {
            MetricType.SINGLE_TURN: {"response", "retrieved_contexts", "user_input:optional"}
        }

    def init(self, run_config: Any) -> None:
        """Nothing to prepare: there is no LLM.

        Args:
            run_config: Ragas' settings for one.
        """

    async def ascore(
        self, response: str, retrieved_contexts: Sequence[str], user_input: str | None = None
    ) -> MetricResult:
        """Score one response.

        Args:
            response: The answer.
            retrieved_contexts: Retrieved chunks.
            user_input: The question, if known.

        Returns:
            The score, and as its reason the claims that are not backed, with evidence.

        Raises:
            RecordError: An argument has a wrong type.
            BackendError: The model failed.
        """
        record = record_of(response, retrieved_contexts, user_input)
        scorer = scorer_or_bundled(self.scorer)
        return _metric_result(await asyncio.to_thread(scorer.score, record))

    async def abatch_score(self, inputs: Sequence[Mapping[str, Any]]) -> list[MetricResult]:
        """Score many responses together, which is faster than one by one.

        Args:
            inputs: Arguments of `ascore`, one mapping a response.

        Raises:
            ConfigError: A mapping has another key, or lacks one.
            RecordError: A value has a wrong type.
            BackendError: The model failed.
        """
        for row in inputs:
            unknown = sorted(set(row) - set(_COLUMNS))
            missing = sorted(set(_COLUMNS[:2]) - set(row))
            if unknown or missing:
                raise ConfigError(f"inputs: unknown keys {unknown}, missing keys {missing}")
        records = [
            record_of(r["response"], r["retrieved_contexts"], r.get("user_input")) for r in inputs
        ]
        scorer = scorer_or_bundled(self.scorer)
        results = await asyncio.to_thread(lambda: list(scorer.score_records(records)))
        return [_metric_result(r) for r in results]

    async def _single_turn_ascore(self, sample: Any, callbacks: Any) -> float:
        result = await self.ascore(
            sample.response, sample.retrieved_contexts, getattr(sample, "user_input", None)
        )
        return float(result.value)


def _metric_result(result: FaithfulnessResult) -> MetricResult:
    if result.status is Status.ERROR:
        raise BackendError(result.error)
    value = math.nan if result.status is not Status.SCORED else result.score
    return MetricResult(value=value, reason=explain(result))
