"""Numbers with units in a claim: finding them, writing them otherwise, changing them."""

from __future__ import annotations

import random
import re
from typing import Final, NamedTuple

_UNITS: Final = (
    "个百分点|百分点|平方公里|平方千米|平方米|立方米|千瓦时|人民币|美元|欧元|日元|港元|英镑|卢布|公里|千米|厘米|毫米|公顷|公斤|"
    "千克|毫升|小时|分钟|个月|个小时|人次|车次|架次|千瓦|兆瓦|万股|元|人|名|户|家|个|件|台|辆|艘|架|套|项|次|年|岁|秒|天|"
    "米|亩|吨|克|度|级|升|倍|场|支|座|条|所|处|位|种|篇|票|只|股|手|列|张|份|枚|棵|头|部|款|周|期|层|间|对|起|例|宗|批|瓶|袋|桶"
)
AMOUNT: Final = re.compile(
    r"(?<![\dA-Za-z.\-－—~～/第零一二三四五六七八九十])"
    r"(?P<number>\d{1,3}(?:,\d{3})+|\d+)(?P<fraction>\.\d+)?"
    r"(?P<scale>万亿|千亿|百亿|千万|百万|亿|万)?(?P<more>[余多])?"
    r"(?P<unit>%|％|" + _UNITS + r")(?![号届\d])"
)
_DATE_BEHIND: Final = re.compile(
    r"^(?:年(?:\d|[初末底中前后内度]|上半|下半|[，、以至到的])|[月日时号])"
)
_SCALES: Final = {
    "": 1, "万": 10**4, "百万": 10**6, "千万": 10**7, "亿": 10**8, "百亿": 10**10,
    "千亿": 10**11, "万亿": 10**12,
}  # fmt: skip
_AT_LEAST_BEFORE: Final = re.compile(
    r"(?:超过|逾|超|至少|不低于|不少于|最少|突破|多达|大于|高于|多于|达到?|首破|破)了?$"
)
_AT_LEAST_BEHIND: Final = re.compile(r"^(?:以上|余|多|起|之多)")
_AT_MOST_BEFORE: Final = re.compile(
    r"(?:不足|不到|不超过|至多|最多|低于|少于|小于|近|将近|接近|仅|只有|不满|未满|跌破)$"
)
_AT_MOST_BEHIND: Final = re.compile(r"^(?:以下|以内|之内|左右内)")
_BENFORD: Final = (30.1, 17.6, 12.5, 9.7, 7.9, 6.7, 5.8, 5.1, 4.6)
_DIGITS: Final = "零一二三四五六七八九"


class Amount(NamedTuple):
    """A number with its unit.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends, behind the unit.
        digits: The number as written.
        scale: 万, 亿 or nothing.
        more: 余, 多 or nothing.
        unit: Its unit.
        bound: 1 where the text gives a lower bound, -1 for an upper one, else 0.
    """

    start: int
    end: int
    digits: str
    scale: str
    more: str
    unit: str
    bound: int

    @property
    def value(self) -> float:
        """The number, scale included."""
        return float(self.digits.replace(",", "")) * _SCALES[self.scale]

    def written(self, digits: str, scale: str | None = None, unit: str | None = None) -> str:
        """The amount with other digits, another scale or another unit."""
        scale = self.scale if scale is None else scale
        return digits + scale + self.more + (self.unit if unit is None else unit)


def find_amounts(text: str) -> list[Amount]:
    """All amounts of a text, in order; years of dates are none.

    Args:
        text: A claim or sentence.
    """
    out = []
    for match in AMOUNT.finditer(text):
        digits = match["number"] + (match["fraction"] or "")
        if match["unit"] == "年" and (len(digits) == 4 or digits.startswith("0")):
            continue
        if text[match.start("unit") :].startswith(("个月内外", "级市", "级以", "条红线", "位一体")):
            continue
        scale, more, unit = match["scale"] or "", match["more"] or "", match["unit"]
        bound = _bound(text, match.start(), match.end())
        out.append(Amount(match.start(), match.end(), digits, scale, more, unit, bound))
    return out


def _bound(text: str, start: int, end: int) -> int:
    before, behind = text[max(0, start - 4) : start], text[end : end + 3]
    if _AT_MOST_BEFORE.search(before) or _AT_MOST_BEHIND.match(behind):
        return -1
    more = AMOUNT.match(text, start)
    if _AT_LEAST_BEFORE.search(before) or _AT_LEAST_BEHIND.match(behind):
        return 1
    return 1 if more and more["more"] else 0


def spoken(value: int) -> str:
    """A number below 100,000,000 in Chinese numerals (12000 is 一万二千)."""
    if value >= 10**4:
        high, low = divmod(value, 10**4)
        joint = "零" if 0 < low < 1000 else ""
        return spoken(high) + "万" + joint + (spoken(low) if low else "")
    out, zero = "", False
    for power, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // power % 10
        if digit:
            out += ("零" if zero and out else "") + _DIGITS[digit] + name
        zero = not digit
    out = out or "零"
    return out[1:] if out.startswith("一十") else out


def _plain(value: float) -> str:
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return text or "0"


