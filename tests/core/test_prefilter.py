"""Overlap by hand, and the promises of the filter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nli_faith.prefilter import (
    NgramPrefilter,
    NoPrefilter,
    OverlapIndex,
    Windows,
    features,
    joined_segments,
)


def windows(n: int, size: int = 1) -> Windows:
    pairs = [(i, s) for i in range(n) for s in range(1, size + 1) if i + s <= n]
    first, sizes = zip(*pairs, strict=True)
    return Windows(np.array(first), np.array(sizes))


def test_features_of_mixed_text():
    assert features("营收1,280元，redis 集群") == [
        "营收", "1280", "元", "redis", "集群",
    ]  # fmt: skip
    assert features("保修期") == ["保修", "修期", "保修期"]


def test_scores_are_weighted_containment():
    index = OverlapIndex(["保修两年", "电池一年", "无关内容"])
    view = index.view("保修两年整")
    scores = view.segment_scores()
    assert scores[0] > 0.5
    assert scores[1] == scores[2] == 0
    assert view.weights.sum() == pytest.approx(1)


def test_window_score_is_of_the_union():
    index = OverlapIndex(["收入增长", "成本下降", "员工人数"])
    view = index.view("收入增长成本下降明显")
    w = windows(3, 2)
    scores = dict(zip(zip(w.first.tolist(), w.size.tolist(), strict=True),
                      view.window_scores(w), strict=True))  # fmt: skip
    assert scores[0, 2] == pytest.approx(scores[0, 1] + scores[1, 1])
    assert scores[1, 2] == scores[1, 1]


def test_rare_ngrams_weigh_more():
    index = OverlapIndex(["公司简介"] * 9 + ["青禾桥"])
    view = index.view("公司青禾桥")
    scores = view.segment_scores()
    assert scores[9] > 2 * scores[0] > 0


def test_keeps_all_when_few():
    index = OverlapIndex(["第一句话", "第二句话"])
    chosen = NgramPrefilter(4).select(index.view("毫无关系的一句话"), windows(2))
    assert chosen.tolist() == [0, 1]


def test_keeps_all_for_short_claims():
    texts = [f"第{i}条内容说明" for i in range(20)]
    chosen = NgramPrefilter(2).select(OverlapIndex(texts).view("保修两年"), windows(20))
    assert len(chosen) == 20


def test_keeps_what_another_script_says():
    texts = ["保修条款说明文字"] * 10 + ["the warranty covers the battery for 24 months"]
    view = OverlapIndex(texts).view("电池的保修期限为二十四个月")
    assert 10 in NgramPrefilter(2).select(view, windows(11))


def test_a_wider_window_must_earn_its_place():
    texts = ["保修期为两年从购买之日起算", "请保留发票", "客服电话见背面", "另行通知", "其他事项"]
    view = OverlapIndex(texts).view("保修期为两年从购买之日起算")
    w = windows(5, 3)
    chosen = NgramPrefilter(1).select(view, w)
    assert [(w.first[i], w.size[i]) for i in chosen] == [(0, 1)]


def test_contradiction_is_kept_like_support():
    texts = [f"与之无关的说明第{i}条" for i in range(30)] + ["所有门店都不支持自助结账"]
    chosen = NgramPrefilter(3).select(
        OverlapIndex(texts).view("所有门店都支持自助结账"), windows(31)
    )
    assert 30 in chosen


def test_no_prefilter_keeps_everything():
    view = OverlapIndex(["一", "二"]).view("三")
    assert NoPrefilter().select(view, windows(2, 2)).tolist() == [0, 1, 2]


def test_joined_premise_fits_and_keeps_document_order():
    texts = ["净利润为三亿元人民币", "天气晴朗适合出行", "营业收入为十亿元人民币"]
    view = OverlapIndex(texts).view("营业收入为十亿元净利润为三亿元")
    lengths = [len(t) for t in texts]
    assert joined_segments(view, lengths, 220) == [0, 1, 2]
    assert joined_segments(view, lengths, 22) == [0, 2]  # the best two, in document order
    assert joined_segments(view, lengths, 11) == [2]  # the best alone fits
    assert joined_segments(view, lengths, 1) == [2]  # the best is taken even if too long


def test_joined_premise_without_overlap_takes_the_first():
    view = OverlapIndex(["alpha beta gamma", "delta epsilon zeta"]).view("毫无共同之处的论断")
    assert joined_segments(view, [16, 18], 20) == [0]
    assert joined_segments(view, [16, 18], 100) == [0, 1]


@given(st.lists(st.text(max_size=30), min_size=1, max_size=12), st.text(max_size=40))
def test_scores_stay_in_range(segments, claim):
    view = OverlapIndex(segments).view(claim)
    w = windows(len(segments), 3)
    for scores in (view.segment_scores(), view.window_scores(w)):
        assert ((scores >= 0) & (scores <= 1 + 1e-9)).all()
    wide = view.window_scores(w)[w.size == 3]
    if len(wide):
        assert wide.max() >= view.segment_scores()[1:-1].max(initial=0) - 1e-9
