"""Early exit: fewer pairs, the same labels."""

from __future__ import annotations

import random

import pytest

from nli_faith import FaithfulnessScorer, Label, Record, RunStats, ScorerConfig
from nli_faith.aggregation import SETTLED
from nli_faith.checks import check_text
from nli_faith.combiner import Combiner
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


@pytest.mark.parametrize("backend", [CharBackend, WithCombiner])
def test_labels_stay_and_pairs_are_saved(backend):
    early, few = run(backend, True)
    whole, many = run(backend, False)
    labels = [[c.label for c in r.claims] for r in whole]
    assert [[c.label for c in r.claims] for r in early] == labels
    assert [r.score for r in early] == [r.score for r in whole]
    assert any(Label.SUPPORTED in row for row in labels)
    assert any(Label.CONTRADICTED in row for row in labels)
    assert few.pairs_run < many.pairs_run


def test_support_of_a_settled_claim_is_a_lower_bound():
    early, whole = run(WithCombiner, True)[0], run(WithCombiner, False)[0]
    for a, b in zip(early, whole, strict=True):
        for x, y in zip(a.claims, b.claims, strict=True):
            assert x.support <= y.support + 1e-9
            if x.support < SETTLED:
                assert x.support == pytest.approx(y.support)


def test_any_threshold_up_to_the_settling_point_judges_alike():
    early, whole = run(WithCombiner, True)[0], run(WithCombiner, False)[0]
    for threshold in (0.45, 0.55, SETTLED):
        again = [r.rethreshold(support=threshold).score for r in early]
        assert again == [r.rethreshold(support=threshold).score for r in whole]


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
