"""Verdicts in SQLite: an append-only log, on disk before the page is told that it is saved."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from nli_faith.datamodels import Label
from nli_faith.errors import ConfigError, OutputError

UNSURE = "unsure"
VERDICTS = (*(label.value for label in Label), UNSURE, "")
"""What a person may say; the empty one takes a verdict back."""
MAX_NAME = 60
MAX_NOTE = 4000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS review_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,
    n INTEGER NOT NULL,
    reviewer TEXT NOT NULL,
    verdict TEXT NOT NULL,
    note TEXT NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS review_log_unit ON review_log (record, n, reviewer, seq);
"""
_APPLICATION = 0x6E66_7276  # "nfrv"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One entry of the log.

    Attributes:
        seq: Its number; grows.
        record: The record's key.
        n: The claim's number, from 1 on.
        reviewer: Who.
        verdict: A label, ``unsure``, or empty: taken back.
        note: What they say of it.
        at: When, ISO 8601 in UTC.
    """

    seq: int
    record: str
    n: int
    reviewer: str
    verdict: str
    note: str
    at: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "seq": self.seq, "key": self.record, "n": self.n, "reviewer": self.reviewer,
            "verdict": self.verdict, "note": self.note, "at": self.at,
        }  # fmt: skip


class ConflictError(Exception):
    """Another tab has changed the verdict meanwhile.

    Attributes:
        current: The verdict as it is now.
    """

    def __init__(self, current: Verdict) -> None:
        self.current = current
        super().__init__(f"verdict {current.seq} came in between")


class VerdictStore:
    """The log of verdicts. One object may serve many threads, one file many processes.

    Args:
        path: The database; made if it is not there.

    Raises:
        OutputError: It cannot be opened or written, or is another database.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(
                self.path, timeout=10.0, isolation_level=None, check_same_thread=False
            )
            self._prepare()
        except sqlite3.Error as error:
            raise OutputError(f"{self.path}: cannot keep verdicts here: {error}") from error

    def _prepare(self) -> None:
        found = self._db.execute("PRAGMA application_id").fetchone()[0]
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and found != _APPLICATION:
            raise OutputError(f"{self.path}: is a database of something else: name another")
        # A verdict is on disk when it is acknowledged, also if the power goes.
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
        self._db.executescript(_SCHEMA)

    def add(self, *, uid: str, record: str, n: int, reviewer: str, verdict: str, note: str = "",
            base: int | None = None) -> Verdict:  # fmt: skip
        """Put a verdict on disk.

        Args:
            uid: Unique for each act of a person: sent again, it is not stored again.
            record: The record's key.
            n: The claim's number, from 1 on.
            reviewer: Who; see `check_name`.
            verdict: One of `VERDICTS`.
            note: At most `MAX_NOTE` characters.
            base: ``seq`` of the verdict this one replaces, 0 for none; unchecked when None.

        Raises:
            ConfigError: A value cannot be.
            ConflictError: The verdict in force is not ``base``.
            OutputError: It could not be written.
        """
        check_name(reviewer)
        if verdict not in VERDICTS:
            raise ConfigError(f"verdict {verdict!r:.40} is none of {', '.join(VERDICTS[:-1])}")
        if n < 1 or not uid or len(uid) > 100 or len(note) > MAX_NOTE:
            raise ConfigError(f"claim number {n}, id or note ({len(note)} characters) out of range")
        # SQLite holds UTF-8: halves of surrogate pairs are replaced.
        values = [_clean(v) for v in (uid, record, reviewer, verdict, note)]
        uid, record, reviewer, verdict, note = values
        with self._writing():
            done = self._one("uid = ?", (uid,))
            if done is not None:
                return done
            now = self._one("record = ? AND n = ? AND reviewer = ?", (record, n, reviewer))
            if base is not None and (now.seq if now else 0) != base:
                if now is None:
                    raise ConfigError(f"there is no verdict {base} to replace")
                raise ConflictError(now)
            at = datetime.now(timezone.utc).isoformat(timespec="seconds")
            cursor = self._db.execute(
                "INSERT INTO review_log (uid, record, n, reviewer, verdict, note, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (uid, record, n, reviewer, verdict, note, at),
            )
            return Verdict(cursor.lastrowid or 0, record, n, reviewer, verdict, note, at)

    def current(self, reviewer: str | None = None, since: int = 0) -> list[Verdict]:
        """Verdicts in force, one for each claim and reviewer, in the order they were given.

        Args:
            reviewer: Only theirs.
            since: Only those given after this ``seq``, taken back ones too (with an empty
                verdict).
        """
        where, values = "seq > ?", [since, *([reviewer] if reviewer is not None else [])]
        where += " AND reviewer = ?" if reviewer is not None else ""
        with self._lock:
            rows = self._db.execute(
                "SELECT seq, record, n, reviewer, verdict, note, at FROM review_log WHERE seq IN "
                f"(SELECT max(seq) FROM review_log WHERE {where} GROUP BY record, n, reviewer) "
                "ORDER BY seq",
                values,
            ).fetchall()
        found = [Verdict(*row) for row in rows]
        return found if since else [v for v in found if v.verdict]

    def last(self) -> int:
        """The highest ``seq``; 0 for an empty log."""
        with self._lock:
            return int(
                self._db.execute("SELECT coalesce(max(seq), 0) FROM review_log").fetchone()[0]
            )

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> VerdictStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _one(self, where: str, values: tuple[Any, ...]) -> Verdict | None:
        row = self._db.execute(
            "SELECT seq, record, n, reviewer, verdict, note, at FROM review_log "
            f"WHERE {where} ORDER BY seq DESC LIMIT 1",
            values,
        ).fetchone()
        return Verdict(*row) if row else None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise OutputError(f"{self.path}: cannot be written: {error}") from error


def check_name(name: str) -> str:
    """A reviewer's name: 1 to `MAX_NAME` printable characters, none blank at either end.

    Raises:
        ConfigError: It is not; the message quotes it.
    """
    if not name or len(name) > MAX_NAME or name != name.strip() or not name.isprintable():
        raise ConfigError(
            f"reviewer {name!r:.80}: a name of 1 to {MAX_NAME} printable characters is needed"
        )
    return name


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
