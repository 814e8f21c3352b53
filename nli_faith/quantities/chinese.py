"""Quantities that begin with Chinese numerals, with 半 and 翻, or with English words."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from . import clock, dates
from .amounts import Amount, amount, as_temperature, unit_at
from .arabic import ArabicScanner
from .numerals import EN_ORDINALS, MAX_RUN, VULGAR, Numeral, parse_cn, parse_en
from .patterns import (
    BAD_RUN_NEXT,
    EN_FRACTION,
    EN_PARTS,
    IDIOM,
    PREV_STOP_ONE,
    SUBZERO,
)
from .reader import CN_RUN_BEFORE, Reading, read_numeral
from .special import doubling, half, parts_of, suffixed, times_range

#: Units behind which ½ is an amount (½小时) and no share.
MEASURED = frozenset(["duration", "length", "weight", "volume", "area", "money"])


class ChineseScanner(ArabicScanner):
    """Reads Chinese numerals and number words."""

    __slots__ = ()

    # -- Chinese numerals and words ---------------------------------------------------------------

    def _chinese(self, start: int, end: int) -> int:
        t = self.t
        run = t[start:end]
        if len(run) > MAX_RUN:
            return end
        prev = t[start - 1] if start else ""
        if prev == "第":
            return self._ordinal(start)
        if t.startswith("分之", end):
            special = parts_of(t, start, run, end)
            if special is not None:
                return self._emit_special(special)
            return end
        nxt = t[end : end + 1]
        single = len(run) == 1
        if single and nxt == "半" and run == "一" and t[end + 1 : end + 2] not in ("天", "径"):
            return self._emit("fraction", "1/2", start, end + 1)
        vague = self._hundreds(run, start, end, prev, nxt) if run[0] in "百千万亿" else None
        if vague is not None:
            return vague
        if (single and self._no_digit(run, prev, nxt, start)) or self._idiom(run, start, end, nxt):
            return end
        if run[0] in "百千万亿" and (
            len(run) < 2 or unit_at(t, end) is None or (prev and prev in "数几上近成")
        ):
            return end
        hit = self._cn_calendar(start, end, nxt)
        if hit is not None:
            return hit
        return self._cn_amount(start, end, run, prev)

    def _hundreds(self, run: str, start: int, end: int, prev: str, nxt: str) -> int | None:
        """百余家, 近百名, 上千人: one hundred or more, about."""
        t, near = self.t, True
        if len(run) > 2 or (len(run) == 2 and run[1] not in "万亿"):
            return None
        if nxt in "余多来" and nxt:
            if prev in CN_RUN_BEFORE or unit_at(t, end + 1) is None:
                return None
        elif prev in "超逾" and prev:
            near = False  # 逾千名: more than, not about
        elif not (
            (prev == "近" and t[start - 2 : start - 1] not in ("最", "附", "靠"))
            or (
                prev == "上"
                and t[start - 3 : start - 1] != "成百"
                and t[start - 2 : start - 1] not in ("以", "成", "马", "历")
            )
        ):
            return None
        reading = read_numeral(t, start)
        if (
            reading is None
            or reading.number.approx
            or t.startswith(("年", "分点", "度"), reading.end)
        ):
            return None
        a = amount(t, start, reading, self._shared)
        return None if a.bare else self._emit_amount(a._replace(approx=near))

    def _no_digit(self, run: str, prev: str, nxt: str, start: int) -> bool:
        """Whether a single character is part of a word: 统一, 周三, 星期五, 零下."""
        if not nxt or run in "百千万亿" or (run == "零" and nxt == "下"):
            return True
        weekly = nxt == "次" and self.t[start - 2 : start - 1] == "每"  # 每周三次
        if prev and prev in "周拜初":
            return not weekly
        if prev == "期" and self.t[start - 2 : start - 1] == "星":
            return True
        return run == "一" and prev in PREV_STOP_ONE

    def _idiom(self, run: str, start: int, end: int, nxt: str) -> bool:
        """Whether an idiom begins here; 十 with a unit of its own is a number all the same."""
        if len(run) > 1 and run[0] not in "百千万十二":
            return False
        if IDIOM.match(self.t, start) is None:
            return False
        return not (run[0] == "十" and nxt != "分" and unit_at(self.t, end) is not None)

    def _cn_calendar(self, start: int, end: int, nxt: str) -> int | None:
        t = self.t
        if nxt in "年世" and nxt:
            era = dates.era(t, start, end)
            if era is not None:
                return self._emit_date(era, start)
        if nxt in "年月日号至到—-~季 " and nxt:
            date = dates.cjk_date(t, start)
            if date is not None:
                return self._emit_date(date, start)
        if nxt in "点时" and nxt:
            point = clock.point_time(t, start, self._inherit(start))
            if point is not None:
                decimal = read_numeral(t, start)
                if (
                    decimal is not None
                    and decimal.end >= point[0].end
                    and clock.daypart(t, start) is None
                ):
                    return None
                return self._emit_clock(point[0], start)
        return None

    def _cn_amount(self, start: int, end: int, run: str, prev: str) -> int:
        t = self.t
        reading = read_numeral(t, start)
        if reading is None:
            if t[end : end + 1] == "折" and len(run) == 2:
                number = parse_cn("一")
                if number is not None:
                    special = suffixed(t, start, Reading(number, end, number.low, 1, True))
                    if special is not None:
                        return self._emit_special(special)
            return end
        special = suffixed(t, start, reading) or times_range(t, start, reading)
        if special is not None:
            return self._emit_special(special)
        a = amount(t, start, reading, self._shared)
        if a.bare and not self._cn_bare_ok(run, a, reading):
            return max(end, reading.end)
        sign, at = 1, start
        if prev in "下氏负" and prev:
            below = SUBZERO.search(t, max(0, start - 5), start + 1)
            if below is not None and below.end() == start:
                sign, at = -1, below.start()
            elif prev == "负":
                sign, at = -1, start - 1
        a = as_temperature(a, t, start, sign < 0)
        return self._emit_amount(a, sign, at if at != start else None)

    def _cn_bare_ok(self, run: str, a: Amount, reading: Reading) -> bool:
        """A bare Chinese number counts only where it is surely one: 三万二, 一万五千亿, 零点五."""
        if len(run) < 2 and reading.end - a.start < 3:
            return False
        if (
            a.low != a.high
            and reading.end - a.start == len(run)
            and not any(c in "百千万亿" for c in run)
        ):
            return False
        nxt = self.t[a.end : a.end + 1]
        if nxt in BAD_RUN_NEXT and nxt:
            return False
        return any(c in "百千万亿" for c in run) or "点" in self.t[a.start : a.end] or len(run) >= 3

    def _vulgar(self, start: int) -> int:
        """½小时, ¾的人."""
        value = VULGAR[self.t[start]]
        hit = unit_at(self.t, start + 1)
        bottom = value.denominator
        if hit is not None and hit[0].type in MEASURED and bottom in (2, 4, 5, 8):
            number = Decimal(value.numerator) / bottom
            whole = Numeral(number, number, Decimal(1) / bottom, False)
            return self._emit_amount(
                amount(self.t, start, Reading(whole, start + 1, number, 1, False), self._shared)
            )
        return self._emit("fraction", f"{value.numerator}/{bottom}", start, start + 1)

    def _word(self, m: re.Match[str], kind: str) -> int:
        t, start, end = self.t, m.start(), m.end()
        if kind == "word":
            head = t[start]
            if head == "翻":
                special = doubling(t, start)
                return self._emit_special(special) if special is not None else end
            if head == "半":
                if start and t[start - 1] in "上下前后大多过一":
                    return end
                special = half(t, start)
                return self._emit_special(special) if special is not None else end
            hit = dates.half_or_quarter(t, start)
            return self._emit_date(hit, start) if hit is not None else end
        if kind == "date":
            hit = dates.english(t, start, end)
            return self._emit_date(hit, start) if hit is not None else end
        if kind == "quarter":
            return self._emit_date(_en_quarter(m[0], end), start)
        if kind == "ord":
            return self._emit("ordinal", str(EN_ORDINALS[m[0].lower()]), start, end)
        return self._english(start, end)

    def _english(self, start: int, end: int) -> int:
        """A spelled-out English number; without a unit only where it is more than ``one``."""
        words = self.t[start:end]
        number = parse_en(words)
        if number is None:
            return start + len(words.split(" ")[0].split("-")[0])
        part = EN_FRACTION.match(self.t, end)
        if part is not None and number.low < 10:
            bottom = EN_PARTS[part[1].lower()]
            value = Fraction(int(number.low), bottom)
            text_value = f"{value.numerator}/{value.denominator}"
            return self._emit("fraction", text_value, start, part.end())
        reading = Reading(number, end, number.low, 1, True)
        special = suffixed(self.t, start, reading)
        if special is not None:
            return self._emit_special(special)
        a = amount(self.t, start, reading, self._shared)
        if a.bare and number.low <= 1:
            return end
        return self._emit_amount(a)


def _en_quarter(words: str, end: int) -> dates.DateHit:
    parts = words.lower().split()
    size = 3 if parts[1] == "quarter" else 6
    last = size * EN_ORDINALS[parts[0]]
    year = parts[-1] if parts[-1].isdigit() else "xxxx"
    if last > 12:
        return dates.DateHit("", "", None, end)
    return dates.DateHit("period", f"{year}-{last - size + 1:02d}..{year}-{last:02d}", None, end)
