"""``assert_faithful``: a test that fails with the claim and the nearest evidence."""

from __future__ import annotations

from typing import Literal

from nli_faith.datamodels import Label, Status
from nli_faith.errors import ConfigError
from nli_faith.integrations._common import check_share, score_answer
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer
from nli_faith.verdicts import ClaimResult

Unscored = Literal["fail", "pass"]


def assert_faithful(
    answer: str,
    contexts: object,
    *,
    min_score: float = 1.0,
    question: str | None = None,
    scorer: FaithfulnessScorer | None = None,
    unscored: Unscored = "fail",
) -> FaithfulnessResult:
    """Fail unless the contexts back enough of an answer's claims.

    Args:
        answer: The answer.
        contexts: Retrieved chunks; a bare string is one chunk.
        min_score: Least share of supported claims, in [0, 1]; 1.0: all of them.
        question: The question, if known.
        scorer: Any scorer; the bundled model, loaded once, when None.
        unscored: What an answer without a score is (a refusal, nothing asserted, no contexts).

    Returns:
        The verdict, for further assertions.

    Raises:
        AssertionError: Too few claims are backed; the message shows each that is not, with the
            nearest evidence.
        ConfigError: ``min_score`` or ``unscored`` cannot be.
        RecordError: The answer or the contexts have a wrong type.
    """
    __tracebackhide__ = True
    wanted = check_share("min_score", min_score)
    if unscored not in ("fail", "pass"):
        raise ConfigError(f"unscored must be fail or pass, not {unscored!r:.60}")
    result = score_answer(scorer, answer, contexts, question)
    if result.status is not Status.SCORED:
        if unscored == "pass" and result.status is not Status.ERROR:
            return result
        raise AssertionError(f"faithfulness cannot be measured: {result.error or result.status}")
    if result.score < wanted:
        raise AssertionError(f"{explain(result)}\nwanted: at least {wanted:g}")
    return result


def explain(result: FaithfulnessResult) -> str:
    """A verdict in a few lines: the score, and each claim that is not backed.

    Args:
        result: A verdict.
    """
    if result.status is not Status.SCORED:
        return f"not scored: {result.error or result.status}"
    counts = result.label_counts
    head = (
        f"faithfulness {result.score:.2f}: {counts['supported']} of {len(result.claims)} "
        "claims supported"
    )
    bad = [c for c in result.claims if c.label is not Label.SUPPORTED]
    return "\n".join([head, *map(_claim_lines, bad)])


def _claim_lines(claim: ClaimResult) -> str:
    lines = [f"  {claim.label.value}: {_one_line(claim.text)}"]
    figures = f"support {claim.support:.2f}, contradiction {claim.contradiction:.2f}"
    lines.append(f"    {figures}")
    if claim.evidence is not None:
        word = "against" if claim.label is Label.CONTRADICTED else "nearest"
        at = f"context {claim.evidence.context + 1} [{claim.evidence.start}:{claim.evidence.end}]"
        lines.append(f"    {word}, {at}: {_one_line(claim.evidence.text)}")
    lines += [f"    {flag}" for flag in claim.flags]
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())
