"""Comparison of dates, periods and clock times."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .model import Quantity
from .relation import Relation

_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Interval(NamedTuple):
    """Days as sortable triples; ``None`` for an unknown year or month."""

    low: tuple[int | None, int | None, int]
    high: tuple[int | None, int | None, int]

    @property
    def has_year(self) -> bool:
        """Whether both ends have a year."""
        return self.low[0] is not None and self.high[0] is not None

    @property
    def has_month(self) -> bool:
        """Whether both ends have a month."""
        return self.low[1] is not None and self.high[1] is not None


def _end(text: str, last: bool) -> tuple[int | None, int | None, int]:
    parts = text.split("-")
    year = None if parts[0] == "xxxx" else int(parts[0])
    month = None if parts[1] == "xx" else int(parts[1])
    if len(parts) == 3:
        return year, month, int(parts[2])
    return year, month, _MONTH_DAYS[(month or 1) - 1] if last else 1


@lru_cache(maxsize=8192)
def interval(value: str) -> Interval:
    """Days that a date or period value covers."""
    low, sep, high = value.partition("..")
    return Interval(_end(low, False), _end(high if sep else low, True))


def _key(day: tuple[int | None, int | None, int], year: bool, month: bool) -> tuple[int, ...]:
    return ((day[0] or 0) if year else 0, (day[1] or 0) if month else 0, day[2])


def date_relation(claim: Quantity, context: Quantity) -> Relation:
    """Relation of two dates or periods; a coarser claim is implied by a finer context."""
    a, b = interval(claim.value), interval(context.value)
    year = a.has_year and b.has_year
    month = a.has_month and b.has_month
    if not month and (a.low != a.high or b.low != b.high):
        return Relation.INCOMPARABLE
    al, ah = _key(a.low, year, month), _key(a.high, year, month)
    bl, bh = _key(b.low, year, month), _key(b.high, year, month)
    if al > ah or bl > bh:  # wraps over a year end that is not written
        return Relation.EQUAL if (al, ah) == (bl, bh) else Relation.INCOMPARABLE
    if claim.mode and context.mode and claim.mode != context.mode and (al, ah) == (bl, bh):
        return Relation.CONFLICT
    if (al, ah) == (bl, bh):
        complete = a.has_year == b.has_year and a.has_month == b.has_month
        same = complete and claim.mode == context.mode
        return Relation.EQUAL if same else Relation.COMPATIBLE
    if al <= bl and bh <= ah:
        return Relation.COMPATIBLE
    if bl <= al and ah <= bh:
        ends = al == bl or ah == bh
        return Relation.COMPATIBLE if ends and ".." in context.value else Relation.INCOMPARABLE
    if ah < bl or bh < al:
        return Relation.CONFLICT
    return Relation.INCOMPARABLE


def time_relation(claim: Quantity, context: Quantity) -> Relation:
    """Relation of two clock times; seconds may be missing on one side."""
    a, b = claim.value, context.value
    a, b = a.replace("24:00", "00:00"), b.replace("24:00", "00:00")
    if a == b:
        return Relation.EQUAL
    if a.count(":") != b.count(":"):
        return Relation.COMPATIBLE if a[:5] == b[:5] else Relation.CONFLICT
    if a[2:] == b[2:] and abs(int(a[:2]) - int(b[:2])) == 12:
        if claim.mode == context.mode == "half":
            return Relation.CONFLICT  # 凌晨3点 beside 下午3点
        return Relation.COMPATIBLE  # 9点 beside 21:00: the half of the day may be left unsaid
    return Relation.CONFLICT
