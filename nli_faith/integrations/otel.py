"""Puts a verdict on an OpenTelemetry span: attributes, and the evaluation event of GenAI traces.

Texts stay out unless asked for: answers and material may be confidential, and traces travel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nli_faith.integrations._common import NAME, require, score_or_none
from nli_faith.integrations.assertions import explain
from nli_faith.results import FaithfulnessResult

if TYPE_CHECKING:
    from opentelemetry.trace import Span

EVENT = "gen_ai.evaluation.result"


def record_faithfulness(
    result: FaithfulnessResult,
    span: Span | None = None,
    *,
    texts: bool = False,
    event: bool = True,
) -> None:
    """Write a verdict on a span; nothing happens on one that is not recorded.

    Args:
        result: A verdict.
        span: The span; the current one when None.
        texts: Whether the claims that are not backed, and their evidence, go in as well.
        event: Whether the event ``gen_ai.evaluation.result`` is added, too.

    Raises:
        MissingExtraError: ``span`` is None and opentelemetry is not installed.
    """
    if span is None:
        span = require("opentelemetry.trace", "otel").get_current_span()
    assert span is not None
    if not span.is_recording():
        return
    span.set_attributes(span_attributes(result, texts=texts))
    if event:
        span.add_event(EVENT, event_attributes(result, texts=texts))


def span_attributes(result: FaithfulnessResult, *, texts: bool = False) -> dict[str, Any]:
    """The attributes of a verdict, ``nli_faith.*``; none of them is NaN.

    Args:
        result: A verdict.
        texts: See `record_faithfulness`.
    """
    counts = result.label_counts
    out: dict[str, Any] = {
        "nli_faith.status": result.status.value,
        "nli_faith.claims": len(result.claims),
        **{f"nli_faith.claims.{label}": n for label, n in counts.items()},
        "nli_faith.flags": sorted({f.split(":")[0] for c in result.claims for f in c.flags}),
        "nli_faith.truncated": result.truncated,
        "nli_faith.pairs_scored": result.pairs_scored,
    }
    score = score_or_none(result)
    if score is not None:  # NaN is no number to a backend
        out["nli_faith.score"] = score
    if result.scorer is not None:
        out["nli_faith.model"] = result.scorer.model
        out["nli_faith.config_hash"] = result.scorer.config_hash
        out["nli_faith.version"] = result.scorer.version
    if texts:
        out["nli_faith.explanation"] = explain(result)
    return out


def event_attributes(result: FaithfulnessResult, *, texts: bool = False) -> dict[str, Any]:
    """The attributes of the event, by the semantic conventions for generative AI.

    Args:
        result: A verdict.
        texts: See `record_faithfulness`.
    """
    out: dict[str, Any] = {
        "gen_ai.evaluation.name": NAME,
        "gen_ai.evaluation.score.label": result.status.value,
    }
    score = score_or_none(result)
    if score is not None:
        out["gen_ai.evaluation.score.value"] = score
    if texts:
        out["gen_ai.evaluation.explanation"] = explain(result)
    return out
