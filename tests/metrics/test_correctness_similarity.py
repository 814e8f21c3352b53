"""answer_correctness and answer_similarity by hand."""

from __future__ import annotations

import math

import pytest

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, MissingExtraError, ModelNotFoundError
from nli_faith.metrics import similarity
from nli_faith.metrics.base import MetricStatus
from nli_faith.metrics.correctness import AnswerCorrectness, f_beta
from nli_faith.metrics.similarity import AnswerSimilarity
from nli_faith.metrics.support import stated
from tests.metrics.engine_fake import TableEngine

A = "整机保修两年。电池保修一年。门店九点开门。"
R = "整机质保24个月。电池质保12个月。配件另购。"
TABLE = {
    ("整机保修两年。", "整机质保24个月。"): (0.9, 0.0),
    ("电池保修一年。", "电池质保12个月。"): (0.8, 0.0),
    ("整机质保24个月。", "整机保修两年。"): (0.7, 0.0),
}


def record(answer=A, reference=R, question=None) -> Record:
    return Record(id="r", answer=answer, reference=reference, question=question)


def test_pairs_in_both_directions():
    value = AnswerCorrectness().compute(record(), TableEngine(TABLE))
    d = value.details
    assert (d["tp"], d["fp"], d["fn"]) == (2, 1, 2)
    assert (d["precision"], d["recall"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert value.value == pytest.approx(2 * (2 / 9) / 1)
    assert d["f1_statements"] == pytest.approx(2 / 3.5)
    assert [c["match"] for c in d["answer_claims"]] == ["entailed", "entailed", "none"]
    assert d["answer_claims"][0]["entails"] == ["整机质保24个月。"]
    assert d["reference_claims"][0]["evidence"]["text"] == "整机保修两年。"


def test_beta_weighs_recall():
    value = AnswerCorrectness(beta=2).compute(record(), TableEngine(TABLE)).value
    assert value == pytest.approx(5 * (2 / 9) / (4 * 2 / 3 + 1 / 3))


def test_a_claim_that_says_more_than_the_reference_is_a_hit():
    answer, reference = "整机保修两年且全国联保。", "整机保修两年。"
    engine = TableEngine({(reference, answer): (0.9, 0.0)})
    value = AnswerCorrectness().compute(record(answer, reference), engine)
    assert value.value == 1.0
    assert value.details["answer_claims"][0]["match"] == "entails"


@pytest.mark.parametrize("verdict", [(0.1, 0.9), (0.9, 0.0, True)])
def test_but_not_one_that_contradicts_or_has_another_number(verdict):
    answer, reference = "整机保修三年且全国联保。", "整机全国联保。"
    table = {(reference, answer): (0.9, 0.0), (answer, reference): verdict}
    value = AnswerCorrectness().compute(record(answer, reference), TableEngine(table))
    assert value.value == 0.0
    assert (value.details["fp"], value.details["fn"]) == (1, 0)


def test_nothing_in_common_is_zero():
    assert AnswerCorrectness().compute(record(), TableEngine()).value == 0.0


@pytest.mark.parametrize(
    ("answer", "reference", "value", "status"),
    [
        ("无法确定。", R, 0.0, MetricStatus.REFUSAL),
        ("无法确定。", "材料中没有相关信息。", 1.0, MetricStatus.MEASURED),
        (A, "材料中没有相关信息。", 0.0, MetricStatus.MEASURED),
    ],
)
def test_refusals(answer, reference, value, status):
    found = AnswerCorrectness().compute(record(answer, reference), TableEngine(TABLE))
    assert (found.value, found.status) == (value, status)
    assert found.reason


@pytest.mark.parametrize("metric", [AnswerCorrectness(), AnswerSimilarity()])
@pytest.mark.parametrize(
    ("answer", "reference", "status"),
    [
        (A, None, MetricStatus.MISSING_FIELD),
        ("", R, MetricStatus.MISSING_FIELD),
        ("您好！", R, MetricStatus.NOTHING_TO_MEASURE),
        (A, "您好！", MetricStatus.NOTHING_TO_MEASURE),
    ],
)
def test_no_value(metric, answer, reference, status):
    value = metric.compute(record(answer, reference), TableEngine(TABLE))
    assert math.isnan(value.value)
    assert value.status is status


def test_elliptic_texts_are_read_with_the_question():
    engine = TableEngine({("整机保修两年。", "这台整机的质保期是两年"): (0.9, 0.0),
                          ("两年", "整机保修两年。"): (0.9, 0.0)})  # fmt: skip
    made = record("整机保修两年。", "两年", "这台整机的质保期是多久？")
    assert AnswerCorrectness().compute(made, engine).value == 1.0
    turned = record("两年", "整机保修两年。", "这台整机的质保期是多久？")
    value = AnswerCorrectness().compute(turned, engine)
    assert value.value == 1.0
    assert engine.asked[-2:] == [
        ("两年", ("整机保修两年。",)),
        ("整机保修两年。", ("这台整机的质保期是两年",)),
    ]


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("两年", "整机质保期是多久？", "整机质保期是两年"),
        ("杭州。", "公司总部在哪个城市", "公司总部在杭州"),
        ("两年", None, "两年"),
        ("两年", "  ", "两年"),
        ("两年", "保修是三年吗？", "两年"),
        ("两年", "是否保修？", "两年"),
        ("yes", "Is it covered?", "yes"),
        ("两年。电池一年。", "保修多久？", "两年。电池一年。"),
        (
            "整机自购买之日起享受为期两年的免费保修服务",
            "保修多久？",
            "整机自购买之日起享受为期两年的免费保修服务",
        ),
        ("两年", "你好。保修多久？", "两年"),
        ("保修两年", "保修多久？", "保修两年"),  # a whole sentence, not elliptic
        ("……", "保修多久？", "……"),
    ],
)
def test_stated(text, question, expected):
    assert stated(text, question) == expected


