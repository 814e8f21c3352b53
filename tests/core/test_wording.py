"""Words that change how much a sentence says."""

from __future__ import annotations

import pytest

from nli_faith import FaithfulnessScorer, score
from nli_faith.text import fold
from nli_faith.wording import WORD_CLASSES, check_wording


@pytest.mark.parametrize(
    ("sentence", "claim", "turn"),
    [
        ("分析师认为油价可能上涨。", "分析师确定油价上涨。", ("hedge", "certain")),
        ("公司计划于三季度上线新系统。", "公司的新系统已上线。", ("plan", "done")),
        ("质量问题尚未核实。", "质量问题已核实。", ("pending", "done")),
        ("员工可以申请调休。", "员工必须申请调休。", ("may", "must")),
        ("部分门店周日营业。", "所有门店周日营业。", ("some", "all")),
        ("优惠仅限新用户。", "优惠适用于所有用户。", ("only", "all")),
        ("系統已於五月上線。", "系统预计于五月上线。", ("done", "plan")),
        ("Prices may rise next year.", "Prices definitely rise next year.", ("hedge", "certain")),
    ],
)
def test_a_turned_word_is_found(sentence, claim, turn):
    assert turn in check_wording(fold(claim), fold(sentence)).turns


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("油价可能上涨。", "据分析，油价有可能上涨。"),
        ("公司计划上线新系统。", "公司打算上线新系统。"),
        ("价格均价为一定比例的成本。", "均价是成本的一定比例。"),
        ("部分门店周日营业。", "个别门店周日也开门。"),
        ("所有门店周日不营业。", "门店周日一律不营业。"),
        ("", "任何文字都行。"),
        ("任何文字都行。", ""),
    ],
)
def test_what_says_the_same_turns_nothing(sentence, claim):
    assert check_wording(fold(claim), fold(sentence)).turns == ()


@pytest.mark.parametrize(
    ("sentence", "claim", "shift"),
    [
        ("营收同比增长。", "营收同比下降。", "opposite:增长/下降"),
        ("会议没有批准预算。", "会议批准预算。", "dropped:批准"),
        ("门店不再提供发票。", "门店提供发票。", "dropped:提供"),
        ("门店周日营业。", "门店周日肯定营业。", "added:certain"),
    ],
)
def test_a_weaker_sign_is_a_shift(sentence, claim, shift):
    assert shift in check_wording(fold(claim), fold(sentence)).shifts


def test_a_kept_negation_or_both_opposites_are_no_shift():
    assert check_wording("会议未批准预算。", "会议没有批准预算。").shifts == ()
    both = "进口增长，出口下降。"
    assert check_wording("出口下降。", both).shifts == ()
    assert check_wording(both, "出口下降。").shifts == ()


def test_lookalikes_are_of_no_class():
    assert not WORD_CLASSES["all"].search("均价上升")
    assert not WORD_CLASSES["only"].search("只要申请即可")
    assert not WORD_CLASSES["certain"].search("达到一定程度")


def test_a_turned_word_is_flagged_and_can_be_switched_off():
    contexts = ["分析师认为下半年油价可能上涨。"]
    answer = "分析师确定下半年油价上涨。"
    (claim,) = score(answer, contexts).claims
    assert claim.flags == ("wording:hedge>certain",)
    scorer = FaithfulnessScorer.from_pretrained("bundled", wording=False)
    (claim,) = scorer.score({"answer": answer, "contexts": contexts}).claims
    assert claim.flags == ()


def test_a_hedge_told_as_a_certainty_is_never_supported():
    contexts = ["管理层表示，四季度海外订单可能上涨，但仍存在不确定性。"]
    (claim,) = score("四季度海外订单确定会上涨。", contexts).claims
    assert claim.capped
    assert claim.label.value != "supported"
    (true,) = score("四季度海外订单可能会上涨。", contexts).claims
    assert not true.capped


def test_a_denied_certainty_is_none():
    assert not WORD_CLASSES["certain"].search("前景仍不确定，消息未证实")
