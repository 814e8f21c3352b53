"""Edits change what a claim says, by one small thing, with the right label."""

from __future__ import annotations

import random

import pytest

from nli_faith.training.perturb.crossing import (
    causal_edits,
    crossed_amounts,
    crossed_names,
    name_edits,
    speaker_edits,
    subject_edits,
)
from nli_faith.training.perturb.figures import date_edits, number_edits
from nli_faith.training.perturb.lexical import lexical_edits
from nli_faith.training.perturb.lexicon import ANTONYMS, SWAPS
from nli_faith.training.perturb.names import Name, find_names
from nli_faith.training.perturb.tagging import tagged


def lexical(text):
    return {e.text: (e.kind, e.label) for e in lexical_edits(tagged(text))}


@pytest.mark.parametrize(
    ("text", "edited", "kind", "label"),
    [
        ("公司营收增长5%", "公司营收下降5%", "antonym", "contradicted"),
        ("公司营收下降5%", "公司营收增长5%", "antonym", "contradicted"),
        ("展会将于八月举行", "展会已于八月举行", "modality", "unsupported"),
        ("公司已完成收购", "公司将完成收购", "modality", "unsupported"),
        ("事故未造成人员伤亡", "事故已造成人员伤亡", "negation", "contradicted"),
        ("事故没有造成伤亡", "事故已造成伤亡", "negation", "contradicted"),
        ("产量高于去年水平", "产量低于去年水平", "comparison", "contradicted"),
        ("全国粮食产量增加", "全省粮食产量增加", "scope", "unsupported"),
        ("至少300人参加活动", "至多300人参加活动", "scope", "unsupported"),
    ],
)
def test_words_are_swapped_both_ways(text, edited, kind, label):
    assert lexical(text)[edited] == (kind, label)


@pytest.mark.parametrize(
    "text",
    [
        "公司增长率创新高",
        "公司将材料交给法院",
        "他并不是队长",
        "大家第一时间赶到",
        "她认为“营收增长”",
    ],
)
def test_words_in_other_senses_stay(text):
    found = lexical(text)
    assert not any("下降率" in t or "已材料" in t or "并是" in t or "第二时间" in t for t in found)
    assert "她认为“营收下降”" not in found


def test_no_weakening_counts_as_an_edit():
    """What follows from the claim (全部 to 部分, 一定 to 可能) is no false twin."""
    weak = {("全部", "部分"), ("所有", "部分"), ("一定", "可能"), ("必须", "可能")}
    assert not weak & {(s.old, s.new) for s in SWAPS}


def test_enough_antonyms():
    assert len({frozenset((s.old, s.new)) for s in ANTONYMS}) >= 100


def test_numbers_change_and_bounds_decide_the_direction():
    for seed in range(30):
        for edit in number_edits("超过400人参加", [], random.Random(seed)):
            if edit.kind != "unit":
                value = int("".join(c for c in edit.text if c.isdigit()))
                assert value > 400
                assert edit.label == "unsupported"
        for edit in number_edits("共有400人参加", [], random.Random(seed)):
            assert edit.label == "contradicted"
            assert edit.text != "共有400人参加"


def test_percent_and_percentage_points():
    kinds = {e.text: e.kind for e in number_edits("利润率上升5%", [], random.Random(0))}
    assert kinds["利润率上升5个百分点"] == "percent"
    kinds = {e.text: e.kind for e in number_edits("利润率上升5个百分点", [], random.Random(0))}
    assert kinds["利润率上升5%"] == "percent"


def test_dates_stay_valid():
    for seed in range(60):
        for edit in date_edits("会议于5月31日上午9时召开", random.Random(seed)):
            assert edit.label == "contradicted"
            assert "月31日" not in edit.text or edit.text.startswith("会议于5月31日")


def test_names_of_a_kind_stand_in_for_each_other():
    text = "8月2日，张雨霏在北京夺冠"
    names = [
        Name("李佳文", "person", "full", 0),
        Name("上海", "place", "city", 0),
        Name("法国", "place", "country", 0),
    ]
    found = {e.text for e in name_edits(tagged(text), names, random.Random(0))}
    assert "8月2日，张雨霏在上海夺冠" in found
    assert not any("法国" in t for t in found)


def test_dictionary_words_are_no_names():
    assert not [
        n for n in find_names(tagged("总额高达三亿元，工作人员张贴了公告")) if n.kind == "person"
    ]


def test_crossed_amounts_and_names():
    assert crossed_amounts("甲地增长30%，乙地增长20%")[0].text == "甲地增长20%，乙地增长30%"
    assert not crossed_amounts("增长20%至30%")
    assert not crossed_names(tagged("演奏了《春江》《秋月》等曲目"))
    assert not crossed_names(tagged("北京和上海的企业参加了展会"))


def test_speakers_and_subjects_are_exchanged():
    found = speaker_edits("王厂长表示，新线已投产", ["李院士", "王厂长"], random.Random(0))
    assert [e.text for e in found] == ["李院士表示，新线已投产"]
    claim = tagged("消防队员赶到现场开展救援")
    assert all(
        e.text.endswith("赶到现场开展救援")
        for e in subject_edits(claim, ["公安民警"], random.Random(0))
    )


def test_causes_turn_only_between_noun_phrases():
    assert [e.text for e in causal_edits("暴雨导致洪水")] == ["洪水导致暴雨"]
    assert not causal_edits("费用不超过限额标准")
