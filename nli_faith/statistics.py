"""A few statistics of scores against truth, in numpy alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Area under the ROC curve by ranks, ties counted half (Mann-Whitney U / n0 n1)."""
    values, truth = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    ranks = _mid_ranks(values)
    n1, n0 = int(truth.sum()), int((~truth).sum())
    return float((ranks[truth].sum() - n1 * (n1 + 1) / 2) / (n1 * n0))


def _mid_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mid: NDArray[np.float64] = (last - (counts - 1) / 2)[inverse]
    return mid


def balanced_accuracy(predicted: Sequence[bool], positive: Sequence[bool]) -> float:
    """Mean of the two recalls."""
    guess, truth = np.asarray(predicted, dtype=bool), np.asarray(positive, dtype=bool)
    return float((guess[truth].mean() + (~guess[~truth]).mean()) / 2)


def best_balanced_accuracy(
    scores: Sequence[float], positive: Sequence[bool]
) -> tuple[float, float]:
    """The best balanced accuracy that any threshold gives on these very scores, and it."""
    values = np.asarray(scores, dtype=float)
    best = max((balanced_accuracy(values >= t, positive), -float(t)) for t in np.unique(values))
    return best[0], -best[1]
