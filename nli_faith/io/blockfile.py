"""A file that grows by whole blocks, so that a failure leaves no half block behind."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import Any, BinaryIO

from nli_faith.errors import OutputError

STDOUT = "<stdout>"


class BlockFile:
    """Writes blocks at offsets the caller keeps.

    A block is written at the offset behind the last good one. Writing it again, after a failure
    or an interrupt at any point, overwrites the same bytes: nothing is doubled or left in halves.
    Pipes and devices cannot be written so; there blocks just follow one another.

    Args:
        path: A path, or ``-`` for standard output.
        size: Bytes to keep of an existing file; 0 starts anew.

    Raises:
        OutputError: It cannot be opened.
    """

    def __init__(self, path: str, size: int = 0) -> None:
        self.name = STDOUT if path == "-" else path
        self._owned = path != "-"
        try:
            self._file: Any = _open(path, size)
            self.seekable = self._owned and os.path.isfile(path)
            if self.seekable:
                self._file.truncate(size)
        except OSError as error:
            raise OutputError(f"{self.name}: cannot be written: {_reason(error)}") from error

    def write_at(self, offset: int, data: bytes) -> int:
        """Write a block and return the offset behind it.

        Raises:
            OSError: The system refuses; what was written of the block is taken back.
        """
        try:
            if self.seekable:
                self._file.seek(offset)
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
            self._file.flush()
        except OSError:
            self.cut(offset)
            raise
        return offset + len(data)

    def cut(self, offset: int) -> None:
        """Remove everything behind ``offset``, if the file can."""
        if self.seekable:
            with contextlib.suppress(OSError):
                self._file.truncate(offset)

    def sync(self) -> None:
        """Have the system put the file on disk, if it is one."""
        if self.seekable:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; standard output stays open."""
        if self._owned:
            self._file.close()


def write_failure(name: str, error: OSError, rows: int, go_on: str) -> OutputError:
    """The error for a failed write: what failed, how many rows are safe, how to go on."""
    safe = f"{rows} row{'' if rows == 1 else 's'}"
    if isinstance(error, BrokenPipeError):
        return OutputError(f"{name}: the reader closed the pipe after {safe}")
    return OutputError(f"{name}: {_reason(error)}; {safe} written before are safe. {go_on}")


def is_special(path: str) -> bool:
    """Whether a path is there and is a device or pipe: neither a file nor a directory."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _open(path: str, size: int) -> BinaryIO | Any:
    if path == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        sys.stdout.flush()
        return sys.stdout.buffer
    flags = "r+b" if size else "wb"
    return open(path, flags, buffering=0)


def _reason(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return "no space left on the disk"
    return error.strerror or str(error)
