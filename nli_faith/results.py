"""Verdicts: what the scorer returns, and how labels follow from stored probabilities.

Labels and scores are derived from the probabilities kept here, so `rethreshold` needs no model.
The JSON form is one object a record; NaN is written as null.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nli_faith.datamodels import Label, Segment, SegmentKind, Status, Thresholds
from nli_faith.errors import ConfigError
from nli_faith.verdicts import ClaimResult, json_number

AGGREGATIONS = ("mean", "min", "length")


@dataclass(frozen=True, slots=True)
class ScorerInfo:
    """Which scorer made a result: enough to refuse a resume under another one.

    Attributes:
        model: Name of the model.
        model_sha256: Hash of its weights.
        config_hash: Of everything else that can change a verdict.
        version: Of this package.
        then: Name and first 12 hex digits of the second model of a cascade; else empty.
        note: What readers of its probabilities must know, such as why ``contradiction`` is null;
            mostly empty.
    """

    model: str
    model_sha256: str
    config_hash: str
    version: str
    then: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, str]:
        """The JSON form; ``then`` only in a cascade, ``note`` only where there is one."""
        out = {
            "model": self.model,
            "model_sha256": self.model_sha256,
            "config_hash": self.config_hash,
            "version": self.version,
        }
        if self.then:
            out["then"] = self.then
        if self.note:
            out["note"] = self.note
        return out


@dataclass(frozen=True, slots=True)
class FaithfulnessResult:
    """The verdict on one record.

    Only a result with status ``scored`` has a score; the score of any other is NaN, and it
    stays out of every mean.

    Attributes:
        id: The record's id.
        status: Whether it was scored, and if not, why.
        claims: The scored claims in the answer's order.
        non_claims: Segments of the answer that assert nothing (questions, headings, ...).
        aggregation: ``mean`` (supported / claims), ``min`` (1 only if all are supported) or
            ``length`` (weighted by the claims' characters).
        thresholds: The thresholds in force.
        truncated: Some claim was too long for the model and was cut before scoring.
        pairs_scored: (premise, hypothesis) pairs that the model's verdict rests on.
        pairs_possible: Pairs without the prefilter.
        pairs_second: Pairs that the second model of a cascade scored; None without one.
        dropped_contexts: Blank or non-string chunks that were left out.
        error: What went wrong, where status is ``error``.
        meta: Passed through from the record.
        scorer: Model, hashes and version.
    """

    id: str
    status: Status
    claims: tuple[ClaimResult, ...] = ()
    non_claims: tuple[Segment, ...] = ()
    aggregation: str = "mean"
    thresholds: Thresholds | None = None
    truncated: bool = False
    pairs_scored: int = 0
    pairs_possible: int = 0
    dropped_contexts: int = 0
    pairs_second: int | None = None
    error: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    scorer: ScorerInfo | None = None

    @property
    def score(self) -> float:
        """Faithfulness in [0, 1]; NaN unless status is ``scored``."""
        if self.status is not Status.SCORED:
            return math.nan
        return aggregate_labels(self.claims, self.aggregation)

    @property
    def label_counts(self) -> dict[str, int]:
        """Number of claims under each label; every label is present."""
        counts = {label.value: 0 for label in Label}
        for claim in self.claims:
            counts[claim.label.value] += 1
        return counts

    def rethreshold(
        self,
        *,
        support: float | None = None,
        contradiction: float | None = None,
        aggregation: str | None = None,
    ) -> FaithfulnessResult:
        """Judge the stored probabilities anew; no inference.

        Args:
            support: New support threshold in (0, 1]; unchanged when None.
            contradiction: New contradiction threshold in (0, 1]; unchanged when None.
            aggregation: New aggregation; unchanged when None.

        Raises:
            ConfigError: A threshold or the aggregation is out of range.
        """
        name = check_aggregation(aggregation or self.aggregation)
        if self.thresholds is None:
            return replace(self, aggregation=name)
        thresholds = self.thresholds.override(support, contradiction)
        claims = self.claims
        if self.status is Status.SCORED:
            claims = tuple(
                c.rethreshold((c.thresholds or self.thresholds).override(support, contradiction))
                for c in claims
            )
        return replace(self, claims=claims, thresholds=thresholds, aggregation=name)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; a missing score is None."""
        out: dict[str, Any] = {
            "id": self.id,
            "status": self.status.value,
            "score": json_number(self.score),
            "label_counts": self.label_counts,
            "claims": [c.to_dict() for c in self.claims],
            "non_claims": [segment_dict(s) for s in self.non_claims],
            "truncated": self.truncated,
            "pairs_scored": self.pairs_scored,
            "pairs_possible": self.pairs_possible,
            "dropped_contexts": self.dropped_contexts,
            "aggregation": self.aggregation,
            "thresholds": self.thresholds.to_dict() if self.thresholds else None,
            "meta": dict(self.meta),
            "scorer": self.scorer.to_dict() if self.scorer else None,
        }
        if self.pairs_second is not None:
            out["pairs_second"] = self.pairs_second
        if self.error is not None:
            out["error"] = self.error
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FaithfulnessResult:
        """Inverse of `to_dict` (probabilities as rounded there)."""
        thresholds, scorer = data.get("thresholds"), data.get("scorer")
        return cls(
            id=data["id"],
            status=Status(data["status"]),
            claims=tuple(ClaimResult.from_dict(c) for c in data["claims"]),
            non_claims=tuple(
                Segment(s["text"], s["start"], s["end"], kind=SegmentKind(s["kind"]))
                for s in data["non_claims"]
            ),
            aggregation=data["aggregation"],
            thresholds=Thresholds(**thresholds) if thresholds else None,
            truncated=data["truncated"],
            pairs_scored=data["pairs_scored"],
            pairs_possible=data["pairs_possible"],
            dropped_contexts=data["dropped_contexts"],
            pairs_second=data.get("pairs_second"),
            error=data.get("error"),
            meta=data["meta"],
            scorer=ScorerInfo(**scorer) if scorer else None,
        )


def segment_dict(segment: Segment) -> dict[str, Any]:
    """The JSON form of a segment: text, start, end, kind."""
    return {
        "text": segment.text,
        "start": segment.start,
        "end": segment.end,
        "kind": segment.kind.value,
    }


def check_aggregation(name: str) -> str:
    """Return the name, or raise ConfigError quoting it."""
    if name not in AGGREGATIONS:
        raise ConfigError(f"aggregation must be one of {', '.join(AGGREGATIONS)}, not {name!r}")
    return name


def aggregate_labels(claims: Sequence[ClaimResult], aggregation: str) -> float:
    """Share of supported claims in [0, 1]; NaN for no claims.

    Args:
        claims: Judged claims.
        aggregation: See `FaithfulnessResult.aggregation`.
    """
    if not claims:
        return math.nan
    supported = [c.label is Label.SUPPORTED for c in claims]
    if aggregation == "min":
        return float(all(supported))
    if aggregation == "length":
        weights = [max(1, len(c.text)) for c in claims]
        total = sum(w for w, ok in zip(weights, supported, strict=True) if ok)
        return total / sum(weights)
    return sum(supported) / len(supported)
