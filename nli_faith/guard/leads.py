"""What stands before a piece, and what waits for a piece that stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nli_faith.guard.numbering import Numbered
from nli_faith.guard.pieces import Piece

_BOLD: Final = ("**", "__")


@dataclass(slots=True)
class Lead:
    """The lead of an item: how it is set off, and what stands before its body.

    Attributes:
        raw: As it stands, the rest of the line before left out.
        newlines: Line breaks, those of furniture and header not counted.
        furniture: Rules and the like, whole lines.
        prefix: Indent, hashes, marker.
        number: The number in the prefix.
        header: Header of a table that begins here.
    """

    raw: str
    newlines: int
    furniture: str
    prefix: str
    number: Numbered | None = None
    header: str = ""

    def goes_on(self, item: Lead | None) -> bool:
        """Whether a line without a marker is indented under an item, so that it belongs to it.

        Args:
            item: The lead of the item, if there is one. The indent is of ASCII spaces or tabs:
                full-width ones begin a paragraph.
        """
        if item is None or self.furniture or self.header or not self.prefix.isspace():
            return False
        return bool(item.prefix.strip()) and _indent(self.prefix) > _indent(item.prefix)


@dataclass(slots=True)
class Waiting:
    """A heading or lead-in that waits for something that stays.

    Attributes:
        lead: Its lead.
        body: Its text, with the rest of its line.
        level: Of a heading; 0 for a lead-in.
        orphan: Its text alone.
        scope: Of a lead-in: ``line``, ``list``, ``bold`` or ``paragraph``, by what follows it.
        removed: Pieces under it that were removed.
    """

    lead: Lead
    body: str
    level: int
    orphan: str
    scope: str = ""
    removed: int = 0

    def ends_before(self, piece: Piece, starts_line: bool) -> bool:
        """Whether what a lead-in leads in ends before a piece.

        Args:
            piece: The next piece.
            starts_line: Whether it begins a line.
        """
        bold = piece.body.startswith(_BOLD)
        if not self.scope:
            if not starts_line:
                self.scope = "line"
            elif piece.is_list:
                self.scope = "list"
            else:
                self.scope = "bold" if bold else "paragraph"
            return False
        if self.scope == "list":
            return starts_line and not piece.is_list
        if self.scope == "bold":
            return starts_line and not bold and not piece.is_list
        return starts_line


def _indent(prefix: str) -> int:
    return len(prefix) - len(prefix.lstrip(" \t"))
