"""Two rounds of model calls: joined premises first, windows only where they can still matter.

The joined premise holds what overlaps a claim most, from all contexts. Where it settles a claim
(`nli_faith.early_exit`), its windows, four pairs out of five, are not scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nli_faith.inference import PairScorer, PairTexts, RunStats, TokenStore
from nli_faith.pairing import ClaimPlan
from nli_faith.preparation import Prepared

#: From the (3,) probabilities of a claim's joined premise: None where its windows are needed, else
#: what they would most likely have added to its log-odds of entailment.
Settled = Callable[[ClaimPlan, NDArray[np.float32]], float | None]


@dataclass(frozen=True, slots=True)
class ScoredPlan:
    """What the model said of one claim's premises.

    Attributes:
        probs: (premises, 3) entailment, neutral, contradiction.
        cut: Whether the claim had to be cut to fit the model.
    """

    probs: NDArray[np.float32]
    cut: bool


def pair_texts(prepared: Prepared, plan: ClaimPlan) -> Iterator[PairTexts]:
    """The texts of a claim's pairs, in the order of its premises."""
    for premise in plan.premises:
        yield premise.texts(prepared.segments), plan.model_text


def score_rounds(
    records: Sequence[Prepared],
    pairs: PairScorer,
    tokens: TokenStore,
    stats: RunStats,
    settled: Settled | None = None,
) -> list[list[ScoredPlan]]:
    """Score the premises of all claims; premises that cannot matter any more are dropped.

    Args:
        records: Records with their plans; the plans of settled claims are pruned in place.
        pairs: Runs pairs.
        tokens: Ids of all texts.
        stats: Counted up.
        settled: Decides on the joined premise; None scores every premise in one round.

    Returns:
        For each record what was said of each plan.
    """
    work = [(record, plan) for record in records for plan in record.plans if plan.premises]
    joined, joined_cut = pairs.score([_joined_texts(*item) for item in work], tokens, stats)
    if settled is not None:
        for (_, plan), probs in zip(work, joined, strict=True):
            gain = settled(plan, probs) if len(plan.premises) > 1 else None
            if gain is not None:
                plan.settle(gain)
    others, other_cut = pairs.score(
        [text for item in work for text in _window_texts(*item)], tokens, stats
    )
    found: dict[int, ScoredPlan] = {}
    at = 0
    for k, (_, plan) in enumerate(work):
        end = at + len(plan.premises) - 1
        probs = np.insert(others[at:end], plan.joined, joined[k], axis=0)
        found[id(plan)] = ScoredPlan(probs, bool(joined_cut[k] or other_cut[at:end].any()))
        at = end
    nothing = ScoredPlan(np.empty((0, 3), dtype=np.float32), False)
    return [[found.get(id(plan), nothing) for plan in record.plans] for record in records]


def _joined_texts(record: Prepared, plan: ClaimPlan) -> PairTexts:
    return plan.premises[plan.joined].texts(record.segments), plan.model_text


def _window_texts(record: Prepared, plan: ClaimPlan) -> Iterator[PairTexts]:
    for i, texts in enumerate(pair_texts(record, plan)):
        if i != plan.joined:
            yield texts
