"""Which windows could decide a claim, by shared n-grams.

For each claim a window's score is the share of the claim's n-grams that it holds, weighted by
how rare each n-gram is within the record. Contradictions overlap as much as supports do, so
the filter looks at overlap alone and never at agreement. Where it cannot judge (short claims,
another script, fewer windows than k) it keeps everything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

BoolMatrix = NDArray[np.bool_]
FloatVector = NDArray[np.float64]
IntVector = NDArray[np.int64]

# Claims shorter than this hold too few n-grams to rank windows by (DESIGN, section 6).
MIN_CLAIM_CHARS = 8
_HAN = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_TOKEN = re.compile(
    rf"(?P<han>[{_HAN}]+)|(?P<num>\d+(?:[,.]\d+)*)|(?P<word>[^\W\d_{_HAN}]+)", re.UNICODE
)
_SPACED_SCRIPT_WORD = 3  # a segment with this many non-Han words and no Han is another script


def features(text: str) -> list[str]:
    """N-grams of a folded text, with repeats.

    Han runs give character 2-grams and 3-grams (a lone character stands for itself), other
    letters words, digits numbers without thousands separators.

    Args:
        text: Folded text (`nli_faith.text.fold`).
    """
    out: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        kind = match.lastgroup
        if kind == "han":
            n = len(token)
            if n == 1:
                out.append(token)
            else:
                out.extend([token[i : i + 2] for i in range(n - 1)])
                out.extend([token[i : i + 3] for i in range(n - 2)])
        elif kind == "num":
            out.append(token.replace(",", ""))
        else:
            out.append(token)
    return out


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of a record as runs of neighbouring segments.

    Attributes:
        first: (n,) index of each window's first segment.
        size: (n,) number of its segments, from 1.
    """

    first: IntVector
    size: IntVector

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True)
class ClaimView:
    """How a claim's n-grams are spread over a record's segments.

    Attributes:
        hits: (segments, features) whether a segment holds a feature of the claim.
        weights: (features,) rarity weights, summing to 1 (or empty).
        unjudgeable: (segments,) segments that overlap says nothing about.
    """

    hits: BoolMatrix
    weights: FloatVector
    unjudgeable: NDArray[np.bool_]

    def segment_scores(self) -> FloatVector:
        """(segments,) weighted share of the claim's features in each segment, in [0, 1]."""
        return self.hits @ self.weights

    def window_scores(self, windows: Windows) -> FloatVector:
        """(windows,) weighted share of the claim's features in each window, in [0, 1]."""
        scores = np.zeros(len(windows))
        union = self.hits
        longest = int(windows.size.max(initial=0))
        for size in range(1, longest + 1):
            if size > 1:
                union = union[:-1] | self.hits[size - 1 :]
            mask = windows.size == size
            if mask.any():
                scores[mask] = union[windows.first[mask]] @ self.weights
        return scores

    def window_unjudgeable(self, windows: Windows) -> NDArray[np.bool_]:
        """(windows,) windows that overlap says nothing about.

        A short claim makes all of them so. Of segments in another script only the windows of
        one are meant: their runs would cost three times as much, for one label in sixty of the
        20-chunk records in `benchmarks/prefilter.py`.
        """
        if self.unjudgeable.all():
            return np.ones(len(windows), dtype=bool)
        return np.asarray(self.unjudgeable[windows.first] & (windows.size == 1))


