"""Rows that could not be read: what is said about each, and the file that keeps them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from nli_faith.errors import OutputError, RecordError
from nli_faith.io.jsontext import dumps, shorten

RAW_LIMIT = 2_000
"""Characters of a rejected row kept where the input can be read again; from a stream, all are."""

SUFFIX = ".rejects.jsonl"


@dataclass(frozen=True, slots=True)
class Reject:
    """One row that could not be used.

    Attributes:
        source: Input file, ``<stdin>`` or ``<rows>``.
        line: 1-based line (JSONL, CSV, JSON array: where the row begins) or row (Parquet, rows).
        field: Offending field, if one is to blame.
        reason: What is wrong, in plain words.
        raw: The row as text, shortened where the input can be read again.
    """

    source: str
    line: int | None
    field: str | None
    reason: str
    raw: str

    def error(self) -> RecordError:
        """The same as an exception."""
        return RecordError(self.reason, source=self.source, line=self.line, field=self.field)

    def to_dict(self) -> dict[str, Any]:
        """The rejects file's row: source, line, field, reason, raw."""
        return {
            "source": self.source,
            "line": self.line,
            "field": self.field,
            "reason": self.reason,
            "raw": self.raw,
        }


def raw_text(raw: bytes | Mapping[str, Any] | Any, *, limit: int | None = RAW_LIMIT) -> str:
    r"""A row as text for :attr:`Reject.raw`: bytes decoded (bad ones ``\xNN``), else JSON."""
    data = raw if isinstance(raw, bytes) else dumps(raw)
    if limit is not None:
        total = len(data)
        text = data[: limit * 4].decode("utf-8", "backslashreplace")
        if total > limit * 4:
            return f"{text[:limit]}…({total} bytes in all)"
        return shorten(text, limit)
    return data.decode("utf-8", "backslashreplace")


def rejects_path(output: str | os.PathLike[str]) -> Path:
    """``<OUT>.rejects.jsonl`` for an output path."""
    path = Path(output)
    return path.with_name(path.name + SUFFIX)


class RejectsWriter:
    """Writes rejects as JSON lines, each at once on disk; the file appears with the first.

    Every run starts the file anew, a resumed one too: it reads the input from the beginning and
    meets the same bad rows again. A file left by an earlier run is removed when this run has
    nothing to reject. An instance can be passed as ``on_reject``.

    Args:
        path: The rejects file (see :func:`rejects_path`), or ``None`` to count only.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self.count = 0
        self._file: BinaryIO | None = None

    def __call__(self, reject: Reject) -> None:
        """Write one reject.

        Raises:
            OutputError: The file cannot be written.
        """
        self.count += 1
        if self.path is None:
            return
        try:
            if self._file is None:
                self._file = open(self.path, "wb")  # noqa: SIM115 - closed in close
            self._file.write(dumps(reject.to_dict(), newline=True))
            self._file.flush()
        except OSError as error:
            raise OutputError(
                f"{self.path}: cannot write the rejects file: {error.strerror or error}"
            ) from error

    write = __call__

    def close(self) -> None:
        """Close the file; remove one of an earlier run if nothing was rejected in this one."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # a full disk was reported by the write
                self._file.close()
            self._file = None
        elif self.count == 0 and self.path is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()

    def __enter__(self) -> RejectsWriter:
        """Nothing is opened yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file; after an error an earlier run's file stays."""
        if kind is None or self._file is not None:
            self.close()
