"""Rewritings keep what a sentence says, in good Chinese."""

from __future__ import annotations

import random

import pytest

from nli_faith.training.perturb.amounts import find_amounts, reformatted, spoken
from nli_faith.training.perturb.cleaning import bare, is_claimable, sentences
from nli_faith.training.perturb.compress import one_clause, shortened, without_lead_in
from nli_faith.training.perturb.dates import rewritten_date
from nli_faith.training.perturb.reorder import (
    with_attribution_moved,
    with_list_turned,
    with_patterns,
    with_time_moved,
)
from nli_faith.training.perturb.rewrites import rewrite, with_synonyms


def outcomes(step, text, tries=40):
    """All that a step may make of a text."""
    return {out for seed in range(tries) if (out := step(text, random.Random(seed)))}


def test_cleaning_drops_boilerplate_and_datelines():
    text = "中新网北桥8月3日电(记者 甲乙)北桥市今年新增公园12座。市民表示满意。返回搜狐，查看更多责任编辑：丙"
    found = sentences(text)
    assert len(found) == 2
    assert bare(found[0]) == "北桥市今年新增公园12座"


@pytest.mark.parametrize(
    "text",
    [
        "他表示，公园将于明年开放",
        "公园什么时候开放，目前没有消息",
        "北桥市长说“公园很大",
        "点击查看全文内容请进入页面",
    ],
)
def test_questions_pronouns_and_broken_quotes_are_no_claims(text):
    assert not is_claimable(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2, "二"),
        (10, "十"),
        (15, "十五"),
        (105, "一百零五"),
        (12000, "一万二千"),
        (100500, "十万零五百"),
    ],
)
def test_chinese_numerals(value, text):
    assert spoken(value) == text


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("共12000元", {"1.2万元", "一万二千元", "12,000元"}),
        ("共1.2万元", {"12000元"}),
        ("占50%", {"百分之五十"}),
        ("有2名", {"两名"}),
        ("共4.55亿元", {"45500万元"}),
        ("约700余人", {None}),
    ],
)
def test_amounts_in_other_notation(text, forms):
    amount = find_amounts(text)[0]
    assert {reformatted(amount, random.Random(seed)) for seed in range(30)} == forms


def test_years_ordinals_and_model_names_are_no_amounts():
    assert not find_amounts("2023年第3号公告发布了A7型设备和第12届展会")


def test_dates_in_other_notation():
    assert outcomes(rewritten_date, "会议2023年5月6日召开") == {
        "会议2023-05-06召开", "会议2023/5/6召开", "会议2023年5月6号召开",
    }  # fmt: skip
    assert not outcomes(rewritten_date, "展览5月6日至8日举行")


def test_lead_ins_go():
    assert (
        without_lead_in("据了解，北桥市新增了公园12座", random.Random(0)) == "北桥市新增了公园12座"
    )


def test_shortened_keeps_clauses_that_stand_alone():
    text = "北桥公司近日发布了新款折叠手机，提供三种颜色"
    assert outcomes(shortened, text) == {"北桥公司近日发布了新款折叠手机"}


@pytest.mark.parametrize(
    "text",
    [
        "如果天气转好，北桥公园明天就会开放",
        "北桥公司宣布，今年不再招聘新员工",
        "网传北桥公园已经关闭，这一消息不实",
    ],
)
def test_conditions_and_speech_are_not_cut(text):
    assert not outcomes(shortened, text)


def test_one_clause_takes_the_subject_along():
    assert "北桥公司获得国家专利" in outcomes(one_clause, "北桥公司成立了研究院，获得国家专利")
    assert not outcomes(one_clause, "北桥公司组织学生，参观新的展馆")


def test_attribution_moves_but_stays():
    found = outcomes(with_attribution_moved, "北桥公司负责人介绍，新馆有三层")
    assert "据北桥公司负责人介绍，新馆有三层" in found
    assert all("负责人" in text and text.endswith("新馆有三层") for text in found)
    assert not outcomes(with_attribution_moved, "他表示，新馆有三层")


def test_time_is_moved_with_the_subject():
    found = outcomes(with_time_moved, "8月10日，公司发布了新款手机")
    assert found <= {"公司于8月10日发布了新款手机", "公司在8月10日发布了新款手机"}
    assert found


def test_patterns():
    assert with_patterns("北桥公司成立于2001年5月", random.Random(0)) == "北桥公司于2001年5月成立"
    assert "营收增幅为5%" in outcomes(with_patterns, "营收增长5%")
    assert "活动由北桥公司主办" in outcomes(with_patterns, "由北桥公司主办活动")


def test_lists_turn_only_where_order_says_nothing():
    found = outcomes(with_list_turned, "基地种植小麦、青稞、油菜")
    assert found <= {"基地种植青稞、小麦、油菜", "基地种植小麦、油菜、青稞"}
    assert not outcomes(with_list_turned, "小麦、青稞分别增产")


def test_synonyms_need_their_neighbours():
    assert "目前，约300人参加" not in outcomes(with_synonyms, "目前，约300人参加")
    assert any("大约300人" in text for text in outcomes(with_synonyms, "目前，约300人参加"))
    assert not any("逾" in text for text in outcomes(with_synonyms, "车辆超过了前车"))


def test_rewrite_is_decided_by_its_seed():
    text = "据了解，北桥公司目前已投入12000元，超过300名员工参加了活动，受到各方欢迎"
    one, two = (rewrite(text, random.Random(7)) for _ in range(2))
    assert one == two
    assert len({rewrite(text, random.Random(seed)).text for seed in range(20)}) > 5
