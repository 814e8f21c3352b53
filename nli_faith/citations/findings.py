"""What a check of citation markers finds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

from nli_faith.citations.markers import Marker
from nli_faith.verdicts import json_number


class MarkerVerdict(str, Enum):
    """What a marker is worth."""

    RIGHT = "right"
    WRONG = "wrong"  # its context does not back the claim
    UNKNOWN = "unknown"  # there is no context with this number
    UNCONFIRMED = "unconfirmed"  # another context backs the claim; not asked about this one

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class CheckedMarker:
    """One number of a marker, for the claim it stands behind.

    Attributes:
        marker: The marker.
        number: The number, as written.
        context: 0-based index of the context it names; None where there is none.
        claim: 0-based index into the result's claims.
        verdict: What it is worth.
    """

    marker: Marker
    number: int
    context: int | None
    claim: int
    verdict: MarkerVerdict

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "text": self.marker.text, "start": self.marker.start, "end": self.marker.end,
            "number": self.number, "context": self.context, "claim": self.claim,
            "verdict": self.verdict.value,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class MissingMarker:
    """A supported claim for which no context that backs it is cited.

    Attributes:
        claim: 0-based index into the result's claims.
        contexts: 0-based indices of the contexts to cite.
        numbers: Their numbers.
    """

    claim: int
    contexts: tuple[int, ...]
    numbers: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "claim": self.claim, "contexts": list(self.contexts), "numbers": list(self.numbers)
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """What the markers of an answer are worth.

    Attributes:
        markers: Every number of every marker that stands behind a claim, in order.
        missing: Supported claims without a right marker.
        claims: Claims that could carry markers; entries of a list of sources cannot.
        backed: Claims that the contexts cited for them back, together.
        stray: Markers that stand behind no claim: in questions, headings, refusals.
    """

    markers: tuple[CheckedMarker, ...]
    missing: tuple[MissingMarker, ...]
    claims: int
    backed: int
    stray: tuple[Marker, ...] = ()

    @property
    def precision(self) -> float:
        """Right markers / markers, in [0, 1]; unconfirmed ones do not count; NaN without any."""
        counted = [m for m in self.markers if m.verdict is not MarkerVerdict.UNCONFIRMED]
        right = sum(m.verdict is MarkerVerdict.RIGHT for m in counted)
        return right / len(counted) if counted else math.nan

    @property
    def recall(self) -> float:
        """Claims that what they cite backs / claims, in [0, 1]; NaN without claims."""
        return self.backed / self.claims if self.claims else math.nan

    def counts(self) -> dict[str, int]:
        """Markers by verdict, and ``missing``; every key is present."""
        out = {verdict.value: 0 for verdict in MarkerVerdict}
        for marker in self.markers:
            out[marker.verdict.value] += 1
        return {**out, "missing": len(self.missing)}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; a missing share is None."""
        return {
            "counts": self.counts(),
            "precision": json_number(self.precision),
            "recall": json_number(self.recall),
            "markers": [m.to_dict() for m in self.markers],
            "missing": [m.to_dict() for m in self.missing],
            "claims": self.claims,
            "backed": self.backed,
            "stray": [{"text": m.text, "start": m.start, "end": m.end} for m in self.stray],
        }
