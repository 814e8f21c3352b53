"""Figures of scores against labels, weighted so that a bootstrap need not copy data.

A *positive* is a supported claim; a *hallucination* is one that is not. Weights are how often
each unit was drawn; all are one by default.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]
Statistic = Callable[[Floats], float]

BINS = 15
"""Bins of the expected calibration error, as in Guo et al. 2017."""
RESAMPLES = 1000
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its bootstrap interval; NaN where it cannot be had.

    Attributes:
        value: On the data as they are.
        low: 2.5% quantile over resamples of records.
        high: 97.5% quantile.
    """

    value: float
    low: float = math.nan
    high: float = math.nan

    def to_dict(self) -> dict[str, float | None]:
        """The JSON form: six decimals, None for NaN."""
        return {k: _number(getattr(self, k)) for k in ("value", "low", "high")}


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of a reliability diagram.

    Attributes:
        low: Lower edge, inclusive.
        high: Upper edge, exclusive but for the last bin.
        weight: Units in it.
        confidence: Their mean predicted probability; NaN for an empty bin.
        accuracy: Their share of supported ones; NaN for an empty bin.
    """

    low: float
    high: float
    weight: float
    confidence: float
    accuracy: float

    def to_dict(self) -> dict[str, float | None]:
        """The JSON form."""
        names = ("low", "high", "weight", "confidence", "accuracy")
        return {k: _number(getattr(self, k)) for k in names}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of a triage curve.

    Attributes:
        sent: Share of units sent to the judge, in [0, 1].
        caught: Share of the hallucinations among them, in [0, 1].
    """

    sent: float
    caught: float


def _weights(weights: Floats | None, n: int) -> Floats:
    return np.ones(n) if weights is None else weights


def auroc(scores: Floats, positive: Bools, weights: Floats | None = None) -> float:
    """Area under the ROC curve in [0, 1], higher is better, 0.5 is chance.

    P(score of a positive > score of a negative) + half of P(equal): the Mann-Whitney statistic.

    Args:
        scores: Higher means more likely positive.
        positive: The truth.
        weights: See the module.

    Returns:
        NaN where one side has no weight.
    """
    w = _weights(weights, len(scores))
    values, inverse = np.unique(scores, return_inverse=True)
    good = np.bincount(inverse, w * positive, len(values))
    bad = np.bincount(inverse, w * ~positive, len(values))
    total = good.sum() * bad.sum()
    if total == 0:
        return math.nan
    below = np.cumsum(bad) - bad
    return float((good * (below + bad / 2)).sum() / total)


def rate(hit: Bools, among: Bools, weights: Floats | None = None) -> float:
    """Weighted share of ``among`` that is ``hit``, in [0, 1]; NaN for none."""
    w = _weights(weights, len(hit))
    total = float(w[among].sum())
    return float(w[hit & among].sum()) / total if total else math.nan


def balanced_accuracy(predicted: Bools, positive: Bools, weights: Floats | None = None) -> float:
    """Mean of the recall of positives and of negatives, in [0, 1], higher is better."""
    return (rate(predicted, positive, weights) + rate(~predicted, ~positive, weights)) / 2


def edges_of(probabilities: Floats, kind: Literal["width", "mass"], bins: int = BINS) -> Floats:
    """Edges of bins.

    Args:
        probabilities: In [0, 1].
        kind: ``width``: equal widths over [0, 1]. ``mass``: quantiles of the probabilities, so
            that each bin holds as many units; equal values stay together, which may leave fewer
            bins.
        bins: How many.
    """
    if kind == "width":
        return np.linspace(0.0, 1.0, bins + 1)
    edges: Floats = np.unique(np.quantile(probabilities, np.linspace(0, 1, bins + 1)))
    return edges if len(edges) > 1 else np.array([edges[0], np.nextafter(edges[0], 2.0)])


