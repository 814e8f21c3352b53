"""Questions from a file that need have no answers yet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from nli_faith.errors import InputEncodingError, InputError, RecordError
from nli_faith.io.names import ID, QUESTION, normalise
from nli_faith.io.rows import iter_lines
from nli_faith.io.sources import open_source

_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, slots=True)
class Question:
    """A question to rephrase.

    Attributes:
        id: Its identifier; ``row-N`` by its line where it has none.
        text: The question.
        source: ``file:line``.
    """

    id: str
    text: str
    source: str


def read_questions(
    path: str,
    *,
    column: str | None = None,
    on_reject: Callable[[RecordError], None] | None = None,
) -> Iterator[Question]:
    """Read questions as a stream.

    JSON lines by default, one question a line for ``.txt``, tables for ``.csv`` and ``.tsv``;
    plain or compressed; UTF-8 with or without BOM. The column is one of the names that the
    record reader knows (question, user_input, query, input, 问题, …), answers are not needed.

    Args:
        path: A file, or ``-`` for standard input.
        column: The question's column where the known names do not do.
        on_reject: Called for a row that cannot be used; by default the first such row ends it.

    Raises:
        InputError: The file cannot be read, or has no question in any row.
        InputEncodingError: It is not UTF-8.
        RecordError: A row cannot be used and ``on_reject`` is None.
    """
    found = False
    with open_source(path) as source:
        for number, row in _rows(source.chunks, source.suffix, source.name):
            try:
                question = _question(row, number, source.name, column)
            except RecordError as error:
                if on_reject is None:
                    raise
                on_reject(error)
                continue
            found = True
            yield question
    if not found:
        raise InputError(f"{path}: holds no question")


def _rows(chunks: Iterator[bytes], suffix: str, name: str) -> Iterator[tuple[int, Any]]:
    """Line number and row: a string, a mapping, or what else the line held."""
    if suffix in _DELIMITERS:
        text = _decode(b"".join(chunks), name, 1)
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=_DELIMITERS[suffix])
        for row in reader:
            yield reader.line_num, row
        return
    for number, line in enumerate(iter_lines(chunks), 1):
        text = _decode(line, name, number).strip()
        if not text:
            continue
        yield number, text if suffix == ".txt" else _json(text, name, number)


def _decode(data: bytes, name: str, line: int) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputEncodingError(f"{name}:{line}: not UTF-8 (byte {error.start})") from error


def _json(text: str, name: str, line: int) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return RecordError(f"no JSON: {error.msg}", source=name, line=line)


def _question(row: Any, line: int, name: str, column: str | None) -> Question:
    if isinstance(row, RecordError):
        raise row
    where = f"{name}:{line}"
    if isinstance(row, str):
        return Question(f"row-{line}", row, where)
    if not isinstance(row, Mapping):
        raise RecordError(f"expected an object or text, got {row!r:.60}", source=name, line=line)
    by_name = {normalise(key): key for key in row if isinstance(key, str)}
    key = column if column is not None else next((by_name[q] for q in QUESTION if q in by_name), "")
    if key not in row:
        known = ", ".join(map(repr, list(row)[:20])) or "no column"
        wanted = column or "question"
        raise RecordError(f"missing; it has {known}", source=name, line=line, field=wanted)
    text = row[key]
    if not isinstance(text, str) or not text.strip():
        reason = f"expected a question, got {text!r:.60}"
        raise RecordError(reason, source=name, line=line, field=key)
    ident = next((row[by_name[i]] for i in ID if i in by_name), None)
    usable = isinstance(ident, (str, int)) and not isinstance(ident, bool) and str(ident).strip()
    return Question(str(ident) if usable else f"row-{line}", text.strip(), where)
