"""Whether a claim's quantity follows by arithmetic from stated ones.

Answers add, subtract, divide and compare the figures they were given; such a number stands nowhere
in the context and is right all the same. This module only answers "can it be derived?": whether the
right figures were combined is the entailment model's question.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from .calendars import interval
from .compare import dimension, same_units, written_step
from .model import Quantity

#: Pools are cut to this many values a dimension: pairs grow with the square.
MAX_POOL = 120
#: And so many days and clock times.
MAX_DAYS = 40
#: And so many multipliers.
MAX_FACTORS = 400
_EPS = 1e-9
_PERCENT_LIKE = ("share", "pp", "times")


class Derivation(NamedTuple):
    """How a value was derived, in words for the flag."""

    kind: str
    text: str


class Pool:
    """The figures of a record (context and claim), by dimension, in base units as floats."""

    def __init__(self, quantities: Iterable[Quantity]) -> None:
        self.values: dict[str, list[float]] = {}
        self.days: list[date] = []
        self.partial_days: list[date] = []
        self.minutes: list[int] = []
        self.runs: dict[str, list[float]] = {}
        #: Multipliers, each with the dimensions of the figures that it stands for.
        self.factors: dict[float, set[str]] = {}
        for q in quantities:
            self.add(q)

    def extended(self, quantities: Iterable[Quantity]) -> Pool:
        """A copy with more figures."""
        copy = Pool(())
        copy.values = {k: list(v) for k, v in self.values.items()}
        copy.factors = {k: set(v) for k, v in self.factors.items()}
        copy.runs = {k: list(v) for k, v in self.runs.items()}
        copy.days, copy.partial_days = list(self.days), list(self.partial_days)
        copy.minutes = list(self.minutes)
        for q in quantities:
            copy.add(q)
        return copy

    def add(self, q: Quantity) -> None:
        """Add one figure; both ends of a range."""
        if q.type == "name":
            return
        if q.type == "time":
            hour, minute = q.value.split(":")[:2]
            if len(self.minutes) < MAX_DAYS:
                self.minutes.append(int(hour) * 60 + int(minute))
            return
        if q.type in ("date", "period"):
            self._add_days(q)
            return
        bounds = q.bounds
        if bounds is None:
            return
        dim, factor, _ = dimension(q.type, q.unit)
        if dim == "number":
            dim = f"number {q.unit}"
        bucket = self.values.setdefault(dim, [])
        self.runs.setdefault(dim, []).append(float(bounds[0] * factor))
        for value in set(bounds):
            number = float(value * factor)
            self._add_factor(q, float(value), dim)
            if number not in bucket and len(bucket) < MAX_POOL:
                bucket.append(number)

    def _add_days(self, q: Quantity) -> None:
        span = interval(q.value)
        for year, month, day in {span.low, span.high}:
            if month is None:
                continue
            try:
                found = date(year or 2023, month, day)
            except ValueError:
                continue
            days = self.days if year is not None else self.partial_days
            if found not in days and len(days) < MAX_DAYS:
                days.append(found)

    def _add_factor(self, q: Quantity, value: float, dim: str) -> None:
        """What the figure multiplies by: 5 for 住5天, 3 and 36 for 租三年, 1.2 for 12万."""
        if not value or len(self.factors) >= MAX_FACTORS:
            return
        self.factors.setdefault(value, set()).add(dim)
        if q.unit == "month" and value % 12 == 0:
            self.factors.setdefault(value / 12, set()).add(dim)
        elif q.unit == "day" and value % 7 == 0:
            self.factors.setdefault(value / 7, set()).add(dim)

    def factors_for(self, q: Quantity, dim: str) -> list[float]:
        """Multipliers for figures like ``q``: no price times a price, no years times years."""
        own = f"number {q.unit}" if dim == "number" else dim
        if own == "number ":
            return sorted(self.factors)
        return sorted(f for f, dims in self.factors.items() if len(dims) > 1 or own not in dims)

    def of(self, q: Quantity, dim: str) -> tuple[list[float], list[float]]:
        """Values and running figures that may be added to ``q``: counts only of like things."""
        if dim != "number":
            return self.values.get(dim, []), self.runs.get(dim, [])
        values: list[float] = []
        run: list[float] = []
        for key, bucket in self.values.items():
            head, _, unit = key.partition(" ")
            if head == "number" and same_units(q.unit, unit) is not False:
                values += [v for v in bucket if v not in values]
                run += self.runs[key]
        return values, run


def _tolerance(q: Quantity, factor: Fraction) -> float:
    step = written_step(q) if q.approx else Fraction(q.step)
    return float(step * factor) / 2 * (1 + 1e-6) + _EPS


def _near(ordered: Sequence[float], target: float, tol: float) -> bool:
    i = bisect_left(ordered, target - tol)
    return i < len(ordered) and ordered[i] <= target + tol


def _stated(values: list[float], run: list[float]) -> list[float]:
    """The figures in order, those stated more than once repeated (at most three times)."""
    counts = Counter(run)
    return sorted(v for v in values for _ in range(min(max(counts[v], 1), 3)))


def _other(ordered: Sequence[float], target: float, tol: float, *used: int) -> bool:
    """Whether a figure near ``target`` stands at none of the ``used`` places."""
    i = bisect_left(ordered, target - tol)
    while i < len(ordered) and ordered[i] <= target + tol:
        if i not in used:
            return True
        i += 1
    return False


def _sum_or_difference(ordered: list[float], target: float, tol: float) -> str | None:
    for i, a in enumerate(ordered):  # no figure is added to or taken from itself
        if _other(ordered, target - a, tol, i):
            return "sum"
        if _other(ordered, target + a, tol, i):
            return "difference"
    return None


def _triple(ordered: list[float], target: float, tol: float) -> str | None:
    if len(ordered) > 60:
        return None
    for i, a in enumerate(ordered):
        for j in range(i + 1, len(ordered)):
            b = ordered[j]
            if _other(ordered, target - a - b, tol, i, j):
                return "sum"
            if _other(ordered, target + a - b, tol, i, j) or _other(
                ordered, a + b - target, tol, i, j
            ):
                return "difference"
            if a != b and _other(ordered, target + b - a, tol, i, j):
                return "difference"
    return None


def _run_total(run: list[float], target: float, tol: float) -> str | None:
    """Totals and averages of consecutive figures: columns and enumerations."""
    n = min(len(run), 40)
    for i in range(n):
        total = 0.0
        for j in range(i, n):
            total += run[j]
            if j - i >= 1 and (
                abs(total - target) <= tol or abs(total / (j - i + 1) - target) <= tol
            ):
                return "total"
    return None


def _scaled(values: list[float], factors: list[float], target: float, tol: float) -> str | None:
    """A stated figure times, or divided by, another stated number."""
    for a in values:
        if not a:
            continue
        wanted = target / a
        if _near(factors, wanted, tol / abs(a)) and abs(wanted - a) * abs(a) > tol:
            return "product"  # and no figure times itself
        if target and _near(factors, a / target, abs(a / target) * (tol / abs(target))):
            return "quotient"
    return None


def _shares(values: list[float], shares: list[float], target: float, tol: float) -> str | None:
    """A stated figure times a percentage, or grown or cut by one."""
    for p in shares:
        part = p / 100
        for a in values:
            for value in (a * part, a * (1 - part), a * (1 + part)):
                if abs(value - target) <= tol:
                    return "share"
            for base in (part, 1 + part, 1 - part):
                if base and abs(a / base - target) <= tol:
                    return "share"
    return None


def _ratio(pool: Pool, target: float, tol: float, kinds: tuple[str, ...]) -> str | None:
    """Ratio or relative change of two stated figures of one dimension."""
    for dim, values in pool.values.items():
        # a ratio of two percentages is no share
        of_rates = tuple(k for k in kinds if k != "share" or dim not in ("share", "pp"))
        for b in values:
            if b <= 0:
                continue
            for a in values:
                r = a / b
                for kind in of_rates:
                    value = r if kind == "ratio" else 100 * r if kind == "share" else 100 * (r - 1)
                    if abs(value - target) <= tol or (
                        kind == "change" and abs(-value - target) <= tol
                    ):
                        return kind
    return None


def _elapsed(pool: Pool, q: Quantity, target: float, dim: str) -> str | None:
    if dim == "clock":
        days = [(b - a).days for a in pool.days for b in pool.days if b >= a]
        days += [(b - a).days for a in pool.partial_days for b in pool.partial_days if b >= a]
        days += [(b - a).days + 365 for a in pool.partial_days for b in pool.partial_days if b < a]
        want = target / 86400
        if q.unit in ("day",) and any(abs(d - want) <= 1 for d in set(days)):
            return "elapsed"
        minutes = {b - a for a in pool.minutes for b in pool.minutes}
        spans = {0, 1, *(d for d in days if d < 60)}
        want = target / 60
        tol = 30 if q.unit == "hour" else 0.5
        for m in minutes:
            if any(abs(m + 1440 * d - want) <= tol for d in spans):
                return "elapsed"
        return None
    if dim == "duration:month":
        for group in (pool.days, pool.partial_days):
            for a in group:
                for b in group:
                    months = (b.year - a.year) * 12 + b.month - a.month
                    if abs(months - target) <= (12 if q.text.endswith("年") else 1) and months > 0:
                        return "elapsed"
    return None


def derive(q: Quantity, pool: Pool) -> Derivation | None:
    """Whether ``q`` follows from the figures of ``pool``.

    Args:
        q: The claim's quantity, not stated by itself in the context.
        pool: Figures of the context and the other figures of the claim.

    Returns:
        The derivation found first, or ``None``.
    """
    if q.type in ("date", "period", "time", "ordinal"):
        return None
    bounds = q.bounds
    if bounds is None:
        return None
    dim, factor, _ = dimension(q.type, q.unit)
    target, tol = float(bounds[0] * factor), _tolerance(q, factor)
    if q.is_range:
        return None
    values, run = pool.of(q, dim)
    if q.type in ("pp", "percent"):  # rates and their changes in percentage points add up
        other = pool.values.get("share" if q.type == "pp" else "pp", [])
        values = values + [v for v in other if v not in values]
    kind = _same_dimension(dim, values, run, target, tol) or _across(
        pool, q, dim, values, target, tol
    )
    return Derivation(kind, f"{kind}") if kind is not None else None


def _same_dimension(
    dim: str, values: list[float], run: list[float], target: float, tol: float
) -> str | None:
    ordered = _stated(values, run)
    kind = _sum_or_difference(ordered, target, tol)
    if kind is None and dim == "share" and _near(sorted(values), 100 - target, tol):
        kind = "complement"
    if kind is None:
        kind = _run_total(run, target, tol) or _triple(ordered, target, tol)
    return kind


def _across(
    pool: Pool, q: Quantity, dim: str, values: list[float], target: float, tol: float
) -> str | None:
    if dim in _PERCENT_LIKE:
        kinds = ("ratio",) if dim == "times" else ("share", "change")
        if q.type == "fraction":
            tol = max(tol, 2.0)
        return _ratio(pool, target, tol, kinds)
    kind = _elapsed(pool, q, target, dim)
    if kind is None:
        kind = _scaled(values, pool.factors_for(q, dim), target, tol)
    if kind is None:
        kind = _shares(values, pool.values.get("share", []), target, tol)
    if kind is None and dim == "number" and q.unit:
        kind = _ratio(pool, target, tol, ("ratio",))
    return kind
