"""When a claim's joined premise has said enough, so that its windows need not be scored.

The joined premise holds what overlaps a claim most, from all contexts. Three kinds of claims are
settled by it: supported beyond doubt, where windows could only add support; neither supported
nor contradicted, by more than windows are seen to add; and contradicted, with support as far away.

How much windows add was measured on the held-out contrastive claims, on answers of DuReader,
zh_rag_claims and UHGEval with model 0.3.0: the best window's entailment lies above the joined
premise's by 0.2 to 0.3 in log-odds for half of the claims, by less than 2.2 for 95 in a hundred.
With the two margins below 98.3 to 99.3% of the labels stay as without early exit. AUROC with and
without is 0.796 and 0.794 on zh_rag_claims, 0.943 and 0.947 on CiteCheck, 0.704 and 0.711 on WiCE,
for 65%, 47% and 61% of the tokens.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nli_faith.aggregation import CONTRADICTION, ENTAILMENT, TextVerdict, plan_features
from nli_faith.combiner import Combiner, log_odds
from nli_faith.datamodels import Thresholds
from nli_faith.pairing import ClaimPlan

#: Support from which on a claim's windows are not scored any more. Above the shipped threshold
#: (0.50), so that results can be judged anew by any threshold up to this without loss.
SETTLED = 0.6
#: Log-odds of entailment that a window is granted above the joined premise.
SUPPORT_MARGIN = 1.5
#: The same of contradiction.
CONTRADICTION_MARGIN = 1.0
#: What windows add on average to claims that are given up, whatever their joined premise says: 0.5
#: to 1.1 on each of those sets. Counted in, such claims keep their rank among the others.
USUAL_GAIN = 0.8
#: Claims and material of fewer characters have cheap windows, which say more than the joined
#: premise (整机保修两年 with 整机保修期限为两年 alone: 0.95, and beside 电池保修期限为一年: 0.29).
LEAST_CLAIM = 12
LEAST_MATERIAL = 200
#: A claim of whose n-grams a premise holds this share is close to something that is written there.
#: Its windows are scored unless it is supported already, so that a second context, which turns the
#: joined premise against it, cannot take the support away. Costs nothing on the sets above.
NEAR = 0.7


def settled_gain(
    plan: ClaimPlan,
    probs: NDArray[np.float32],
    thresholds: Thresholds,
    text: TextVerdict,
    combiner: Combiner | None = None,
) -> float | None:
    """What the windows of a claim would most likely add, if the joined premise settles it.

    Args:
        plan: The claim.
        probs: (3,) probabilities of its joined premise.
        thresholds: The thresholds in force.
        text: What the checks of its text found. Of a claim that it caps, the windows tell
            whether it is contradicted.
        combiner: The combiner in force.

    Returns:
        Log-odds of entailment: 0 for a supported claim, so that its support is a lower bound;
        None where the windows are needed.
    """
    if text.capped:
        return None
    support = _support(plan, probs, text, combiner)
    # NaN, of a model without the class, is no contradiction.
    opposing = float(np.nan_to_num(probs[CONTRADICTION], nan=0.0))
    opposed = opposing >= max(support, thresholds.contradiction)
    if support >= max(SETTLED, thresholds.support):
        # Where the joined premise also contradicts, windows are looked at, for both sides.
        return None if opposed else 0.0
    short = len(plan.claim.text) < LEAST_CLAIM or plan.material_chars < LEAST_MATERIAL
    if short or plan.top_overlap >= NEAR:
        return None
    if _support(plan, probs, text, combiner, SUPPORT_MARGIN) >= thresholds.support:
        return None
    # Not contradicted, and not nearly.
    quiet = _raised(opposing, CONTRADICTION_MARGIN) < thresholds.contradiction
    return USUAL_GAIN if opposed or quiet else None


def _support(
    plan: ClaimPlan,
    probs: NDArray[np.float32],
    text: TextVerdict,
    combiner: Combiner | None,
    gain: float = 0.0,
) -> float:
    """Support if the best window's entailment lay ``gain`` above the joined premise's."""
    if combiner is None:
        return _raised(float(probs[ENTAILMENT]), gain)
    everywhere = np.broadcast_to(probs, (len(plan.premises), 3))
    return combiner(plan_features(plan, everywhere, text.signals, gain))


def _raised(p: float, gain: float) -> float:
    return p if gain == 0.0 else float(1.0 / (1.0 + np.exp(-(log_odds(p) + gain))))
