"""The synonym dictionary: the one that ships, and the user's file over it.

Two relations, because two uses need different strictness:

* ``synonyms``: groups of words that may stand for one another in a question (价格, 售价). The
  variant maker replaces one by another; matching takes them as equal.
* ``related``: for an aspect, words by which texts speak of it without naming it (性能: 跑分,
  流畅). Used for matching only, in that one direction.

A file is JSON, TOML or CSV, by its suffix. JSON and TOML hold ``synonyms`` (a list of lists) and
perhaps ``related`` (an object of lists); a JSON list of lists, and CSV with one group a line,
are synonyms.
"""

from __future__ import annotations

import csv
import importlib
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import orjson

from nli_faith.errors import ConfigError, InputEncodingError, InputError
from nli_faith.text import fold

DATA = Path(__file__).with_name("synonyms.json")


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Synonyms and related words; immutable, and equal only to itself.

    Attributes:
        groups: Groups of synonyms as written, each of at least two different words.
        related: Aspect (folded) -> words (folded) by which a text may speak of it.
        index: Word (folded) -> the numbers of its groups.
    """

    groups: tuple[tuple[str, ...], ...]
    related: Mapping[str, tuple[str, ...]]
    index: Mapping[str, tuple[int, ...]]

    def synonyms(self, word: str) -> tuple[str, ...]:
        """Other words of the word's groups, as written, in the dictionary's order.

        Args:
            word: A word in any form; compared folded.
        """
        key = fold(word)
        found = (w for i in self.index.get(key, ()) for w in self.groups[i] if fold(w) != key)
        return tuple(dict.fromkeys(found))

    def names(self, word: str) -> tuple[str, ...]:
        """Folded: the word, its synonyms, and the words related to any of them.

        Args:
            word: An aspect or another content word.
        """
        same, loose = self.forms(word)
        return (*same, *loose)

    def forms(self, word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Folded: the word with its synonyms, and apart from them the words related to any.

        Args:
            word: An aspect or another content word.
        """
        return _forms(self, word)

    def knows(self, word: str) -> bool:
        """Whether a word is in a group or has related words."""
        key = fold(word)
        return key in self.index or key in self.related

    def extended(
        self, groups: Iterable[Sequence[str]], related: Mapping[str, Sequence[str]] | None = None
    ) -> Lexicon:
        """This lexicon with more groups and related words; nothing is taken away.

        Args:
            groups: Groups of synonyms; a word may be in several.
            related: Aspect -> further words.
        """
        merged = {key: list(words) for key, words in self.related.items()}
        for key, words in (related or {}).items():
            merged.setdefault(fold(key), []).extend(fold(w) for w in words)
        return _build([*self.groups, *groups], merged)


@lru_cache(maxsize=16_384)
def _forms(lexicon: Lexicon, word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    same = dict.fromkeys([fold(word), *(fold(w) for w in lexicon.synonyms(word))])
    loose = (w for name in same for w in lexicon.related.get(name, ()) if w not in same)
    return tuple(same), tuple(dict.fromkeys(loose))


def _build(groups: Iterable[Sequence[str]], related: Mapping[str, Sequence[str]]) -> Lexicon:
    kept: list[tuple[str, ...]] = []
    index: dict[str, list[int]] = {}
    for group in groups:
        words = tuple({fold(w.strip()): w.strip() for w in group if w.strip()}.values())
        if len(words) < 2:
            continue
        for word in words:
            index.setdefault(fold(word), []).append(len(kept))
        kept.append(words)
    return Lexicon(
        tuple(kept),
        {fold(k): tuple(dict.fromkeys(fold(w) for w in words)) for k, words in related.items()},
        {word: tuple(numbers) for word, numbers in index.items()},
    )


@cache
def default_lexicon() -> Lexicon:
    """The lexicon that ships with the package, read once."""
    groups, related = _sections(orjson.loads(DATA.read_bytes()), DATA.name)
    return _build(groups, related)


def load_lexicon(path: str | os.PathLike[str]) -> Lexicon:
    """The shipped lexicon extended by a user's file.

    Args:
        path: A ``.json``, ``.toml`` or ``.csv`` file in UTF-8, with or without BOM.

    Raises:
        InputError: It cannot be read, or is not what its suffix says.
        InputEncodingError: It is not UTF-8.
        ConfigError: Another suffix, or content of another shape; the message says where.
    """
    name = os.fspath(path)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputEncodingError(f"{name}: not UTF-8 (byte {error.start})") from error
    suffix = Path(path).suffix.lower()
    related: dict[str, list[str]] = {}
    if suffix == ".csv":
        groups = _csv_groups(text, name)
    elif suffix == ".json":
        groups, related = _sections(_json(text, name), name)
    elif suffix == ".toml":
        groups, related = _sections(_toml(text, name), name)
    else:
        raise ConfigError(f"{name}: synonyms come as .json, .toml or .csv, not {suffix!r}")
    return default_lexicon().extended(groups, related)


def _csv_groups(text: str, name: str) -> list[list[str]]:
    groups: list[list[str]] = []
    for number, row in enumerate(csv.reader(io.StringIO(text)), 1):
        words = [w for w in (cell.strip() for cell in row) if w]
        if not words or words[0].startswith("#"):
            continue
        if len({fold(w) for w in words}) < 2:
            raise ConfigError(f"{name}:{number}: a group needs two different words, got {words!r}")
        groups.append(words)
    return groups


def _json(text: str, name: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{name}:{error.lineno}: no JSON: {error.msg}") from error


def _toml(text: str, name: str) -> Any:
    # tomllib is there from Python 3.11 on; tomli is the same for 3.10.
    for module in ("tomllib", "tomli"):
        try:
            toml = importlib.import_module(module)
        except ImportError:
            continue
        try:
            return toml.loads(text)
        except toml.TOMLDecodeError as error:
            raise InputError(f"{name}: no TOML: {error}") from error
    raise ConfigError(f"{name}: TOML needs Python 3.11 or the package tomli; JSON and CSV do not")


def _sections(data: Any, name: str) -> tuple[list[list[str]], dict[str, list[str]]]:
    """Synonym groups and related words of a decoded file.

    Raises:
        ConfigError: The shape is another one.
    """
    if isinstance(data, list):
        data = {"synonyms": data}
    if not isinstance(data, Mapping):
        raise ConfigError(f"{name}: expected an object or a list of lists, got {data!r:.60}")
    unknown = sorted(set(data) - {"synonyms", "related"})
    if unknown:
        raise ConfigError(f"{name}: no section {unknown[0]!r}; there are synonyms and related")
    groups, related = data.get("synonyms", []), data.get("related", {})
    if not isinstance(groups, list):
        raise ConfigError(f"{name}: synonyms must be a list of lists, got {groups!r:.60}")
    for i, group in enumerate(groups):
        _check_words(group, f"{name}: synonyms[{i}]", least=2)
    if not isinstance(related, Mapping):
        raise ConfigError(f"{name}: related must be an object of lists, got {related!r:.60}")
    for key, words in related.items():
        _check_words(words, f"{name}: related[{key!r}]", least=1)
    return groups, dict(related)


def _check_words(words: Any, where: str, least: int) -> None:
    if not isinstance(words, list) or not all(isinstance(w, str) and w.strip() for w in words):
        raise ConfigError(f"{where}: expected a list of words, got {words!r:.60}")
    if len({fold(w.strip()) for w in words}) < least:
        raise ConfigError(f"{where}: needs {least} different words, got {words!r:.60}")
