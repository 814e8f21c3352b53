"""What a run found, added up in one pass."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import Any

from nli_faith.datamodels import Label, Status
from nli_faith.results import FaithfulnessResult
from nli_faith.verdicts import ClaimResult


@dataclass(order=True, slots=True)
class _Worst:
    # heapq keeps the smallest on top: the best of the worst, to be pushed out first. Scores
    # are negated for that, and later records lose ties, so that the list is reproducible.
    goodness: float
    age: int
    result: FaithfulnessResult = field(compare=False)


@dataclass(slots=True)
class RunSummary:
    """Counts and means over results, in memory that does not grow with them.

    Attributes:
        worst_kept: How many of the worst records to keep.
        statuses: Records by status.
        label_counts: Claims by label, over scored records.
        flagged: Claims whose verdict a quantity flag touched.
        truncated: Records in which a claim was cut to fit the model.
        dropped_contexts: Blank or non-string chunks left out.
        rejected: Rows that could not be read.
        resumed: Records that an earlier run had scored.
        pairs_scored: Pairs the verdicts rest on.
        pairs_possible: Pairs without the prefilter.
        pairs_second: Pairs that the second model of a cascade scored; None without one.
        claims_second: Claims that it judged.
    """

    worst_kept: int = 5
    statuses: dict[str, int] = field(default_factory=lambda: {s.value: 0 for s in Status})
    label_counts: dict[str, int] = field(default_factory=lambda: {x.value: 0 for x in Label})
    flagged: int = 0
    truncated: int = 0
    dropped_contexts: int = 0
    rejected: int = 0
    resumed: int = 0
    pairs_scored: int = 0
    pairs_possible: int = 0
    pairs_second: int | None = None
    claims_second: int = 0
    _sum: float = 0.0
    _worst: list[_Worst] = field(default_factory=list)

    def add(self, result: FaithfulnessResult) -> None:
        """Count one result."""
        self.statuses[result.status.value] += 1
        self.truncated += result.truncated
        self.dropped_contexts += result.dropped_contexts
        self.pairs_scored += result.pairs_scored
        self.pairs_possible += result.pairs_possible
        if result.pairs_second is not None:
            self.pairs_second = (self.pairs_second or 0) + result.pairs_second
            self.claims_second += sum(bool(c.model) for c in result.claims)
        if result.status is not Status.SCORED:
            return
        score = result.score
        self._sum += score
        for label, n in result.label_counts.items():
            self.label_counts[label] += n
        self.flagged += sum(c.capped for c in result.claims)
        if score < 1.0:
            entry = _Worst(-score, -self.records, result)
            if len(self._worst) < self.worst_kept:
                heapq.heappush(self._worst, entry)
            elif self.worst_kept:
                heapq.heappushpop(self._worst, entry)

    @property
    def records(self) -> int:
        """Records seen, rejected rows not counted."""
        return sum(self.statuses.values())

    @property
    def scored(self) -> int:
        """Records with a score."""
        return self.statuses[Status.SCORED.value]

    @property
    def coverage(self) -> float:
        """Scored records and all rows, rejected ones included, as a share; NaN for none."""
        total = self.records + self.rejected
        return self.scored / total if total else math.nan

    @property
    def mean_on_scored(self) -> float:
        """Mean score of the scored records; NaN for none."""
        return self._sum / self.scored if self.scored else math.nan

    @property
    def worst(self) -> list[FaithfulnessResult]:
        """The lowest scores first; records with score 1 are never among them."""
        return [w.result for w in sorted(self._worst, reverse=True)]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, without the worst records; the second model's part in a cascade."""
        out: dict[str, Any] = {
            "records": self.records,
            "scored": self.scored,
            "rejected": self.rejected,
            "resumed": self.resumed,
            "coverage": _or_none(self.coverage),
            "mean_on_scored": _or_none(self.mean_on_scored),
            "statuses": dict(self.statuses),
            "label_counts": dict(self.label_counts),
            "flagged_claims": self.flagged,
            "truncated_records": self.truncated,
            "dropped_contexts": self.dropped_contexts,
            "pairs_scored": self.pairs_scored,
            "pairs_possible": self.pairs_possible,
        }
        if self.pairs_second is not None:
            out["pairs_second"] = self.pairs_second
            out["claims_second"] = self.claims_second
        return out


def worst_claim(result: FaithfulnessResult) -> ClaimResult | None:
    """The claim that looks worst: contradicted before unsupported, then least support."""
    bad = [c for c in result.claims if c.label is not Label.SUPPORTED]
    if not bad:
        return None
    return min(bad, key=lambda c: (c.label is not Label.CONTRADICTED, c.support, c.start))


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)
