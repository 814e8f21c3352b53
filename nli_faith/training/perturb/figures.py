"""Edits of one figure: a number, its unit, a date."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final

from .amounts import Amount, changed_digit, find_amounts, shifted
from .dates import changed_date, find_dates
from .lexicon import pairs
from .model import Edit

_UNIT_CHANGES: Final = pairs(
    """
    小时>分钟 分钟>小时 天>周 个月>年 公里>米 米>公里 吨>公斤 公斤>吨 元>美元 美元>元 美元>欧元
    平方公里>平方米 平方米>亩 亩>公顷 户>人 人次>户 人>户 厘米>毫米 毫米>厘米 秒>分钟 分钟>秒
    千瓦时>千瓦 公里>海里 立方米>升 年>个月 日元>美元 英镑>欧元 公顷>亩 千米>米 欧元>美元 日元>元
    港元>元
    """
)
UNIT_WORDS: Final = tuple(sorted({u for pair in _UNIT_CHANGES for u in pair} | {"%", "个百分点"}))
_UNIT_OF: Final[dict[str, list[str]]] = {}
for _old, _new in _UNIT_CHANGES:
    _UNIT_OF.setdefault(_old, []).append(_new)

_CHANGE_BEFORE: Final = re.compile(
    r"(?:增长|下降|上升|提高|降低|提升|下跌|上涨|增加|减少|回落|高出?|低)了?约?$"
)
_ISO: Final = re.compile(r"(?<!\d)((?:19|20)\d{2}[-/])(\d{1,2})([-/])(\d{1,2})(?!\d)")
# A number this near to another may be the same, rounded.
_NEAR: Final = 0.1
# Nearly all of the news is of one year and two months: others would tell.
_RARE: Final = 0.6


def number_edits(text: str, others: Sequence[Amount], rng: random.Random) -> list[Edit]:
    """Edits of one amount: a digit, the magnitude, another number of the document.

    Args:
        text: A claim.
        others: Amounts of the contexts.
        rng: Chooses the new figures.
    """
    out = []
    for amount in find_amounts(text):
        label = "unsupported" if amount.bound else "contradicted"
        new = changed_digit(amount, rng)
        if new is not None:
            out.append(_at(text, amount, amount.written(new), label, "number"))
        moved = shifted(amount, rng)
        if moved is not None:
            out.append(_at(text, amount, moved, label, "magnitude"))
        out += _swapped(text, amount, others, rng, label)
        out += _unit_edits(text, amount)
    return out


def _swapped(
    text: str, amount: Amount, others: Sequence[Amount], rng: random.Random, label: str
) -> list[Edit]:
    fit = [
        o
        for o in others
        if o.unit == amount.unit
        and abs(o.value - amount.value) > _NEAR * amount.value
        and o.digits not in text
        and (o.value - amount.value) * amount.bound >= 0
    ]
    if not fit:
        return []
    other = rng.choice(fit)
    new = amount.written(other.digits, other.scale)
    return [_at(text, amount, new, label, "number_swap")]


def _unit_edits(text: str, amount: Amount) -> list[Edit]:
    new: list[tuple[str, str]] = []
    behind = text[amount.end : amount.end + 1]
    if amount.unit in "%％":
        if _CHANGE_BEFORE.search(text[: amount.start]):
            new.append(("percent", "个百分点"))
    elif amount.unit == "个百分点":
        new.append(("percent", "%"))
    elif behind not in tuple("级币工民均员期龄间前后内来") and not amount.more:
        long = float(amount.digits.replace(",", "")) > 90
        new += [("unit", u) for u in _UNIT_OF.get(amount.unit, ()) if not (u == "周" and long)]
    return [
        _at(text, amount, amount.written(amount.digits, unit=unit), "contradicted", kind)._replace(
            lost=amount.unit, gained=unit
        )
        for kind, unit in new
    ]


def _at(text: str, amount: Amount, new: str, label: str, kind: str) -> Edit:
    return Edit(text[: amount.start] + new + text[amount.end :], label, kind)


def date_edits(text: str, rng: random.Random) -> list[Edit]:
    """Edits of one figure of a date or a time of day.

    Args:
        text: A claim.
        rng: Chooses the new figures.
    """
    out = []
    for part in find_dates(text):
        new = changed_date(part, rng)
        rare = part.field in ("month", "year") and rng.random() < _RARE
        if new is not None and not rare:
            edited = text[: part.start] + new + text[part.end :]
            out.append(Edit(edited, "contradicted", "date"))
    match = _ISO.search(text)
    if match:
        day = rng.choice([d for d in range(1, 29) if d != int(match[4])])
        new = f"{day:02d}" if match[3] == "-" else str(day)
        edited = text[: match.start(4)] + new + text[match.end(4) :]
        out.append(Edit(edited, "contradicted", "date"))
    return out
