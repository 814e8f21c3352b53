"""From the probabilities of a claim's pairs to its verdict and evidence.

``nli_support`` is the highest P(entailment) over all premises; ``contradiction`` the highest
P(contradiction) over the related ones. Evidence is a union: another window may add support,
never take it away. A model may bring a combiner that weighs these with other signals into
``support``; it is monotone in each premise's entailment, so the union holds for it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nli_faith.combiner import NO_SIGNALS, Combiner, TextSignals, claim_features
from nli_faith.datamodels import Label, Thresholds
from nli_faith.pairing import ClaimPlan, ContextSegment, Premise
from nli_faith.verdicts import ClaimResult, Evidence, judge

ENTAILMENT, NEUTRAL, CONTRADICTION = 0, 1, 2
# A premise is related to a claim when it holds at least this share of what the claim's best
# premise holds. An unrelated premise cannot contradict: small NLI models call distant pairs
# contradictions more often than neutral. Measured with `benchmarks/prefilter.py`: at 0.5 three
# in a hundred labels hang on which distant windows the prefilter kept, at 0.85 one or two.
RELATED_SHARE = 0.85


@dataclass(frozen=True, slots=True)
class TextVerdict:
    """What the checks of quantities and wording say of a claim.

    Attributes:
        capped: Support is forbidden.
        flags: What was found, for people.
        signals: What was found, for a combiner.
    """

    capped: bool = False
    flags: tuple[str, ...] = ()
    signals: TextSignals = NO_SIGNALS


def related_premises(plan: ClaimPlan) -> NDArray[np.bool_]:
    """(premises,) which premises are close enough to speak against the claim."""
    return np.asarray(np.asarray(plan.overlaps) >= RELATED_SHARE * plan.top_overlap)


def related_members(plan: ClaimPlan) -> list[int]:
    """Segments of all related premises, dropped ones included, ascending."""
    everything = [*zip(plan.premises, plan.overlaps, strict=True), *plan.dropped]
    near = (p for p, overlap in everything if overlap >= RELATED_SHARE * plan.top_overlap)
    return sorted({i for premise in near for i in premise.members})


def plan_features(
    plan: ClaimPlan,
    probs: NDArray[np.floating[Any]],
    text: TextSignals,
    gain: float | None = None,
) -> dict[str, float]:
    """A claim's signals for a combiner; see `claim_features`.

    Args:
        plan: The claim.
        probs: (premises, 3) entailment, neutral, contradiction.
        text: What the checks of its text found.
        gain: Instead of the plan's.
    """
    return claim_features(
        probs,
        overlap=plan.overlaps[plan.joined],
        window_overlap=plan.top_overlap,
        joined=plan.joined,
        claim_chars=len(plan.claim.text),
        comparable=plan.comparable,
        gain=plan.gain if gain is None else gain,
        text=text,
    )


def judge_claim(
    plan: ClaimPlan,
    probs: NDArray[np.float32],
    segments: Sequence[ContextSegment],
    contexts: Sequence[str],
    thresholds: Thresholds,
    text: TextVerdict,
    combiner: Combiner | None = None,
) -> ClaimResult:
    """Verdict and evidence for one claim.

    Args:
        plan: The claim and its premises.
        probs: (premises, 3) entailment, neutral, contradiction.
        segments: The record's context segments.
        contexts: The record's contexts as given.
        thresholds: The thresholds in force.
        text: What the checks of its text found.
        combiner: Makes one probability of all signals; the highest P(entailment) without it.
    """
    related = related_premises(plan)
    best = _strongest(plan, probs[:, ENTAILMENT])
    # A model without the class says NaN, which must not win.
    opposing = np.where(related, np.nan_to_num(probs[:, CONTRADICTION], nan=-0.5), -1.0)
    against = _strongest(plan, opposing)
    nli_support = float(probs[best, ENTAILMENT])
    contradiction = float(probs[against, CONTRADICTION])
    features = plan_features(plan, probs, text.signals)
    combined = combiner(features) if combiner else nli_support
    verdict = judge(combined, contradiction, text.capped, thresholds)
    quote = _Quoter(plan, probs, segments, contexts)
    first, second = (best, ENTAILMENT), (against, CONTRADICTION)
    if verdict.label is Label.CONTRADICTED:
        first, second = second, first
    return ClaimResult(
        text=plan.claim.text,
        start=plan.claim.start,
        end=plan.claim.end,
        label=verdict.label,
        nli_support=nli_support,
        contradiction=contradiction,
        overlap=plan.top_overlap,
        support=verdict.support,
        combined=combined,
        signals=combiner.parts(features) if combiner else {},
        capped=text.capped,
        conflict=verdict.conflict,
        flags=text.flags,
        evidence=quote(*first),
        counter_evidence=None if best == against else quote(*second),
    )


def _strongest(plan: ClaimPlan, values: NDArray[np.floating]) -> int:
    """The highest value; of equal ones the smallest window, which is the easiest to check."""
    best: list[int] = np.flatnonzero(values == values.max()).tolist()
    return min(best, key=lambda i: (plan.premises[i].joined, len(plan.premises[i].members), i))


def without_context(plan: ClaimPlan) -> ClaimResult:
    """A claim that nothing could support, because there is no context."""
    claim = plan.claim
    return ClaimResult(
        claim.text, claim.start, claim.end, Label.UNSUPPORTED, 0.0, 0.0, 0.0, 0.0,
        flags=("no_context",),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Quoter:
    """Turns a premise into evidence with offsets."""

    plan: ClaimPlan
    probs: NDArray[np.float32]
    segments: Sequence[ContextSegment]
    contexts: Sequence[str]

    def __call__(self, index: int, column: int) -> Evidence:
        """Quote a premise.

        Args:
            index: Which premise.
            column: What it was chosen for, entailment or contradiction; of a joined premise
                the part that says most of it is quoted.
        """
        premise = self.plan.premises[index]
        probs = tuple(float(p) for p in self.probs[index])
        spans = self._spans(premise) if premise.joined else ()
        context, start, end, text = self._stretch(
            self._nearest(premise, column) if premise.joined else premise
        )
        return Evidence(context, start, end, text, (probs[0], probs[1], probs[2]), spans)

    def _spans(self, premise: Premise) -> tuple[tuple[int, int, int], ...]:
        members = (self.segments[i] for i in premise.members)
        return tuple((m.context, m.segment.start, m.segment.end) for m in members)

    def _nearest(self, joined: Premise, column: int) -> Premise:
        """The scored window inside the joined premise that says most, else its best part."""
        inside = set(joined.members)
        scored = [
            (float(self.probs[i, column]), -i)
            for i, p in enumerate(self.plan.premises)
            if not p.joined and inside.issuperset(p.members)
        ]
        if scored:
            return self.plan.premises[-max(scored)[1]]
        return Premise((self.plan.best_segment,))

    def _stretch(self, premise: Premise) -> tuple[int, int, int, str]:
        first, last = self.segments[premise.members[0]], self.segments[premise.members[-1]]
        start, end = first.segment.start, last.segment.end
        if first is last:
            return first.context, start, end, first.segment.text
        return first.context, start, end, self.contexts[first.context][start:end]
