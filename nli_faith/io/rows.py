"""What every format reader yields, and lines as the text formats share them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

MAX_ROW_BYTES = 1 << 28
"""Longest row read (256 MiB): bounds memory where a line break or a closing quote is missing."""


class RawRow(NamedTuple):
    """One row as found.

    Attributes:
        ordinal: 1-based number of the row (JSONL: of the line), for default ids.
        line: 1-based line where it begins, or row number where there are no lines.
        value: The row; of any JSON type.
        problem: Why it cannot be read; ``value`` is then ``None``.
        raw: The row as found, for the rejects file.
    """

    ordinal: int
    line: int
    value: Any
    problem: str | None
    raw: Any


class OverlongLine(bytes):
    """The beginning of a line longer than :data:`MAX_ROW_BYTES`; the rest is skipped."""


def iter_lines(
    chunks: Iterable[bytes], separator: bytes = b"\n", limit: int = MAX_ROW_BYTES
) -> Iterator[bytes]:
    """Lines without their separator, in linear time however the chunks fall.

    Args:
        chunks: The text.
        separator: One byte.
        limit: Bytes of a line beyond which it comes as an :class:`OverlongLine`.
    """
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        pieces = chunk.split(separator)
        if len(pieces) > 1:
            parts.append(pieces[0])
            yield _line(parts, size + len(pieces[0]), limit)
            yield from pieces[1:-1]
            parts, size = [], 0
        last = pieces[-1]
        if size <= limit:  # beyond it nothing more is kept
            parts.append(last)
        size += len(last)
    if size:
        yield _line(parts, size, limit)


def line_separator(head: bytes) -> bytes:
    r"""``\n``, or ``\r`` for a file in the old Macintosh way, which has no ``\n`` at all."""
    if b"\n" in head:
        return b"\n"
    # In a long first line of JSON, raw \r may stand inside strings.
    mark = b"\r{" if head.lstrip().startswith(b"{") else b"\r"
    return b"\r" if mark in head.rstrip(b"\r") else b"\n"


def overlong(line: bytes) -> str:
    """The problem of an :class:`OverlongLine`."""
    return f"line is longer than {MAX_ROW_BYTES >> 20} MiB (skipped; it begins {line[:40]!r})"


def _line(parts: list[bytes], size: int, limit: int) -> bytes:
    if size > limit:
        return OverlongLine(b"".join(parts)[:4096])
    return parts[0] if len(parts) == 1 else b"".join(parts)
