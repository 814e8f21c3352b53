"""One run at a time on one output: a lock file that dies with its process.

The lock file ``<OUT>.lock`` holds the owner's pid and host as JSON. Where the system can lock
files (``flock``, on Windows ``msvcrt``), the owner also holds such a lock: the system drops it when
the process dies, however it dies, so a lock file that is not locked is stale and taken over. Where
it cannot (some network file systems), the pid is looked up instead.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import time
from pathlib import Path
from typing import Any

import orjson

from nli_faith.errors import OutputError, OutputLockedError

SUFFIX = ".lock"
_TRIES = 50
_GRACE_SECONDS = 10.0
_BUSY = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
_WINDOWS_BYTE = 1 << 30  # a locked byte cannot be read there: lock one far behind the text


class OutputLock:
    """Exclusive right to write one output.

    Args:
        output: The output's path; the lock file is beside it.
    """

    def __init__(self, output: str | os.PathLike[str]) -> None:
        self.output = os.fspath(output)
        self.path = Path(self.output + SUFFIX)
        self._handle: int | None = None

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            OutputLockedError: Another run, in this process or another, holds it.
            OutputError: The lock file cannot be written.
        """
        for _ in range(_TRIES):
            try:
                if self._try():
                    return
            except OSError as error:
                raise OutputError(
                    f"{self.output}: cannot write its lock file {self.path.name}: "
                    f"{error.strerror or error}"
                ) from error
            time.sleep(0.001)  # the file went away between opening and locking: once more
        raise OutputLockedError(f"{self.output}: its lock file {self.path.name} keeps changing")

    def release(self) -> None:
        """Give the lock back and remove its file; does nothing if it is not held."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if os.name == "nt":  # an open file cannot be removed there
            os.close(handle)
            self._unlink()
        else:  # removed while still locked: who has it open already finds it gone and retries
            self._unlink()
            os.close(handle)

    def __enter__(self) -> OutputLock:
        """Take the lock."""
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        """Give the lock back."""
        self.release()

    def _try(self) -> bool:
        """One attempt; false when the file changed hands meanwhile."""
        found = False
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        try:
            handle = os.open(self.path, flags | os.O_EXCL, 0o644)
        except FileExistsError:
            found = True
            try:
                handle = os.open(self.path, flags & ~os.O_CREAT)
            except FileNotFoundError:
                return False
        try:
            locked = _lock(handle)
            owner = _owner(handle) if found else {}
            changed = os.fstat(handle).st_mtime
            if locked is False or (found and not _is_stale(owner, locked, changed)):
                raise OutputLockedError(self._message(owner))
            if not _same_file(handle, self.path):
                return False
            os.ftruncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_SET)
            os.write(handle, orjson.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
            self._handle, handle = handle, -1
            return True
        finally:
            if handle != -1:
                os.close(handle)

    def _message(self, owner: dict[str, Any]) -> str:
        pid, host = owner.get("pid", "unknown"), owner.get("host")
        here = host in (None, socket.gethostname())
        where = "" if here else f" on {host}"
        this = ", this very process" if here and pid == os.getpid() else ""
        gone = "" if here else f" If that run is gone, delete {self.path}."
        return f"{self.output}: is being written by another run (pid {pid}{where}{this}).{gone}"

    def _unlink(self) -> None:
        with contextlib.suppress(OSError):
            self.path.unlink()


def _lock(handle: int) -> bool | None:
    """Lock an open file: true, or false if another holds it, or ``None`` if it cannot be done."""
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(handle, _WINDOWS_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return None
    except OSError as error:
        return False if error.errno in _BUSY else None
    return True


def _owner(handle: int) -> dict[str, Any]:
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        owner = orjson.loads(os.read(handle, 4096))
    except (OSError, orjson.JSONDecodeError):  # not written yet, or by a process that died first
        return {}
    return owner if isinstance(owner, dict) else {}


def _is_stale(owner: dict[str, Any], locked: bool | None, changed: float) -> bool:
    """Whether an existing lock file's owner is gone."""
    if owner.get("host") not in (None, socket.gethostname()):
        return False  # locks may not reach across hosts, pids never do
    if locked:
        return True
    if "pid" not in owner and time.time() - changed < _GRACE_SECONDS:
        return False  # perhaps made just now and not written yet
    return not _alive(owner.get("pid"))


def _alive(pid: Any) -> bool:
    if not isinstance(pid, int) or pid <= 0 or os.name == "nt":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it exists and belongs to someone else
        return True
    return True


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False
