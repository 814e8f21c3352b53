"""Rewrites of questions: what each rule offers, and what it leaves alone."""

from __future__ import annotations

import pytest

from nli_faith.errors import ConfigError, InputEncodingError, InputError
from nli_faith.lexicon import default_lexicon, load_lexicon
from nli_faith.quantities import parse_quantities
from nli_faith.rephrasing import RULES, Rephraser

LEXICON = default_lexicon()
QUESTIONS = [
    "公司2023年第三季度的营收是多少？", "谁发明了电话？", "请问保修期3个月还是两年？",
    "这款手机支持快充吗？", "请介绍一下公司的优势", "2023年一至三季度的营收", "小米6防水等级",
    "What is the price of X in 2023?", "Who invented the telephone?", "对比A和B的价格和性能",
    "前三季度的净利润同比增长了百分之几？", "会议在2024年5月10日下午3点召开吗？",
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "question", "wanted"),
    [
        ("quarter", "2023年第三季度的营收", {"2023年Q3的营收", "2023年三季度的营收"}),
        ("quarter", "Q3营收是多少？", {"第三季度营收是多少？", "三季度营收是多少？"}),
        ("quarter", "前三季度的营收", set()),
        ("quarter", "一至三季度的营收", set()),
        ("quarter", "连续三季度亏损的公司", set()),
        ("quarter", "第一季度到第三季度的营收", set()),
        ("numeral", "2023年的营收", {"二〇二三年的营收"}),
        ("numeral", "二〇二三年的营收", {"2023年的营收"}),
        ("numeral", "试用期3个月吗？", {"试用期三个月吗？"}),
        ("numeral", "试用期2个月吗？", {"试用期两个月吗？"}),
        ("numeral", "2023年9月的营收", set()),
        ("numeral", "12个月的费用", set()),
        ("time_order", "公司2023年第三季度的营收是多少？", {"2023年第三季度，公司的营收是多少？"}),
        ("time_order", "2023年第三季度，公司的营收是多少？", {"公司2023年第三季度的营收是多少？"}),
        ("time_order", "公司2022年和2023年的营收是多少？", set()),
        ("time_order", "合同签订于2023年的公司有哪些？", set()),
        ("time_order", "What was revenue in 2023?", {"In 2023, what was revenue?"}),
        ("time_order", "In 2023, what was revenue?", {"What was revenue in 2023?"}),
        ("voice", "谁发明了电话？", {"电话是由谁发明的？"}),
        ("voice", "电话是由谁发明的？", {"谁发明了电话？"}),
        ("voice", "A公司收购了哪家企业？", {"哪家企业被A公司收购了？"}),
        ("voice", "电话的保修期是多久？", set()),
        ("voice", "Who invented the telephone?", {"Who was the telephone invented by?"}),
        ("voice", "Who was the book written by?", {"Who wrote the book?"}),
        ("voice", "Who knows the answer?", set()),
        ("question_word", "会议什么时候召开？", {"会议何时召开？"}),
        ("question_word", "怎么申请退货？", {"如何申请退货？"}),
        ("question_word", "性能怎么样？", set()),
        ("question_word", "该方案是否可行？", {"该方案可行吗？"}),
        ("question_word", "手机支持快充吗？", {"手机是否支持快充？"}),
        ("contraction", "What is the fee?", {"What's the fee?"}),
        ("contraction", "Why can't I log in?", {"Why cannot I log in?"}),
        ("contraction", "Do you know what it is?", set()),
        ("contraction", "What's happened in 2021?", set()),
        ("synonym", "《价格的故事》的作者是谁？", set()),
        ("synonym", "优点和优势有哪些？", {"长处和优势有哪些？", "优点和长处有哪些？"}),
        ("synonym", "净利润是多少？", {"纯利润是多少？"}),
        ("width", "小米6防水等级", set()),
        ("width", "2023年的营收?", {"２０２３年的营收?", "2023年的营收？"}),
        ("width", "利率是3.5%吗", set()),
    ],
)  # fmt: skip
def test_rules(rule, question, wanted):
    assert set(RULES[rule](question, LEXICON)) == wanted


@pytest.mark.parametrize(
    "question", ["请问价格是多少？", "麻烦问一下，价格是多少？", "您好，价格是多少？"]
)
def test_a_courtesy_is_taken_away(question):
    assert "价格是多少？" in RULES["politeness"](question, LEXICON)


