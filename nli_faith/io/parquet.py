"""Parquet through pyarrow (extra ``parquet``), read and written by row groups."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from nli_faith.errors import InputError, MissingExtraError
from nli_faith.io.fields import FieldMap
from nli_faith.io.rows import RawRow

BATCH_ROWS = 512
"""Rows turned into Python objects at a time."""

_SPOOL = 1 << 26


def read_parquet(
    source: Path | Iterable[bytes], *, name: str, fields: FieldMap, also: Iterable[str] = ()
) -> Iterator[RawRow]:
    """Rows of a Parquet file.

    Args:
        source: The file, or its bytes (a stream is first put into a temporary file: Parquet
            keeps its directory at the end).
        name: For messages.
        fields: To see from the schema alone whether the columns will do.
        also: Columns that the rows get from elsewhere.

    Raises:
        InputError: It is not Parquet, cut off, damaged, or lacks a required column.
        MissingExtraError: pyarrow is not installed.
    """
    arrow, parquet = _pyarrow()
    with _seekable(source) as file:
        try:
            with parquet.ParquetFile(file, pre_buffer=False) as opened:
                fields.check_columns([*opened.schema_arrow.names, *also], name)
                ordinal = 0
                for batch in opened.iter_batches(batch_size=BATCH_ROWS):
                    for row in _texts(batch, arrow).to_pylist():
                        ordinal += 1
                        yield RawRow(ordinal, ordinal, row, None, row)
        except (arrow.ArrowException, OSError) as error:
            reason = str(error).split("\n")[0]
            raise InputError(f"{name}: not a readable Parquet file: {reason}") from error


def require() -> None:
    """Fail now if pyarrow is missing.

    Raises:
        MissingExtraError: It is.
    """
    _pyarrow()


class ParquetSink:
    """Writes tables of strings, numbers and booleans, one row group a call.

    Args:
        file: A file object with ``write``, ``tell``, ``flush``, ``close``; stays open.
        schema: Column -> ``string``, ``float64``, ``int64`` or ``bool``.
    """

    def __init__(self, file: Any, schema: dict[str, str]) -> None:
        self._arrow, parquet = _pyarrow()
        kinds = {"string": "string", "float64": "float64", "int64": "int64", "bool": "bool_"}
        self._schema = self._arrow.schema(
            [(column, getattr(self._arrow, kinds[kind])()) for column, kind in schema.items()]
        )
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")

    def write(self, rows: list[dict[str, Any]]) -> None:
        """Write rows as one row group."""
        self._writer.write_table(self._arrow.Table.from_pylist(rows, schema=self._schema))

    def close(self) -> None:
        """Write the footer, without which the file cannot be read."""
        self._writer.close()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    return pyarrow, pyarrow.parquet


def _seekable(source: Path | Iterable[bytes]) -> Any:
    if isinstance(source, Path):
        return open(source, "rb")
    spool = tempfile.SpooledTemporaryFile(max_size=_SPOOL)  # noqa: SIM115 - closed by the caller
    for chunk in source:
        spool.write(chunk)
    spool.seek(0)
    return spool


def _texts(batch: Any, arrow: Any) -> Any:
    """Binary columns as strings where they are UTF-8: Spark and Impala write strings so."""
    for index, field in enumerate(batch.schema):
        if arrow.types.is_binary(field.type) or arrow.types.is_large_binary(field.type):
            try:
                cast = batch.column(index).cast(arrow.string())
            except arrow.ArrowInvalid:
                continue
            batch = batch.set_column(index, field.with_type(arrow.string()), cast)
    return batch
