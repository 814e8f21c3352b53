"""What an interrupted run has already written, so that the next one goes on behind it."""

from __future__ import annotations

import os
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import orjson

from nli_faith.errors import OutputError, OutputPathError, ResumeMismatchError
from nli_faith.io import compression
from nli_faith.io.blockfile import is_special
from nli_faith.io.compression import TruncatedError
from nli_faith.io.jsontext import JsonTextError, brief, loads
from nli_faith.io.locks import OutputLock
from nli_faith.io.rows import iter_lines

_CHUNK = 1 << 18
_SUFFIXES = ("", ".jsonl", ".ndjson")


class ResumeState:
    """The ids in an existing output, and where writing goes on.

    Ids are kept as sorted 8-byte hashes and one byte of state each: ten million take 90 MB. Two
    different ids share a hash with odds of n²/2⁶⁵ over n ids (1 in 370,000 for ten million); the
    later one's row would then be passed over.

    Attributes:
        path: The output.
        rows: Rows that are there and kept.
        file_size: Size of the file when it was read, in bytes.
        valid_size: Size to cut it to: behind the last whole row (compressed: the last whole
            member).
        needs_newline: Whether its last row lacks the line break.
        notes: What was found and done, in sentences for the user.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows = 0
        self.file_size = 0
        self.valid_size = 0
        self.needs_newline = False
        self.notes: list[str] = []
        self._hashes: array[int] = array("Q")
        self._used = bytearray()
        self._repeated: dict[int, int] = {}

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        config_hash: str,
        model_sha256: str,
        format: str | None = None,
    ) -> ResumeState:
        """Read an existing output; a missing or empty one gives an empty state.

        The file itself is not changed here: :class:`~nli_faith.io.ResultWriter` cuts off the
        half-written end, under its lock, when it opens.

        Args:
            path: The output: JSON lines, perhaps compressed.
            config_hash: Of this run; must equal ``scorer.config_hash`` of every row there.
            model_sha256: Of this run; must equal ``scorer.model_sha256`` of every row there.
            format: The output's format where its name does not say it.

        Raises:
            ResumeMismatchError: A row was written under another configuration or model.
            OutputLockedError: Another run is writing the output.
            OutputError: It is no JSON lines file, or damaged before its end.
        """
        name = os.fspath(path)
        _check_resumable(name, format)
        state = cls(name)
        real = os.path.realpath(name)
        if not os.path.exists(real) or os.path.getsize(real) == 0:
            return state
        with OutputLock(real):
            try:
                _Scan(state, config_hash, model_sha256).read(real)
            except OSError as error:
                raise OutputError(f"{name}: cannot be read: {error.strerror or error}") from error
        state._index()
        return state

    def skip(self, record_id: str) -> bool:
        """Whether a record with this id is done; each row there answers for one record.

        So of an id that was written twice, the first two records are skipped and the third is
        not.
        """
        if not self._hashes:
            return False
        value = _hash(record_id)
        index = bisect_left(self._hashes, value)
        if index == len(self._hashes) or self._hashes[index] != value:
            return False
        if index + 1 < len(self._hashes) and self._hashes[index + 1] == value:
            taken = self._repeated.get(value, 0)
            index += taken
            if index >= len(self._hashes) or self._hashes[index] != value:
                return False
            self._repeated[value] = taken + 1
            return True
        if self._used[index]:
            return False
        self._used[index] = 1
        return True

    def check_unchanged(self, size: int, name: str) -> None:
        """Check, under the lock, that the output still has the size it was read with.

        Raises:
            OutputError: It has not: another run wrote it in between.
        """
        if size != self.file_size:
            raise OutputError(
                f"{name}: another run has written it since it was read "
                f"({self.file_size} bytes then, {size} now): start again"
            )

    def _add(self, record_id: str) -> None:
        self._hashes.append(_hash(record_id))

    def _index(self) -> None:
        import numpy as np

        if self._hashes:
            np.frombuffer(self._hashes, dtype=np.uint64).sort()  # in place, without a copy
        self._used = bytearray(len(self._hashes))
        self.rows = len(self._hashes)
        dropped = self.file_size - self.valid_size
        if dropped:
            self.notes.append(
                f"{self.path}: a half-written end of {dropped} bytes is cut off; "
                f"{self.rows} rows are kept"
            )


class _Scan:
    """Reads an output row by row into a state."""

    def __init__(self, state: ResumeState, config_hash: str, model_sha256: str) -> None:
        self.state = state
        self.expected = {"config_hash": config_hash, "model_sha256": model_sha256}
        self.number = 0

    def read(self, path: str) -> None:
        """Read the file.

        Raises:
            ResumeMismatchError: See :meth:`ResumeState.load`.
            OutputError: See :meth:`ResumeState.load`.
        """
        state = self.state
        with open(path, "rb", buffering=0) as file:
            state.file_size = os.fstat(file.fileno()).st_size
            head = file.read(compression.MAGIC_BYTES)
            file.seek(0)
            kind = compression.detect(head)
            chunks: Iterator[bytes] = iter(lambda: file.read(_CHUNK), b"")
            if kind is None:
                self._plain(chunks)
            else:
                self._compressed(compression.members(chunks, kind, state.path))

    def _plain(self, chunks: Iterable[bytes]) -> None:
        state, end = self.state, 0
        for line in iter_lines(chunks):
            end += len(line) + 1
            if end <= state.file_size:
                self._row(line)
            elif self._last_row(line):
                end = state.file_size
                state.needs_newline = True
            else:
                return
            state.valid_size = end

    def _compressed(self, pieces: Iterator[tuple[bytes, int | None]]) -> None:
        state, kept = self.state, 0
        tail: list[bytes] = []
        try:
            for data, end in pieces:
                lines = data.split(b"\n")
                tail.append(lines[0])
                if len(lines) > 1:
                    self._row(b"".join(tail))
                    for line in lines[1:-1]:
                        self._row(line)
                    tail = [lines[-1]]
                if end is not None and not any(tail):
                    state.valid_size, kept = end, len(state._hashes)
        except TruncatedError:
            pass
        else:
            if any(tail) and self._last_row(b"".join(tail)):
                state.valid_size, kept = state.file_size, len(state._hashes)
                state.needs_newline = True
        del state._hashes[kept:]

    def _last_row(self, line: bytes) -> bool:
        """Take the last line, which has no line break, if it is whole nevertheless."""
        try:
            if not isinstance(orjson.loads(line), dict):
                return False
        except orjson.JSONDecodeError:
            return False
        self._row(line)
        return True

    def _row(self, line: bytes) -> None:
        self.number += 1
        if not line or line.isspace():
            return
        where = f"{self.state.path}:{self.number}"
        try:
            row: Any = loads(line)
        except (JsonTextError, UnicodeDecodeError) as error:
            raise OutputError(f"{where}: cannot resume: damaged: {error}") from error
        if not isinstance(row, dict) or not isinstance(row.get("id"), (str, int)):
            raise OutputError(f"{where}: cannot resume: not a result row: {brief(row)}")
        scorer = row.get("scorer")
        if not isinstance(scorer, dict):
            raise ResumeMismatchError(f"{where}: cannot resume: the row names no scorer")
        for key, expected in self.expected.items():
            if scorer.get(key) != expected:
                raise ResumeMismatchError(
                    f"{where}: cannot resume: written under another "
                    f"{'model' if key == 'model_sha256' else 'configuration'}: {key} there is "
                    f"{scorer.get(key)!r}, in this run {expected!r}; use the same model and "
                    "options, pass --overwrite, or name another output"
                )
        self.state._add(str(row["id"]))


def _check_resumable(name: str, format: str | None) -> None:
    stem, suffix = os.path.splitext(os.path.basename(name).lower())
    if suffix in compression.SUFFIXES:
        suffix = os.path.splitext(stem)[1]
    if os.path.isdir(name):
        raise OutputPathError(f"{name}: is a directory: name a file in it")
    if name == "-" or is_special(name):
        raise OutputPathError(f"{name}: a pipe cannot be resumed")
    if (format or "jsonl") != "jsonl" or (format is None and suffix not in _SUFFIXES):
        raise OutputPathError(
            f"{name}: only JSON lines (.jsonl, .jsonl.gz, .jsonl.zst) can be resumed, not "
            f"{format or suffix}: use --overwrite, or write JSON lines"
        )


def _hash(record_id: str) -> int:
    digest = blake2b(record_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, sys.byteorder)
