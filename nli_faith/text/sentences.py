"""Sentence boundaries inside one logical line (no line breaks)."""

from __future__ import annotations

import re
from typing import Final

from . import emphasis, protect, quotes
from .chars import HAS_ALNUM, STRONG_STOPS, TAIL, TAIL_START, TERMINATOR_RUN

_ANY_PAIR: Final = re.compile("[”」』’）)】》〉］\\]〕〞﹂﹄\"']")
_NEEDS_PROTECTION: Final = re.compile(r"://|www\.|`")
_LEAD: Final = re.compile(r"[\s*_>~\-—]*")
# A sentence goes on behind the stop: 真的吗？，他说
_GOES_ON: Final = frozenset("，、；：,;:）)】》")
_NO_PAIRS: Final = quotes.Pairs([], {}, {}, frozenset())
_CODE_REACH: Final = 1000  # bounds the look back, so that time stays linear
_TITLE_LIKE: Final = frozenset("《〈【[")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of one line, in order, without white space around them.

    A stretch without letter, ideograph or digit is part of the sentence before it (or after it,
    at the beginning); a line without any gives an empty list.

    Args:
        text: One line; time is linear in its length.
    """
    ends = _Scanner(text).ends() if TERMINATOR_RUN.search(text) else []
    spans: list[tuple[int, int]] = []
    start = 0
    length = len(text)
    if not ends or ends[-1] != length:
        ends.append(length)
    pending = -1  # start of a stretch without letters that still needs a neighbour
    for end in ends:
        piece = text[start:end]
        body = piece.lstrip()
        low = end - len(body)
        high = low + len(body.rstrip())
        start = end
        if low >= high:
            continue
        if HAS_ALNUM.search(text, low, high) is None:
            if spans:
                spans[-1] = (spans[-1][0], high)
            elif pending < 0:
                pending = low
            continue
        if pending >= 0:
            low, pending = pending, -1
        spans.append((low, high))
    return spans


class _Scanner:
    """One pass over a line; keeps what the decisions need (all of it amortised linear)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.length = len(text)
        self.pairs = quotes.pair(text) if _ANY_PAIR.search(text) else _NO_PAIRS
        self.protected = protect.spans(text) if _NEEDS_PROTECTION.search(text) else []
        self.emphasis: emphasis.Marks | None = None  # not looked for yet
        self.next_block = 0
        self.next_protected = 0
        self.start = 0  # of the present sentence
        self.lead = -1  # its first sign behind markup; -1: not looked at
        self.next_number = 0

    def ends(self) -> list[int]:
        """Ends of all sentences but possibly the last."""
        found: list[int] = []
        text, length = self.text, self.length
        for match in TERMINATOR_RUN.finditer(text):
            start, end = match.span()
            if end >= length:
                break
            if start < self.start:  # swallowed by the tail of the stop before
                continue
            if self.protected and self._is_protected(start):
                continue
            if text[end - 1] not in STRONG_STOPS and not self._soft_stop(match.group(), start, end):
                continue
            after = self._boundary(start, end)
            if after:
                found.append(after)
                self._begin(after)
        return found

    def _begin(self, at: int) -> None:
        self.start, self.lead, self.next_number = at, -1, 0

    def _soft_stop(self, run: str, start: int, end: int) -> bool:
        """Decide on a run whose last sign is ASCII, full-width dot or an ellipsis."""
        if not run.isascii() and "．" not in run:
            return bool(run.strip("…")) and (run[-1] == "…" or self._ascii_stop(start, end))
        return self._ascii_stop(start, end)

    def _is_protected(self, start: int) -> bool:
        """Whether ``start``, never before an earlier one, is in an address or inline code."""
        while (
            self.next_protected < len(self.protected)
            and self.protected[self.next_protected][1] <= start
        ):
            self.next_protected += 1
        return (
            self.next_protected < len(self.protected)
            and self.protected[self.next_protected][0] <= start
        )

    def _ascii_stop(self, start: int, end: int) -> bool:
        if protect.ends_sentence(self.text, start, end, self.start, self.next_number):
            return True
        if self.text[start] in ".．":
            self._count_enumerator(start)
        return False

    def _count_enumerator(self, stop: int) -> None:
        low = max(self.start, stop - 3)
        digits = re.search(r"[0-9]{1,3}\Z", self.text[low:stop])
        if digits is not None and not self.text[stop + 1 : stop + 2].isalnum():
            self.next_number = int(digits.group()) + 1

    def _boundary(self, start: int, end: int) -> int:
        """End of the sentence that stops at ``[start, end)``, or 0 if it goes on."""
        text, pairs = self.text, self.pairs
        after = self._tail(end) if TAIL_START.match(text, end) else end
        blocked = pairs.blocked
        while self.next_block < len(blocked) and blocked[self.next_block][1] < start:
            self.next_block += 1
        if self.next_block < len(blocked):
            opened, closed = blocked[self.next_block]
            if opened < start and closed >= after:
                return 0
        if after < self.length and text[after] in _GOES_ON:
            return 0
        outer = -1
        if after > end and pairs.opening:
            for at in range(end, after):
                if at in pairs.opening and pairs.opening[at] < start:
                    outer = at
        if outer >= 0 and not self._ends_behind_pair(outer, after, text[end - 1]):
            return 0
        return after

    def _ends_behind_pair(self, closed: int, after: int, stop: str) -> bool:
        kind, opened = self.pairs.kind[closed], self.pairs.opening[closed]
        if kind in _TITLE_LIKE:
            return False
        if self.lead < 0:
            match = _LEAD.match(self.text, self.start)
            self.lead = match.end() if match else self.start
        if kind == "(":
            return opened <= self.lead or opened < self.start
        if opened < self.start:  # a long quotation, split inside
            return quotes.SAYS.match(self.text, after) is None
        return quotes.ends_sentence(self.text, opened, after, self.lead, stop)

    def _tail(self, end: int) -> int:
        """Where what belongs to the stop ends: closers, emoji, citations, emphasis."""
        match = TAIL.match(self.text, end)
        after = match.end() if match else end
        text, pairs = self.text, self.pairs
        at = end
        while at < after:
            char = text[at]
            if char in "\"'":
                if at in pairs.straight_openers:
                    return at
            elif char == "`":
                if not self._closes_code(at):
                    return at
            elif char in "*_~":
                if self.emphasis is None:
                    self.emphasis = emphasis.marks(text)
                closed = self.emphasis.closers.get(at, 0)
                if not closed and (char != "~" or at in self.emphasis.openers):
                    return at
                at += max(closed, 1) - 1
            at += 1
        return after

    def _closes_code(self, at: int) -> bool:
        """Whether an odd number of back ticks stands shortly before ``at`` in the sentence."""
        return self.text.count("`", max(self.start, at - _CODE_REACH), at) % 2 == 1
