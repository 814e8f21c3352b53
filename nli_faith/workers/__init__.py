"""Several processes that score one stream, with the results and the order of one."""

from nli_faith.workers.pool import WorkerPool, threads_for

__all__ = ["WorkerPool", "threads_for"]
