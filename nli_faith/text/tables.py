"""Tables: rows become ``表头：单元格；…``, so that a cell keeps the meaning of its column."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from .chars import HAS_ALNUM
from .cutting import cut

SEPARATOR: Final = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\Z")
_PIPE: Final = re.compile(r"(?<!\\)\|")
_BREAK: Final = re.compile(r"<br[ ]?/?>", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]{0,500}>")
_LONG_HEADER: Final = 60  # a longer one is text of its own rather than a prefix of each cell


class Cell(NamedTuple):
    """A cell: span of its content in the text, white space trimmed.

    Attributes:
        start: First sign.
        end: Behind the last one.
        carried: Whether it only repeats a cell that spans several rows or columns.
    """

    start: int
    end: int
    carried: bool = False


class Row(NamedTuple):
    """A readable row: what is read and the span it came from."""

    text: str
    start: int
    end: int


def is_separator(line: str) -> bool:
    """Whether a stripped line is a separator row such as ``| --- | :-: |``."""
    return "|" in line and "-" in line and SEPARATOR.match(line) is not None


def cells(text: str, start: int, end: int) -> list[Cell]:
    """Cells of a pipe row; outer pipes are optional, an escaped pipe is content.

    Args:
        text: The text.
        start: First sign of the row.
        end: Behind its last sign.
    """
    if text[start] == "|":
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    found: list[Cell] = []
    for match in _PIPE.finditer(text, start, end):
        found.append(_trim(text, start, match.start()))
        start = match.end()
    found.append(_trim(text, start, end))
    return found


def _trim(text: str, start: int, end: int) -> Cell:
    body = text[start:end]
    low = end - len(body.lstrip())
    return Cell(min(low, end), max(low, start + len(body.rstrip())))


def _read(text: str, start: int, end: int) -> str:
    body = text[start:end]
    if "\\|" in body:
        body = body.replace("\\|", "|")
    if "<" in body:
        body = _TAG.sub("", _BREAK.sub(" ", body))
    if "&" in body:
        body = html.unescape(body)
    return " ".join(body.split())


def linearise(
    text: str,
    header: Sequence[Cell] | None,
    body: Sequence[Sequence[Cell]],
    max_chars: int,
) -> Iterator[Row]:
    """Readable rows of a table.

    Every non-empty cell becomes ``表头：单元格``, joined by ``；``; without a header only the
    cells stand. A header that heads no row, and header cells too long for a prefix, are rows of
    their own. A row over ``max_chars`` is cut between cells, then inside one.

    Args:
        text: The text the cells point into.
        header: Cells of the header row, or ``None``.
        body: Cells of the other rows.
        max_chars: The most code points in a row.
    """
    names = [_read(text, cell.start, cell.end) for cell in header or ()]
    limit = min(_LONG_HEADER, max_chars // 2)
    headed = False
    if header and any(len(name) > limit for name in names):
        yield from _rows(text, [""] * len(names), header, max_chars)
        names = [name if len(name) <= limit else "" for name in names]
        headed = True
    for row in body:
        for readable in _rows(text, names, row, max_chars):
            headed = True
            yield readable
    if header and not headed:
        yield from _rows(text, [""] * len(names), header, max_chars)


def _rows(text: str, names: Sequence[str], row: Sequence[Cell], max_chars: int) -> Iterator[Row]:
    parts: list[str] = []
    size = last = 0
    first = -1  # no own cell yet, only carried ones
    for i, cell in enumerate(row):
        name = names[i] if i < len(names) else ""
        for start, end, part in _parts(text, name, cell, max_chars):
            if parts and size + 1 + len(part) > max_chars:
                if first >= 0:
                    yield Row("；".join(parts), first, last)
                parts, size, first = [], 0, -1
            size += 1 + len(part) if parts else len(part)
            parts.append(part)
            if not cell.carried:
                first, last = (start if first < 0 else first), end
    if parts and first >= 0:
        yield Row("；".join(parts), first, last)


def _parts(text: str, name: str, cell: Cell, max_chars: int) -> Iterator[tuple[int, int, str]]:
    """The cell as one part with its column name, or as several where it is too long."""
    value = _read(text, cell.start, cell.end)
    if HAS_ALNUM.search(value) is None and not (value and name):
        return
    prefix = f"{name}：" if name and name != value else ""
    if len(prefix) + len(value) <= max_chars:
        yield cell.start, cell.end, prefix + value.rstrip("；;")
        return
    for start, end in cut(text, cell.start, cell.end, max(1, max_chars - len(prefix))):
        part = _read(text, start, end)
        if HAS_ALNUM.search(part) is not None:
            yield start, end, prefix + part
