"""Quantities that begin with ASCII digits."""

from __future__ import annotations

import re
from fractions import Fraction

from . import clock, dates
from .amounts import Amount, amount, as_temperature, currency_before
from .emit import Emitter
from .fold import FILLER
from .model import CALENDAR_TYPES
from .patterns import (
    CHAIN,
    DATE_NEXT,
    EN_ORD,
    FRACTION_BEFORE,
    NAME_BEFORE,
    NEG_BEFORE,
    PLAIN_WORDS,
    SLASH_FRACTION,
    SUBZERO,
    TIME_RANGE,
    YEAR_MAKER,
)
from .reader import MAX_DIGITS, Reading, read_numeral
from .special import fmt, ordinal, parts_of, suffixed, times_range


class ArabicScanner(Emitter):
    """Reads Arabic numerals."""

    __slots__ = ()

    # -- Arabic digits --------------------------------------------------------------------------

    def _arabic(self, start: int, end: int) -> int:
        t = self.t
        prev = t[start - 1] if start else ""
        money = None
        if prev:
            money = currency_before(t, start)
            if money is None and (
                prev == FILLER or prev == "_" or (prev.isascii() and prev.isalpha())
            ):
                return self._skip_name(end, start)
            if (
                prev == "-"
                and self._daypart_end != start - 1  # 9:00-10:00
                and t[start - 2 : start - 1].isascii()
                and t[start - 2 : start - 1].isalnum()
            ):
                return self._skip_name(end, start)
            if prev in "#№./\\×*∶+" and (prev in "#№" or t[start - 2 : start - 1].isalnum()):
                return self._skip_name(end, start)
        nxt = t[end : end + 1]
        if end - start > MAX_DIGITS + 8:
            return end
        if money is None:
            hit = self._calendar(start, end, nxt)
            if hit is not None:
                return hit
            fraction = SLASH_FRACTION.match(t, start) if nxt == "/" else None
            if fraction is not None and (
                prev in FRACTION_BEFORE or t.startswith(("的", "以"), fraction.end())
            ):
                return self._slash_fraction(fraction)
        if t.count(".", start, end) > 1 or t.startswith("00", start):
            return self._skip_name(end, start)  # a version, an address, the tail of an id
        if nxt == "-" and money is None:
            chain = CHAIN.match(t, end)
            if chain is not None:
                return self._skip_name(chain.end())
        if prev == "第" or (prev in (" ", "　") and t[start - 2 : start - 1] == "第"):
            return self._ordinal(start)
        if t.startswith("分之", end) or t.startswith(" 分之", end):
            special = parts_of(t, start, t[start:end], end)
            if special is not None:
                return self._emit_special(special)
        reading = read_numeral(t, start)
        if reading is None:
            return end
        if self._glued(start, end):
            return end
        return self._number(start, reading, prev, money is not None)

    def _slash_fraction(self, m: re.Match[str]) -> int:
        value = Fraction(int(m[1]), int(m[2]))
        if value >= 1:
            return m.end()
        text = f"{value.numerator}/{value.denominator}"
        return self._emit("fraction", text, m.start(), m.end())

    def _glued(self, start: int, end: int) -> bool:
        """A section number stuck to the unit before it: 3541.07万元2.3本项目."""
        return bool(
            self.out
            and self.out[-1].end == start
            and "." in self.t[start:end]
            and self.out[-1].type not in CALENDAR_TYPES
        )

    def _calendar(self, start: int, end: int, nxt: str) -> int | None:
        """Dates and times that begin with an Arabic number."""
        t = self.t
        if nxt in "年世" and nxt:
            era = dates.era(t, start, end)
            if era is not None:
                return self._emit_date(era, start)
        if nxt in ":：" and nxt:
            clock_hit = clock.colon_time(t, start, self._inherit(start))
            if clock_hit is not None:
                return self._emit_clock(clock_hit, start)
        if "." in t[start:end] or (nxt in "-/" and nxt):
            date = dates.numeric_date(t, start, self.month_first)
            if date is not None:
                return self._emit_date(date, start)
        if nxt == "号" and start and t[start - 1] in "〕】]〉》":
            return end + 1  # 〔2023〕15号: the number of a document
        if nxt in DATE_NEXT and nxt and end - start <= 4:
            date = dates.cjk_date(t, start) or (
                dates.numeric_date(t, start) if nxt in "—–~至到" else None
            )
            if date is not None:
                return self._emit_date(date, start)
            if nxt == " ":
                date = dates.english_day_first(t, start)
                if date is not None:
                    return self._emit_date(date, start)
        if nxt == "s" and end - start == 4 and t[start : start + 2] in ("18", "19", "20"):
            decade = t[start : start + 3]
            hit = dates.DateHit("period", f"{decade}0-01..{decade}9-12", None, end + 1)
            return self._emit_date(hit, start)
        if nxt == "s" or nxt == "n" or nxt == "r" or nxt == "t":
            date = dates.english_day_first(t, start)
            if date is not None:
                return self._emit_date(date, start)
        if end - start <= 2:
            if nxt in "点时 " and nxt:
                point = clock.point_time(t, start, self._inherit(start))
                if point is not None:
                    return self._emit_clock(point[0], start)
            if nxt in " apAP" and nxt:
                clock_hit = clock.ampm_time(t, start)
                if clock_hit is not None:
                    return self._emit_clock(clock_hit, start)
        return None

    def _inherit(self, start: int) -> str | None:
        gap = self.t[self._daypart_end : start] if self._daypart_end >= 0 else ""
        return self._daypart if gap.strip() in TIME_RANGE and len(gap) <= 3 else None

    def _emit_clock(self, hit: clock.ClockHit, start: int) -> int:
        self._daypart = clock.daypart(self.t, start) or self._inherit(start)
        self._daypart_end = hit.end
        if hit.value:
            mode = "half" if self._half_said(hit, start) else None
            self._emit("time", hit.value, start, hit.end, mode=mode, around=False)
        return hit.end

    def _half_said(self, hit: clock.ClockHit, start: int) -> bool:
        """Whether the half of the day is certain: 下午3点, 15点, 9:00, 9 p.m.; not a bare 9点."""
        if clock.daypart(self.t, start) is not None or not 1 <= int(hit.value[:2]) <= 12:
            return True
        if self._daypart is not None:  # 上午9点至5点 may well end in the afternoon
            return False
        return any(c in ":：.mM" for c in self.t[start : hit.end])

    def _ordinal(self, start: int) -> int:
        reading = read_numeral(self.t, start)
        at = start - 1 if self.t[start - 1] == "第" else start - 2
        if reading is None:
            return start + 1
        quarter = dates.half_or_quarter(self.t, at)
        if quarter is not None:
            return self._emit_date(quarter, at)
        special = ordinal(self.t, at, reading)
        return self._emit_special(special) if special is not None else reading.end

    def _number(self, start: int, reading: Reading, prev: str, money: bool) -> int:
        t = self.t
        special = None if money else (suffixed(t, start, reading) or times_range(t, start, reading))
        if special is not None:
            return self._emit_special(special)
        suffix = EN_ORD.match(t, reading.end)
        if suffix is not None and reading.scale == 1:
            self._emit("ordinal", fmt(reading.number.low, reading.number.low), start, suffix.end())
            return suffix.end()
        a = amount(t, start, reading, self._shared)
        sign, at = 1, a.start
        if (
            prev in "-负"
            and prev
            and (
                (prev == "负" and t[start - 2 : start - 1] != "正")
                or NEG_BEFORE.search(t, max(0, start - 2), start)
            )
        ):
            sign, at = -1, start - 1
        elif prev in "下氏 " and prev:
            below = SUBZERO.search(t, max(0, start - 5), start + 1)
            if below is not None and below.end() == start:
                sign, at = -1, below.start()
        a = as_temperature(a, t, start, sign < 0)
        if a.bare and not self._bare_ok(a, start):
            return self._skip_name(a.end, start)
        if a.bare and sign > 0 and self._year_like(a, start):
            year = int(a.low)
            value = f"{year:04d}-01..{year:04d}-12"
            return self._emit("period", value, start, a.end, around=False)
        return self._emit_amount(a, sign, at)

    def _bare_ok(self, a: Amount, start: int) -> bool:
        """Whether a number without a unit is a quantity and not part of a name or an id."""
        t, end = self.t, a.end
        token = t[start:end]
        nxt = t[end : end + 1]
        if (nxt.isascii() and (nxt.isalpha() or nxt == "_")) or nxt == FILLER:
            return False
        if len(token) > 1 and token[0] == "0" and token[1] != ".":
            return False
        digits = sum(c.isdigit() for c in token)
        if digits >= 9 and "," not in token:
            return False
        if digits == 6 and t[start - 1 : start] in ("(", "（") and nxt in (")", "）", "."):
            return False
        follow = t[end + 1 : end + 2]
        if nxt and nxt in "-–/×*∶" and follow.isascii() and follow.isalnum():
            return a.low != a.high
        if nxt == "号" or (nxt == "比" and t[end + 1 : end + 2].isdigit()):
            return False
        if digits >= 4 and t[max(0, start - 2) : start].rstrip("：: ").endswith(
            ("号", "码", "ID", "编")
        ):
            return False
        if t[start - 1 : start] == "比" and start > 1 and t[start - 2].isdigit():
            return False
        window = t[max(0, start - 27) : start]
        m = NAME_BEFORE.search(window) if window[-1:] == " " else None
        if m is not None and m[1].lower() not in PLAIN_WORDS:
            word = m[1]
            if word[0].isupper() or not word.islower() or any(c.isdigit() for c in word):
                return False
        return True

    def _year_like(self, a: Amount, start: int) -> bool:
        token = self.t[start : a.end]
        if len(token) != 4 or not token.isdigit() or not "1900" <= token <= "2099":
            return False
        if self.t[max(0, start - 3) : start].rstrip("：: ").endswith(("年份", "年度")):
            return True
        return self.t[start - 1 : start] not in YEAR_MAKER or start == 0
