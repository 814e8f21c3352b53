"""Evaluations to a file: JSON lines, which `nli_faith.measures` reads, or a flat Parquet table."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Final

from nli_faith.errors import ConfigError, OutputError, OutputExistsError, OutputPathError
from nli_faith.evaluation.evaluator import RecordEvaluation
from nli_faith.io import ResultWriter, dumps, output_format
from nli_faith.io.parquet import ParquetSink, require
from nli_faith.redaction import redact_row
from nli_faith.verdicts import json_number

_GROUP_ROWS: Final = 4096


class EvaluationWriter:
    """Writes evaluations; a context manager.

    JSON lines (also ``.gz``, ``.zst``) hold `RecordEvaluation.to_dict`. Parquet holds one row a
    record: ``id``, for each metric ``NAME`` (float, null for NaN), ``NAME.status`` and
    ``NAME.reason``, and ``details`` and ``meta`` as JSON text. It is put together beside the output
    and takes its place when it is complete.

    Args:
        path: The output; ``-`` for JSON lines on standard output.
        names: The metrics, for the columns.
        overwrite: Replace existing content.
        redact: Mask what is private in every text but the id, see `nli_faith.redaction`.

    Raises:
        ConfigError: The suffix is neither JSON lines nor Parquet.
    """

    def __init__(
        self, path: str | os.PathLike[str], names: Sequence[str], *, overwrite: bool = False,
        redact: bool = False,
    ) -> None:  # fmt: skip
        self._redact = redact
        self.format, _ = output_format(path)
        if self.format not in ("jsonl", "parquet"):
            raise ConfigError(
                f"{os.fspath(path)}: evaluations are written as .jsonl or .parquet, not "
                f"{self.format}"
            )
        self._inner: ResultWriter | _ParquetFile = (
            ResultWriter(path, overwrite=overwrite)
            if self.format == "jsonl"
            else _ParquetFile(os.fspath(path), list(names), overwrite)
        )

    def write(self, evaluation: RecordEvaluation) -> None:
        """Take one record.

        Raises:
            OutputError: The disk is full or otherwise refuses.
        """
        row = evaluation.to_dict()
        self._inner.write(redact_row(row) if self._redact else row)

    def __enter__(self) -> EvaluationWriter:
        """Open the output.

        Raises:
            OutputExistsError: It has content, and ``overwrite`` is not given.
            OutputError: It cannot be written.
            MissingExtraError: Parquet without pyarrow.
        """
        self._inner.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close; after an exception an unfinished Parquet file is removed."""
        self._inner.__exit__(kind, error, trace)


class _ParquetFile:
    """A flat table, put together in a temporary file."""

    def __init__(self, path: str, names: list[str], overwrite: bool) -> None:
        self.path = path
        self.names = names
        self.overwrite = overwrite
        self._temporary = f"{path}.{os.getpid()}.partial"
        self._file: BinaryIO | None = None
        self._sink: ParquetSink | None = None
        self._waiting: list[dict[str, Any]] = []

    def __enter__(self) -> _ParquetFile:
        require()
        if self.path == "-" or os.path.isdir(self.path):
            raise OutputPathError(f"{self.path}: Parquet needs a file")
        if os.path.exists(self.path) and os.path.getsize(self.path) and not self.overwrite:
            raise OutputExistsError(
                f"{self.path}: exists already: pass --overwrite to replace it, or name another "
                "output"
            )
        try:
            self._file = open(self._temporary, "wb")
        except OSError as error:
            raise OutputPathError(f"{self.path}: {error.strerror or error}") from error
        self._sink = ParquetSink(self._file, schema(self.names))
        return self

    def write(self, row: Mapping[str, Any]) -> None:
        self._waiting.append(flat_row(row, self.names))
        if len(self._waiting) >= _GROUP_ROWS:
            self._write_group()

    def _write_group(self) -> None:
        assert self._sink is not None
        try:
            self._sink.write(self._waiting)
        except OSError as error:
            raise OutputError(f"{self.path}: {error.strerror or error}") from error
        self._waiting = []

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._sink is not None
        assert self._file is not None
        try:
            if kind is None:
                self._write_group()
                self._sink.close()
                self._file.close()
                os.replace(self._temporary, self.path)
        except OSError as failure:
            raise OutputError(f"{self.path}: {failure.strerror or failure}") from failure
        finally:
            with contextlib.suppress(Exception):  # closed twice, or the disk is full
                self._sink.close()
            with contextlib.suppress(OSError):
                self._file.close()
            with contextlib.suppress(OSError):
                os.unlink(self._temporary)


def schema(names: Sequence[str]) -> dict[str, str]:
    """Column -> type of the flat table.

    Args:
        names: The metrics.
    """
    columns = {"id": "string"}
    for name in names:
        columns |= {name: "float64", f"{name}.status": "string", f"{name}.reason": "string"}
    return columns | {"details": "string", "meta": "string"}


def flat_row(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A row of `RecordEvaluation.to_dict` with the columns of `schema`.

    Args:
        row: The nested row.
        names: The metrics; those that the row lacks are null.
    """
    values = row["metrics"]
    flat: dict[str, Any] = {"id": row["id"]}
    for name in names:
        value = values.get(name, {})
        number = value.get("value")
        flat[name] = None if number is None else json_number(number)
        flat[f"{name}.status"] = value.get("status")
        flat[f"{name}.reason"] = value.get("reason")
    details = {name: v["details"] for name, v in values.items() if v.get("details")}
    flat["details"] = dumps(details).decode()
    flat["meta"] = dumps(row["meta"]).decode()
    return flat
