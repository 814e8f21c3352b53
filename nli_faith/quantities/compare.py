"""Compares one quantity of a claim with one of the context.

Types never cross-match, except percent with fraction and 折 with 优惠 (八折 = 优惠20%).
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from .calendars import date_relation, time_relation
from .model import Quantity
from .relation import Relation

#: 约一半 stands for 47% to 53%: percentage points.
APPROX_SHARE = 3
_HUNDRED = Fraction(100)
#: Units that convert exactly within one dimension: (dimension, factor).
_CLOCK = {
    "day": Fraction(86400), "hour": Fraction(3600), "minute": Fraction(60), "second": Fraction(1),
}  # fmt: skip
_DATA_POWER = {"B": 0, "KB": 1, "MB": 2, "GB": 3, "TB": 4, "PB": 5}
#: Names of one denominator.
_SAME_RATE = {"夜": "晚", "night": "晚", "日": "天", "day": "天", "person": "人", "month": "月",
              "year": "年", "hour": "小时", "位": "人", "名": "人"}  # fmt: skip
_LIMIT_BEFORE = re.compile("(?:[上下]限|最[高低]|封顶|起步)[为是：:]?[ 　]?[¥$]?$")
_LIMIT_AFTER = re.compile("[ 　]?(?:封顶|起步)")
_MU = Fraction(2000, 3)  # 1 亩 in m2
# Classifiers used for one another. 人次 stands apart: visits are not visitors.
_CLASSES = (
    frozenset(["人", "名", "位", "个", "users", "employees", "students", "员"]),
    frozenset(["家", "个", "户", "所", "间", "座", "处"]),
    frozenset(["台", "辆", "部", "架", "套", "个", "台次"]),
    frozenset(
        ["项", "个", "条", "件", "款", "种", "类", "起", "宗", "例", "份", "门", "笔", "单", "批"]
    ),
    frozenset(["次", "回", "趟", "班", "场", "轮", "times"]),
    frozenset(["岁", "周岁"]),
    frozenset(["座", "个", "站", "栋", "幢"]),
    frozenset(["张", "份", "本", "册", "页", "个"]),
    frozenset(["分", "点", "个"]),
)
#: Counted things that differ in kind although both are counts.
_APART = frozenset(
    [
        "人次",
        "架次",
        "车次",
        "户",
        "岁",
        "周岁",
        "次",
        "分",
        "班次",
        "辆次",
        "床",
        "股",
        "字",
        "页",
        "度",
        "级",
        "层",
        "步",
        "圈",
    ]
)


@lru_cache(maxsize=4096)
def dimension(kind: str, unit: str) -> tuple[str, Fraction, str]:
    """Dimension, factor into its base unit, and the denominator of a rate."""
    base, _, rate = unit.partition("/")
    if rate:  # 每晚每人 is 每人每晚
        rate = "/".join(sorted(_SAME_RATE.get(part, part) for part in rate.split("/")))
    if kind == "duration":
        if base in _CLOCK:
            return "clock", _CLOCK[base], rate
        return f"duration:{base}", Fraction(1), rate
    if kind == "area" and base == "亩":
        return "area:m2", _MU, rate
    if kind == "fraction" or kind == "percent":
        return "share", _HUNDRED if kind == "fraction" else Fraction(1), ""
    if kind in ("number", "ordinal", "pp", "times"):
        return kind, Fraction(1), rate
    if kind == "data" and base in _DATA_POWER:
        return "data", Fraction(1000) ** _DATA_POWER[base], rate
    return f"{kind}:{base}", Fraction(1), rate


def same_units(a: str, b: str) -> bool | None:
    """Whether two classifiers count the same: True, False, or ``None`` where that is open."""
    if a == b:
        return True
    if not a or not b:
        return None
    if any(a in group and b in group for group in _CLASSES):
        return True
    if a in _APART or b in _APART:
        return False
    return None


def written_step(q: Quantity) -> Fraction:
    """Worth of the last significant written digit: trailing zeros of integers do not count."""
    step = Fraction(q.step)
    bounds = q.bounds
    if bounds is None or step <= 0:
        return step
    value = abs(bounds[1])
    while value and step < value and value % (step * 10) == 0:
        step *= 10
    return step


def rounds_to(claim: Quantity, value: Fraction, loose: bool) -> bool:
    """Whether ``value`` is what the claim says, rounded to the claim's written precision.

    Args:
        claim: A claim quantity with a single value.
        value: An exact value in the claim's unit.
        loose: Count trailing zeros of an integer as rounding too (约1200人).
    """
    bounds = claim.bounds
    if bounds is None:
        return False
    step = written_step(claim) if loose else Fraction(claim.step)
    if not step:
        step = Fraction(1, 100) * abs(bounds[0])
    return bounds[0] - step / 2 <= value <= bounds[1] + step / 2


def _flip(q: Quantity) -> Fraction | None:
    """The complement of a discount: 八折 <-> 优惠20%."""
    bounds = q.bounds
    return _HUNDRED - bounds[0] if bounds is not None and bounds[0] == bounds[1] else None


def relation(claim: Quantity, context: Quantity) -> Relation:
    """Relation of a context quantity to a claim quantity.

    Args:
        claim: Quantity of the claim.
        context: Quantity of a context.

    Returns:
        ``EQUAL``, ``COMPATIBLE``, ``CONFLICT`` or ``INCOMPARABLE``.
    """
    claim, context = _as_change(claim), _as_change(context)
    a, b = claim.type, context.type
    if b == "name":
        return _named(claim, context)
    if ("number" in (a, b) and "ordinal" in (a, b)) or ("duration" in (a, b) and "date" in (a, b)):
        return _loose(claim, context)
    if a in ("date", "period"):
        return date_relation(claim, context) if b in ("date", "period") else Relation.INCOMPARABLE
    if a == "time" or b == "time":
        return time_relation(claim, context) if a == b else Relation.INCOMPARABLE
    if b in ("date", "period"):
        return Relation.INCOMPARABLE
    return _numeric(claim, context)


def _as_change(q: Quantity) -> Quantity:
    """A negative change as a fall: 同比 -5% in a table is 同比下降5% in a sentence."""
    if q.basis is None or q.direction is not None or not q.value.startswith("-") or q.is_range:
        return q
    return replace(q, value=q.value[1:], direction="down")


def _named(claim: Quantity, context: Quantity) -> Relation:
    """A number inside what looked like a name (MoE 60.1): it may support, never contradict."""
    same = claim.bounds is not None and claim.bounds == context.bounds
    return Relation.COMPATIBLE if same else Relation.INCOMPARABLE


def _loose(claim: Quantity, context: Quantity) -> Relation:
    """Readings that the text leaves open: 第三节 and 三节, 暂停15日 and 15天."""
    if "date" in (claim.type, context.type):
        day, span = (claim, context) if claim.type == "date" else (context, claim)
        same = (
            day.value.startswith("xxxx-xx-")
            and span.unit == "day"
            and (span.number == int(day.value[8:]))
        )
        return Relation.COMPATIBLE if same else Relation.INCOMPARABLE
    same = claim.bounds == context.bounds and claim.unit == context.unit and claim.unit != ""
    return Relation.COMPATIBLE if same else Relation.INCOMPARABLE


def _numeric(claim: Quantity, context: Quantity) -> Relation:
    dim_a, factor_a, rate_a = dimension(claim.type, claim.unit)
    dim_b, factor_b, rate_b = dimension(context.type, context.unit)
    if dim_a != dim_b:
        return _cross(claim, context)
    certain = True
    if rate_a != rate_b:
        if not _within(rate_a, rate_b):
            return Relation.INCOMPARABLE
        certain = False
    if dim_a in ("number", "ordinal"):
        same = same_units(claim.unit.partition("/")[0], context.unit.partition("/")[0])
        if same is False:
            return Relation.INCOMPARABLE
        if same is None:
            certain = False
            if claim.unit and context.unit and not _value_equal(claim, context):
                return Relation.INCOMPARABLE
    if claim.mode != context.mode and "pay" in (claim.mode, context.mode):
        return _discounts(claim, context)
    found = _values(claim, context, factor_a, factor_b)
    if dim_a == "data" and found is Relation.CONFLICT and _binary_equal(claim, context):
        return Relation.COMPATIBLE
    if found is Relation.EQUAL and (not certain or claim.type != context.type):
        return Relation.COMPATIBLE
    return found


def _within(a: str, b: str) -> bool:
    """Whether one denominator only says less than the other: none, or 晚 beside 人/晚."""
    if not a or not b:
        return True
    x, y = set(a.split("/")), set(b.split("/"))
    return x <= y or y <= x


def is_limit(q: Quantity) -> bool:
    """Whether a bound is a stated limit (上限500元, 30元起步): one limit is not another."""
    if q.op not in ("<=", ">="):
        return False
    return _LIMIT_BEFORE.search(q.left) is not None or _LIMIT_AFTER.match(q.right) is not None


def _value_equal(a: Quantity, b: Quantity) -> bool:
    return a.bounds == b.bounds


def _binary_equal(a: Quantity, b: Quantity) -> bool:
    x, y = a.number, b.number
    if x is None or y is None:
        return False
    power_a = _DATA_POWER[a.unit.partition("/")[0]]
    power_b = _DATA_POWER[b.unit.partition("/")[0]]
    return bool(x * 1024**power_a == y * 1024**power_b)


def _cross(claim: Quantity, context: Quantity) -> Relation:
    """The few conversions across dimensions: C with F, years of age with months."""
    x, y = claim.number, context.number
    if x is None or y is None:
        return Relation.INCOMPARABLE
    kinds = {claim.type, context.type}
    if kinds == {"temperature"}:
        celsius = [v if q.unit == "C" else (v - 32) * Fraction(5, 9)
                   for q, v in ((claim, x), (context, y))]  # fmt: skip
        near = abs(celsius[0] - celsius[1]) <= Fraction(1, 2)
        return Relation.COMPATIBLE if near else Relation.CONFLICT
    if kinds == {"number", "duration"}:
        age, other = (claim, context) if claim.type == "number" else (context, claim)
        if age.unit in ("岁", "周岁") and other.unit == "month":
            value = age.number
            if value is not None and value * 12 == other.number:
                return Relation.COMPATIBLE
    return Relation.INCOMPARABLE


def _discounts(claim: Quantity, context: Quantity) -> Relation:
    x, y = claim.number, context.number
    flipped = _flip(claim)
    if x is None or y is None or flipped is None:
        return Relation.INCOMPARABLE
    if "off" in (claim.mode, context.mode):
        return Relation.EQUAL if flipped == y else Relation.CONFLICT
    return Relation.COMPATIBLE if y in (x, flipped) else Relation.INCOMPARABLE


def _change_conflict(claim: Quantity, context: Quantity) -> bool:
    """Equal figures that say different things: 增长 against 下降, 同比 against 环比."""
    if claim.direction and context.direction and claim.direction != context.direction:
        return True
    return bool(claim.basis and context.basis and claim.basis != context.basis)


def _values(claim: Quantity, context: Quantity, fa: Fraction, fb: Fraction) -> Relation:
    ca, cb = claim.bounds, context.bounds
    if ca is None or cb is None:
        return Relation.INCOMPARABLE
    ratio = fb / fa
    a_low, a_high = ca
    b_low, b_high = (cb[0] * ratio, cb[1] * ratio) if ratio != 1 else cb
    if (a_low, a_high) == (b_low, b_high):
        if _change_conflict(claim, context):
            return Relation.CONFLICT
        return _equal_ops(claim, context)
    if claim.op != "=" or context.op != "=":
        return _bounds(claim, context, a_low, a_high, b_low, b_high)
    if a_low == a_high and b_low == b_high:
        return _points(claim, context, a_low, b_low)
    return _ranges(claim, a_low, a_high, b_low, b_high)


def _equal_ops(claim: Quantity, context: Quantity) -> Relation:
    a, b = claim.op, context.op
    if a == b:
        same = claim.approx == context.approx
        return Relation.EQUAL if same or not claim.is_range else Relation.COMPATIBLE
    if a != "=" and b != "=":
        if a[0] == b[0]:
            return Relation.COMPATIBLE
        return Relation.CONFLICT
    if a == "=" and b in (">", "<"):  # 超过40万 is not 40万
        return Relation.COMPATIBLE if claim.approx else Relation.CONFLICT
    if a in (">", "<"):  # 40万 is not 超过40万, but a written figure is often a rounded one
        return Relation.COMPATIBLE
    return Relation.COMPATIBLE


def _points(claim: Quantity, context: Quantity, a: Fraction, b: Fraction) -> Relation:
    if claim.approx:
        if claim.type == "fraction":
            near = abs(a - b) <= APPROX_SHARE
            return Relation.COMPATIBLE if near else Relation.CONFLICT
        if _is_more(claim):  # 300余家: from 300 up to 400
            more = a <= b < a + written_step(claim)
            return Relation.COMPATIBLE if more else Relation.CONFLICT
        return Relation.COMPATIBLE if rounds_to(claim, b, True) else Relation.CONFLICT
    if claim.type == "fraction" or context.type == "fraction":
        step = Fraction(context.step) or Fraction(claim.step) or Fraction(1)
        return Relation.COMPATIBLE if abs(a - b) <= max(step, Fraction(1)) else Relation.CONFLICT
    if claim.step > context.step and claim.step != Decimal(0) and rounds_to(claim, b, False):
        return Relation.COMPATIBLE  # a plain rounding to the written precision
    if context.approx and abs(a - b) <= written_step(context) / 2:
        return Relation.COMPATIBLE
    return Relation.CONFLICT


def _is_more(claim: Quantity) -> bool:
    return any(c in claim.text for c in "余多来")


def _holds(op: str, value: Fraction, bound: Fraction) -> bool:
    if op == ">":
        return value > bound
    if op == ">=":
        return value >= bound
    return value < bound if op == "<" else value <= bound


def _bounds(
    claim: Quantity,
    context: Quantity,
    a_low: Fraction,
    a_high: Fraction,
    b_low: Fraction,
    b_high: Fraction,
) -> Relation:
    """At least one side is a bound and the values differ."""
    if (
        (a_low, a_high) != (b_low, b_high)
        and claim.op[0] == context.op[0]
        and (is_limit(claim) or is_limit(context))
    ):
        return Relation.CONFLICT
    if context.op == "=" and is_limit(claim):
        return Relation.CONFLICT  # 上限800元 beside 500元
    if claim.op != "=" and context.op == "=":
        holds = _holds(claim.op, b_low, a_low) and _holds(claim.op, b_high, a_high)
        return Relation.COMPATIBLE if holds else Relation.CONFLICT
    if claim.op != "=":
        if claim.op[0] != context.op[0]:
            return Relation.INCOMPARABLE
        weaker = a_low <= b_low if claim.op[0] == ">" else a_low >= b_low
        return Relation.COMPATIBLE if weaker else Relation.CONFLICT
    # a point in the claim, a bound in the context: allowed or not, never stated
    return Relation.INCOMPARABLE if _holds(context.op, a_low, b_low) else Relation.CONFLICT


def _ranges(
    claim: Quantity, a_low: Fraction, a_high: Fraction, b_low: Fraction, b_high: Fraction
) -> Relation:
    if a_low == a_high:
        if a_low in (b_low, b_high):
            return Relation.COMPATIBLE
        return Relation.INCOMPARABLE if b_low < a_low < b_high else Relation.CONFLICT
    if a_low <= b_low and b_high <= a_high:
        return Relation.COMPATIBLE if claim.approx else Relation.INCOMPARABLE
    if b_low <= a_low and a_high <= b_high:
        return Relation.INCOMPARABLE
    return Relation.CONFLICT
