"""How far two raters agree: observed agreement, Cohen's kappa, and the table behind both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nli_faith.datamodels import Label

LABELS: tuple[str, ...] = tuple(label.value for label in Label)
TWO_WAY: tuple[str, ...] = ("supported", "not_supported")


@dataclass(slots=True)
class Agreement:
    """A table of two raters' labels.

    Attributes:
        first: Name of the first rater (rows).
        second: Name of the second (columns).
        labels: The labels, in order.
        counts: ``counts[i][j]``: the first said label i, the second label j.
    """

    first: str
    second: str
    labels: Sequence[str] = LABELS
    counts: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.counts:
            self.counts = [[0] * len(self.labels) for _ in self.labels]

    def add(self, first: str, second: str) -> None:
        """Count one unit that both rated."""
        self.counts[self.labels.index(first)][self.labels.index(second)] += 1

    @property
    def n(self) -> int:
        """Units that both rated."""
        return sum(map(sum, self.counts))

    @property
    def agreed(self) -> int:
        """Units on which they agree."""
        return sum(self.counts[i][i] for i in range(len(self.labels)))

    @property
    def observed(self) -> float:
        """Share on which they agree, in [0, 1]; NaN for none."""
        return self.agreed / self.n if self.n else math.nan

    @property
    def kappa(self) -> float:
        """Cohen's kappa: (observed - expected) / (1 - expected), in [-1, 1], 0 is chance.

        Expected is the agreement of independent raters with the same label shares (Cohen 1960).
        NaN where both always say the same one label, or there is nothing.
        """
        n = self.n
        if not n:
            return math.nan
        rows = [sum(r) for r in self.counts]
        columns = [sum(c) for c in zip(*self.counts, strict=True)]
        expected = sum(a * b for a, b in zip(rows, columns, strict=True)) / n**2
        return (self.observed - expected) / (1 - expected) if expected < 1 else math.nan

    def two_way(self) -> Agreement:
        """The same with all but ``supported`` put together."""
        small = Agreement(self.first, self.second, TWO_WAY)
        for i, row in enumerate(self.counts):
            for j, n in enumerate(row):
                small.counts[int(i > 0)][int(j > 0)] += n
        return small

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; NaN becomes None."""
        return {
            "first": self.first,
            "second": self.second,
            "labels": list(self.labels),
            "counts": [list(row) for row in self.counts],
            "n": self.n,
            "agreed": self.agreed,
            "observed": _or_none(self.observed),
            "kappa": _or_none(self.kappa),
        }


def agreements(
    units: Iterable[dict[str, str]], pairs: Sequence[tuple[str, str]]
) -> list[Agreement]:
    """Tables of pairs of raters.

    Args:
        units: For each claim rater -> label; raters who did not rate it are absent.
        pairs: The pairs.
    """
    tables = [Agreement(a, b) for a, b in pairs]
    for unit in units:
        for table in tables:
            if table.first in unit and table.second in unit:
                table.add(unit[table.first], unit[table.second])
    return tables


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)
