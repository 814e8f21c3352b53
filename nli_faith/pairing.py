"""From a record's segments to (premise, hypothesis) pairs.

A window is a run of 1 to 3 neighbouring segments of one context, read with the heading it
stands under. The joined premise is the claim's best-overlapping segments from all contexts.
Every segment is tokenised once; a premise is assembled from the ids of its segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nli_faith.datamodels import Segment
from nli_faith.prefilter import ClaimView, OverlapIndex, Prefilter, Windows, joined_segments

TokenIds: TypeAlias = NDArray[np.int32]

# Fewer premise tokens than this are not worth asking about: a longer claim is cut instead,
# and the result says so.
MIN_PREMISE_TOKENS = 32
# When one segment is longer than the model reads, it is read in pieces that overlap by a
# quarter, so that a fact on a seam is whole in one of them.
_PIECE_OVERLAP = 4


@dataclass(frozen=True, slots=True)
class ContextSegment:
    """A segment of a context, with what the pipeline reads of it.

    Attributes:
        context: 0-based index of the context.
        segment: Text and offsets in that context.
        model_text: What the model reads.
        folded: What lexical matching reads.
        heading: The heading it stands under, as the model reads it, or an empty string.
    """

    context: int
    segment: Segment
    model_text: str
    folded: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Premise:
    """What a claim is held against.

    Attributes:
        members: Indices of its segments in the record, ascending.
        heading: Heading put before them, or an empty string.
        joined: Whether the members come from all over the record.
    """

    members: tuple[int, ...]
    heading: str = ""
    joined: bool = False

    def texts(self, segments: Sequence[ContextSegment]) -> tuple[str, ...]:
        """The texts the model reads, in order."""
        body = tuple(segments[i].model_text for i in self.members)
        return (self.heading, *body) if self.heading else body


@dataclass(slots=True)
class ClaimPlan:
    """What will be scored for one claim.

    Attributes:
        claim: The claim.
        model_text: What the model reads of it.
        premises: What it is held against.
        overlaps: Share of its n-grams in each premise, in [0, 1].
        best_segment: The segment that overlaps it most.
        joined: Index among the premises of the joined one, or of the window it comes down to.
        dropped: Premises, with their overlaps, that were not scored because the joined one had
            settled the claim.
        gain: What they would most likely have added to the best log-odds of entailment.
        folded: What lexical matching reads of the claim.
        material_chars: Characters of the record's segments.
        comparable: Whether overlap can speak of it everywhere in the material: not of a very
            short claim, and not of segments in another script.
    """

    claim: Segment
    model_text: str
    premises: list[Premise] = field(default_factory=list)
    overlaps: list[float] = field(default_factory=list)
    best_segment: int = 0
    joined: int = 0
    dropped: list[tuple[Premise, float]] = field(default_factory=list)
    gain: float = 0.0
    folded: str = ""
    material_chars: int = 0
    comparable: bool = True

    @property
    def top_overlap(self) -> float:
        """The largest overlap of all premises, dropped ones included."""
        return max([*self.overlaps, *(overlap for _, overlap in self.dropped)], default=0.0)

    def settle(self, gain: float = 0.0) -> None:
        """Drop every premise but the joined one.

        Args:
            gain: See the attribute.
        """
        keep, self.gain = self.joined, gain
        self.dropped = [
            (premise, overlap)
            for i, (premise, overlap) in enumerate(zip(self.premises, self.overlaps, strict=True))
            if i != keep
        ]
        self.premises, self.overlaps = [self.premises[keep]], [self.overlaps[keep]]
        self.joined = 0


def enumerate_windows(
    segments: Sequence[ContextSegment],
    tokens: Sequence[int],
    *,
    max_window: int,
    window_tokens: int,
) -> Windows:
    """All windows of a record; larger ones only while they stay short.

    Args:
        segments: The record's segments, contexts in order.
        tokens: Tokens of each segment.
        max_window: Segments in the largest window.
        window_tokens: Tokens in a window of more than one segment, at most.
    """
    n = len(segments)
    context = np.fromiter((s.context for s in segments), dtype=np.int64, count=n)
    total = np.concatenate(([0], np.cumsum(np.asarray(tokens, dtype=np.int64))))
    first: list[NDArray[np.int64]] = [np.arange(n, dtype=np.int64)]
    size: list[NDArray[np.int64]] = [np.ones(n, dtype=np.int64)]
    for width in range(2, max_window + 1):
        if n < width:
            break
        start = np.arange(n - width + 1, dtype=np.int64)
        fits = (context[start] == context[start + width - 1]) & (
            total[start + width] - total[start] <= window_tokens
        )
        first.append(start[fits])
        size.append(np.full(int(fits.sum()), width, dtype=np.int64))
    starts, sizes = np.concatenate(first), np.concatenate(size)
    order = np.lexsort((sizes, starts))
    return Windows(starts[order], sizes[order])


class PairPlanner:
    """Chooses the premises of each claim of one record."""

    def __init__(
        self,
        segments: Sequence[ContextSegment],
        windows: Windows,
        *,
        prefilter: Prefilter,
        mode: str,
        joined_chars: int,
    ) -> None:
        """Index a record.

        Args:
            segments: The record's segments, contexts in order.
            windows: Its windows.
            prefilter: Chooses windows for a claim.
            mode: ``full`` or ``fast``.
            joined_chars: Length of the joined premise in characters.
        """
        self._segments = segments
        self._windows = windows
        self._prefilter = prefilter
        self._mode = mode
        self._joined_chars = joined_chars
        self._index = OverlapIndex([s.folded for s in segments])
        self._lengths = [len(s.model_text) for s in segments]
        self._chars = sum(self._lengths)

    @property
    def possible(self) -> int:
        """Premises a claim would have without the prefilter."""
        return len(self._windows) + 1 if self._segments else 0

    def plan(self, claim: Segment, *, model_text: str, folded: str) -> ClaimPlan:
        """Premises for a claim, windows first, the joined premise last.

        Args:
            claim: The claim.
            model_text: What the model reads of it.
            folded: What lexical matching reads of it.
        """
        view = self._index.view(folded)
        plan = ClaimPlan(claim, model_text, folded=folded)
        if not self._segments:
            return plan
        plan.material_chars = self._chars
        plan.comparable = not view.unjudgeable.any()
        seen: dict[tuple[str, ...], int] = {}
        scores = view.window_scores(self._windows)
        for i in self._window_choice(view):
            first, size = int(self._windows.first[i]), int(self._windows.size[i])
            self._add(plan, self._window(first, size), float(scores[i]), seen)
        plan.best_segment = int(np.argmax(view.segment_scores()))
        members = joined_segments(view, self._lengths, self._joined_chars)
        union = view.hits[members].any(axis=0) @ view.weights
        plan.joined = self._add(plan, self._joined(members), float(union), seen)
        return plan

    def _window_choice(self, view: ClaimView) -> NDArray[np.int64]:
        if self._mode == "full":
            return self._prefilter.select(view, self._windows)
        # The joined premise is chosen by overlap alone: where overlap is blind (a claim in
        # another language), single segments stand in for it.
        blind = view.window_unjudgeable(self._windows) & (self._windows.size == 1)
        if float(view.segment_scores().max(initial=0.0)) > 0.0:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(blind)

    def _add(
        self, plan: ClaimPlan, premise: Premise, overlap: float, seen: dict[tuple[str, ...], int]
    ) -> int:
        """Adds a premise unless its text is there already; its index."""
        key = premise.texts(self._segments)
        if key not in seen:
            seen[key] = len(plan.premises)
            plan.premises.append(premise)
            plan.overlaps.append(overlap)
        return seen[key]

    def _window(self, first: int, size: int) -> Premise:
        return Premise(tuple(range(first, first + size)), self._segments[first].heading)

    def _joined(self, members: list[int]) -> Premise:
        if len(members) > 1:
            return Premise(tuple(members), joined=True)
        return self._window(members[0], 1)


def fit_ids(
    parts: Sequence[TokenIds], hypothesis: TokenIds, *, room: int
) -> tuple[list[TokenIds], TokenIds, bool]:
    """Make a pair fit the model without losing any of the premise.

    Args:
        parts: Token ids of the premise's texts, in order; at least one.
        hypothesis: Token ids of the claim.
        room: Tokens for both together (the model's length less its special tokens).

    Returns:
        The premise in as many pieces as needed, the hypothesis, and whether the hypothesis
        had to be cut, which happens only where it leaves no room for a premise.
    """
    ids = parts[0] if len(parts) == 1 else np.concatenate(parts)
    if len(ids) + len(hypothesis) <= room:
        return [ids], hypothesis, False
    keep = max(1, room - min(MIN_PREMISE_TOKENS, room // 2))
    cut = len(hypothesis) > keep
    hypothesis = hypothesis[:keep]
    width = room - len(hypothesis)
    step = max(1, width - width // _PIECE_OVERLAP)
    pieces = [ids[i : i + width] for i in range(0, max(1, len(ids) - width + step), step)]
    return pieces, hypothesis, cut
