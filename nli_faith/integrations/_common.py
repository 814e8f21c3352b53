"""What the adapters share: the scorer, a verdict's values, optional libraries."""

from __future__ import annotations

import importlib
import math
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, MissingExtraError, RecordError
from nli_faith.io.contexts import coerce_contexts
from nli_faith.quick import bundled_scorer
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer

NAME = "nli_faithfulness"


def scorer_or_bundled(scorer: FaithfulnessScorer | None) -> FaithfulnessScorer:
    """The scorer given, or one with the bundled model, loaded once a process.

    Args:
        scorer: A scorer, or None.

    Raises:
        ConfigError: It is something else.
    """
    if scorer is None:
        return bundled_scorer()
    if not isinstance(scorer, FaithfulnessScorer):
        raise ConfigError(f"scorer must be a FaithfulnessScorer, not {scorer!r:.60}")
    return scorer


def score_answer(
    scorer: FaithfulnessScorer | None,
    answer: object,
    contexts: object,
    question: str | None = None,
) -> FaithfulnessResult:
    """The scorer's verdict on one answer.

    Args:
        scorer: A scorer; the bundled model when None.
        answer: The answer: a string, or a chat message with one as its content.
        contexts: Chunks: strings, or objects with a text field; a bare string is one chunk.
        question: The question, if known.

    Raises:
        RecordError: An argument is missing or has a wrong type.
    """
    return scorer_or_bundled(scorer).score(record_of(answer, contexts, question))


def record_of(answer: object, contexts: object, question: str | None = None) -> Record:
    """A record from what a library hands over.

    Args:
        answer: See `score_answer`.
        contexts: See `score_answer`.
        question: See `score_answer`.

    Raises:
        RecordError: An argument is missing or has a wrong type.
    """
    answer = getattr(answer, "content", answer)  # a chat message
    if not isinstance(answer, str):
        raise RecordError(f"must be a string, not {answer!r:.60}", field="answer")
    if contexts is None:
        raise RecordError("is missing", field="contexts")
    chunks, dropped = coerce_contexts(contexts)
    return Record("0", answer, chunks, question, dropped_contexts=dropped)


def score_or_none(result: FaithfulnessResult) -> float | None:
    """The score in [0, 1], None where there is none: libraries take NaN for a number."""
    return None if math.isnan(result.score) else result.score


def check_share(name: str, value: object) -> float:
    """A number in [0, 1].

    Args:
        name: Of the option.
        value: Its value.

    Raises:
        ConfigError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ConfigError(f"{name} must be in [0, 1], not {value!r:.60}")
    return float(value)


def require(module: str, extra: str) -> Any:
    """An optional library.

    Args:
        module: Its module.
        extra: The extra of nli_faith that brings it.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(module.split(".")[0], extra) from error