@pytest.mark.parametrize(
    ("p", "r", "beta", "expected"),
    [(1, 1, 1, 1.0), (0, 0, 1, 0.0), (1, 0.5, 1, 2 / 3), (1, 0.5, 2, 5 * 0.5 / 4.5)],
)
def test_f_beta(p, r, beta, expected):
    assert f_beta(p, r, beta) == pytest.approx(expected)


@pytest.mark.parametrize("beta", [0, -1, True, "2", math.nan])
def test_beta_out_of_range(beta):
    with pytest.raises(ConfigError, match="beta"):
        AnswerCorrectness(beta=beta)


def test_similarity_is_the_mean_of_both_directions():
    value = AnswerSimilarity().compute(record(), TableEngine(TABLE))
    there, back = (0.9 + 0.8 + 0) / 3, (0.7 + 0 + 0) / 3
    assert value.value == pytest.approx((there + back) / 2)
    assert value.details["answer_entails_reference"] == pytest.approx(back, abs=1e-6)


def test_similarity_is_symmetric():
    one = AnswerSimilarity().compute(record(A, R), TableEngine(TABLE))
    other = AnswerSimilarity().compute(record(R, A), TableEngine(TABLE))
    assert one.value == other.value


def test_similarity_of_a_refusal_has_no_value():
    value = AnswerSimilarity().compute(record("无法确定。"), TableEngine(TABLE))
    assert value.status is MetricStatus.REFUSAL
    assert math.isnan(value.value)


class _Encoder:
    vectors = {A: [1.0, 0.0], R: [0.6, 0.8]}  # noqa: RUF012

    def encode(self, texts):
        return [self.vectors[t] for t in texts]


def test_cosine_of_an_embedding_model(monkeypatch):
    monkeypatch.setattr(similarity, "_encoder", lambda _: _Encoder())
    value = AnswerSimilarity(embedding_model="m").compute(record(), TableEngine(TABLE))
    assert value.value == pytest.approx(0.6)
    assert value.details["entailment"] == pytest.approx((1.7 / 3 + 0.7 / 3) / 2, abs=1e-6)


@pytest.mark.parametrize(("vector", "cosine"), [([-1.0, 0.0], -1.0), ([0.0, 0.0], 0.0)])
def test_cosine_below_zero_and_of_nothing(monkeypatch, vector, cosine):
    monkeypatch.setattr(similarity, "_encoder", lambda _: _Encoder())
    monkeypatch.setitem(_Encoder.vectors, R, vector)
    value = AnswerSimilarity(embedding_model="m").compute(record(), TableEngine(TABLE))
    assert (value.value, value.details["cosine"]) == (0.0, cosine)


def test_missing_package_and_missing_model(monkeypatch):
    similarity._encoder.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match="sentence-transformers") as caught:
        AnswerSimilarity(embedding_model="./m").compute(record(), TableEngine(TABLE))
    assert caught.value.extra == "embeddings"
    fake = type("M", (), {"SentenceTransformer": object})
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", fake)
    with pytest.raises(ModelNotFoundError, match="no such directory"):
        AnswerSimilarity(embedding_model="./no-model").compute(record(), TableEngine(TABLE))
