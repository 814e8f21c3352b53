"""Batches side by side: each on one thread, as many at once as the backend has threads.

One call spread over several threads waits at every operator for the slowest of them, the longer
the smaller the model; two calls on a thread each never wait. On 2 free cores both come to the same
for the bundled model, on 2 busy ones side by side is 1.5 times as fast (`benchmarks/README.md`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Lanes:
    """Threads that work through batches. May be used from many threads at once.

    Attributes:
        count: Calls at once.
    """

    def __init__(self, count: int) -> None:
        """Sets up; threads start with the first work.

        Args:
            count: Calls at once, at least 1; 1 means in the caller's own thread.
        """
        self.count = count
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def run(self, work: Callable[[T], None], items: Sequence[T]) -> None:
        """Calls ``work`` with each item; raises what the first failing item raised."""
        if self.count == 1 or len(items) < 2:
            for item in items:
                work(item)
            return
        jobs = [self._threads().submit(work, item) for item in items]
        try:
            for job in jobs:
                job.result()
        finally:
            # After a failure or Ctrl-C nobody waits for the rest.
            for job in jobs:
                job.cancel()

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            # Threads stay behind when a process forks: a child needs its own.
            if self._pool is None or self._process != os.getpid():
                self._pool = ThreadPoolExecutor(self.count, thread_name_prefix="nli-faith-lane")
                self._process = os.getpid()
            return self._pool


#: For backends whose calls use several threads themselves.
ONE_LANE = Lanes(1)
