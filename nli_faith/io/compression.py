"""gzip, Zstandard, bzip2 and xz as streams of bytes with bounded memory.

A compressed file is a row of *members* (gzip, xz, bzip2) or *frames* (Zstandard), each complete in
itself. Writing puts every flushed block into a member of its own: what a crash leaves unfinished
is then the last member only, and resuming cuts the file at the last member's end.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from nli_faith.errors import InputError, MissingExtraError

Compression = Literal["gz", "zst", "bz2", "xz"]

SUFFIXES: dict[str, Compression] = {
    ".gz": "gz", ".gzip": "gz", ".zst": "zst", ".zstd": "zst", ".bz2": "bz2", ".xz": "xz",
}  # fmt: skip
MAGIC_BYTES = 10
"""How many bytes :func:`detect` wants to see."""

_NAMES = {"gz": "gzip", "zst": "Zstandard", "bz2": "bzip2", "xz": "xz"}
_OUT = 1 << 18
# zstandard's object gives all output of one input at once; 4 KiB of it are at most 128 MiB.
_SLICE = {"gz": 1 << 16, "bz2": 1 << 16, "xz": 1 << 16, "zst": 1 << 12}


class TruncatedError(InputError):
    """Compressed data ends in the middle of a member."""


def detect(head: bytes) -> Compression | None:
    """The compression by the first bytes, whatever the file is named."""
    if head.startswith(b"\x1f\x8b"):
        return "gz"
    if head[:4] == b"\x28\xb5\x2f\xfd" or (head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5):
        return "zst"
    if head.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    if head.startswith(b"BZh") and head[4:10] == b"1AY&SY":
        return "bz2"
    return None


def decompress(chunks: Iterable[bytes], kind: Compression, name: str) -> Iterator[bytes]:
    """Decompressed bytes of all members; see :func:`members` for the errors."""
    return (data for data, _end in members(chunks, kind, name) if data)


def members(
    chunks: Iterable[bytes], kind: Compression, name: str
) -> Iterator[tuple[bytes, int | None]]:
    """Decompressed bytes, and where members end.

    Args:
        chunks: The compressed bytes.
        kind: Their compression.
        name: File name for messages.

    Yields:
        ``(data, None)``, and ``(b"", offset)`` when a member ends before byte ``offset`` of the
        compressed stream.

    Raises:
        TruncatedError: The stream ends inside a member.
        InputError: The bytes are damaged, or something else follows a member.
        MissingExtraError: Zstandard without the package ``zstandard``.
    """
    new, feed = _decoder(kind)
    errors = _errors(kind)
    decoder: Any = None
    offset = 0
    for piece in _slices(chunks, _SLICE[kind]):
        while piece:
            if decoder is None:
                if offset and kind == "gz":  # tar and tapes pad with NUL behind the last member
                    padding = len(piece) - len(piece.lstrip(b"\0"))
                    offset, piece = offset + padding, piece[padding:]
                    if not piece:
                        break
                decoder = new()
            try:
                for data in feed(decoder, piece):
                    yield data, None
            except errors as error:
                raise InputError(
                    f"{name}: damaged {_NAMES[kind]} data near byte {offset}: {error}"
                ) from error
            rest = decoder.unused_data if decoder.eof else b""
            offset += len(piece) - len(rest)
            if decoder.eof:
                decoder = None
                yield b"", offset
            piece = rest
    if decoder is not None:
        raise TruncatedError(
            f"{name}: the {_NAMES[kind]} data ends in the middle (byte {offset}): cut off?"
        )


def compress_block(data: bytes, kind: Compression) -> bytes:
    """``data`` as one complete member.

    Raises:
        MissingExtraError: Zstandard without the package ``zstandard``.
    """
    if kind == "gz":
        return gzip.compress(data, 6, mtime=0)
    if kind == "zst":
        compressor = _zstandard().ZstdCompressor(level=3, write_checksum=True)
        return bytes(compressor.compress(data))
    return bz2.compress(data) if kind == "bz2" else lzma.compress(data)


def require(kind: Compression | None) -> None:
    """Fail now rather than at the first block if a package is missing.

    Raises:
        MissingExtraError: Zstandard without the package ``zstandard``.
    """
    if kind == "zst":
        _zstandard()


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("zstandard", "zstd") from error
    return zstandard


def _errors(kind: Compression) -> tuple[type[BaseException], ...]:
    if kind == "zst":
        return (_zstandard().ZstdError,)
    return {"gz": (zlib.error,), "bz2": (OSError, EOFError), "xz": (lzma.LZMAError,)}[kind]


def _decoder(
    kind: Compression,
) -> tuple[Callable[[], Any], Callable[[Any, bytes], Iterator[bytes]]]:
    if kind == "gz":
        return (lambda: zlib.decompressobj(31)), _feed_zlib
    if kind == "zst":
        context = _zstandard().ZstdDecompressor()
        return context.decompressobj, lambda decoder, data: iter((decoder.decompress(data),))
    return (bz2.BZ2Decompressor if kind == "bz2" else lzma.LZMADecompressor), _feed_bounded


def _feed_zlib(decoder: Any, data: bytes) -> Iterator[bytes]:
    yield decoder.decompress(data, _OUT)
    while decoder.unconsumed_tail:
        yield decoder.decompress(decoder.unconsumed_tail, _OUT)


def _feed_bounded(decoder: Any, data: bytes) -> Iterator[bytes]:
    yield decoder.decompress(data, _OUT)
    while not decoder.eof and not decoder.needs_input:
        yield decoder.decompress(b"", _OUT)


def _slices(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]