def test_a_courtesy_is_added():
    offered = RULES["politeness"]("价格是多少？", LEXICON)
    assert "请问价格是多少？" in offered
    assert "能否告诉我，价格是多少？" in offered
    assert RULES["politeness"]("Compare A and B.", LEXICON) == ["Please compare A and B."]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_variant_keeps_its_numbers_and_differs(question):
    variants = Rephraser().variants(question, 50)
    assert variants
    wanted = sorted((q.type, q.value, q.unit, q.op) for q in parse_quantities(question))
    for variant in variants:
        assert variant.question != question
        assert variant.rules
        assert set(variant.rules) <= set(RULES)
        found = parse_quantities(variant.question)
        assert sorted((q.type, q.value, q.unit, q.op) for q in found) == wanted
    assert len({v.question for v in variants}) == len(variants)


def test_a_rewrite_that_changes_a_number_is_dropped(monkeypatch):
    monkeypatch.setitem(RULES, "quarter", lambda text, _: [text.replace("三", "四")])
    assert Rephraser(rules=["quarter"]).variants("第三季度的营收是多少？") == []


def test_different_rules_come_first():
    variants = Rephraser(seed=3).variants("公司2023年第三季度的营收是多少？", 5)
    assert all(len(v.rules) == 1 for v in variants)
    assert len({v.rules for v in variants}) == 5


def test_two_rules_when_one_does_not_do():
    variants = Rephraser(rules=["quarter", "numeral"]).variants("2023年Q3的营收？", 20)
    assert {v.question for v in variants} == {
        "2023年第三季度的营收？", "2023年三季度的营收？", "二〇二三年Q3的营收？",
        "二〇二三年第三季度的营收？", "二〇二三年三季度的营收？",
    }  # fmt: skip
    assert {len(v.rules) for v in variants} == {1, 2}


def test_a_seed_makes_the_same_choice():
    question = "公司2023年第三季度的营收是多少？"
    assert Rephraser(seed=1).variants(question) == Rephraser(seed=1).variants(question)
    chosen = {tuple(Rephraser(seed=s).variants(question)) for s in range(8)}
    assert len(chosen) > 1


def test_nothing_to_rephrase():
    assert Rephraser().variants("  ") == []
    assert Rephraser(rules=["quarter"]).variants("价格是多少？") == []


def test_bad_calls():
    with pytest.raises(ConfigError, match="'quarters'"):
        Rephraser(rules=["quarters"])
    with pytest.raises(ConfigError, match="no rule"):
        Rephraser(rules=[])
    for count in (0, 101, "3", True):
        with pytest.raises(ConfigError, match=repr(count)):
            Rephraser().variants("价格？", count)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.csv", "\ufeff爬坡度,登坡能力\n# 注释\n\n"),
        ("s.json", '[["爬坡度", "登坡能力"]]'),
        ("s.json", '{"synonyms": [["爬坡度", "登坡能力"]], "related": {"油耗": ["百公里"]}}'),
    ],
)
def test_user_synonyms(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    lexicon = load_lexicon(path)
    assert lexicon.synonyms("登坡能力") == ("爬坡度",)
    assert lexicon.synonyms("售价") == LEXICON.synonyms("售价")
    offered = RULES["synonym"]("这款车的登坡能力是多少？", lexicon)
    assert "这款车的爬坡度是多少？" in offered


def test_user_synonyms_in_toml(tmp_path):
    pytest.importorskip("tomllib", reason="TOML needs Python 3.11")
    path = tmp_path / "s.toml"
    path.write_text('synonyms = [["爬坡度", "登坡能力"]]\n[related]\n油耗 = ["百公里"]\n'.replace(
        "油耗", '"油耗"'), encoding="utf-8")  # fmt: skip
    lexicon = load_lexicon(path)
    assert lexicon.synonyms("爬坡度") == ("登坡能力",)
    assert "百公里" in lexicon.names("油耗")


@pytest.mark.parametrize(
    ("name", "data", "error", "says"),
    [
        ("s.csv", "价格\n".encode(), ConfigError, "s.csv:1"),
        ("s.json", b'{"synonyms": [["a"]]}', ConfigError, r"synonyms\[0\]"),
        ("s.json", b'{"synonym": []}', ConfigError, "'synonym'"),
        ("s.json", b"{\n\n,", InputError, "s.json:3"),
        ("s.json", b"5", ConfigError, "5"),
        ("s.txt", b"a,b", ConfigError, "'.txt'"),
        ("s.csv", "价格,售价".encode("gb18030"), InputEncodingError, "UTF-8"),
    ],
)
def test_bad_synonyms(tmp_path, name, data, error, says):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(error, match=says):
        load_lexicon(path)


def test_absent_synonyms(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv"):
        load_lexicon(tmp_path / "none.csv")
