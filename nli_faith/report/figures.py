"""The figures on top of a report, added up in one pass over any number of rows."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from nli_faith.datamodels import Label, Status
from nli_faith.measures import group_name
from nli_faith.results import FaithfulnessResult
from nli_faith.summary import RunSummary
from nli_faith.verdicts import json_number

SCORE_BINS = 11
"""Ten of a tenth each, and one for exactly 1: most good answers are there."""
CLAIM_BINS = 20
_AUTO_GROUPS = (2, 12)
_SHOWN_GROUPS = 50
_CONFIDENCE = 0.95


def score_bin(score: float) -> int:
    """The bin of a score in [0, 1]: 0 to 9, and 10 for exactly 1."""
    return SCORE_BINS - 1 if score >= 1 else int(score * 10 + 1e-9)


def flag_kind(flag: str) -> str:
    """``quantity_mismatch`` of ``quantity_mismatch:500元!=800元``."""
    return flag.partition(":")[0]


@dataclass(slots=True)
class Group:
    """Counts of the records that share a value."""

    records: int = 0
    scores: Counter[float] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)

    def add(self, result: FaithfulnessResult) -> None:
        """Count one result."""
        self.records += 1
        if result.status is Status.SCORED:
            self.scores[round(result.score, 6)] += 1
            self.labels.update(result.label_counts)

    def to_dict(self) -> dict[str, Any]:
        """Counts, the mean with its 95% bootstrap interval, and the labels."""
        scored = sum(self.scores.values())
        mean = sum(s * n for s, n in self.scores.items()) / scored if scored else math.nan
        low, high = _interval(self.scores) if scored > 1 else (math.nan, math.nan)
        return {
            "records": self.records,
            "scored": scored,
            "mean": json_number(mean),
            "low": json_number(low),
            "high": json_number(high),
            "labels": {label.value: self.labels[label.value] for label in Label},
        }


def _interval(scores: Counter[float]) -> tuple[float, float]:
    import numpy as np

    from nli_faith.bootstrap import mean_bounds

    values = np.repeat(np.array(list(scores)), list(scores.values()))
    return mean_bounds(values, confidence=_CONFIDENCE)


class Grouping:
    """Records by the value under a path of their meta.

    Args:
        path: ``meta.version`` or ``version``.
        limit: Values beyond which the grouping gives up; None for no limit.
    """

    def __init__(self, path: str, limit: int | None = None) -> None:
        self.path = path
        self.limit = limit
        self.groups: dict[str, Group] = {}
        self.given_up = False

    def add(self, result: FaithfulnessResult) -> None:
        """Count one result."""
        if self.given_up:
            return
        name = group_name(result.meta, self.path)
        if name not in self.groups and self.limit is not None and len(self.groups) >= self.limit:
            self.given_up, self.groups = True, {}
            return
        self.groups.setdefault(name, Group()).add(result)

    def to_dict(self) -> dict[str, Any]:
        """The worst groups first; groups without a score last."""
        rows = [{"name": name, **group.to_dict()} for name, group in self.groups.items()]
        rows.sort(key=lambda r: (r["mean"] is None, r["mean"] or 0.0, r["name"]))
        return {"by": self.path, "rows": rows[:_SHOWN_GROUPS], "all": len(rows)}


class Figures:
    """Everything the overview shows.

    Args:
        by: Paths to group by; found among the first records' meta where there is none.
    """

    def __init__(self, by: tuple[str, ...] = ()) -> None:
        self.summary = RunSummary(worst_kept=0)
        self.scores = [0] * SCORE_BINS
        self.claims = {label.value: [0] * CLAIM_BINS for label in Label}
        self.flags: Counter[str] = Counter()
        self.conflicts = 0
        self.whole = Group()
        self.models: Counter[str] = Counter()
        self.thresholds: dict[str, Any] | None = None
        self.several_thresholds = False
        self._auto = not by
        self.groupings = {path: Grouping(path) for path in by}

    def add(self, result: FaithfulnessResult) -> None:
        """Count one result."""
        self.summary.add(result)
        self.whole.add(result)
        if result.scorer:
            self.models[result.scorer.model] += 1
        if result.thresholds:
            found = result.thresholds.to_dict()
            self.several_thresholds |= self.thresholds not in (None, found)
            self.thresholds = self.thresholds or found
        if self._auto:
            self._watch(result)
        for grouping in self.groupings.values():
            grouping.add(result)
        if result.status is not Status.SCORED:
            return
        self.scores[score_bin(result.score)] += 1
        for claim in result.claims:
            place = min(CLAIM_BINS - 1, int(claim.support * CLAIM_BINS))
            self.claims[claim.label.value][place] += 1
            self.flags.update({flag_kind(f) for f in claim.flags})
            self.conflicts += claim.conflict

    def _watch(self, result: FaithfulnessResult) -> None:
        """New names in the meta are counted as long as they have few values."""
        missed = self.summary.records - 1
        for key, value in result.meta.items():
            if key in self.groupings or len(self.groupings) >= 20:
                continue
            if isinstance(value, (str, bool, int)):
                grouping = Grouping(key, _AUTO_GROUPS[1])
                if missed:  # records before this one had no such field
                    grouping.given_up = True
                self.groupings[key] = grouping

    def shown_groupings(self) -> list[Grouping]:
        """Those asked for; else those that put the records into a few groups of several each."""
        if not self._auto:
            return list(self.groupings.values())
        return [g for g in self.groupings.values() if self._is_useful(g)]

    def _is_useful(self, grouping: Grouping) -> bool:
        n = len(grouping.groups)
        few = _AUTO_GROUPS[0] <= n <= _AUTO_GROUPS[1]
        return not grouping.given_up and few and self.summary.records >= 2 * n

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that the page reads."""
        return {
            "summary": self.summary.to_dict(),
            "mean": self.whole.to_dict(),
            "scores": self.scores,
            "claims": self.claims,
            "flags": dict(self.flags.most_common()),
            "conflicts": self.conflicts,
            "groupings": [g.to_dict() for g in self.shown_groupings()],
            "models": [name for name, _ in self.models.most_common()],
            "thresholds": None if self.several_thresholds else self.thresholds,
        }
