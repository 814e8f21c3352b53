"""The quantities of a record's contexts, indexed for the check of its claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .compare import dimension, relation
from .model import Quantity
from .relation import Relation

#: Figures this many characters apart belong to one statement and may be combined.
NEAR = 60
#: Days and periods within this many characters are the ones a figure is stated for.
NEAR_DAY = 150
#: At most this many percentages are tried as shares of a figure.
MAX_SHARES = 30


def _bucket(q: Quantity) -> str:
    if q.type in ("date", "period"):
        return "day"
    if q.type in ("time", "name"):
        return q.type
    dim = dimension(q.type, q.unit)[0]
    return "temperature" if q.type == "temperature" else dim


def _buckets_for(q: Quantity) -> tuple[str, ...]:
    """Buckets that may hold a quantity comparable with ``q``."""
    own = _bucket(q)
    if own == "number":
        return own, "ordinal", "name", "duration:month"
    if own == "ordinal":
        return own, "number", "name"
    if own == "clock":
        return own, "day", "name"
    if own == "day":
        return own, "clock"
    if own == "duration:month":
        return own, "number", "name"
    return own, "name"


class QuantityContext:
    """The quantities of a record's contexts, indexed once for all its claims.

    Args:
        segments: Quantities of every context segment, parsed with ``names=True``.
    """

    def __init__(self, segments: Iterable[Sequence[Quantity]]) -> None:
        self.all: list[Quantity] = [q for segment in segments for q in segment]
        self.buckets: dict[str, list[Quantity]] = {}
        self.shares = [q for q in self.all if q.type == "percent"][:MAX_SHARES]
        self._place: dict[int, int] = {}
        for i, q in enumerate(self.all):
            self.buckets.setdefault(_bucket(q), []).append(q)
            self._place[id(q)] = i

    def candidates(self, q: Quantity) -> list[Quantity]:
        """Context quantities that may be comparable with ``q``."""
        return [x for name in _buckets_for(q) for x in self.buckets.get(name, ())]

    def neighbours(self, q: Quantity, reach: int = NEAR) -> list[Quantity]:
        """Figures that stand within ``reach`` characters of a context quantity."""
        place = self._place[id(q)]
        around = self.all[max(0, place - 4) : place + 5]
        return [x for x in around if x is not q and abs(x.start - q.start) <= reach]

    def same_days(self, days: tuple[Quantity, ...], q: Quantity) -> bool:
        """Whether the claim's days and periods are among those near a context quantity.

        True where no day stands near it, since a heading may state it.
        """
        place = self._place[id(q)]
        around = [
            x
            for x in self.all[max(0, place - 8) : place + 9]
            if x.type in ("date", "period") and abs(x.start - q.start) <= NEAR_DAY and x is not q
        ]
        if not around:
            return True
        before = [x for x in around if 0 < q.start - x.end <= NEAR]
        around = before[-1:] or around
        good = (Relation.EQUAL, Relation.COMPATIBLE)
        return all(any(relation(d, x) in good for x in around) for d in days)
