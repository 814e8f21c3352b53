"""A DeepEval metric that asks for no LLM.

    from nli_faith.integrations.deepeval import NliFaithfulnessMetric
    assert_test(test_case, [NliFaithfulnessMetric(threshold=0.8)])

The metric works in `evaluate` too, and asks for no key.
"""

from __future__ import annotations

import asyncio
from typing import Any

from nli_faith.datamodels import Status
from nli_faith.errors import BackendError, ConfigError, MissingExtraError
from nli_faith.integrations._common import (
    check_share,
    score_answer,
    score_or_none,
    scorer_or_bundled,
)
from nli_faith.integrations.assertions import Unscored, explain
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer

try:
    from deepeval.metrics import BaseMetric
    from deepeval.metrics.utils import check_llm_test_case_params
    from deepeval.test_case import LLMTestCase, SingleTurnParams
except ImportError as error:
    raise MissingExtraError(error.name or "deepeval", "deepeval") from error


class NliFaithfulnessMetric(BaseMetric):
    """Share of the actual output's claims that the retrieval context backs, in [0, 1].

    Attributes:
        threshold: Least score that passes.
        scorer: The scorer; the bundled model, loaded once, when None.
        unscored: Whether an output without a score (a refusal, nothing asserted) passes; its
            score is then 1 in DeepEval's sums if it passes and 0 if it fails, since DeepEval
            knows no missing score, and the reason says that nothing was measured.
        include_reason: Whether `reason` is filled in.
        result: The verdict on the last test case.
    """

    _required_params = (SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.RETRIEVAL_CONTEXT)

    def __init__(
        self,
        threshold: float = 0.5,
        scorer: FaithfulnessScorer | None = None,
        unscored: Unscored = "fail",
        include_reason: bool = True,
        verbose_mode: bool = False,
    ) -> None:
        """Sets up; the model loads on first use.

        Args:
            threshold: See the class.
            scorer: See the class.
            unscored: ``fail`` or ``pass``.
            include_reason: See the class.
            verbose_mode: DeepEval's.

        Raises:
            ConfigError: An option has a value that cannot be.
        """
        if unscored not in ("fail", "pass"):
            raise ConfigError(f"unscored must be fail or pass, not {unscored!r:.60}")
        if scorer is not None:
            scorer_or_bundled(scorer)
        # DeepEval copies a metric by its constructor's arguments, read off these attributes.
        self.threshold = check_share("threshold", threshold)
        self.scorer, self.unscored = scorer, unscored
        self.include_reason, self.verbose_mode = include_reason, verbose_mode
        self.async_mode, self.evaluation_model = True, None
        self.result: FaithfulnessResult | None = None

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Score a test case.

        Args:
            test_case: One with ``actual_output`` and ``retrieval_context``.
            *args: DeepEval's.
            **kwargs: DeepEval's.

        Raises:
            MissingTestCaseParamsError: DeepEval's, where one of them is None.
            BackendError: The model failed.
        """
        check_llm_test_case_params(
            test_case, list(self._required_params), None, None, self, None, test_case.multimodal
        )
        return self._take(
            score_answer(
                self.scorer, test_case.actual_output, test_case.retrieval_context, test_case.input
            )
        )

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """As `measure`, in a worker thread.

        Args:
            test_case: See `measure`.
            *args: DeepEval's.
            **kwargs: DeepEval's.
        """
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        """Whether the last score reached the threshold."""
        self.success = (
            self.error is None and self.score is not None and self.score >= self.threshold
        )
        return self.success

    def _take(self, result: FaithfulnessResult) -> float:
        if result.status is Status.ERROR:
            raise BackendError(result.error)
        score = score_or_none(result)
        self.result, self.error = result, None
        self.score = score if score is not None else float(self.unscored == "pass")
        self.score_breakdown = {**result.label_counts, "status": result.status.value}
        self.reason = explain(result) if self.include_reason else None
        if self.verbose_mode:
            self.verbose_logs = explain(result)
        self.is_successful()
        return self.score

    @property
    def __name__(self) -> str:
        return "NLI Faithfulness"
