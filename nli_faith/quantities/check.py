"""The check of a claim's quantities against its evidence and the rest of the context.

What caps, and why so little does: on contrastive claims with arithmetic, a figure that stands
nowhere in the context is almost as frequent in supported claims as in unsupported ones (sums,
differences, ratios, elapsed time, suppositions). So a cap needs a positive sign that the figure was
altered: the same words around another figure, a percentage where the context has percentage points,
the same digits at another scale, a bound turned round. Everything else is reported, not judged.
The rules are in ``rules.py``; ``benchmarks/quantity_check.py`` measures them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .compare import relation
from .derive import Pool
from .index import QuantityContext
from .model import Quantity
from .parse import parse_quantities
from .relation import Relation
from .rules import decide, is_small_count, make_case

_VERDICT_FLAGS = {"mismatch": "quantity_mismatch", "missing": "quantity_missing"}


@dataclass(frozen=True, slots=True)
class QuantityFinding:
    """What was found for one quantity of a claim.

    Attributes:
        quantity: The claim's quantity.
        verdict: ``match``, ``compatible``, ``derived``, ``mismatch``, ``missing`` or ``abstain``.
        nearest: The context quantity that agrees, or the one it most likely was altered from.
        reason: Short name of the rule that decided.
        caps: Whether this finding alone caps the support.
    """

    quantity: Quantity
    verdict: str
    nearest: Quantity | None
    reason: str
    caps: bool = False

    @property
    def flag(self) -> str | None:
        """Text for ``ClaimResult.flags``; ``None`` where there is nothing to say."""
        q = self.quantity
        if self.verdict == "derived":
            return f"quantity_derived:{self.reason} {q.text}"
        if self.verdict not in _VERDICT_FLAGS or not self.caps:
            return None
        other = f"!={self.nearest.text}" if self.nearest is not None else ""
        return f"{_VERDICT_FLAGS[self.verdict]}:{q.text}{other}"


@dataclass(frozen=True, slots=True)
class QuantityCheck:
    """Outcome for one claim.

    Attributes:
        findings: One a quantity of the claim, in order.
        caps: Whether the claim's support must be held below the threshold.
        flags: Flags of the findings, in order, each once.
    """

    findings: tuple[QuantityFinding, ...]
    caps: bool
    flags: tuple[str, ...]


def check_quantities(
    claim: str | Sequence[Quantity],
    evidence: Sequence[Sequence[Quantity]],
    context: Sequence[Sequence[Quantity]] | QuantityContext,
    *,
    claim_text: str | None = None,
    strict: bool = False,
) -> QuantityCheck:
    """Check the quantities of a claim.

    Args:
        claim: The claim, or its quantities (then ``claim_text`` should be given).
        evidence: Quantities of the related windows, one list a segment; conflicts there are
            named first.
        context: Quantities of every context segment (parse with ``names=True``), or an index of
            them made once for all claims of a record.
        claim_text: The claim's text where ``claim`` is parsed already.
        strict: Cap on every figure that is neither stated nor derivable, not only on figures that
            look altered. Precise only for answers that quote and never compute.

    Returns:
        The findings, the flags, and whether support must be capped.
    """
    if isinstance(claim, str):
        text, quantities = claim, parse_quantities(claim)
    else:
        text, quantities = claim_text or "", list(claim)
    if not quantities:
        return QuantityCheck((), False, ())
    index = context if isinstance(context, QuantityContext) else QuantityContext(context)
    near = {id(x) for segment in evidence for x in segment}
    matched, open_ones = _match_all(quantities, index)
    pool: Pool | None = None
    findings: list[QuantityFinding] = []
    for i, q in enumerate(quantities):
        done = matched.get(i)
        if done is not None:
            findings.append(done)
            continue
        if pool is None:
            pool = Pool(index.all)
        own = pool.extended(x for j, x in enumerate(quantities) if j != i)
        candidates = open_ones[i]
        if near and any(id(x) in near for x, r in candidates if r is Relation.CONFLICT):
            candidates = sorted(candidates, key=lambda c: id(c[0]) not in near)
        # what is unmatched beside this figure may be why it differs: judge little then
        entangled = any(j != i and not is_small_count(quantities[j]) for j in open_ones)
        days = tuple(x for x in quantities if x is not q and x.type in ("date", "period"))
        others = tuple(
            x
            for j, x in enumerate(quantities)
            if j in matched and x.type not in ("date", "period") and not is_small_count(x)
        )
        case = make_case(q, text, entangled, days, others, candidates, own)
        verdict, other, reason, caps = decide(case, index)
        caps = caps or (strict and verdict in ("mismatch", "missing"))
        findings.append(QuantityFinding(q, verdict, other, reason, caps))
    flags = tuple(dict.fromkeys(f.flag for f in findings if f.flag is not None))
    return QuantityCheck(tuple(findings), any(f.caps for f in findings), flags)


def _match_all(
    quantities: Sequence[Quantity], index: QuantityContext
) -> tuple[dict[int, QuantityFinding], dict[int, list[tuple[Quantity, Relation]]]]:
    """Findings of the quantities that the context states, and the relations of the others."""
    matched: dict[int, QuantityFinding] = {}
    open_ones: dict[int, list[tuple[Quantity, Relation]]] = {}
    for i, q in enumerate(quantities):
        compatible: Quantity | None = None
        relations: list[tuple[Quantity, Relation]] = []
        for x in index.candidates(q):
            r = relation(q, x)
            if r is Relation.EQUAL:
                matched[i] = QuantityFinding(q, "match", x, "equal")
                break
            if r is Relation.COMPATIBLE:
                compatible = compatible or x
            relations.append((x, r))
        else:
            if compatible is not None:
                matched[i] = QuantityFinding(q, "compatible", compatible, "compatible")
            else:
                open_ones[i] = relations
    return matched, open_ones
