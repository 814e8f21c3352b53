"""The pool: several processes that score one stream, with the results and the order of one.

The parent reads, hands out the chunks that one process would have scored together, and puts the
results back in order; a worker is a `FaithfulnessScorer` behind a pipe. When one dies, its chunk,
of which nothing has been seen yet, goes to a new one: no row is lost and none comes twice.
"""

from __future__ import annotations

import pickle
import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from nli_faith.backends.session import available_threads
from nli_faith.errors import ConfigError
from nli_faith.workers.process import Done
from nli_faith.workers.pump import Pump, Task

if TYPE_CHECKING:
    from nli_faith.datamodels import Record
    from nli_faith.inference import RunStats
    from nli_faith.results import FaithfulnessResult

#: Chunks read ahead for each worker: one at work, one waiting.
AHEAD = 2


def threads_for(workers: int) -> int:
    """Threads of each worker when nothing else is asked for: the cores, shared out.

    Args:
        workers: Number of processes.
    """
    return max(1, available_threads() // workers)


class WorkerPool:
    """Processes that score as one; a context manager.

    Workers start with the first chunk that needs them. They end with the pool, with an
    interrupt, and by themselves when the parent is gone. A script that uses one needs the usual
    ``if __name__ == "__main__":``, since each worker imports it anew.
    """

    def __init__(
        self,
        workers: int,
        options: Mapping[str, Any],
        *,
        cache_path: str | None = None,
        devices: Sequence[str] = (),
        on_death: Callable[[str], None] | None = None,
    ) -> None:
        """Set the pool up; nothing is started yet.

        Args:
            workers: Number of processes, at least 1.
            options: Arguments of `FaithfulnessScorer.from_pretrained`; ``threads`` are those of
                each worker. They go to other processes, so no scorer and no open cache.
            cache_path: Pair cache that all workers share.
            devices: One for each worker, in turn (``cuda:0``, ``cuda:1``), in place of the
                ``device`` among the options.
            on_death: Called with a sentence when a worker died and its chunk is done again.

        Raises:
            ConfigError: ``workers`` is below 1, or an option cannot be sent.
        """
        if workers < 1:
            raise ConfigError(f"workers must be 1 or more, not {workers}")
        try:
            pickle.dumps(dict(options))
        except Exception as error:
            raise ConfigError(f"options {sorted(options)} cannot go to workers: {error}") from error
        self.workers = workers
        self._options, self._cache_path, self._devices = dict(options), cache_path, tuple(devices)
        self._on_death = on_death
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._pumps: list[Pump] = []

    def score_chunks(
        self,
        records: Iterable[Record],
        *,
        most: int,
        chars: int,
        stats: RunStats,
    ) -> Iterator[list[FaithfulnessResult]]:
        """As `FaithfulnessScorer.score_chunks`: the same chunks, results and order.

        Args:
            records: Records of any number; read a few chunks ahead.
            most: Records in a chunk, at most (``ScorerConfig.chunk_records``).
            chars: Their characters (``ScorerConfig.chunk_chars``).
            stats: Counted up on the way; seconds are those of all workers together.

        Yields:
            The results of a chunk, in order. When ``records`` raises, what it gave before is
            scored first, then the error goes on.

        Raises:
            WorkerError: Workers died again and again on one chunk.
        """
        from nli_faith.stream import chunked, record_chars

        chunks = chunked(records, most=most, chars=chars, size=record_chars)
        waiting: deque[Future[Done]] = deque()
        failure: Exception | None = None
        while True:
            try:
                chunk = next(chunks)
            except StopIteration:
                break
            except Exception as error:  # the input's: what it gave before comes first
                failure = error
                break
            waiting.append(self._put(chunk))
            if len(waiting) > AHEAD * self.workers:
                yield _taken(waiting.popleft(), stats)
        while waiting:
            yield _taken(waiting.popleft(), stats)
        if failure is not None:
            raise failure

    def _put(self, chunk: Sequence[Record]) -> Future[Done]:
        future: Future[Done] = Future()
        if len(self._pumps) < self.workers:
            start = (self.options_of(len(self._pumps)), self._cache_path)
            self._pumps.append(Pump(start, self._tasks, self._on_death))
        self._tasks.put((chunk, future))
        return future

    def options_of(self, worker: int) -> dict[str, Any]:
        """What one worker loads its scorer with.

        Args:
            worker: Its number, from 0.
        """
        if not self._devices:
            return self._options
        return {**self._options, "device": self._devices[worker % len(self._devices)]}

    def close(self) -> None:
        """End all workers, at once; what they were at is dropped."""
        for pump in self._pumps:
            pump.stop()
        for _ in self._pumps:
            self._tasks.put(None)
        for pump in self._pumps:
            pump.thread.join()
        self._pumps = []

    def __enter__(self) -> WorkerPool:
        """Nothing is started yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all workers."""
        self.close()


def _taken(future: Future[Done], stats: RunStats) -> list[FaithfulnessResult]:
    results, own = future.result()
    stats.add(own)
    return results
