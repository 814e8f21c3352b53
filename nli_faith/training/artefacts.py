"""Whether claims alone give their label away, and which to drop so that they do not.

A logistic regression over hashed character 1- to 3-grams reads the claims without their
premises. Its balanced accuracy, out of fold and split by document, is 0.5 where the wording says
nothing. `filter_artefacts` drops the units (twins together) that it is surest about and right,
and trains anew, until it is near chance.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

BUCKETS: Final = 1 << 18
_SIZES: Final = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class ArtefactReport:
    """What the filter saw and did.

    Attributes:
        before: Balanced accuracy of the hypothesis-only classifier on everything.
        after: The same on what is left, retrained.
        kept: Claims left.
        total: Claims at the beginning.
        rounds: Rounds of dropping.
    """

    before: float
    after: float
    kept: int
    total: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Grams:
    """Character n-grams of claims as a sparse binary matrix with rows of length 1.

    Attributes:
        columns: Bucket of each entry, rows one after another.
        rows: Row of each entry.
        weights: Value of each entry.
        count: Number of rows.
    """

    columns: IntArray
    rows: IntArray
    weights: FloatArray
    count: int

    def take(self, keep: NDArray[np.bool_]) -> Grams:
        """The rows that a mask keeps, renumbered."""
        entries = keep[self.rows]
        number = np.cumsum(keep) - 1
        return Grams(
            self.columns[entries], number[self.rows[entries]], self.weights[entries],
            int(keep.sum()),
        )  # fmt: skip

    def times(self, vector: FloatArray) -> FloatArray:
        """The matrix times a vector of weights."""
        values = self.weights * vector[self.columns]
        return _sums(self.rows, values, self.count)

    def transposed_times(self, vector: FloatArray) -> FloatArray:
        """The transposed matrix times a vector over the rows."""
        values = self.weights * vector[self.rows]
        return _sums(self.columns, values, BUCKETS)


def _sums(places: IntArray, values: FloatArray, count: int) -> FloatArray:
    sums: FloatArray = np.bincount(places, weights=values, minlength=count).astype(np.float64)
    return sums


def grams(claims: Sequence[str]) -> Grams:
    """Hash the character n-grams of claims.

    Args:
        claims: The claims.
    """
    ends = np.cumsum([len(c) + 2 for c in claims])
    signs = np.frombuffer("".join(f"\x02{c}\x03" for c in claims).encode("utf-32-le"), dtype="<u4")
    owner = np.searchsorted(ends, np.arange(len(signs)), side="right")
    hashed, rows = [], []
    value = np.zeros(len(signs), dtype=np.uint64)
    for size in range(1, max(_SIZES) + 1):
        value = value[: len(signs) - size + 1] * np.uint64(1000003) + signs[size - 1 :]
        mixed = (value ^ (value >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
        inside = owner[: len(value)] == owner[size - 1 :]
        hashed.append((mixed[inside] >> np.uint64(46)).astype(np.int64))
        rows.append(owner[: len(value)][inside])
    keys = np.unique(np.concatenate(rows) * BUCKETS + np.concatenate(hashed))
    row = keys // BUCKETS
    lengths = np.bincount(row, minlength=len(claims))
    return Grams(keys % BUCKETS, row, 1.0 / np.sqrt(lengths[row]), len(claims))


def fit(data: Grams, target: FloatArray, *, steps: int = 60, decay: float = 4e-6) -> FloatArray:
    """Weights of a class-balanced logistic regression, by accelerated gradient steps.

    Args:
        data: The claims.
        target: 1 for unsupported, 0 for supported.
        steps: Gradient steps.
        decay: Strength of the L2 term.
    """
    share = np.clip(target.mean(), 1e-6, 1 - 1e-6)
    importance = np.where(target > 0, 0.5 / share, 0.5 / (1 - share)) / data.count
    weights = np.zeros(BUCKETS)
    ahead, momentum, rate = weights.copy(), 1.0, 8.0
    for _ in range(steps):
        error = importance * (1.0 / (1.0 + np.exp(-data.times(ahead))) - target)
        new = ahead - rate * (data.transposed_times(error) + decay * ahead)
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / following * (new - weights)
        weights, momentum = new, following
    return weights


def folds_of(groups: Sequence[Hashable], count: int) -> IntArray:
    """Fold of each claim: a hash of its group, so that a document stays in one fold."""
    known: dict[Hashable, int] = {}
    for group in groups:
        if group not in known:
            digest = hashlib.sha256(str(group).encode()).digest()
            known[group] = int.from_bytes(digest[:4], "big") % count
    return np.array([known[g] for g in groups], dtype=np.int64)


def out_of_fold(data: Grams, target: FloatArray, fold: IntArray) -> FloatArray:
    """Score of each claim by a model that saw no claim of its document.

    Args:
        data: The claims.
        target: 1 for unsupported, 0 for supported.
        fold: Fold of each claim.
    """
    scores = np.zeros(data.count)
    for k in np.unique(fold):
        train = fold != k
        if not 0 < target[train].sum() < train.sum():
            continue
        weights = fit(data.take(train), target[train])
        scores[~train] = data.take(~train).times(weights)
    return scores


def balanced_accuracy(scores: FloatArray, target: FloatArray) -> float:
    """Mean of the shares found among unsupported and supported claims, at threshold 0."""
    positive = target > 0
    if positive.all() or not positive.any():
        return 0.5
    return float(((scores[positive] > 0).mean() + (scores[~positive] <= 0).mean()) / 2)


def cross_validated(
    claims: Sequence[str], labels: Sequence[bool], groups: Sequence[Hashable], *, folds: int = 5
) -> float:
    """Balanced accuracy of the hypothesis-only classifier, out of fold.

    Args:
        claims: The claims.
        labels: Whether each is supported.
        groups: Document of each.
        folds: Folds of the cross-validation.
    """
    truth = np.array([0.0 if supported else 1.0 for supported in labels])
    return balanced_accuracy(out_of_fold(grams(claims), truth, folds_of(groups, folds)), truth)


def filter_artefacts(
    claims: Sequence[str],
    labels: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    units: Sequence[Hashable] | None = None,
    target: float = 0.55,
    step: float = 0.05,
    folds: int = 3,
    max_rounds: int = 14,
) -> tuple[NDArray[np.bool_], ArtefactReport]:
    """Which claims to keep so that the wording alone says little about the label.

    Args:
        claims: The claims.
        labels: Whether each is supported.
        groups: Document of each; a document's claims are never in training and test at once.
        units: Claims with the same unit are kept or dropped together (twins); each its own
            where None.
        target: Balanced accuracy to reach.
        step: Share of the units dropped in a round.
        folds: Folds of the cross-validation.
        max_rounds: Rounds at most.

    Returns:
        A mask over the claims, and the report.
    """
    truth = np.array([0.0 if supported else 1.0 for supported in labels])
    data, fold = grams(claims), folds_of(groups, folds)
    unit = _numbered(units if units is not None else range(len(claims)))
    keep = np.ones(len(claims), dtype=bool)
    before = after = 0.5
    rounds = 0
    for rounds in itertools.count():
        scores = out_of_fold(data.take(keep), truth[keep], fold[keep])
        after = balanced_accuracy(scores, truth[keep])
        before = after if rounds == 0 else before
        if after <= target or rounds >= max_rounds:
            break
        keep = _without_easiest(keep, scores, truth, unit, step)
    report = ArtefactReport(before, after, int(keep.sum()), len(claims), rounds)
    return keep, report


def _numbered(units: Sequence[Hashable]) -> IntArray:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(u, len(numbers)) for u in units], dtype=np.int64)


def _without_easiest(
    keep: NDArray[np.bool_], scores: FloatArray, truth: FloatArray, unit: IntArray, step: float
) -> NDArray[np.bool_]:
    """Drop the units whose members are guessed right by the widest margin."""
    present = unit[keep]
    margin = scores * np.where(truth[keep] > 0, 1.0, -1.0)
    size = np.bincount(present, minlength=unit.max() + 1)
    total = np.bincount(present, weights=margin, minlength=unit.max() + 1)
    ease = np.where(size > 0, total / np.maximum(size, 1), -np.inf)
    gone = np.argsort(-ease, kind="stable")[: max(1, int(step * (size > 0).sum()))]
    return keep & ~np.isin(unit, gone)


def leaning(
    claims: Sequence[str], labels: Sequence[bool], *, least: int = 40, top: int = 25
) -> list[tuple[str, int, int, float]]:
    """Character 1- to 3-grams that lean to one label, by log-odds over their spread.

    Args:
        claims: The claims.
        labels: Whether each is supported.
        least: Claims that must hold an n-gram.
        top: N-grams returned.

    Returns:
        N-gram, supported and unsupported claims with it, log-odds of unsupported; those
        that lean most surely first.
    """
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for claim, supported in zip(claims, labels, strict=True):
        found = {claim[i : i + n] for n in _SIZES for i in range(len(claim) - n + 1)}
        counts[0 if supported else 1].update(found)
    good = max(1, sum(labels))
    bad = max(1, len(labels) - good)
    rows = []
    for gram in set(counts[0]) | set(counts[1]):
        a, b = counts[0][gram], counts[1][gram]
        if a + b >= least:
            odds = float(np.log((b + 0.5) / bad) - np.log((a + 0.5) / good))
            rows.append((abs(odds) / np.sqrt(1 / (a + 0.5) + 1 / (b + 0.5)), gram, a, b, odds))
    rows.sort(key=lambda r: (-r[0], r[1]))
    return [(gram, a, b, odds) for _, gram, a, b, odds in rows[:top]]
