"""Whether training text stands in a dev set: shared strings of 20 characters, by their hashes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nli_faith.errors import ConfigError

Hashes = NDArray[np.uint64]

SIZE: Final = 20
# Letters say less than ideographs: English shares stock phrases of 20 letters everywhere.
_LATIN_SIZE: Final = 60
_NOISE: Final = re.compile(r"[\W_]+")
_FIELDS: Final = ("contexts", "premise", "hypothesis", "text", "answer", "question", "passage",
                  "claim", "options", "pairs", "extra", "supported", "edited")  # fmt: skip


def shingles(text: str) -> Hashes:
    """Hashes of all strings of 20 signs (60 where letters prevail) of a text.

    Punctuation, white space and case do not count. A shorter text has none.

    Args:
        text: Any text.
    """
    folded = _NOISE.sub("", text).lower()
    signs = np.frombuffer(folded.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    wide = _rolled(signs, SIZE)
    if not len(wide):
        return wide
    dense = np.convolve(signs >= 0x3400, np.ones(SIZE), "valid") >= SIZE / 2
    if dense.all():
        return np.unique(wide)
    return np.unique(np.concatenate((wide[dense], _rolled(signs, _LATIN_SIZE))))


def _rolled(signs: Hashes, size: int) -> Hashes:
    if len(signs) < size:
        return np.empty(0, dtype=np.uint64)
    count = len(signs) - size + 1
    out = np.full(count, size, dtype=np.uint64)
    for i in range(size):
        out = (out ^ signs[i : i + count]) * np.uint64(0x100000001B3)
        out ^= out >> np.uint64(31)
    return out


class OverlapIndex:
    """The strings of held-out sets."""

    def __init__(self, sets: Mapping[str, Iterable[str]]) -> None:
        """Hash the texts.

        Args:
            sets: Texts of each set, by its name.
        """
        self._sets: dict[str, Hashes] = {}
        for name, texts in sets.items():
            found = [shingles(t) for t in texts]
            empty = np.empty(0, dtype=np.uint64)
            self._sets[name] = np.unique(np.concatenate(found)) if found else empty

    def matches(self, texts: Iterable[str]) -> list[str]:
        """Names of the sets that share a string with any of the texts."""
        found = [shingles(t) for t in texts]
        mine = np.concatenate(found) if found else np.empty(0, dtype=np.uint64)
        return [name for name, known in self._sets.items() if _meets(mine, known)]


def _meets(mine: Hashes, known: Hashes) -> bool:
    if not len(mine) or not len(known):
        return False
    at = np.minimum(np.searchsorted(known, mine), len(known) - 1)
    return bool((known[at] == mine).any())


def texts_of(row: Mapping[str, Any]) -> Iterator[str]:
    """Texts of a row of any of the project's sets."""
    for field in _FIELDS:
        if field in row:
            yield from _strings(row[field])


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from texts_of(value)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _strings(item)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSONL file.

    Raises:
        ConfigError: The file cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    yield json.loads(line)
    except (OSError, json.JSONDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def index_of(paths: Iterable[Path]) -> OverlapIndex:
    """The index of JSONL files, each a set named after its file.

    Args:
        paths: Files of dev sets.
    """
    return OverlapIndex({p.stem: (t for r in read_rows(p) for t in texts_of(r)) for p in paths})


def count_overlap(path: Path, index: OverlapIndex) -> tuple[int, dict[str, int]]:
    """How many rows of a file share a string with each held-out set.

    Args:
        path: JSONL file of a training set.
        index: The held-out sets.

    Returns:
        Rows in the file, and rows that share a string, by set (sets without any left out).
    """
    total = 0
    found: dict[str, int] = {}
    for row in read_rows(path):
        total += 1
        for name in index.matches(texts_of(row)):
            found[name] = found.get(name, 0) + 1
    return total, found
