"""Coverage of points and completeness: exact values on a table of verdicts, and the model."""

from __future__ import annotations

import math

import pytest

from nli_faith import FaithfulnessScorer, Record
from nli_faith.lexicon import default_lexicon
from nli_faith.metrics.base import MetricStatus
from nli_faith.metrics.coverage import Completeness, Coverage, whole
from nli_faith.metrics.engine import ScorerEngine
from nli_faith.metrics.statements import declarative, is_fragment, statement
from nli_faith.metrics.terms import held
from tests.metrics.engine_fake import TableEngine


def cover(question, answer, contexts=(), table=None, lexicon=None):
    record = Record("1", answer, tuple(contexts), question=question)
    return Coverage(lexicon).compute(record, TableEngine(table))


@pytest.mark.parametrize(
    ("question", "answer", "value", "missed"),
    [
        ("对比A和B的价格和性能", "A的价格是5000元，跑分100万。B的价格是4000元。", 0.75, ["B的性能"]),
        ("对比A和B的价格和性能", "A的价格是5000元。", 0.25, ["A的性能", "B的价格", "B的性能"]),
        ("公司的营收和净利润分别是多少？", "公司营收为12亿元。", 0.5, ["公司的净利润"]),
        ("公司的营收和净利润分别是多少？", "公司营收和净利润分别为12亿元和1亿元。", 1.0, []),
        ("2022年和2023年的营收是多少？", "2022年营收为10亿元，2023年为12亿元。", 1.0, []),
        ("会议在何时何地召开？", "会议于3月5日召开。", 0.5, ["会议在何地召开"]),
        ("这款手机的保修期是多久？", "保修期为两年。", 1.0, []),
        ("这款手机的保修期是多久？", "质保期为两年。", 1.0, []),
        ("A的价格是多少？B呢？", "A的价格是5元。", 0.5, ["B的价格"]),
        ("How long is the warranty?", "The warranty lasts two years.", 1.0, []),
        ("How long is the warranty?", "The phone has a big screen.", 0.0, ["How long is the warranty"]),
        ("What are the price and battery life of the Pixel 8?", "The Pixel 8 costs $699.", 0.5,
         ["battery life of the Pixel 8"]),
    ],
)  # fmt: skip
def test_share_of_points(question, answer, value, missed):
    found = cover(question, answer)
    assert found.value == value
    assert found.status is MetricStatus.MEASURED
    assert found.details["missed"] == missed
    assert found.details["asked"] - found.details["covered"] == len(missed)


def test_entity_carries_over_to_the_next_sentence():
    found = cover("对比甲车和乙车的价格和续航", "甲车续航500公里。价格为20万元。乙车价格为18万元。")
    assert found.value == 0.75
    assert found.details["missed"] == ["乙车的续航"]


def test_entity_in_a_heading():
    answer = "## 甲车\n- 价格为20万元\n\n## 乙车\n- 价格为18万元\n"
    assert cover("甲车和乙车的价格是多少？", answer).value == 1.0


def test_both_entity_and_aspect_are_needed():
    """Right entity without the aspect, right aspect of another entity: neither covers."""
    assert cover("这款手机的保修期是多久？", "这款手机重200克。").value == 0
    found = cover("甲车和乙车的价格是多少？", "甲车价格为20万元。")
    assert [p["covered"] for p in found.details["points"]] == [True, False]


def test_naming_the_aspect_is_no_answer():
    found = cover("这款手机的保修期是多久？", "这款手机的保修期请见说明书。")
    assert found.value == 0
    assert found.details["points"][0]["answering"] == 0.3


def test_refusal_covers_nothing():
    found = cover("保修期多久？怎么退货？", "根据材料无法确定。")
    assert found.value == 0
    assert found.status is MetricStatus.REFUSAL
    assert found.details["missed"] == ["保修期多久", "怎么退货"]


@pytest.mark.parametrize(
    ("question", "answer"), [(None, "两年。"), (" ", "两年。"), ("多久？", " ")]
)
def test_missing_fields(question, answer):
    found = cover(question, answer)
    assert math.isnan(found.value)
    assert found.status is MetricStatus.MISSING_FIELD
    assert ("question" if answer.strip() else "answer") in found.reason


def test_a_question_without_letters_is_nothing_to_measure():
    found = cover("？？", "两年。")
    assert math.isnan(found.value)
    assert found.status is MetricStatus.NOTHING_TO_MEASURE


def test_an_answer_that_asserts_nothing_covers_nothing():
    found = cover("怎么退货？", "您好，很高兴为您服务！")
    assert found.value == 0
    assert found.reason == "the answer asserts nothing"


def test_yes_no_by_entailment_of_the_declarative_form():
    question, answer = "这款手机支持无线充电吗？", "该机型充电要接电源。"
    assert cover(question, answer).value == 0
    table = {("这款手机支持无线充电", answer): (0.1, 0.9)}
    denied = cover(question, answer, table=table)
    assert denied.value == 1
    assert denied.details["points"][0]["how"] == "entailment"


