"""From a numeral to a quantity: units, ranges, compounds, money with its denominators."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from .context import global_unit, header_unit, row_unit, shares_unit
from .numerals import Numeral, scale_value
from .ranges import range_with, scaled, unit_at
from .reader import Reading, read_numeral, step_of
from .unit_data import PREFIX_CURRENCY, SUB_MONEY
from .units import UNITS, Unit


class Amount(NamedTuple):
    """A numeral with its unit, in canonical units."""

    type: str
    unit: str
    low: Decimal
    high: Decimal
    step: Decimal
    approx: bool
    start: int
    end: int
    bare: bool


_ONE = Decimal(1)
_CURRENCY_BEFORE = re.compile(
    "("
    + "|".join(sorted(map(re.escape, PREFIX_CURRENCY), key=len, reverse=True))
    + ")[ 　]?[约近超]?$"
)
_CUR_LAST = frozenset(k[-1] for k in PREFIX_CURRENCY) | {" ", "约", "近", "超"}
_SUFFIX_SCALE = re.compile(
    r" ?(?:(K|k)|(M|m|MM|mn|million)|(B|b|bn|billion)|(T|trillion))(?![A-Za-z])"
)
_SUFFIX = (10**3, 10**6, 10**9, 10**12)
_DEN = (
    "人|晚|夜|间夜|间|天|日|月|年|小时|分钟|分|秒|周|季度|季|吨|千克|公斤|斤|克|升|毫升|平方米"
    "|平米|㎡|m2|m²|平方|立方米"
    "|亩|公里|千米|米|次|件|台|辆|套|户|股|张|瓶|箱|袋|册|本|份|盒|只|个|条|桶|支|单|座|场|节"
    "|课时|学年|学期|位|名|例"
    "|人次|千瓦时|度|kWh|kg|km|t|night|person|month|year|day|hour|person|GB|万字|千字|工作日"
    "|桌|车|页|片|粒|剂|针|kW|W"
)
_DENOMINATOR = re.compile(
    "(?:[ ]?/[ ]?| per | an? (?=(?:night|person|month|year|day|hour)(?![a-z])))"
    f"((?:{_DEN})(?:[/·](?:{_DEN}))?)(?![A-Za-z0-9])"
    f"|每((?:{_DEN})(?:每(?:{_DEN}))?)(?![一-鿿]{{0,6}}?[0-9一二三四五六七八九十])"
)
_PER_BEFORE = re.compile(f"((?:每(?:个|位|名|一)?(?:{_DEN})){{1,2}})[^，。；;、,\\n0-9]{{0,6}}$")
_PER = re.compile(f"每(?:个|位|名|一)?({_DEN})(?=每|$)")
_HALF_UNIT = re.compile("个半(月|小时|钟头|世纪|星期|学期)")
_HALF_TAIL = re.compile("半(?![年月个小天截途路数])")
_DUR_TAIL = re.compile(
    "(?:零|又|加|[ ])?([0-9]{1,3}|[零〇一二三四五六七八九十两]{1,3})[ ]?(个月|天|日|个小时"
    "|小时|分钟|分|秒钟|秒)(?![之内])"
)
_DUR_SECONDS = {"天": 86400, "日": 86400, "个小时": 3600, "小时": 3600, "分钟": 60, "分": 60,
                "秒钟": 1, "秒": 1}  # fmt: skip
_DUR_UNIT = {86400: "day", 3600: "hour", 60: "minute", 1: "second"}
_UNIT_SECONDS = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}
_MONEY_TAIL = re.compile(
    "([0-9]{1,2}|[一二三四五六七八九两])(角|毛)(?:([0-9]|[一二三四五六七八九])(?:分|(?![0-9.,%一-鿿A-Za-z])))?"
    "|([0-9一二三四五六七八九])(?:(?![0-9.,%一-鿿A-Za-z])|(?=[一每][斤个只条瓶份盒张]))"
)
#: 时速120公里, 每秒5米: the rate stands before, in km/h a metre.
_SPEED_BEFORE = re.compile(
    "(?:(时速|每小时)|秒速|每秒)(?:钟|行驶|飞行|行进|行走|前进|移动|跑|走|可|能|[达约超近为在到过是]){0,3}$"
)
_WEATHER = re.compile(
    "气温|温度|体温|高温|低温|室温|水温|降温|升温|最高温|最低温|温差|天气|寒潮|冷空气|零上|零下|摄氏"
)


def currency_before(text: str, start: int) -> tuple[str, int] | None:
    """Currency that stands before the number: ``(code, start of the currency)``."""
    if start == 0 or text[start - 1] not in _CUR_LAST:
        return None
    m = _CURRENCY_BEFORE.search(text, max(0, start - 6), start)
    if m is None:
        return None
    head = text[m.start() - 1 : m.start()]
    if m[1].isalpha() and m[1].isascii() and head.isascii() and head.isalpha():
        return None
    return PREFIX_CURRENCY[m[1]], m.start()


def _duration(text: str, number: Numeral, unit: str, end: int) -> tuple[Numeral, str, int]:
    """两年半, 三年五个月, 1小时04分37秒; ``number`` is in ``unit`` already."""
    half = _HALF_TAIL.match(text, end)
    if half is not None and number.low == number.high:
        extra = Decimal(6) if text[end - 1] in "年" else Decimal("0.5")
        value = number.low + extra
        return Numeral(value, value, number.step, number.approx), unit, half.end()
    while True:
        m = _DUR_TAIL.match(text, end)
        if m is None:
            return number, unit, end
        part = (
            read_numeral(text, m.start(1))
            if m[1][0] not in "零〇"
            else read_numeral(text, m.start(1) + 1)
        )
        if part is None or number.low != number.high or part.number.approx:
            return number, unit, end
        if m[2] == "个月" and unit == "month":
            value = number.low + part.number.low
            return Numeral(value, value, _ONE, number.approx), unit, m.end()
        size = _DUR_SECONDS.get(m[2])
        if size is None or unit not in _UNIT_SECONDS or size >= _UNIT_SECONDS[unit]:
            return number, unit, end
        value = number.low * _UNIT_SECONDS[unit] / size + part.number.low
        number, unit, end = Numeral(value, value, _ONE, number.approx), _DUR_UNIT[size], m.end()


def _sub_money(text: str, number: Numeral, end: int) -> tuple[Numeral, int]:
    """3元5角, 3块5."""
    m = _MONEY_TAIL.match(text, end)
    if m is None or number.low != number.high:
        return number, end
    if m[4] is not None:  # 十五块八, 三毛五
        step = {"块": Decimal("0.1"), "毛": Decimal("0.01")}.get(text[end - 1])
        part = read_numeral(m[4], 0)
        if step is None or part is None:
            return number, end
        value = number.low + part.number.low * step
        return Numeral(value, value, step, number.approx), m.end()
    value, step = number.low, Decimal("0.1")
    for digits, name in ((m[1], m[2]), (m[3], "分")):
        part = read_numeral(digits, 0) if digits else None
        if part is not None:
            step = SUB_MONEY[name]
            value += part.number.low * step
    return Numeral(value, value, step, number.approx), m.end()


def denominator(text: str, start: int, end: int) -> tuple[str, int]:
    """``/晚`` and 每晚 behind the unit, or 每晚 shortly before the number."""
    char = text[end : end + 1]
    if char in ("/", " ", "每"):
        m = _DENOMINATOR.match(text, end)
        if m is not None:
            name = (m[1] or m[2].replace("每", "/")).replace("·", "/")
            return "/" + name, m.end()
    low = max(0, start - 12)
    if "每" in text[low:start]:
        m2 = _PER_BEFORE.search(text, low, start)
        if m2 is not None:
            return "/" + "/".join(_PER.findall(m2[1])), end
    return "", end


def amount(text: str, start: int, reading: Reading, shared: list[tuple[str, str] | None]) -> Amount:
    """Complete a numeral with what stands around it.

    Args:
        text: Folded text.
        start: Offset of the numeral.
        reading: The numeral.
        shared: One-element cache of the text's ``单位：`` note (empty until looked up).
    """
    number, end = reading.number, reading.end
    money = currency_before(text, start)
    if money is not None:
        return _prefixed_money(text, start, reading, *money)
    more = text[end : end + 1]
    approx_infix = more in ("多", "余", "来") and (
        unit_at(text, end + 1) is not None and text[end + 1 : end + 2] not in ("次", "种", "样")
    )
    hit = unit_at(text, end + 1) if approx_infix else unit_at(text, end)
    if approx_infix:
        number = Numeral(number.low, number.high, number.step, True)
    else:
        half = _HALF_UNIT.match(text, end)
        if half is not None:
            base = UNITS["个" + half[1]] if "个" + half[1] in UNITS else UNITS.get(half[1])
            if base is not None:
                value = (number.low + Decimal("0.5")) * base.factor
                return Amount(base.type, base.unit, value, value, base.factor / 2, number.approx,
                              start, half.end(), False)  # fmt: skip
        joined = range_with(text, start, reading, hit)
        if joined is not None:
            number, hit, end = joined
    if hit is None:
        return _bare(text, start, number, end, shared)
    unit, end = hit
    return _with_unit(text, start, number, unit, end)


def _with_unit(text: str, start: int, number: Numeral, unit: Unit, end: int) -> Amount:
    kind, name = unit.type, unit.unit
    number = scaled(number, unit.factor)
    if kind == "number" and name == "分":
        tail = _DUR_TAIL.match(text, end)
        if tail is not None and tail[2] in ("秒", "秒钟"):
            kind, name = "duration", "minute"
    if kind == "duration":
        number, name, end = _duration(text, number, name, end)
    elif kind == "money":
        number, end = _sub_money(text, number, end)
        suffix, end = denominator(text, start, end)
        name += suffix
    elif kind == "length" and (speed := _speed(text, start)) is not None:
        kind, name, number = "speed", "km/h", scaled(number, speed)
    elif kind in ("number", "weight", "volume", "power", "energy", "length", "area", "data"):
        m = _DENOMINATOR.match(text, end)
        if m is not None and m[1]:
            name, end = f"{name}/{m[1]}", m.end()
    return Amount(
        kind, name, number.low, number.high, number.step, number.approx, start, end, False
    )


def _speed(text: str, start: int) -> Decimal | None:
    """Factor from metres to km/h where 时速 or 每秒 stands before a length."""
    low = max(0, start - 9)
    if "速" not in text[low:start] and "每" not in text[low:start]:
        return None
    m = _SPEED_BEFORE.search(text, low, start)
    if m is None:
        return None
    return Decimal("0.001") if m[1] else Decimal("3.6")


def as_temperature(a: Amount, text: str, start: int, negative: bool) -> Amount:
    """Degrees are a temperature below zero, behind 摄氏 or 华氏, and near words of weather."""
    if a.unit != "度" or a.type != "number":
        return a
    scale = text[max(0, start - 2) : start]
    if (
        negative
        or scale in ("摄氏", "华氏")
        or _WEATHER.search(text, max(0, start - 24), a.end + 12) is not None
    ):
        return a._replace(type="temperature", unit="F" if scale == "华氏" else "C")
    return a


def _prefixed_money(text: str, start: int, reading: Reading, code: str, at: int) -> Amount:
    number, end = reading.number, reading.end
    joined = range_with(text, start, reading, None)
    if joined is not None and (joined[1] is None or joined[1][0].type == "money"):
        number, _, end = joined
    scale = _SUFFIX_SCALE.match(text, end)
    if scale is not None and scale.lastindex is not None and reading.scale == 1:
        number, end = scaled(number, Decimal(_SUFFIX[scale.lastindex - 1])), scale.end()
    hit = unit_at(text, end)
    if hit is not None and hit[0].type == "money":
        code = hit[0].unit if code == "CNY" or hit[0].unit != "CNY" else code
        end = hit[1]
    suffix, end = denominator(text, at, end)
    return Amount("money", code + suffix, number.low, number.high, number.step, number.approx,
                  at, end, False)  # fmt: skip


def _bare(
    text: str, start: int, number: Numeral, end: int, shared: list[tuple[str, str] | None]
) -> Amount:
    """No unit behind the number: the header's, the text's, or none."""
    head = header_unit(text, start)
    row = row_unit(text, start) if head is None else None
    if row is not None and ((row[1] in UNITS and row[1] != "注") or "/" in row[1] or not row[1]):
        head = row
    if head is None:
        if not shared:
            shared.append(global_unit(text))
        head = shared[0]
        if head is not None and not (
            _looks_like_cell(text, start, end) and shares_unit(text, start, "元" in head[1])
        ):
            head = None
    if head is not None:
        unit = UNITS.get(head[1]) if head[1] else Unit("number", "", _ONE)
        if unit is None and "/" in head[1]:
            base = UNITS.get(head[1].split("/")[0])
            rest = head[1].partition("/")[2]
            unit = Unit(base.type, f"{base.unit}/{rest}", base.factor) if base is not None else None
        if unit is not None:
            number = scaled(number, unit.factor * scale_value(head[0]))
            return Amount(unit.type, unit.unit, number.low, number.high, number.step,
                          number.approx, start, end, not head[1])  # fmt: skip
    return Amount(
        "number", "", number.low, number.high, number.step, number.approx, start, end, True
    )


def _looks_like_cell(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return before in ("", " ", "|", "：", ":", "\n", "\t", "，", "；") and after in (
        "", " ", "|", "；", ";", "，", "。", "\n", "\t",
    )  # fmt: skip


__all__ = ["Amount", "amount", "currency_before", "denominator", "step_of", "unit_at"]
