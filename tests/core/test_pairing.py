"""Windows, premises and what fits the model."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nli_faith.datamodels import Segment
from nli_faith.pairing import ContextSegment, PairPlanner, enumerate_windows, fit_ids
from nli_faith.prefilter import NgramPrefilter, NoPrefilter


def record(*contexts: list[str], heading: str = "") -> list[ContextSegment]:
    out = []
    for i, texts in enumerate(contexts):
        at = 0
        for text in texts:
            segment = Segment(text, at, at + len(text))
            out.append(ContextSegment(i, segment, text, text, heading))
            at += len(text)
    return out


def plan(segments, claim, *, mode="full", prefilter=None, window_tokens=1000):
    windows = enumerate_windows(
        segments, [len(s.model_text) for s in segments], max_window=3, window_tokens=window_tokens
    )
    planner = PairPlanner(
        segments, windows, prefilter=prefilter or NoPrefilter(), mode=mode, joined_chars=220
    )
    return planner.plan(Segment(claim, 0, len(claim)), model_text=claim, folded=claim)


def test_windows_stay_inside_a_context():
    segments = record(["一。", "二。"], ["三。", "四。", "五。"])
    windows = enumerate_windows(segments, [2] * 5, max_window=3, window_tokens=100)
    pairs = list(zip(windows.first.tolist(), windows.size.tolist(), strict=True))
    assert pairs == [(0, 1), (0, 2), (1, 1), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)]


def test_long_runs_are_left_out_but_no_single_segment():
    segments = record(["一" * 50, "二" * 50, "三" * 10])
    windows = enumerate_windows(segments, [50, 50, 10], max_window=3, window_tokens=64)
    pairs = list(zip(windows.first.tolist(), windows.size.tolist(), strict=True))
    assert pairs == [(0, 1), (1, 1), (1, 2), (2, 1)]


def test_heading_goes_before_a_window():
    segments = record(["七天内可退。"], heading="退款规则")
    texts = [p.texts(segments) for p in plan(segments, "退款规则是七天内可退。").premises]
    assert texts == [("退款规则", "七天内可退。")]  # and the joined premise is the same one


def test_equal_windows_are_scored_once():
    segments = record(["无关的背景介绍。"] * 50 + ["保修期为两年。"])
    premises = plan(segments, "保修期为两年。").premises
    texts = [p.texts(segments) for p in premises]
    assert len(texts) == len(set(texts)) <= 8


def test_fast_mode_is_one_pair_a_claim():
    segments = record(
        [f"第{i}条与此无关的说明。" for i in range(40)] + ["保修期为两年，自购买日起算。"]
    )
    p = plan(segments, "保修期为两年，自购买日起算。", mode="fast", prefilter=NgramPrefilter(4))
    assert len(p.premises) == 1
    assert 40 in p.premises[0].members


def test_fast_mode_looks_further_where_overlap_is_blind():
    segments = record(
        ["The warranty covers the battery for two years.", "Returns are free of charge."]
    )
    p = plan(segments, "电池的保修期限为二十四个月。", mode="fast", prefilter=NgramPrefilter(4))
    assert {(0,), (1,)} <= {q.members for q in p.premises}


def test_no_context_no_premise():
    assert plan([], "保修期为两年。").premises == []


def ids(n: int, start: int = 0) -> np.ndarray:
    return np.arange(start, start + n, dtype=np.int32)


def test_fit_leaves_short_pairs_alone():
    pieces, hypothesis, cut = fit_ids([ids(5), ids(3, 5)], ids(4, 100), room=12)
    assert [p.tolist() for p in pieces] == [list(range(8))]
    assert (hypothesis.tolist(), cut) == (list(range(100, 104)), False)


@given(st.integers(1, 900), st.integers(1, 200), st.integers(40, 300))
def test_fit_loses_nothing_of_the_premise(n_premise, n_claim, room):
    pieces, hypothesis, cut = fit_ids([ids(n_premise)], ids(n_claim, 10_000), room=room)
    assert set(np.concatenate(pieces).tolist()) == set(range(n_premise))
    assert all(len(p) > 0 and len(p) + len(hypothesis) <= room for p in pieces)
    assert cut == (len(hypothesis) < n_claim)
    if n_claim <= room - 32:
        assert not cut


def test_pieces_overlap():
    pieces, _, _ = fit_ids([ids(300)], ids(10), room=110)
    for a, b in itertools.pairwise(pieces):
        assert len(set(a.tolist()) & set(b.tolist())) >= 20


@pytest.mark.parametrize("mode", ["full", "fast"])
def test_plan_does_not_depend_on_repetition(mode):
    segments = record(["营收为3亿元。", "成本为1亿元。", "员工共200人。"])
    first = plan(segments, "营收为3亿元，员工共200人。", mode=mode)
    again = plan(segments, "营收为3亿元，员工共200人。", mode=mode)
    assert first.premises == again.premises
    assert first.overlaps == again.overlaps