def test_a_bare_yes_answers():
    assert cover("这款手机支持无线充电吗？", "可以。").value == 1
    assert cover("这款手机支持无线充电吗？", "屏幕为OLED。").value == 0


CONTEXT = "在欧洲，梵语的学术研究由陆特和汉斯雷顿开创。"
QUESTION = "陆特和汉斯雷顿开创了哪一地区对梵语的学术研究？"


def test_a_short_answer_is_tied_to_the_question_by_the_material():
    found = cover(QUESTION, "欧洲", [CONTEXT])
    assert found.value == 1
    assert found.details["points"][0]["how"] == "context"
    assert cover(QUESTION, "陶瓷", [CONTEXT]).value == 0


def test_a_short_answer_is_tied_by_entailment():
    filled = "陆特和汉斯雷顿开创了西欧对梵语的学术研究"
    found = cover(QUESTION, "西欧", [CONTEXT], table={(filled, CONTEXT): (0.9, 0.0)})
    assert found.value == 1
    assert found.details["points"][0]["how"] == "entailment"


def test_user_synonyms():
    question, answer = "这款车的爬坡度和油耗是多少？", "这款车登坡能力为30%，油耗为6升。"
    assert cover(question, answer).value == 0.5
    ours = default_lexicon().extended([["爬坡度", "登坡能力"]])
    assert cover(question, answer, lexicon=ours).value == 1


def test_latin_words_match_whole():
    lexicon = default_lexicon()
    assert held("cat", "a category of things", lexicon) == 0
    assert held("warranty", "two warranties are given", lexicon) == 0
    assert held("battery", "both batteries", lexicon) == 0
    assert held("refund", "we refunded it", lexicon) == 1


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("陆特开创了哪一地区的研究？", "欧洲", "陆特开创了欧洲的研究"),
        ("保修期是多久？", "两年。", "保修期是两年"),
        ("至少需要多少公斤的氧化钾？", "50", "至少需要50公斤的氧化钾"),
        ("至少需要多少公斤的氧化钾？", "50公斤", "至少需要50公斤的氧化钾"),
        ("裕仁天皇的孩子是谁?", "明仁", "裕仁天皇的孩子是明仁"),
        ("曼尼托巴的气候特色为?", "湿润", "曼尼托巴的气候特色为湿润"),
        ("年轻人为甚么很少用上海话?", "害怕被人听到", "年轻人很少用上海话，是因为害怕被人听到"),
        ("How long is it?", "two years", "How long is it: two years"),
    ],
)
def test_statements(question, answer, said):
    assert statement(question, answer) == said


def test_declarative_forms():
    assert declarative("这款手机支持快充吗？") == "这款手机支持快充"
    assert declarative("该方案是否可行？") == "该方案可行"
    assert declarative("有没有停车场") == "有停车场"
    assert declarative("保修期多久") == ""
    assert is_fragment("两年")
    assert not is_fragment("保修期为两年，从购买之日起算。")
    assert whole(None, "两年") == "两年"


def complete(reference, answer, table=None, question=None):
    record = Record("1", answer, question=question, reference=reference)
    return Completeness().compute(record, TableEngine(table))


def test_completeness_is_the_share_of_reference_claims_entailed():
    reference = "整机保修两年。电池保修一年。屏幕不保修。"
    table = {
        ("整机保修两年。", "保两年"): (0.9, 0.0),
        ("电池保修一年。", "保两年"): (0.9, 0.0, True),  # capped: another number
    }
    found = complete(reference, "整机保两年。", table)
    assert found.value == pytest.approx(1 / 3)
    assert found.details["missed"] == ["电池保修一年。", "屏幕不保修。"]
    assert found.details["claims"][0]["evidence"] == "保两年"


def test_completeness_reads_fragments_with_their_question():
    table = {("保修期是两年", "保修期是两年"): (0.9, 0.0)}
    assert complete("两年", "两年", table, "保修期是多久？").value == 1


@pytest.mark.parametrize(
    ("reference", "answer", "status"),
    [
        (None, "两年。", MetricStatus.MISSING_FIELD),
        ("保修两年。", "", MetricStatus.MISSING_FIELD),
        ("您好！", "保修两年。", MetricStatus.NOTHING_TO_MEASURE),
        ("材料未提供相关信息。", "保修两年。", MetricStatus.NOTHING_TO_MEASURE),
    ],
)
def test_completeness_without_a_value(reference, answer, status):
    found = complete(reference, answer)
    assert math.isnan(found.value)
    assert found.status is status


def test_completeness_of_a_refusal():
    found = complete("保修两年。", "根据材料无法确定。")
    assert (found.value, found.status) == (0.0, MetricStatus.REFUSAL)


@pytest.fixture(scope="module")
def engine():
    return ScorerEngine(FaithfulnessScorer.from_pretrained(threads=1))


def test_on_the_bundled_model(engine):
    record = Record(
        "1", "整机保修两年。", question="保修期多久？如何退货？", reference="整机保修期为两年。"
    )
    assert Coverage().compute(record, engine).value == 0.5
    assert Completeness().compute(record, engine).value == 1
