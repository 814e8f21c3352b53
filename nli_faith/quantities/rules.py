"""The rules that tell an altered figure from a computed, supposed or rounded one.

The thresholds were chosen on the contrastive sets c1-c8, d1-d4 and e; d5-d8 and zh_rag_claims were
held out. ``benchmarks/quantity_check.py`` prints what they are worth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .compare import dimension, is_limit, relation
from .derive import Derivation, Pool, derive
from .fold import fold
from .frames import ClaimFrame, Frame
from .index import QuantityContext
from .model import Quantity
from .relation import Relation

#: Same words around the figure: share of the claim's bigrams found around the other figure.
COVER_NOT_DERIVABLE = 0.6
COVER_DERIVABLE = 0.7
#: And this share of the words right beside the figure.
LOCAL = 0.5
#: Likeness that outweighs the other figure's being part of a condition.
COVER_CONDITION = 0.85
#: Same digits, other scale or order: less likeness of the words is needed.
COVER_KIN = 0.3
#: This many equal characters directly before both figures, with half the near words shared.
ADJACENT = 4
#: The claim's other figures are looked for within this many characters of the altered one.
NEAR_STATEMENT = 100
#: In a context with at most this many figures there is little to compute with.
SPARSE = 3
#: Integers up to this are counts that a reader makes himself.
SMALL_COUNT = 10

_SUPPOSED = re.compile(
    "如果|假如|假设|倘若|若(?!干)|的话|按照?|推算|倒推|往前推|折算|折合|相当于|换算|应为|应是"
    "|算下来|计算"
    r"|\bif\b|\bwould\b|\bassum",
    re.IGNORECASE,
)
_COMPUTED = re.compile(
    "相差|差额|不含|不计|扣除|剔除|除去|以外|超支|超出|还差|还缺|剩余|余下|多出|高出|少了|多了|合计|总计|共计|总共|一共"
    "|加起来|相加|之和|平均|人均|间隔|相隔|距离|剩下|还剩|其余"
    r"|\btotal|\baverage|\bdifference|\bcombined|\baltogether",
    re.IGNORECASE,
)
# Durations, ages and percentages are rarely added up without saying so.
_SUM_CUE = re.compile(
    r"共|合计|合并|累计|总|均|之和|相加|加上|加起来|连同|\btotal|\btogether|\boverall|\bcombined"
    r"|\baltogether|\bsum\b|\baverage",
    re.IGNORECASE,
)
_SELDOM_SUMMED = ("clock", "duration", "share")
_REMAINDER = re.compile(
    "其余|余为|余下|剩余|剩下|补足|差额|尚余|未[^，。；]{1,6}[者的]|the rest|remaining"
)
_GAP = re.compile("(?:相差|差距|差额|差|距|尚有|还有)[^，。；]{0,3}$")
_GAP_AFTER = re.compile("的?(?:之差|差距|差额|优势)")
_COMMA = re.compile("[，；;。]|, ")
_TOLERANCE = re.compile("[±~～–—-] ?$|正负 ?$")
_RANGE_AFTER = re.compile(" ?[±~～–—-]+ ?[0-9]")
_MODIFIER = re.compile(
    "的|者|[^，。,；;]{0,6}的[人客用顾旅老孩员户企]|[^，。,；;]{0,3}以?[后前](?![一-鿿]{0,2}期)"
)
_SHIFT = re.compile("上年|去年|上季|上月|上周|前年|上一|上期|往年|last year|previous")


def _digits(q: Quantity) -> str:
    """The written significant digits: values are in other units than what was written."""
    if q.type in ("date", "period", "time"):
        return ""
    return re.sub("[^0-9]", "", fold(q.text)).strip("0")


def _kin(a: Quantity, b: Quantity) -> bool:
    """Same digits at another scale or in another order (4.17亿 / 41.7亿, 73.9% / 79.3%)."""
    x, y = _digits(a), _digits(b)
    return len(x) >= 2 and len(x) == len(y) and sorted(x) == sorted(y)


@dataclass(slots=True)
class Case:
    """One unmatched claim quantity with all that the rules look at."""

    q: Quantity
    rivals: list[tuple[Quantity, Frame]]
    derivation: Derivation | None
    supposed: bool
    computed: bool
    computed_here: bool
    may_sum: bool
    shifts: frozenset[str]
    entangled: bool
    claim_size: int
    days: tuple[Quantity, ...]
    others: tuple[Quantity, ...]

    def best(self) -> tuple[Quantity, Frame] | None:
        """The rival whose frame is most alike."""
        if not self.rivals:
            return None
        return max(
            self.rivals,
            key=lambda r: r[1].cover + r[1].local + 0.1 * r[1].adjacent + 0.3 * _kin(self.q, r[0]),
        )


def is_small_count(q: Quantity) -> bool:
    """一个, 两项, 第三: counts that a reader makes himself."""
    number = q.number
    return q.type in ("number", "ordinal") and number is not None and abs(number) <= SMALL_COUNT


def _bare_sum(case: Case, derivation: Derivation | None) -> bool:
    """Whether a derivation only adds durations, ages or percentages, and no word says so."""
    if derivation is None or derivation.kind not in ("sum", "total") or case.may_sum:
        return False
    q = case.q
    if q.unit in ("岁", "周岁"):
        return True
    return dimension(q.type, q.unit)[0].partition(":")[0] in _SELDOM_SUMMED


def _percent_for_points(case: Case, context: QuantityContext) -> Quantity | None:
    """2% where the context has 2个百分点, and no 2%."""
    if case.q.type != "percent" or case.q.mode is not None:
        return None
    same = [x for x in context.buckets.get("pp", ()) if x.value == case.q.value]
    return same[0] if same else None


def decide(case: Case, context: QuantityContext) -> tuple[str, Quantity | None, str, bool]:
    """Verdict, nearest quantity, reason and whether it caps."""
    q = case.q
    points = _percent_for_points(case, context)
    if points is not None and (points.direction or q.direction):
        return "mismatch", points, "percent for percentage points", True
    best = case.best()
    if best is not None:
        reason = _altered(case, *best, context) or _sparse(case, best[0], context)
        if reason is not None:
            return "mismatch", best[0], reason, True
    if case.derivation is not None:
        return "derived", None, case.derivation.kind, False
    if case.supposed:
        return "abstain", None, "supposed", False
    if is_small_count(q):
        return "abstain", None, "small count", False
    if case.computed:
        return "abstain", None, "computed", False
    if not context.all and q.type not in ("number", "ordinal"):
        return "missing", None, "no figures in the context", True
    if best is None:
        return "missing", None, "not stated", False
    return "mismatch", best[0], "other value", False


def _same_kind(case: Case, rival: Quantity, words: str) -> bool:
    """A level is not compared with a change, a total not with a rate or a remainder."""
    q = case.q
    if q.type not in ("percent", "pp", "times") or rival.type not in ("percent", "pp", "times"):
        if (q.direction is None) != (rival.direction is None):
            return False
    elif q.type != "times" and q.direction is None and rival.direction is not None:
        return False
    if (q.type == "fraction") != (rival.type == "fraction"):
        return False
    if q.value != rival.value and rival.op != "=" and q.op == "=" and not is_limit(rival):
        return False
    if _TOLERANCE.search(rival.left) is not None or _RANGE_AFTER.match(rival.right) is not None:
        return False
    if _GAP_AFTER.match(rival.right) is not None and _GAP_AFTER.match(q.right) is None:
        return False
    if _GAP.search(rival.left) is not None and _GAP.search(q.left) is None:
        return False
    if dimension(q.type, q.unit)[2] != dimension(rival.type, rival.unit)[2]:
        return False
    return _REMAINDER.search(words) is None


def _together(case: Case, rival: Quantity, context: QuantityContext) -> bool:
    """Whether the claim's other figures stand near the rival, as in one statement."""
    if not case.others:
        return True
    around = context.neighbours(rival, NEAR_STATEMENT)
    good = (Relation.EQUAL, Relation.COMPATIBLE)
    return all(any(relation(x, y) in good for y in around) for x in case.others)


