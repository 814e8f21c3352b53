"""Micro-batching changes when a result comes, never what it is."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from nli_faith import FaithfulnessScorer
from nli_faith.examples.golden import golden_bytes
from nli_faith.io import coerce_record, loads
from nli_faith.service.batching import MicroBatcher
from tests.core.fakes import CharBackend
from tests.service.conftest import GOOD, HALF, SlowBackend, serving


class Noted:
    """Notes the sizes of batches."""

    def __init__(self):
        self.sizes = []

    def waited(self, seconds):
        assert seconds >= 0

    def scored(self, seconds, stats, results):
        self.sizes.append(len(results))


def rows(n: int) -> list[dict]:
    chars = "天地玄黄宇宙洪荒日月盈昃辰宿列张"
    return [
        {"id": f"r{i}", "answer": f"{chars[: 3 + i % 9]}。{chars[i % 7 :]}不是。",
         "contexts": [f"{chars[j : j + 8]}。" for j in range(i % 5)]}
        for i in range(n)
    ]  # fmt: skip


def run(work):
    return asyncio.run(asyncio.wait_for(work, 30))


async def batched(scorer, records, observer, **options):
    settings = {"wait_ms": 20, "max_records": 4, "max_chars": 10_000} | options
    batcher = MicroBatcher(scorer, observer=observer, **settings)
    batcher.start()
    results = await asyncio.gather(*(batcher.submit(r) for r in records), return_exceptions=True)
    await batcher.stop()
    assert batcher.waiting == 0
    return results


@pytest.fixture
def scorer():
    backend = CharBackend()
    return FaithfulnessScorer(backend, thresholds=backend.thresholds)


@pytest.mark.parametrize("options", [{}, {"max_records": 1}, {"parallel": 3}, {"wait_ms": 0}])
def test_results_equal_the_single_call(scorer, options):
    records = [coerce_record(r, default_id="0") for r in rows(40)]
    noted = Noted()
    results = run(batched(scorer, records, noted, **options))
    assert [r.to_dict() for r in results] == [scorer.score(r).to_dict() for r in records]
    assert sum(noted.sizes) == 40
    assert max(noted.sizes) == options.get("max_records", 4)


def test_a_batch_is_bounded_by_characters(scorer):
    records = [coerce_record(GOOD, default_id=str(i)) for i in range(6)]
    chars = len(GOOD["answer"]) + len(GOOD["contexts"][0])
    noted = Noted()
    run(batched(scorer, records, noted, max_chars=2 * chars))
    assert noted.sizes == [2, 2, 2]
    noted = Noted()
    run(batched(scorer, records, noted, max_chars=1))  # each is over it, and goes alone
    assert noted.sizes == [1] * 6


def test_a_lone_record_waits_no_longer_than_it_may(scorer):
    async def lone():
        batcher = MicroBatcher(scorer, wait_ms=200, max_records=8, max_chars=10_000)
        batcher.start()
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await batcher.submit(coerce_record(GOOD, default_id="0"))
        seconds = loop.time() - begun
        await batcher.stop()
        return seconds

    assert 0.19 <= run(lone()) < 5


def test_only_the_culprit_fails():
    backend = SlowBackend(poison="毒")
    scorer = FaithfulnessScorer(backend, thresholds=backend.thresholds)
    bad = {"answer": "毒药有效。", "contexts": ["毒药有效。"]}
    records = [coerce_record(r, default_id="0") for r in (GOOD, bad, HALF)]
    first, second, third = run(batched(scorer, records, None))
    assert first.to_dict() == scorer.score(GOOD).to_dict()
    assert isinstance(second, RuntimeError)
    assert third.to_dict() == scorer.score(HALF).to_dict()


def test_stopping_finishes_what_waits(scorer):
    async def stop_at_once():
        batcher = MicroBatcher(scorer, wait_ms=1000, max_records=100, max_chars=10_000)
        batcher.start()
        waiting = [batcher.submit(coerce_record(r, default_id="0")) for r in rows(10)]
        await batcher.stop()
        return [w.done() for w in waiting]

    assert all(run(stop_at_once()))


def test_the_bundled_model_over_http_equals_the_single_call():
    """Real model, 32 clients at once: byte for byte what Python says of each record alone."""
    scorer = FaithfulnessScorer.from_pretrained("bundled", mode="fast")
    rows = [loads(line) for line in golden_bytes().splitlines()[:16]]
    bodies = [
        {name: row[name] for name in ("id", "answer", "contexts", "question")} for row in rows
    ]
    with serving(scorer=scorer, batch_wait_ms=20, batch_records=16) as server:
        with ThreadPoolExecutor(32) as pool:
            answers = list(pool.map(lambda b: server.post("/v1/score", b), bodies))
        sizes = server.client.get("/metrics").text
    assert [a.json() for a in answers] == [scorer.score(b).to_dict() for b in bodies]
    batches = float(sizes.split("nli_faith_batch_records_count ")[1].split()[0])
    assert batches < len(bodies)  # they did share batches
