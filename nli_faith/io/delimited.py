"""CSV and TSV after RFC 4180: quoted fields may hold separators, quotes and line breaks."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Collection, Iterable, Iterator

from nli_faith.errors import InputError
from nli_faith.io.encodings import describe_bad_bytes
from nli_faith.io.fields import FieldMap
from nli_faith.io.names import KNOWN, normalise
from nli_faith.io.rows import OverlongLine, RawRow, iter_lines, overlong

MAX_FIELD_CHARS = 1 << 26
"""Longest field (64 Mi characters); beyond it a quote is taken to be unclosed."""

# Excel's way to state it, on a line before the header.
_EXCEL_SEPARATOR = re.compile(r'"?sep=([,;|\t])"?', re.IGNORECASE)

_DELIMITERS = ",\t;|"

# Before Python 3.11 the csv module refuses NUL: a noncharacter stands in for it meanwhile.
_REFUSES_NUL = sys.version_info < (3, 11)
_STAND_IN = "\U0010ffff"


def read_delimited(
    chunks: Iterable[bytes],
    *,
    name: str,
    delimiter: str,
    fields: FieldMap,
    encoding: str = "utf-8",
    separator: bytes = b"\n",
) -> Iterator[RawRow]:
    """Rows of CSV or TSV text, keyed by its header; every value is a string.

    Args:
        chunks: UTF-8 text.
        name: For messages.
        delimiter: One character.
        fields: To see from the header alone whether the columns will do.
        encoding: What the text was before, for messages.
        separator: Line separator outside quotes.

    Raises:
        InputError: The header cannot be read, or lacks a required column.
    """
    # The limit is global to the csv module: it is only ever raised here.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_FIELD_CHARS))
    lines = _Lines(chunks, encoding, separator)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    ordinal = 0
    while True:
        lines.start_row()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if header is None:
                raise InputError(f"{name}:{lines.first}: bad CSV header: {error}") from error
            ordinal += 1
            yield RawRow(ordinal, lines.first, None, lines.problem or _explain(error), lines.text())
            continue
        if not cells or (len(cells) == 1 and not cells[0].strip() and len(header or "--") > 1):
            continue  # a blank line
        if header is None and ordinal == 0 and _EXCEL_SEPARATOR.fullmatch(lines.line()):
            continue
        if header is None:
            if lines.problem:
                raise InputError(f"{name}:{lines.first}: header: {lines.problem}")
            header = _header(cells, name)
            fields.check_columns(header, name)
            continue
        ordinal += 1
        if lines.stand_in:
            cells = [cell.replace(_STAND_IN, "\0") for cell in cells]
        problem = lines.problem
        if problem is None and len(cells) != len(header):
            problem = (
                f"has {len(cells)} cells where the header has {len(header)}: "
                "a separator, a quote or a line break is not quoted?"
            )
        value = None if problem else dict(zip(header, cells, strict=True))
        yield RawRow(ordinal, lines.first, value, problem, value or lines.text())


def guess_delimiter(head: bytes, columns: Collection[str] = ()) -> tuple[str, int]:
    """The delimiter of the first line's cells and how many of these are known column names.

    Args:
        head: The beginning of the text, UTF-8.
        columns: Names known besides the usual ones.
    """
    first = head.lstrip().split(b"\n", 1)[0].split(b"\r", 1)[0].decode("utf-8", "replace")
    stated = _EXCEL_SEPARATOR.fullmatch(first)
    if stated is not None:
        return stated[1], 1
    scores = []
    for delimiter in _DELIMITERS:
        try:
            cells = next(csv.reader([first], delimiter=delimiter), [])
        except csv.Error:
            cells = []
        scores.append(
            (
                sum(cell in columns or normalise(cell) in KNOWN for cell in cells),
                len(cells),
                delimiter,
            )
        )
    known, _, delimiter = max(scores, key=lambda score: score[:2])
    return delimiter, known


class _Lines:
    """Feeds csv.reader decoded lines and remembers those of the row being read."""

    def __init__(self, chunks: Iterable[bytes], encoding: str, separator: bytes) -> None:
        self._lines = iter_lines(chunks, separator)
        self._encoding = encoding
        self._number = 0
        self._row: list[str] = []
        self.first = 1
        self.problem: str | None = None
        self.stand_in = False

    def start_row(self) -> None:
        """Forget the last row's lines."""
        self._row = []
        self.first = self._number + 1
        self.problem = None
        self.stand_in = False

    def text(self) -> bytes:
        """The row's lines."""
        return "".join(self._row).encode("utf-8", "surrogateescape")

    def line(self) -> str:
        """The row's first line without its end."""
        return self._row[0].rstrip("\r\n")

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._number += 1
        if isinstance(line, OverlongLine):
            self.problem = overlong(line)
            text = ""
        else:
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError:
                self.problem = self.problem or describe_bad_bytes(line, self._encoding)
                text = line.decode("utf-8", "surrogateescape")
        text += "\n"
        if _REFUSES_NUL and "\0" in text:
            text, self.stand_in = text.replace("\0", _STAND_IN), True
        self._row.append(text)
        return text


def _header(cells: list[str], name: str) -> list[str]:
    """Column names made unique: blank ones numbered, unknown doubles numbered, known refused."""
    names: list[str] = []
    for number, cell in enumerate(cells, 1):
        column = cell.strip() or f"column_{number}"
        if column in names:
            if normalise(column) in KNOWN:
                raise InputError(f"{name}: the header names {column!r} twice")
            column = f"{column}.{number}"
        names.append(column)
    return names


def _explain(error: csv.Error) -> str:
    text = str(error)
    if "unexpected end of data" in text:
        return "a quote is not closed by the end of the file: all rows behind it are in this one"
    if "field larger than" in text:
        return f"a field is longer than {MAX_FIELD_CHARS >> 20} Mi characters: a quote not closed?"
    if "new-line character" in text:
        return "a bare carriage return outside quotes"
    return f"bad CSV: {text}"
