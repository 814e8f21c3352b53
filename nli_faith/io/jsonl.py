"""JSON lines: one object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from nli_faith.io.encodings import UTF8_BOM, describe_bad_bytes
from nli_faith.io.jsontext import JsonTextError, loads_lenient
from nli_faith.io.rows import OverlongLine, RawRow, iter_lines, overlong


def read_jsonl(
    chunks: Iterable[bytes], *, encoding: str = "utf-8", separator: bytes = b"\n"
) -> Iterator[RawRow]:
    """Rows of JSON lines; blank lines are passed over.

    Args:
        chunks: UTF-8 text.
        encoding: What it was before, for messages.
        separator: Line separator.
    """
    # Lines are almost always valid JSON: other questions are asked only when parsing fails.
    parse = orjson.loads
    for number, line in enumerate(iter_lines(chunks, separator), 1):
        if not line or line.isspace():
            continue
        try:
            value = parse(line)
        except orjson.JSONDecodeError:
            if isinstance(line, OverlongLine):
                yield RawRow(number, number, None, overlong(line), bytes(line))
                continue
            value, problem = parse_slowly(line, encoding)
            yield RawRow(number, number, value, problem, line)
        else:
            yield RawRow(number, number, value, None, line)


def parse_slowly(data: bytes, encoding: str = "utf-8") -> tuple[Any, str | None]:
    """What orjson refused, read leniently: the value and ``None``, or ``None`` and the problem."""
    if data.startswith(UTF8_BOM):  # files with a mark, put one behind the other
        data = data[len(UTF8_BOM) :]
    try:
        return loads_lenient(data), None
    except JsonTextError as error:
        where = f"line {error.line}, " if error.line > 1 else ""
        return None, f"invalid JSON at {where}column {error.column}: {error.reason}"
    except UnicodeDecodeError:
        return None, describe_bad_bytes(data, encoding)
