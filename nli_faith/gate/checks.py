"""The gate: rules, the checks that follow from them, and one verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nli_faith.bootstrap import (
    RESAMPLES,
    Difference,
    check_confidence,
    mean_bounds,
    paired_difference,
    unpaired_difference,
)
from nli_faith.errors import ConfigError
from nli_faith.gate.table import MeasureTable
from nli_faith.measures import LOWER_IS_BETTER
from nli_faith.verdicts import json_number

PAIRED_SHARE = 0.5
"""Values are paired when at least this share of the current ones have a partner."""

FEW = 20
"""Fewer records than this, and the report says that its bounds are rough."""

COVERAGE_FELL = 0.05
"""A loss of coverage against the baseline that the report remarks on."""


@dataclass(frozen=True, slots=True)
class GateRules:
    """What a build must meet.

    Attributes:
        minimum: Measure -> least mean on measured records, in [0, 1].
        maximum: Measure -> greatest mean, for measures of which less is better.
        max_drop: Measure -> how much worse than the baseline the mean may be, in [0, 1].
        max_new_contradicted: How many records may hold a contradicted claim that held none in
            the baseline; None: any number.
        min_coverage: Least share of rows that have each measure named above, in [0, 1].
        strict: Hold ``minimum`` and ``maximum`` against the confidence bound, not the mean.
        confidence: Of each bound, one-sided, in (0.5, 1).
        resamples: Bootstrap resamples.
        seed: Makes the bounds reproducible.
    """

    minimum: Mapping[str, float] = field(default_factory=dict)
    maximum: Mapping[str, float] = field(default_factory=dict)
    max_drop: Mapping[str, float] = field(default_factory=dict)
    max_new_contradicted: int | None = None
    min_coverage: float = 0.5
    strict: bool = False
    confidence: float = 0.95
    resamples: int = RESAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("minimum", "maximum", "max_drop"):
            for measure, value in getattr(self, name).items():
                if not 0 <= value <= 1:
                    raise ConfigError(f"{name} of {measure!r} must be in [0, 1], not {value!r}")
        if not 0 <= self.min_coverage <= 1:
            raise ConfigError(f"min_coverage must be in [0, 1], not {self.min_coverage!r}")
        if self.max_new_contradicted is not None and self.max_new_contradicted < 0:
            raise ConfigError(
                f"max_new_contradicted must be 0 or more, not {self.max_new_contradicted}"
            )
        if not self.measures and self.max_new_contradicted is None:
            raise ConfigError("a gate without a rule passes everything: set at least one limit")
        check_confidence(self.confidence)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that some rule names, in order."""
        return tuple(dict.fromkeys([*self.minimum, *self.maximum, *self.max_drop]))

    @property
    def needs_baseline(self) -> bool:
        """Whether a rule compares with a baseline."""
        return bool(self.max_drop) or self.max_new_contradicted is not None


