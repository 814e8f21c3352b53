"""Which format an input has: by name where the name says it, else by its first bytes."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

import orjson

from nli_faith.errors import ConfigError, InputError
from nli_faith.io.delimited import guess_delimiter

Format = Literal["jsonl", "json", "csv", "tsv", "parquet"]

FORMATS: tuple[Format, ...] = ("jsonl", "json", "csv", "tsv", "parquet")

SUFFIXES: dict[str, Format] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".jsonlines": "jsonl", ".jl": "jsonl",
    ".json": "json", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip

PARQUET_MAGIC = b"PAR1"
_LINE = re.compile(rb"[^\r\n]+")
_MAX_LINES = 50


def check_format(name: str | None) -> Format | None:
    """A format name given by the user.

    Raises:
        ConfigError: There is no such format.
    """
    if name is None:
        return None
    key = name.lower().lstrip(".")
    known: dict[str, Format] = {suffix[1:]: found for suffix, found in SUFFIXES.items()}
    if key not in known:
        raise ConfigError(f"format {name!r} is unknown; there are {', '.join(FORMATS)}")
    return known[key]


def detect_format(head: bytes, suffix: str, name: str, *, columns: Collection[str] = ()) -> Format:
    """The format of a text input.

    JSON lines and JSON are told apart by content whatever the suffix: many ``.json`` files hold
    lines, and some ``.jsonl`` files an array.

    Args:
        head: The first bytes, as UTF-8 without byte order mark.
        suffix: The name's suffix, as ``.csv``.
        name: For messages.
        columns: Column names of the user's, by which CSV is known besides the usual ones.

    Raises:
        InputError: Nothing tells.
    """
    named = SUFFIXES.get(suffix)
    if named in ("csv", "tsv"):
        return named
    if named == "parquet":
        raise InputError(f"{name}: is not a Parquet file: it does not begin with PAR1")
    kind = _json_kind(head)
    if kind is not None:
        return kind
    if named == "jsonl":
        return named
    delimiter, known = guess_delimiter(head, columns)
    if known and named is None:
        return "tsv" if delimiter == "\t" else "csv"
    begin = head.lstrip()[:40].decode("utf-8", "replace")
    raise InputError(
        f"{name}: neither JSON nor CSV with a known column; it begins {begin!r}: "
        "name the format with --format jsonl, json, csv, tsv or parquet"
    )


def _json_kind(head: bytes) -> Format | None:
    """``jsonl``, ``json`` (array, or objects over several lines), or ``None``."""
    start = head.lstrip()
    lines = [m.group().strip() for m, _ in zip(_LINE.finditer(start), range(_MAX_LINES))]  # noqa: B905
    lines = [line for line in lines if line]
    if start.startswith(b"["):
        # Lines of text that begin with a bracket are no array: [INFO] …, [1] …
        return "jsonl" if not _array(start) and any(map(_is_object, lines)) else "json"
    if not start.startswith(b"{"):
        return "jsonl" if any(map(_is_object, lines)) else None
    if _is_object(lines[0]) or (len(lines) == 1 and lines[0] != b"{"):
        return "jsonl"
    # The first line is not an object by itself: the beginning of one over several lines
    # (then a key comes next), or a broken line.
    pretty = lines[0] == b"{" or (len(lines) > 1 and lines[1][:1] in b'"}')
    return "json" if pretty else "jsonl"


def _array(start: bytes) -> bool:
    return start[1:].lstrip()[:1] in (b"{", b"]", b"")


def _is_object(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False
