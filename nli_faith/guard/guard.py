"""Guards one answer: strips what the material does not back, or withholds the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence

from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Record, Segment, Status
from nli_faith.guard.pieces import cut_pieces
from nli_faith.guard.policy import Action, Guarded, GuardPolicy
from nli_faith.guard.strip import Stripper
from nli_faith.quick import bundled_scorer
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer
from nli_faith.text import SentenceSplitter, classify
from nli_faith.verdicts import ClaimResult


def guard(
    answer: str,
    contexts: Sequence[str] | str,
    *,
    question: str | None = None,
    policy: GuardPolicy | None = None,
    scorer: FaithfulnessScorer | None = None,
) -> Guarded:
    """Check an answer before it leaves.

    Args:
        answer: The generated answer.
        contexts: Retrieved chunks; a bare string is one chunk.
        question: The user's question, if known.
        policy: What is done; the defaults when None.
        scorer: Any scorer; the bundled model, loaded once, when None.

    Returns:
        The text that may be shown, and why.

    Raises:
        RecordError: An argument has a wrong type.
    """
    kept = (contexts,) if isinstance(contexts, str) else tuple(contexts)
    kept = tuple(c for c in kept if not isinstance(c, str) or c.strip())
    return guard_record(Record("0", answer, kept, question), policy=policy, scorer=scorer)


async def aguard(
    answer: str,
    contexts: Sequence[str] | str,
    *,
    question: str | None = None,
    policy: GuardPolicy | None = None,
    scorer: FaithfulnessScorer | None = None,
) -> Guarded:
    """As `guard`, in a worker thread, so that an event loop is not held up.

    Args:
        answer: See `guard`.
        contexts: See `guard`.
        question: See `guard`.
        policy: See `guard`.
        scorer: See `guard`; one scorer may serve many tasks.
    """
    return await asyncio.to_thread(
        guard, answer, contexts, question=question, policy=policy, scorer=scorer
    )


def guard_record(
    record: Record, *, policy: GuardPolicy | None = None, scorer: FaithfulnessScorer | None = None
) -> Guarded:
    """As `guard`, for a record.

    Args:
        record: The record.
        policy: See `guard`.
        scorer: See `guard`.
    """
    scorer = scorer or bundled_scorer()
    return apply_policy(record, scorer.score(record), scorer.config, policy or GuardPolicy())


def guard_records(
    records: Iterable[Record],
    *,
    policy: GuardPolicy | None = None,
    scorer: FaithfulnessScorer | None = None,
) -> Iterator[Guarded]:
    """As `guard`, for a stream of records, scored together and in bounded memory.

    Args:
        records: The records.
        policy: See `guard`.
        scorer: See `guard`.
    """
    scorer, policy = scorer or bundled_scorer(), policy or GuardPolicy()
    waiting: list[Record] = []

    def noted() -> Iterator[Record]:
        for record in records:
            waiting.append(record)
            yield record

    for result in scorer.score_records(noted()):
        yield apply_policy(waiting.pop(0), result, scorer.config, policy)


def apply_policy(
    record: Record, result: FaithfulnessResult, config: ScorerConfig, policy: GuardPolicy
) -> Guarded:
    """What a policy makes of a verdict.

    Args:
        record: The record.
        result: Its verdict, under the policy's thresholds.
        config: Options it was scored with: the answer is cut anew in the same way.
        policy: The policy.
    """
    if result.status is not Status.SCORED:
        action = policy.unscored[result.status]
        reason = "" if action is Action.PASS else f"not scored: {result.error or result.status}"
        return _whole(record, result, policy, action, (), reason)
    removed = tuple(c for c in result.claims if c.label in policy.remove)
    action = policy.decide(len(result.claims), removed)
    reason = f"{len(removed)} of {len(result.claims)} claims are not backed by the material"
    if action is not Action.STRIP:
        reason = reason if removed else ""
        return _whole(record, result, policy, action, removed, reason)
    text, orphans = strip(record.answer, removed, config, question=record.question)
    return Guarded(text, removed, action, result, reason, orphans)


def _whole(record: Record, result: FaithfulnessResult, policy: GuardPolicy, action: Action,
           removed: tuple[ClaimResult, ...], reason: str) -> Guarded:  # fmt: skip
    """The answer as it is, or a text instead of it."""
    text = record.answer
    if action in (Action.REFUSE, Action.HUMAN):
        text = policy.replacement(action, record.answer)
    return Guarded(text, removed, action, result, reason)


def strip(
    answer: str,
    removed: Collection[ClaimResult],
    config: ScorerConfig | None = None,
    *,
    question: str | None = None,
) -> tuple[str, tuple[str, ...]]:
    """An answer without some of its claims; see `nli_faith.guard.strip`.

    Args:
        answer: The answer.
        removed: Claims of it, by their offsets.
        config: Options it was scored with; the defaults when None.
        question: The user's question, if known.

    Returns:
        The text, and the headings and lead-ins that went because nothing under them was left.
    """
    gone = {(c.start, c.end, c.text) for c in removed}
    pieces = cut_pieces(answer, split_answer(answer, config or ScorerConfig(), question))
    stripper = Stripper()
    parts = [
        stripper.feed(p, all((s.start, s.end, s.text) not in gone for s in p.segments))
        for p in pieces
    ]
    parts.append(stripper.finish(answer[pieces[-1].end :] if pieces else answer))
    return "".join(parts), tuple(stripper.orphans)


def split_answer(answer: str, config: ScorerConfig, question: str | None) -> list[Segment]:
    """An answer's segments as the scorer cuts and classifies them."""
    splitter = SentenceSplitter(
        max_chars=config.max_chars, newline=config.newline, granularity=config.granularity
    )
    return classify(splitter.split(answer), question=question)
