"""Micro-batching: records of different requests are scored together.

A record's result never depends on its batch mates (see `FaithfulnessScorer`), so batching changes
when a result comes, never what it is. While a batch is being scored the next one fills up; an idle
scorer waits a few milliseconds at most.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

from nli_faith.datamodels import Record
from nli_faith.inference import RunStats
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer

_SMOOTHING = 0.2  # weight of the latest batch in the moving average of speed


class BatchObserver(Protocol):
    """Told what the batcher did; metrics implement it."""

    def waited(self, seconds: float) -> None:
        """A record waited this long for its batch to begin."""

    def scored(
        self, seconds: float, stats: RunStats, results: Sequence[FaithfulnessResult]
    ) -> None:
        """A batch is done."""


@dataclass(slots=True, eq=False)
class _Job:
    record: Record
    future: asyncio.Future[FaithfulnessResult]
    chars: int
    since: float = field(default_factory=time.monotonic)


class MicroBatcher:
    """Scores records from many tasks, a batch at a time. Belongs to one event loop.

    Call `start` in the loop, `stop` before it ends.
    """

    def __init__(
        self,
        scorer: FaithfulnessScorer,
        *,
        wait_ms: float,
        max_records: int,
        max_chars: int,
        parallel: int = 1,
        observer: BatchObserver | None = None,
    ) -> None:
        """Wrap a scorer.

        Args:
            scorer: The scorer.
            wait_ms: Milliseconds an idle scorer waits for more records after the first.
            max_records: Records in a batch; 1 for no batching.
            max_chars: Characters of answers and contexts in a batch; a longer record goes alone.
            parallel: Batches scored at once.
            observer: Told of every batch.
        """
        self._scorer = scorer
        self._wait = wait_ms / 1000
        self._max_records, self._max_chars = max_records, max_chars
        self._parallel = parallel
        self._observer = observer
        self._queue: deque[_Job] = deque()
        self._chars = 0
        self._pool = ThreadPoolExecutor(parallel, thread_name_prefix="nli-faith-score")
        self._tasks: list[asyncio.Task[None]] = []
        self._arrived = asyncio.Event()
        self._filled = asyncio.Event()
        self._began: dict[int, float] = {}
        self._rate = 0.0
        self._stopping = False

    # --- what the service asks

    @property
    def waiting(self) -> int:
        """Records that no batch has taken yet."""
        return len(self._queue)

    @property
    def alive(self) -> bool:
        """Whether every worker is running."""
        return bool(self._tasks) and not any(t.done() for t in self._tasks)

    def busy_for(self) -> float:
        """Seconds that the oldest batch in hand has been scored; 0 when idle."""
        return time.monotonic() - min(self._began.values()) if self._began else 0.0

    def seconds_for(self, records: int) -> float:
        """Estimated seconds until as many records would be scored, by recent speed; 0 if unknown.

        Args:
            records: Records ahead.
        """
        return records / self._rate if self._rate else 0.0

    # --- life

    def start(self) -> None:
        """Begin to score; needs a running loop."""
        self._tasks = [asyncio.create_task(self._work(i)) for i in range(self._parallel)]

    async def stop(self) -> None:
        """Score what waits, then end."""
        self._stopping = True
        self._arrived.set()
        self._filled.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._pool.shutdown(wait=True)

    # --- records

    def submit(self, record: Record) -> asyncio.Future[FaithfulnessResult]:
        """Queue a record; cancel the future to give its place back.

        Args:
            record: The record.

        Returns:
            Its result, or the error that scoring raised.
        """
        future: asyncio.Future[FaithfulnessResult] = asyncio.get_running_loop().create_future()
        job = _Job(record, future, len(record.answer) + sum(map(len, record.contexts)))
        self._queue.append(job)
        self._chars += job.chars
        future.add_done_callback(lambda f: self._forget(job) if f.cancelled() else None)
        self._arrived.set()
        if self._is_full():
            self._filled.set()
        return future

    def _forget(self, job: _Job) -> None:
        # A client that left must not keep a place; a job already taken is not in the queue.
        if job in self._queue:
            self._queue.remove(job)
            self._chars -= job.chars

    def _is_full(self) -> bool:
        return len(self._queue) >= self._max_records or self._chars >= self._max_chars

    async def _work(self, worker: int) -> None:
        while True:
            while not self._queue:
                if self._stopping:
                    return
                self._arrived.clear()
                await self._arrived.wait()
            await self._wait_for_mates()
            batch = self._take()
            if batch:
                self._began[worker] = time.monotonic()
                try:
                    await self._run(batch)
                finally:
                    del self._began[worker]

    async def _wait_for_mates(self) -> None:
        """Wait until a batch is full, or its first record has waited as long as one may."""
        left = self._queue[0].since + self._wait - time.monotonic()
        if self._is_full() or self._stopping or left <= 0:
            return
        self._filled.clear()
        try:
            await asyncio.wait_for(self._filled.wait(), left)
        except (TimeoutError, asyncio.TimeoutError):
            return

    def _take(self) -> list[_Job]:
        batch: list[_Job] = []
        chars = 0
        while self._queue and len(batch) < self._max_records:
            job = self._queue[0]
            if batch and chars + job.chars > self._max_chars:
                break
            batch.append(self._queue.popleft())
            chars += job.chars
        self._chars -= chars
        return [job for job in batch if not job.future.done()]

    async def _run(self, batch: list[_Job]) -> None:
        start = time.monotonic()
        if self._observer:
            for job in batch:
                self._observer.waited(start - job.since)
        results = await self._attempt(batch)
        if results is None:
            return
        for job, result in zip(batch, results, strict=True):
            if not job.future.done():
                job.future.set_result(result)

    async def _attempt(self, batch: list[_Job]) -> list[FaithfulnessResult] | None:
        start = time.monotonic()
        stats = RunStats()
        records = [job.record for job in batch]
        loop = asyncio.get_running_loop()
        try:
            results = await loop.run_in_executor(
                self._pool, lambda: list(self._scorer.score_records(records, stats=stats))
            )
        except Exception as error:
            await self._blame(batch, error)
            return None
        seconds = time.monotonic() - start
        self._learn(len(batch), seconds)
        if self._observer:
            self._observer.scored(seconds, stats, results)
        return results

    async def _blame(self, batch: list[_Job], error: Exception) -> None:
        """Of a batch that failed, score each record alone: only the culprit's request may fail."""
        if len(batch) == 1:
            if not batch[0].future.done():
                batch[0].future.set_exception(error)
            return
        for job in batch:
            if not job.future.done():
                await self._run([job])

    def _learn(self, records: int, seconds: float) -> None:
        rate = records / max(seconds, 1e-6) * self._parallel
        self._rate = rate if not self._rate else ((1 - _SMOOTHING) * self._rate + _SMOOTHING * rate)
