"""Percentages, fractions, 折, 成, 倍, 翻番, 半, 零下 and ordinals."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from .context import is_growth
from .numerals import Numeral, canonical, digit_string
from .reader import Reading, read_numeral
from .units import lookup


class Special(NamedTuple):
    """A quantity whose value needs more than a factor."""

    type: str
    value: str
    unit: str
    mode: str | None
    step: Decimal
    approx: bool
    start: int
    end: int


_TEN = Decimal(10)
_PARTS = {"百": 100, "千": 1000, "万": 10000, "十万": 100000, "百万": 1000000}
_RANGE = re.compile(
    "[ ]?(?:-|–|—{1,2}|~|～|至|到)[ ]?(?:百分之|千分之|万分之)?(?=[0-9〇零一二三四五六七八九十百])"
)
_PCT = re.compile(" ?%")
_CHENG = re.compile(
    "成(?!立|为|员|功|本|长|果|绩|都|就|人|熟|交|分|千|百|立|效|型|套|品|语|年|因|份|群|对)"
)
_ZHE = re.compile("折(?!叠|合|算|旧|线|返|扣率|腰|射|磨|断|价|现|回|页|服|桌|成)")
_BEI = re.compile("多?倍(?!数|频|率|增|感|加|受|镜|儿)")
_EN_TIMES = re.compile(
    r"(?: times|-times|-fold|fold|x)"
    r"(?= (?:the|as|more|higher|larger|of|that|greater)|[,.，。]|$|(?<=fold))"
)
_FAN = re.compile("翻(?:了)?([一两二三1-4])?番|翻(?:了)?(?:一)?倍")
_HALVES = {"半数": "1/2", "一半": "1/2", "两成半": ""}
_OFF_BEFORE = re.compile("(?:优惠|减免|立减|便宜|折扣|让利|下浮|off)(?:了|约|为|达)?[ ]?$")
_ORD_UNIT_STOP = frozenset("方者手线时")
_ORDINAL_IDIOM = re.compile(
    "第(?:一(?:时间|手|线|责任|步|方|反应|印象|人称|把手|夫人|性|桶金)|二(?:天|职业|课堂|故乡"
    "|春)|三(?:方|者|产业|世界|人称|状态))"
)


def fmt(low: Decimal, high: Decimal) -> str:
    """``value`` text of a number or a range."""
    return canonical(low) if low == high else f"{canonical(low)}..{canonical(high)}"


def parts_of(text: str, start: int, run: str, end: int) -> Special | None:
    """百分之X, 千分之X, 三分之一; ``run`` is the numeral before 分之, ``end`` its end."""
    at = end + 2
    sign = (
        -1
        if text[max(0, start - 2) : start] in ("负的", "为负") or text[start - 1 : start] == "负"
        else 1
    )
    if text[at : at + 1] in ("负", "-"):
        sign, at = -sign, at + 1
    second = read_numeral(text, at)
    if second is None:
        return None
    number, stop = second.number, second.end
    base = _PARTS.get(run)
    if base is None:
        first = read_numeral(run, 0)
        if first is None or not first.number.low or number.low != number.high:
            return None
        if not number.low or number.low >= 10**9 or first.number.low >= 10**9:
            return None
        value = Fraction(number.low) / Fraction(first.number.low) * sign
        text_value = f"{value.numerator}/{value.denominator}"
        return Special("fraction", text_value, "", None, Decimal(0), False, start, stop)
    low, high, step = number.low, number.high, number.step
    m = _RANGE.match(text, stop)
    if m is not None:
        third = read_numeral(text, m.end())
        if third is not None and third.number.high > low:
            high, stop = third.number.high, third.end
    factor = sign * Decimal(100) / base
    value_text = fmt(*sorted((low * factor, high * factor)))
    return Special("percent", value_text, "", None, abs(step * factor), number.approx, start, stop)


def suffixed(text: str, start: int, reading: Reading) -> Special | None:
    """N成, N折, N倍 and English N times."""
    end = reading.end
    char = text[end : end + 1]
    number = reading.number
    if char == "成":
        return _cheng(text, start, reading)
    if char == "折":
        return _discount(text, start, end, number)
    if char in ("倍", "多"):
        m = _BEI.match(text, end)
        if m is None:
            return None
        return _times(text, start, number, m.end(), char == "多")
    if char in (" ", "x", "f", "-"):
        m = _EN_TIMES.match(text, end)
        if m is not None:
            return Special("times", fmt(number.low, number.high), "", "to", number.step,
                           number.approx, start, m.end())  # fmt: skip
    return None


def _times(text: str, start: int, number: Numeral, end: int, more: bool) -> Special:
    low, high = number.low, number.high
    if is_growth(text, start):  # 增长两倍 = three times
        low, high = low + 1, high + 1
    return Special(
        "times", fmt(low, high), "", "to", number.step, number.approx or more, start, end
    )


def times_range(text: str, start: int, reading: Reading) -> Special | None:
    """2-3倍, 五到六成, 七至八折."""
    m = _RANGE.match(text, reading.end)
    if m is None:
        return None
    second = read_numeral(text, m.end())
    if second is None or second.number.high <= reading.number.low:
        return None
    char = text[second.end : second.end + 1]
    joined = Numeral(reading.number.low, second.number.high, second.number.step, False)
    if char == "倍" and _BEI.match(text, second.end) is not None:
        return _times(text, start, joined, second.end + 1, False)
    if char == "成":
        return _cheng(text, start, Reading(joined, second.end, joined.low, 1, second.chinese))
    return None


def _cheng(text: str, start: int, reading: Reading) -> Special | None:
    number, end = reading.number, reading.end
    if _CHENG.match(text, end) is None or number.high > 10 or number.low < Decimal("0.5"):
        return None
    low, high, step = number.low * 10, number.high * 10, number.step * 10
    end += 1
    follow = text[end : end + 1]
    if follow == "半":
        low, high, step, end = low + 5, high + 5, Decimal(5), end + 1
    elif follow in tuple("一二三四五六七八九") and text[end + 1 : end + 2] not in tuple(
        "个名家项成十"
    ):
        digit = Decimal(int(digit_string(follow) or 0))
        low, high, step, end = low + digit, high + digit, Decimal(1), end + 1
    return Special("percent", fmt(low, high), "", None, step, number.approx, start, end)


def _discount(text: str, start: int, end: int, number: Numeral) -> Special | None:
    """八折 = 80, 八五折 = 85, 8.5折 = 85, 95折 = 95: the share that is still paid, in percent."""
    if _ZHE.match(text, end) is None:
        return None
    raw = text[start:end]
    digits = raw if raw.isascii() else digit_string(raw)
    if digits is not None and digits.isdigit():
        value = Decimal(digits) * (10 if len(digits) == 1 else 1)
        step = Decimal(10 if len(digits) == 1 else 1)
        if len(digits) == 2 and digits == "10":
            return None
    elif number.low == number.high and not number.approx:
        value, step = number.low * 10, number.step * 10
    else:
        return None
    if not 0 < value < 100:
        return None
    return Special("percent", canonical(value), "", "pay", step, False, start, end + 1)


def percent_mode(text: str, start: int) -> str | None:
    """``off`` where 优惠, 立减 ... stands before a percentage."""
    if start and text[start - 1] in "惠免减宜扣利浮了约为达f ":
        return "off" if _OFF_BEFORE.search(text, max(0, start - 6), start) is not None else None
    return None


def doubling(text: str, start: int) -> Special | None:
    """翻一番, 翻两番, 翻番, 翻倍."""
    m = _FAN.match(text, start)
    if m is None:
        return None
    count = m[1] or "一"
    power = int(count) if count.isascii() else int(digit_string(count) or 1)
    return Special("times", str(2**power), "", "to", Decimal(1), False, start, m.end())


def half(text: str, start: int) -> Special | None:
    """半年, 半个月, 半小时, 半数, 半公里."""
    if text.startswith("半数", start):
        return Special("fraction", "1/2", "", None, Decimal(0), False, start, start + 2)
    at = start + 1
    if text.startswith(("半年度", "半年报", "半天", "半导", "半个世纪"), start):
        return None
    hit = lookup(text, at)
    if hit is None or hit[0].type in ("number", "percent", "pp", "temperature", "data"):
        return None
    unit, end = hit
    value = unit.factor / 2
    return Special(unit.type, canonical(value), unit.unit, None, value, False, start, end)


def ordinal(text: str, start: int, reading: Reading) -> Special | None:
    """第N with its classifier; ``start`` is the offset of 第."""
    if _ORDINAL_IDIOM.match(text, start) is not None:
        return None
    number, end = reading.number, reading.end
    if number.approx or number.low != number.low.to_integral_value():
        return None
    hit = lookup(text, end)
    unit = ""
    if hit is not None and hit[0].type in ("number", "duration"):
        unit, end = text[end : hit[1]], hit[1]
    m = _RANGE.match(text, end)
    high = number.low
    if m is not None and not unit:
        second = read_numeral(text, m.end())
        if second is not None and second.number.low > number.low:
            high, end = second.number.low, second.end
            hit = lookup(text, end)
            if hit is not None and hit[0].type == "number":
                unit, end = text[end : hit[1]], hit[1]
    return Special("ordinal", fmt(number.low, high), unit, None, Decimal(1), False, start, end)
