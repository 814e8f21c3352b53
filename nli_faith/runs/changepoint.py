"""Did the level of a series change, and when? One split, tested by permutation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nli_faith.errors import ConfigError

SHORTEST = 8
"""Points needed: with fewer, even a perfect step has a p-value above 0.05."""

EDGE = 2
"""Points on each side of a split, at least: one outlier is no new level."""

PERMUTATIONS = 2000


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """The best split of a series.

    Attributes:
        index: The first point of the new level.
        before: Mean of the points before it.
        after: Mean of those from it on.
        p_value: Share of permutations with a split as good: small when order matters.
    """

    index: int
    before: float
    after: float
    p_value: float


def change_point(
    values: Sequence[float], *, permutations: int = PERMUTATIONS, seed: int = 0
) -> ChangePoint | None:
    """The single most likely change of level in a series.

    Statistic: ``max over k of |mean(right) - mean(left)| * sqrt(k (n - k) / n)``, the one step of
    binary segmentation (Scott & Knott 1974; Vostrikova 1981). Its p-value is the share of random
    orders of the same values whose statistic is at least as large, (1 + hits) / (1 + orders).
    It looks for one step; a slow slope also gives a small p-value, with the split in its middle.

    Args:
        values: The series in order, without NaN.
        permutations: Random orders.
        seed: Makes the p-value reproducible.

    Returns:
        The split, None for a series shorter than `SHORTEST` or without any variation.

    Raises:
        ConfigError: A value is NaN.
    """
    series = np.asarray(values, dtype=float)
    if np.isnan(series).any():
        raise ConfigError("a series with NaN has no change point: leave those points out")
    if series.size < SHORTEST or float(np.ptp(series)) == 0:
        return None
    rng = np.random.default_rng(seed)
    found, index = _best(series[None, :])
    orders = rng.permuted(np.tile(series, (permutations, 1)), axis=1)
    others, _ = _best(orders)
    # A hair of tolerance: equal statistics computed in another order of additions are equal.
    hits = int((others >= found[0] - 1e-12 * max(1.0, abs(float(found[0])))).sum())
    k = int(index[0])
    return ChangePoint(
        k, float(series[:k].mean()), float(series[k:].mean()), (1 + hits) / (1 + permutations)
    )


def _best(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Statistic and split of each row."""
    n = rows.shape[1]
    k = np.arange(EDGE, n - EDGE + 1)
    left = np.cumsum(rows, axis=1)[:, k - 1]
    total = rows.sum(axis=1, keepdims=True)
    gap = np.abs((total - left) / (n - k) - left / k) * np.sqrt(k * (n - k)) / math.sqrt(n)
    best = gap.argmax(axis=1)
    return gap[np.arange(rows.shape[0]), best], k[best]
