"""Rows of a labelled file, whatever its shape: records, or what ``score`` wrote."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.errors import NliFaithError, RecordError
from nli_faith.io import FieldMap, manifest_path, read_records, read_scored

_ABSENT: Any = object()
PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        id: Its id.
        origin: ``file:line`` for messages.
        raw: The row as an object; for a scored row what `FaithfulnessResult.from_dict` takes.
        record: The record; None for a scored row.
    """

    id: str
    origin: str
    raw: Mapping[str, Any]
    record: Record | None = None

    def claims(self, *, own: bool) -> Sequence[Mapping[str, Any]]:
        """Claims of a row.

        Args:
            own: Of a scored row its scored claims, else those it was labelled with.
        """
        source = self.raw if own and self.record is None else self._meta()
        found = source.get("claims")
        if isinstance(found, str):
            try:
                found = json.loads(found)
            except ValueError:
                return ()
        if not isinstance(found, (list, tuple)):
            return ()
        return [c for c in found if isinstance(c, Mapping)]

    def field(self, path: str) -> Any:
        """A field of the record's own, by name or dotted path; None where it is absent."""
        for source in (self._meta(), self.raw if self.record is not None else {}):
            value = _dig(source, path)
            if value is not _ABSENT:
                return value
        return None

    def names(self) -> list[str]:
        """Names of the fields that may hold a label."""
        return [str(k) for k in self._meta()]

    def _meta(self) -> Mapping[str, Any]:
        meta = self.record.meta if self.record is not None else self.raw.get("meta")
        return meta if isinstance(meta, Mapping) else {}


def is_scored(row: Row) -> bool:
    """Whether a row is one that ``score`` wrote."""
    return row.record is None


def read_rows(
    source: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
    mapping: Mapping[str, str] | None,
    problems: list[str],
) -> Iterator[Row]:
    """Rows of a labelled file or of rows in memory.

    Args:
        source: A path (any format that ``score`` reads, or its JSON lines output), or rows.
        mapping: Field -> column.
        problems: Told of rows that cannot be used.

    Raises:
        InputError: The source cannot be read.
    """
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        if name != "-" and _looks_scored(name):
            yield from _scored(((f"{name}:{n}", r) for n, r in enumerate(read_scored(name), 1)),
                               problems)  # fmt: skip
            return
        records = read_records(
            name, mapping=mapping, on_reject=lambda reject: problems.append(str(reject.error()))
        )
        for record in records:
            yield Row(record.id, record.source or name, record.meta, record)
        return
    rows = iter(source)
    first = list(itertools.islice(rows, 1))
    numbered = ((f"row {n}", r) for n, r in enumerate(itertools.chain(first, rows), 1))
    if first and _is_result(first[0]):
        yield from _scored(numbered, problems)
        return
    fields = FieldMap(mapping)
    for n, (origin, row) in enumerate(numbered, 1):
        try:
            record = row if isinstance(row, Record) else fields.record(row, default_id=f"row-{n}")
        except RecordError as error:
            problems.append(f"{origin}: {error}")
            continue
        yield Row(record.id, origin, record.meta, record)


def _scored(rows: Iterable[tuple[str, Any]], problems: list[str]) -> Iterator[Row]:
    for origin, row in rows:
        if _is_result(row):
            yield Row(str(row["id"]), origin, row)
        else:
            problems.append(f"{origin}: is no result row of `score`")


def _is_result(row: Any) -> bool:
    return isinstance(row, Mapping) and {"id", "status", "label_counts", "claims"} <= row.keys()


def _looks_scored(path: str) -> bool:
    try:
        return _is_result(next(read_scored(path), None))
    except (NliFaithError, OSError, ValueError):
        return False  # the record reader will say what is wrong


def scored_config(source: Any) -> Mapping[str, Any] | None:
    """The options a scored file was made with, from the manifest beside it."""
    if not isinstance(source, (str, os.PathLike)):
        return None
    path = manifest_path(source)
    try:
        config = json.loads(Path(path).read_bytes())["config"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return config if isinstance(config, dict) else None


def _dig(value: Any, path: str) -> Any:
    if isinstance(value, Mapping) and path in value:
        return value[path]
    head, dot, rest = path.partition(".")
    if head == "meta" and dot:  # records keep their extra columns there
        return _dig(value, rest)
    if dot and isinstance(value, Mapping) and head in value:
        return _dig(value[head], rest)
    return _ABSENT
