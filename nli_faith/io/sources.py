"""An input as a stream of byte chunks: a path, standard input or an open binary file."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from nli_faith.errors import InputError
from nli_faith.io import compression, remote
from nli_faith.io.compression import Compression

CHUNK = 1 << 18
"""Bytes asked for at a time."""

HEAD = 1 << 16
"""Bytes looked at to tell encoding and format."""

STDIN = "<stdin>"


@dataclass(slots=True)
class ByteSource:
    """An opened input.

    Attributes:
        name: For messages.
        path: The file, if it is a regular one.
        suffix: Lower-case suffix of the name without a compression suffix, as ``.jsonl``.
        compression: How it is compressed, by its first bytes.
        head: The first bytes, decompressed, up to :data:`HEAD`.
        complete: Whether ``head`` is all there is.
        chunks: All bytes, decompressed, ``head`` included. To be read once.
    """

    name: str
    path: Path | None
    suffix: str
    compression: Compression | None
    head: bytes
    complete: bool
    chunks: Iterator[bytes]


def source_name(source: str | os.PathLike[str] | BinaryIO) -> str:
    """The name of a source for messages."""
    if isinstance(source, (str, os.PathLike)):
        return STDIN if os.fspath(source) == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return STDIN if name in (0, STDIN) else name if isinstance(name, str) else "<stream>"


def check_path(path: str | os.PathLike[str]) -> None:
    """Fail early and clearly on a path that cannot be read.

    Raises:
        InputError: It is missing, a directory, or may not be read.
    """
    name = os.fspath(path)
    if remote.is_remote(name):
        remote.open_remote(name).close()
        return
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:  # ValueError: NUL in a path
        missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
        reason = "no such file" if missing else getattr(error, "strerror", None) or error
        raise InputError(f"{name}: {reason}") from error
    if stat.S_ISDIR(mode):
        raise InputError(f"{name}: is a directory, not a file")
    if not os.access(path, os.R_OK):
        raise InputError(f"{name}: permission denied")


@contextlib.contextmanager
def open_source(source: str | os.PathLike[str] | BinaryIO) -> Iterator[ByteSource]:
    """Open an input; what was opened here is closed at the end, other streams stay open.

    Raises:
        InputError: It cannot be opened or read, is empty, or its compressed data is damaged.
        MissingExtraError: It is Zstandard and ``zstandard`` is not installed.
    """
    name = source_name(source)
    opened: BinaryIO | None = None
    stream: Any = source
    path: Path | None = None
    if isinstance(source, (str, os.PathLike)):
        if os.fspath(source) == "-":
            if sys.stdin is None:
                raise InputError("standard input: is closed")
            stream = sys.stdin.buffer
        elif remote.is_remote(name):
            opened = stream = remote.open_remote(name)
        else:
            check_path(source)
            path = Path(source)
            try:
                opened = stream = open(path, "rb", buffering=0)  # noqa: SIM115 - closed below
            except OSError as error:
                raise InputError(f"{name}: {error.strerror or error}") from error
            if not path.is_file():  # a pipe, as of <(command): can be read only once
                path = None
    try:
        yield _byte_source(name, path, stream)
    finally:
        if opened is not None:
            opened.close()


def _byte_source(name: str, path: Path | None, stream: Any) -> ByteSource:
    raw = _read(stream, name)
    start, raw, _ = _take(raw, compression.MAGIC_BYTES, live=False)
    kind = compression.detect(start)
    chunks = compression.decompress(raw, kind, name) if kind else raw
    head, chunks, complete = _take(chunks, HEAD, live=path is None)
    stem, suffix = os.path.splitext(name.lower())
    if suffix in compression.SUFFIXES:
        suffix = os.path.splitext(stem)[1]
    if not head:
        what = "standard input" if name == STDIN else name
        raise InputError(f"{what}: is empty" + (" after decompression" if kind else ""))
    return ByteSource(name, path, suffix, kind, head, complete, chunks)


def _read(stream: Any, name: str) -> Iterator[bytes]:
    read = getattr(stream, "read1", None) or stream.read
    while True:
        try:
            chunk = read(CHUNK)
        except Exception as error:  # a remote store has errors of its own
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{name}: cannot be read: {reason}") from error
        if not chunk:
            return
        if not isinstance(chunk, bytes):
            raise InputError(f"{name}: opened in text mode; open it with 'rb'")
        yield chunk


def _take(chunks: Iterator[bytes], size: int, *, live: bool) -> tuple[bytes, Iterator[bytes], bool]:
    """The first ``size`` bytes or a few more; the whole stream again; whether that was all.

    A live stream (a pipe) is not waited on for longer than it takes to see one whole line.
    """
    taken: list[bytes] = []
    total = 0
    while total < size:
        try:
            chunk = next(chunks, None)
        except InputError as error:  # what was good before it is read first
            if not total:
                raise
            head = b"".join(taken)
            return head, chain((head,), _fail(error)), False
        if chunk is None:
            head = b"".join(taken)
            return head, iter((head,)), True
        taken.append(chunk)
        total += len(chunk)
        if live and b"\n" in chunk and not b"".join(taken).isspace():
            break
    head = b"".join(taken)
    return head, chain((head,), chunks), False


def _fail(error: InputError) -> Iterator[bytes]:
    raise error
    yield b""  # makes this a generator: it fails when it is reached, not before
