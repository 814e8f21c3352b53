"""Clause granularity: where sentences are cut and what is carried over."""

from __future__ import annotations

import pytest

from nli_faith.datamodels import Block
from nli_faith.text import SentenceSplitter

SPLITTER = SentenceSplitter(granularity="clause")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            "公司成立于2011年，总部位于成都，员工420人。",
            ["公司成立于2011年", "总部位于成都", "员工420人。"],
        ),
        ("该标准分为三级；一级最宽。", ["该标准分为三级", "该标准一级最宽。"]),
        ("酒店提供早餐，但不提供晚餐。", ["酒店提供早餐", "酒店不提供晚餐。"]),
        (
            "会议通过了议案，并决定于五月召开听证会。",
            ["会议通过了议案", "会议决定于五月召开听证会。"],
        ),
        (
            "本品适用于成人，儿童须在医师指导下使用。",
            ["本品适用于成人", "儿童须在医师指导下使用。"],
        ),
        (
            "李四表示，项目将于三月启动，预计年底完成。",
            ["李四表示，项目将于三月启动", "李四表示，项目预计年底完成。"],
        ),
        ("遊客只能參觀園區，不能進入塔內。", ["遊客只能參觀園區", "遊客不能進入塔內。"]),
        (
            "The plan was approved in March, and the firm began work in April.",
            ["The plan was approved in March", "the firm began work in April."],
        ),
    ],
)
def test_cut(given: str, expected: list[str]) -> None:
    assert [segment.text for segment in SPLITTER.split(given)] == expected


@pytest.mark.parametrize(
    "given",
    [
        "如果逾期，账户将被冻结，无法登录。",
        "由于芯片缺货，交付推迟了两周。",
        "电池供货不足，导致投运推迟。",
        "北京，上海，广州均有降雨。",
        "根据材料，公司成立于2011年。",
        "2023年，公司实现了盈利。",
        "他说：“先登记，再付款。”",
        "总价为1,280元，000号作废。"[:9],
        "费用（含税，不含运费）为300元。",
        "没有标点的一句话",
    ],
)
def test_not_cut(given: str) -> None:
    (segment,) = SPLITTER.split(given)
    assert segment.text == given


def test_offsets_delimit_the_clause_without_what_is_carried() -> None:
    given = "前言。\n- 酒店提供早餐，\n不提供晚餐。"
    segments = SPLITTER.split(given)
    assert [given[s.start : s.end] for s in segments] == ["前言。", "酒店提供早餐", "不提供晚餐。"]
    assert segments[-1].text == "酒店不提供晚餐。"
    assert segments[-1].block is Block.LIST_ITEM


def test_what_is_carried_never_breaks_the_limit() -> None:
    splitter = SentenceSplitter(max_chars=12, granularity="clause")
    for segment in splitter.split("第三方评估机构负责编制报告，并提交给委员会审议，随后公布。"):
        assert len(segment.text) <= 12


def test_tables_headings_and_code_stay_whole() -> None:
    given = "# 甲；乙\n\n| 名 | 值 |\n|---|---|\n| 甲 | 走了；来了 |\n\n```\na；b\n```"
    found = [(s.text, s.block) for s in SPLITTER.split(given)]
    assert found == [
        ("甲；乙", Block.HEADING),
        ("名：甲；值：走了；来了", Block.TABLE_ROW),
        ("```\na；b\n```", Block.CODE),
    ]
