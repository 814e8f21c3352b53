"""The quantity that the parser yields and the comparison works on."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

#: Types whose value is calendar text ("2023-01-05", "2023-07..2023-09", "xxxx-03-15", "17:30").
CALENDAR_TYPES = frozenset({"date", "period", "time"})


@lru_cache(maxsize=8192)
def _bounds(value: str) -> tuple[Fraction, Fraction] | None:
    """Lower and upper bound of a numeric value string; ``None`` for calendar text."""
    low, sep, high = value.partition("..")
    try:
        a = Fraction(low)
        return a, (Fraction(high) if sep else a)
    except (ValueError, ZeroDivisionError):
        return None


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity in a text.

    Attributes:
        type: ``date``, ``period``, ``time``, ``percent``, ``pp`` (percentage points),
            ``times``, ``fraction``, ``temperature``, ``speed``, ``length``, ``area``,
            ``volume``, ``weight``, ``data``, ``power``, ``energy``, ``measure`` (other physical
            units), ``money``, ``duration``, ``ordinal`` or ``number``.
        value: Canonical text: a decimal string, ``lo..hi``, ``1/3``, an ISO date or month range
            (unknown parts are ``x``), or ``HH:MM``.
        unit: Canonical unit (``CNY``, ``CNY/平方米``, ``m``, ``MB``, ``C``, ``month``); for numbers
            the classifier as written; empty if there is none.
        op: ``=``, ``>``, ``>=``, ``<`` or ``<=``.
        approx: True where the text says so (约, 近, 左右, 余, 多, 几, about, 二三百).
        start: Offset of the first code point in the input.
        end: Offset behind the last code point.
        text: ``input[start:end]``.
        mode: ``to`` for times (N times the base); ``pay`` for 八折, ``off`` for 优惠20%;
            ``half`` for a clock time whose half of the day is said (下午3点, 21:00);
            ``begin``, ``mid`` or ``end`` for a part of a period (年初, 月底).
        basis: ``yoy`` (同比) or ``mom`` (环比) where it stands near.
        direction: ``up`` or ``down`` where a verb of change stands before the quantity.
        step: Worth of one unit of the last written digit, in ``unit`` (0 where not numeric).
        left: Up to 24 code points before the quantity, folded (full-width and Traditional forms
            mapped); what the comparison of frames in the check reads.
        right: Up to 14 code points behind it, folded.
    """

    type: str
    value: str
    unit: str = ""
    op: str = "="
    approx: bool = False
    start: int = 0
    end: int = 0
    text: str = ""
    mode: str | None = None
    basis: str | None = None
    direction: str | None = None
    step: Decimal = Decimal(0)
    left: str = ""
    right: str = ""

    @property
    def bounds(self) -> tuple[Fraction, Fraction] | None:
        """Exact lower and upper bound, or ``None`` for dates, periods and times."""
        return None if self.type in CALENDAR_TYPES else _bounds(self.value)

    @property
    def number(self) -> Fraction | None:
        """The exact value, or ``None`` for a range and for calendar types."""
        bounds = self.bounds
        return bounds[0] if bounds is not None and bounds[0] == bounds[1] else None

    @property
    def decimal(self) -> Decimal | None:
        """The value as a Decimal where it is a single finite decimal, else ``None``."""
        if self.type in CALENDAR_TYPES or ".." in self.value or "/" in self.value:
            return None
        return Decimal(self.value)

    @property
    def is_range(self) -> bool:
        """Whether the value is ``lo..hi``."""
        return ".." in self.value

    def to_dict(self) -> dict[str, Any]:
        """The seven public keys, always all present."""
        return {
            "type": self.type,
            "value": self.value,
            "unit": self.unit,
            "op": self.op,
            "approx": self.approx,
            "start": self.start,
            "end": self.end,
        }
