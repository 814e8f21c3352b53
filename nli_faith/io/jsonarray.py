"""A JSON array of objects, or JSON objects one after the other, streamed.

The text is cut into items by a scanner that follows strings and brackets only; each item is then
parsed by itself. So memory is bounded by the longest item, and a broken item costs itself only,
as long as its brackets and quotes are paired.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import orjson

from nli_faith.errors import InputError
from nli_faith.io.jsonl import parse_slowly
from nli_faith.io.rows import MAX_ROW_BYTES, RawRow

_STRUCTURE = re.compile(rb'["\[\]{},]')
_STRING = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_QUOTE, _BACKSLASH, _COMMA = b'"\\,'
_OPENING = frozenset(b"[{")
_KEPT_OF_REST = 4096


def read_json(
    chunks: Iterable[bytes], *, name: str, encoding: str = "utf-8", limit: int = MAX_ROW_BYTES
) -> Iterator[RawRow]:
    """Rows of a JSON array, or of objects one after the other (also over several lines each).

    Args:
        chunks: UTF-8 text that begins with ``[`` or ``{``.
        name: For messages.
        encoding: What it was before, for messages.
        limit: Longest item, in bytes.

    Raises:
        InputError: An item is longer than that (a quote or bracket is not closed).
    """
    ordinal = 0
    lines = 1
    empty: tuple[int, int] | None = None  # number and line of the first of a run of empty items
    scanner = ItemScanner(limit)
    for item in scanner.items(chunks):
        text = item.lstrip()
        start = lines + item.count(b"\n", 0, len(item) - len(text)) + scanner.lines_before
        lines += item.count(b"\n")
        if not text and scanner.closed and not scanner.after_comma:
            continue  # an empty array
        ordinal += 1
        if not text:
            empty = empty or (ordinal, start)
            continue
        if empty is not None:
            yield _nothing(*empty, ordinal - 1)
            empty = None
        yield _row(ordinal, start, text, encoding)
    if empty is not None:
        yield _nothing(*empty, ordinal)
    yield from _end(scanner, ordinal, lines + scanner.lines_before, name, encoding)


def _end(
    scanner: ItemScanner, ordinal: int, line: int, name: str, encoding: str
) -> Iterator[RawRow]:
    """What stands behind the last item, if that is not just the closing bracket."""
    if scanner.overlong:
        raise InputError(
            f"{name}:{line}: item {ordinal + 1} is too long: a quote or bracket is not closed?"
        )
    rest = scanner.rest.lstrip()
    if not scanner.closed and rest.rstrip().endswith(b"}"):
        row = _row(ordinal + 1, line, rest, encoding)
        if row.problem is None:  # only the array's bracket is missing
            yield row
            ordinal, rest = ordinal + 1, b""
    problem = None
    if scanner.closed and rest:
        problem = "text behind the end of the JSON array"
    elif not scanner.closed and (rest or scanner.is_array):
        where = f"in item {ordinal + 1}" if rest else f"behind item {ordinal}"
        problem = f"the JSON text ends {where}: cut off, or a quote or bracket not closed"
    if problem is not None:
        yield RawRow(ordinal + 1, line, None, problem, rest)


def _nothing(first: int, line: int, last: int) -> RawRow:
    which = f"item {first}" if first == last else f"items {first} to {last}"
    return RawRow(first, line, None, f"{which}: nothing between commas", b"")


def _row(ordinal: int, line: int, item: bytes, encoding: str) -> RawRow:
    try:
        return RawRow(ordinal, line, orjson.loads(item), None, item)
    except orjson.JSONDecodeError:
        value, problem = parse_slowly(item, encoding)
        return RawRow(ordinal, line, value, problem and f"item {ordinal}: {problem}", item)


class ItemScanner:
    """Cuts JSON text into the items of its array, or into its objects.

    Attributes:
        is_array: Whether the text began with ``[``.
        lines_before: Line breaks before the first item.
        closed: Whether the array was closed, or the last object was.
        after_comma: Whether the last item given out stood behind a comma.
        overlong: Whether an item was over the limit; scanning stopped there.
        rest: Text that belongs to no item: behind the end, or of an unfinished item.
    """

    def __init__(self, limit: int = MAX_ROW_BYTES) -> None:
        self.is_array = False
        self.lines_before = 0
        self.closed = False
        self.after_comma = False
        self.overlong = False
        self.rest = b""
        self._limit = limit
        self._depth = 0
        self._in_string = False
        self._escaped = False  # the last chunk ended with a backslash inside a string
        self._parts: list[bytes] = []  # of the item that is not finished yet
        self._size = 0

    def items(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Items as text, white space around them included; linear in the text."""
        for chunk in self._begin(iter(chunks)):
            yield from self._scan(chunk)
            if self._size > self._limit and not (self.is_array and self.closed):
                self.overlong = True
                return
        self.rest = b"".join(self._parts)

    def _begin(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The chunks without leading white space and the array's bracket."""
        for chunk in chunks:
            text = chunk.lstrip()
            self.lines_before += chunk.count(b"\n", 0, len(chunk) - len(text))
            if text:
                self.is_array = text.startswith(b"[")
                self._depth = int(self.is_array)
                yield text[self._depth :]
                break
        yield from chunks

    def _scan(self, chunk: bytes) -> Iterator[bytes]:
        if self.is_array and self.closed:
            self._keep(chunk[: max(0, _KEPT_OF_REST - self._size)])
            return
        position, start, end = int(self._escaped), 0, len(chunk)
        self._escaped = False
        depth, in_string, is_array = self._depth, self._in_string, self.is_array
        while position < end:
            if in_string:
                position = _STRING.match(chunk, position).end()  # type: ignore[union-attr]
                if position < end and chunk[position] == _BACKSLASH:
                    self._escaped = True  # its partner is in the next chunk
                    break
                in_string = position >= end
                position += 1
                continue
            match = _STRUCTURE.search(chunk, position)
            if match is None:
                break
            position = match.end()
            byte = chunk[position - 1]
            if byte == _QUOTE:
                in_string = True
            elif byte in _OPENING:
                depth, self.closed = depth + 1, False
            elif byte == _COMMA:
                if is_array and depth == 1:
                    yield self._item(chunk[start : position - 1])
                    start, self.after_comma = position, True
            else:
                depth = max(0, depth - 1)
                if depth == 0:
                    self.closed = True
                    yield self._item(chunk[start : position - is_array])
                    start = position
                    if is_array:
                        break
        self._depth, self._in_string = depth, in_string
        self._keep(chunk[start:])

    def _item(self, last: bytes) -> bytes:
        parts, self._size = self._parts, 0
        if not parts:
            return last
        self._parts = []
        parts.append(last)
        return b"".join(parts)

    def _keep(self, piece: bytes) -> None:
        self._parts.append(piece)
        self._size += len(piece)
