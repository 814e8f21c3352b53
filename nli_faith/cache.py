"""A store of pair probabilities that outlives a run: SQLite in WAL mode.

The key is a hash over the model's sha256 and both token id sequences, so another model, or
another tokenizer, never meets the same key.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from nli_faith.errors import OutputError

_LOOKUP = 500  # keys in one SELECT; SQLite's limit on variables was 999 for long


class PairCache:
    """Pair probabilities on disk, shared by threads and by processes.

    Use it as a context manager, or call `close`.
    """

    def __init__(self, path: str | Path) -> None:
        """Open or create a cache.

        Args:
            path: The SQLite file.

        Raises:
            OutputError: The file cannot be opened, or is no such cache.
        """
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(self.path, timeout=60, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS pair (key BLOB PRIMARY KEY, probs BLOB) WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            raise OutputError(f"cannot use {self.path} as a pair cache: {error}") from error

    @staticmethod
    def key(model: str, premise: NDArray[np.int32], hypothesis: NDArray[np.int32]) -> bytes:
        """16 bytes that stand for a model and a pair.

        Args:
            model: The model's sha256, with anything else that changes its numbers.
            premise: Token ids.
            hypothesis: Token ids.
        """
        digest = hashlib.blake2b(model.encode(), digest_size=16)
        digest.update(np.asarray([len(premise)], dtype="<i8").tobytes())
        digest.update(np.asarray(premise, dtype="<i4").tobytes())
        digest.update(np.asarray(hypothesis, dtype="<i4").tobytes())
        return digest.digest()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The (3,) probabilities of those keys that are known."""
        found: dict[bytes, NDArray[np.float32]] = {}
        with self._lock:
            for i in range(0, len(keys), _LOOKUP):
                part = list(keys[i : i + _LOOKUP])
                marks = ",".join("?" * len(part))
                rows = self._db.execute(f"SELECT key, probs FROM pair WHERE key IN ({marks})", part)
                found.update((k, np.frombuffer(p, dtype="<f4")) for k, p in rows)
        return found

    def put(self, keys: Sequence[bytes], probs: NDArray[np.float32]) -> None:
        """Store (n, 3) probabilities under n keys.

        Raises:
            OutputError: The cache cannot be written.
        """
        rows = [
            (key, np.ascontiguousarray(row, dtype="<f4").tobytes())
            for key, row in zip(keys, probs, strict=True)
        ]
        try:
            with self._lock, self._db:
                self._db.executemany("INSERT OR REPLACE INTO pair VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise OutputError(f"cannot write the pair cache {self.path}: {error}") from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> PairCache:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
