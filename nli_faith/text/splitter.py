"""Lossless splitting of answers and contexts into sentence-like segments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ..datamodels import Block, Granularity, Newline, Segment, SegmentKind
from ..errors import ConfigError
from . import clauses, markers, wraps
from .blocks import Reader, Unit
from .chars import HAS_ALNUM, TERMINATOR_RUN
from .cutting import cut
from .normalize import Cleaned, clean
from .sentences import sentence_spans

_KIND_OF_BLOCK: Final = {
    Block.HEADING: SegmentKind.HEADING,
    Block.CODE: SegmentKind.CODE,
}


@dataclass(frozen=True, slots=True)
class SentenceSplitter:
    """Splits texts into segments; immutable, so one splitter may serve many threads.

    Segments come in order, do not overlap, and leave out only white space and recognised
    markup (list markers, fences of tables, header rows whose text the rows carry). Time is
    linear in the length of the text.

    Attributes:
        max_chars: The most code points in a segment, at least 8. Code blocks are exempt.
        newline: ``auto`` tells wrapped lines from ended ones, ``hard`` ends a segment at every
            line break, ``soft`` only at blank lines and where a block begins.
        granularity: ``sentence``, or ``clause`` to cut further at ``；`` and between clauses.

    Raises:
        ConfigError: An option has a value that cannot work.
    """

    max_chars: int = 400
    newline: Newline = "auto"
    granularity: Granularity = "sentence"

    def __post_init__(self) -> None:
        if not isinstance(self.max_chars, int) or self.max_chars < 8:
            raise ConfigError(f"max_chars must be an integer of at least 8, not {self.max_chars!r}")
        if self.newline not in ("auto", "hard", "soft"):
            raise ConfigError(f"newline must be auto, hard or soft, not {self.newline!r}")
        if self.granularity not in ("sentence", "clause"):
            raise ConfigError(f"granularity must be sentence or clause, not {self.granularity!r}")

    def split(self, text: str) -> list[Segment]:
        """All segments of a text.

        Args:
            text: Any string.

        Returns:
            Segments with offsets into ``text``; empty when it has no letter or digit.
        """
        return list(self.iter_segments(text))

    def iter_segments(self, text: str) -> Iterator[Segment]:
        """Segments of a text, one by one, as they are found.

        Args:
            text: Any string.
        """
        cleaned = clean(text)
        for unit in Reader(cleaned.text, self.newline, self.max_chars).units():
            yield from self._segments(cleaned, unit)

    def _segments(self, cleaned: Cleaned, unit: Unit) -> Iterator[Segment]:
        if unit.row is not None:
            start, end = cleaned.span(unit.row.start, unit.row.end)
            yield Segment(unit.row.text, start, end, Block.TABLE_ROW, heading=unit.heading)
            return
        source = cleaned.text
        if len(unit.lines) == 1:
            line = unit.lines[0]
            body, base, joined = source[line.start : line.end], line.start, None
        else:
            joined = wraps.join(source, unit.lines)
            body, base = joined.text, 0
        kind = _KIND_OF_BLOCK.get(unit.block, SegmentKind.CLAIM)
        for low, high in self._spans(body, unit.block):
            text = body[low:high]
            if joined is None:
                start, end = base + low, base + high
            else:
                start, end = joined.position(low), joined.position(high - 1) + 1
            if cleaned.offsets is not None:
                start, end = cleaned.span(start, end)
            if self.granularity == "clause" and kind is SegmentKind.CLAIM:
                yield from self._clauses(cleaned, joined, unit, text, low, base)
            else:
                yield Segment(text, start, end, unit.block, kind, unit.heading)

    def _clauses(
        self,
        cleaned: Cleaned,
        joined: wraps.Joined | None,
        unit: Unit,
        text: str,
        offset: int,
        base: int,
    ) -> Iterator[Segment]:
        for clause in clauses.split(text, self.max_chars):
            low, high = offset + clause.start, offset + clause.end
            if joined is None:
                start, end = base + low, base + high
            else:
                start, end = joined.position(low), joined.position(high - 1) + 1
            start, end = cleaned.span(start, end)
            yield Segment(clause.text, start, end, unit.block, heading=unit.heading)

    def _spans(self, body: str, block: Block) -> Iterator[tuple[int, int]]:
        if block is Block.CODE:
            yield 0, len(body)
            return
        if block in (Block.HEADING, Block.TABLE_ROW) or TERMINATOR_RUN.search(body) is None:
            spans = [(0, len(body))] if HAS_ALNUM.search(body) else []
        else:
            spans = sentence_spans(body)
        first = True
        for low, high in spans:
            if not first:
                low = _behind_marker(body, low, high)
                if HAS_ALNUM.search(body, low, high) is None:
                    continue
            first = False
            if high - low <= self.max_chars:
                if low < high:
                    yield low, high
                continue
            for start, end in cut(body, low, high, self.max_chars):
                piece = body[start:end]
                left = start + len(piece) - len(piece.lstrip())
                right = start + len(piece.rstrip())
                if HAS_ALNUM.search(body, left, right) is not None:
                    yield left, right


def _behind_marker(body: str, low: int, high: int) -> int:
    """Skip an item's markers at the beginning of a sentence inside a line."""
    for _ in range(markers.MOST_NESTED):
        marker = markers.parse(body, low, high) if low < high else None
        if marker is None or not marker.certain:
            break
        low = marker.end
    return low


def split(
    text: str,
    *,
    max_chars: int = 400,
    newline: Newline = "auto",
    granularity: Granularity = "sentence",
) -> list[Segment]:
    """Split a text into segments.

    Args:
        text: Any string.
        max_chars: See :class:`SentenceSplitter`.
        newline: See :class:`SentenceSplitter`.
        granularity: See :class:`SentenceSplitter`.

    Raises:
        ConfigError: An option has a value that cannot work.
    """
    return SentenceSplitter(max_chars, newline, granularity).split(text)
