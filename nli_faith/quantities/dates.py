"""Dates and periods: Chinese, numeric and English forms, to ISO text.

A date is ``YYYY-MM-DD``; a period is ``YYYY-MM..YYYY-MM`` (whole months) or, where days bound it,
``YYYY-MM-DD..YYYY-MM-DD``. Unknown parts are ``xxxx`` or ``xx``. What is no date in the calendar
(2月30日, 13月) is consumed and yields nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .numerals import digit_string, parse_cn


class DateHit(NamedTuple):
    """A recognised date; an empty ``type`` means: consume, but abstain."""

    type: str
    value: str
    mode: str | None
    end: int


_S = "[ \u3000]?"
_Y = "(?:[12][0-9]{3}|[一二][〇○零一二三四五六七八九]{3})"
_N = "(?:[0-9]{1,2}(?![0-9])|[一二三四五六七八九十廿]{1,3})"
_TO = f"{_S}(?:-{{1,2}}|–|—{{1,2}}|~|～|至|到){_S}"
_DAY_END = "(?:日(?![元圆均])|号(?![码线楼院馆墩机店厅门桥井位库仓室]))"

_YEAR = re.compile(f"({_Y}){_S}年")
_YEAR2 = re.compile(
    f"([0-9]{{2}}){_S}年(?={_S}(?:[0-9]{{1,2}}{_S}月|第?[一二三四1-4]季度?|Q[1-4](?![0-9A-Za-z])"
    "|H[12](?![0-9A-Za-z])|[上下]半年|前[一二三两23]个?季度))"
)
_BC_BEFORE = ("公元前", "纪元前", "西元前")
_CENTURY = re.compile("世纪(?:([1-9]0|[一二三四五六七八九]十)年代)?")
_YEARS = re.compile(f"({_Y})(?:{_S}年)?{_TO}({_Y}){_S}年(?!{_S}{_N}{_S}月)")
_ROC = re.compile(f"([0-9]{{1,3}}|[一二三四五六七八九十百〇零]{{1,5}}){_S}年")
_MD = re.compile(f"{_S}({_N}){_S}月{_S}({_N}){_S}{_DAY_END}")
_MD_TO = re.compile(f"{_TO}(?:({_Y}){_S}年{_S})?(?:({_N}){_S}月{_S})?({_N}){_S}{_DAY_END}")
_MDD = re.compile(f"{_S}({_N}){_S}月{_S}({_N}){_TO}({_N}){_S}{_DAY_END}")
_MM = re.compile(
    f"{_S}({_N})(?:{_S}月份?)?{_TO}(?:({_Y}){_S}年{_S})?({_N}){_S}月(?!{_S}{_N}{_S}日)份?"
)
_M = re.compile(f"{_S}({_N}){_S}月(?!内|薪|息|票|租|费|龄)份?([底末初中]|上旬|中旬|下旬)?")
_HALF = re.compile(f"{_S}([上下])半年(?!前|后)")
_QUARTER = re.compile(
    f"{_S}(?:第{_S})?([一二三四1-4])季度?(?:{_TO}(?:第)?([一二三四1-4])季度)?|{_S}Q([1-4])(?![0-9A-Za-z])"
)
_FIRST = re.compile(f"{_S}前([一二三两23])个?季度|{_S}前({_N})个?月|{_S}首季")
_H = re.compile(f"{_S}H([12])(?![0-9A-Za-z])")
_PART = re.compile(f"{_S}(年?底|末|初|年中|中期)|度")
_DAY = re.compile(
    f"({_N}){_S}日(?![元圆均内后游间程常产薪租以之])|({_N})号(?=[，。、；,.;\\s起前后至到上下晚早中凌—~-]|$)"
)
# 一日三次: a rate, no day of the month.
_DAILY = re.compile("[一1]日(?=[一二两三四五六七八九十几数多1-9][次餐顿遍])")
_DAY_TO = re.compile(f"({_N})(?:{_S}[日号])?{_TO}({_N}){_S}日(?![元圆均内后])")
_ISO = re.compile(r"([12][0-9]{3})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])")
_ISO_M = re.compile(r"([12][0-9]{3})[-/]([01]?[0-9])(?![0-9./-])")
_Y_RANGE = re.compile(r"([12][0-9]{3})(?:-|–|—|~|至|到)([12][0-9]{3})(?![0-9-])")
_SLASH = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}|[0-9]{2})(?![0-9/])")
_NOT_A_YEAR = re.compile("前的?|后|多|历史|左右|以[上下来]|的?时间|之久")

_DAYS = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_PARTS = {"底": "end", "年底": "end", "末": "end", "初": "begin", "中": "mid", "年中": "mid",
          "中期": "mid", "上旬": "begin", "中旬": "mid", "下旬": "end"}  # fmt: skip

MONTHS = {
    m: i + 1
    for i, m in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    )
}
_MON = (
    "(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    "|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
#: Month-first English dates, Q3 2023, FY2023, H1 2023; read by ``english``.
EN_PATTERN = (
    rf"(?<![A-Za-z])(?:{_MON}\b\.? {{0,2}}(?:[0-9]{{1,2}}(?:st|nd|rd|th)?(?![0-9A-Za-z%])"
    rf"(?:,? {{0,2}}[12][0-9]{{3}}(?![0-9]))?|[12][0-9]{{3}}(?![0-9]))"
    r"|(?:Q[1-4]|H[12])(?: |, )?(?:[12][0-9]{3})?(?![0-9A-Za-z])"
    r"|FY ?(?:[12][0-9]{3}|[0-9]{2})(?![0-9A-Za-z]))"
)
_EN_MONTH = re.compile(
    rf"{_MON}\b\.? *(?:([0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9]),? *)?([12][0-9]{{3}})?"
)
_EN_DAY_FIRST = re.compile(
    rf"([0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MON}\b\.?(?:,? ([12][0-9]{{3}}))?(?![0-9])"
)


def _num(text: str) -> int:
    if text.isascii():
        return int(text)
    parsed = parse_cn(text)
    return int(parsed.low) if parsed is not None and not parsed.approx else 99


def year_number(text: str) -> int:
    """A four-digit year in either kind of digits."""
    return int(text if text.isascii() else digit_string(text) or 0)


def _year(year: int | None) -> str:
    return "xxxx" if year is None else f"{year:04d}"


def _date(year: int | None, month: int, day: int) -> str | None:
    if not (1 <= month <= 12 and 1 <= day <= _DAYS[month]):
        return None
    if (
        month == 2
        and day == 29
        and year is not None
        and (year % 4 or (year % 100 == 0 and year % 400))
    ):
        return None
    return f"{_year(year)}-{month:02d}-{day:02d}"


def _hit_date(year: int | None, month: int, day: int, end: int) -> DateHit:
    value = _date(year, month, day)
    return DateHit("date", value, None, end) if value else DateHit("", "", None, end)


def _hit_months(
    year: int | None,
    first: int,
    last: int,
    end: int,
    mode: str | None = None,
    year2: int | None = None,
) -> DateHit:
    if not (1 <= first <= 12 and 1 <= last <= 12):
        return DateHit("", "", None, end)
    if year2 is None and last < first and year is not None:
        year2 = year + 1  # 2023年11月至2月 runs into the next year
    high = year2 if year2 is not None else year
    return DateHit("period", f"{_year(year)}-{first:02d}..{_year(high)}-{last:02d}", mode, end)


def _span(year: int | None, month: int, day: int, match: re.Match[str]) -> DateHit:
    """A range of days: 1月26日至2月4日, 6月14日—15日."""
    year2 = year_number(match[1]) if match[1] else year
    month2 = _num(match[2]) if match[2] else month
    a, b = _date(year, month, day), _date(year2, month2, _num(match[3]))
    if a is None or b is None:
        return DateHit("", "", None, match.end())
    return DateHit("period", f"{a}..{b}", None, match.end())


def _month_first(text: str, pos: int, year: int | None) -> DateHit | None:
    """Everything that begins with a month number, with or without a year before."""
    m = _MD.match(text, pos)
    if m is not None:
        month, day = _num(m[1]), _num(m[2])
        tail = _MD_TO.match(text, m.end())
        if tail is not None:
            return _span(year, month, day, tail)
        return _hit_date(year, month, day, m.end())
    m = _MDD.match(text, pos)
    if m is not None:
        a, b = _date(year, _num(m[1]), _num(m[2])), _date(year, _num(m[1]), _num(m[3]))
        if a is None or b is None:
            return DateHit("", "", None, m.end())
        return DateHit("period", f"{a}..{b}", None, m.end())
    m = _MM.match(text, pos)
    if m is not None:
        year2 = year_number(m[2]) if m[2] else None
        return _hit_months(year, _num(m[1]), _num(m[3]), m.end(), None, year2)
    m = _M.match(text, pos)
    if m is not None:
        month = _num(m[1])
        return _hit_months(year, month, month, m.end(), _PARTS.get(m[2] or ""))
    return None


def _part_of_year(text: str, pos: int, year: int | None) -> DateHit | None:
    """上半年, 第三季度, Q3, 前三季度, 前10个月, H1."""
    m = _HALF.match(text, pos)
    if m is not None:
        first = 1 if m[1] == "上" else 7
        return _hit_months(year, first, first + 5, m.end())
    m = _QUARTER.match(text, pos)
    if m is not None:
        first = _num(m[1] or m[3])
        last = _num(m[2]) if m[2] else first
        return _hit_months(year, 3 * first - 2, 3 * last, m.end())
    m = _FIRST.match(text, pos)
    if m is not None:
        last = 3 * _num(m[1]) if m[1] else _num(m[2]) if m[2] else 3
        return _hit_months(year, 1, last, m.end())
    m = _H.match(text, pos)
    if m is not None:
        first = 6 * int(m[1]) - 5
        return _hit_months(year, first, first + 5, m.end())
    return None


def _after_year(text: str, pos: int, year: int) -> DateHit:
    hit = _month_first(text, pos, year) or _part_of_year(text, pos, year)
    if hit is not None:
        return hit
    m = _PART.match(text, pos)
    if m is not None:
        return _hit_months(year, 1, 12, m.end(), _PARTS.get(m[1] or ""))
    return _hit_months(year, 1, 12, pos)


def era(text: str, start: int, end: int) -> DateHit | None:
    """公元前221年 (consumed: no ISO form), 21世纪, 20世纪80年代; the numeral is ``start..end``."""
    bc = text[max(0, start - 3) : start] in _BC_BEFORE
    if text[end] == "年":
        return DateHit("", "", None, end + 1) if bc else None
    m = _CENTURY.match(text, end)
    number = _num(text[start:end]) if end - start <= 3 and text[start:end].isalnum() else 99
    if m is None or not 1 <= number <= 30:
        return None
    if bc:
        return DateHit("", "", None, m.end())
    first, years = 100 * (number - 1), 100
    if m[1]:
        first, years = first + _num(m[1]), 10
    return DateHit("period", f"{first:04d}-01..{first + years - 1:04d}-12", None, m.end())


def half_or_quarter(text: str, pos: int) -> DateHit | None:
    """上半年, 第三季度, 前三季度 without a year, at ``pos``."""
    return _part_of_year(text, pos, None)


def cjk_date(text: str, start: int) -> DateHit | None:
    """A date or period whose first numeral begins at ``start``.

    Args:
        text: Folded text.
        start: Offset of the first digit (ASCII or Chinese).

    Returns:
        The hit, or ``None`` where the numeral begins no date.
    """
    roc = text[max(0, start - 3) : start].rstrip(" ")
    if roc.endswith(("民国", "民國")):
        m = _ROC.match(text, start)
        return _after_year(text, m.end(), _num(m[1]) + 1911) if m is not None else None
    m = _YEARS.match(text, start)
    if m is not None:
        a, b = year_number(m[1]), year_number(m[2])
        return DateHit("period", f"{a:04d}-01..{b:04d}-12", None, m.end())
    m = _YEAR.match(text, start)
    if m is not None:
        year = year_number(m[1])
        if text[m.end() : m.end() + 1] == "代":
            return DateHit("period", f"{year:04d}-01..{year + 9:04d}-12", None, m.end() + 1)
        if _NOT_A_YEAR.match(text, m.end()) is not None and not 1900 <= year <= 2100:
            return None
        return _after_year(text, m.end(), year)
    m = _YEAR2.match(text, start)
    if m is not None:
        two = int(m[1])
        return _after_year(text, m.end(), two + (2000 if two < 50 else 1900))
    hit = _month_first(text, start, None)
    if hit is not None:
        return hit
    m = _QUARTER.match(text, start) if text[start - 1 : start] != "第" else None
    if m is not None:
        return _part_of_year(text, start, None)
    return _day_only(text, start)


def _day_only(text: str, start: int) -> DateHit | None:
    daily = _DAILY.match(text, start)
    if daily is not None:
        return DateHit("", "", None, daily.end())
    m = _DAY_TO.match(text, start)
    if m is not None:
        a, b = _num(m[1]), _num(m[2])
        if a < b <= 31:
            return DateHit("period", f"xxxx-xx-{a:02d}..xxxx-xx-{b:02d}", None, m.end())
        return None
    m = _DAY.match(text, start)
    if m is not None and 1 <= _num(m[1] or m[2]) <= 31:
        return DateHit("date", f"xxxx-xx-{_num(m[1] or m[2]):02d}", None, m.end())
    return None


def numeric_date(text: str, start: int, month_first: bool = True) -> DateHit | None:
    """2023-01-05, 2023/1/5, 2023.1.5, 12/31/24, 2023-07, 2019-2023.

    Args:
        text: Folded text.
        start: Offset of the first digit.
        month_first: Order of slash dates where both readings are possible.
    """
    m = _ISO.match(text, start)
    if m is not None:
        return _hit_date(int(m[1]), int(m[3]), int(m[4]), m.end())
    m = _SLASH.match(text, start)
    if m is not None:
        a, b, year = int(m[1]), int(m[2]), int(m[3])
        year += 0 if len(m[3]) == 4 else 2000 if year < 50 else 1900
        month, day = (a, b) if (month_first and a <= 12) or b > 12 else (b, a)
        return _hit_date(year, month, day, m.end())
    m = _Y_RANGE.match(text, start)
    if m is not None and m[1] < m[2] and int(m[1]) >= 1800:
        return DateHit("period", f"{m[1]}-01..{m[2]}-12", None, m.end())
    m = _ISO_M.match(text, start)
    if m is not None and 1 <= int(m[2]) <= 12 and int(m[1]) >= 1800:
        return _hit_months(int(m[1]), int(m[2]), int(m[2]), m.end())
    return None


def english_day_first(text: str, start: int) -> DateHit | None:
    """5 Jan 2023, 5th of January."""
    m = _EN_DAY_FIRST.match(text, start)
    if m is None:
        return None
    return _hit_date(int(m[3]) if m[3] else None, MONTHS[m[2][:3].lower()], int(m[1]), m.end())


def english(text: str, start: int, end: int) -> DateHit | None:
    """What ``EN_PATTERN`` found: January 5, 2023; March 2024; Q3 2023; FY25; H1."""
    head = text[start]
    digits = re.search("[0-9]+$", text[start:end].rstrip(" ,"))
    if text.startswith("FY", start):
        year = int(digits[0]) if digits is not None else 0
        return _hit_months(year + (2000 if year < 100 else 0), 1, 12, end)
    if head in "QH" and text[start + 1].isdigit():
        size = 3 if head == "Q" else 6
        last = size * int(text[start + 1])
        end = start + len(text[start:end].rstrip(" ,"))
        found = digits is not None and len(digits[0]) == 4
        return _hit_months(int(digits[0]) if found and digits else None, last - size + 1, last, end)
    m = _EN_MONTH.match(text, start)
    if m is None:
        return None
    month, year_ = MONTHS[m[1][:3].lower()], int(m[3]) if m[3] else None
    end = start + len(text[start : m.end()].rstrip(" ,"))
    if m[2]:
        return _hit_date(year_, month, int(m[2]), end)
    return _hit_months(year_, month, month, end)
