"""What a threshold is chosen for, and the choice itself.

A claim counts as supported when its support is at least the threshold; otherwise it is *flagged*
as a hallucination. A claim that the quantity check caps is flagged whatever the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nli_faith.calibration.statistics import Bools, Floats, Ints
from nli_faith.errors import ConfigError

Kind = Literal["balanced", "recall", "precision"]
CHOICE_RESAMPLES = 200
# Probabilities are written with six decimals; a smaller distance than this is rounding.
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Target:
    """What the support threshold is chosen for.

    Attributes:
        kind: ``balanced``: the best balanced accuracy. ``recall``: at least ``value`` of the
            hallucinations are flagged, and as few supported claims as that allows.
            ``precision``: at least ``value`` of the flagged claims are hallucinations, and as
            many are flagged as that allows.
        value: In (0, 1]; None for ``balanced``.
    """

    kind: Kind = "balanced"
    value: float | None = None

    def __str__(self) -> str:
        return self.kind if self.value is None else f"{self.kind}={self.value:g}"

    @classmethod
    def parse(cls, text: str) -> Target:
        """``balanced``, ``recall=0.9`` or ``precision=0.9``.

        Raises:
            ConfigError: It is none of them, or the number is not in (0, 1].
        """
        name, sign, number = text.strip().partition("=")
        if name == "balanced" and not sign:
            return cls()
        if name in ("recall", "precision") and sign:
            try:
                value = float(number)
            except ValueError:
                value = -1.0
            if 0.0 < value <= 1.0:
                return cls("recall" if name == "recall" else "precision", value)
        raise ConfigError(
            f"target must be balanced, recall=R or precision=P with R and P in (0, 1], not {text!r}"
        )


@dataclass(frozen=True, slots=True)
class _Curve:
    """What each candidate threshold flags, by weight."""

    thresholds: Floats
    flagged_bad: Floats
    flagged_good: Floats
    bad: float
    good: float


def _curve(support: Floats, supported: Bools, weights: Floats) -> _Curve:
    order = np.argsort(support, kind="stable")
    values, w, truth = support[order], weights[order], supported[order]
    steps = np.unique(values[values > 0])
    ends = np.array([steps[0] / 2 if len(steps) else 0.5, (values[-1] + 1) / 2])
    thresholds = np.unique(np.concatenate([ends, (steps[1:] + steps[:-1]) / 2]))
    at = np.searchsorted(values, thresholds, side="left")
    bad = np.concatenate([[0.0], np.cumsum(w * ~truth)])
    good = np.concatenate([[0.0], np.cumsum(w * truth)])
    return _Curve(thresholds, bad[at], good[at], float(bad[-1]), float(good[-1]))


def choose_support(
    target: Target, support: Floats, supported: Bools, weights: Floats | None = None
) -> float:
    """The support threshold that meets a target on these very units.

    Candidates lie midway between neighbouring values of support; of equally good ones the
    middle is taken.

    Args:
        target: What to choose for.
        support: Support, 0 for capped claims, in [0, 1].
        supported: The truth; both sides are there.
        weights: How often each unit counts.

    Returns:
        A threshold in (0, 1].

    Raises:
        ConfigError: No threshold meets the target; the message says how far one comes.
    """
    curve = _curve(support, supported, np.ones(len(support)) if weights is None else weights)
    recall = curve.flagged_bad / curve.bad
    if target.kind == "balanced":
        figure = recall + (1 - curve.flagged_good / curve.good)
        best = np.flatnonzero(figure >= figure.max() - _TOLERANCE)
        return float(curve.thresholds[best[len(best) // 2]])
    wanted = target.value or 1.0
    if target.kind == "recall":
        meets = np.flatnonzero(recall >= wanted - _TOLERANCE)
        if not len(meets):
            raise ConfigError(
                f"target {target}: no threshold flags that share of the hallucinations; the most "
                f"is {recall.max():.3f}"
            )
        return float(curve.thresholds[meets[0]])
    flagged = curve.flagged_bad + curve.flagged_good
    precision = np.divide(curve.flagged_bad, flagged, out=np.zeros_like(flagged), where=flagged > 0)
    meets = np.flatnonzero((precision >= wanted - _TOLERANCE) & (flagged > 0))
    if not len(meets):
        raise ConfigError(
            f"target {target}: no threshold is that precise; the best flags with precision "
            f"{precision.max():.3f}"
        )
    return float(curve.thresholds[meets[-1]])


def choose_stable(
    target: Target,
    support: Floats,
    supported: Bools,
    groups: Ints,
    *,
    resamples: int = CHOICE_RESAMPLES,
    seed: int = 0,
) -> float:
    """As `choose_support`; for ``balanced`` the median over bootstrap samples of records.

    The best balanced accuracy is a jagged function of the threshold, and its top on one sample
    follows the last claim; the median does not. A wanted recall or precision is met exactly on
    the data, so no median is taken there.

    Args:
        target: What to choose for.
        support: Support, 0 for capped claims.
        supported: The truth.
        groups: Number of the record of each unit.
        resamples: How many bootstrap samples.
        seed: Of the random numbers.

    Raises:
        ConfigError: No threshold meets the target.
    """
    if target.kind != "balanced":
        return choose_support(target, support, supported)
    rng = np.random.default_rng(seed)
    n = int(groups.max()) + 1
    found = []
    for _ in range(resamples):
        weights = np.bincount(rng.integers(0, n, n), minlength=n)[groups].astype(np.float64)
        if weights[supported].sum() and weights[~supported].sum():
            found.append(choose_support(target, support, supported, weights))
    if not found:
        return choose_support(target, support, supported)
    return float(np.median(found))
