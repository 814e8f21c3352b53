"""A process that scores chunks behind a pipe: how it is started, and what it does."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from nli_faith.errors import BackendError, NliFaithError

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

    from nli_faith.datamodels import Record
    from nli_faith.inference import RunStats
    from nli_faith.results import FaithfulnessResult
    from nli_faith.scorer import FaithfulnessScorer

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS",
)  # fmt: skip
#: What a worker answers to a chunk.
Done = tuple["list[FaithfulnessResult]", "RunStats"]
_STARTING = threading.Lock()


def started(options: dict[str, Any], cache_path: str | None) -> tuple[SpawnProcess, Connection]:
    """A new worker and the pipe to it.

    Chunks of records go in; for each a `Done` comes out, or the exception that it ended in. The
    worker ends when the pipe is closed, by whom or what ever.

    Args:
        options: Arguments of `FaithfulnessScorer.from_pretrained`.
        cache_path: Pair cache, or none.
    """
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


def _answer(scorer: FaithfulnessScorer | Exception, chunk: Sequence[Record]) -> Done | Exception:
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