def _follows(
    case: Case, rival: Quantity, neighbours: list[Quantity], shares: list[Quantity]
) -> bool:
    """Whether ``q`` is the rival combined with a figure beside it (87.35米，距警戒水位0.65米)."""
    q = case.q
    if q.type in ("date", "period", "time"):
        return any(x.type == "duration" for x in neighbours)
    if q.value == rival.value:
        return False
    pool = Pool([rival, *neighbours, *(shares if q.type not in ("percent", "pp") else ())])
    derivation = derive(q, pool)
    return derivation is not None and not _bare_sum(case, derivation)


def _altered(case: Case, rival: Quantity, frame: Frame, context: QuantityContext) -> str | None:
    """Why the figure looks altered, or ``None``."""
    q = case.q
    if case.supposed or case.computed_here or case.claim_size < 2:
        return None
    if (case.entangled or case.computed) and not _kin(q, rival):
        return None
    words = rival.left + rival.right
    if any(word not in words for word in case.shifts) or not _same_kind(case, rival, words):
        return None
    if not context.same_days(case.days, rival) or not _together(case, rival, context):
        return None
    if q.type in ("date", "period") and _SHIFT.search(words):
        return None
    if _follows(case, rival, context.neighbours(rival), context.shares):
        return None
    if q.value != rival.value and _kin(q, rival) and frame.cover >= COVER_KIN:
        return "same digits"
    if _MODIFIER.match(rival.right) is not None and frame.cover < COVER_CONDITION:
        return None  # 有效率低于30%的学校: a condition, not a statement
    if case.derivation is None or _bare_sum(case, case.derivation):
        if frame.cover >= COVER_NOT_DERIVABLE and frame.local >= LOCAL:
            return "same words"
        if frame.adjacent >= ADJACENT and frame.local >= 0.5:
            return "same words before"
    elif frame.cover >= COVER_DERIVABLE and frame.local >= LOCAL:
        return "same words"
    return None


