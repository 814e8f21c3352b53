"""Several processes that score one stream, with the results and the order of one.

The parent reads, hands out the chunks that one process would have scored together, and puts the
results back in order; a worker is a `FaithfulnessScorer` behind a pipe. When one dies, its chunk,
of which nothing has been seen yet, goes to a new one: no row is lost and none comes twice.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import TYPE_CHECKING, Any

from nli_faith.errors import BackendError, ConfigError, NliFaithError, WorkerError

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

    from nli_faith.datamodels import Record
    from nli_faith.inference import RunStats
    from nli_faith.results import FaithfulnessResult
    from nli_faith.scorer import FaithfulnessScorer

#: Deaths after which a chunk is held to be their cause.
DEATHS = 3
#: Chunks read ahead for each worker: one at work, one waiting.
AHEAD = 2
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS",
)  # fmt: skip
_Done = tuple["list[FaithfulnessResult]", "RunStats"]
_Task = tuple["Sequence[Record]", "Future[_Done]"]


def threads_for(workers: int) -> int:
    """Threads of each worker when nothing else is asked for: the cores, shared out.

    Args:
        workers: Number of processes.
    """
    with suppress(AttributeError):  # the cores this process may use, where the system tells
        return max(1, len(os.sched_getaffinity(0)) // workers)
    return max(1, (os.cpu_count() or 1) // workers)


class WorkerPool:
    """Processes that score as one; a context manager.

    Workers start with the first chunk that needs them. They end with the pool, with an
    interrupt, and by themselves when the parent is gone.
    """

    def __init__(
        self,
        workers: int,
        options: Mapping[str, Any],
        *,
        cache_path: str | None = None,
        on_death: Callable[[str], None] | None = None,
    ) -> None:
        """Set the pool up; nothing is started yet.

        Args:
            workers: Number of processes, at least 1.
            options: Arguments of `FaithfulnessScorer.from_pretrained`; ``threads`` are those of
                each worker. They go to other processes, so no scorer and no open cache.
            cache_path: Pair cache that all workers share.
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
        self._start = (dict(options), cache_path)
        self._on_death = on_death
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._pumps: list[_Pump] = []

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
        waiting: deque[Future[_Done]] = deque()
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

    def _put(self, chunk: Sequence[Record]) -> Future[_Done]:
        future: Future[_Done] = Future()
        if len(self._pumps) < self.workers:
            self._pumps.append(_Pump(self._start, self._tasks, self._on_death))
        self._tasks.put((chunk, future))
        return future

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all workers."""
        self.close()


def _taken(future: Future[_Done], stats: RunStats) -> list[FaithfulnessResult]:
    results, own = future.result()
    stats.add(own)
    return results


class _Pump:
    """A thread that serves one worker: sends it a chunk, waits, and starts it anew if it died."""

    def __init__(
        self,
        start: tuple[dict[str, Any], str | None],
        tasks: queue.SimpleQueue[_Task | None],
        on_death: Callable[[str], None] | None,
    ) -> None:
        self._start, self._tasks, self._on_death = start, tasks, on_death
        self._lock = threading.Lock()
        self._stopped = False
        self._busy = False
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Take no further chunk; a worker that is at one is killed."""
        with self._lock:
            self._stopped = True
            if self._process is not None and self._busy:
                self._process.kill()

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None and not self._stopped:
            chunk, future = task
            self._busy = True
            try:
                future.set_result(self._score(chunk))
            except Exception as error:
                future.set_exception(error)
            self._busy = False
        self._bury()

    def _score(self, chunk: Sequence[Record]) -> _Done:
        how = ""
        for death in range(1, DEATHS + 1):
            pipe = self._ready()
            try:
                pipe.send(chunk)
                reply: _Done | Exception = pipe.recv()
            except (EOFError, OSError):
                how = self._bury()
                if not self._stopped and death < DEATHS and self._on_death is not None:
                    self._on_death(
                        f"a worker died ({how}); its {len(chunk)} records are scored again"
                    )
                continue
            if isinstance(reply, Exception):
                raise reply
            return reply
        raise WorkerError(
            f"{DEATHS} workers died, one after the other (the last: {how}), on the {len(chunk)} "
            f"records from {chunk[0].id!r} to {chunk[-1].id!r}. Rows written before are safe, and "
            "--resume goes on behind them. Signal 9 is often the system out of memory: fewer "
            "workers need less"
        )

    def _ready(self) -> Connection:
        """The pipe to a living worker."""
        with self._lock:
            if self._stopped:
                raise WorkerError("the workers were stopped")
            if self._process is None or self._pipe is None:
                self._process, self._pipe = _started(*self._start)
            return self._pipe

    def _bury(self) -> str:
        """Let the worker end, wait for it, and say how it ended."""
        with self._lock:
            process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if process is None or pipe is None:
            return ""
        pipe.close()  # on which an idle worker ends
        process.join(5)
        if process.is_alive():
            process.kill()
            process.join()
        code = process.exitcode or 0
        process.close()
        return f"signal {-code}" if code < 0 else f"exit code {code}"


_STARTING = threading.Lock()


def _started(options: dict[str, Any], cache_path: str | None) -> tuple[SpawnProcess, Connection]:
    """A new worker and the pipe to it."""
    # Spawned, not forked: the threads of a loaded model do not survive a fork.
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, options, cache_path), daemon=True)
    with _STARTING, _environment(options.get("threads") or 1):
        process.start()
    there.close()  # or the end of the worker would not be seen here
    return process, here


@contextmanager
def _environment(threads: int) -> Iterator[None]:
    """What a child is to inherit: its number of threads, and deafness to Ctrl-C.

    Numeric libraries read their number of threads when they are loaded. Ctrl-C goes to the whole
    group of processes; the parent hears it and ends the workers, which would otherwise each print
    a traceback.
    """
    old = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(threads)))
    masks = hasattr(signal, "pthread_sigmask")
    if masks:
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # its first start would take the mask off again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for name, value in old.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _work(pipe: Connection, options: dict[str, Any], cache_path: str | None) -> None:
    """A worker's whole life: load, then answer chunk by chunk until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    scorer: FaithfulnessScorer | Exception
    try:
        scorer = _loaded(options, cache_path)
    except Exception as error:
        scorer = _portable(error)
    with suppress(EOFError, OSError):  # the parent has closed the pipe, or is gone
        while True:
            pipe.send(_answer(scorer, pipe.recv()))


def _loaded(options: dict[str, Any], cache_path: str | None) -> FaithfulnessScorer:
    from nli_faith.cache import PairCache
    from nli_faith.scorer import FaithfulnessScorer

    cache = PairCache(cache_path) if cache_path else None
    return FaithfulnessScorer.from_pretrained(cache=cache, **options)


def _answer(scorer: FaithfulnessScorer | Exception, chunk: Sequence[Record]) -> _Done | Exception:
    from nli_faith.inference import RunStats

    if isinstance(scorer, Exception):
        return scorer
    stats = RunStats()
    try:
        return list(scorer.score_records(chunk, stats=stats)), stats
    except Exception as error:
        return _portable(error)


def _portable(error: Exception) -> Exception:
    """The error as it is where it can go through a pipe, else its message."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        known = isinstance(error, NliFaithError)
        return BackendError(str(error) if known else f"{type(error).__name__}: {error}")
    return error