def reformatted(amount: Amount, rng: random.Random) -> str | None:
    """The same amount in another notation, or None where none is sure to be equal.

    Args:
        amount: An amount of a claim.
        rng: Chooses among the notations.
    """
    digits = amount.digits.replace(",", "")
    options: list[str] = []
    if amount.unit in "%％":
        options.append("百分之" + _spoken_decimal(digits))
    elif "." not in digits and not amount.scale:
        options += _for_integers(amount, int(digits))
    elif amount.scale == "万":
        options += _from_ten_thousands(amount, digits)
    elif amount.scale == "亿" and "." not in digits and int(digits) < 100 and not amount.more:
        options.append(amount.written(str(int(digits) * 10**4), "万"))
        options.append(amount.written(spoken(int(digits))))
    elif amount.scale == "亿" and len(digits.partition(".")[2]) <= 4 and not amount.more:
        options.append(amount.written(_plain(float(digits) * 10**4), "万"))
    return rng.choice(options) if options else None


def _for_integers(amount: Amount, value: int) -> list[str]:
    out = []
    if amount.more:
        return []
    if "," in amount.digits:
        out.append(amount.written(str(value)))
    elif value >= 10**4:
        out.append(amount.written(f"{value:,}"))
    if value >= 10**4 and value % 100 == 0:
        out.append(amount.written(_plain(value / 10**4), "万"))
    if value >= 10**4 and value % 1000 == 0 and value < 10**7:
        out.append(amount.written(spoken(value)))
    if 0 < value < 100 and amount.unit not in ("度", "级", "手", "股", "票"):
        out.append(amount.written("两" if value == 2 and amount.unit != "岁" else spoken(value)))
    if value == 60 and amount.unit == "分钟":
        out.append("1小时")
    if amount.unit in ("公里", "千米"):
        out.append(f"{amount.digits}{'千米' if amount.unit == '公里' else '公里'}")
    if amount.unit in ("公斤", "千克"):
        out.append(f"{amount.digits}{'千克' if amount.unit == '公斤' else '公斤'}")
    return out


def _from_ten_thousands(amount: Amount, digits: str) -> list[str]:
    if amount.more:
        return []
    value = float(digits) * 10**4
    if abs(value - round(value)) > 1e-6:
        return []
    out = [amount.written(f"{round(value)}", "")]
    if value >= 10**7 and value % 10**6 == 0:
        out.append(amount.written(_plain(value / 10**8), "亿"))
    if value < 10**8 and value % 10**4 == 0 and value < 10**6:
        out.append(amount.written(spoken(round(value / 10**4)) + "万", ""))
    return out


def _spoken_decimal(digits: str) -> str:
    whole, _, fraction = digits.partition(".")
    text = spoken(int(whole))
    return text + ("点" + "".join(_DIGITS[int(d)] for d in fraction) if fraction else "")


def _leading(rng: random.Random, old: str) -> str:
    while True:
        new = rng.choices("123456789", _BENFORD)[0]
        if new != old:
            return new


def changed_digit(amount: Amount, rng: random.Random) -> str | None:
    """The digits of an amount with one of them changed, in the direction that its bound allows.

    Args:
        amount: An amount of a claim.
        rng: Chooses the digit and its new value.
    """
    for _ in range(12):
        new = _one_digit(amount.digits, rng)
        value, old = float(new.replace(",", "")), float(amount.digits.replace(",", ""))
        if new == amount.digits or value == 0 or value == old:
            continue
        if amount.unit in "%％" and old <= 100 < value:
            continue
        if (value - old) * amount.bound < 0 or (amount.bound and abs(value - old) < 0.1 * old):
            continue
        if amount.unit in ("度", "级", "岁") and abs(value - old) > 30:
            continue
        return new
    return None


def _one_digit(digits: str, rng: random.Random) -> str:
    places = [i for i, c in enumerate(digits) if c.isdigit()]
    body = [i for i in places if digits[i] != "0" or "." in digits]
    i = rng.choice(body or places)
    if len(places) == 1:
        new = str(max(1, int(digits[i]) + rng.choice((-2, -1, 1, 2))))
    elif i == places[0] and digits[i] != "0":
        new = _leading(rng, digits[i])
    else:
        new = rng.choice([d for d in "0123456789" if d != digits[i]])
    out = digits[:i] + new + digits[i + 1 :]
    return out if "." not in out or not out.endswith("0") or digits.endswith("0") else digits


def shifted(amount: Amount, rng: random.Random) -> str | None:
    """The amount in another order of magnitude, written in full, or None.

    Args:
        amount: An amount of a claim.
        rng: Chooses the direction.
    """
    up = rng.random() < 0.3 if not amount.bound else amount.bound > 0
    if amount.scale in ("万", "亿") and rng.random() < 0.6:
        scale = "亿" if amount.scale == "万" else "万"
        if (scale == "亿") == up or not amount.bound:
            return amount.written(amount.digits, scale)
    digits = amount.digits.replace(",", "")
    if "." in digits or amount.unit in "%％度级岁个百分点" or len(digits) > 6:
        return None
    if up:
        return amount.written(digits + "0") if rng.random() < 0.5 else None
    return amount.written(digits[:-1]) if digits.endswith("0") and len(digits) > 1 else None
