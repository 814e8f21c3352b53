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

import numpy as np
from numpy.typing import NDArray

from nli_faith.errors import CacheError

_ROW_BYTES = 12  # three float32
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
            CacheError: The file cannot be opened, or is no such cache.
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
            raise CacheError(f"cannot use {self.path} as a pair cache: {error}") from error

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
        """The (3,) probabilities of those keys that are known.

        Raises:
            CacheError: The cache cannot be read, or is damaged.
        """
        found: dict[bytes, NDArray[np.float32]] = {}
        try:
            with self._lock:
                for i in range(0, len(keys), _LOOKUP):
                    part = list(keys[i : i + _LOOKUP])
                    marks = ",".join("?" * len(part))
                    query = f"SELECT key, probs FROM pair WHERE key IN ({marks})"
                    found.update((k, self._probs(p)) for k, p in self._db.execute(query, part))
        except sqlite3.Error as error:
            raise CacheError(f"cannot read the pair cache {self.path}: {error}") from error
        return found

    def _probs(self, stored: object) -> NDArray[np.float32]:
        """Stored bytes as probabilities, checked: a damaged row must not become a verdict."""
        if isinstance(stored, bytes) and len(stored) == _ROW_BYTES:
            probs = np.frombuffer(stored, dtype="<f4")
            # Contradiction is NaN for a model without that class.
            if np.isfinite(probs[:2]).all() and (np.nan_to_num(probs) >= 0).all():
                return probs
        raise CacheError(f"the pair cache {self.path} is damaged: delete it and run again")

    def put(self, keys: Sequence[bytes], probs: NDArray[np.float32]) -> None:
        """Store (n, 3) probabilities under n keys.

        Raises:
            CacheError: The cache cannot be written.
        """
        rows = [
            (key, np.ascontiguousarray(row, dtype="<f4").tobytes())
            for key, row in zip(keys, probs, strict=True)
        ]
        try:
            with self._lock, self._db:
                self._db.executemany("INSERT OR REPLACE INTO pair VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise CacheError(f"cannot write the pair cache {self.path}: {error}") from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> PairCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
