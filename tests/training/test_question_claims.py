"""Statements and claims made from questions with answers."""

from __future__ import annotations

import pytest

from nli_faith.training.perturb.qa import QuestionClaims, group
from nli_faith.training.perturb.statements import statement


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("广州是哪一年设市的？", "1921年", "广州是1921年设市的。"),
        ("《离骚》的作者是谁？", "屈原", "《离骚》的作者是屈原。"),
        ("该校现有多少名学生？", "3200", "该校现有3200名学生。"),
        ("该校现有多少名学生？", "3200名", "该校现有3200名学生。"),
        ("博物馆一共收藏了多少件文物？", "约12万件", "博物馆一共收藏了约12万件文物。"),
        ("梵语最早用什么文字书写？", "婆罗米文", "梵语最早用婆罗米文书写。"),
        ("这次会议将在哪里举行呢？", "杭州", "这次会议将在杭州举行。"),
    ],
)
def test_the_answer_takes_the_place_of_the_question_word(question, answer, expected):
    assert statement(question, answer) == expected


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("为什么要建这座桥？", "方便通行"),
        ("这座桥是不是免费的？", "是"),
        ("谁在哪一年建了这座桥？", "李春"),  # two question words
        ("这座桥是谁主持建造的？", "605年"),  # a figure is nobody
        ("这座桥是哪一年建成的？", "李春"),  # a name is no year
        ("这座桥的作用有什么？", "通行，观景"),  # not one phrase
    ],
)
def test_where_no_rule_is_sure_nothing_is_made(question, answer):
    assert statement(question, answer) is None


PASSAGE = "赵州桥由李春主持建造，605年建成，全长64.4米。当地人王二在桥头卖茶。"
ROWS = [
    {"question": "赵州桥是谁主持建造的？", "answer": "李春", "contexts": [PASSAGE]},
    {"question": "赵州桥是哪一年建成的？", "answer": "605年", "contexts": [PASSAGE]},
    {"question": "现在在桥头卖茶的人是谁？", "answer": "王二", "contexts": [PASSAGE]},
    {"question": "另一篇里说的人是谁？", "answer": "张三", "contexts": ["别的文章。"]},
]


def test_rows_over_one_passage_stay_together():
    assert [len(g) for g in group(ROWS)] == [3, 1]


def test_twins_differ_and_only_the_supported_one_says_the_answer():
    made = QuestionClaims(1).document(ROWS[:3], "d1")
    assert made is not None
    assert made["contexts"] == [PASSAGE]
    assert {p["supported"] for p in made["pairs"]} <= {
        "赵州桥是李春主持建造的。", "赵州桥是605年建成的。", "现在在桥头卖茶的人是王二。"
    }  # fmt: skip
    assert len(made["pairs"]) >= 2
    for pair in made["pairs"]:
        assert pair["edited"] != pair["supported"]
        assert pair["label"] in ("contradicted", "unsupported", "not_mentioned")


def test_the_same_seed_makes_the_same_claims():
    assert QuestionClaims(5).document(ROWS[:3], "d") == QuestionClaims(5).document(ROWS[:3], "d")


def test_a_passage_without_a_sure_statement_makes_nothing():
    row = {"question": "为什么？", "answer": "不知道", "contexts": ["文。"]}
    assert QuestionClaims(1).document([row], "d") is None
