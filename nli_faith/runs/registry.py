"""The registry: add runs, list them, look one up."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from nli_faith.errors import ConfigError, InputError, OutputError
from nli_faith.io import dumps, loads
from nli_faith.measures import read_manifest, read_measured, rejected_rows
from nli_faith.runs.ingest import Keeper, Tally
from nli_faith.runs.location import default_path
from nli_faith.runs.schema import open_database

_COLUMNS = (
    "id, name, at, source, content_sha256, model, model_sha256, config_hash, version, rows, "
    "scored, rejected, statuses, label_counts, group_by, redacted, texts"
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run as registered.

    Attributes:
        id: Its number.
        name: Its name; several runs may share one.
        at: When it was scored.
        source: The file's name.
        content_sha256: Of the file.
        model: The model's name, where the file says.
        model_sha256: Of the model.
        config_hash: Of everything that can change a verdict.
        version: Of nli_faith.
        rows: Rows in the file.
        scored: Rows with faithfulness.
        rejected: Input rows that could not be read.
        statuses: Status -> rows.
        label_counts: Label -> claims.
        group_by: The path it is grouped by, if any.
        redacted: Private data was masked.
        texts: The claims' texts were kept.
        means: (group, measure) -> (measured, rows, mean); the whole run is group ``''``.
    """

    id: int
    name: str
    at: datetime
    source: str
    content_sha256: str
    model: str | None
    model_sha256: str | None
    config_hash: str | None
    version: str | None
    rows: int
    scored: int
    rejected: int
    statuses: Mapping[str, int]
    label_counts: Mapping[str, int]
    group_by: str | None
    redacted: bool
    texts: bool
    means: Mapping[tuple[str, str], tuple[int, int, float]]

    def mean(self, measure: str, group: str = "") -> float | None:
        """The mean of a measure where it was measured; None for none."""
        found = self.means.get((group, measure))
        return None if found is None else found[2]

    @property
    def coverage(self) -> float:
        """Scored / all rows, rejected ones included; 0 for no rows."""
        total = self.rows + self.rejected
        return self.scored / total if total else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        out: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        out["at"] = self.at.isoformat(timespec="seconds")
        out["coverage"] = round(self.coverage, 6)
        out["means"] = [
            {"group": g, "measure": m, "n": n, "rows": rows, "mean": round(mean, 6)}
            for (g, m), (n, rows, mean) in sorted(self.means.items())
        ]
        return out


