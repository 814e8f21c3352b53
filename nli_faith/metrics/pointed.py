"""What the measures on a question's points share: the points, refusals, answers without claims."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from nli_faith.datamodels import Record
from nli_faith.lexicon import Lexicon, default_lexicon
from nli_faith.metrics.aboutness import Aboutness
from nli_faith.metrics.base import MetricStatus, MetricValue, missing, nothing
from nli_faith.metrics.covers import PointCover
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.points import Point, split_question


class PointMetric(ABC):
    """A measure of how the answer's claims meet the points of the question.

    A refusal is 0 with status ``refusal``; an answer that asserts nothing is 0. No question or no
    answer: missing.
    """

    required: ClassVar[tuple[str, ...]] = ("question", "answer")
    higher_is_better: ClassVar[bool] = True

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        """Choose the synonyms.

        Args:
            lexicon: Synonyms and related words; those that ship by default.
        """
        self._lexicon = lexicon or default_lexicon()

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """See `nli_faith.metrics.base.Metric.compute`."""
        absent = [name for name in self.required if not (getattr(record, name) or "").strip()]
        if absent:
            return missing(*absent)
        points = split_question(record.question or "")
        if not points:
            return nothing("the question has no letters or digits")
        if engine.is_refusal(record.answer):
            return _refused(points)
        claims = engine.claims(record.answer)
        about = Aboutness(points, claims, record.contexts, engine, self._lexicon)
        covers = about.covers()
        details: dict[str, Any] = {
            "points": [c.to_dict(claims) for c in covers],
            "covered": sum(c.covered for c in covers),
            "asked": len(covers),
            "missed": [c.point.text for c in covers if not c.covered],
        }
        if not claims:
            return MetricValue(0.0, reason="the answer asserts nothing", details=details)
        value, more = self._measure(about, covers)
        return MetricValue(value, details=details | more)

    @abstractmethod
    def _measure(
        self, about: Aboutness, covers: list[PointCover]
    ) -> tuple[float, dict[str, object]]:
        """The value of an answer with claims, and what the details say besides."""


def _refused(points: tuple[Point, ...]) -> MetricValue:
    """An answer that declines covers nothing."""
    missed = [point.text for point in points]
    return MetricValue(
        0.0,
        MetricStatus.REFUSAL,
        "the answer declines",
        {"covered": 0, "asked": len(points), "missed": missed},
    )
