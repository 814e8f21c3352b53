"""The run behind ``nli-faith score``: reads, scores, writes, counts."""

from __future__ import annotations

import datetime
import functools
import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from nli_faith.cli.privacy import masked_reject
from nli_faith.cli.progress import ProgressBar, count_rows
from nli_faith.datamodels import Record
from nli_faith.errors import OutputPathError
from nli_faith.summary import RunSummary

if TYPE_CHECKING:
    from nli_faith.inference import RunStats
    from nli_faith.io import Reject, RejectsWriter, ResultWriter, ResumeState, Shard
    from nli_faith.results import FaithfulnessResult
    from nli_faith.scorer import FaithfulnessScorer
    from nli_faith.workers import WorkerPool


def refuse_same_files(source: str, output: str, rejects: str | None) -> None:
    """Refuse to write over the input, or two outputs into one file.

    Raises:
        OutputPathError: Two of them are the same file.
    """
    from nli_faith.io import manifest_path

    named = {"input": source, "output": output, "rejects": rejects}
    if output != "-":
        named["manifest"] = str(manifest_path(output))
    seen: dict[str, str] = {}
    for role, path in named.items():
        if path is None or path == "-":
            continue
        real = os.path.realpath(path)
        if real in seen and os.path.exists(real) and not os.path.isfile(real):
            continue  # a device or pipe may serve twice
        if real in seen:
            raise OutputPathError(f"{path}: is both the {seen[real]} and the {role} file")
        seen[real] = role


def refuse_output_in_input(source: str, output: str) -> None:
    """Refuse an output that is the remote input, or a Parquet file in the folder that is read.

    Raises:
        OutputPathError: It is; the next run would take it for input.
    """
    from nli_faith.io import is_remote

    remote = is_remote(source)
    here, there = (
        path.rstrip("/") if remote else os.path.realpath(path) for path in (source, output)
    )
    if remote and here == there:
        raise OutputPathError(f"{output}: is both the input and the output file")
    inside = there.startswith(here + "/" if remote else here + os.sep)
    if inside and output.lower().endswith((".parquet", ".pq")):
        raise OutputPathError(
            f"{output}: lies in the folder {source}, whose next reading would take it for input"
        )


