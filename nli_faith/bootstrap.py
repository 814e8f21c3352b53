"""Bootstrap intervals of a mean and of the difference of two means.

Percentile bootstrap (Efron & Tibshirani 1993, ch. 13): resample records with replacement, take
the mean of each resample, read quantiles. Resampling n values is the same as drawing multinomial
counts over their distinct values, which is how it is done here: faithfulness takes few values, so
a million records cost no more than a hundred.

Where all values are equal, resamples show no spread, which would pass off five perfect answers as
certainty. The bound is then the exact one (Clopper & Pearson 1934) of the share of records that may
differ unseen, ``1 - tail ** (1 / n)``, taken to be 0 for the lower end and 1 for the upper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nli_faith.errors import ConfigError

Floats = NDArray[np.float64]

RESAMPLES = 2000
"""Resamples of every interval, unless told otherwise."""

_CELLS = 4_000_000  # counts held at once: bounds memory at 32 MB
_DISTINCT = 50_000  # beyond it the means are drawn from their normal limit, which is exact by then


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of one set minus mean of another.

    Attributes:
        value: The difference of means, current - baseline.
        low: Lower confidence bound, one-sided.
        high: Upper confidence bound, one-sided.
        n: Pairs, or values of the current set where they are not paired.
        paired: Whether values were matched one by one.
    """

    value: float
    low: float
    high: float
    n: int
    paired: bool


def resampled_means(values: Floats, *, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Means of resamples with replacement.

    Args:
        values: At least one number, no NaN.
        resamples: How many.
        seed: Makes it reproducible.

    Raises:
        ConfigError: There is no value, or a value is NaN.
    """
    if values.size == 0 or np.isnan(values).any():
        raise ConfigError(f"a bootstrap needs numbers, at least one; got {values.size}")
    rng = np.random.default_rng(seed)
    distinct, counts = np.unique(values, return_counts=True)
    n = int(counts.sum())
    if distinct.size > _DISTINCT:
        return rng.normal(values.mean(), values.std() / math.sqrt(n), resamples)
    step = max(1, _CELLS // distinct.size)
    parts = []
    for start in range(0, resamples, step):
        drawn = rng.multinomial(n, counts / n, size=min(step, resamples - start))
        parts.append(drawn @ distinct / n)
    return np.concatenate(parts)


def one_sided(means: Floats, confidence: float) -> tuple[float, float]:
    """The lower and the upper bound, each of them at this confidence by itself.

    Args:
        means: Means of resamples.
        confidence: In (0.5, 1).

    Raises:
        ConfigError: The confidence is out of range.
    """
    check_confidence(confidence)
    return float(np.quantile(means, 1 - confidence)), float(np.quantile(means, confidence))


def two_sided(means: Floats, confidence: float) -> tuple[float, float]:
    """The interval that holds this share of the resampled means, equal tails.

    Args:
        means: Means of resamples.
        confidence: In (0.5, 1).

    Raises:
        ConfigError: The confidence is out of range.
    """
    check_confidence(confidence)
    tail = (1 - confidence) / 2
    return float(np.quantile(means, tail)), float(np.quantile(means, 1 - tail))


def mean_bounds(
    values: Floats, *, confidence: float = 0.95, sides: int = 2,
    resamples: int = RESAMPLES, seed: int = 0,
) -> tuple[float, float]:  # fmt: skip
    """Lower and upper bound of the mean of values in [0, 1]; see the module.

    Args:
        values: At least one number in [0, 1], no NaN.
        confidence: In (0.5, 1): of the interval for two sides, of each bound by itself for one.
        sides: 1 or 2.
        resamples: How many.
        seed: Makes it reproducible.

    Raises:
        ConfigError: There is no value, a value is NaN, or the confidence is out of range.
    """
    check_confidence(confidence)
    means = resampled_means(values, resamples=resamples, seed=seed)
    first = float(values[0])
    if (values == first).all():
        unseen = 1 - ((1 - confidence) / sides) ** (1 / values.size)
        return first * (1 - unseen), first + (1 - first) * unseen
    return two_sided(means, confidence) if sides == 2 else one_sided(means, confidence)


def paired_difference(
    current: Floats, baseline: Floats, *, confidence: float = 0.95,
    resamples: int = RESAMPLES, seed: int = 0,
) -> Difference:  # fmt: skip
    """Mean of ``current[i] - baseline[i]`` with one-sided bounds; resamples whole pairs.

    Args:
        current: Values of the records now.
        baseline: Values of the same records before, in the same order.
        confidence: Of each bound, in (0.5, 1).
        resamples: How many.
        seed: Makes it reproducible.

    Raises:
        ConfigError: No pairs, unequal lengths, or a confidence out of range.
    """
    if current.shape != baseline.shape:
        raise ConfigError(f"{current.size} values cannot be paired with {baseline.size}")
    # Rounded, so that 0.9 - 0.6 and 0.7 - 0.4 are one distinct difference.
    differences = np.round(current - baseline, 9)
    means = resampled_means(differences, resamples=resamples, seed=seed)
    low, high = one_sided(means, confidence)
    return Difference(float(differences.mean()), low, high, int(current.size), True)


def unpaired_difference(
    current: Floats, baseline: Floats, *, confidence: float = 0.95,
    resamples: int = RESAMPLES, seed: int = 0,
) -> Difference:  # fmt: skip
    """Difference of two means with one-sided bounds; resamples each set by itself.

    Args:
        current: Values now.
        baseline: Values before, of other records.
        confidence: Of each bound, in (0.5, 1).
        resamples: How many.
        seed: Makes it reproducible.

    Raises:
        ConfigError: A set is empty, or the confidence is out of range.
    """
    now = resampled_means(current, resamples=resamples, seed=seed)
    # Another stream: with the same one equal sets would move together and hide their noise.
    before = resampled_means(baseline, resamples=resamples, seed=seed + 1)
    low, high = one_sided(now - before, confidence)
    value = float(current.mean() - baseline.mean())
    return Difference(value, low, high, int(current.size), False)


def check_confidence(confidence: float) -> None:
    """Refuse a confidence outside (0.5, 1).

    Raises:
        ConfigError: It is.
    """
    if not 0.5 < confidence < 1:
        raise ConfigError(f"confidence must be between 0.5 and 1, not {confidence!r}")