def reliability(
    probabilities: Floats, positive: Bools, edges: Floats, weights: Floats | None = None
) -> list[Bin]:
    """The bins of a reliability diagram.

    Args:
        probabilities: Predicted P(supported), in [0, 1].
        positive: The truth.
        edges: From `edges_of`.
        weights: See the module.
    """
    w = _weights(weights, len(probabilities))
    n = len(edges) - 1
    index = np.clip(np.searchsorted(edges, probabilities, side="right") - 1, 0, n - 1)
    mass = np.bincount(index, w, n)
    with np.errstate(invalid="ignore", divide="ignore"):
        confidence = np.bincount(index, w * probabilities, n) / mass
        accuracy = np.bincount(index, w * positive, n) / mass
    return [
        Bin(float(edges[i]), float(edges[i + 1]), float(mass[i]),
            float(confidence[i]), float(accuracy[i]))
        for i in range(n)
    ]  # fmt: skip


def expected_calibration_error(bins: list[Bin]) -> float:
    """Sum over bins of share x |accuracy - confidence|, in [0, 1], lower is better.

    Source: Naeini et al. 2015; Guo et al. 2017.
    """
    total = sum(b.weight for b in bins)
    if not total:
        return math.nan
    return sum(b.weight * abs(b.accuracy - b.confidence) for b in bins if b.weight) / total


def triage_curve(scores: Floats, positive: Bools) -> list[CurvePoint]:
    """Share sent to the judge against share of hallucinations caught, lowest scores first.

    Units with equal scores are sent together, so the curve does not hang on their order.

    Args:
        scores: Higher means more likely supported.
        positive: The truth.

    Returns:
        From (0, 0) to (1, 1), a point for each distinct score; empty when all or none are
        hallucinations, since then the order cannot matter.
    """
    bad = int((~positive).sum())
    if bad in (0, len(positive)):
        return []
    values, inverse = np.unique(scores, return_inverse=True)
    sent = np.cumsum(np.bincount(inverse, minlength=len(values))) / len(scores)
    caught = np.cumsum(np.bincount(inverse, ~positive, len(values))) / bad
    points = zip(sent.tolist(), caught.tolist(), strict=True)
    return [CurvePoint(0.0, 0.0), *(CurvePoint(s, c) for s, c in points)]


def caught_at(curve: list[CurvePoint], sent: float) -> float:
    """Share of hallucinations caught when a share is sent; linear between points.

    Linear, because of equal scores a random part would be sent.

    Args:
        curve: From `triage_curve`.
        sent: In [0, 1].
    """
    if not curve:
        return math.nan
    return float(np.interp(sent, [p.sent for p in curve], [p.caught for p in curve]))


def bootstrap(
    groups: Ints,
    statistics: dict[str, Statistic],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Interval]:
    """Percentile intervals by resampling records, so that claims of one stay together.

    Args:
        groups: Number of the record of each unit, 0 to n - 1.
        statistics: Name -> figure as a function of the units' weights.
        resamples: How many.
        seed: Of the random numbers.

    Returns:
        An interval for each figure; its ends are NaN when more than half of the resamples had
        no value.
    """
    n = int(groups.max()) + 1 if len(groups) else 0
    ones = np.ones(len(groups))
    values = {name: f(ones) for name, f in statistics.items()}
    if n < 2:
        return {name: Interval(v) for name, v in values.items()}
    rng = np.random.default_rng(seed)
    drawn: dict[str, list[float]] = {name: [] for name in statistics}
    for _ in range(resamples):
        weights = np.bincount(rng.integers(0, n, n), minlength=n)[groups].astype(np.float64)
        for name, figure in statistics.items():
            drawn[name].append(figure(weights))
    return {name: _interval(values[name], np.array(found)) for name, found in drawn.items()}


def _interval(value: float, drawn: Floats) -> Interval:
    known = drawn[~np.isnan(drawn)]
    if 2 * len(known) < len(drawn):
        return Interval(value)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return Interval(value, float(low), float(high))


def _number(value: Any) -> float | None:
    return None if math.isnan(value) else round(float(value), 6)
