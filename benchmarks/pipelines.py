"""Throughput on one worker and on two: `score --workers`, Spark and Ray, one thread a worker.

    python benchmarks/pipelines.py [--records 500] [--mode fast] [--engines score,spark,ray]

Every row is scored in a fresh process, once on a few records and once on all; the rate is that
of the difference, so that loading models and starting engines stay out of it, and are given as
`start`. No two records share a sentence pair. Under five minutes with the defaults on 2 quiet cores. Ray runs its workers at the lowest
priority: beside other work its figures mean nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import ROOT, table

from nli_faith.examples.golden import golden_bytes

FEW = 128
WAYS = {
    "score": [
        ("score --threads 1", 1, 1),
        ("score --threads 2", 1, 2),
        ("score --workers 2", 2, 1),
    ],
    "spark": [("Spark local[1]", 1, 1), ("Spark local[2]", 2, 1)],
    "ray": [("Ray, 1 actor", 1, 1), ("Ray, 2 actors", 2, 1)],
}


def rows(count: int) -> list[dict[str, Any]]:
    """Records of the golden set, each copy told apart in its first words."""
    golden = [json.loads(line) for line in golden_bytes().decode("utf-8").splitlines()]
    made = []
    for n in range(count):
        row, batch = golden[n % len(golden)], f"第{n // len(golden)}批："
        contexts = [batch + text for text in row["contexts"]]
        made.append({"id": f"r{n}", "answer": batch + row["answer"], "contexts": contexts})
    return made


def by_score(source: Path, workers: int, threads: int, mode: str) -> None:
    out = source.with_suffix(".out.jsonl")
    subprocess.run(
        [sys.executable, "-m", "nli_faith", "score", str(source), "-o", str(out), "--overwrite",
         "--quiet", "--mode", mode, "--workers", str(workers), "--threads", str(threads)],
        check=True,
    )  # fmt: skip


def by_spark(source: Path, workers: int, mode: str) -> float:
    """Scores it all; seconds of the job once the session stands."""
    from pyspark.sql import SparkSession

    from nli_faith.pipelines.spark import arrow_mapper, output_schema

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master(f"local[{workers}]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    frame = spark.createDataFrame(
        [json.loads(line) for line in source.open(encoding="utf-8")],
        "id string, answer string, contexts array<string>",
    ).repartition(2 * workers)
    since = time.perf_counter()
    mapper = arrow_mapper(mode=mode)
    count = len(frame.mapInArrow(mapper, output_schema(frame.schema)).select("nf_score").collect())
    seconds = time.perf_counter() - since
    assert count == sum(1 for _ in source.open(encoding="utf-8"))
    spark.stop()
    return seconds


def by_ray(source: Path, workers: int, mode: str) -> float:
    """Scores it all; seconds of the job once the cluster stands."""
    import ray

    from nli_faith.pipelines.ray import RayScorer

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False,
             runtime_env={"env_vars": {"PYTHONPATH": str(ROOT)}})  # fmt: skip
    data = ray.data.from_items(
        [json.loads(line) for line in source.open(encoding="utf-8")],
        override_num_blocks=2 * workers,
    )
    since = time.perf_counter()
    scored = data.map_batches(
        RayScorer, batch_format="pyarrow", batch_size=256, concurrency=workers, num_cpus=1,
        fn_constructor_kwargs={"mode": mode},
    )  # fmt: skip
    count = len(scored.take_all())
    seconds = time.perf_counter() - since
    assert count == sum(1 for _ in source.open(encoding="utf-8"))
    ray.shutdown()
    return seconds


def seconds_of(engine: str, source: Path, workers: int, threads: int, mode: str) -> float:
    if engine == "score":
        since = time.perf_counter()
        by_score(source, workers, threads, mode)
        return time.perf_counter() - since
    done = subprocess.run(
        [sys.executable, __file__, "--one", engine, str(source), str(workers), mode],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    return float(done.stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--mode", default="fast", choices=("fast", "full"))
    parser.add_argument("--engines", default="score,spark,ray")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    if given.one:
        engine, path, workers, mode = given.one
        print((by_spark if engine == "spark" else by_ray)(Path(path), int(workers), mode))
        return
    shown = []
    with tempfile.TemporaryDirectory() as folder:
        files = {count: Path(folder) / f"{count}.jsonl" for count in (FEW, given.records)}
        for count, file in files.items():
            lines = (json.dumps(row, ensure_ascii=False) for row in rows(count))
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        for engine in given.engines.split(","):
            one = 0.0
            for name, workers, threads in WAYS[engine]:
                few, all_ = (seconds_of(engine, f, workers, threads, given.mode)
                             for f in files.values())  # fmt: skip
                rate = (given.records - FEW) / (all_ - few)
                one = one or rate
                start = max(0.0, few - FEW / rate)
                shown.append((name, f"{rate:.1f}", f"{rate / one:.2f}", f"{start:.1f}"))
                print(f"{name}: done", file=sys.stderr)
    print(f"{given.records} records, mode {given.mode}; other work: load {os.getloadavg()[0]:.1f}")
    print(table(("way", "records/s", "x its one worker", "start, s"), shown))


if __name__ == "__main__":
    main()
