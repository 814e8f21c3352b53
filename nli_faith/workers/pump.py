"""A thread that serves one worker process, and starts it anew when it died."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from nli_faith.errors import WorkerError
from nli_faith.workers.process import Done, started

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

    from nli_faith.datamodels import Record

#: Deaths after which a chunk is held to be their cause.
DEATHS = 3
#: A chunk, and where its results go.
Task = tuple["Sequence[Record]", "Future[Done]"]


class Pump:
    """A thread that serves one worker: sends it a chunk, waits, and starts it anew if it died."""

    def __init__(
        self,
        start: tuple[dict[str, Any], str | None],
        tasks: queue.SimpleQueue[Task | None],
        on_death: Callable[[str], None] | None,
    ) -> None:
        """Start the thread; the process starts with the first chunk.

        Args:
            start: Arguments of `process.started`.
            tasks: Shared by all pumps; ``None`` ends one.
            on_death: Called with a sentence when the worker died and its chunk is done again.
        """
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

    def _score(self, chunk: Sequence[Record]) -> Done:
        how = ""
        for death in range(1, DEATHS + 1):
            pipe = self._ready()
            try:
                pipe.send(chunk)
                reply: Done | Exception = pipe.recv()
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
                self._process, self._pipe = started(*self._start)
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