@dataclass(frozen=True, slots=True)
class Check:
    """One rule held against the data.

    Attributes:
        name: ``min faithfulness``.
        passed: Whether it is met.
        value: What was found; NaN for nothing.
        limit: What was wanted.
        bound: The one-sided confidence bound beside the value; NaN where there is none.
        n: Records it rests on.
        message: One sentence.
    """

    name: str
    passed: bool
    value: float
    limit: float
    bound: float
    n: int
    message: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; NaN is None."""
        return {
            "name": self.name, "passed": self.passed, "value": json_number(self.value),
            "limit": self.limit, "bound": json_number(self.bound), "n": self.n,
            "message": self.message,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class GateReport:
    """All checks of one gate.

    Attributes:
        source: The file that was checked.
        baseline: The file it was compared with, if any.
        rows: Rows in ``source``.
        checks: In the order of the rules.
        notes: What a reader should know: unpaired records, another model, few records.
    """

    source: str
    baseline: str | None
    rows: int
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every check is met; without any check it is not."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "passed": self.passed, "source": self.source, "baseline": self.baseline,
            "rows": self.rows, "checks": [c.to_dict() for c in self.checks],
            "notes": list(self.notes),
        }  # fmt: skip


def run_gate(
    current: MeasureTable, rules: GateRules, baseline: MeasureTable | None = None
) -> GateReport:
    """Hold a file's measures against rules, and against a baseline.

    It fails closed: a measure that no row has, a coverage that is too low, and a file without
    rows all fail. A drop fails only when its lower confidence bound is above what is allowed, so
    that noise does not fail a build; see `nli_faith.bootstrap` for the method.

    Args:
        current: The measures now.
        rules: The limits.
        baseline: The measures before.

    Raises:
        ConfigError: A rule needs a baseline and there is none.
    """
    if rules.needs_baseline and baseline is None:
        raise ConfigError("a limit on drops or on new contradictions needs a baseline")
    notes: list[str] = []
    checks = [_rows(current), *_coverages(current, rules)]
    checks += _levels(current, rules)
    if baseline is not None:
        notes += _comparability(current, baseline)
        checks += [_drop(current, baseline, m, x, rules, notes) for m, x in rules.max_drop.items()]
        if rules.max_new_contradicted is not None:
            checks.append(_new_contradicted(current, baseline, rules.max_new_contradicted))
    return GateReport(
        current.name, baseline.name if baseline else None, current.rows, tuple(checks),
        tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def _rows(table: MeasureTable) -> Check:
    n = table.rows
    message = f"{n} rows" if n else "the file has no rows: nothing was scored"
    return Check("rows", n > 0, float(n), 1.0, math.nan, n, message)


def _coverages(table: MeasureTable, rules: GateRules) -> Iterator[Check]:
    for measure in rules.measures:
        share, n = table.coverage(measure), int(table.measured(measure).size)
        passed = n > 0 and share >= rules.min_coverage
        total = table.rows + table.rejected
        message = f"{n} of {total} rows have {measure}"
        if not n and table.rows:
            known = ", ".join(sorted(table.columns)) or "none"
            message = f"no row has the measure {measure!r}; there are: {known}"
        elif table.rejected:
            message += f" ({table.rejected} rows could not be read)"
        yield Check(f"coverage {measure}", passed, share, rules.min_coverage, math.nan, n, message)


def _levels(table: MeasureTable, rules: GateRules) -> Iterator[Check]:
    for sign, limits in (("min", rules.minimum), ("max", rules.maximum)):
        for measure, limit in limits.items():
            yield _level(table, sign, measure, limit, rules)


def _level(table: MeasureTable, sign: str, measure: str, limit: float, rules: GateRules) -> Check:
    name = f"{sign} {measure}"
    values = table.measured(measure)
    if not values.size:
        return Check(name, False, math.nan, limit, math.nan, 0, f"{measure} was never measured")
    mean = float(values.mean())
    low, high = mean_bounds(
        values, confidence=rules.confidence, sides=1, resamples=rules.resamples, seed=rules.seed
    )
    bound = low if sign == "min" else high
    held = bound if rules.strict else mean
    # A mean of 0.85 summed up in floats may fall an ulp short of 0.85.
    passed = held >= limit - 1e-9 if sign == "min" else held <= limit + 1e-9
    word = {True: ("at least", "at most"), False: ("below", "above")}[passed][sign == "max"]
    what = f"{rules.confidence:.0%} bound of {measure}" if rules.strict else f"mean {measure}"
    message = f"{what} is {held:.4f}, {word} {limit:g}"
    return Check(name, passed, mean, limit, bound, int(values.size), message)


def _drop(
    current: MeasureTable, baseline: MeasureTable, measure: str, limit: float, rules: GateRules,
    notes: list[str],
) -> Check:  # fmt: skip
    name = f"max-drop {measure}"
    if not current.measured(measure).size or not baseline.measured(measure).size:
        which = current.name if not current.measured(measure).size else baseline.name
        return Check(name, False, math.nan, limit, math.nan, 0,
                     f"{measure} was never measured in {which}")  # fmt: skip
    found = _difference(current, baseline, measure, rules, notes)
    # A drop is a worsening: for a measure of which less is better, a rise.
    lower_better = measure in LOWER_IS_BETTER
    drop = found.value if lower_better else -found.value
    bound = found.low if lower_better else -found.high
    passed = bound <= limit + 1e-9
    how = "paired" if found.paired else "unpaired"
    message = (
        f"{measure} is {abs(drop):.4f} {'worse' if drop > 0 else 'better'} than the baseline "
        f"({how}, n={found.n}); with {rules.confidence:.0%} confidence the drop is at least "
        f"{max(bound, 0):.4f}, allowed {limit:g}"
    )
    return Check(name, passed, drop, limit, bound, found.n, message)


def _difference(
    current: MeasureTable, baseline: MeasureTable, measure: str, rules: GateRules,
    notes: list[str],
) -> Difference:  # fmt: skip
    now, before = current.measured(measure), baseline.measured(measure)
    options: dict[str, Any] = {
        "confidence": rules.confidence, "resamples": rules.resamples, "seed": rules.seed,
    }  # fmt: skip
    if current.unique and baseline.unique:
        mine, theirs = _matched(current, baseline)
        a, b = current.columns[measure][mine], baseline.columns[measure][theirs]
        both = ~np.isnan(a) & ~np.isnan(b)
        pairs = int(both.sum())
        if pairs >= PAIRED_SHARE * now.size:
            if pairs < max(now.size, before.size):
                notes.append(
                    f"{measure}: compared on {pairs} records measured in both files, of "
                    f"{now.size} now and {before.size} in the baseline"
                )
            if pairs < FEW:
                notes.append(f"{measure}: only {pairs} pairs, so the bounds are rough")
            return paired_difference(a[both], b[both], **options)
        why = f"only {pairs} of {now.size} measured records have a partner by id"
    else:
        why = "some ids come twice"
    notes.append(f"{measure}: not paired ({why}); compared as two independent samples")
    return unpaired_difference(now, before, **options)


def _matched(
    current: MeasureTable, baseline: MeasureTable
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    _, mine, theirs = np.intersect1d(
        current.ids, baseline.ids, assume_unique=True, return_indices=True
    )
    return mine, theirs


def _new_contradicted(current: MeasureTable, baseline: MeasureTable, limit: int) -> Check:
    name = "max-new-contradicted"
    for table in (current, baseline):
        if not table.has_labels:
            return Check(name, False, math.nan, limit, math.nan, 0,
                         f"{table.name} does not say how its claims were labelled")  # fmt: skip
    # A record is new when its id had no contradicted claim; one unknown before counts as well,
    # for nothing shows that it was fine.
    known = baseline.ids[baseline.contradicted]
    fresh = int((current.contradicted & ~np.isin(current.ids, known)).sum())
    message = f"{fresh} records hold a contradicted claim that held none in the baseline"
    return Check(name, fresh <= limit, float(fresh), limit, math.nan, current.rows, message)


def _comparability(current: MeasureTable, baseline: MeasureTable) -> Iterator[str]:
    if current.scorers and baseline.scorers and current.scorers != baseline.scorers:
        yield (
            "the two files were scored by different models or configurations: "
            "a difference may come from the scorer"
        )
    if current.positional and baseline.positional:
        yield "records without an id are matched by their row number: right only in equal order"
    for measure in current.columns:
        before, now = baseline.coverage(measure), current.coverage(measure)
        if before - now > COVERAGE_FELL:
            yield f"{measure}: coverage fell from {before:.1%} to {now:.1%}"
