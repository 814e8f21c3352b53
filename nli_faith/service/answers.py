"""What each route makes of a record and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Record
from nli_faith.guard.guard import apply_policy
from nli_faith.results import FaithfulnessResult
from nli_faith.service.bodies import Request
from nli_faith.service.explain import explain

if TYPE_CHECKING:
    from nli_faith.service.metrics import ServiceMetrics


def scored(_record: Record, result: FaithfulnessResult, request: Request) -> dict[str, Any]:
    """The result as `nli-faith score` writes it."""
    return request.options.apply(result).to_dict()


def explained(record: Record, result: FaithfulnessResult, request: Request) -> dict[str, Any]:
    """The result in words."""
    return explain(record, request.options.apply(result), request.options.lang)


def guarded(
    config: ScorerConfig, metrics: ServiceMetrics
) -> Callable[[Record, FaithfulnessResult, Request], dict[str, Any]]:
    """What may be shown, under the request's policy.

    Args:
        config: Options of the scorer: the answer is cut as it was cut for scoring.
        metrics: Counts the actions.
    """

    def answer(record: Record, result: FaithfulnessResult, request: Request) -> dict[str, Any]:
        done = apply_policy(record, request.options.apply(result), config, request.policy)
        metrics.guarded.labels(done.action.value).inc()
        return done.to_dict()

    return answer
