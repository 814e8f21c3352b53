"""Paths with a protocol, such as ``s3://`` or ``gs://``, through fsspec (extra ``remote``)."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, cast

from nli_faith.errors import (
    ConfigError,
    InputError,
    MissingExtraError,
    OutputError,
    OutputExistsError,
)

_PROTOCOL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")
PARTIAL = ".partial"


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Whether a path begins with a protocol."""
    return isinstance(path, str) and _PROTOCOL.match(path) is not None


def filesystem(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it.

    Raises:
        ConfigError: The protocol is unknown.
        MissingExtraError: fsspec, or the package for this protocol, is not installed.
    """
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtraError("fsspec", "remote") from error
    try:
        found = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise ConfigError(f"{url}: {error}") from error  # it names the package, such as s3fs
    except ValueError as error:
        raise ConfigError(f"{url}: {error}") from error
    return cast("tuple[Any, str]", found)


def open_remote(url: str) -> BinaryIO:
    """A remote file, to be read.

    Raises:
        InputError: It is not there or cannot be read.
        ConfigError: See `filesystem`.
        MissingExtraError: See `filesystem`.
    """
    system, path = filesystem(url)
    try:
        return cast(BinaryIO, system.open(path, "rb"))
    except Exception as error:  # each store has its own errors
        reason = "no such file" if isinstance(error, FileNotFoundError) else error
        raise InputError(f"{url}: {reason}") from error


def listed(url: str) -> list[str] | None:
    """URLs of all files below a remote folder; ``None`` if it is a file or is not there.

    Raises:
        InputError: It cannot be listed.
        ConfigError: See `filesystem`.
        MissingExtraError: See `filesystem`.
    """
    system, path = filesystem(url)
    try:
        if not system.isdir(path):
            return None
        return [str(system.unstrip_protocol(name)) for name in system.find(path)]
    except Exception as error:
        raise InputError(f"{url}: cannot be listed: {error}") from error


class RemoteOutput:
    """An output that is made here and uploaded when it is complete; a context manager.

    Everything written into the temporary folder goes beside the output: its rejects and its
    manifest too. Each file is uploaded as ``NAME.partial`` and then moved, so that a reader never
    sees half of one. A failed run uploads nothing.
    """

    def __init__(self, url: str, *, overwrite: bool) -> None:
        """Check that the place can be written, before anything is scored.

        Args:
            url: The output.
            overwrite: Whether it may be there already.

        Raises:
            OutputExistsError: It is there, and ``overwrite`` was not asked for.
            OutputError: The store cannot be asked, or refuses to write.
            ConfigError: The protocol is unknown, or the URL names no file.
            MissingExtraError: See `filesystem`.
        """
        self.url = url
        self._system, self._path = filesystem(url)
        self._folder, _, name = self._path.rpartition("/")
        if not name or url.endswith("/"):
            raise ConfigError(f"{url}: names no file")
        try:
            taken = not overwrite and self._system.exists(self._path)
        except Exception as error:
            raise OutputError(f"{url}: cannot be looked up: {error}") from error
        if taken:
            raise OutputExistsError(
                f"{url}: exists already: pass --overwrite, or name another output"
            )
        self._try()
        self._folder_here = tempfile.mkdtemp(prefix="nli-faith-")
        self.local = str(Path(self._folder_here) / name)
        self._kept = False

    def _try(self) -> None:
        """Write and remove an empty file: a wrong key should not show after hours of scoring."""
        try:
            # A store of objects has no folders, and making one might make a mistyped bucket.
            if "file" in _protocols(self._system):
                self._system.makedirs(self._folder, exist_ok=True)
            self._system.pipe_file(self._path + PARTIAL, b"")
            self._system.rm_file(self._path + PARTIAL)
        except Exception as error:
            raise OutputError(f"{self.url}: cannot be written: {error}") from error

    def commit(self) -> None:
        """Upload what was made: rejects, then the output, then the manifest.

        Raises:
            OutputError: The store refuses. Files moved before are whole, and what was made is
                kept here; the message says where.
        """
        made = sorted(Path(self._folder_here).iterdir(), key=_order)
        try:
            self._drop_old_rejects({path.name for path in made})
            for path in made:
                self._upload(path)
        except Exception as error:
            self._kept = True
            raise OutputError(
                f"{self.url}: cannot be uploaded: {error}. What was made is kept in "
                f"{self._folder_here}"
            ) from error

    def _upload(self, path: Path) -> None:
        target = f"{self._folder}/{path.name}"
        self._system.put_file(str(path), target + PARTIAL)
        _move(self._system, target + PARTIAL, target)

    def _drop_old_rejects(self, made: set[str]) -> None:
        """A list of rejects is of this run or not there, as beside a local output."""
        old = self._path + ".rejects.jsonl"
        if old.rpartition("/")[2] not in made and self._system.exists(old):
            self._system.rm_file(old)

    def __enter__(self) -> RemoteOutput:
        """The temporary folder is there already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the temporary folder, unless it holds what could not be uploaded."""
        if not self._kept:
            shutil.rmtree(self._folder_here, ignore_errors=True)


def _protocols(system: Any) -> tuple[str, ...]:
    names = system.protocol
    return (names,) if isinstance(names, str) else tuple(names)


def _move(system: Any, old: str, new: str) -> None:
    """Rename where the store can; where it cannot, fsspec's own `mv` would expand wildcards."""
    from fsspec.spec import AbstractFileSystem

    if type(system).mv is AbstractFileSystem.mv:
        system.cp_file(old, new)
        system.rm_file(old)
    else:
        system.mv(old, new)


def _order(path: Path) -> int:
    """Rejects, then the output, then the manifest, which says that all is there."""
    if path.name.endswith(".rejects.jsonl"):
        return 0
    return 2 if path.name.endswith(".manifest.json") else 1
