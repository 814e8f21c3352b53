"""Blocks of a text: headings, list items, tables, code fences, and paragraphs of lines.

The reader walks over the text once, line by line, and gives units in reading order. A look
ahead never goes past the next line with content, except to the end of a fence or table, which
is then consumed.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Final, NamedTuple

from ..datamodels import Block
from . import headings, html_tables, markers, tables, wraps
from .chars import HAS_ALNUM
from .fences import Fences, opens
from .wraps import Line


class Unit(NamedTuple):
    """One piece of layout.

    Attributes:
        block: Its role.
        lines: The lines that make it up; empty for a table row.
        row: The readable row, for a table row only.
        heading: The heading it stands under.
    """

    block: Block
    lines: Sequence[Line] = ()
    row: tables.Row | None = None
    heading: str | None = None


_QUOTE: Final = re.compile(r"(?:>[ \t]+|>(?![0-9=.]))+")
_FENCE_LINE: Final = re.compile(r"(?:`{3,}|~{3,})[ \t]*[A-Za-z0-9_+#.-]{0,24}\Z")
_RULE: Final = re.compile(r"[-=*_~#+—─━═\s.·•]{3,}\Z")
_SPECIAL: Final = (
    markers.MARKER_START | markers.CIRCLED_SET | frozenset("#`~>|<=*+-_第【:ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ")
)
_Taken = Generator[Unit, None, int]  # gives units; returns where to go on, 0: at the next line


class Reader:
    """Reads the blocks of one cleaned text."""

    def __init__(self, text: str, newline: str, max_chars: int) -> None:
        self.text = text
        self.newline = newline
        self.max_chars = max_chars
        self.heading: str | None = None
        self.lines: list[Line] = []
        self.items: dict[str, markers.Marker] = {}
        self.item_was_heading: dict[str, bool] = {}
        self.fences: Fences | None = None
        self.html_closed = True  # whether a </table> may still follow

    def units(self) -> Iterator[Unit]:
        """All units, in order."""
        text, length, at = self.text, len(self.text), 0
        while at < length:
            stop = text.find("\n", at)
            if stop < 0:
                stop = length
            line = text[at:stop]
            body = line.lstrip()
            if not body:
                yield from self._flush()
                at = stop + 1
                continue
            start = stop - len(body)
            body = body.rstrip()
            indent = text[at:start]
            if body[0] in _SPECIAL or "|" in body:
                taken = yield from self._special(start, start + len(body), body, indent)
                if taken:
                    at = taken
                    continue
            else:
                self._append(start, start + len(body), indent)
            at = stop + 1
        yield from self._flush()

    def _append(self, start: int, end: int, indent: str) -> None:
        item = bool(self.lines) and self.lines[0].item and bool(indent)
        self.lines.append(Line(start, end, len(indent), "\u3000" in indent, item))

    def _flush(self) -> Iterator[Unit]:
        if not self.lines:
            return
        lines, self.lines = self.lines, []
        for group in wraps.group(self.text, lines, self.newline):
            block = Block.LIST_ITEM if group[0].item else Block.PARAGRAPH
            yield Unit(block, group, None, self.heading)

    def _special(self, start: int, end: int, body: str, indent: str) -> _Taken:
        """Handle a line that may be more than prose."""
        if body[0] == ">":
            start, indent = self._unquote(start, end, body, indent)
            if start >= end:
                yield from self._flush()
                return 0
            body = self.text[start:end]
        first = body[0]
        if first in "`~" and opens(body):
            after = self._fence_close(end, body)
            if after:
                yield from self._flush()
                yield Unit(Block.CODE, (Line(start, after),), None, self.heading)
                return self._next_line(after)
            if _FENCE_LINE.match(body):  # never closed: the line itself is only markup
                yield from self._flush()
                return 0
        if first == "#":
            skipped = headings.after_hashes(body)
            if skipped:
                yield from self._flush()
                yield from self._heading(start + skipped, end)
                return 0
        if first == "<" and self.html_closed and html_tables.OPEN.match(body):
            closed = html_tables.CLOSE.search(self.text, start)
            if closed is not None:
                yield from self._flush()
                yield from self._html_table(start, closed.end())
                return closed.end()
            self.html_closed = False
        if "|" in body and HAS_ALNUM.search(body) is not None:
            after = yield from self._pipes(start, end, body)
            if after:
                return after
        if _RULE.match(body) and HAS_ALNUM.search(body) is None:
            yield from self._underline(body)
        elif headings.is_title(body, followed=first in "*_" and bool(self._peek(end)[0])):
            yield from self._flush()
            yield from self._heading(start, end)
        else:
            yield from self._item(start, end, indent)
        return 0

    def _unquote(self, start: int, end: int, body: str, indent: str) -> tuple[int, str]:
        """Skip the marks of a block quote; ``>5%`` is none."""
        match = _QUOTE.match(body)
        if match is None:
            return start, indent
        start += match.end()
        rest = self.text[start:end]
        return start + len(rest) - len(rest.lstrip()), ""

    def _next_line(self, at: int) -> int:
        stop = self.text.find("\n", at)
        return len(self.text) if stop < 0 else stop + 1

    # --- headings

    def _heading(self, start: int, end: int) -> Iterator[Unit]:
        body = headings.without_closing_hashes(self.text[start:end])
        name = headings.name(body)
        if name:
            self.heading = name
            yield Unit(Block.HEADING, (Line(start, start + len(body)),), None, None)

    def _underline(self, body: str) -> Iterator[Unit]:
        """A rule, or the underline of the single line above."""
        if len(self.lines) == 1 and headings.is_underline(body) and not self.lines[0].item:
            line = self.lines[0]
            if headings.may_be_underlined(self.text[line.start : line.end]):
                self.lines = []
                yield from self._heading(line.start, line.end)
                return
        yield from self._flush()

    def _peek(self, end: int) -> tuple[str, int]:
        """First 40 code points of the next line with content, and where it starts."""
        at, text = end, self.text
        for _ in range(4):
            stop = text.find("\n", at)
            if stop < 0:
                return "", len(text)
            head = text[stop + 1 : stop + 200].split("\n", 1)[0]
            body = head.strip()
            if body:
                return body[:40], stop + 1 + len(head) - len(head.lstrip())
            at = stop + 1
        return "", len(text)

    # --- lists

    def _item(self, start: int, end: int, indent: str) -> Iterator[Unit]:
        found = start
        marked: markers.Marker | None = None
        for _ in range(markers.MOST_NESTED):
            if start >= end:
                break
            marker = markers.parse(self.text, start, end)
            if marker is None or not (marker.certain or self._in_sequence(marker, end)):
                break
            marked = marked or marker
            start = marker.end
        if marked is None:
            self._append(found, end, indent)
            return
        yield from self._flush()
        heads = start < end and self._heads_section(marked, start, end)
        self.items[marked.style] = marked
        self.item_was_heading[marked.style] = heads
        if start >= end:
            return
        if heads:
            yield from self._heading(start, end)
            return
        self.lines.append(Line(start, end, len(indent), False, True))

    def _in_sequence(self, marker: markers.Marker, end: int) -> bool:
        """Whether the item before or the line below shows that it is a marker."""
        if markers.follows(self.items.get(marker.style), marker):
            return True
        if marker.style == "nested" and markers.follows(self.items.get("dot"), marker):
            self.items["nested"] = marker
            return True
        body, at = self._peek(end)
        if not body:
            return False
        return markers.follows(marker, markers.parse(self.text, at, at + len(body)))

    def _heads_section(self, marker: markers.Marker, start: int, end: int) -> bool:
        """Whether an item such as 一、总体要求 heads what stands below it."""
        if not headings.may_head_section(marker, self.text[start:end]):
            return False
        following, at = self._peek(end)
        if not following:
            return False
        before = self.items.get(marker.style)
        if markers.follows(before, marker) and not self.item_was_heading.get(marker.style):
            return False
        below = markers.parse(self.text, at, at + len(following))
        return not markers.follows(marker, below)

    # --- code

    def _fence_close(self, end: int, body: str) -> int:
        if self.fences is None:
            self.fences = Fences(self.text)
        return self.fences.close(end, body)

    # --- tables

    def _pipes(self, start: int, end: int, body: str) -> _Taken:
        """A pipe table, or rows that lost their header."""
        text = self.text
        stop = text.find("\n", end)
        below = "" if stop < 0 else self._line_body(stop + 1)
        if tables.is_separator(below) and not tables.is_separator(body):
            at = self._next_line(stop + 1)
            header: list[tables.Cell] | None = tables.cells(text, start, end)
        elif body[0] == "|" and body[-1] == "|" and len(body) > 2:
            header, at = None, start
        else:
            return 0
        yield from self._flush()
        rows, at = self._body_rows(at, outer=header is None)
        for row in tables.linearise(text, header, rows, self.max_chars):
            yield Unit(Block.TABLE_ROW, (), row, self.heading)
        return at

    def _line_body(self, at: int) -> str:
        stop = self.text.find("\n", at, at + 2000)
        return self.text[at : stop if stop >= 0 else at + 2000].strip()

    def _body_rows(self, at: int, *, outer: bool) -> tuple[list[list[tables.Cell]], int]:
        """Rows from ``at`` on, and where they end."""
        text, length = self.text, len(self.text)
        rows: list[list[tables.Cell]] = []
        while at < length:
            stop = text.find("\n", at)
            stop = length if stop < 0 else stop
            body = text[at:stop].strip()
            if "|" not in body or (outer and body[0] != "|"):
                break
            if HAS_ALNUM.search(body) is not None:
                start = stop - len(text[at:stop].lstrip())
                rows.append(tables.cells(text, start, start + len(body)))
            at = stop + 1
        return rows, at

    def _html_table(self, start: int, end: int) -> Iterator[Unit]:
        table = html_tables.read(self.text, start, end)
        for cell in table.loose:
            yield Unit(Block.TABLE_ROW, (Line(cell.start, cell.end),), None, self.heading)
        header = table.rows[0] if table.heading_row else None
        body = table.rows[1:] if table.heading_row else table.rows
        for row in tables.linearise(self.text, header, body, self.max_chars):
            yield Unit(Block.TABLE_ROW, (), row, self.heading)
