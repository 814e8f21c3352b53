"""readability and conciseness by hand."""

from __future__ import annotations

import math

import pytest

from nli_faith.datamodels import Record
from nli_faith.metrics.base import MetricStatus
from nli_faith.metrics.readability import Conciseness, Readability, length, published_band
from tests.metrics.engine_fake import TableEngine

ENGINE = TableEngine()


def readable(answer: str):
    return Readability().compute(Record(id="r", answer=answer), ENGINE)


def concise(answer: str, **fields):
    return Conciseness().compute(Record(id="r", answer=answer, **fields), ENGINE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("整机保修两年。", 6),
        ("共 1,200.5 元，", 3),
        ("the user's model", 4.5),
        ("用API调用", 4.5),
        ("２０２３年", 2),
        ("80%", 1),
        ("……", 0),
        ("", 0),
    ],
)
def test_length(text, expected):
    assert length(text) == expected


@pytest.mark.parametrize(
    ("chars", "expected"), [(1, 1.0), (40, 1.0), (70, 0.5), (99, 1 / 60), (100, 0.0), (300, 0.0)]
)
def test_one_sentence(chars, expected):
    value = readable("长" * chars + "。")
    assert value.value == pytest.approx(expected)
    assert value.details["mean_length"] == chars


def test_mean_over_sentences():
    value = readable("短" * 10 + "。" + "长" * 70 + "。")
    assert value.value == pytest.approx(0.75)
    assert value.details["sentences"] == 2
    assert value.details["longest"] == 70
    assert value.details["ans"] == 2.5
    assert value.details["long_sentences"] == ["长" * 70 + "。"]


@pytest.mark.parametrize(
    ("mean", "band"),
    [(9.9, "simple"), (10, "primary"), (100 / 6, "primary"), (17, "intermediate_or_difficult")],
)
def test_published_bands(mean, band):
    assert published_band(mean) == band


def test_headings_tables_and_code_are_no_sentences():
    text = (
        "# 标题很长"
        + "长" * 60
        + "\n\n整机保修两年。\n\n```\n"
        + "x" * 300
        + "\n```\n\n| 甲 | 乙 |\n|---|---|\n| 一 | 二 |\n"
    )
    value = readable(text)
    assert (value.value, value.details["sentences"]) == (1.0, 1)


@pytest.mark.parametrize(
    ("answer", "status"),
    [(" ", MetricStatus.MISSING_FIELD), ("# 标题\n", MetricStatus.NOTHING_TO_MEASURE)],
)
def test_no_sentence(answer, status):
    value = readable(answer)
    assert math.isnan(value.value)
    assert value.status is status


def test_all_claims_is_concise():
    assert concise("整机保修两年。电池保修一年。").value == 1.0


def test_courtesies_cost_their_length():
    value = concise("您好！整机保修两年。")
    assert value.value == pytest.approx(6 / 8)
    assert value.details["filler"] == ["您好！"]


def test_saying_it_again_costs():
    value = concise("整机保修两年。电池保修一年。整机保修两年！")
    assert value.value == pytest.approx(12 / 18)
    assert value.details["repeated"] == ["整机保修两年！"]


def test_what_shares_words_only_is_no_repetition():
    assert concise("整机保修两年。整机保修不含电池。").value == 1.0


def test_room_beside_the_reference():
    answer = (
        "整机自购买之日起保修两年，凭发票到任一门店办理。" * 1
        + "电池保修一年，人为损坏除外，配件另购，邮费自理。"
    )
    total = length(answer)
    assert total > 40
    assert concise(answer, reference="保修两年。").value == pytest.approx(40 / total)
    assert concise(answer, reference=answer).value == 1.0
    assert concise("保修两年，凭发票办理。", reference="两年").value == 1.0


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("", MetricStatus.MISSING_FIELD),
        ("您好！", MetricStatus.NOTHING_TO_MEASURE),
        ("无法确定。", MetricStatus.NOTHING_TO_MEASURE),
    ],
)
def test_nothing_asserted(answer, status):
    assert concise(answer).status is status