class ScoreRun:
    """One call of ``score``: reads, scores, writes, counts."""

    def __init__(
        self,
        scorer: FaithfulnessScorer,
        source: str,
        output: str,
        worst: int,
        *,
        redact: bool,
        shard: Shard | None,
        pool: WorkerPool | None,
    ) -> None:
        from nli_faith.inference import RunStats

        self.scorer = scorer
        self.source = source
        self._redact, self._shard, self._pool = redact, shard, pool
        self.output = self.named = output
        self.summary = RunSummary(worst_kept=worst)
        self.stats: RunStats = RunStats()
        self._rejects: RejectsWriter | None = None
        self._writer: ResultWriter | None = None
        self._open: Callable[[], ResultWriter]

    def go(self, *, mapping: dict[str, str], fmt: str | None, encoding: str, resume: bool,
           overwrite: bool, rejects: str | None, progress: bool) -> None:  # fmt: skip
        """Do it all, once; the arguments are the options of the command."""
        from nli_faith.io import read_records, rejects_path

        started, clock = datetime.datetime.now(datetime.timezone.utc), time.perf_counter()
        to_file = self.output != "-"
        rejects_to = rejects or (str(rejects_path(self.output)) if to_file else None)
        refuse_same_files(self.source, self.output, rejects_to)
        done = self._resume_state() if resume else None
        with ExitStack() as stack:
            self._open = functools.partial(self._outputs, stack, done, overwrite, rejects_to)
            records: Iterator[Record] = read_records(
                self.source, format=fmt, mapping=mapping, encoding=encoding,
                on_reject=self._reject,
            )  # fmt: skip
            if self._shard is not None:
                records = (r for r in records if self._shard.holds(r.id))
            # An input that cannot be read says so here, before any output is touched.
            first = list(itertools.islice(records, 1))
            writer = self._writer or self._open()
            if done is not None and done.rows:
                self._count_earlier_rows()
            records = itertools.chain(first, records)
            if done is not None:
                records = self._not_done(records, done)
            chunks = self._chunks(records)
            if progress:
                total = count_rows(self.source)
                left = total if total is None or done is None else max(0, total - done.rows)
                chunks = stack.enter_context(ProgressBar(left)).track(chunks, len)
            for results in chunks:
                for result in results:
                    writer.write(self._shown(result.to_dict()))
                    self.summary.add(result)
                writer.flush()
        if to_file:
            self._write_manifest(started, time.perf_counter() - clock)

    def _outputs(
        self, stack: ExitStack, done: ResumeState | None, overwrite: bool, rejects_to: str | None
    ) -> ResultWriter:
        from nli_faith.io import RejectsWriter, ResultWriter

        writer = ResultWriter(self.output, resume=done, overwrite=overwrite)
        self._writer = stack.enter_context(writer)
        if rejects_to:
            self._rejects = stack.enter_context(RejectsWriter(rejects_to))
        return self._writer

    def _chunks(self, records: Iterable[Record]) -> Iterable[list[FaithfulnessResult]]:
        if self._pool is None:
            return self.scorer.score_chunks(records, stats=self.stats)
        config = self.scorer.config
        return self._pool.score_chunks(
            records, most=config.chunk_records, chars=config.chunk_chars, stats=self.stats
        )

    def _resume_state(self) -> ResumeState:
        from nli_faith.io import ResumeState

        info = self.scorer.info
        state = ResumeState.load(
            self.output, config_hash=info.config_hash, model_sha256=info.model_sha256
        )
        for note in state.notes:
            click.echo(f"nli-faith: {note}", err=True)
        return state

    def _not_done(self, records: Iterable[Record], done: ResumeState) -> Iterator[Record]:
        from nli_faith.io import POSITIONAL_ID

        warned = False
        for record in records:
            if not warned and done.rows and record.id.startswith(POSITIONAL_ID):
                warned = True
                click.echo(
                    "nli-faith: rows without an id are told apart by their position: "
                    "--resume is right only if no row was inserted or removed before them",
                    err=True,
                )
            if done.skip(record.id):
                continue
            yield record

    def _count_earlier_rows(self) -> None:
        """Let the summary and the gate speak of the whole output, not of this run's part."""
        from nli_faith.io import read_scored
        from nli_faith.results import FaithfulnessResult

        for row in read_scored(self.output):
            self.summary.add(FaithfulnessResult.from_dict(row))
            self.summary.resumed += 1

    def _shown(self, row: dict[str, Any]) -> dict[str, Any]:
        if not self._redact:
            return row
        from nli_faith.redaction import redact_row

        masked: dict[str, Any] = redact_row(row)
        return masked

    def _reject(self, reject: Reject) -> None:
        if self._shard is not None and not self._shard.holds(f"line {reject.line}"):
            return  # another part's
        if self._writer is None:
            self._open()
        self.summary.rejected += 1
        if self._redact:
            reject = masked_reject(reject)
        if self._rejects is not None:
            self._rejects.write(reject)
        else:
            click.echo(f"nli-faith: rejected: {reject.error()}", err=True)

    def _write_manifest(self, started: datetime.datetime, seconds: float) -> None:
        from nli_faith.io import manifest_path, write_manifest

        backend = self.scorer.backend
        write_manifest(
            manifest_path(self.output),
            {
                "source": self.source,
                "output": self.named,
                "shard": None
                if self._shard is None
                else f"{self._shard.index}/{self._shard.count}",
                "started": started.isoformat(timespec="seconds"),
                "seconds": round(seconds, 3),
                "scorer": self.scorer.info.to_dict(),
                "precision": backend.precision,
                "provider": backend.provider,
                "threads": backend.threads,
                "workers": 1 if self._pool is None else self._pool.workers,
                "thresholds": asdict(self.scorer.thresholds),
                "config": asdict(self.scorer.config),
                "summary": self._shown(self.summary.to_dict()),
                "pairs": {
                    "requested": self.stats.pairs_requested,
                    "unique": self.stats.pairs_unique,
                    "cached": self.stats.pairs_cached,
                    "run": self.stats.pairs_run,
                },
            },
        )
