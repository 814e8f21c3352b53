import math
from dataclasses import replace

import pytest

from nli_faith.datamodels import Status
from nli_faith.errors import ConfigError
from nli_faith.triage import Band, TriageRules, decide
from tests.triage.make import (
    ABSENT,
    CONFLICT,
    GOOD,
    MISMATCH,
    NEAR,
    WEAK,
    WRONG,
    claim,
    result,
)

# Thresholds .6 and .5: accepted from .6 + .25 x .4 = .7; to a person from .5 + .5 x .5 = .75.


@pytest.mark.parametrize(
    ("one", "band", "reason"),
    [
        (GOOD, Band.ACCEPT, "clear_support"),
        (claim(support=0.7), Band.ACCEPT, "clear_support"),
        (claim(support=0.69), Band.JUDGE, "near_threshold"),
        (NEAR, Band.JUDGE, "near_threshold"),
        (CONFLICT, Band.JUDGE, "conflict"),
        (MISMATCH, Band.JUDGE, "quantity_mismatch"),
        (claim(support=0.2, capped=True), Band.JUDGE, "quantity_mismatch"),
        (claim(support=0.2, against=0.55, capped=True), Band.HUMAN, "contradicted"),
        (claim(support=0.9, against=0.9, capped=True), Band.JUDGE, "quantity_mismatch"),
        (WRONG, Band.HUMAN, "contradicted"),
        (claim(support=0.1, against=0.75), Band.HUMAN, "contradicted"),
        (claim(support=0.1, against=0.74), Band.JUDGE, "weak_contradiction"),
        (claim(support=0.1, against=0.9, evidence=""), Band.JUDGE, "weak_contradiction"),
        (ABSENT, Band.JUDGE, "unsupported"),
        (claim(support=0.1, against=math.nan), Band.JUDGE, "unsupported"),
    ],
)
def test_every_rule(one, band, reason):
    decision = decide(result(one))
    assert (decision.band, decision.claims[0].reason) == (band, reason)


def test_the_strictest_claim_decides_and_only_doubtful_ones_are_listed():
    decision = decide(result(GOOD, NEAR, WRONG, ABSENT))
    assert decision.band is Band.HUMAN
    assert [c.index for c in decision.doubtful] == [1, 2, 3]
    assert decision.reasons == ("near_threshold", "contradicted", "unsupported")
    assert decide(result(GOOD, GOOD)).reasons == ()
    assert decide(result(GOOD, WEAK)).band is Band.JUDGE


def test_a_truncated_record_is_read_whole():
    decision = decide(result(GOOD, GOOD, truncated=True))
    assert decision.band is Band.JUDGE
    assert [c.reason for c in decision.doubtful] == ["truncated", "truncated"]
    assert decide(result(GOOD, WRONG, truncated=True)).band is Band.HUMAN


@pytest.mark.parametrize(
    ("status", "band"),
    [
        (Status.REFUSAL, Band.ACCEPT), (Status.NO_CLAIMS, Band.ACCEPT),
        (Status.EMPTY_ANSWER, Band.HUMAN), (Status.NO_CONTEXT, Band.HUMAN),
        (Status.ERROR, Band.HUMAN),
    ],
)  # fmt: skip
def test_records_without_a_score(status, band):
    decision = decide(result(status=status))
    assert decision.band is band
    assert decision.reasons == (status.value,)
    moved = TriageRules(statuses={status: Band.JUDGE})
    assert decide(result(status=status), moved).band is Band.JUDGE


def test_margins():
    assert decide(result(NEAR), TriageRules(accept=0)).band is Band.ACCEPT
    assert decide(result(GOOD), TriageRules(accept=1)).band is Band.JUDGE
    assert decide(result(WEAK), TriageRules(human=0)).band is Band.HUMAN
    assert decide(result(WRONG), TriageRules(human=1)).band is Band.JUDGE
    for bad in (-0.1, 1.1, "x", True):
        with pytest.raises(ConfigError, match="triage margin 'accept'"):
            TriageRules(accept=bad)


def test_a_result_without_thresholds_is_refused():
    with pytest.raises(ConfigError, match="'7' comes without thresholds"):
        decide(replace(result(GOOD, id="7"), thresholds=None))