class Registry:
    """A SQLite file of runs; a context manager. See `nli_faith.runs.schema` for the tables.

    Args:
        path: The file; `default_path` when None.
        create: Make it if there is none.

    Raises:
        InputError: There is none, or it is something else.
        OutputError: It cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, create: bool = False) -> None:
        self.path = Path(path) if path is not None else default_path()
        self.db = open_database(self.path, create=create)

    def __enter__(self) -> Registry:
        """Open already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.db.close()

    def add(
        self, path: str | os.PathLike[str], *, name: str, group_by: str | None = None,
        at: datetime | None = None, redact: bool = False, texts: bool = False,
        again: bool = False,
    ) -> Run:  # fmt: skip
        """Register a scored or evaluated file, wholly or not at all.

        Args:
            path: The file.
            name: The run's name.
            group_by: Dotted path of a group, ``meta.version``.
            at: When it was scored; the manifest's ``started`` when None, else now.
            redact: Mask private data in everything kept.
            texts: Keep the claims' texts; without it no text is kept at all.
            again: Register a file whose content is registered already.

        Raises:
            ConfigError: The name is empty.
            InputError: The file cannot be read, has no rows, or is registered already.
            RecordError: A row is neither scored nor evaluated.
            OutputError: The database refuses.
        """
        if not name.strip():
            raise ConfigError("a run needs a name")
        digest = _sha256(path)
        earlier = self.db.execute(
            "SELECT id FROM runs WHERE content_sha256 = ?", (digest,)
        ).fetchone()
        if earlier and not again:
            raise InputError(f"{os.fspath(path)}: is registered already, as run {earlier[0]}")
        manifest = read_manifest(path)
        salt = self.db.execute("SELECT salt FROM secrets").fetchone()[0]
        keeper = Keeper(group_by, redact, texts, salt)
        moment = _utc(at) if at is not None else _started(manifest)
        try:
            self.db.execute("BEGIN IMMEDIATE")
            number = self._insert(path, name.strip(), moment, digest, manifest, keeper)
            self.db.execute("COMMIT")
        except BaseException as error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise OutputError(f"{self.path}: {error}") from error
            raise
        return self.get(str(number))

    def _insert(
        self, path: str | os.PathLike[str], name: str, at: datetime, digest: str,
        manifest: Mapping[str, Any], keeper: Keeper,
    ) -> int:  # fmt: skip
        number = int(self.db.execute("SELECT coalesce(max(id), 0) + 1 FROM runs").fetchone()[0])
        self.db.execute(
            f"INSERT INTO runs ({_COLUMNS}) VALUES (?,?,?,?,?,'','','','',0,0,0,'','',?,?,?)",
            (number, name, at.isoformat(timespec="seconds"), Path(path).name, digest,
             keeper.group_by, keeper.redacted, keeper.texts),
        )  # fmt: skip
        tally = Tally()
        self.db.executemany(
            "INSERT INTO records VALUES (?,?,?,?,?,?,?,?)", self._rows(path, number, keeper, tally)
        )
        if not tally.rows:
            raise InputError(f"{os.fspath(path)}: has no rows")
        self.db.executemany(
            "INSERT INTO means VALUES (?,?,?,?,?,?)", ((number, *row) for row in tally.means())
        )
        # An evaluated row need not name its scorer; the run's manifest then does.
        named = manifest.get("scorer")
        scorer = tally.scorer or (named if isinstance(named, Mapping) else {})
        known = [scorer.get(k) for k in ("model", "model_sha256", "config_hash", "version")]
        if tally.mixed:
            known[1:3] = ["mixed", "mixed"]
        self.db.execute(
            "UPDATE runs SET model=?, model_sha256=?, config_hash=?, version=?, rows=?, scored=?, "
            "rejected=?, statuses=?, label_counts=? WHERE id=?",
            (*known, tally.rows, tally.scored, rejected_rows(manifest),
             dumps(tally.statuses).decode(), dumps(tally.label_counts).decode(), number),
        )  # fmt: skip
        return number

    @staticmethod
    def _rows(
        path: str | os.PathLike[str], number: int, keeper: Keeper, tally: Tally
    ) -> Iterator[tuple[Any, ...]]:
        for ordinal, row in enumerate(read_measured(path), 1):
            group = keeper.group(row)
            tally.add(row, group)
            yield (number, ordinal, *keeper.columns(row, group))

    def runs(self, name: str | None = None) -> list[Run]:
        """All runs, or those of one name, oldest first."""
        where, values = ("WHERE name = ?", (name,)) if name is not None else ("", ())
        rows = self.db.execute(f"SELECT {_COLUMNS} FROM runs {where} ORDER BY at, id", values)
        return [self._run(row) for row in rows.fetchall()]

    def get(self, reference: str) -> Run:
        """A run by its number, or the latest one of a name.

        Raises:
            InputError: There is none.
        """
        row = None
        if reference.isdecimal():
            row = self.db.execute(
                f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (int(reference),)
            ).fetchone()
        if row is None:
            row = self.db.execute(
                f"SELECT {_COLUMNS} FROM runs WHERE name = ? ORDER BY at DESC, id DESC LIMIT 1",
                (reference,),
            ).fetchone()
        if row is None:
            known = [r[0] for r in self.db.execute("SELECT DISTINCT name FROM runs LIMIT 20")]
            raise InputError(f"no run {reference!r}; there are {', '.join(known) or 'none'}")
        return self._run(row)

    def delete(self, reference: str) -> Run:
        """Forget a run and everything kept of it; returns what it was.

        Raises:
            InputError: There is none.
        """
        run = self.get(reference)
        self.db.execute("DELETE FROM runs WHERE id = ?", (run.id,))
        return run

    def _run(self, row: tuple[Any, ...]) -> Run:
        means = self.db.execute(
            "SELECT grp, measure, n, total, mean FROM means WHERE run = ?", (row[0],)
        )
        values: list[Any] = list(row)
        values[2] = datetime.fromisoformat(row[2])
        values[12], values[13] = loads(row[12].encode()), loads(row[13].encode())
        values[15], values[16] = bool(row[15]), bool(row[16])
        values.append({(g, m): (n, total, mean) for g, m, n, total, mean in means})
        return Run(*values)


def _sha256(path: str | os.PathLike[str]) -> str:
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: {error.strerror or error}") from error
    return digest.hexdigest()


def _started(manifest: Mapping[str, Any]) -> datetime:
    try:
        return _utc(datetime.fromisoformat(str(manifest["started"])))
    except (KeyError, ValueError):
        return datetime.now(timezone.utc)


def _utc(moment: datetime) -> datetime:
    """In UTC; a time without a zone is taken as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc).replace(microsecond=0)
