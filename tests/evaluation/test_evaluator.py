"""Running metrics over records, and adding them up."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, MissingExtraError, OutputError, OutputExistsError
from nli_faith.evaluation import Aggregator, EvaluationWriter, Evaluator, RecordEvaluation
from nli_faith.evaluation.aggregate import interval
from nli_faith.measures import read_measured
from nli_faith.metrics.base import MetricStatus, MetricValue, missing
from nli_faith.metrics.composite import Composite
from nli_faith.metrics.registry import resolve
from nli_faith.metrics.veto import Veto
from tests.metrics.engine_fake import TableEngine


class Constant:
    """Gives the number in ``meta``, raises what it is told to."""

    required = ()
    higher_is_better = True

    def __init__(self, name="constant", error=None):
        self.name = name
        self.error = error

    def compute(self, record, engine):
        if self.error is not None and record.meta.get("bad"):
            raise self.error
        number = record.meta.get(self.name)
        return missing(self.name) if number is None else MetricValue(number)


def records(*metas):
    return [Record(id=f"r{i}", answer="甲。", meta=m) for i, m in enumerate(metas)]


ENGINE = TableEngine()


def evaluation(name="m", value=0.5, status=MetricStatus.MEASURED, reason="", **meta):
    return RecordEvaluation("r", {name: MetricValue(value, status, reason)}, meta)


def test_values_in_order_with_the_composite_last():
    metrics = [Constant("readability"), Constant("faithfulness")]
    made = Evaluator(ENGINE, metrics, Composite())
    assert made.names == ["readability", "faithfulness", "composite"]
    (one,) = made.evaluate(records({"readability": 1.0, "faithfulness": 0.5}))
    assert list(one.values) == made.names
    assert one.values["composite"].value == pytest.approx((0.1 + 0.15) / 0.4)


def test_records_stream():
    def endless():
        while True:
            yield Record(id="r", answer="甲。")

    stream = Evaluator(ENGINE, [Constant()]).evaluate(endless())
    assert next(stream).id == next(stream).id == "r"


def test_one_failing_metric_spoils_neither_the_record_nor_the_run():
    metrics = [Constant("a", error=ZeroDivisionError("division by zero")), Constant("b")]
    found = list(Evaluator(ENGINE, metrics).evaluate(records({"bad": 1, "b": 1.0}, {"a": 0.5})))
    assert found[0].values["a"].status is MetricStatus.ERROR
    assert found[0].values["a"].reason == "ZeroDivisionError: division by zero"
    assert found[0].values["b"].value == 1.0
    assert found[1].values["a"].value == 0.5


def test_what_would_fail_every_record_ends_the_run():
    metrics = [Constant("a", error=MissingExtraError("x", "y"))]
    with pytest.raises(MissingExtraError):
        list(Evaluator(ENGINE, metrics).evaluate(records({"bad": 1})))


@pytest.mark.parametrize(
    ("metrics", "composite", "word"),
    [
        ([], None, "no metric"),
        ([Constant(), Constant()], None, "called 'constant'"),
        ([Constant("composite")], None, "called 'composite'"),
        ([Constant("mrr")], Composite(), "none of the metrics it weighs"),
        ([Constant("mrr")], Composite({"mrr": 1}, [Veto.parse("ndcg < 1")]), "'ndcg'"),
        ([Constant("mrr")], Composite({"mrr": 1}, [Veto.parse("contradicted > 0")]), "faithful"),
    ],
)
def test_refuses(metrics, composite, word):
    with pytest.raises(ConfigError, match=word):
        Evaluator(ENGINE, metrics, composite)


def test_summary_counts_and_means():
    totals = Aggregator()
    for value in (1.0, 0.5, 0.0):
        totals.add(evaluation(value=value))
    totals.add(evaluation(value=math.nan, status=MetricStatus.REFUSAL, reason="declines"))
    totals.add(evaluation(value=0.1, status=MetricStatus.REFUSAL))
    totals.add(evaluation(value=math.nan, status=MetricStatus.ERROR, reason="boom"))
    (s,) = totals.summaries().values()
    assert (s.records, s.measured) == (6, 4)
    assert s.mean == pytest.approx(1.6 / 4)
    assert s.coverage == pytest.approx(4 / 6)
    assert (s.statuses["measured"], s.statuses["refusal"], s.statuses["error"]) == (3, 2, 1)
    assert dict(s.reasons) == {"declines": 1, "boom": 1}
    assert s.low <= s.mean <= s.high
    assert (totals.records, totals.errors) == (6, 1)


def test_nothing_measured():
    totals = Aggregator()
    totals.add(evaluation(value=math.nan, status=MetricStatus.MISSING_FIELD, reason="no x"))
    (s,) = totals.summaries().values()
    assert (s.measured, s.coverage) == (0, 0.0)
    assert math.isnan(s.mean)
    assert s.to_dict()["mean_on_measured"] is None


def test_groups():
    totals = Aggregator("meta.version")
    for value, version in ((1.0, "b"), (0.0, "b"), (0.5, "a"), (0.25, None), (0.75, "")):
        totals.add(evaluation(value=value, version=version))
    groups = totals.groups()
    assert list(groups) == ["(none)", "a", "b"]
    assert [g["m"].mean for g in groups.values()] == [0.5, 0.5, 0.5]
    assert [g["m"].records for g in groups.values()] == [2, 1, 2]
    assert totals.to_dict()["groups"]["b"]["m"]["measured"] == 2


def test_an_id_is_no_group():
    totals = Aggregator("meta.x")
    for i in range(200):
        totals.add(evaluation(x=str(i)))
    totals.add(evaluation(x="7"))
    with pytest.raises(ConfigError, match="more than 200"):
        totals.add(evaluation(x="another"))


def test_reasons_stay_few():
    totals = Aggregator()
    for i in range(1000):
        totals.add(evaluation(value=math.nan, status=MetricStatus.ERROR, reason=f"error {i}"))
    (s,) = totals.summaries().values()
    assert s.reasons[0] == ("other", 936)


@pytest.mark.parametrize("options", [{"seed": -1}, {"seed": 1.5}, {"resamples": 10}])
def test_aggregator_refuses(options):
    with pytest.raises(ConfigError):
        Aggregator(**options)


def test_the_interval_is_that_of_resampling_one_by_one():
    values = [0.0] * 30 + [0.5] * 10 + [1.0] * 60
    random = np.random.default_rng(5)
    means = random.choice(values, size=(20_000, 100)).mean(axis=1)
    low, high = interval({0.0: 30, 0.5: 10, 1.0: 60}, resamples=20_000)
    assert low == pytest.approx(np.quantile(means, 0.025), abs=0.006)
    assert high == pytest.approx(np.quantile(means, 0.975), abs=0.006)


def test_the_interval_is_reproducible_and_independent_of_order_and_company():
    values = [0.1, 0.9, 0.4, 0.4, 0.7]
    one, other = Aggregator(seed=3), Aggregator(seed=3)
    for v in values:
        one.add(evaluation(value=v))
    for v in reversed(values):
        both = {"z": MetricValue(0.1 * v), "m": MetricValue(v)}
        other.add(RecordEvaluation("r", both))
    a, b = one.summaries()["m"], other.summaries()["m"]
    assert (a.low, a.high) == (b.low, b.high)
    reseeded = Aggregator(seed=4)
    for v in values:
        reseeded.add(evaluation(value=v))
    c = reseeded.summaries()["m"]
    assert (c.low, c.high) != (a.low, a.high)


def test_of_one_value_nothing_is_said():
    assert all(map(math.isnan, interval({0.5: 1})))
    assert all(map(math.isnan, interval({})))
    # Two equal values say little: 1 - 0.025 ** (1 / 2) of the records may differ.
    assert interval({0.5: 2}) == pytest.approx((0.5 * 0.158114, 1 - 0.5 * 0.158114), abs=1e-6)
    low, high = interval({1.0: 66})
    assert (low, high) == (pytest.approx(0.025 ** (1 / 66)), 1.0)


def test_jsonl_is_what_the_other_tools_read(tmp_path):
    path = tmp_path / "out.jsonl"
    engine = TableEngine({("电池保修一年。", "电池保修一年。"): (0.9, 0.0)})
    made = Evaluator(engine, resolve("faithfulness,context_recall"))
    record = Record(
        id="r", answer="电池保修一年。送货上门。", contexts=("电池保修一年。",), meta={"v": "a"}
    )
    with EvaluationWriter(path, made.names) as writer:
        for one in made.evaluate([record]):
            writer.write(one)
    (row,) = read_measured(path)
    assert row.values == {"faithfulness": 0.5, "contradiction_rate": 0.0}
    assert row.label_counts == {"supported": 1, "contradicted": 0, "unsupported": 1}
    assert row.absent == {"context_recall": "missing_field"}
    assert row.meta == {"v": "a"}
    assert len(row.claims) == 2


def test_parquet_is_flat(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "out.parquet"
    with EvaluationWriter(path, ["m", "n"]) as writer:
        writer.write(RecordEvaluation("甲", {
            "m": MetricValue(0.5, details={"k": [1]}), "n": missing("x"),
        }, {"v": 1}))  # fmt: skip
        assert not path.exists()
    (row,) = parquet.read_table(path).to_pylist()
    assert row["id"] == "甲"
    assert (row["m"], row["m.status"], row["m.reason"]) == (0.5, "measured", None)
    assert (row["n"], row["n.status"], row["n.reason"]) == (
        None, "missing_field", "the record has no x",
    )  # fmt: skip
    assert json.loads(row["details"]) == {"m": {"k": [1]}}
    assert json.loads(row["meta"]) == {"v": 1}


def test_parquet_of_no_record_can_be_read(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    with EvaluationWriter(tmp_path / "out.parquet", ["m"]):
        pass
    assert parquet.read_table(tmp_path / "out.parquet").num_rows == 0


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_existing_output_is_refused_and_survives_a_failure(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"old\n")
    with pytest.raises(OutputExistsError, match="--overwrite"), EvaluationWriter(path, ["m"]):
        pass

    def fail():
        with EvaluationWriter(path, ["m"], overwrite=True) as w:
            w.write(evaluation())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert path.read_bytes() == b"old\n"
    with EvaluationWriter(path, ["m"], overwrite=True) as w:
        w.write(evaluation())
    assert path.read_bytes() != b"old\n"
    leftovers = [p.name for p in tmp_path.iterdir() if p.suffix in (".tmp",) or "partial" in p.name]
    assert leftovers in ([], ["out.jsonl.partial"])


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.xlsx"])
def test_other_formats_are_refused(tmp_path, name):
    with pytest.raises(ConfigError):
        EvaluationWriter(tmp_path / name, ["m"])


def test_parquet_needs_a_place(tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(OutputError), EvaluationWriter(tmp_path / "no" / "out.parquet", ["m"]):
        pass
    (tmp_path / "dir.parquet").mkdir()
    with pytest.raises(OutputError), EvaluationWriter(tmp_path / "dir.parquet", ["m"]):
        pass
