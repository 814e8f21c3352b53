"""Result rows to a file or standard output, safely: locked, in whole blocks, never lost."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Literal

from nli_faith.errors import ConfigError, OutputError, OutputExistsError, OutputPathError
from nli_faith.io import compression, parquet
from nli_faith.io.blockfile import STDOUT, BlockFile, is_special, write_failure
from nli_faith.io.compression import Compression
from nli_faith.io.locks import OutputLock
from nli_faith.io.resume import ResumeState
from nli_faith.io.sinks import BlockSink, Csv, GroupSink, JsonArray, JsonLines, Sink

OutputFormat = Literal["jsonl", "json", "csv", "parquet"]

FORMATS: tuple[OutputFormat, ...] = ("jsonl", "json", "csv", "parquet")
PARTIAL = ".partial"

_SUFFIXES: dict[str, OutputFormat] = {
    "": "jsonl", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip


def output_format(
    path: str | os.PathLike[str], format: str | None = None
) -> tuple[OutputFormat, Compression | None]:
    """Format and compression of an output by its name; no suffix means JSON lines.

    Args:
        path: The output, ``-`` for standard output.
        format: A format that overrides the name's.

    Raises:
        ConfigError: The name or the format is unknown, or format and compression do not go
            together.
    """
    stem, suffix = os.path.splitext(os.path.basename(os.fspath(path)).lower())
    kind = compression.SUFFIXES.get(suffix)
    if kind is not None:
        suffix = os.path.splitext(stem)[1]
    known = ", ".join(FORMATS)
    if format is not None:
        if format not in FORMATS:
            raise ConfigError(f"output format {format!r} is unknown; there are {known}")
        found: OutputFormat = format
    elif suffix in _SUFFIXES:
        found = _SUFFIXES[suffix]
    elif is_special(os.fspath(path)):
        found = "jsonl"  # a pipe or device
    else:
        raise ConfigError(
            f"{os.fspath(path)}: no result format has the suffix {suffix!r}: use .jsonl "
            f"(can be resumed), .json, .csv or .parquet, or name one of {known}"
        )
    if kind is not None and found in ("json", "parquet"):
        raise ConfigError(f"{os.fspath(path)}: {found} output is not compressed as a whole")
    return found, kind


class ResultWriter:
    """Writes result rows; a context manager.

    Every row is handed to the system at once, so a killed run loses none that ``write`` has
    returned from. Compressed rows are collected into blocks (up to 256 rows, 1 MiB or 2 seconds,
    or until ``flush``: call it after each batch), each a member of its own; a killed run loses
    the block at hand. Leaving the ``with`` block through an exception, Ctrl-C included, writes
    what is waiting first. A Parquet file is put together in ``<OUT>.partial`` and is readable
    only when it is finished.

    Not to be used from several threads at once.

    Args:
        path: The output, or ``-`` for standard output. By suffix JSON lines (``.jsonl``, none),
            a JSON array (``.json``), CSV or Parquet; JSON lines and CSV may end in ``.gz``,
            ``.zst``, ``.bz2`` or ``.xz``.
        format: Overrides the suffix.
        overwrite: Replace existing content. It stays until the run is complete: rows go to
            ``<OUT>.partial``, which then takes its place; after a failure it is left beside.
        resume: What is there already, to go on behind it (JSON lines only).
        bom: Begin CSV with a byte order mark, by which Excel knows UTF-8.

    Attributes:
        name: For messages.
        path: The output's real path, ``None`` for standard output.

    Raises:
        ConfigError: The options do not go together, or the format is unknown.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        overwrite: bool = False,
        resume: ResumeState | None = None,
        bom: bool = False,
    ) -> None:
        self.format, self.compression = output_format(path, format)
        if overwrite and resume is not None:
            raise ConfigError("resume and overwrite exclude each other")
        if resume is not None and self.format != "jsonl":
            raise ConfigError(f"only JSON lines can be resumed, not {self.format}")
        text = os.fspath(path)
        # The real path, so that two names of one file share a lock, and a link stays a link.
        self.path = None if text == "-" else text if is_special(text) else os.path.realpath(text)
        self.name = STDOUT if self.path is None else text
        self._overwrite = overwrite
        self._resume = resume
        self._bom = bom
        self._lock: OutputLock | None = None
        self._file: BlockFile | None = None
        self._sink: Sink | None = None
        self._partial: str | None = None

    @property
    def rows(self) -> int:
        """Rows of this run that are on disk and safe."""
        return self._sink.rows if self._sink is not None else 0

    def open(self) -> None:
        """Lock and open the output.

        Raises:
            OutputExistsError: It has content, and neither ``overwrite`` nor ``resume`` is given.
            OutputLockedError: Another run is writing it.
            OutputError: It is a directory, its directory does not exist, it may not be written,
                or it changed since the resume state was read.
            MissingExtraError: A package for the format or compression is not installed.
        """
        compression.require(self.compression)
        if self.format == "parquet":
            parquet.require()
            if self.path is None or is_special(self.path):
                raise OutputPathError(f"{self.name}: Parquet needs a file, not a pipe")
        try:
            if self.path is None or is_special(self.path):
                self._open_stream()
            else:
                self._open_file(self.path)
        except BaseException:
            self._release()
            raise

    def write(self, row: Mapping[str, Any]) -> None:
        """Take one result row.

        Raises:
            OutputError: The disk is full or otherwise refuses; the message says how many rows
                are safe. The rows not written yet are kept for the next try.
        """
        try:
            self._opened().write(row)
        except OSError as error:
            raise self._failure(error) from error

    def flush(self) -> None:
        """Write what is waiting, so that a crash does not lose it (not for Parquet).

        Raises:
            OutputError: As in :meth:`write`.
        """
        try:
            self._opened().flush()
        except OSError as error:
            raise self._failure(error) from error

    def close(self, *, failed: bool = False) -> None:
        """Write what is waiting, close, give back the lock; a second call does nothing.

        Args:
            failed: The run did not reach its end: old content is then not replaced.

        Raises:
            OutputError: As in :meth:`write`.
        """
        if self._file is None:
            self._release()
            return
        try:
            try:
                self._opened().finish()
            except BaseException:
                failed = True
                raise
            finally:
                self._file.close()
        except OSError as error:  # some systems find a full disk only when the file is closed
            failed = True
            raise self._failure(error) from error
        finally:
            try:
                self._settle(failed)
            finally:
                self._file = None
                self._release()

    def __enter__(self) -> ResultWriter:
        """Lock and open the output."""
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close; a failure to write what is waiting does not hide an earlier exception."""
        if kind is None:
            self.close()
            return
        with contextlib.suppress(OutputError):
            self.close(failed=True)

    def _open_stream(self) -> None:
        if self._resume is not None:
            raise OutputError(f"{self.name}: a pipe cannot be resumed")
        self._file = BlockFile(self.path or "-")
        self._sink = BlockSink(self._file, self._encoder(), compression=self.compression)

    def _open_file(self, path: str) -> None:
        self._check_path(path)
        self._lock = OutputLock(path)
        self._lock.acquire()
        size = os.path.getsize(path) if os.path.exists(path) else 0
        if self._resume is not None:
            self._resume.check_unchanged(size, self.name)
            keep = self._resume.valid_size
        else:
            keep = 0
            if size and not self._overwrite:
                raise OutputExistsError(
                    f"{self.name}: exists already ({size} bytes): pass --resume to go on behind "
                    "it, --overwrite to replace it, or name another output"
                )
            if size or self.format == "parquet":
                self._partial = path + PARTIAL
        self._file = BlockFile(self._partial or path, keep)
        self._sink = (
            GroupSink(self._file)
            if self.format == "parquet"
            else BlockSink(self._file, self._encoder(), offset=keep, compression=self.compression)
        )

    def _check_path(self, path: str) -> None:
        if os.path.isdir(path):
            raise OutputPathError(f"{self.name}: is a directory: name a file in it")
        parent = os.path.dirname(path)
        if not os.path.isdir(parent):
            raise OutputPathError(f"{self.name}: the directory {parent} does not exist")

    def _encoder(self) -> JsonLines | JsonArray | Csv:
        if self.format == "csv":
            return Csv(bom=self._bom)
        if self.format == "json":
            return JsonArray()
        newline = self._resume is not None and self._resume.needs_newline
        return JsonLines(newline_first=newline)

    def _opened(self) -> Sink:
        if self._sink is None or self._file is None:
            raise OutputError(f"{self.name}: is not open")
        return self._sink

    def _failure(self, error: OSError) -> OutputError:
        go_on = "Make room and run again."
        if self.format == "jsonl" and self.path is not None:
            go_on = "Make room and run again with --resume."
            if self._partial is not None:
                go_on = f"They are in {self._partial}; {self.name} is as it was. " + (
                    "Make room and run again with --overwrite."
                )
        elif self.format == "csv":
            go_on += " (CSV cannot be resumed; JSON lines can.)"
        return write_failure(self.name, error, self.rows, go_on)

    def _settle(self, failed: bool) -> None:
        """Let the partial file take the output's place, or leave or remove it."""
        if self._partial is None or self.path is None:
            return
        old = os.path.exists(self.path) and os.path.getsize(self.path) > 0
        try:
            if not failed or (not old and self.rows):
                os.replace(self._partial, self.path)
            elif not self.rows:
                os.unlink(self._partial)
        except OSError as error:
            raise OutputError(
                f"{self.name}: {self._partial} cannot take its place: {error.strerror or error}"
            ) from error

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None
