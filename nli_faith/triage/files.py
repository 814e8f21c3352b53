"""Files of a triage: read line by line with their numbers, written beside and put in place."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

from nli_faith.errors import OutputError, OutputExistsError, OutputPathError
from nli_faith.io.jsonl import read_jsonl
from nli_faith.io.jsontext import brief, dumps
from nli_faith.io.sources import check_path, open_source

PARTIAL = ".partial"
RESULT_KEYS = frozenset({"id", "status", "claims", "label_counts"})


class Line(NamedTuple):
    """One line of a JSON lines file.

    Attributes:
        number: 1-based.
        row: The object; None when it cannot be used.
        problem: Why.
        raw: The line.
    """

    number: int
    row: dict[str, Any] | None
    problem: str | None
    raw: bytes


def read_lines(path: str | os.PathLike[str]) -> Iterator[Line]:
    """Objects of a JSON lines file, plain or compressed; blank lines are passed over.

    Args:
        path: The file, ``-`` for standard input.

    Raises:
        InputError: It cannot be read at all.
    """
    name = os.fspath(path)
    if name != "-":
        check_path(name)
        with contextlib.suppress(OSError):
            if os.path.getsize(name) == 0:
                return
    with open_source(name) as source:
        for number, _, value, problem, raw in read_jsonl(source.chunks):
            if problem is None and not isinstance(value, dict):
                problem = f"expected an object, got {brief(value)}"
            yield Line(number, None if problem else value, problem, raw)


def results(path: str | os.PathLike[str]) -> Iterator[Line]:
    """As `read_lines`, for rows that ``score`` wrote; others have a problem."""
    for line in read_lines(path):
        if line.row is not None and not line.row.keys() >= RESULT_KEYS:
            missing = ", ".join(sorted(RESULT_KEYS - line.row.keys()))
            line = line._replace(row=None, problem=f"is no result row of `score`: no {missing}")
        yield line


class OutputFiles:
    """Several files that appear together when all is done, or not at all.

    A context manager. Files are written as ``NAME.partial`` and renamed on leaving; after a
    failure the partial ones are removed and what was there before is untouched.
    """

    def __init__(self, names: Sequence[Path], *, overwrite: bool = False) -> None:
        """Check that the files may be written.

        Args:
            names: The files that will surely be written.
            overwrite: Replace files that are there.

        Raises:
            OutputExistsError: One is there, with content, and is not to be replaced.
            OutputPathError: One is a directory, or its folder cannot be made.
        """
        self._overwrite = overwrite
        self._files: dict[Path, BinaryIO] = {}
        for path in names:
            self._check(path)

    def open(self, path: Path) -> BinaryIO:
        """A file to write to; the same one for the same path."""
        if path not in self._files:
            self._check(path)
            try:
                self._files[path] = open(f"{path}{PARTIAL}", "wb")  # noqa: SIM115
            except OSError as error:
                raise OutputError(f"{path}: {error.strerror or error}") from error
        return self._files[path]

    def write(self, path: Path, data: bytes) -> None:
        """Append to a file.

        Raises:
            OutputError: The disk is full or refuses.
        """
        try:
            self.open(path).write(data)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error

    def write_row(self, path: Path, row: Mapping[str, Any]) -> None:
        """Append a JSON line."""
        self.write(path, dumps(dict(row), newline=True))

    def __enter__(self) -> OutputFiles:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for path, file in self._files.items():
                file.flush()
                os.fsync(file.fileno())
                file.close()
                if kind is None:
                    os.replace(f"{path}{PARTIAL}", path)
        except OSError as problem:
            if kind is None:
                raise OutputError(f"{path}: {problem.strerror or problem}") from problem
        finally:
            for path, file in self._files.items():
                file.close()
                with contextlib.suppress(OSError):
                    os.unlink(f"{path}{PARTIAL}")

    def _check(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputPathError(f"{path.parent}: {error.strerror or error}") from error
        if path.is_dir():
            raise OutputPathError(f"{path}: is a directory")
        if path.exists() and path.stat().st_size and not self._overwrite:
            raise OutputExistsError(f"{path}: exists already: pass --overwrite, or name another")
