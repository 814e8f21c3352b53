"""An answer as pieces that stay or go whole: sentences, items, table rows, headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nli_faith.datamodels import Block, Segment, SegmentKind

NO_HASH_LEVEL: Final = 7
_TR_OPEN: Final = re.compile(r"<tr\b[^>]*>", re.IGNORECASE)
_TR_CLOSE: Final = re.compile(r"</tr\s*>", re.IGNORECASE)
_HASHES: Final = re.compile(r"[ \t>]*(#{1,6})\s")
_COLON_END: Final = re.compile(r"[：:][*_\s]*\Z")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the answer with what stands before it.

    Attributes:
        lead: The text since the piece before: white space, markers, markup.
        body: The stretch as it stands in the answer.
        segments: The segments in it; one, but for a table row.
        end: Offset of its end.
    """

    lead: str
    body: str
    segments: tuple[Segment, ...]
    end: int

    @property
    def first(self) -> Segment:
        """Its first segment."""
        return self.segments[0]

    @property
    def is_table(self) -> bool:
        """Whether it is a row of a table."""
        return self.first.block is Block.TABLE_ROW

    @property
    def is_list(self) -> bool:
        """Whether it stands in a list or a table."""
        return self.first.block in (Block.LIST_ITEM, Block.TABLE_ROW)

    @property
    def is_heading(self) -> bool:
        """Whether it heads what follows."""
        return SegmentKind.HEADING in (s.kind for s in self.segments)

    @property
    def introduces(self) -> bool:
        """Whether it leads in what follows, as 主要包括： does."""
        if self.first.kind is SegmentKind.LEAD_IN:
            return True
        return not self.is_table and _COLON_END.search(self.body) is not None

    def level(self) -> int:
        """Level of a heading, by its hashes; those without are the lowest."""
        hashes = _HASHES.match(self.lead.rsplit("\n", 1)[-1])
        return len(hashes.group(1)) if hashes else NO_HASH_LEVEL


def cut_pieces(answer: str, segments: Sequence[Segment], start: int = 0) -> list[Piece]:
    """The pieces of an answer from an offset on.

    Leads and bodies, put one behind the other, give the answer up to the last piece's end.

    Args:
        answer: The answer.
        segments: Its segments, classified, in order.
        start: Where the first lead begins; segments before it are passed over.
    """
    pieces: list[Piece] = []
    at = start
    for segment in segments:
        if segment.start < at:
            if pieces and segment.end <= pieces[-1].end:  # another part of the same table row
                last = pieces[-1]
                pieces[-1] = Piece(last.lead, last.body, (*last.segments, segment), last.end)
            continue
        low, high = segment.start, segment.end
        if segment.block is Block.TABLE_ROW:
            low, high = _row(answer, low, high, at)
        pieces.append(Piece(answer[at:low], answer[low:high], (segment,), high))
        at = high
    return pieces


def _row(answer: str, low: int, high: int, floor: int) -> tuple[int, int]:
    """The whole row: from <tr> to </tr>, else the whole line."""
    opened = [m.start() for m in _TR_OPEN.finditer(answer, floor, low)]
    if opened:
        close = _TR_CLOSE.search(answer, high)
        return opened[-1], close.end() if close else high
    start = answer.rfind("\n", floor, low) + 1 or floor
    stop = answer.find("\n", high)
    return start, len(answer) if stop < 0 else stop
