"""Tables in HTML, as PDF and web extraction leaves them in contexts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from .chars import HAS_ALNUM
from .tables import Cell

OPEN: Final = re.compile(r"<table[\s>]", re.IGNORECASE)
CLOSE: Final = re.compile(r"</table[ ]?>", re.IGNORECASE)
_TAG: Final = re.compile(
    r"<(/?)(table|tr|td|th|caption|thead|tbody|tfoot)((?:[ \n\t/][^<>]{0,400})?)>", re.I
)
_SPAN: Final = re.compile(r"(col|row)span\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)
_ANY_TAG: Final = re.compile(r"<[^<>]{0,500}>")
_MOST_COLUMNS: Final = 200


@dataclass
class Table:
    """What was read of one table.

    Attributes:
        rows: Cells by row, with spanning cells repeated.
        loose: Text outside of cells, such as a caption.
        heading_row: Whether the first row heads the columns.
    """

    rows: list[list[Cell]] = field(default_factory=list)
    loose: list[Cell] = field(default_factory=list)
    heading_row: bool = False


def read(text: str, start: int, end: int) -> Table:
    """Read the table in ``text[start:end]``.

    The first row is taken for the header when it has ``<th>`` cells only, or when there is a
    second row and the first has at least two cells, none empty and none with a digit first.

    Args:
        text: The text.
        start: At ``<table``.
        end: Behind ``</table>``.
    """
    table = Table()
    heads: list[bool] = []
    carried: dict[int, tuple[int, Cell]] = {}
    row: list[Cell] | None = None
    cell_start, attributes = -1, ""
    done = start
    for tag in _TAG.finditer(text, start, end):
        name = tag.group(2).lower()
        closing = bool(tag.group(1))
        if cell_start >= 0:
            if row is not None:
                _add(row, _trimmed(text, cell_start, tag.start()), attributes, carried)
            cell_start = -1
        elif row is None or name != "tr":
            _keep_loose(table, text, done, tag.start())
        done = tag.end()
        if name == "tr" or (row is None and name in ("td", "th") and not closing):
            if row:
                table.rows.append(row)
            row = None if closing and name == "tr" else []
            if row is not None:
                _fill(row, carried)
        if name in ("td", "th") and not closing:
            if not table.rows:
                heads.append(name == "th")
            cell_start, attributes = tag.end(), tag.group(3)
    if row:
        table.rows.append(row)
    table.heading_row = _heads(text, table, heads)
    return table


def _keep_loose(table: Table, text: str, start: int, end: int) -> None:
    cell = _trimmed(text, start, end)
    if cell.end > cell.start and HAS_ALNUM.search(_ANY_TAG.sub("", text[cell.start : cell.end])):
        table.loose.append(cell)


def _trimmed(text: str, start: int, end: int) -> Cell:
    body = text[start:end]
    low = end - len(body.lstrip())
    return Cell(min(low, end), max(min(low, end), start + len(body.rstrip())))


def _add(
    row: list[Cell], cell: Cell, attributes: str, carried: dict[int, tuple[int, Cell]]
) -> None:
    spans = {kind.lower(): int(number) for kind, number in _SPAN.findall(attributes)}
    copy = Cell(cell.start, cell.end, carried=True)
    for i in range(max(1, min(spans.get("col", 1), 50))):
        if len(row) >= _MOST_COLUMNS and i:
            break
        if spans.get("row", 1) > 1:
            carried[len(row)] = (spans["row"] - 1, copy)
        row.append(copy if i else cell)
    _fill(row, carried)


def _fill(row: list[Cell], carried: dict[int, tuple[int, Cell]]) -> None:
    """Put cells that reach down from rows above where the row has come to their column."""
    while len(row) in carried and len(row) < _MOST_COLUMNS:
        left, cell = carried.pop(len(row))
        if left > 1:
            carried[len(row)] = (left - 1, cell)
        row.append(cell)


def _heads(text: str, table: Table, heads: list[bool]) -> bool:
    if not table.rows:
        return False
    if heads and all(heads):
        return True
    first = table.rows[0]
    if len(table.rows) < 2 or len(first) < 2:
        return False
    contents = [_ANY_TAG.sub("", text[cell.start : cell.end]).strip() for cell in first]
    return all(content and not content[0].isdigit() for content in contents)
