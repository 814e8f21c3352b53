"""faithfulness, context_recall and context_precision by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from nli_faith.datamodels import Record
from nli_faith.metrics.base import MetricStatus
from nli_faith.metrics.context import ContextPrecision, ContextRecall, average_precision
from nli_faith.metrics.faithfulness import Faithfulness
from nli_faith.verdicts import ClaimResult
from tests.metrics.engine_fake import TableEngine

ANSWER = "电池保修一年。整机保修三年。门店提供取件服务。"
CONTEXTS = ("电池保修一年。", "整机保修两年。")
ENGINE = TableEngine({
    ("电池保修一年。", "电池保修一年。"): (0.9, 0.0),
    ("整机保修三年。", "整机保修两年。"): (0.1, 0.8),
    ("整机保修两年。", "整机保修两年。"): (0.9, 0.0),
})  # fmt: skip


def record(answer=ANSWER, contexts=CONTEXTS, **fields) -> Record:
    return Record(id="r", answer=answer, contexts=contexts, **fields)


def test_strict_is_supported_over_claims():
    value = Faithfulness().compute(record(), ENGINE)
    assert value.value == pytest.approx(1 / 3)
    assert value.status is MetricStatus.MEASURED
    counts = {k: value.details[k] for k in ("supported", "contradicted", "unsupported")}
    assert counts == {"supported": 1, "contradicted": 1, "unsupported": 1}
    assert value.details["graded"] == 0.5


def test_graded_gives_half_for_unsupported_and_nothing_for_contradicted():
    assert Faithfulness(graded=True).compute(record(), ENGINE).value == pytest.approx(0.5)


def test_claims_are_those_of_a_scored_row():
    claims = Faithfulness().compute(record(), ENGINE).details["claims"]
    assert ClaimResult.from_dict(claims[0]).label.value == "supported"
    assert claims[0]["evidence"]["context"] == 0


@pytest.mark.parametrize(
    ("answer", "contexts", "status", "word"),
    [
        ("无法确定。", CONTEXTS, MetricStatus.REFUSAL, "declines"),
        ("您好！", CONTEXTS, MetricStatus.NOTHING_TO_MEASURE, "asserts nothing"),
        ("  ", CONTEXTS, MetricStatus.MISSING_FIELD, "answer"),
        ("电池保修一年。", (), MetricStatus.MISSING_FIELD, "contexts"),
        ("无法确定。", (), MetricStatus.REFUSAL, "declines"),
    ],
)
def test_no_value_says_why(answer, contexts, status, word):
    value = Faithfulness().compute(record(answer, contexts), ENGINE)
    assert math.isnan(value.value)
    assert value.status is status
    assert word in value.reason


def test_context_recall_counts_reference_claims():
    made = record(reference="电池保修一年。整机保修两年。配件另购。")
    value = ContextRecall().compute(made, ENGINE)
    assert value.value == pytest.approx(2 / 3)
    assert value.details["missed"] == ["配件另购。"]
    assert value.details["verdicts"][1]["evidence"]["text"] == "整机保修两年。"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, MetricStatus.MISSING_FIELD),
        ({"reference": " "}, MetricStatus.MISSING_FIELD),
        ({"reference": "材料中没有相关信息。"}, MetricStatus.REFUSAL),
        ({"reference": "您好！"}, MetricStatus.NOTHING_TO_MEASURE),
        ({"reference": "电池保修一年。", "contexts": ()}, MetricStatus.MISSING_FIELD),
    ],
)
def test_context_recall_without_value(fields, status):
    value = ContextRecall().compute(record(**fields), ENGINE)
    assert math.isnan(value.value)
    assert value.status is status


@pytest.mark.parametrize(
    ("relevant", "expected"),
    [
        ([True, False], 1.0),
        ([False, True], 0.5),
        ([True, False, True], (1 + 2 / 3) / 2),
        ([False, False], 0.0),
        ([], 0.0),
    ],
)
def test_average_precision(relevant, expected):
    assert average_precision(relevant) == pytest.approx(expected)


def test_context_precision_ranks_evidence_for_the_reference():
    made = record(
        contexts=("今天下雨。", "整机保修两年。", "电池保修一年。"), reference="整机保修两年。"
    )
    value = ContextPrecision().compute(made, ENGINE)
    assert value.value == pytest.approx(0.5)
    assert value.details["target"] == "reference"
    assert [r["evidence"] for r in value.details["ranks"]] == [False, True, False]


def test_context_precision_falls_back_to_the_answer():
    made = record("电池保修一年。", ("今天下雨。", "电池保修一年。", "整机保修两年。"))
    value = ContextPrecision().compute(made, ENGINE)
    assert (value.value, value.details["target"]) == (0.5, "answer")


def test_context_precision_without_evidence_is_zero():
    assert ContextPrecision().compute(record("配件另购。"), ENGINE).value == 0.0


def test_contexts_that_entail_only_together_all_count():
    claim = "两地都保修。"

    class Together(TableEngine):
        def check(self, text, material):
            if len(material) == 1:
                return TableEngine({}).check(text, material)
            result = TableEngine({(claim, "甲地保修。"): (0.9, 0.0)}).check(text, material)
            evidence = result.claims[0].evidence
            joined = replace(evidence, spans=((0, 0, 5), (2, 0, 5)))
            return replace(result, claims=(replace(result.claims[0], evidence=joined),))

    made = record(claim, ("甲地保修。", "今天下雨。", "乙地保修。"))
    value = ContextPrecision().compute(made, Together())
    assert [r["evidence"] for r in value.details["ranks"]] == [True, False, True]
    assert value.value == pytest.approx((1 + 2 / 3) / 2)


def test_context_precision_needs_a_target_and_contexts():
    no_target = ContextPrecision().compute(record(""), ENGINE)
    assert no_target.status is MetricStatus.MISSING_FIELD
    assert "reference and no answer" in no_target.reason
    assert ContextPrecision().compute(record(contexts=()), ENGINE).reason.endswith("contexts")
    assert ContextPrecision().compute(record("无法确定。"), ENGINE).status is MetricStatus.REFUSAL
