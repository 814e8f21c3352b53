"""The registry's tables, and opening a database that has them."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from nli_faith.errors import InputError, OutputError

APPLICATION = 0x6E6C6672  # "nlfr": tells our databases from others
VERSION = 1

SCHEMA = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    at TEXT NOT NULL,              -- UTC, ISO 8601
    source TEXT NOT NULL,          -- the file's name, without its folder
    content_sha256 TEXT NOT NULL,  -- of the file
    model TEXT, model_sha256 TEXT, config_hash TEXT, version TEXT,
    rows INTEGER NOT NULL, scored INTEGER NOT NULL, rejected INTEGER NOT NULL,
    statuses TEXT NOT NULL,        -- JSON: status -> rows
    label_counts TEXT NOT NULL,    -- JSON: label -> claims
    group_by TEXT,
    redacted INTEGER NOT NULL, texts INTEGER NOT NULL
);
CREATE TABLE means (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    grp TEXT NOT NULL,             -- '' for the whole run
    measure TEXT NOT NULL,
    n INTEGER NOT NULL, total INTEGER NOT NULL, mean REAL NOT NULL,
    PRIMARY KEY (run, grp, measure)
) WITHOUT ROWID;
CREATE TABLE records (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    record TEXT NOT NULL,
    grp TEXT NOT NULL,
    status TEXT NOT NULL,
    measures TEXT NOT NULL,        -- JSON: measure -> value
    claims TEXT NOT NULL,          -- JSON: [hash of the text, label, support], ...
    texts TEXT,                    -- JSON: the claims' texts; only where asked for
    PRIMARY KEY (run, ordinal)
) WITHOUT ROWID;
CREATE INDEX records_by_id ON records (run, record);
CREATE TABLE secrets (salt BLOB NOT NULL);
"""


def open_database(path: str | os.PathLike[str], *, create: bool) -> sqlite3.Connection:
    """Open the registry, in WAL mode so that readers and a writer do not wait for each other.

    Args:
        path: The file; its folder is made if need be.
        create: Make it if there is none.

    Raises:
        InputError: There is none, it is no such database, or it is of a later version.
        OutputError: It cannot be made or opened.
    """
    file = Path(path)
    if not file.exists():
        if not create:
            raise InputError(f"{file}: no registry of runs here: add a run with `runs add`")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{file.parent}: {error.strerror or error}") from error
    elif file.is_dir():
        raise InputError(f"{file}: is a directory: name a file in it")
    try:
        # autocommit: transactions are opened by hand, BEGIN IMMEDIATE.
        db = sqlite3.connect(file, timeout=30, isolation_level=None)
    except sqlite3.Error as error:
        raise OutputError(f"{file}: cannot be opened: {error}") from error
    try:
        _prepare(db, str(file))
    except sqlite3.DatabaseError as error:
        db.close()
        raise InputError(f"{file}: is no registry of runs: {error}") from error
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection, name: str) -> None:
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA secure_delete = ON")  # what is deleted is gone, not merely unlisted
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application == APPLICATION:
        if version > VERSION:
            raise InputError(f"{name}: was written by a later nli_faith (format {version})")
        return
    if tables:
        raise InputError(f"{name}: is a database of something else, not a registry of runs")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN IMMEDIATE")
    # Another process may have made the tables while this one waited for the lock.
    if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        for statement in SCHEMA.split(";\n"):
            if statement.strip():
                db.execute(statement)
        db.execute("INSERT INTO secrets VALUES (?)", (os.urandom(16),))
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.execute("COMMIT")
