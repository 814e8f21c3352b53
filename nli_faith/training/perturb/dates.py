"""Dates and times of day in a claim: writing them otherwise, changing them."""

from __future__ import annotations

import random
import re
from typing import Final, NamedTuple

from .amounts import spoken

DATE: Final = re.compile(
    r"(?<!\d)(?:(?P<year>(?:19|20)\d{2})年)?(?:(?P<month>1[0-2]|0?[1-9])月)"
    r"(?:(?P<day>3[01]|[12]\d|0?[1-9])日)?(?P<tail>份)?"
)
_YEAR: Final = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})年(?!\d{1,2}月)")
_DAY: Final = re.compile(
    r"(?<![\d月至到\-—~～、])(?P<day>3[01]|[12]\d|[1-9])日(?!本|均|元|常|前|内|后|间|志)"
)
_HOUR: Final = re.compile(
    r"(?<!\d)(?P<hour>2[0-3]|1\d|[1-9])(?P<sign>时|点)(?P<minute>[0-5]?\d分)?(?!间|候|速|\d)"
)
_WEEKDAY: Final = re.compile(r"(?:周|星期)(?P<weekday>[一二三四五六日])(?!边|期|围|年)")


class DatePart(NamedTuple):
    """One figure of a date or time.

    Attributes:
        start: Where the figure begins.
        end: Where it ends.
        field: ``year``, ``month``, ``day``, ``hour`` or ``weekday``.
        value: The figure.
    """

    start: int
    end: int
    field: str
    value: str


def find_dates(text: str) -> list[DatePart]:
    """Figures of all dates and times of a text.

    Args:
        text: A claim or sentence.
    """
    out: list[DatePart] = []
    taken: set[int] = set()
    long_month = re.search(r"月(?:29|3[01])日", text)
    for pattern in (DATE, _YEAR, _DAY, _HOUR, _WEEKDAY):
        for match in pattern.finditer(text):
            for field, value in match.groupdict().items():
                start = match.start(field)
                if long_month and field == "month":
                    continue
                if value and field in _RANGES and start not in taken:
                    taken.add(start)
                    out.append(DatePart(start, match.end(field), field, value))
    return sorted(out)


_RANGES: Final = {
    "year": (1949, 2024, 3), "month": (1, 12, 3), "day": (1, 28, 6), "hour": (1, 23, 4),
    "weekday": (0, 6, 3),
}  # fmt: skip
_WEEK: Final = "一二三四五六日"


def changed_date(part: DatePart, rng: random.Random) -> str | None:
    """Another figure for one part of a date, near the old one and valid.

    Args:
        part: The figure.
        rng: Chooses the new one.
    """
    low, high, reach = _RANGES[part.field]
    if part.field == "hour":
        low, high = (1, 12) if int(part.value) <= 12 else (13, 23)
    old = _WEEK.index(part.value) if part.field == "weekday" else int(part.value)
    options = [v for v in range(old - reach, old + reach + 1) if v != old and low <= v <= high]
    if not options:
        return None
    new = rng.choice(options)
    if part.field == "month" and old in (7, 8) and rng.random() < 0.7:
        new = 15 - old  # most of the news is of July and August
    if part.field == "weekday":
        return _WEEK[new]
    return f"{new:02d}" if part.value.startswith("0") else str(new)


def rewritten_date(text: str, rng: random.Random) -> str | None:
    """The text with its first full date in another notation, or None without one.

    Args:
        text: A claim.
        rng: Chooses the notation.
    """
    match = DATE.search(text)
    if match is None or match["tail"] or text[match.end() : match.end() + 1] in tuple("至到-—、和"):
        return None
    if text[max(0, match.start() - 1) : match.start()] in tuple("至到-—、和年“《"):
        return None
    year, month, day = match["year"], int(match["month"]), match["day"]
    if year and day:
        options = [f"{year}-{month:02d}-{int(day):02d}", f"{year}/{month}/{int(day)}",
                   f"{year}年{month}月{int(day)}号"]  # fmt: skip
    elif day:
        options = [f"{month}月{int(day)}号", f"{spoken(month)}月{spoken(int(day))}日"]
    elif year:
        options = [f"{year}年{month}月份"]
    else:
        return None
    return text[: match.start()] + rng.choice(options) + text[match.end() :]
