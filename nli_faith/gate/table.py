"""The measures of a whole file, as columns: 8 bytes a value and 8 an id, however long the ids."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nli_faith.datamodels import Label
from nli_faith.io import POSITIONAL_ID
from nli_faith.measures import MeasuredRow, read_manifest, read_measured, rejected_rows

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class MeasureTable:
    """Measures by record.

    Attributes:
        name: The file, for messages.
        ids: 64-bit hashes of the record ids, in file order.
        columns: Measure -> values, NaN where it was not measured.
        contradicted: Whether a record has a contradicted claim; False too where unknown.
        has_labels: Some row says how its claims were labelled.
        rejected: Input rows that the run could not read, by its manifest.
        positional: Some ids are mere row numbers.
        scorers: Distinct (model sha256, config hash) pairs.
    """

    name: str
    ids: NDArray[np.uint64]
    columns: dict[str, NDArray[np.float64]]
    contradicted: NDArray[np.bool_]
    has_labels: bool = False
    rejected: int = 0
    positional: bool = False
    scorers: frozenset[tuple[str, str]] = frozenset()

    @property
    def rows(self) -> int:
        """Rows in the file."""
        return int(self.ids.size)

    @property
    def unique(self) -> bool:
        """Whether no id comes twice."""
        return int(np.unique(self.ids).size) == self.rows

    def measured(self, measure: str) -> NDArray[np.float64]:
        """The values of a measure where it has one."""
        column = self.columns.get(measure)
        if column is None:
            return np.empty(0)
        return column[~np.isnan(column)]

    def coverage(self, measure: str) -> float:
        """Share of all rows, unreadable ones included, that have the measure; 0 for no rows."""
        total = self.rows + self.rejected
        return self.measured(measure).size / total if total else 0.0

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MeasureTable:
        """The table of a scored or evaluated file; one without rows is a table without rows.

        Raises:
            InputError: It cannot be read.
            RecordError: A row is neither scored nor evaluated.
        """
        table = cls.of(read_measured(path), os.fspath(path))
        rejected = rejected_rows(read_manifest(path))
        return cls(
            table.name, table.ids, table.columns, table.contradicted, table.has_labels,
            rejected, table.positional, table.scorers,
        )  # fmt: skip

    @classmethod
    def of(cls, rows: Iterable[MeasuredRow], name: str = "<rows>") -> MeasureTable:
        """The table of rows in memory or as a stream.

        Args:
            rows: Rows.
            name: For messages.
        """
        ids, bad = array("Q"), array("b")
        columns: dict[str, array[float]] = {}
        labelled = positional = False
        scorers: set[tuple[str, str]] = set()
        for n, row in enumerate(rows):
            ids.append(id_hash(row.id))
            for measure, value in row.values.items():
                if measure not in columns:
                    columns[measure] = array("d", [_NAN] * n)
                columns[measure].append(value)
            for column in columns.values():
                if len(column) == n:
                    column.append(_NAN)
            labelled |= bool(row.label_counts)
            positional |= row.id.startswith(POSITIONAL_ID)
            bad.append(row.label_counts.get(Label.CONTRADICTED.value, 0) > 0)
            if row.scorer is not None:
                scorers.add(_scorer_key(row.scorer))
        return cls(
            name,
            np.frombuffer(ids, dtype=np.uint64) if ids else np.empty(0, dtype=np.uint64),
            {m: np.frombuffer(c, dtype=np.float64) for m, c in columns.items()},
            np.frombuffer(bad, dtype=np.bool_) if bad else np.empty(0, dtype=np.bool_),
            labelled, 0, positional, frozenset(scorers),
        )  # fmt: skip


def id_hash(identity: str) -> int:
    """64 bits of BLAKE2b over an id; a million ids collide with a chance of 3 in 10^8."""
    data = identity.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def _scorer_key(scorer: Any) -> tuple[str, str]:
    return str(scorer.get("model_sha256", "")), str(scorer.get("config_hash", ""))
