"""Diagnosis of a set: how often each rule holds, and what the means say."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nli_faith.diagnosis.diagnose import NO_FACTS, Diagnosis, examine, named_values
from nli_faith.diagnosis.facts import Facts
from nli_faith.diagnosis.rules import Rules, default_rules

_LATENCY = "latency_ms"


@dataclass(slots=True)
class SetDiagnosis:
    """What a set has in common; grows by a few counters and one number a record.

    Attributes:
        rules: The rules in force.
        lang: Language of titles and actions.
        examples_kept: Ids kept for each rule.
        records: Records seen.
        counts: (row, code) -> records in which the rule holds.
        skipped: (row, code) -> records in which it could not be applied.
        examples: (row, code) -> the first ids.
    """

    rules: Rules
    lang: str = "zh"
    examples_kept: int = 5
    records: int = 0
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    skipped: dict[tuple[str, str], int] = field(default_factory=dict)
    examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _sums: dict[str, tuple[float, int]] = field(default_factory=dict)
    _latencies: array[float] = field(default_factory=lambda: array("d"))

    def add(self, identity: str, values: Mapping[str, float], facts: Facts = NO_FACTS) -> Diagnosis:
        """Examine one record and count it.

        Args:
            identity: Its id.
            values: Measure -> value.
            facts: What else is known of it.

        Returns:
            The record's own diagnosis.
        """
        found = examine(values, facts, rules=self.rules, lang=self.lang)
        self.records += 1
        for finding in found.findings:
            key = (finding.row, finding.code)
            self.counts[key] = self.counts.get(key, 0) + 1
            ids = self.examples.setdefault(key, [])
            if len(ids) < self.examples_kept:
                ids.append(identity)
        for miss in found.skipped:
            key = (miss.row, miss.code)
            self.skipped[key] = self.skipped.get(key, 0) + 1
        for name, value in named_values(values, NO_FACTS, self.rules).items():
            total, n = self._sums.get(name, (0.0, 0))
            self._sums[name] = (total + value, n + 1)
        if facts.latency_ms is not None:
            self._latencies.append(facts.latency_ms)
        return found

    @property
    def means(self) -> dict[str, float]:
        """Mean of each measure where it was measured; ``latency_ms`` is the 95th percentile."""
        means = {name: total / n for name, (total, n) in self._sums.items()}
        if self._latencies:
            ordered = sorted(self._latencies)
            means[_LATENCY] = ordered[math.ceil(0.95 * len(ordered)) - 1]
        return means

    def overall(self) -> Diagnosis:
        """The rules applied to the means: the stage that the set as a whole suffers from.

        The tree needs facts of single records, so its steps beyond recall are not applied here;
        ``counts`` says how often each of them was the advice.
        """
        return examine(self.means, rules=self.rules, lang=self.lang)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: counts with shares and example ids, means, and the set's own findings."""
        overall = self.overall()
        findings = []
        for rule in self.rules:
            key = (rule.row, rule.code)
            n = self.counts.get(key, 0)
            findings.append({
                "row": rule.row, "code": rule.code, "severity": rule.severity,
                "title": rule.title[self.lang], "action": rule.action[self.lang],
                "records": n, "share": round(n / self.records, 6) if self.records else None,
                "not_applicable": self.skipped.get(
                    key, self.skipped.get((rule.row, f"({rule.row})"), 0)
                ),
                "examples": self.examples.get(key, []),
            })  # fmt: skip
        return {
            "records": self.records,
            "means": {name: round(value, 6) for name, value in sorted(self.means.items())},
            "overall": [f.to_dict() for f in overall.findings if f.row != "tree"],
            "findings": findings,
        }


def diagnose_set(
    records: Iterable[tuple[str, Mapping[str, float], Facts]], *, rules: Rules | None = None,
    lang: str = "zh",
) -> SetDiagnosis:  # fmt: skip
    """Diagnose many records in one pass.

    Args:
        records: (id, measures, facts) of each.
        rules: Other rules than the bundled ones.
        lang: ``zh`` or ``en``.

    Raises:
        ConfigError: The language is unknown.
    """
    result = SetDiagnosis(rules or default_rules(), lang)
    for identity, values, facts in records:
        result.add(identity, values, facts)
    return result
