"""Are the reference's numbers in the answer? Equal, and equal within a tolerance, reported apart.

A number is a quantity as `nli_faith.quantities` reads it, so 1.2万 is 12000, 24个月 is 两年 and
80% is 百分之八十, and units and types must go together. Counts that a text makes in passing (一个
窗口, 第三条: up to ten, of things without a physical unit) are looked for only if the reference has
nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError
from nli_faith.metrics.base import MetricStatus, MetricValue, nothing
from nli_faith.metrics.correctness import REFUSED
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.support import absent
from nli_faith.quantities import Quantity, Relation, parse_quantities, relation
from nli_faith.quantities.compare import dimension
from nli_faith.quantities.model import CALENDAR_TYPES
from nli_faith.quantities.rules import is_small_count

DEFAULT_TOLERANCE: Final = 0.05
_EXACT: Final = Fraction(0)
Key = tuple[str | None, ...]
#: So many numbers a side are compared one by one, once equal ones are paired: work is bounded.
MOST_COMPARED: Final = 150


@dataclass(frozen=True, slots=True)
class NumberPair:
    """A number of the reference and what the answer has for it.

    Attributes:
        reference: The reference's quantity.
        answer: The answer's quantity; None where there is none within the tolerance.
        error: Relative difference, 0 for an exact match; None without a match.
    """

    reference: Quantity
    answer: Quantity | None
    error: float | None

    @property
    def exact(self) -> bool:
        """Whether the values are equal."""
        return self.error == 0.0

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        found = self.answer
        return {
            "reference": self.reference.text,
            "value": self.reference.value,
            "unit": self.reference.unit,
            "answer": found.text if found is not None else None,
            "match": "missing" if found is None else "exact" if self.exact else "within",
            "error": round(self.error, 6) if self.error is not None else None,
        }


def match_numbers(
    reference: Sequence[Quantity], answer: Sequence[Quantity], tolerance: float
) -> list[NumberPair]:
    """Pair each distinct number of the reference with one of the answer.

    One to one, equal values first, then the smallest relative difference. Dates, periods and times
    match by equality alone, and so does anything that the comparison of quantities calls a
    conflict of direction (增长 and 下降) or of basis (同比 and 环比).

    Args:
        reference: Quantities of the reference. Of those that the answer does not write alike, the
            first 150 are compared; so for the answer.
        answer: Quantities of the answer.
        tolerance: Largest relative difference, ``|a - r| / |r|``; 0 for exact matches only.
    """
    wanted, offered = _distinct(reference), _distinct(answer)
    # What is written alike is paired first: a long table copied right costs no comparisons.
    chosen: dict[Key, tuple[Quantity, Fraction]] = {
        key: (offered.pop(key), _EXACT) for key in wanted if key in offered
    }
    left = [key for key in wanted if key not in chosen][:MOST_COMPARED]
    limit = Fraction(str(tolerance))
    candidates = []
    for i, key in enumerate(left):
        for j, a in enumerate(list(offered.values())[:MOST_COMPARED]):
            error = relative_error(wanted[key], a)
            if error is not None and error <= limit:
                candidates.append((error, i, j))
    rest, taken = list(offered.values()), set[int]()
    for error, i, j in sorted(candidates):
        if left[i] not in chosen and j not in taken:
            chosen[left[i]] = (rest[j], error)
            taken.add(j)
    return [
        NumberPair(r, chosen[key][0], float(chosen[key][1]))
        if key in chosen
        else NumberPair(r, None, None)
        for key, r in wanted.items()
    ]


def relative_error(reference: Quantity, answer: Quantity) -> Fraction | None:
    """Relative difference of two quantities, ``|a - r| / |r|``, 0 where they say the same.

    Args:
        reference: The quantity that is right.
        answer: The one to compare.

    Returns:
        None where they are not comparable: other units or kinds, dates that differ, opposite
        directions, or a reference of 0 with another value.
    """
    found = relation(answer, reference)
    if found is Relation.EQUAL:
        return _EXACT
    if found is Relation.INCOMPARABLE or reference.type in CALENDAR_TYPES:
        return None
    if _opposed(reference, answer):
        return None
    pair = _same_unit(reference, answer)
    if pair is None:
        return None
    errors = [_relative(r, a) for r, a in zip(*pair, strict=True)]
    if any(e is None for e in errors):
        return None
    worst = max(e for e in errors if e is not None)
    if worst == 0 and _strict(reference) != _strict(answer):
        # 超过40万 beside 40万: near, never exact. 不超过500元 beside 500元 is but wording.
        return Fraction(1, 10**9)
    return worst


def _strict(q: Quantity) -> bool:
    return q.op in ("<", ">")


def _opposed(a: Quantity, b: Quantity) -> bool:
    if a.direction and b.direction and a.direction != b.direction:
        return True
    if a.basis and b.basis and a.basis != b.basis:
        return True
    if "=" not in (a.op, b.op) and a.op[0] != b.op[0]:
        return True  # 至少3天 beside 至多3天
    return a.mode != b.mode and "pay" in (a.mode, b.mode)  # 八折 beside 优惠80%


def _same_unit(
    r: Quantity, a: Quantity
) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]] | None:
    """Lower and upper bounds of both in one unit; None where the units differ."""
    r_bounds, a_bounds = r.bounds, a.bounds
    if r_bounds is None or a_bounds is None:
        return None
    r_kind, r_factor, _ = dimension(r.type, r.unit)
    a_kind, a_factor, _ = dimension(a.type, a.unit)
    if r_kind != a_kind:
        return None
    ratio = a_factor / r_factor
    return r_bounds, (a_bounds[0] * ratio, a_bounds[1] * ratio)


def _relative(r: Fraction, a: Fraction) -> Fraction | None:
    if r == a:
        return _EXACT
    return abs(a - r) / abs(r) if r else None


def _distinct(quantities: Sequence[Quantity]) -> dict[Key, Quantity]:
    seen: dict[Key, Quantity] = {}
    for q in quantities:
        seen.setdefault((q.type, q.value, q.unit, q.op, q.direction, q.basis, q.mode), q)
    return seen


class NumericAccuracy:
    """Share of the reference's numbers that the answer has, within a relative tolerance.

    ``matched / distinct numbers of the reference``; range [0, 1], higher is better. Exact matches
    count as well; ``details`` has both shares (``exact`` and ``within``) and every pair. Whether
    the right number stands at the right thing is not asked here but by ``answer_correctness``.

    The tolerance of 5% is that of the published "relaxed accuracy" for chart questions (Methani et
    al. 2020, PlotQA; Masry et al. 2022, ChartQA); dates must be equal. An answer that declines
    has 0 with status ``refusal``. NaN without answer or reference, or where the reference has no
    number.
    """

    name: ClassVar[str] = "numeric_accuracy"
    required: ClassVar[tuple[str, ...]] = ("answer", "reference")
    higher_is_better: ClassVar[bool] = True

    def __init__(self, *, tolerance: float = DEFAULT_TOLERANCE) -> None:
        """Choose the tolerance.

        Args:
            tolerance: Largest relative difference, in [0, 1).

        Raises:
            ConfigError: It is out of range.
        """
        number = isinstance(tolerance, (int, float)) and not isinstance(tolerance, bool)
        if not number or not 0.0 <= tolerance < 1.0:
            raise ConfigError(f"{self.name}: tolerance must be in [0, 1), not {tolerance!r}")
        self.tolerance = float(tolerance)

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record; the engine tells refusals only.

        Args:
            record: Needs ``answer`` and ``reference``.
            engine: Tells refusals.
        """
        lacking = absent(record, self.required)
        if lacking is not None:
            return lacking
        assert record.reference is not None
        wanted = numbers_of(record.reference)
        if not wanted:
            return nothing("the reference has no number")
        if engine.is_refusal(record.answer):
            return MetricValue(0.0, MetricStatus.REFUSAL, REFUSED, {"numbers": len(wanted)})
        offered = [q for q in parse_quantities(record.answer) if q.type != "ordinal"]
        pairs = match_numbers(wanted, offered, self.tolerance)
        used = {(p.answer.start, p.answer.end) for p in pairs if p.answer is not None}
        exact = sum(p.exact for p in pairs) / len(pairs)
        within = sum(p.answer is not None for p in pairs) / len(pairs)
        details = {
            "numbers": len(pairs),
            "tolerance": self.tolerance,
            "exact": round(exact, 6),
            "within": round(within, 6),
            "pairs": [p.to_dict() for p in pairs],
            "extra": [q.text for q in _distinct(offered).values() if (q.start, q.end) not in used],
        }
        return MetricValue(self._value(exact, within), details=details)

    def _value(self, exact: float, within: float) -> float:
        return within


class NumericExact(NumericAccuracy):
    """Share of the reference's numbers that the answer has exactly.

    As `NumericAccuracy`, but only equal values count: the one to hang a veto on. Range [0, 1],
    higher is better.
    """

    name: ClassVar[str] = "numeric_exact"

    def _value(self, exact: float, within: float) -> float:
        return exact


def numbers_of(text: str) -> list[Quantity]:
    """The quantities of a text that an answer must get right.

    Args:
        text: A reference.

    Returns:
        All but counts made in passing; those too, if they count something, where there is nothing
        else.
    """
    found = [q for q in parse_quantities(text) if q.type != "ordinal"]
    telling = [q for q in found if not is_small_count(q)]
    # 共三个部门 is what was asked for; a bare 1, 2, 3 numbers the steps of a list.
    return telling or [q for q in found if q.unit or len(found) == 1]
