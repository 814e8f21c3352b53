"""Conditions of the rules: parsed from short strings, judged true, false or unknown."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nli_faith.errors import ConfigError

_FORM = re.compile(
    r"\s*(?P<name>[A-Za-z_][\w.@-]*)\s*"
    r"(?:(?P<word>low|high)|(?P<op><=|>=|!=|<|>|=)\s*(?P<number>-?[0-9]+(?:\.[0-9]+)?))\s*"
)
_OPS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "!=": operator.ne,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that a rule rests on.

    Attributes:
        name: As in the rule.
        value: What was measured.
        op: How it was compared.
        limit: With what.
    """

    name: str
    value: float
    op: str
    limit: float

    def __str__(self) -> str:
        return f"{self.name}={self.value:.4g} ({self.op} {self.limit:g})"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "name": self.name, "value": round(self.value, 6), "op": self.op, "limit": self.limit
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Condition:
    """``NAME OP LIMIT``."""

    name: str
    op: str
    limit: float

    def holds(self, values: Mapping[str, float]) -> bool | None:
        """True or false; None where there is no such value."""
        value = values.get(self.name)
        return None if value is None else _OPS[self.op](value, self.limit)

    def figure(self, values: Mapping[str, float]) -> Figure:
        """The number it was judged by."""
        return Figure(self.name, values[self.name], self.op, self.limit)


@dataclass(frozen=True, slots=True)
class When:
    """All of some conditions, and at least one of others (Kleene's three-valued logic).

    Attributes:
        every: All must hold.
        either: One must hold, where there are any.
    """

    every: tuple[Condition, ...] = ()
    either: tuple[Condition, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What it asks for."""
        return tuple(dict.fromkeys(c.name for c in (*self.every, *self.either)))

    def holds(self, values: Mapping[str, float]) -> bool | None:
        """True, false, or None where too little is known to tell."""
        verdicts = [c.holds(values) for c in self.every]
        if self.either:
            options = [c.holds(values) for c in self.either]
            verdicts.append(True if True in options else None if None in options else False)
        return False if False in verdicts else None if None in verdicts else True

    def missing(self, values: Mapping[str, float]) -> tuple[str, ...]:
        """What it asks for and was not measured."""
        return tuple(name for name in self.names if name not in values)

    def figures(self, values: Mapping[str, float]) -> tuple[Figure, ...]:
        """The numbers that made it hold."""
        met = [c for c in self.either if c.holds(values)]
        return tuple(c.figure(values) for c in (*self.every, *met))


def parse_when(
    every: Iterable[Any], either: Iterable[Any], limits: Mapping[str, float], where: str
) -> When:
    """A rule's ``when`` and ``any`` as a test.

    Args:
        every: Conditions as strings.
        either: The same.
        limits: What ``low`` and ``high`` mean: below, or from this value on.
        where: Names the rule, for messages.

    Raises:
        ConfigError: A condition cannot be read, or has no limit.
    """
    return When(
        tuple(_condition(text, limits, where) for text in every),
        tuple(_condition(text, limits, where) for text in either),
    )


def _condition(text: Any, limits: Mapping[str, float], where: str) -> Condition:
    match = _FORM.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ConfigError(
            f"{where}: condition {text!r}: write 'NAME low', 'NAME high' or 'NAME OP NUMBER'"
        )
    name, word = match["name"], match["word"]
    if word is None:
        return Condition(name, match["op"], float(match["number"]))
    if name not in limits:
        raise ConfigError(f"{where}: condition {text!r}: [limits] has no {name!r}")
    return Condition(name, "<" if word == "low" else ">=", limits[name])
