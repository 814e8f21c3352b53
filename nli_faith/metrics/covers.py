"""A point of a question with the claim that covers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from nli_faith.datamodels import Segment
from nli_faith.metrics.points import Point

#: Score from which a point counts as covered.
COVERED: Final = 0.5


@dataclass(frozen=True, slots=True)
class Match:
    """How far one claim covers one point.

    Attributes:
        topic: How far it is about what is asked, in [0, 1].
        answering: How far it is an answer of the expected kind, in [0, 1].
        how: ``terms``, ``entailment`` (a declarative form was judged) or ``context`` (a short
            answer found beside the question's words in the material).
    """

    topic: float
    answering: float
    how: str = "terms"

    @property
    def score(self) -> float:
        """The smaller of the two, in [0, 1]."""
        return min(self.topic, self.answering)


@dataclass(frozen=True, slots=True)
class PointCover:
    """A point with the claim that covers it best.

    Attributes:
        point: The point.
        match: The best claim's match.
        claim: Index of that claim; None where there is no claim.
    """

    point: Point
    match: Match
    claim: int | None

    @property
    def covered(self) -> bool:
        """Whether the score reaches 0.5."""
        return self.match.score >= COVERED

    def to_dict(self, claims: Sequence[Segment]) -> dict[str, Any]:
        """The JSON form, with the claim's text."""
        return {
            **self.point.to_dict(),
            "covered": self.covered,
            "score": round(self.match.score, 6),
            "topic": round(self.match.topic, 6),
            "answering": round(self.match.answering, 6),
            "how": self.match.how,
            "claim": None if self.claim is None else claims[self.claim].text,
        }
