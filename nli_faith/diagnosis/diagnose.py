"""Rules applied to one record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nli_faith.diagnosis.conditions import Figure, When
from nli_faith.diagnosis.facts import Facts
from nli_faith.diagnosis.rules import LANGUAGES, Rule, Rules, default_rules
from nli_faith.errors import ConfigError

NO_FACTS = Facts()


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that holds.

    Attributes:
        code: The rule's name.
        row: The part of the rules: ``table``, ``tree`` or ``map``.
        severity: ``ok``, ``warn`` or ``critical``.
        title: What was found.
        action: What to do.
        figures: The numbers that triggered it. For a step of the tree, those that led to the
            tree as well.
        unchecked: For a step of the tree: earlier steps that could not be checked, as
            ``code (missing names)``.
    """

    code: str
    row: str
    severity: str
    title: str
    action: str
    figures: tuple[Figure, ...] = ()
    unchecked: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        out: dict[str, Any] = {
            "code": self.code, "row": self.row, "severity": self.severity, "title": self.title,
            "action": self.action, "figures": [f.to_dict() for f in self.figures],
        }  # fmt: skip
        if self.unchecked:
            out["unchecked"] = list(self.unchecked)
        return out


@dataclass(frozen=True, slots=True)
class Skipped:
    """A rule that could not be applied.

    Attributes:
        code: The rule's name; ``(table)`` for the whole table.
        row: Its part.
        missing: What was not measured.
    """

    code: str
    row: str
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"code": self.code, "row": self.row, "missing": list(self.missing)}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything found in one record.

    Attributes:
        findings: The rules that hold: at most one of the table and one of the tree.
        skipped: The rules that could not be applied, and why.
    """

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]

    def of(self, row: str) -> Finding | None:
        """The first finding of a part, if any."""
        return next((f for f in self.findings if f.row == row), None)


def diagnose(
    values: Mapping[str, float], facts: Facts = NO_FACTS, *, rules: Rules | None = None,
    lang: str = "zh",
) -> list[Finding]:  # fmt: skip
    """Which stage of the pipeline broke, and what to do.

    Args:
        values: Measure -> value, as ``evaluate`` gives them; NaN counts as not measured.
        facts: What else is known of the record.
        rules: Other rules than the bundled ones.
        lang: ``zh`` or ``en``.

    Returns:
        The rules that hold, in the order table, tree, map. `examine` also gives those that could
        not be applied.

    Raises:
        ConfigError: The language is unknown.
    """
    return list(examine(values, facts, rules=rules, lang=lang).findings)


def examine(
    values: Mapping[str, float], facts: Facts = NO_FACTS, *, rules: Rules | None = None,
    lang: str = "zh",
) -> Diagnosis:  # fmt: skip
    """As `diagnose`, with the rules that could not be applied and what they lacked."""
    if lang not in LANGUAGES:
        raise ConfigError(f"language must be one of {', '.join(LANGUAGES)}, not {lang!r}")
    rules = rules or default_rules()
    known = named_values(values, facts, rules)
    findings: list[Finding] = []
    skipped: list[Skipped] = []
    _apply_table(rules.table, known, lang, findings, skipped)
    _apply_tree(rules, known, lang, findings, skipped)
    for rule in rules.actions:
        verdict = rule.test.holds(known)
        if verdict:
            findings.append(_finding(rule, known, lang))
        elif verdict is None:
            skipped.append(Skipped(rule.code, rule.row, rule.test.missing(known)))
    return Diagnosis(tuple(findings), tuple(skipped))


def named_values(values: Mapping[str, float], facts: Facts, rules: Rules) -> dict[str, float]:
    """All that conditions may ask for: measures, facts, and the names under ``[measures]``.

    Args:
        values: Measure -> value.
        facts: What else is known.
        rules: Give the names and the prompt patterns.
    """
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    known |= facts.values(rules.constraints)
    for name, measures in rules.measures.items():
        found = next((m for m in measures if m in known), None)
        if found is not None:
            known[name] = known[found]
    return known


def _apply_table(
    table: Sequence[Rule], known: Mapping[str, float], lang: str,
    findings: list[Finding], skipped: list[Skipped],
) -> None:  # fmt: skip
    lacking: dict[str, None] = {}
    for rule in table:
        verdict = rule.test.holds(known)
        if verdict:
            findings.append(_finding(rule, known, lang))
            return
        if verdict is None:
            lacking |= dict.fromkeys(rule.test.missing(known))
    if lacking:
        skipped.append(Skipped("(table)", "table", tuple(lacking)))


def _apply_tree(
    rules: Rules, known: Mapping[str, float], lang: str,
    findings: list[Finding], skipped: list[Skipped],
) -> None:  # fmt: skip
    entered = rules.root.holds(known)
    if entered is None:
        skipped.append(Skipped("(tree)", "tree", rules.root.missing(known)))
    if not entered:
        return
    unchecked: list[str] = []
    for step in rules.steps:
        verdict = step.test.holds(known)
        if verdict:
            findings.append(_finding(step, known, lang, rules.root, tuple(unchecked)))
            return
        if verdict is None:
            missing = step.test.missing(known)
            skipped.append(Skipped(step.code, step.row, missing))
            unchecked.append(f"{step.code} ({', '.join(missing)})")


def _finding(
    rule: Rule, known: Mapping[str, float], lang: str, root: When | None = None,
    unchecked: tuple[str, ...] = (),
) -> Finding:  # fmt: skip
    figures = (*(root.figures(known) if root else ()), *rule.test.figures(known))
    return Finding(
        rule.code, rule.row, rule.severity, rule.title[lang], rule.action[lang], figures, unchecked
    )
