"""What a metric is, and what it returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Protocol

from nli_faith.datamodels import Record
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.verdicts import json_number


class MetricStatus(str, Enum):
    """Whether a metric has a value, and if not, why."""

    MEASURED = "measured"
    MISSING_FIELD = "missing_field"  # the record lacks what the metric needs
    NOTHING_TO_MEASURE = "nothing_to_measure"  # no claims, no points, empty text
    REFUSAL = "refusal"  # the answer declines
    ERROR = "error"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class MetricValue:
    """One metric of one record.

    Attributes:
        value: In [0, 1]; NaN where it was not measured. A refusal may carry a value (a
            refusal covers nothing) and says so by its status.
        status: Why there is no value, or how the value came about.
        reason: One sentence for people; empty when plainly measured.
        details: What the value rests on: counts, claims, pairs, evidence; JSON-ready.
    """

    value: float
    status: MetricStatus = MetricStatus.MEASURED
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not math.isnan(self.value) and not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a metric's value is in [0, 1] or NaN, not {self.value!r}")
        if math.isnan(self.value) and self.status is MetricStatus.MEASURED:
            raise ValueError("a value that is NaN needs a status that says why")

    @property
    def measured(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; NaN becomes None."""
        out: dict[str, Any] = {"value": json_number(self.value), "status": self.status.value}
        if self.reason:
            out["reason"] = self.reason
        if self.details:
            out["details"] = dict(self.details)
        return out


def missing(*fields: str) -> MetricValue:
    """Not measured, because the record lacks fields.

    Args:
        *fields: Their names.
    """
    return MetricValue(
        math.nan, MetricStatus.MISSING_FIELD, f"the record has no {' and no '.join(fields)}"
    )


def nothing(reason: str, **details: Any) -> MetricValue:
    """Not measured, because there is nothing to measure.

    Args:
        reason: One sentence.
        **details: What was found.
    """
    return MetricValue(math.nan, MetricStatus.NOTHING_TO_MEASURE, reason, details)


class Metric(Protocol):
    """One measure of one record; stateless and thread-safe.

    Attributes:
        name: Name in files, flags and reports.
        required: Record fields it cannot do without; a missing one gives `missing`.
        higher_is_better: Direction.
    """

    name: ClassVar[str]
    required: ClassVar[tuple[str, ...]]
    higher_is_better: ClassVar[bool]

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record.

        Args:
            record: The record.
            engine: Splits and judges.
        """
        ...
