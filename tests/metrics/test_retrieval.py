"""Rank metrics by hand."""

from __future__ import annotations

import math

import pytest

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError
from nli_faith.io import coerce_record
from nli_faith.metrics.base import MetricStatus
from nli_faith.metrics.registry import resolve
from nli_faith.metrics.retrieval import MRR, NDCG, HitRate, PrecisionAtK, RecallAtK
from tests.metrics.engine_fake import TableEngine

ENGINE = TableEngine()


def record(retrieved, relevant=("a", "b", "c"), key="context_ids") -> Record:
    meta = {} if retrieved is None else {key: retrieved}
    return Record(id="r", answer="x", relevant_ids=relevant, meta=meta)


RANKED = record(["x", "a", "y", "b", "z"])  # hits at ranks 2 and 4, c is missed
DISCOUNT = [1 / math.log2(r + 1) for r in range(1, 6)]


@pytest.mark.parametrize(
    ("kind", "k", "expected"),
    [
        (RecallAtK, None, 2 / 3),
        (RecallAtK, 2, 1 / 3),
        (RecallAtK, 1, 0.0),
        (PrecisionAtK, None, 2 / 5),
        (PrecisionAtK, 2, 1 / 2),
        (PrecisionAtK, 10, 2 / 10),
        (MRR, None, 1 / 2),
        (MRR, 1, 0.0),
        (HitRate, 1, 0.0),
        (HitRate, 2, 1.0),
        (NDCG, None, (DISCOUNT[1] + DISCOUNT[3]) / sum(DISCOUNT[:3])),
        (NDCG, 2, DISCOUNT[1] / sum(DISCOUNT[:2])),
        (NDCG, 1, 0.0),
    ],
)
def test_formulas(kind, k, expected):
    value = kind(k).compute(RANKED, ENGINE)
    assert value.value == pytest.approx(expected)
    assert value.details["k"] == k


@pytest.mark.parametrize("kind", [RecallAtK, PrecisionAtK, MRR, HitRate, NDCG])
def test_a_perfect_ranking_is_one(kind):
    assert kind().compute(record(["c", "b", "a"]), ENGINE).value == 1.0


@pytest.mark.parametrize(
    "retrieved",
    [["a", "x"], '["a", "x"]', ("a", "x"), ["a", "a", "x"], [" a ", "x", ""]],
)
def test_ids_however_they_are_written(retrieved):
    value = PrecisionAtK().compute(record(retrieved, ("a",)), ENGINE)
    assert value.value == 0.5


def test_numbers_are_ids_as_the_reader_has_them():
    row = {"answer": "x", "contexts": [], "relevant_ids": [17, 3], "retrieved_ids": [17.0, "3", 5]}
    made = coerce_record(row, default_id="r")
    assert RecallAtK().compute(made, ENGINE).value == 1.0


def test_a_single_id_as_text():
    assert HitRate().compute(record("a", ("a",)), ENGINE).value == 1.0


@pytest.mark.parametrize("key", ["context_ids", "retrieved_ids", "retrieved_context_ids"])
def test_keys_of_meta(key):
    assert MRR().compute(record(["a"], key=key), ENGINE).value == 1.0


def test_ragas_names_for_relevant_ids():
    meta = {"retrieved_context_ids": ["a", "b"], "reference_context_ids": ["b"]}
    made = Record(id="r", answer="x", meta=meta)
    assert MRR().compute(made, ENGINE).value == 0.5


@pytest.mark.parametrize("kind", [RecallAtK, MRR, HitRate, NDCG])
def test_nothing_retrieved_is_a_miss(kind):
    assert kind().compute(record([]), ENGINE).value == 0.0


def test_precision_of_nothing_retrieved_has_no_value():
    assert PrecisionAtK().compute(record([]), ENGINE).status is MetricStatus.NOTHING_TO_MEASURE
    assert PrecisionAtK(3).compute(record([]), ENGINE).value == 0.0


def test_missing_ids_give_nan_with_the_reason():
    value = RecallAtK().compute(record(None), ENGINE)
    assert math.isnan(value.value)
    assert value.status is MetricStatus.MISSING_FIELD
    assert "meta.context_ids" in value.reason
    value = RecallAtK().compute(record(["a"], relevant=()), ENGINE)
    assert "relevant_ids" in value.reason


@pytest.mark.parametrize("bad", [{"a": 1}, 5, "[1, 2", [None], [True], [["a"]]])
def test_what_is_no_list_of_ids_is_an_error(bad):
    value = RecallAtK().compute(record(bad), ENGINE)
    assert value.status is MetricStatus.ERROR
    assert "context_ids" in value.reason


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "3"])
def test_k_out_of_range(k):
    with pytest.raises(ConfigError, match="positive integer"):
        RecallAtK(k)


def test_several_cut_offs_side_by_side():
    one, five = resolve(["recall@1", "recall_at_5"])
    assert (one.name, five.name) == ("recall_at_1", "recall_at_5")
    assert one.compute(RANKED, ENGINE).value == 0.0
    assert five.compute(RANKED, ENGINE).value == pytest.approx(2 / 3)
