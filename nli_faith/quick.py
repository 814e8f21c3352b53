"""The bundled model, loaded once a process, for calls that name no scorer."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer


@functools.lru_cache(maxsize=1)
def bundled_scorer() -> FaithfulnessScorer:
    """A scorer with the bundled model, loaded once."""
    return FaithfulnessScorer.from_pretrained("bundled")


def score(
    answer: str, contexts: Sequence[str] | str, question: str | None = None
) -> FaithfulnessResult:
    """Score one answer with the bundled model, which is loaded once.

    Args:
        answer: The generated answer.
        contexts: Retrieved chunks; a bare string is one chunk.
        question: The user's question, if known.

    Raises:
        RecordError: An argument has a wrong type.
    """
    row = {"id": "0", "answer": answer, "contexts": contexts, "question": question}
    return bundled_scorer().score(row)
