"""What a claim's own text gives away: its quantities and its wording against the material."""

from __future__ import annotations

from dataclasses import replace

from nli_faith.aggregation import TextVerdict, related_members
from nli_faith.combiner import TextSignals
from nli_faith.config import ScorerConfig
from nli_faith.pairing import ClaimPlan
from nli_faith.preparation import Prepared
from nli_faith.quantities import check_quantities, parse_quantities
from nli_faith.wording import check_wording


def check_text(prepared: Prepared, plan: ClaimPlan, config: ScorerConfig) -> TextVerdict:
    """Run the checks that are switched on over one claim.

    Args:
        prepared: The claim's record.
        plan: The claim with its premises, before any is dropped.
        config: Says which checks run.
    """
    worded = _wording(prepared, plan) if config.wording else TextVerdict()
    if not config.quantities:
        return worded
    numbers = _quantities(prepared, plan)
    signals = replace(numbers.signals, turned=worded.signals.turned, shifted=worded.signals.shifted)
    capped = numbers.capped or worded.capped
    return TextVerdict(capped, numbers.flags + worded.flags, signals)


def _wording(prepared: Prepared, plan: ClaimPlan) -> TextVerdict:
    found = check_wording(plan.folded, prepared.segments[plan.best_segment].folded)
    return TextVerdict(
        capped=found.forbids,
        flags=tuple(f"wording:{old}>{new}" for old, new in found.turns),
        signals=TextSignals(turned=bool(found.turns), shifted=bool(found.shifts)),
    )


def _quantities(prepared: Prepared, plan: ClaimPlan) -> TextVerdict:
    stated = parse_quantities(plan.claim.text)
    if not stated:
        return TextVerdict()
    by_segment, known = prepared.quantities()
    evidence = [by_segment[i] for i in related_members(plan)]
    check = check_quantities(stated, evidence, known, claim_text=plan.claim.text)
    # Flags say what touched the verdict. That a figure looks derivable is no more than a
    # reason to abstain.
    flags = (f.flag for f in check.findings if f.caps and f.flag is not None)
    verdicts = [f.verdict for f in check.findings]
    signals = TextSignals(
        stated=bool(verdicts) and all(v in ("match", "compatible") for v in verdicts),
        clash="mismatch" in verdicts,
        unstated="missing" in verdicts,
    )
    return TextVerdict(check.caps, tuple(dict.fromkeys(flags)), signals)
