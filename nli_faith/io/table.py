"""A result row as a flat table row, for CSV and Parquet.

The columns are always the same, so that the files of many runs can be put together. Nested values
are JSON text; what has no column of its own is kept in ``extra``, as one JSON object.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from nli_faith.io.jsontext import dumps

SCHEMA: dict[str, str] = {
    "id": "string",
    "status": "string",
    "score": "float64",
    "supported": "int64",
    "contradicted": "int64",
    "unsupported": "int64",
    "claims": "string",
    "truncated": "bool",
    "pairs_scored": "int64",
    "pairs_possible": "int64",
    "meta": "string",
    "model": "string",
    "model_sha256": "string",
    "config_hash": "string",
    "version": "string",
    "extra": "string",
}
"""Column -> type. ``claims``, ``meta`` and ``extra`` hold JSON text."""

_UNNESTED = ("label_counts", "scorer")
_JSON = ("claims", "meta")


def flatten(row: Mapping[str, Any]) -> dict[str, Any]:
    """A result row (DESIGN section 3) with the columns of :data:`SCHEMA`, absent ones ``None``."""
    flat: dict[str, Any] = dict.fromkeys(SCHEMA)
    extra: dict[str, Any] = {}
    for key, value in row.items():
        if key in _UNNESTED and isinstance(value, Mapping):
            left = {k: v for k, v in value.items() if not _put(flat, k, v)}
            if left:
                extra[key] = left
        elif key in _JSON:
            flat[key] = None if value is None else dumps(value).decode()
        elif key == "extra" or not _put(flat, key, value):
            extra[key] = value
    if extra:
        flat["extra"] = dumps(extra).decode()
    return flat


def header_line() -> str:
    """The CSV header with its line end."""
    return ",".join(SCHEMA) + "\r\n"


def csv_line(row: Mapping[str, Any]) -> str:
    r"""A result row as one CSV record after RFC 4180, with its line end.

    Null is an empty cell, booleans are ``true`` and ``false``; a lone surrogate, which UTF-8
    cannot hold, is written as ``\udXXX``.
    """
    cells = [
        ("true" if value else "false") if isinstance(value, bool) else value
        for value in flatten(row).values()
    ]
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue()


def _put(flat: dict[str, Any], key: str, value: Any) -> bool:
    """Put a value into its column; false if it has none or is of another type."""
    kind = SCHEMA.get(key)
    if kind is None:
        return False
    if value is None or (isinstance(value, float) and value != value):
        return True
    if kind == "string":
        text = value if isinstance(value, str) else str(value)
        flat[key] = text.encode("utf-8", "backslashreplace").decode("utf-8")
        return isinstance(value, (str, int))
    try:
        number = float(value) if kind == "float64" else int(value)
    except (TypeError, ValueError, OverflowError):
        return False
    if number != value:
        return False
    flat[key] = bool(number) if kind == "bool" else number
    return True
