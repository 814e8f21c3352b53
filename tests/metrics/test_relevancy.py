"""Answer relevancy: exact values, copying, padding, refusals, and the model."""

from __future__ import annotations

import math

import pytest

from nli_faith import FaithfulnessScorer, Record
from nli_faith.metrics.base import MetricStatus
from nli_faith.metrics.engine import ScorerEngine
from nli_faith.metrics.relevancy import AnswerRelevancy
from tests.metrics.engine_fake import TableEngine

QUESTION = "这款手机的保修期是多久？"


def relevancy(question, answer, contexts=()):
    record = Record("1", answer, tuple(contexts), question=question)
    return AnswerRelevancy().compute(record, TableEngine())


def test_a_plain_answer_is_fully_relevant():
    found = relevancy(QUESTION, "这款手机的保修期为两年。")
    assert found.value == 1
    assert found.details["claims"] == [{"text": "这款手机的保修期为两年。", "role": "answers"}]


def test_padding_costs_its_share():
    answer = "这款手机的保修期为两年。"
    one = relevancy(QUESTION, answer + "公司总部位于深圳。")
    two = relevancy(QUESTION, answer + "公司总部位于深圳。门店提供咖啡。")
    assert one.value == pytest.approx(1 / 2)
    assert two.value == pytest.approx(1 / 3)
    assert [c["role"] for c in two.details["claims"]] == ["answers", "unrelated", "unrelated"]


def test_elaboration_costs_half_of_its_share():
    found = relevancy(QUESTION, "这款手机的保修期为两年。这款手机重200克。")
    assert [c["role"] for c in found.details["claims"]] == ["answers", "elaborates"]
    assert found.value == pytest.approx(0.75)


def test_steps_of_an_instruction_are_no_padding():
    answer = "如需申请退货，请先打开订单页面。然后点击申请退货按钮。最后填写退货原因并提交。"
    found = relevancy("如何申请退货？", answer)
    assert found.details["on_topic"] == 1
    assert found.value == 1


@pytest.mark.parametrize(
    "copied",
    ["这款手机采用6.7英寸屏幕，重200克。", "这款手机于2023年9月发布。", "这款手机支持无线充电。"],
)
def test_copied_material_that_does_not_answer_is_low(copied):
    material = [copied + "这款手机的保修期为两年。"]
    assert relevancy(QUESTION, copied, material).value <= 0.15
    assert relevancy(QUESTION, "这款手机的保修期为两年。", material).value == 1


def test_half_of_the_points():
    found = relevancy("公司的营收和净利润分别是多少？", "公司的营收为12亿元。")
    # 营收 1, 净利润 0.2 (a fitting amount, but of another aspect)
    assert found.value == pytest.approx(0.6)
    assert found.details["missed"] == ["公司的净利润"]


def test_restating_the_question_is_no_answer():
    assert relevancy("公司的发展战略是什么？", "公司的发展战略。").value < 0.5


def test_refusal_is_zero_with_its_status():
    found = relevancy(QUESTION, "根据材料无法确定保修期。")
    assert (found.value, found.status) == (0.0, MetricStatus.REFUSAL)


def test_no_claims_is_zero():
    found = relevancy(QUESTION, "您好，很高兴为您服务！")
    assert (found.value, found.status) == (0.0, MetricStatus.MEASURED)


@pytest.mark.parametrize(("question", "answer"), [(None, "两年。"), ("多久？", "")])
def test_missing(question, answer):
    found = relevancy(question, answer)
    assert math.isnan(found.value)
    assert found.status is MetricStatus.MISSING_FIELD


def test_what_cannot_be_checked_is_between():
    """Without material a fitting fragment is taken for an answer, but not fully."""
    assert relevancy(QUESTION, "两年").value == pytest.approx(0.7)
    assert relevancy(QUESTION, "欧洲").value < 0.5


def test_on_the_bundled_model():
    engine = ScorerEngine(FaithfulnessScorer.from_pretrained(threads=1))
    material = ("整机保修期为两年，电池保修一年。屏幕采用OLED面板。",)
    asked = "整机的保修期是多久？"
    metric = AnswerRelevancy()
    values = [
        metric.compute(Record("1", answer, material, question=asked), engine).value
        for answer in ("整机保修期为两年。", "屏幕采用OLED面板。", "两年")
    ]
    assert values[0] == 1
    assert values[1] == 0
    assert values[2] == 1
