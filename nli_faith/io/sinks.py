"""Where result rows go: text formats in committed blocks, Parquet in row groups."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from typing import Any, Protocol

from nli_faith.io.blockfile import BlockFile
from nli_faith.io.compression import Compression, compress_block
from nli_faith.io.jsontext import dumps
from nli_faith.io.parquet import ParquetSink
from nli_faith.io.table import SCHEMA, csv_line, flatten, header_line

BLOCK_ROWS = 256
"""Rows of a compressed block, unless ``flush`` is called or the other bounds are met before."""

BLOCK_BYTES = 1 << 20
"""Bytes of a compressed block before compression."""

BLOCK_SECONDS = 2.0
"""Age of a compressed block's first row at which the next row completes the block."""

GROUP_ROWS = 4096
"""Rows of a Parquet row group."""


class Sink(Protocol):
    """Takes result rows."""

    @property
    def rows(self) -> int:
        """Rows that are written and safe."""

    def write(self, row: Mapping[str, Any]) -> None:
        """Take one row.

        Raises:
            OSError: A block could not be written; it is kept for the next try.
        """

    def flush(self) -> None:
        """Write what was taken.

        Raises:
            OSError: As in :meth:`write`.
        """

    def finish(self) -> None:
        """Write what was taken and what the format wants at its end, and put it on disk.

        Raises:
            OSError: As in :meth:`write`.
        """


class JsonLines:
    """One JSON object a line."""

    trailer = b""

    def __init__(self, *, newline_first: bool = False) -> None:
        self._newline_first = newline_first

    def encode(self, row: Mapping[str, Any]) -> bytes:
        """One row."""
        return dumps(row if isinstance(row, dict) else dict(row), newline=True)

    def block(self, rows: list[bytes], *, first: bool) -> bytes:
        """Rows put together; ``first`` for the first block of this run."""
        return (b"\n" if first and self._newline_first else b"") + b"".join(rows)


class JsonArray:
    """A JSON array, closed behind every block: the next one overwrites the bracket."""

    trailer = b"\n]\n"

    def encode(self, row: Mapping[str, Any]) -> bytes:
        """One row."""
        return dumps(row if isinstance(row, dict) else dict(row))

    def block(self, rows: list[bytes], *, first: bool) -> bytes:
        """Rows put together; ``first`` for the first block of this run."""
        if not rows:
            return b"["
        return (b"[\n" if first else b",\n") + b",\n".join(rows)


class Csv:
    """CSV after RFC 4180 with the columns of :mod:`nli_faith.io.table`."""

    trailer = b""

    def __init__(self, *, bom: bool = False) -> None:
        self._start = ("\ufeff" if bom else "") + header_line()

    def encode(self, row: Mapping[str, Any]) -> bytes:
        """One row."""
        return csv_line(row).encode("utf-8", "backslashreplace")

    def block(self, rows: list[bytes], *, first: bool) -> bytes:
        """Rows put together; ``first`` for the first block of this run."""
        return (self._start.encode() if first else b"") + b"".join(rows)


class BlockSink:
    """Text rows, written in blocks: row by row, or, compressed, many rows together.

    Args:
        file: The output.
        encoder: The format.
        offset: Where to begin.
        compression: Each block becomes one member or frame of it.
    """

    def __init__(
        self,
        file: BlockFile,
        encoder: JsonLines | JsonArray | Csv,
        *,
        offset: int = 0,
        compression: Compression | None = None,
    ) -> None:
        self._file = file
        self._encoder = encoder
        self._compression = compression
        self._bytes = 0
        self._due = 0.0
        # Offset of the good end, safe rows, waiting rows: replaced in one step, so that an
        # interrupt sees a block as written and gone from the waiting ones, or as neither.
        self._state: tuple[int, int, list[bytes]] = (offset, 0, [])

    @property
    def rows(self) -> int:
        """Rows that are written and safe."""
        return self._state[1]

    def write(self, row: Mapping[str, Any]) -> None:
        """Take one row; see :class:`Sink`."""
        line = self._encoder.encode(row)
        waiting = self._state[2]
        waiting.append(line)
        if self._compression is None:
            self._commit()
            return
        self._bytes += len(line)
        now = time.monotonic()
        if len(waiting) == 1:
            self._due = now + BLOCK_SECONDS
        if len(waiting) >= BLOCK_ROWS or self._bytes >= BLOCK_BYTES or now >= self._due:
            self._commit()

    def flush(self) -> None:
        """Write the waiting rows; see :class:`Sink`."""
        if self._state[2]:
            self._commit()

    def finish(self) -> None:
        """Write the waiting rows, a header if there were none; see :class:`Sink`."""
        if self._state[2] or self._state[1] == 0:
            self._commit()
        self._file.cut(self._state[0] + len(self._encoder.trailer))
        self._file.sync()

    def _commit(self) -> None:
        offset, rows, waiting = self._state
        block = self._encoder.block(waiting, first=rows == 0)
        if not block:
            return
        trailer = self._encoder.trailer
        if self._compression is not None:
            block = compress_block(block, self._compression)
        try:
            end = self._file.write_at(offset, block + trailer) - len(trailer)
        except OSError:
            if trailer and rows and self._file.seekable:  # what is there stays valid JSON
                with contextlib.suppress(OSError):
                    self._file.write_at(offset, trailer)
            raise
        self._state = (end, rows + len(waiting), [])
        self._bytes = 0


class GroupSink:
    """Parquet rows, collected and written in row groups; ``flush`` waits for a full group.

    A Parquet file can be read only when it is finished, so no row counts as safe before.
    """

    def __init__(self, file: BlockFile) -> None:
        self._file = file
        self._sink = ParquetSink(_Sequential(file), SCHEMA)
        self._waiting: list[dict[str, Any]] = []
        self._rows = 0
        self._finished = False

    @property
    def rows(self) -> int:
        """Rows that are written and safe."""
        return self._rows if self._finished else 0

    def write(self, row: Mapping[str, Any]) -> None:
        """Take one row; see :class:`Sink`."""
        self._waiting.append(flatten(row))
        if len(self._waiting) >= GROUP_ROWS:
            self._write_group()

    def flush(self) -> None:
        """Nothing: small row groups would make a bad file."""

    def finish(self) -> None:
        """Write the last group and the footer; see :class:`Sink`."""
        if self._waiting:
            self._write_group()
        self._sink.close()
        self._finished = True
        self._file.sync()

    def _write_group(self) -> None:
        self._sink.write(self._waiting)
        self._rows += len(self._waiting)
        self._waiting = []


class _Sequential:
    """A block file as the file object that pyarrow writes to."""

    closed = False

    def __init__(self, file: BlockFile) -> None:
        self._file = file
        self._offset = 0

    def write(self, data: Any) -> int:
        written = bytes(data)
        self._offset = self._file.write_at(self._offset, written)
        return len(written)

    def tell(self) -> int:
        return self._offset

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False
