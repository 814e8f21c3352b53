"""From values of records to figures of a set: mean, coverage, and how sure the mean is.

Memory does not grow with the records: of each metric the values are counted, not kept.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nli_faith.errors import ConfigError
from nli_faith.evaluation.evaluator import RecordEvaluation
from nli_faith.measures import group_name
from nli_faith.metrics.base import MetricStatus, MetricValue
from nli_faith.redaction import redact
from nli_faith.verdicts import json_number

RESAMPLES: Final = 2000
CONFIDENCE: Final = 0.95
#: More groups than these are no grouping but an id taken for one.
MAX_GROUPS: Final = 200
#: Decimals of a value that are told apart: those that are written to files.
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over a set of records.

    Attributes:
        metric: Its name.
        records: Records in all.
        measured: Records with a value.
        mean: Mean over the measured, in [0, 1]; NaN for none.
        low: Lower end of the 95% interval of the mean; NaN for fewer than two values.
        high: Upper end.
        statuses: Records by status.
        reasons: The most frequent reasons for having no value, with their counts.
    """

    metric: str
    records: int
    measured: int
    mean: float
    low: float
    high: float
    statuses: Mapping[str, int]
    reasons: tuple[tuple[str, int], ...] = ()

    @property
    def coverage(self) -> float:
        """``measured / records`` in [0, 1]; NaN for no records."""
        return self.measured / self.records if self.records else math.nan

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; NaN becomes None."""
        return {
            "records": self.records,
            "measured": self.measured,
            "coverage": json_number(self.coverage),
            "mean_on_measured": json_number(self.mean),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "statuses": {k: n for k, n in self.statuses.items() if n},
            "reasons": dict(self.reasons),
        }


@dataclass(slots=True)
class _Tally:
    """One metric's values within one group, counted."""

    values: Counter[float] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    total: float = 0.0

    def add(self, value: MetricValue) -> None:
        self.statuses[value.status.value] += 1
        if value.measured:
            self.values[round(value.value, _DECIMALS)] += 1
            self.total += value.value
        else:
            # Error texts may differ from record to record; a few of them tell enough.
            reason = value.reason if len(self.reasons) < 64 else "other"
            self.reasons[reason if value.reason not in self.reasons else value.reason] += 1


class Aggregator:
    """Adds up evaluations, over all and by group.

    Args:
        by: Field of ``meta`` to group by, ``version`` or ``meta.version``, dotted for nested
            ones; records without it form the group ``(none)``.
        seed: Of the resampling.
        resamples: Bootstrap resamples, at least 100.
        redact: Mask what is private in names of groups and in reasons; groups whose masked names
            are equal are numbered, not thrown together.

    Raises:
        ConfigError: ``resamples`` or ``seed`` is out of range.
    """

    def __init__(
        self,
        by: str | None = None,
        *,
        seed: int = 0,
        resamples: int = RESAMPLES,
        redact: bool = False,
    ) -> None:
        if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 100:
            raise ConfigError(f"resamples must be an integer of at least 100, not {resamples!r}")
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ConfigError(f"seed must be an integer of at least 0, not {seed!r}")
        self.by = by
        self.seed = seed
        self.resamples = resamples
        self.redact = redact
        self.records = 0
        self.errors = 0
        self._all: dict[str, _Tally] = {}
        self._groups: dict[str, dict[str, _Tally]] = {}

    def add(self, evaluation: RecordEvaluation) -> None:
        """Count one record.

        Raises:
            ConfigError: ``by`` has more than 200 different values.
        """
        self.records += 1
        self.errors += any(v.status is MetricStatus.ERROR for v in evaluation.values.values())
        tallies = [self._all]
        if self.by:
            tallies.append(self._group(self.by, evaluation.meta))
        for tally in tallies:
            for name, value in evaluation.values.items():
                tally.setdefault(name, _Tally()).add(value)

    def add_all(self, evaluations: Iterable[RecordEvaluation]) -> Iterator[RecordEvaluation]:
        """Count evaluations on their way through.

        Args:
            evaluations: As from `Evaluator.evaluate`.
        """
        for evaluation in evaluations:
            self.add(evaluation)
            yield evaluation

    def _group(self, by: str, meta: Mapping[str, Any]) -> dict[str, _Tally]:
        name = group_name(meta, by)
        if name not in self._groups and len(self._groups) >= MAX_GROUPS:
            raise ConfigError(
                f"--by {by}: more than {MAX_GROUPS} different values (the latest is "
                f"{self._shown(name)!r:.60}); group by something coarser"
            )
        return self._groups.setdefault(name, {})

    def summaries(self) -> dict[str, MetricSummary]:
        """Metric -> figures over all records."""
        return self._summaries(self._all, "")

    def groups(self) -> dict[str, dict[str, MetricSummary]]:
        """Group -> metric -> figures, groups in order of their names; empty without ``by``."""
        out: dict[str, dict[str, MetricSummary]] = {}
        for name, tallies in sorted(self._groups.items()):
            shown = base = self._shown(name)
            number = 1
            while shown in out:
                number += 1
                shown = f"{base} ({number})"
            # Drawn under the real name: masked or not, the figures are the same.
            out[shown] = self._summaries(tallies, name)
        return out

    def _shown(self, text: str) -> str:
        return redact(text) if self.redact else text

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of everything."""
        out: dict[str, Any] = {
            "records": self.records,
            "records_with_errors": self.errors,
            "metrics": {name: s.to_dict() for name, s in self.summaries().items()},
            "interval": {
                "confidence": CONFIDENCE,
                "method": "percentile bootstrap of the mean",
                "resamples": self.resamples,
                "seed": self.seed,
            },
        }
        if self.by:
            out["by"] = self.by
            out["groups"] = {
                group: {name: s.to_dict() for name, s in summaries.items()}
                for group, summaries in self.groups().items()
            }
        return out

    def _summaries(self, tallies: Mapping[str, _Tally], group: str) -> dict[str, MetricSummary]:
        return {name: self._summary(name, tally, group) for name, tally in tallies.items()}

    def _summary(self, name: str, tally: _Tally, group: str) -> MetricSummary:
        measured = tally.values.total()
        # A stream of its own, so that a figure does not depend on the metrics beside it.
        stream = (self.seed << 32) | zlib.crc32(f"{name}\0{group}".encode())
        low, high = interval(tally.values, seed=stream, resamples=self.resamples)
        return MetricSummary(
            metric=name,
            records=tally.statuses.total(),
            measured=measured,
            mean=tally.total / measured if measured else math.nan,
            low=low,
            high=high,
            statuses={s.value: tally.statuses[s.value] for s in MetricStatus},
            reasons=tuple((self._shown(r), n) for r, n in tally.reasons.most_common(3)),
        )


def interval(
    values: Mapping[float, int], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """95% percentile bootstrap interval of a mean, see `nli_faith.bootstrap`.

    Args:
        values: Value -> how often it was seen.
        seed: The same seed gives the same interval.
        resamples: How many resamples.

    Returns:
        Lower and upper end; NaN, NaN for fewer than two values, of which nothing can be said.
    """
    import numpy as np

    from nli_faith.bootstrap import mean_bounds

    if sum(values.values()) < 2:
        return math.nan, math.nan
    ordered = sorted(values)  # whatever order they came in
    every = np.repeat(np.array(ordered, dtype=np.float64), [values[v] for v in ordered])
    return mean_bounds(every, confidence=CONFIDENCE, resamples=resamples, seed=seed)
