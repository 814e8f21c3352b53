"""Guards an answer while it is written: a sentence goes out when it is whole and backed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from nli_faith.datamodels import Label, Record, SegmentKind, Status
from nli_faith.guard.guard import split_answer
from nli_faith.guard.pieces import Piece, cut_pieces
from nli_faith.guard.policy import Action, GuardPolicy
from nli_faith.guard.strip import Stripper
from nli_faith.quick import bundled_scorer
from nli_faith.scorer import FaithfulnessScorer
from nli_faith.verdicts import ClaimResult

# A sentence can only have ended where one of these stands and something follows.
_MAY_END = re.compile(r"[。！？!?.…\n].", re.DOTALL)
# Longer texts are split anew only from the last paragraph on, so that time stays linear.
_LOOK_BACK = 4000


@dataclass(slots=True)
class StreamGuard:
    """Takes an answer in parts and gives back what may be shown.

    A sentence is judged when the next one has begun (a table row, heading or item when the next
    line has), and what goes out cannot be taken back: so a stream is stripped only, and the
    policy's limits decide at the end what `action` says. When nothing went out, the policy's
    text does.

    Attributes:
        contexts: Retrieved chunks.
        question: The user's question, if known.
        policy: What may not stand, and the limits.
        scorer: Any scorer; the bundled model when None.
        removed: The claims that were taken out, with offsets in the whole answer.
        claims: Claims seen.
        action: What was done; known after `finish`.
    """

    contexts: Sequence[str]
    question: str | None = None
    policy: GuardPolicy = field(default_factory=GuardPolicy)
    scorer: FaithfulnessScorer | None = None
    removed: list[ClaimResult] = field(default_factory=list)
    claims: int = 0
    action: Action = Action.PASS
    _text: str = ""
    _done: int = 0
    _dropped: int = 0  # of the text's beginning
    _shown: bool = False
    _failed: bool = False
    _stripper: Stripper = field(default_factory=Stripper)

    def __post_init__(self) -> None:
        chunks = [self.contexts] if isinstance(self.contexts, str) else self.contexts
        self.contexts = tuple(c for c in chunks if c.strip())
        self.scorer = self.scorer or bundled_scorer()

    def feed(self, chunk: str) -> str:
        """Take the next part of the answer.

        Args:
            chunk: Any part, a token or a paragraph.

        Returns:
            Text that may be shown now, often none.
        """
        self._text += chunk
        if _MAY_END.search(self._text, self._done) is None:
            return ""
        pieces = self._pieces()
        run = 0  # what comes behind a piece that waits must wait too
        while run < len(pieces) - 1 and self._is_whole(pieces[run], pieces[run + 1]):
            run += 1
        return self._take(pieces[:run])

    def finish(self) -> str:
        """The end of the answer.

        Returns:
            What is left to show; the policy's text when nothing went out.
        """
        shown = self._shown
        out = self._take(self._pieces()) + self._stripper.finish(self._text[self._done :])
        self.action = self._final_action()
        if self.action in (Action.REFUSE, Action.HUMAN) and not shown:
            return self.policy.replacement(self.action, self._text)
        return out

    def _final_action(self) -> Action:
        if not self._text.strip() and not self._dropped:
            return self.policy.unscored[Status.EMPTY_ANSWER]
        if self._failed:
            return self.policy.unscored[Status.ERROR]
        if not self.contexts and self.claims:
            return self.policy.unscored[Status.NO_CONTEXT]
        return self.policy.decide(self.claims, self.removed)

    def _pieces(self) -> list[Piece]:
        assert self.scorer is not None
        config = replace(self.scorer.config, granularity="sentence")
        return cut_pieces(self._text, split_answer(self._text, config, self.question), self._done)

    def _is_whole(self, piece: Piece, following: Piece) -> bool:
        """Whether nothing that still comes can change a piece."""
        if piece.is_table or piece.is_heading or following.is_table:
            return "\n" in following.lead and "\n" in self._text[following.end :]
        return True

    def _take(self, pieces: Sequence[Piece]) -> str:
        keeps = self._judge(pieces)
        out = "".join(self._stripper.feed(p, k) for p, k in zip(pieces, keeps, strict=True))
        if pieces:
            self._done = pieces[-1].end
        self._shown = self._shown or bool(out.strip())
        self._forget()
        return out

    def _forget(self) -> None:
        """Let go of paragraphs that are done, where the text is long."""
        if self._done < _LOOK_BACK:
            return
        cut = self._text.rfind("\n\n", 0, self._done)
        if cut > 0:
            self._text = self._text[cut:]
            self._done -= cut
            self._dropped += cut

    def _judge(self, pieces: Sequence[Piece]) -> list[bool]:
        """Whether each piece stays; all their claims are scored together."""
        assert self.scorer is not None
        keeps = [True] * len(pieces)
        claims = [
            (i, segment)
            for i, piece in enumerate(pieces)
            for segment in piece.segments
            if segment.kind is SegmentKind.CLAIM
        ]
        records = [Record("0", s.text, tuple(self.contexts), self.question) for _, s in claims]
        for (i, segment), result in zip(claims, self.scorer.score_records(records), strict=True):
            if result.status in (Status.NO_CLAIMS, Status.REFUSAL):
                continue
            self.claims += 1
            self._failed = self._failed or result.status is Status.ERROR
            if self._passes_unread(result.status):
                continue
            bad = [c for c in result.claims if c.label in self.policy.remove]
            if bad or not result.claims:
                worst = bad[0] if bad else _unjudged(segment.text)
                start, end = segment.start + self._dropped, segment.end + self._dropped
                self.removed.append(replace(worst, text=segment.text, start=start, end=end))
                keeps[i] = False
        return keeps

    def _passes_unread(self, status: Status) -> bool:
        return status is not Status.SCORED and self.policy.unscored[status] is Action.PASS


def _unjudged(text: str) -> ClaimResult:
    return ClaimResult(text, 0, len(text), Label.UNSUPPORTED, 0.0, 0.0, 0.0, 0.0, 0.0)


def guard_stream(
    chunks: Iterable[str],
    contexts: Sequence[str] | str,
    *,
    question: str | None = None,
    policy: GuardPolicy | None = None,
    scorer: FaithfulnessScorer | None = None,
) -> Iterator[str]:
    """Guard an answer while it is written.

    Use `StreamGuard` where you want to know what was removed.

    Args:
        chunks: Parts of the answer, as a model gives them.
        contexts: Retrieved chunks; a bare string is one chunk.
        question: The user's question, if known.
        policy: What is done; the defaults when None.
        scorer: Any scorer; the bundled model when None.

    Yields:
        Text that may be shown, never empty.
    """
    stream = StreamGuard(_chunks(contexts), question, policy or GuardPolicy(), scorer)
    for chunk in chunks:
        if text := stream.feed(chunk):
            yield text
    if text := stream.finish():
        yield text


async def aguard_stream(
    chunks: AsyncIterable[str],
    contexts: Sequence[str] | str,
    *,
    question: str | None = None,
    policy: GuardPolicy | None = None,
    scorer: FaithfulnessScorer | None = None,
) -> AsyncIterator[str]:
    """As `guard_stream`, for asynchronous parts; scoring runs in a worker thread.

    Args:
        chunks: See `guard_stream`.
        contexts: See `guard_stream`.
        question: See `guard_stream`.
        policy: See `guard_stream`.
        scorer: See `guard_stream`.

    Yields:
        Text that may be shown, never empty.
    """
    stream = StreamGuard(_chunks(contexts), question, policy or GuardPolicy(), scorer)
    async for chunk in chunks:
        if text := await asyncio.to_thread(stream.feed, chunk):
            yield text
    if text := await asyncio.to_thread(stream.finish):
        yield text


def _chunks(contexts: Sequence[str] | str) -> Sequence[str]:
    return (contexts,) if isinstance(contexts, str) else contexts
