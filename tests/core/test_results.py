"""Labels, scores and re-thresholding follow from stored probabilities alone."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nli_faith.datamodels import Label, Segment, SegmentKind, Status, Thresholds
from nli_faith.errors import ConfigError
from nli_faith.results import FaithfulnessResult, ScorerInfo, aggregate_labels
from nli_faith.verdicts import ClaimResult, Evidence, judge

T = Thresholds(0.6, 0.7)


def claim(
    support: float, contradiction: float = 0.0, *, capped: bool = False, text: str = "甲" * 10
):
    verdict = judge(support, contradiction, capped, T)
    near = Evidence(0, 0, 4, "支持的话", (support, 1 - support, 0.0))
    far = Evidence(1, 2, 6, "反对的话", (0.0, 1 - contradiction, contradiction))
    first, second = (far, near) if verdict.label is Label.CONTRADICTED else (near, far)
    return ClaimResult(
        text, 0, len(text), verdict.label, support, contradiction, 0.5, verdict.support,
        capped=capped, conflict=verdict.conflict, evidence=first, counter_evidence=second,
    )  # fmt: skip


def result(*claims: ClaimResult, aggregation: str = "mean", status: Status = Status.SCORED):
    return FaithfulnessResult(
        "r1", status, claims, (Segment("你好！", 0, 3, kind=SegmentKind.GREETING),),
        aggregation=aggregation, thresholds=T, scorer=ScorerInfo("m", "a" * 64, "b" * 16, "0"),
        meta={"k": ["v"]}, pairs_scored=3, pairs_possible=9,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("support", "contradiction", "capped", "label", "conflict"),
    [
        (0.6, 0.0, False, Label.SUPPORTED, False),
        (0.59, 0.0, False, Label.UNSUPPORTED, False),
        (0.59, 0.7, False, Label.CONTRADICTED, False),
        (0.9, 0.9, False, Label.SUPPORTED, True),  # evidence is a union
        (0.9, 0.0, True, Label.UNSUPPORTED, False),
        (0.9, 0.9, True, Label.CONTRADICTED, False),
        (0.9, math.nan, False, Label.SUPPORTED, False),
        (0.1, math.nan, False, Label.UNSUPPORTED, False),
    ],
)
def test_judge(support, contradiction, capped, label, conflict):
    verdict = judge(support, contradiction, capped, T)
    assert (verdict.label, verdict.conflict) == (label, conflict)
    assert (verdict.support >= T.support) == (label is Label.SUPPORTED)


@pytest.mark.parametrize(
    ("aggregation", "expected"), [("mean", 0.5), ("min", 0.0), ("length", 0.25)]
)
def test_aggregations(aggregation, expected):
    r = result(claim(0.9, text="甲" * 5), claim(0.1, text="乙" * 15), aggregation=aggregation)
    assert r.score == expected
    assert r.label_counts == {"supported": 1, "contradicted": 0, "unsupported": 1}


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.SCORED])
def test_only_scored_has_a_score(status):
    r = result(status=status)
    assert math.isnan(r.score)
    assert json.loads(json.dumps(r.to_dict()))["score"] is None


def test_no_claims_is_nan_not_zero_or_one():
    assert math.isnan(aggregate_labels((), "mean"))


def test_rethreshold_moves_labels_and_evidence():
    r = result(claim(0.5, 0.9), claim(0.9, 0.8))
    assert [c.label for c in r.claims] == [Label.CONTRADICTED, Label.SUPPORTED]
    assert r.claims[0].evidence.text == "反对的话"
    lower = r.rethreshold(support=0.4)
    assert [c.label for c in lower.claims] == [Label.SUPPORTED, Label.SUPPORTED]
    assert lower.score == 1.0
    assert lower.claims[0].conflict
    assert lower.claims[0].evidence.text == "支持的话"
    assert lower.claims[0].counter_evidence.text == "反对的话"
    assert lower.rethreshold(support=0.6).claims == r.claims  # and back


def test_rethreshold_keeps_the_cap():
    r = result(claim(0.9, capped=True))
    assert r.rethreshold(support=0.1).claims[0].label is Label.UNSUPPORTED


@given(st.floats(0, 1), st.floats(0, 1), st.booleans(), st.floats(0.01, 1), st.floats(0.01, 1))
def test_rethreshold_equals_judging_anew(support, contradiction, capped, t1, t2):
    moved = result(claim(support, contradiction, capped=capped)).rethreshold(
        support=t1, contradiction=t2
    )
    verdict = judge(support, contradiction, capped, Thresholds(t1, t2))
    assert moved.claims[0].label is verdict.label
    assert moved.claims[0].support == verdict.support


def test_json_round_trip():
    r = result(claim(0.5, 0.9), claim(0.9, math.nan))
    again = FaithfulnessResult.from_dict(json.loads(json.dumps(r.to_dict())))
    assert again.to_dict() == r.to_dict()
    assert again.score == r.score
    assert math.isnan(again.claims[1].contradiction)


@pytest.mark.parametrize("bad", [0.0, -0.1, 1.1, math.nan, True, "0.5", None])
def test_thresholds_are_checked(bad):
    with pytest.raises(ConfigError, match="support"):
        Thresholds(bad, 0.5)


def test_unknown_aggregation_is_quoted():
    with pytest.raises(ConfigError, match="'median'"):
        result(claim(0.9)).rethreshold(aggregation="median")


@pytest.mark.parametrize(
    ("support", "against", "conflict"),
    [(0.9, 0.95, True), (0.9, 0.9, True), (0.9, 0.85, False), (0.9, 0.1, False)],
)
def test_conflict_means_contradicted_as_surely_as_supported(support, against, conflict):
    verdict = judge(support, against, False, Thresholds(0.4, 0.4))
    assert verdict.label is Label.SUPPORTED
    assert verdict.conflict is conflict
