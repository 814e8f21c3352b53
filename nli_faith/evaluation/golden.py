"""Reads golden sets: questions with references, before there is any answer or context."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.errors import InputError, RecordError
from nli_faith.io import FieldMap, readers
from nli_faith.io.names import REQUIRED, Plan


class _GoldenMap(FieldMap):
    """A field map for which answer and contexts may be absent: they are then empty."""

    def plan(self, row: Mapping[str, Any]) -> Plan:
        return super().plan(self._filled(row))

    def check_columns(self, columns: Any, source: str) -> None:
        try:
            super().plan(self._filled(dict.fromkeys(columns)))
        except RecordError as error:
            raise InputError(f"{source}: {error}") from error

    def record(
        self,
        row: Mapping[str, Any],
        *,
        default_id: str,
        source: str | None = None,
        line: int | None = None,
    ) -> Record:
        return super().record(self._filled(row), default_id=default_id, source=source, line=line)

    def _filled(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        empty: dict[str, Any] = {"answer": None, "contexts": None}
        for _ in REQUIRED:
            try:
                super().plan(row)
            except RecordError as error:
                # Only what is wholly absent is filled in; what is ambiguous stays an error.
                name = error.field or ""
                if name not in empty or name in row or not error.reason.startswith("missing"):
                    raise
                row = {**row, name: empty[name]}
        return row


def read_golden(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    on_reject: readers.OnReject | None = None,
) -> Iterator[Record]:
    """As `nli_faith.io.read_records`, but a row needs neither answer nor contexts.

    Args:
        source: A path, or ``-`` for standard input.
        format: By default from the name and the content.
        mapping: Field -> column where the detected names do not do.
        encoding: Of text.
        on_reject: Called for each row that cannot be used; by default the first ends the run.

    Yields:
        Records in input order.

    Raises:
        ConfigError: An unknown format, encoding or field.
        InputError: The input cannot be read.
        RecordError: A row cannot be used and ``on_reject`` is None.
    """
    return readers.read_records(
        source, format=format, mapping=_GoldenMap(mapping), encoding=encoding, on_reject=on_reject
    )
