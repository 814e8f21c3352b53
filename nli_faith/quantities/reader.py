"""Reads one numeral in any notation: 1,234.5, 5万2, 3亿5000万, 十五点八万, 30多万."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from .numerals import CN_DIGITS, MAX_RUN, VULGAR, Numeral, digit_string, parse_cn, scale_value
from .units import lookup

#: The characters of a Chinese numeral run.
CN_RUN = "〇零一二三四五六七八九十百千万亿两廿卅"
#: Characters that continue a numeral to the left, or make 百 part of a vague one.
CN_RUN_BEFORE = frozenset("0123456789〇零一二三四五六七八九十百千万亿两几数半成")
# 3千5百万: written with digits, read like 三千五百万.
_DIGIT_WORDS = re.compile("(?:[1-9][千百十]){2,3}[1-9]?[万亿]?(?![0-9.,])")
_TO_CN = str.maketrans("123456789", "一二三四五六七八九")
# 1.5×10^6, 2×10⁸, 1e6.
_POWER = re.compile(
    "[ ]?[×xX*∙·][ ]?10(?:[\\^＾]([0-9]{1,2})|([⁰¹²³⁴-⁹]{1,2})|的([0-9]{1,2})次方)(?![0-9])"
    "|[eE]\\+?([0-9]{1,2})(?![0-9A-Za-z.])"
)
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_ARABIC = re.compile(r"[0-9]{1,3}(?:,[0-9]{3}){1,8}(?![0-9])(?:\.[0-9]{1,20})?|[0-9]+(?:\.[0-9]+)?")
_CN = re.compile(f"[{CN_RUN}]+几?|几[十百千万亿]+|数[十百千万亿]+")
_FINANCIAL = re.compile("[壹贰叁肆伍陆柒捌玖拾佰仟万亿零]+")
_SCALE = re.compile("[百千万亿]{1,3}(?![分能物般])")
_MIX_TAIL = re.compile(r"零?([0-9]{1,4}(?:\.[0-9]{1,4})?)([十百千万]{1,2})(?![分米克瓦])")
_ELIDED = re.compile("([1-9])(?![0-9.,:：%年月日号点时])")
_CN_POINT = re.compile("点([〇零一二三四五六七八九]{1,12})(?![十百千]|[〇零一二三四五六七八九])")
_MORE = re.compile("[多余来几](?=[百千万亿])")
_EN_SCALE = re.compile(r" ?(thousand|million|billion|trillion|mn|bn)(?![A-Za-z])", re.IGNORECASE)
_EN_SCALES = {
    "thousand": 10**3, "million": 10**6, "mn": 10**6, "billion": 10**9, "bn": 10**9,
    "trillion": 10**12,
}  # fmt: skip
#: More digits than any amount has: an identifier.
MAX_DIGITS = 18


class Reading(NamedTuple):
    """A numeral, where it ends, whether a scale word was part of it, and how it was written."""

    number: Numeral
    end: int
    coefficient: Decimal
    scale: int
    chinese: bool


def step_of(token: str) -> Decimal:
    """Worth of the last written digit of an Arabic token."""
    point = token.rfind(".")
    return Decimal(1) if point < 0 else Decimal(1).scaleb(point + 1 - len(token))


def read_numeral(text: str, pos: int) -> Reading | None:
    """Read the numeral that begins at ``pos`` of a folded text.

    Returns:
        The reading, or ``None`` where no well-formed numeral begins there.
    """
    char = text[pos : pos + 1]
    if not char:
        return None
    if char.isascii() and char.isdigit():
        return _arabic(text, pos)
    if char in "壹贰叁肆伍陆柒捌玖拾佰仟":
        m = _FINANCIAL.match(text, pos)
        number = parse_cn(m[0]) if m is not None and len(m[0]) <= MAX_RUN else None
        if m is None or number is None:
            return None
        return Reading(number, m.end(), number.low, 1, True)
    m = _CN.match(text, pos)
    return _chinese(text, pos, m) if m is not None else None


def _scale(text: str, end: int) -> tuple[int, int]:
    """Scale characters at ``end``, unless a unit begins there (千米, 千瓦时, 百分点)."""
    m = _SCALE.match(text, end)
    if m is None:
        return 1, end
    stop = m.end()
    while stop > end:  # 5千米: 千米 is the unit; 5万千瓦: only 万 is scale
        unit = lookup(text, stop - 1)
        if unit is None or unit[1] <= stop:
            break
        stop -= 1
    return (scale_value(text[end:stop]), stop) if stop > end else (1, end)


def _arabic(text: str, pos: int) -> Reading | None:
    m = _ARABIC.match(text, pos)
    if m is None or m.end() - pos > MAX_DIGITS + 8:
        return None
    token = m[0].replace(",", "")
    value, step, end, approx = Decimal(token), step_of(token), m.end(), False
    coefficient = value
    follow = text[end : end + 1]
    if follow in "千百十" and follow and end - pos == 1:
        words = _DIGIT_WORDS.match(text, pos)
        number = parse_cn(words[0].translate(_TO_CN)) if words is not None else None
        if words is not None and number is not None:
            size, head = _trailing_scale(words[0], number)
            return Reading(number, words.end(), head, size, False)
    elif follow in " ×xX*∙·eE" and follow:
        power = _POWER.match(text, end)
        if power is not None:
            digits = (power[1] or power[2] or power[3] or power[4]).translate(_SUPER)
            size = 10 ** int(digits)
            value, end = value * size, power.end()
            return Reading(Numeral(value, value, step * size, False), end, coefficient, size, False)
    part = VULGAR.get(follow)
    if part is not None and step == 1 and part.denominator in (2, 4, 5, 8):  # 1½小时
        bottom = Decimal(1) / part.denominator
        value += part.numerator * bottom
        return Reading(Numeral(value, value, bottom, False), end + 1, value, 1, False)
    start_scale = end
    if text[end : end + 1] == " " and text[end + 1 : end + 2] in ("万", "亿"):
        start_scale = end + 1
    more = _MORE.match(text, end)
    if more is not None:
        start_scale, approx = more.end(), True
    scale, stop = _scale(text, start_scale)
    if scale == 1:
        word = _EN_SCALE.match(text, end)
        if word is not None:
            scale, stop = _EN_SCALES[word[1].lower()], word.end()
            if text[stop : stop + 1] in ("s", "S"):
                return None
        else:
            return Reading(Numeral(value, value, step, False), end, value, 1, False)
    value, step, end = value * scale, step * scale, stop
    if not approx:
        value, step, end = _tails(text, value, step, end, scale)
    return Reading(Numeral(value, value, step, approx), end, coefficient, scale, False)


def _tails(
    text: str, value: Decimal, step: Decimal, end: int, scale: int
) -> tuple[Decimal, Decimal, int]:
    """3亿5000万, 1万5千, 5万2."""
    while True:
        m = _MIX_TAIL.match(text, end)
        if m is None:
            break
        part = scale_value(m[2])
        if part >= scale or Decimal(m[1]) * part >= scale:
            return value, step, end
        value += Decimal(m[1]) * part
        step, end, scale = step_of(m[1]) * part, m.end(), part
    if step == step.to_integral_value() and scale >= 100:
        m = _ELIDED.match(text, end)
        if m is not None and not ("A" <= text[end + 1 : end + 2].upper() <= "Z"):
            step = Decimal(scale // 10)
            return value + Decimal(m[1]) * step, step, m.end()
    return value, step, end


def _chinese(text: str, pos: int, m: re.Match[str]) -> Reading | None:
    run, end = m[0], m.end()
    if len(run) > MAX_RUN:
        return None
    if run[-1] == "几" and run[-2] not in "十百千万":
        run, end = run[:-1], end - 1
    run, end = _trim_unit(text, pos, run, end)
    if not run:
        return None
    point = _CN_POINT.match(text, end)
    whole = parse_cn(run)
    if point is not None and whole is not None and not whole.approx:
        fraction = digit_string(point[1]) or "0"
        value = whole.low + Decimal(int(fraction)).scaleb(-len(fraction))
        scale, stop = _scale(text, point.end())
        step = Decimal(1).scaleb(-len(fraction)) * scale
        value_s = value * scale
        return Reading(Numeral(value_s, value_s, step, False), stop, value, scale, True)
    if whole is None:
        return None
    more = _MORE.match(text, end)
    if more is not None and not whole.approx:
        scale, stop = _scale(text, more.end())
        if scale > 1:
            value = whole.low * scale
            return Reading(
                Numeral(value, value, whole.step * scale, True), stop, whole.low, scale, True
            )
    scale, coefficient = _trailing_scale(run, whole)
    return Reading(whole, end, coefficient, scale, True)


def _trailing_scale(run: str, number: Numeral) -> tuple[int, Decimal]:
    """The big scale a run ends in (三十万 -> 万), to share it within ranges (十至三十万)."""
    size = 1
    for char in reversed(run):
        if char not in "万亿":
            break
        size *= 10**4 if char == "万" else 10**8
    return size, number.low / size


def _trim_unit(text: str, pos: int, run: str, end: int) -> tuple[str, int]:
    """Give scale characters back to a unit that begins with them: 三|千米, 五十|千瓦时."""
    for back in (1, 2):
        if len(run) > back and run[-back] in "千百万" and text[end : end + 1] not in "元":
            unit = lookup(text, end - back)
            if unit is not None and unit[1] > end and text[end - back] in "千百":
                return run[:-back], end - back
    return run, end


def is_single_digit(run: str) -> bool:
    """Whether a run is one plain Chinese digit."""
    return len(run) == 1 and run in CN_DIGITS
