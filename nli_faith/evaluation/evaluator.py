"""Metrics over records, one record at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.errors import (
    BackendError,
    CacheError,
    ConfigError,
    MissingExtraError,
    ModelError,
)
from nli_faith.metrics.base import Metric, MetricStatus, MetricValue
from nli_faith.metrics.composite import Composite
from nli_faith.metrics.engine import EntailmentEngine, ScorerEngine
from nli_faith.results import ScorerInfo

# What is wrong for every record, and would only be said a million times.
_FATAL = (BackendError, CacheError, ConfigError, MissingExtraError, ModelError)


@dataclass(frozen=True, slots=True)
class RecordEvaluation:
    """Every metric of one record.

    Attributes:
        id: The record's id.
        values: Metric name -> value, in the order of the metrics; ``composite`` last, if any.
        meta: The record's meta, for grouping.
        scorer: Model, hashes and version of the scorer behind the values, where there is one.
    """

    id: str
    values: Mapping[str, MetricValue]
    meta: Mapping[str, Any] = field(default_factory=dict)
    scorer: ScorerInfo | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, one line of ``evaluate -o``; NaN becomes None."""
        return {
            "id": self.id,
            "metrics": {name: value.to_dict() for name, value in self.values.items()},
            "meta": dict(self.meta),
            "scorer": self.scorer.to_dict() if self.scorer else None,
        }


class Evaluator:
    """Runs metrics over records. Thread-safe if the metrics and the engine are."""

    def __init__(
        self,
        engine: EntailmentEngine,
        metrics: Sequence[Metric],
        composite: Composite | None = None,
    ) -> None:
        """Set up a run.

        Args:
            engine: Splits and judges; the metrics of a record share its verdicts.
            metrics: As from `nli_faith.metrics.registry.resolve`, or your own.
            composite: Also give each record a ``composite``.

        Raises:
            ConfigError: There is no metric, two have one name, a veto of the composite speaks of
                a metric that is not run, or none that it weighs is.
        """
        names = [metric.name for metric in metrics]
        if not names:
            raise ConfigError("nothing to evaluate: no metric is given")
        for name in names:
            if names.count(name) > 1 or name == Composite.name:
                raise ConfigError(f"two metrics are called {name!r}")
        if composite is not None:
            _check_composite(composite, names)
        self.engine = engine
        self.metrics = tuple(metrics)
        self.composite = composite
        self._scorer = engine.scorer.info if isinstance(engine, ScorerEngine) else None

    @property
    def names(self) -> list[str]:
        """Names of the values, in order; ``composite`` last, if there is one."""
        names = [metric.name for metric in self.metrics]
        return names if self.composite is None else [*names, Composite.name]

    def evaluate(self, records: Iterable[Record]) -> Iterator[RecordEvaluation]:
        """Evaluate a stream of records, in order, in bounded memory.

        Args:
            records: Records of any number.

        Yields:
            One evaluation a record. A metric that fails on a record gives it NaN with status
            ``error`` and the error as the reason; the others are computed all the same.

        Raises:
            NliFaithError: What would fail for every record: a missing package, a model that is
                not there, a broken backend, a wrong option.
        """
        for record in records:
            yield self.evaluate_one(record)

    def evaluate_one(self, record: Record) -> RecordEvaluation:
        """Evaluate one record; see `evaluate`.

        Args:
            record: The record.
        """
        values = {metric.name: self._value(metric, record) for metric in self.metrics}
        if self.composite is not None:
            values[Composite.name] = self.composite.combine(values, record.meta)
        return RecordEvaluation(record.id, values, record.meta, self._scorer)

    def _value(self, metric: Metric, record: Record) -> MetricValue:
        try:
            return metric.compute(record, self.engine)
        except _FATAL:
            raise
        except Exception as error:  # one odd record must not end a run over a million
            reason = f"{type(error).__name__}: {error}"
            return MetricValue(math.nan, MetricStatus.ERROR, reason)


def _check_composite(composite: Composite, names: Sequence[str]) -> None:
    for veto in composite.vetoes:
        lacking = [name for name in veto.metrics() if name not in names]
        if lacking:
            raise ConfigError(
                f"veto '{veto}' speaks of {lacking[0]!r}, which is not among the metrics: "
                f"{', '.join(names)}"
            )
    if not any(weight > 0 and name in names for name, weight in composite.weights.items()):
        raise ConfigError(
            f"composite: none of the metrics it weighs ({', '.join(composite.weights)}) is among "
            f"the metrics: {', '.join(names)}"
        )
