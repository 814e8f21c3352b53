"""Clock times: 21:00, 下午5点30分, 晚上九点, 九点半, 9 p.m., to ``HH:MM``."""

from __future__ import annotations

import re
from typing import NamedTuple

from .numerals import parse_cn


class ClockHit(NamedTuple):
    """A recognised time; an empty ``value`` means: consume, but abstain."""

    value: str
    end: int


_N = "零|[一二三四五六七八九十两]{1,3}|[0-9]{1,2}"
_COLON = re.compile(r"([0-9]{1,2})[:：]([0-9]{2})(?:[:：]([0-9]{2}))?(?![0-9:：])")
_RATIO = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,3})?(?:[:：∶][0-9]{1,4}(?:\.[0-9]{1,3})?){1,4}")
_POINT = re.compile(
    rf"({_N}) ?(点钟?|时)(?:(半)|([一二三123])刻|整"
    rf"|过?({_N}|[〇零][一二三四五六七八九]) ?分(?![之钱])"
    rf"|([一二三四五]?十[一二三四五六七八九]?|[0-5][0-9](?![0-9.])))?"
)
_AMPM = re.compile(
    r"([0-9]{1,2})(?::([0-9]{2}))? ?(a\.m\.|p\.m\.|am\b|pm\b|AM\b|PM\b|A\.M\.|P\.M\.|noon\b)"
)
_DAYPART = re.compile(
    "(凌晨|清晨|早晨|早上|早|上午|今早|中午|正午|午间|下午|午后|傍晚|晚上|晚间|夜间|夜里|深夜|半夜"
    "|当晚|今晚|每晚|昨晚|晚)(?:[的约近至在]|大约)?[ 　]?$"
)
_PM = frozenset(
    [
        "下午",
        "午后",
        "傍晚",
        "晚上",
        "晚间",
        "夜间",
        "夜里",
        "深夜",
        "当晚",
        "今晚",
        "每晚",
        "昨晚",
        "晚",
    ]
)
_NOON = frozenset(["中午", "正午", "午间"])
# 三点建议, 有3点: points of an argument; 涨了3点, 3200点: an index.
_NOT_CLOCK = re.compile(
    "建议|意见|要求|原因|理由|内容|说明|注意|启示|看法|好处|不足|经验|体会|共识|变化|优势|[0-9]"
)
_NOT_BEFORE = re.compile(
    "(?:以下|如下|这|那|有|第|几|两|涨|跌|升|降|报|收于|收报|[涨跌升降]至|指数)了?$"
)
_CLOCK_AFTER = re.compile("[前后起至到—–~-]|左右|以前|以后|之前|开|半|整|钟|许|[，。；、,;）)]|$")


def _value(hour: int, minute: int, second: int | None, part: str | None) -> str:
    if part in _PM and 1 <= hour <= 11:
        if not (part in ("深夜", "夜间", "夜里") and hour < 6):
            hour += 12
    elif part in _NOON and 1 <= hour <= 3:
        hour += 12
    elif part in _PM and hour == 12 and part not in ("下午", "午后"):
        hour = 24
    elif part in ("凌晨", "半夜") and hour == 12:
        hour = 0
    if hour > 24 or minute > 59 or (second or 0) > 59 or (hour == 24 and minute):
        return ""
    tail = f":{second:02d}" if second is not None else ""
    return f"{hour:02d}:{minute:02d}{tail}"


def _num(text: str) -> int:
    if text.isascii():
        return int(text)
    parsed = parse_cn(text.lstrip("〇零") or "零")
    return int(parsed.low) if parsed is not None and not parsed.approx else 99


def daypart(text: str, start: int) -> str | None:
    """The 上午 / 晚上 ... directly before ``start``, if any."""
    if start == 0 or text[start - 1] not in "晨上早午晚间里夜天的约近至在 　":
        return None
    m = _DAYPART.search(text, max(0, start - 6), start)
    return m[1] if m is not None else None


def colon_time(text: str, start: int, inherited: str | None) -> ClockHit | None:
    """21:00, 9:30 p.m., 1:13:52; ratios and scores (3:2, 1:100) are consumed without a value."""
    m = _AMPM.match(text, start)
    if m is not None:
        return _ampm(m)
    m = _COLON.match(text, start)
    if m is not None:
        part = daypart(text, start) or inherited
        return ClockHit(_value(int(m[1]), int(m[2]), int(m[3]) if m[3] else None, part), m.end())
    m = _RATIO.match(text, start)
    return ClockHit("", m.end()) if m is not None else None


def _ampm(m: re.Match[str]) -> ClockHit:
    hour = int(m[1])
    if hour > 12:
        return ClockHit("", m.end())
    pm = m[3][0] in "pPn"
    hour = hour % 12 + (12 if pm else 0)
    return ClockHit(_value(hour, int(m[2] or 0), None, None), m.end())


def ampm_time(text: str, start: int) -> ClockHit | None:
    """9 p.m. and 9pm (no minutes)."""
    m = _AMPM.match(text, start)
    return _ampm(m) if m is not None else None


def point_time(text: str, start: int, inherited: str | None) -> tuple[ClockHit, str | None] | None:
    """9点, 下午5点30分, 九点半, 18时, 4时20分.

    Args:
        text: Folded text.
        start: Offset of the hour.
        inherited: Day part of a time just before (晚上7点至9点), used where none stands here.

    Returns:
        The hit and the day part it used, or ``None`` where 点 is no clock.
    """
    m = _POINT.match(text, start)
    if m is None:
        return None
    part = daypart(text, start)
    minute = 0
    if m[3]:
        minute = 30
    elif m[4]:
        minute = 15 * _num(m[4])
    elif m[5] or m[6]:
        minute = _num(m[5] or m[6])
    sure = part is not None or m.end() > m.end(2) or m[2] != "点"
    if m[2] == "时":
        follow = text[m.end() : m.end() + 1]
        if follow in "代期刻空速薪长光" and follow:
            return None
    elif not sure:
        if _NOT_CLOCK.match(text, m.end()) is not None:
            return None
        if _NOT_BEFORE.search(text, max(0, start - 4), start) is not None and inherited is None:
            return None
        if _CLOCK_AFTER.match(text, m.end()) is None and inherited is None:
            return None
    value = _value(_num(m[1]), minute, None, part or inherited)
    if not value and m[2] == "点":
        return None
    return ClockHit(value, m.end()), part or inherited
