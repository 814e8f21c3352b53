"""Verdicts that come back: batch outputs of a judge, and people's JSON lines and CSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from nli_faith.datamodels import Label
from nli_faith.errors import InputError
from nli_faith.io.jsontext import brief
from nli_faith.label_words import KNOWN, SKIPPED, normal_form
from nli_faith.triage.files import Line, read_lines
from nli_faith.triage.sheet import column_of, unescape

Rater = Literal["judge", "human"]
UNSURE = "unsure"
RECORD = 0
"""Number of a verdict on a record as a whole."""
_UNSURE_WORDS = frozenset({"unsure", "unknown", "unclear", "不确定", "无法判断"})
_ALLOWED = f"{', '.join(label.value for label in Label)} or {UNSURE}"


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """One verdict.

    Attributes:
        key: The record's key.
        number: The claim's number from 1 on; `RECORD` for the whole record.
        rater: Who.
        verdict: A label, or ``unsure``.
        reason: What they say of it.
        origin: ``file:line``.
    """

    key: str
    number: int
    rater: Rater
    verdict: str
    reason: str
    origin: str


@dataclass(frozen=True, slots=True)
class BadVerdict:
    """Something that is no usable verdict.

    Attributes:
        origin: ``file:line``.
        reason: What is wrong.
        raw: The line, or the part of it.
    """

    origin: str
    reason: str
    raw: str

    def to_dict(self) -> dict[str, str]:
        """The JSON form."""
        return {"origin": self.origin, "reason": self.reason, "raw": self.raw}


Found = ClaimVerdict | BadVerdict


class _Bad(ValueError):
    """Why something is no verdict."""


def read_verdicts(path: str | os.PathLike[str]) -> Iterator[Found]:
    """Verdicts of a file; rows with an empty verdict are passed over.

    JSON lines with ``custom_id`` are outputs of a batch API; others are people's: objects with
    ``key``, ``n``, ``verdict`` and perhaps ``note``, or rows of a queue whose claims got a
    ``verdict``. ``.csv`` and ``.tsv`` are people's sheets, UTF-8 or GB18030.

    Args:
        path: The file.

    Raises:
        InputError: It cannot be read.
    """
    name = os.fspath(path)
    if os.path.splitext(name)[1].lower() in (".csv", ".tsv"):
        yield from _from_sheet(name)
        return
    for line in read_lines(name):
        origin, raw = f"{name}:{line.number}", line.raw.decode("utf-8", "backslashreplace")
        if line.row is None:
            yield BadVerdict(origin, line.problem or "", raw)
        elif "custom_id" in line.row:
            yield from _from_batch(line, origin, raw)
        else:
            yield from _from_person(line.row, origin, raw)


def _verdict(value: Any) -> str:
    """A label, ``unsure``, or an empty text."""
    word = normal_form(value)
    if word in _UNSURE_WORDS:
        return UNSURE
    if word in KNOWN:
        return KNOWN[word].value
    if word in SKIPPED:
        return ""
    raise _Bad(f"verdict {brief(value)} is none of {_ALLOWED}")


def _number(value: Any) -> int:
    text = str(value).strip()
    if text == "":
        return RECORD
    try:
        number = int(float(text))
    except (ValueError, OverflowError):
        number = -1
    if number < 1 or number != float(text):
        raise _Bad(f"claim number {brief(value)} is no whole number from 1 on")
    return number


def _from_batch(line: Line, origin: str, raw: str) -> Iterator[Found]:
    row: Mapping[str, Any] = line.row or {}
    key = str(row["custom_id"]).split(".p")[0]
    try:
        items = _items(_content(row))
    except _Bad as bad:
        yield BadVerdict(origin, str(bad), raw)
        return
    for item in items:
        try:
            if not isinstance(item, Mapping) or "n" not in item:
                raise _Bad(f"{brief(item)} has no claim number 'n'")
            verdict, number = _verdict(item.get("verdict")), _number(item["n"])
            if not verdict or number == RECORD:
                raise _Bad(f"{brief(item)} says nothing of a claim")
        except _Bad as bad:
            yield BadVerdict(origin, str(bad), orjson.dumps(item).decode())
            continue
        reason = str(item.get("reason") or "")
        yield ClaimVerdict(key, number, "judge", verdict, reason, origin)


def _content(row: Mapping[str, Any]) -> str:
    """The text of the judge's answer."""
    if row.get("error"):
        raise _Bad(f"the request failed: {brief(row['error'], 200)}")
    response = row.get("response")
    if not isinstance(response, Mapping):
        raise _Bad(f"has no response: {brief(response)}")
    status = response.get("status_code", 200)
    if status != 200:
        raise _Bad(f"the request failed with status {status}: {brief(response.get('body'), 200)}")
    try:
        content = response["body"]["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        content = None
    if not isinstance(content, str):
        raise _Bad("the response has no body.choices[0].message.content")
    return content


def _items(content: str) -> list[Any]:
    """The verdicts in an answer; text around the JSON, as in a code fence, is passed over."""
    starts = [i for i in (content.find("{"), content.find("[")) if i >= 0]
    end = max(content.rfind("}"), content.rfind("]")) + 1
    try:
        value = orjson.loads(content[min(starts) : end]) if starts else None
    except orjson.JSONDecodeError:
        value = None
    if isinstance(value, Mapping):
        value = [value] if "n" in value else value.get("verdicts")
    if not isinstance(value, list) or not value:
        raise _Bad(f'the answer is no JSON of the form {{"verdicts": [...]}}: {brief(content)}')
    return value


def _from_person(row: Mapping[str, Any], origin: str, raw: str) -> Iterator[Found]:
    triage = row.get("triage")
    if isinstance(triage, Mapping) and isinstance(row.get("claims"), list):
        for n, claim in enumerate(row["claims"], 1):
            if isinstance(claim, Mapping) and normal_form(claim.get("verdict")):
                item = {"key": triage.get("key"), "n": n, **_said(claim)}
                yield from _one(item, origin, raw)
        if normal_form(row.get("verdict")):
            yield from _one({"key": triage.get("key"), "n": "", **_said(row)}, origin, raw)
        return
    yield from _one(row, origin, raw)


def _said(source: Mapping[str, Any]) -> dict[str, Any]:
    return {"verdict": source.get("verdict"), "note": source.get("note")}


def _one(row: Mapping[str, Any], origin: str, raw: str) -> Iterator[Found]:
    rater = str(row.get("rater") or "human").strip().lower()
    try:
        if not row.get("key"):
            raise _Bad("has no 'key' of a record")
        if rater not in ("judge", "human"):
            raise _Bad(f"rater {rater!r} is neither judge nor human")
        verdict = _verdict(row.get("verdict"))
        number = _number(row.get("n", ""))
    except _Bad as bad:
        yield BadVerdict(origin, str(bad), raw)
        return
    if verdict:
        reason = str(row.get("note") or row.get("reason") or "")
        who: Rater = "judge" if rater == "judge" else "human"
        yield ClaimVerdict(str(row["key"]).strip(), number, who, verdict, reason, origin)


def _from_sheet(name: str) -> Iterator[Found]:
    reader = csv.reader(io.StringIO(_sheet_text(name), newline=""), _dialect(name))
    rows = _numbered(reader, name)
    first = next(rows, None)
    if first is None:
        return
    columns = [column_of(title) for title in first[1]]
    for needed in ("key", "verdict"):
        if needed not in columns:
            raise InputError(f"{name}: has no column {needed!r}; it has {', '.join(first[1])}")
    for line, cells in rows:
        row = {c: unescape(v) for c, v in zip(columns, cells, strict=False)}
        # The other columns repeat what was judged.
        kept = {c: row.get(c, "") for c in ("key", "n", "verdict", "note", "rater")}
        if any(kept.values()):
            yield from _one(kept, f"{name}:{line}", ",".join(cells))


def _numbered(reader: Any, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line they end on; a malformed one ends the file with a clear word."""
    try:
        for cells in _nonempty(reader):
            yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}: {error}") from error


def _nonempty(reader: Iterable[list[str]]) -> Iterator[list[str]]:
    return (cells for cells in reader if any(cell.strip() for cell in cells))


def _dialect(name: str) -> type[csv.Dialect]:
    if name.lower().endswith(".tsv"):
        return csv.excel_tab
    head = _sheet_text(name).split("\n", 1)[0]
    return _Semicolon if head.count(";") > head.count(",") else csv.excel


class _Semicolon(csv.excel):
    """What Excel writes where the comma is the decimal point."""

    delimiter = ";"


def _sheet_text(name: str) -> str:
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error
    for encoding in ("utf-8-sig", "gb18030"):  # Excel in China saves CSV as the latter
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError(f"{name}: is neither UTF-8 nor GB18030")
