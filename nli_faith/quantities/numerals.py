"""Numerals: Chinese, mixed (5万2, 3亿5000万) and English words. Integers and Decimals only."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

CN_DIGITS = {
    "〇": 0, "○": 0, "零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6,
    "七": 7, "八": 8, "九": 9, "壹": 1, "贰": 2, "叁": 3, "肆": 4, "伍": 5, "陆": 6, "柒": 7,
    "捌": 8, "玖": 9,
}  # fmt: skip
CN_SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
CN_BIG = {"万": 10**4, "亿": 10**8}
#: One-character fractions.
VULGAR = {
    "½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4),
    "¾": Fraction(3, 4), "⅕": Fraction(1, 5), "⅖": Fraction(2, 5), "⅗": Fraction(3, 5),
    "⅘": Fraction(4, 5), "⅛": Fraction(1, 8),
}  # fmt: skip
_TENS = {"廿": "二十", "卅": "三十"}
#: Longer runs are no numerals anyone writes; reading them would cost more than linear time.
MAX_RUN = 30

_PLAIN_DIGITS = "〇○零一二两三四五六七八九"
_PAIR = re.compile(r"([一二两三四五六七八九])([二两三四五六七八九])")


class Numeral(NamedTuple):
    """A numeral: its bounds, the worth of its last written digit, and whether it is vague."""

    low: Decimal
    high: Decimal
    step: Decimal
    approx: bool


def _cn_int(run: str) -> tuple[int, int] | None:
    """Value and step of a well-formed Chinese integer, else ``None``."""
    total = section = 0
    digit: int | None = None
    last_unit = 1
    zero = seen_digit = False
    for char in run:
        value = CN_DIGITS.get(char)
        if value is not None:
            if value == 0:
                if digit:
                    return None
                zero = True
                continue
            if digit is not None:
                return None
            digit = value
            seen_digit = True
            continue
        unit = CN_SMALL.get(char)
        if unit is not None:
            section += (1 if digit is None else digit) * unit
            last_unit, digit, zero = unit, None, False
            seen_digit = True
            continue
        unit = CN_BIG[char]
        head = section + (digit or 0)
        if char == "亿":  # multiplies everything before it: 一万五千亿
            total = ((total + head) or 1) * unit
        else:
            total += (head or (0 if total else 1)) * unit
        section, digit, zero, last_unit = 0, None, False, unit
    if digit is not None:
        if last_unit > 10 and not zero:  # elided unit: 三万二, 三百五
            section += digit * (last_unit // 10)
            return total + section, last_unit // 10
        section += digit
        return total + section, 1
    if not seen_digit and not total:
        return (0, 1) if zero else None
    return total + section, last_unit


@lru_cache(maxsize=8192)
def parse_cn(run: str) -> Numeral | None:
    """Read a run of Chinese numeral characters.

    Args:
        run: Characters of ``CN_DIGITS``, ``CN_SMALL``, ``CN_BIG``, 廿, 卅, 几, 数.

    Returns:
        The numeral; a range with ``approx`` for 两三, 二三百, 十七八, 几十, 十几; ``None`` where
        the run is no numeral (一二三, a lone 百).
    """
    if len(run) > MAX_RUN:
        return None
    for short, full in _TENS.items():
        run = run.replace(short, full)
    if "几" in run or "数" in run:
        return _vague(run)
    plain = _cn_int(run)
    if plain is not None:
        value, step = plain
        return Numeral(Decimal(value), Decimal(value), Decimal(step), False)
    pair = _PAIR.search(run)
    if pair is None:
        return None
    a, b = CN_DIGITS[pair[1]], CN_DIGITS[pair[2]]
    if not (b == a + 1 or (a, b) in ((3, 5), (1, 3))):
        return None
    low = _cn_int(run[: pair.start(2)] + run[pair.end(2) :])
    high = _cn_int(run[: pair.start(1)] + run[pair.end(1) :])
    if low is None or high is None or low[0] >= high[0]:
        return None
    return Numeral(Decimal(low[0]), Decimal(high[0]), Decimal(low[1]), True)


def _vague(run: str) -> Numeral | None:
    """几十 = 20..90, 十几 = 11..19, 几万 = 20000..90000, 二十几 = 21..29."""
    bounds = []
    for digit in ("二", "九") if run[0] in "几数" else ("一", "九"):
        value = _cn_int(re.sub("[几数]", digit, run, count=1))
        if value is None or ("几" in run[1:] and run[0] in "几数"):
            return None
        bounds.append(value)
    if len(run) == 1:
        return None
    return Numeral(Decimal(bounds[0][0]), Decimal(bounds[1][0]), Decimal(bounds[0][1]), True)


@lru_cache(maxsize=4096)
def digit_string(run: str) -> str | None:
    """``二〇二三`` -> ``2023``; ``None`` where a character is no plain digit."""
    if len(run) > MAX_RUN or any(c not in _PLAIN_DIGITS for c in run):
        return None
    return "".join(str(CN_DIGITS[c]) for c in run)


@lru_cache(maxsize=1024)
def scale_value(scale: str) -> int:
    """Product of scale characters: 万亿 = 10^12, 千万 = 10^7."""
    out = 1
    for char in scale:
        out *= CN_SMALL.get(char) or CN_BIG[char]
    return out


_EN_ONES = {
    w: i
    for i, w in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_EN_TENS = {
    w: 10 * (i + 2)
    for i, w in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    )
}
EN_SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "mn": 10**6, "bn": 10**9,
}  # fmt: skip
EN_ORDINALS = {
    w: i + 1
    for i, w in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ]
    )
}
_EN_WORD = "|".join(sorted([*_EN_ONES, *_EN_TENS], key=len, reverse=True))
#: A spelled-out English cardinal; bounded so that a long list of number words stays linear.
EN_PATTERN = (
    rf"(?<![A-Za-z-])(?:{_EN_WORD})(?:[ -](?:(?:and )?(?:{_EN_WORD})|hundred|thousand|million"
    rf"|billion|trillion)(?![A-Za-z])){{0,8}}(?![A-Za-z])"
)


@lru_cache(maxsize=4096)
def parse_en(words: str) -> Numeral | None:
    """Read an English cardinal such as ``twenty-four`` or ``two hundred and five``.

    Args:
        words: Number words joined by spaces or hyphens, any case.

    Returns:
        The numeral, or ``None`` where the words do not form one number (``two three``).
    """
    total = current = 0
    last = 10**15
    for word in words.lower().replace("-", " ").split():
        if word == "and":
            continue
        scale = EN_SCALES.get(word)
        if scale == 100:
            current, last = (current or 1) * 100, 100
        elif scale is not None:
            total, current, last = total + (current or 1) * scale, 0, 10**15
        else:
            value = _EN_ONES.get(word, _EN_TENS.get(word, 0))
            size = 10 if word in _EN_TENS else 1
            if last <= size or (last == 10 and value > 9):
                return None
            current, last = current + value, size
    value_d = Decimal(total + current)
    return Numeral(value_d, value_d, Decimal(1), False)


def canonical(value: Decimal) -> str:
    """A plain decimal string: no exponent, no trailing zeros, no negative zero."""
    if value == value.to_integral_value():
        return str(int(value))
    return format(value, "f").rstrip("0")