def _sparse(case: Case, rival: Quantity, context: QuantityContext) -> str | None:
    """A context with hardly any figures, one of them of this kind, and another value."""
    if case.supposed or case.computed or case.shifts or case.derivation is not None:
        return None
    if case.q.type == "number" and not (case.q.unit and case.q.unit == rival.unit):
        return None
    same = {x.value for x in context.candidates(case.q) if x.type != "name"}
    if len(same) != 1 or len(context.all) > SPARSE:
        return None
    return "only figure of its kind"


def _clause(text: str, q: Quantity) -> str:
    """The part of a claim between commas in which ``q`` stands."""
    head = _COMMA.split(text[: q.start])[-1]
    return head + text[q.start : q.end] + _COMMA.split(text[q.end :], maxsplit=1)[0]


def make_case(
    q: Quantity, claim_text: str, entangled: bool, days: tuple[Quantity, ...],
    others: tuple[Quantity, ...],
    candidates: list[tuple[Quantity, Relation]], pool: Pool,
) -> Case:  # fmt: skip
    """Gather what the rules look at for one unmatched claim quantity.

    Args:
        q: The claim's quantity.
        claim_text: The claim.
        entangled: Whether another day or figure of the claim is unmatched too.
        days: The claim's days and periods.
        others: The claim's other figures that the context states.
        candidates: Comparable context quantities with their relation to ``q``.
        pool: Figures that ``q`` may be derived from.
    """
    frame = ClaimFrame(claim_text, q)
    claim_text = fold(claim_text)
    rivals = [(x, frame.against(x)) for x, r in candidates if r is Relation.CONFLICT]
    return Case(
        q,
        rivals,
        derive(q, pool),
        _SUPPOSED.search(claim_text) is not None or _MODIFIER.match(q.right) is not None,
        _COMPUTED.search(claim_text) is not None,
        _COMPUTED.search(_clause(claim_text, q)) is not None,
        _SUM_CUE.search(claim_text) is not None
        or (q.type == "percent" and bool(pool.values.get("pp"))),  # 11%，比上年低5个百分点
        frozenset(_SHIFT.findall(claim_text)),
        entangled,
        frame.size,
        days,
        others,
    )
