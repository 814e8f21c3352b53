"""The pytest plugin: a fixture ``nli_faith`` with the scorer and ``assert_faithful``.

It is on wherever nli_faith is installed, so it does nothing until the fixture is used: importing
it loads no model runtime. ``-p no:nli_faith`` turns it off.

    def test_answer(nli_faith):
        nli_faith.assert_faithful(answer, contexts, min_score=0.8)

Options in ``pytest.ini`` or ``[tool.pytest.ini_options]``: ``nli_faith_model`` (a name or a
directory), ``nli_faith_mode`` (``full`` or ``fast``), ``nli_faith_min_score``.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from nli_faith.integrations.assertions import Unscored
    from nli_faith.results import FaithfulnessResult
    from nli_faith.scorer import FaithfulnessScorer


class NliFaith:
    """What the fixture gives.

    Attributes:
        model: Name or directory of the model.
        mode: ``full``, ``fast``, or empty for the default.
        min_score: What `assert_faithful` wants where a test does not say.
    """

    def __init__(self, model: str = "bundled", mode: str = "", min_score: float = 1.0) -> None:
        self.model, self.mode, self.min_score = model, mode, min_score

    @cached_property
    def scorer(self) -> FaithfulnessScorer:
        """The scorer, loaded when it is first needed and kept for the session.

        Raises:
            ModelNotFoundError: There is no such model.
            ConfigError: The mode is unknown.
        """
        from nli_faith.scorer import FaithfulnessScorer

        options: dict[str, Any] = {"mode": self.mode} if self.mode else {}
        return FaithfulnessScorer.from_pretrained(self.model, **options)

    def score(
        self, answer: str, contexts: object, question: str | None = None
    ) -> FaithfulnessResult:
        """The verdict on an answer.

        Args:
            answer: The answer.
            contexts: Retrieved chunks; a bare string is one chunk.
            question: The question, if known.

        Raises:
            RecordError: An argument has a wrong type.
        """
        from nli_faith.integrations._common import score_answer

        return score_answer(self.scorer, answer, contexts, question)

    def assert_faithful(
        self,
        answer: str,
        contexts: object,
        *,
        min_score: float | None = None,
        question: str | None = None,
        unscored: Unscored = "fail",
    ) -> FaithfulnessResult:
        """See `nli_faith.integrations.assert_faithful`.

        Args:
            answer: The answer.
            contexts: Retrieved chunks; a bare string is one chunk.
            min_score: Least share of supported claims; ``nli_faith_min_score`` when None.
            question: The question, if known.
            unscored: ``fail`` or ``pass``, for an answer without a score.

        Raises:
            AssertionError: Too few claims are backed.
        """
        __tracebackhide__ = True
        from nli_faith.integrations.assertions import assert_faithful

        wanted = self.min_score if min_score is None else min_score
        return assert_faithful(
            answer, contexts, min_score=wanted, question=question, scorer=self.scorer,
            unscored=unscored,
        )  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the options; see the module."""
    parser.addini("nli_faith_model", "nli_faith: name or directory of the model", default="bundled")
    parser.addini("nli_faith_mode", "nli_faith: full or fast", default="")
    parser.addini("nli_faith_min_score", "nli_faith: default of assert_faithful", default="1.0")


@pytest.fixture(scope="session")
def nli_faith(request: pytest.FixtureRequest) -> NliFaith:
    """The scorer and ``assert_faithful``; the model loads on first use."""
    config = request.config
    text = str(config.getini("nli_faith_min_score"))
    try:
        wanted = float(text)
    except ValueError:
        raise pytest.UsageError(f"nli_faith_min_score must be a number, not {text!r}") from None
    return NliFaith(
        str(config.getini("nli_faith_model")), str(config.getini("nli_faith_mode")), wanted
    )
