"""Ray and Spark for real: equal to one process, whatever happens to a worker or a row."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from nli_faith import FaithfulnessScorer
from nli_faith.pipelines.columns import OUTPUT, score_rows

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
COUNT = 20_000
# Few different records, so that twenty thousand are many rows and little model time.
ANSWERS = ("整机保修两年。", "整机保修三年。", "门店上门取件。", "抱歉，无法回答。", "")
CONTEXTS = (["整机保修两年。"], ["门店周日休息。", "整机保修两年，门店不上门取件。"], [])
OPTIONS = {"mode": "fast", "chunk_records": 512}


def rows(count: int = COUNT) -> list[dict]:
    return [
        {
            "id": f"r{i}",
            "answer": ANSWERS[i % len(ANSWERS)],
            "contexts": CONTEXTS[i % len(CONTEXTS)],
            "n": i,
        }
        for i in range(count)
    ]


@pytest.fixture(scope="module")
def expected() -> dict[int, tuple]:
    scorer = FaithfulnessScorer.from_pretrained("bundled", threads=1, **OPTIONS)
    period = len(ANSWERS) * len(CONTEXTS)
    few = [key(row) for row in score_rows(scorer, rows(period))]
    return {i: few[i % period] for i in range(COUNT)}


def key(row: dict) -> tuple:
    values = [row[f"nf_{name}"] for name in OUTPUT]
    return tuple(None if isinstance(v, float) and v != v else v for v in values)


def check(found: list[dict], expected: dict[int, tuple]) -> None:
    assert sorted(row["n"] for row in found) == list(range(COUNT))
    assert {row["n"]: key(row) for row in found} == expected


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql", reason="needs the extra nli_faith[spark]")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = str(ROOT)
    try:
        # Two attempts a task: local[2] alone gives up at the first failure.
        session = (
            sql.SparkSession.builder.master("local[2,3]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000")
            .getOrCreate()
        )
    except Exception as error:  # no Java, or one too old
        pytest.skip(f"Spark does not start: {error}")
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def frame(spark):
    return spark.createDataFrame(
        rows(), "id string, answer string, contexts array<string>, n long"
    ).repartition(4)


def test_spark_in_arrow_batches(spark, expected):
    from nli_faith.pipelines.spark import arrow_mapper, output_schema

    source = frame(spark)
    scored = source.mapInArrow(arrow_mapper(**OPTIONS), output_schema(source.schema))
    check([row.asDict() for row in scored.collect()], expected)


def test_spark_in_pandas_frames(spark, expected):
    pytest.importorskip("pandas")
    from nli_faith.pipelines.spark import output_schema, pandas_mapper

    source = frame(spark)
    scored = source.mapInPandas(pandas_mapper(**OPTIONS), output_schema(source.schema))
    check([row.asDict() for row in scored.collect()], expected)


def test_a_spark_worker_killed_in_the_middle_costs_no_row(spark, expected, tmp_path):
    from nli_faith.pipelines.spark import arrow_mapper, output_schema

    source, mapper, flag = frame(spark), arrow_mapper(**OPTIONS), str(tmp_path / "killed")

    def dying(batches):
        for n, batch in enumerate(mapper(batches)):
            if n == 1:
                try:
                    os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    os._exit(1)
            yield batch

    scored = source.mapInArrow(dying, output_schema(source.schema))
    check([row.asDict() for row in scored.collect()], expected)
    assert os.path.exists(flag)


@pytest.fixture(scope="module")
def ray():
    module = pytest.importorskip("ray", reason="needs the extra nli_faith[ray]")
    pytest.importorskip("ray.data")
    module.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": str(ROOT)}},
    )  # fmt: skip
    yield module
    module.shutdown()


def test_ray_actors(ray, expected):
    from nli_faith.pipelines.ray import RayScorer

    scored = ray.data.from_items(rows(), override_num_blocks=8).map_batches(
        RayScorer, batch_format="pyarrow", batch_size=1000, concurrency=2, num_cpus=1,
        fn_constructor_kwargs=OPTIONS,
    )  # fmt: skip
    check(scored.take_all(), expected)


def test_a_ray_actor_killed_in_the_middle_costs_no_row(ray, expected, tmp_path):
    from nli_faith.pipelines.ray import RayScorer

    flag = str(tmp_path / "killed")

    class Dying(RayScorer):
        def __call__(self, table):
            scored = super().__call__(table)
            try:
                os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return scored
            os._exit(1)

    scored = ray.data.from_items(rows(), override_num_blocks=8).map_batches(
        Dying, batch_format="pyarrow", batch_size=1000, concurrency=2, num_cpus=1,
        fn_constructor_kwargs=OPTIONS,
    )  # fmt: skip
    check(scored.take_all(), expected)
    assert os.path.exists(flag)


def test_a_poisoned_row_does_not_end_a_spark_job(spark):
    from nli_faith.pipelines.spark import arrow_mapper, output_schema

    source = spark.createDataFrame(
        [("a", "整机保修两年。", '["整机保修两年。"]'), ("b", None, "[3"), ("c", "保修。", "{}")],
        "id string, answer string, contexts string",
    )
    scored = source.mapInArrow(arrow_mapper(**OPTIONS), output_schema(source.schema)).collect()
    by_id = {row["id"]: row for row in scored}
    assert by_id["a"]["nf_status"] == "scored"
    assert len(by_id) == 3
    assert all(by_id[x]["nf_status"] != "scored" for x in "b")
