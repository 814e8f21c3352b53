"""The held-out part: by record, and with as many hallucinations in proportion as the rest."""

from __future__ import annotations

import numpy as np

from nli_faith.calibration.samples import Arrays
from nli_faith.calibration.statistics import Bools
from nli_faith.errors import ConfigError


def hold_out(data: Arrays, share: float, seed: int = 0) -> Bools:
    """Which units are held out.

    Whole groups are taken, so that claims of one answer never fall on both sides. Groups are
    stratified by their share of hallucinations (none, at most half, more, all), each stratum
    gives its share, by largest remainder.

    Args:
        data: The labelled units.
        share: In [0, 1); 0 holds nothing out.
        seed: Of the random numbers.

    Raises:
        ConfigError: The share is out of range.
    """
    if isinstance(share, bool) or not 0 <= share < 1:
        raise ConfigError(f"the held-out share must be in [0, 1), not {share!r}")
    n = int(data.groups.max()) + 1
    bad = np.bincount(data.groups, ~data.supported, n) / np.bincount(data.groups, minlength=n)
    stratum = np.select([bad == 0, bad <= 0.5, bad < 1], [0, 1, 2], 3)
    rng = np.random.default_rng(seed)
    held = np.zeros(n, dtype=bool)
    members = [np.flatnonzero(stratum == s) for s in range(4)]
    for group, take in zip(members, _quotas([len(m) for m in members], share), strict=True):
        held[rng.permutation(group)[:take]] = True
    chosen: Bools = held[data.groups]
    return chosen


def _quotas(sizes: list[int], share: float) -> list[int]:
    """How many of each stratum, so that the sum is right and no stratum is far off."""
    exact = [size * share for size in sizes]
    taken = [int(x) for x in exact]
    left = round(sum(exact)) - sum(taken)
    by_rest = sorted(range(len(sizes)), key=lambda i: (taken[i] - exact[i], i))
    for i in by_rest[:left]:
        taken[i] += 1
    return taken
