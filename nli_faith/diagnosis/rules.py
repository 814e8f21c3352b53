"""The rules as data: read from TOML, checked once."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from nli_faith.diagnosis.conditions import When, parse_when
from nli_faith.errors import ConfigError, InputError

LANGUAGES = ("zh", "en")
SEVERITIES = ("ok", "warn", "critical")
#: The three parts of the rules file, in the order they are reported.
ROWS = ("table", "tree", "map")
VERSION = 1


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        code: Its name in files; unique within its part.
        row: The part it belongs to: ``table``, ``tree`` or ``map``.
        severity: ``ok``, ``warn`` or ``critical``.
        test: When it holds.
        title: Language -> what was found.
        action: Language -> what to do.
    """

    code: str
    row: str
    severity: str
    test: When
    title: Mapping[str, str]
    action: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules of a file.

    Attributes:
        table: Faithfulness x context recall x correctness; the first that holds counts.
        root: When the tree is entered.
        steps: The tree's steps; the first that holds counts.
        actions: The map from finding to action; all that hold count.
        measures: Name in the rules -> measures that may stand for it.
        constraints: What counts as a hard constraint in a prompt.
        source: Where they come from.
    """

    table: tuple[Rule, ...]
    root: When
    steps: tuple[Rule, ...]
    actions: tuple[Rule, ...]
    measures: Mapping[str, tuple[str, ...]]
    constraints: tuple[re.Pattern[str], ...]
    source: str

    def __iter__(self) -> Iterator[Rule]:
        """All rules in the order of `ROWS`."""
        yield from (*self.table, *self.steps, *self.actions)

    def rule(self, row: str, code: str) -> Rule:
        """A rule by its part and name.

        Raises:
            KeyError: There is none.
        """
        for rule in self:
            if (rule.row, rule.code) == (row, code):
                return rule
        raise KeyError((row, code))


def load_rules(path: str | os.PathLike[str]) -> Rules:
    """Rules from a TOML file of the form of the bundled one.

    Args:
        path: UTF-8, with or without a byte order mark.

    Raises:
        InputError: It cannot be read, or is not UTF-8.
        ConfigError: It is no TOML, or a rule in it is wrong; the message quotes it.
    """
    name = os.fspath(path)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not UTF-8 (byte {error.start})") from error
    return parse_rules(text, name)


@lru_cache(maxsize=1)
def default_rules() -> Rules:
    """The bundled rules."""
    text = resources.files("nli_faith.diagnosis").joinpath("rules.toml").read_text("utf-8")
    return parse_rules(text, "rules.toml")


def parse_rules(text: str, source: str = "<rules>") -> Rules:
    """Rules from the text of a TOML file; see `load_rules` for the errors."""
    try:
        data = _toml().loads(text.replace("\r\n", "\n"))
    except ValueError as error:  # TOMLDecodeError says line and column
        raise ConfigError(f"{source}: no TOML: {error}") from error
    if data.get("version") != VERSION:
        raise ConfigError(f"{source}: version must be {VERSION}, not {data.get('version')!r}")
    known = {"version", "limits", "measures", "prompt", "table", "tree", "map"}
    for key in data:
        if key not in known:
            raise ConfigError(
                f"{source}: unknown key {key!r}; there are {', '.join(sorted(known))}"
            )
    limits = _limits(data.get("limits", {}), source)
    tree = data.get("tree", {})
    root = parse_when(tree.get("when", []), tree.get("any", []), limits, f"{source}: tree")
    return Rules(
        _rules(data.get("table", []), "table", limits, source),
        root,
        _rules(tree.get("steps", []), "tree", limits, source),
        _rules(data.get("map", []), "map", limits, source),
        _measures(data.get("measures", {}), source),
        _patterns(data.get("prompt", {}).get("constraints", []), source),
        source,
    )


def _toml() -> Any:
    # tomllib is there from Python 3.11 on; tomli is the same for 3.10.
    return importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


def _limits(data: Any, source: str) -> dict[str, float]:
    for name, value in data.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ConfigError(f"{source}: limits.{name} must be a number, not {value!r}")
    return {name: float(value) for name, value in data.items()}


def _measures(data: Any, source: str) -> dict[str, tuple[str, ...]]:
    for name, value in data.items():
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value) or not value:
            raise ConfigError(f"{source}: measures.{name} must be a list of names, not {value!r}")
    return {name: tuple(value) for name, value in data.items()}


def _patterns(data: Any, source: str) -> tuple[re.Pattern[str], ...]:
    found = []
    for text in data:
        try:
            found.append(re.compile(text, re.IGNORECASE))
        except (re.error, TypeError) as error:
            raise ConfigError(f"{source}: prompt.constraints: {text!r}: {error}") from error
    return tuple(found)


def _rules(data: Any, row: str, limits: Mapping[str, float], source: str) -> tuple[Rule, ...]:
    rules = tuple(_rule(item, row, limits, source) for item in data)
    codes = [rule.code for rule in rules]
    for code in codes:
        if codes.count(code) > 1:
            raise ConfigError(f"{source}: {row}: the code {code!r} comes twice")
    return rules


def _rule(data: Any, row: str, limits: Mapping[str, float], source: str) -> Rule:
    code = data.get("code")
    if not isinstance(code, str) or not code:
        raise ConfigError(f"{source}: {row}: a rule's code must be a name, not {code!r}")
    where = f"{source}: {row} {code}"
    severity = data.get("severity", "warn")
    if severity not in SEVERITIES:
        raise ConfigError(
            f"{where}: severity must be one of {', '.join(SEVERITIES)}, not {severity!r}"
        )
    for key in data:
        if key not in ("code", "severity", "when", "any", "title", "action"):
            raise ConfigError(f"{where}: unknown key {key!r}")
    texts = {key: data.get(key) for key in ("title", "action")}
    for key, value in texts.items():
        if not isinstance(value, Mapping) or not all(
            isinstance(value.get(lang), str) and value[lang] for lang in LANGUAGES
        ):
            raise ConfigError(f"{where}: {key} needs texts for {' and '.join(LANGUAGES)}")
    test = parse_when(data.get("when", []), data.get("any", []), limits, where)
    if not test.names and row != "tree":
        raise ConfigError(f"{where}: needs a condition: without one it holds always")
    return Rule(code, row, severity, test, texts["title"], texts["action"])
