"""The topic of a point, kinds of Chinese questions, and topics found through the source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nli_faith import FaithfulnessScorer, Record
from nli_faith.lexicon import default_lexicon
from nli_faith.metrics.coverage import Coverage
from nli_faith.metrics.engine import ScorerEngine
from nli_faith.metrics.points import split_question
from nli_faith.metrics.question_types import AnswerKind, asked, fits
from nli_faith.metrics.relevancy import AnswerRelevancy
from nli_faith.metrics.topic import says_little, spoken_of, topic_terms
from tests.metrics.engine_fake import TableEngine

HELD_OUT = [
    json.loads(line)
    for line in (Path(__file__).parent / "heldout_answers.jsonl").read_text("utf-8").splitlines()
]


def covered(question, answer, *contexts):
    return Coverage().compute(Record("1", answer, contexts, question=question), TableEngine()).value


@pytest.mark.parametrize(
    ("question", "aspect", "kind"),
    [
        ("漏水了应该做什么", "", AnswerKind.HOW),
        ("飞行前要注意些什么", "", AnswerKind.HOW),
        ("这个功能叫什么", "", AnswerKind.OPEN),
        ("屏幕发绿是怎么回事", "", AnswerKind.WHY),
        ("维修的运费谁出", "运费", AnswerKind.WHO),
        ("维修的运费是多少", "运费", AnswerKind.AMOUNT),
        ("护照要在多久之内取走", "", AnswerKind.AMOUNT),
        ("这样可以么", "", AnswerKind.YES_NO),
    ],
)
def test_kinds(question, aspect, kind):
    assert asked(question, aspect, question).kind is kind


def test_a_yes_no_answer_speaks_of_what_is_asked_after():
    may = asked("孕妇可以喝咖啡吗")
    assert fits(may, "孕妇每日不宜超过一杯。")
    assert fits(may, "可少量饮用。")
    assert not fits(may, "咖啡豆因不同的烘焙方式而有差异。")


def test_what_only_helps_to_ask_is_no_topic():
    assert [t.word for t in topic_terms("打印机卡纸应该怎么处理")] == ["打印机", "卡", "纸"] or [
        t.word for t in topic_terms("打印机卡纸应该怎么处理")
    ] == ["打印机", "卡纸"]
    assert [(t.word, t.weight) for t in topic_terms("报e5故障")][-2:] == [("e5", 2.0), ("故障", 1)]
    assert says_little("怎么办")
    assert not says_little("电池怎么拆")


def test_a_point_without_content_takes_the_clause_before():
    (point,) = split_question("快递被邻居误拿了，怎么办？")
    assert point.text == "怎么办"
    assert "快递" in point.about
    first, second = split_question("图书最多借几本？多久要还？")
    assert "图书" in second.about
    assert first.about == first.text


def test_near_relatives_count_half():
    lexicon = default_lexicon()
    assert spoken_of(topic_terms("收费"), "基础安装免费", lexicon) == 0.5
    assert spoken_of(topic_terms("收费"), "基础安装需预约", lexicon) == 0


SOURCE = "儿童误食干燥剂后，须立刻用清水漱口并饮少量牛奶。"


def test_the_topic_may_stand_in_the_source_of_the_claim():
    question, answer = "儿童误食干燥剂后应该怎么处理？", "须立刻用清水漱口并饮少量牛奶。"
    assert covered(question, answer, SOURCE) == 1
    # The same words from a sentence on another matter cover nothing.
    assert covered(question, answer, "拔牙之后须立刻用清水漱口并饮少量牛奶。") == 0


def test_a_claim_from_a_context_on_the_topic_is_no_padding():
    contexts = ("租车押金为2000元。还车后原路返还。", "门店提供咖啡。")
    record = Record("1", "押金为2000元。还车后原路返还。门店提供咖啡。", contexts,
                    question="租车押金是多少？")  # fmt: skip
    found = AnswerRelevancy().compute(record, TableEngine())
    assert [c["role"] for c in found.details["claims"]] == ["answers", "elaborates", "unrelated"]


def test_held_out_pairs():
    """30 pairs written before the rules by the same author: 9 of 15 answers are covered, 4 of 15 others are.

    Before the topic was looked for in the source it was 5 and 4. The floor is what was measured.
    """
    engine = ScorerEngine(FaithfulnessScorer.from_pretrained(threads=1))
    found = {True: 0, False: 0}
    for row in HELD_OUT:
        record = Record(row["id"], row["answer"], tuple(row["contexts"]), question=row["question"])
        found[row["answered"]] += Coverage().compute(record, engine).value >= 0.5
    assert found[True] >= 9
    assert found[False] <= 4
