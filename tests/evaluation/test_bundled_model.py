"""A few judgements of the bundled model that the metrics must not lose."""

from __future__ import annotations

import pytest

from nli_faith.datamodels import Record
from nli_faith.evaluation import Evaluator
from nli_faith.metrics.engine import ScorerEngine
from nli_faith.metrics.registry import resolve
from nli_faith.scorer import FaithfulnessScorer

MATERIAL = (
    "门店周一至周日九点开门，晚上九点关门。",
    "住宿费实行限额管理：一线城市每人每晚不超过500元，其他省会城市不超过400元。",
)
QUESTION = "一线城市的住宿费上限是多少？"


@pytest.fixture(scope="module")
def evaluator():
    engine = ScorerEngine(FaithfulnessScorer.from_pretrained("bundled", threads=1))
    names = "faithfulness,context_recall,context_precision,answer_correctness,answer_similarity"
    return Evaluator(engine, resolve(names))


def values(evaluator, answer, reference):
    record = Record(
        id="r", answer=answer, contexts=MATERIAL, question=QUESTION, reference=reference
    )
    found = evaluator.evaluate_one(record).values
    return {name: v.value for name, v in found.items()}


def test_right_beats_wrong(evaluator):
    reference = "一线城市每人每晚不超过500元。"
    right = values(evaluator, "一线城市每人每晚不超过500元。", reference)
    wrong = values(evaluator, "所有城市的住宿费都可以全额报销。", reference)
    assert right["faithfulness"] == right["answer_correctness"] == right["context_recall"] == 1.0
    assert right["context_precision"] == 0.5  # the evidence is in the second context
    assert wrong["faithfulness"] == wrong["answer_correctness"] == 0.0
    assert wrong["answer_similarity"] < right["answer_similarity"]


ELLIPTIC = [
    ("公司总部在哪个城市？", "公司总部位于{}。", "杭州", "成都"),
    ("商品可以在几天内退货？", "商品在{}内可以退货。", "七天", "十五天"),
    ("贷款的年利率是多少？", "贷款的年利率为{}。", "3.85%", "4.85%"),
    ("发票需要在多少天内提交？", "发票应在{}内提交。", "15个工作日", "30个工作日"),
    ("会议在哪里举行？", "会议将在{}举行。", "北京", "上海"),
]


def test_elliptic_references_are_understood(evaluator):
    metric = next(m for m in evaluator.metrics if m.name == "answer_correctness")
    right, wrong = [], []
    for question, answer, truth, other in ELLIPTIC:
        for said, scores in ((truth, right), (other, wrong)):
            record = Record("r", answer.format(said), question=question, reference=truth)
            scores.append(metric.compute(record, evaluator.engine).value)
    assert sum(right) >= 4
    assert sum(wrong) == 0
