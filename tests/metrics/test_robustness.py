"""Robustness: agreement, contradictions, retrieval overlap, drops and the pass rate."""

from __future__ import annotations

import math

import pytest

from nli_faith import FaithfulnessScorer, Record
from nli_faith.errors import ConfigError
from nli_faith.metrics.agreement import agree
from nli_faith.metrics.base import MetricStatus
from nli_faith.metrics.engine import ScorerEngine
from nli_faith.metrics.rank_overlap import jaccard, rank_biased_overlap
from nli_faith.metrics.robustness import PassRules, Robustness
from tests.metrics.engine_fake import TableEngine

A, B, C = "整机保修两年。", "手机质保期为两年。", "整机保修三年。"
TABLE = {
    (A, A): (0.9, 0.0), (B, B): (0.9, 0.0), (C, C): (0.9, 0.0),
    (A, B): (0.9, 0.0), (B, A): (0.9, 0.0), (C, A): (0.1, 0.9), (A, C): (0.1, 0.9),
    (A, "整机保修两年"): (0.9, 0.0), (B, "整机保修两年"): (0.9, 0.0), (C, "整机保修两年"): (0.0, 0.9),
}  # fmt: skip
QUESTION = "整机的保修期是多久？"
MATERIAL = ("整机保修两年", "电池保修一年")


def robustness(variants, answer=A, rules=None):
    record = Record("r", answer, MATERIAL, question=QUESTION, variants=tuple(variants))
    return Robustness(rules).compute(record, TableEngine(TABLE))


def variant(answer, contexts=MATERIAL, question="请问整机的保修期是多久？"):
    return {"question": question, "answer": answer, "contexts": list(contexts)}


def test_rank_biased_overlap_by_hand():
    assert rank_biased_overlap("abc", "abc") == pytest.approx(1)
    assert rank_biased_overlap("abc", "xyz") == 0
    # p = 0.9, overlaps 0, 1, 3 of depths 1, 2, 3:
    # 0.1/0.9 * (0 + 1/2 * 0.81 + 1 * 0.729) + 1 * 0.729
    wanted = 0.1 / 0.9 * (0.405 + 0.729) + 0.729
    assert rank_biased_overlap("abc", "bca") == pytest.approx(0.1 / 0.9 * (0.405 + 0.729) + 0.729)
    assert rank_biased_overlap("bca", "abc") == pytest.approx(wanted)
    # lengths 1 and 2: 0.1/0.9 * (0.9 + 1/2 * 0.81 + 1 * 1 / (1 * 2) * 0.81) + (0 + 1) * 0.81
    assert rank_biased_overlap("a", "ab") == pytest.approx(0.1 / 0.9 * (0.9 + 0.81) + 0.81)


def test_rank_biased_overlap_edges():
    assert math.isnan(rank_biased_overlap([], []))
    assert rank_biased_overlap([], ["a"]) == 0
    assert rank_biased_overlap("aab", "ab") == pytest.approx(1)
    with pytest.raises(ConfigError, match=r"1\.5"):
        rank_biased_overlap("a", "a", persistence=1.5)


def test_jaccard():
    assert jaccard("ab", "bc") == pytest.approx(1 / 3)
    assert math.isnan(jaccard([], []))


def test_agreement_is_the_harmonic_mean_of_both_directions():
    longer = A + "电池保修一年。"
    found = agree(A, longer, TableEngine(TABLE | {("电池保修一年。", A): (0.0, 0.0)}))
    assert (found.forward, found.backward) == (0.5, 1.0)
    assert found.value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("first", "second", "value", "reason"),
    [
        (A, "整机保修两年", 1.0, "equal"),
        ("无法确定。", "材料未提供相关信息。", 1.0, "both decline"),
        (A, "无法确定。", 0.0, "one declines"),
    ],
)
def test_agreement_without_inference(first, second, value, reason):
    engine = TableEngine()
    found = agree(first, second, engine)
    assert (found.value, found.reason) == (value, reason)
    assert not engine.asked


def test_agreement_with_an_answer_that_asserts_nothing():
    assert math.isnan(agree(A, "您好，很高兴为您服务！", TableEngine()).value)


