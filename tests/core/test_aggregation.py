"""Verdict and evidence from hand-made probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nli_faith.aggregation import TextVerdict, judge_claim
from nli_faith.datamodels import Label, Segment, Thresholds
from nli_faith.pairing import ClaimPlan, ContextSegment, Premise

CONTEXT = "甲说支持。乙说反对。丙无关。"
SPANS = [(0, 5), (5, 10), (10, 14)]
SEGMENTS = [
    ContextSegment(0, Segment(CONTEXT[a:b], a, b), CONTEXT[a:b], CONTEXT[a:b]) for a, b in SPANS
]
T = Thresholds(0.6, 0.6)


def judge(premises, overlaps, probs, *, capped=False, best_segment=0):
    plan = ClaimPlan(
        Segment("论断。", 0, 3), "论断。", list(premises), list(overlaps), best_segment
    )
    rows = np.array(probs, dtype=np.float32)
    return judge_claim(plan, rows, SEGMENTS, [CONTEXT], T, TextVerdict(capped))


ONE, TWO, THREE = Premise((0,)), Premise((1,)), Premise((2,))
JOINED = Premise((0, 1, 2), joined=True)


def test_support_is_the_best_window_and_conflict_is_said():
    c = judge([ONE, TWO], [0.9, 0.9], [(0.8, 0.1, 0.1), (0.1, 0.1, 0.8)])
    assert (c.label, c.conflict) == (Label.SUPPORTED, True)
    assert c.nli_support == pytest.approx(0.8)
    assert (c.evidence.text, c.counter_evidence.text) == ("甲说支持。", "乙说反对。")
    assert c.evidence.probs[0] == pytest.approx(c.nli_support)


def test_a_contradiction_is_quoted_first():
    c = judge([ONE, TWO], [0.9, 0.9], [(0.5, 0.4, 0.1), (0.1, 0.1, 0.8)])
    assert c.label is Label.CONTRADICTED
    assert (c.evidence.text, c.counter_evidence.text) == ("乙说反对。", "甲说支持。")


def test_an_unrelated_window_cannot_contradict():
    c = judge([ONE, THREE], [0.9, 0.1], [(0.3, 0.5, 0.2), (0.0, 0.05, 0.95)])
    assert c.label is Label.UNSUPPORTED
    assert c.contradiction == pytest.approx(0.2)


def test_an_unrelated_window_can_still_support():
    c = judge([ONE, THREE], [0.9, 0.1], [(0.3, 0.5, 0.2), (0.9, 0.05, 0.05)])
    assert c.label is Label.SUPPORTED


def test_of_equal_windows_the_smallest_is_quoted():
    wide = Premise((0, 1))
    c = judge([wide, ONE, JOINED], [0.9] * 3, [(0.8, 0.1, 0.1)] * 3)
    assert c.evidence.text == "甲说支持。"
    assert c.counter_evidence is None


def test_a_wide_window_is_quoted_from_the_context():
    c = judge([Premise((0, 1))], [0.9], [(0.8, 0.1, 0.1)])
    assert (c.evidence.start, c.evidence.end, c.evidence.text) == (0, 10, CONTEXT[:10])


@pytest.mark.parametrize(
    ("joined", "quoted"), [((0.9, 0.05, 0.05), "甲说支持。"), ((0.05, 0.05, 0.9), "乙说反对。")]
)
def test_of_a_joined_premise_the_part_that_says_most_is_quoted(joined, quoted):
    c = judge([ONE, TWO, JOINED], [0.9, 0.9, 0.9], [(0.4, 0.5, 0.1), (0.1, 0.5, 0.4), joined])
    assert c.evidence.text == quoted
    assert c.evidence.spans == tuple((0, a, b) for a, b in SPANS)
    assert c.evidence.probs == pytest.approx(joined)


def test_of_a_joined_premise_alone_the_best_overlapping_part_is_quoted():
    c = judge([JOINED], [0.9], [(0.9, 0.05, 0.05)], best_segment=1)
    assert c.evidence.text == "乙说反对。"


def test_a_capped_claim_is_not_supported():
    c = judge([ONE], [0.9], [(0.95, 0.03, 0.02)], capped=True)
    assert c.label is Label.UNSUPPORTED
    assert c.support < T.support < c.nli_support


def test_a_model_without_contradiction_never_says_it():
    c = judge([ONE, TWO], [0.9, 0.9], [(0.2, 0.8, math.nan), (0.1, 0.9, math.nan)])
    assert c.label is Label.UNSUPPORTED
    assert math.isnan(c.contradiction)
