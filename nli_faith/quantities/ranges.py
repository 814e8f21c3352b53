"""Ranges (5-10天, 100元至200元, 五百元以上三千元以下) and the unit behind a number."""

from __future__ import annotations

import re
from decimal import Decimal

from .numerals import Numeral
from .reader import Reading, read_numeral
from .units import Unit, lookup

_ONE = Decimal(1)
_SEP = re.compile(
    "(?:[ 　]?(?:-{1,2}|–|—{1,2}|~|～|至|到)[ 　]?| (?:to|and) )"
    "(?=[0-9$¥€£〇零一二三四五六七八九十百千两]|-[0-9])"
)
_UP_TO = re.compile(
    "(?:[（(]含[^）)]{0,4}[)）])?以上[、，,]?(?:不[满足到])?(?=[0-9一二三四五六七八九十百千两])"
)


def scaled(number: Numeral, factor: Decimal) -> Numeral:
    """The numeral in another unit."""
    if factor == _ONE:
        return number
    return Numeral(number.low * factor, number.high * factor, number.step * factor, number.approx)


def unit_at(text: str, pos: int) -> tuple[Unit, int] | None:
    """The unit at ``pos`` or behind one space or, for English, one hyphen."""
    hit = lookup(text, pos)
    if hit is not None:
        return hit
    char = text[pos : pos + 1]
    if char == " " or char == "　" or (char == "-" and text[pos + 1 : pos + 2].isascii()):
        hit = lookup(text, pos + 1)
        if hit is None:
            return None
        if hit[1] - pos == 2 and text[pos + 1].isascii() and text[pos + 1] not in "mgLWVhstJ%°":
            return None  # "5 A", "15 T": a letter behind a space is rarely a unit
        if char == "-" and hit[0].type not in ("duration", "number", "length", "percent", "weight"):
            return None
        return hit
    return None


def range_with(
    text: str, start: int, reading: Reading, unit: tuple[Unit, int] | None
) -> tuple[Numeral, tuple[Unit, int] | None, int] | None:
    """Join ``A sep B`` into one range.

    Args:
        text: Folded text.
        start: Offset of the first numeral.
        reading: The first numeral.
        unit: The unit behind it with its end, if it has one.

    Returns:
        The joined numeral, its unit with its end, and the end of the numeral; ``None`` where the
        text is no range.
    """
    end = unit[1] if unit is not None else reading.end
    sep = _SEP.match(text, end)
    above = False
    if sep is None and unit is not None and text[end : end + 1] in "以（(":
        sep = _UP_TO.match(text, end)  # 五百元以上三千元以下
        above = True
    if sep is None or (sep[0] == " and " and not text.endswith(("between ", "Between "), 0, start)):
        return None
    at = sep.end()
    negative = text[at] == "-"
    second = read_numeral(text, at + (1 if text[at] in "$¥€£-" else 0))
    if second is None:
        return None
    unit2 = unit_at(text, second.end)
    if unit is None:
        if unit2 is None and sep[0].strip() not in ("至", "到", "~", "～"):
            return None
        return _shared_unit(reading, second, unit2, negative)
    if unit2 is None or unit[0][:2] != unit2[0][:2]:
        return None
    if above and not text.startswith("以下", unit2[1]):
        return None
    first, last = scaled(reading.number, unit[0].factor), scaled(second.number, unit2[0].factor)
    stop = unit2[1] + (2 if above else 0)
    return _joined(first, last, (unit2[0]._replace(factor=_ONE), stop), stop, negative)


def _shared_unit(
    reading: Reading, second: Reading, unit: tuple[Unit, int] | None, negative: bool
) -> tuple[Numeral, tuple[Unit, int] | None, int] | None:
    """10至20万元: the first number takes the unit, and the scale where it is the smaller one."""
    first = reading.number
    if reading.scale == 1 and second.scale > 1 and reading.coefficient < second.coefficient:
        first = scaled(first, Decimal(second.scale))
    end = unit[1] if unit is not None else second.end
    return _joined(first, second.number, unit, end, negative)


def _joined(
    first: Numeral, last: Numeral, unit: tuple[Unit, int] | None, end: int, negative: bool
) -> tuple[Numeral, tuple[Unit, int] | None, int] | None:
    low, high = first.low, -last.high if negative else last.high
    if low >= high and not negative:
        return None
    return Numeral(low, high, last.step, first.approx or last.approx), unit, end