def test_fragments_are_compared_as_statements():
    engine = TableEngine()
    agree("两年", "三年", engine, question=QUESTION)
    assert engine.asked[0] == ("整机的保修期是三年", ("整机的保修期是两年",))


def test_all_agree():
    found = robustness([variant(B)])
    assert found.value == 1
    assert found.details["pass_rate"] == 1
    assert found.details["contradictions"] == []
    assert found.details["mean_jaccard"] == 1
    assert found.details["mean_rank_drift"] == 0
    assert found.details["drop"] == {"faithfulness": 0.0, "coverage": 0.0}


def test_mean_over_all_pairs_and_listed_contradictions():
    found = robustness([variant(B), variant(C)])
    # (A,B) 1, (A,C) 0, (B,C) 0: B and C are not in the table, so neither entails the other
    assert found.value == pytest.approx(1 / 3)
    assert found.details["pass_rate"] == 0.5
    assert [(c["a"], c["b"], c["claim"]) for c in found.details["contradictions"]] == [
        (0, 2, C), (0, 2, A),
    ]  # fmt: skip
    failed = found.details["members"][2]["failed"]
    assert failed == ["agreement", "contradictions", "faithfulness_drop"]
    assert found.details["drop"]["faithfulness"] == 1


def test_retrieval_drift():
    found = robustness([variant(B, ("电池保修一年", "屏幕不保"))])
    (pair,) = found.details["retrieval"]
    assert pair["jaccard"] == pytest.approx(1 / 3, abs=1e-6)
    # overlaps 0 and 1: 0.1/0.9 * 1/2 * 0.81 + 1/2 * 0.81 = 0.45
    assert pair["rbo"] == pytest.approx(0.45)
    assert found.details["mean_rank_drift"] == pytest.approx(0.55)


def test_coverage_drop():
    found = robustness(
        [variant("整机重200克。")], rules=PassRules(agreement=0, faithfulness_drop=1)
    )
    assert found.details["drop"]["coverage"] == 1
    assert found.details["members"][1]["failed"] == ["coverage_drop"]


def test_names_of_other_frameworks():
    ragas = {"user_input": QUESTION, "response": B, "retrieved_contexts": list(MATERIAL)}
    assert robustness([ragas]).value == 1


def test_no_variants_is_missing():
    found = robustness([])
    assert math.isnan(found.value)
    assert found.status is MetricStatus.MISSING_FIELD


def test_an_unanswered_variant_cannot_pass():
    found = robustness([{"question": "保修多久"}, variant(B)])
    assert found.value == 1
    assert found.details["unanswered"] == 1
    assert found.details["pass_rate"] == 0.5
    assert found.details["members"][1]["failed"] == ["unanswered"]


def test_only_unanswered_variants():
    found = robustness([{"question": "保修多久"}])
    assert math.isnan(found.value)
    assert found.status is MetricStatus.NOTHING_TO_MEASURE
    assert found.details["pass_rate"] == 0


def test_a_broken_variant_is_an_error():
    found = robustness([{"question": "保修多久", "answer": 5, "contexts": []}])
    assert found.status is MetricStatus.ERROR
    assert "variants[0] of r" in found.reason
    assert "answer" in found.reason


def test_rules_are_checked():
    with pytest.raises(ConfigError, match="agreement"):
        PassRules(agreement=1.5)
    with pytest.raises(ConfigError, match="agreemnt"):
        Robustness({"agreemnt": 0.5})
    assert robustness([variant(C)], rules={"agreement": 0.0, "faithfulness_drop": 1.0,
                                           "contradictions": True}).details["pass_rate"] == 1  # fmt: skip


def test_details_are_json():
    import orjson

    orjson.dumps(robustness([variant(B), {"question": "保修多久"}]).to_dict())


def test_on_the_bundled_model():
    engine = ScorerEngine(FaithfulnessScorer.from_pretrained(threads=1))
    same, other = variant("整机保修期为两年。"), variant("整机保修期为三年。")
    record = Record("r", A, ("整机保修两年。",), question=QUESTION, variants=(same, other))
    found = Robustness().compute(record, engine)
    pairs = {(p["a"], p["b"]): p["agreement"] for p in found.details["pairs"]}
    assert pairs[0, 1] == 1
    assert pairs[0, 2] == 0
    assert found.details["members"][2]["passed"] is False