class OverlapIndex:
    """The n-grams of a record's segments, asked once a claim."""

    def __init__(self, segments: Sequence[str]) -> None:
        """Index the segments.

        Args:
            segments: Folded texts of the record's segments in order.
        """
        self._n = len(segments)
        self._postings: dict[str, set[int]] = {}
        self._spaced = np.zeros(self._n, dtype=bool)
        self._han = np.zeros(self._n, dtype=bool)
        for i, text in enumerate(segments):
            self._spaced[i], self._han[i] = _scripts(text)
            for feature in features(text):
                posting = self._postings.get(feature)
                if posting is None:
                    self._postings[feature] = {i}
                else:
                    posting.add(i)

    def view(self, claim: str) -> ClaimView:
        """Spread a claim over the segments.

        Args:
            claim: Folded text of the claim.
        """
        names = list(dict.fromkeys(features(claim)))
        hits = np.zeros((self._n, len(names)), dtype=bool)
        weights = np.zeros(len(names))
        for j, name in enumerate(names):
            rows = self._postings.get(name, ())
            # Rarity as in BM25's idf (Robertson & Zaragoza 2009, eq. 3.3), kept positive.
            weights[j] = math.log1p((self._n - len(rows) + 0.5) / (len(rows) + 0.5))
            if rows:
                hits[list(rows), j] = True
        if len(names):
            weights /= weights.sum()
        return ClaimView(hits, weights, self._blind(claim))

    def _blind(self, claim: str) -> NDArray[np.bool_]:
        if len(claim.strip()) < MIN_CLAIM_CHARS:
            return np.ones(self._n, dtype=bool)
        spaced, han = _scripts(claim)
        if han:
            return self._spaced & ~self._han
        if spaced:
            return self._han & ~self._spaced
        return np.zeros(self._n, dtype=bool)


def _scripts(text: str) -> tuple[bool, bool]:
    """Whether a text has enough spaced-script words, and whether it has Han characters."""
    words, han = 0, False
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "han":
            han = True
        elif match.lastgroup == "word":
            words += 1
    return words >= _SPACED_SCRIPT_WORD, han


class Prefilter(Protocol):
    """Chooses the windows that are worth a model call."""

    def select(self, view: ClaimView, windows: Windows) -> IntVector:
        """Indices of the windows to score, ascending.

        Args:
            view: The claim over the record's segments.
            windows: The record's windows.
        """
        ...


class NoPrefilter:
    """Keeps every window."""

    def select(self, view: ClaimView, windows: Windows) -> IntVector:
        """See `Prefilter.select`."""
        return np.arange(len(windows), dtype=np.int64)


class NgramPrefilter:
    """Keeps the k windows that hold most of the claim, and all it cannot judge."""

    def __init__(self, top_k: int) -> None:
        """Set how many windows to keep.

        Args:
            top_k: Windows kept for each claim, at least 1.
        """
        self.top_k = top_k

    def select(self, view: ClaimView, windows: Windows) -> IntVector:
        """See `Prefilter.select`."""
        n = len(windows)
        if n <= self.top_k:
            return np.arange(n, dtype=np.int64)
        scores = view.window_scores(windows)
        # Of equal scores the earlier and smaller window comes first (windows are in that order
        # and the sort is stable), so that the choice is the same on every machine.
        best = np.argsort(-scores, kind="stable")[: self.top_k]
        keep = view.window_unjudgeable(windows)
        keep[best] = True
        return np.flatnonzero(keep)


def joined_segments(view: ClaimView, lengths: Sequence[int], budget: int) -> list[int]:
    """Segments of the joined premise: best overlap first while they fit, in document order.

    Room that is left is filled with segments that overlap less or not at all: measured on
    `zh_rag_claims`, a full premise tells supported from unsupported claims better than one that
    stops at the last overlap (AUROC 0.69 against 0.65), as the model was trained on full ones.

    Args:
        view: The claim over the record's segments.
        lengths: Characters of each segment.
        budget: Characters in all; the best segment is taken even if it is longer.

    Returns:
        Indices of the chosen segments, ascending; empty for a record without segments.
    """
    scores = view.segment_scores()
    chosen: list[int] = []
    used = 0
    for i in np.argsort(-scores, kind="stable"):
        if chosen and used + lengths[i] > budget:
            continue
        chosen.append(int(i))
        used += lengths[i]
    return sorted(chosen)
