"""Early exit: fewer pairs, and what may change by it."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from nli_faith import FaithfulnessScorer, Label, Record, RunStats, ScorerConfig
from nli_faith.aggregation import TextVerdict
from nli_faith.checks import check_text
from nli_faith.combiner import Combiner, log_odds
from nli_faith.datamodels import Segment, Thresholds
from nli_faith.early_exit import (
    CONTRADICTION_MARGIN,
    LEAST_MATERIAL,
    NEAR,
    SETTLED,
    SUPPORT_MARGIN,
    USUAL_GAIN,
    settled_gain,
)
from nli_faith.pairing import ClaimPlan, Premise
from tests.core.fakes import CharBackend

SENTENCES = (
    "整机保修期为两年。", "电池保修期为一年。", "退货须在七天内申请。", "进水损坏属于人为责任。",
    "配送范围为三环以内。", "门店周日休息盘点。", "会员积分每年清零。", "发票在十个工作日内寄出。",
)  # fmt: skip
CLAIMS = (
    "整机保修期为两年。", "整机的保修期是两年整。", "电池保修期为三年。", "进水损坏不属于人为责任。",
    "门店全年无休营业。", "积分每年清零一次。", "发票十个工作日寄出。", "退货须在十天内申请。",
)  # fmt: skip


class WithCombiner(CharBackend):
    combiners = {"full": Combiner({"joined": 0.6, "best": 0.2, "overlap": 1.0}, -0.5, "")}  # noqa: RUF012


def records() -> list[Record]:
    chance = random.Random(5)
    out = []
    for i in range(40):
        contexts = ["".join(chance.sample(SENTENCES, 4)) for _ in range(3)]
        answer = "".join(chance.sample(CLAIMS, 3))
        out.append(Record(str(i), answer, contexts=tuple(contexts)))
    return out


def run(backend: type[CharBackend], early: bool) -> tuple[list, RunStats]:
    stats = RunStats()
    scorer = FaithfulnessScorer(
        backend(), thresholds=backend.thresholds, config=ScorerConfig(early_exit=early)
    )
    return list(scorer.score_records(records(), stats=stats)), stats


def claims_of(results) -> list:
    return [c for r in results for c in r.claims]


@pytest.mark.parametrize("backend", [CharBackend, WithCombiner])
def test_pairs_are_saved_and_labels_change_only_beyond_the_margins(backend):
    early, few = run(backend, True)
    whole, many = run(backend, False)
    assert few.pairs_run < many.pairs_run
    assert {c.label for c in claims_of(whole)} == set(Label)
    for x, y in zip(claims_of(early), claims_of(whole), strict=True):
        if x.label is not y.label:
            more = log_odds(y.nli_support) - log_odds(x.nli_support)
            against = log_odds(y.contradiction) - log_odds(x.contradiction)
            assert more >= SUPPORT_MARGIN or against >= CONTRADICTION_MARGIN
            assert x.support < SETTLED


def test_what_was_read_of_a_settled_claim_is_a_lower_bound():
    early, whole = run(WithCombiner, True)[0], run(WithCombiner, False)[0]
    for x, y in zip(claims_of(early), claims_of(whole), strict=True):
        assert x.nli_support <= y.nli_support + 1e-9
        if x.label is Label.SUPPORTED:
            assert x.support <= y.support + 1e-9
        assert x.contradiction <= y.contradiction + 1e-9


def test_any_threshold_up_to_the_settling_point_keeps_a_supported_claim():
    early, whole = run(WithCombiner, True)[0], run(WithCombiner, False)[0]
    for threshold in (0.45, 0.55, SETTLED):
        again = claims_of(r.rethreshold(support=threshold) for r in early)
        exact = claims_of(r.rethreshold(support=threshold) for r in whole)
        for x, y in zip(again, exact, strict=True):
            if y.label is Label.SUPPORTED and x.nli_support == y.nli_support:
                assert x.label is Label.SUPPORTED


def premises(
    joined: tuple[float, float], *, capped: bool = False, overlap: float = 0.6,
    claim: str = "整机的保修期限一共是两个年头。", material: int = LEAST_MATERIAL,
) -> bool:  # fmt: skip
    """Whether a claim with this (entailment, contradiction) of its joined premise is settled."""
    plan = ClaimPlan(Segment(claim, 0, len(claim)), claim, material_chars=material)
    plan.premises = [Premise((0,)), Premise((1,)), Premise((0, 1), joined=True)]
    plan.overlaps, plan.joined = [0.5, 0.2, overlap], 2
    entailment, contradiction = joined
    probs = np.array([entailment, 1 - entailment - contradiction, contradiction], np.float32)
    found = settled_gain(plan, probs, Thresholds(0.46, 0.37), TextVerdict(capped=capped))
    assert found in (None, 0.0 if entailment > 0.5 else USUAL_GAIN)
    return found is not None


@pytest.mark.parametrize(
    ("joined", "settled"),
    [
        ((0.61, 0.05), True),  # supported beyond doubt
        ((0.59, 0.05), False),  # supported, but a higher threshold may be asked for
        ((0.61, 0.62), False),  # both sides: windows are looked at
        ((0.15, 0.05), True),  # log-odds 1.5 above 0.15 is 0.442, below the threshold
        ((0.17, 0.05), False),  # 1.5 above 0.17 is 0.479
        ((0.05, 0.17), True),  # log-odds 1.0 above 0.17 is 0.358, below the threshold
        ((0.05, 0.18), False),  # 1.0 above 0.18 is 0.374
        ((0.05, 0.40), True),  # contradicted, and far from support
        ((0.30, 0.40), False),  # contradicted, but a window may support it
        ((0.05, math.nan), True),  # a model without the class
    ],
)
def test_what_settles_a_claim(joined, settled):
    assert premises(joined) is settled
    assert premises(joined, capped=True) is False


def test_short_claims_and_short_material_are_given_up_only_after_their_windows():
    assert premises((0.05, 0.05)) is True
    assert premises((0.05, 0.05), claim="整机保修两年。") is False
    assert premises((0.05, 0.05), material=LEAST_MATERIAL - 1) is False
    assert premises((0.61, 0.05), claim="整机保修两年。") is True


def test_a_claim_close_to_something_written_is_given_up_only_after_its_windows():
    assert premises((0.05, 0.40), overlap=NEAR) is False
    assert premises((0.05, 0.05), overlap=NEAR) is False
    assert premises((0.61, 0.05), overlap=NEAR) is True


def test_the_joined_premise_is_scored_once():
    stats = run(CharBackend, False)[1]
    assert stats.pairs_requested == sum(r.pairs_scored for r in run(CharBackend, False)[0])


def test_a_record_whose_text_cannot_be_checked_does_not_end_the_run(monkeypatch):
    scorer = FaithfulnessScorer(CharBackend(), thresholds=CharBackend.thresholds)

    def poisoned(prepared, plan, config):
        if prepared.record.id == "3":
            raise ValueError("poisoned")
        return check_text(prepared, plan, config)

    monkeypatch.setattr("nli_faith.scorer.check_text", poisoned)
    results = list(scorer.score_records(records()[:6]))
    assert [r.id for r in results if r.error] == ["3"]
    assert "poisoned" in results[3].error
