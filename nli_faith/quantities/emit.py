"""State of one scan and the making of quantities."""

from __future__ import annotations

from decimal import Decimal

from . import dates
from .amounts import Amount
from .context import after, before, change
from .model import Quantity
from .patterns import (
    NAME_TAIL,
)
from .reader import MAX_DIGITS
from .special import Special, fmt, percent_mode


class Emitter:
    """State of one pass: the folded text, the findings, and what a later atom inherits."""

    __slots__ = ("_daypart", "_daypart_end", "_shared", "month_first", "names", "out", "src", "t")

    def __init__(self, src: str, folded: str, month_first: bool, names: bool) -> None:
        self.names = names
        self.src = src
        self.t = folded
        self.month_first = month_first
        self.out: list[Quantity] = []
        self._daypart: str | None = None
        self._daypart_end = -9
        self._shared: list[tuple[str, str] | None] = []

    # -- emitting -------------------------------------------------------------------------------

    def _emit(
        self, kind: str, value: str, start: int, end: int, *, unit: str = "", approx: bool = False,
        mode: str | None = None, step: Decimal = Decimal(0), around: bool = True,
    ) -> int:  # fmt: skip
        op, basis, direction = "=", None, None
        if self.out and start < self.out[-1].end:
            start = self.out[-1].end  # a sign or currency that the quantity before has taken
        if around:
            op, near = before(self.t, start, kind)
            op2, near2 = after(self.t, end, unit)
            approx = approx or near or near2
            op = op if op != "=" else op2
            if kind != "ordinal":
                basis, direction = change(self.t, start)
        self.out.append(
            Quantity(kind, value, unit, op, approx, start, end, self.src[start:end], mode, basis,
                     direction, step, self.t[max(0, start - 24) : start], self.t[end : end + 14])
        )  # fmt: skip
        return end

    def _emit_special(self, s: Special) -> int:
        return self._emit(s.type, s.value, s.start, s.end, unit=s.unit, approx=s.approx,
                          mode=s.mode, step=s.step)  # fmt: skip

    def _emit_amount(self, a: Amount, sign: int = 1, start: int | None = None) -> int:
        low, high = a.low, a.high
        if sign < 0:  # the sign of a range is that of its first end: -20~-10℃, -20~40℃
            low, high = -a.low, a.high if a.high != a.low else -a.low
        if low > high:
            low, high = high, low
        mode = percent_mode(self.t, a.start) if a.type == "percent" else None
        return self._emit(a.type, fmt(low, high), a.start if start is None else start, a.end,
                          unit=a.unit, approx=a.approx, step=a.step, mode=mode)  # fmt: skip

    def _emit_date(self, hit: dates.DateHit, start: int) -> int:
        if hit.type:
            self._emit(hit.type, hit.value, start, hit.end, mode=hit.mode, around=False)
        return hit.end

    def _skip_name(self, end: int, start: int = -1) -> int:
        if self.names and start >= 0 and end - start <= MAX_DIGITS:
            token = self.t[start:end].replace(",", "")
            if token.count(".") <= 1 and token.replace(".", "").isdigit():
                self._emit("name", fmt(Decimal(token), Decimal(token)), start, end, around=False)
        m = NAME_TAIL.match(self.t, end)
        return m.end() if m is not None else end
