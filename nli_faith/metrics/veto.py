"""Rules such as ``numeric_exact < 1`` or ``meta.amount_correct == false``, read without ``eval``.

Grammar::

    veto      = rule [ "=>" action ]
    rule      = test { "and" test }
    test      = name operator literal
    name      = metric | count | metric "." detail | "meta." key { "." key }
    operator  = "<" | "<=" | ">" | ">=" | "==" | "!="
    literal   = number | "true" | "false" | "null" | quoted string | bare word
    action    = "fail" | "cap:" number in [0, 1]

A count is ``supported``, ``contradicted`` or ``unsupported``: claims of the answer by the
faithfulness metric. ``metric.status`` is its status. The default action is ``fail``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from nli_faith.errors import ConfigError
from nli_faith.metrics.base import MetricValue
from nli_faith.metrics.registry import canonical

COUNTS: Final = ("supported", "contradicted", "unsupported")
"""Names in a rule that stand for counts of claims, see `Faithfulness`."""

_OPERATORS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_AND: Final = re.compile(r"\s+(?:and|&&)\s+")
_TEST: Final = re.compile(
    r"\s*(?P<name>[^\W\d]\w*(?:@\d+)?(?:\.[\w-]+)*)\s*(?P<op><=|>=|==|!=|<|>)\s*"
    r"(?P<value>\"[^\"]*\"|'[^']*'|[^\s<>=!'\"]+)\s*"
)
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None, "none": None}
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison: ``name operator literal``."""

    name: str
    op: str
    value: Any

    __test__ = False  # no test case for pytest

    def __str__(self) -> str:
        return f"{self.name} {self.op} {_shown(self.value)}"

    def decide(self, values: Mapping[str, MetricValue], meta: Mapping[str, Any]) -> bool | None:
        """Whether it holds; None where the left side is absent or of another kind.

        Args:
            values: Metric values by name.
            meta: The record's meta.
        """
        left = _look_up(self.name, values, meta)
        if left is _ABSENT:
            return None
        if self.value is None or left is None:
            if self.op not in ("==", "!="):
                return None
            return (left is self.value) == (self.op == "==")
        left = _as_kind(left, self.value)
        if left is _ABSENT:
            return None
        return _OPERATORS[self.op](left, self.value)


@dataclass(frozen=True, slots=True)
class Veto:
    """A rule, and what it does to the composite.

    Attributes:
        tests: All have to hold.
        cap: The composite is at most this; 0 is ``fail``.
    """

    tests: tuple[Test, ...]
    cap: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Veto:
        """Read ``RULE`` or ``RULE => ACTION``; the grammar is at the top of this module.

        Args:
            text: As ``contradicted > 0 => cap:0.5``.

        Raises:
            ConfigError: It is no such rule, or names a metric that there is not.
        """
        rule, arrow, action = text.partition("=>")
        # ">=" may end in the arrow only with a blank between; "a => 1" is a rule written wrong.
        if arrow and not action.strip():
            raise ConfigError(f"veto {text!r}: nothing after =>; write fail or cap:0.5")
        tests = tuple(_test(part, text) for part in _AND.split(rule.strip()))
        return cls(tests, _cap(action.strip(), text) if arrow else 0.0)

    def decide(self, values: Mapping[str, MetricValue], meta: Mapping[str, Any]) -> bool | None:
        """Whether it fires; None where that cannot be decided.

        A test that fails decides, whatever the others lack.

        Args:
            values: Metric values by name.
            meta: The record's meta.
        """
        verdicts = [test.decide(values, meta) for test in self.tests]
        if False in verdicts:
            return False
        return None if None in verdicts else True

    def metrics(self) -> list[str]:
        """Names of the metrics it speaks of."""
        names = [test.name.split(".")[0] for test in self.tests]
        return [("faithfulness" if n in COUNTS else n) for n in names if n != "meta"]

    def __str__(self) -> str:
        action = f"cap:{self.cap:g}" if self.cap else "fail"
        return f"{' and '.join(map(str, self.tests))} => {action}"


def _test(part: str, whole: str) -> Test:
    found = _TEST.fullmatch(part)
    if found is None:
        raise ConfigError(
            f"veto {whole!r}: {part.strip()!r} is no comparison; write NAME < NUMBER, or "
            "meta.FIELD == true, with < <= > >= == !="
        )
    name, _, rest = found["name"].partition(".")
    if name == "meta":
        if not rest:
            raise ConfigError(f"veto {whole!r}: say which field of meta: meta.FIELD")
        full = found["name"]
    elif name in COUNTS and not rest:
        full = name
    else:
        try:
            name = canonical(name)
        except ConfigError as error:
            raise ConfigError(
                f"veto {whole!r}: {error}; or {', '.join(COUNTS)}, or meta.FIELD"
            ) from error
        full = f"{name}.{rest}" if rest else name
    return Test(full, found["op"], _literal(found["value"]))


def _literal(text: str) -> Any:
    if text[0] in "\"'":
        return text[1:-1]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return float(text) if _NUMBER.fullmatch(text) else text


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _cap(action: str, whole: str) -> float:
    if action == "fail":
        return 0.0
    kind, _, number = action.partition(":")
    if kind.strip() == "cap" and _NUMBER.fullmatch(number.strip()):
        cap = float(number)
        if 0.0 <= cap <= 1.0:
            return cap
    raise ConfigError(
        f"veto {whole!r}: action must be fail or cap:NUMBER in [0, 1], not {action!r}"
    )


def _look_up(name: str, values: Mapping[str, MetricValue], meta: Mapping[str, Any]) -> Any:
    head, _, rest = name.partition(".")
    if head == "meta":
        return _dig(meta, rest)
    if head in COUNTS and not rest:
        head, rest = "faithfulness", head
    value = values.get(head)
    if value is None:
        return _ABSENT
    if not rest:
        return value.value if value.measured else _ABSENT
    return value.status.value if rest == "status" else _dig(value.details, rest)


def _dig(table: Any, path: str) -> Any:
    """Follow a dotted path; a key may itself hold dots."""
    if not path:
        return table
    if not isinstance(table, Mapping):
        return _ABSENT
    parts = path.split(".")
    for size in range(len(parts), 0, -1):
        key = ".".join(parts[:size])
        if key in table:
            return _dig(table[key], ".".join(parts[size:]))
    return _ABSENT


def _as_kind(left: Any, literal: Any) -> Any:
    """The left side as the literal's kind; CSV cells hold numbers and booleans as text."""
    if isinstance(literal, bool):
        if isinstance(left, str):
            return _WORDS.get(left.strip().lower(), _ABSENT) if left.strip() else _ABSENT
        if isinstance(left, (bool, int, float)) and left in (0, 1):
            return bool(left)
        return _ABSENT
    if isinstance(literal, float):
        if isinstance(left, str) and _NUMBER.fullmatch(left.strip()):
            return float(left)
        if isinstance(left, (int, float)) and left == left:
            return float(left)
        return _ABSENT
    return left if isinstance(left, str) else _ABSENT
