"""``nli-faith score``: a file of records in, a scored file and a summary out."""

from __future__ import annotations

import datetime
import functools
import itertools
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from nli_faith.cli.inputs import reading_options
from nli_faith.cli.options import lang_option, profile_of, scoring_options
from nli_faith.cli.privacy import masked_reject
from nli_faith.cli.progress import ProgressBar, count_rows
from nli_faith.cli.render import console, render_summary
from nli_faith.datamodels import Record, Status
from nli_faith.errors import ConfigError, OutputPathError
from nli_faith.summary import RunSummary

if TYPE_CHECKING:
    from nli_faith.inference import RunStats
    from nli_faith.io import (
        Reject,
        RejectsWriter,
        RemoteOutput,
        ResultWriter,
        ResumeState,
        Shard,
    )
    from nli_faith.results import FaithfulnessResult
    from nli_faith.scorer import FaithfulnessScorer
    from nli_faith.workers import WorkerPool

EXIT_GATE = 1
EXIT_REJECTED = 3


def _shard(context: click.Context, parameter: click.Parameter, value: str | None) -> Shard | None:
    from nli_faith.io import Shard

    try:
        return None if value is None else Shard.parse(value)
    except ConfigError as error:
        raise click.BadParameter(str(error)) from error


@click.command()
@click.argument("source", metavar="IN")
@click.option(
    "--output",
    "-o",
    default="-",
    show_default=True,
    metavar="OUT",
    help="JSONL (also .gz, .zst), .csv or .parquet; - for stdout.",
)
@scoring_options
@reading_options
@click.option("--resume", is_flag=True, help="Skip what OUT already has; append the rest.")
@click.option("--overwrite", is_flag=True, help="Replace OUT when the run is done.")
@click.option("--rejects", metavar="PATH", help="Unreadable rows; OUT.rejects.jsonl by default.")
@click.option("--cache", "cache_path", metavar="PATH", help="Keep pair probabilities (SQLite).")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 1),
    metavar="MEAN",
    help="Exit 1 when the mean on scored records is lower, or nothing is scored.",
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Worst records shown in the summary.",
)
@click.option("--profile", "profile_path", metavar="FILE",
              help="Thresholds that `nli-faith calibrate` wrote for this model.")  # fmt: skip
@click.option("--shard", metavar="I/N", callback=_shard,
              help="Only the I-th of N parts of IN, by hash of the id: array jobs.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True,
              help="Processes, which share out the cores unless --threads is given.")  # fmt: skip
@click.option("--redact", is_flag=True,
              help="Mask telephone, card and ID numbers and e-mails in all output.")  # fmt: skip
@click.option("--quiet", is_flag=True, help="No progress and no summary.")
@lang_option
def score(source: str, output: str, mapping: tuple[str, ...], fmt: str | None, encoding: str,
          resume: bool, overwrite: bool, rejects: str | None, cache_path: str | None,
          fail_under: float | None, worst: int, profile_path: str | None,
          shard: Shard | None, workers: int, redact: bool, quiet: bool, lang: str, model: str,
          threads: int | None, **options: Any) -> None:  # fmt: skip
    """Score every record of IN and say which sentences the material does not back.

    IN is a file of JSON lines, a JSON array, CSV or Parquet, a folder of Parquet files, or -
    for stdin. Field names of Ragas, DeepEval and plain logs are recognised. IN and OUT may
    be remote (s3://, gs://; extra `remote`); a remote OUT is uploaded when it is complete.

    \b
    Examples:
      nli-faith score records.jsonl -o scored.jsonl
      nli-faith score logs.csv --map answer=reply --map contexts=docs -o scored.jsonl
      nli-faith score day.jsonl.gz -o scored.jsonl.gz --mode fast --resume
      nli-faith score records.jsonl -o scored.jsonl --fail-under 0.85
      nli-faith score records.jsonl -o part-03.jsonl --shard 3/16
      nli-faith score records.jsonl -o scored.jsonl --workers 4
      cat records.jsonl | nli-faith score - > scored.jsonl

    \b
    Exit codes: 0 done · 1 --fail-under missed · 2 usage · 3 some rows rejected
    """
    from nli_faith.cache import PairCache
    from nli_faith.io import is_remote, parse_mapping
    from nli_faith.scorer import FaithfulnessScorer
    from nli_faith.workers import threads_for

    if resume and overwrite:
        raise click.UsageError("--resume and --overwrite exclude one another")
    if resume and output == "-":
        raise click.UsageError("--resume needs an output file")
    if is_remote(output) and (resume or is_remote(rejects or "")):
        raise click.UsageError(
            f"{output}: a remote output is uploaded when it is complete: it cannot be resumed, "
            "and its rejects go beside it or to a local --rejects"
        )
    fields = parse_mapping(mapping)
    with ExitStack() as stack:
        upload = _upload(stack, output, overwrite)
        cache = stack.enter_context(PairCache(cache_path)) if cache_path else None
        profile = profile_of(profile_path, options)
        if workers > 1:
            threads = threads or threads_for(workers)
        chosen = {"model": model, "threads": threads, "profile": profile, **options}
        scorer = FaithfulnessScorer.from_pretrained(cache=cache, **chosen)
        pool = _pool(stack, workers, chosen, cache_path)
        target = output if upload is None else upload.local
        run = _Run(scorer, source, target, worst, redact=redact, shard=shard, pool=pool)
        run.named = output
        run.go(
            mapping=fields, fmt=fmt, encoding=encoding, resume=resume, overwrite=overwrite,
            rejects=rejects, progress=not quiet and sys.stderr.isatty(),
        )  # fmt: skip
        if upload is not None:
            upload.commit()
    if not quiet:
        console(sys.stderr if output == "-" else sys.stdout).print(
            render_summary(run.summary, lang)
        )
    sys.exit(_exit_code(run.summary, fail_under))


def _upload(stack: ExitStack, output: str, overwrite: bool) -> RemoteOutput | None:
    from nli_faith.io import RemoteOutput, is_remote

    if not is_remote(output):
        return None
    return stack.enter_context(RemoteOutput(output, overwrite=overwrite))


def _pool(
    stack: ExitStack, workers: int, chosen: dict[str, Any], cache_path: str | None
) -> WorkerPool | None:
    """Processes beside this one, where more than one are asked for."""
    if workers == 1:
        return None
    from nli_faith.workers import WorkerPool

    def told(notice: str) -> None:
        click.echo(f"nli-faith: {notice}", err=True)

    pool = WorkerPool(workers, chosen, cache_path=cache_path, on_death=told)
    return stack.enter_context(pool)


def _exit_code(summary: RunSummary, fail_under: float | None) -> int:
    mean = summary.mean_on_scored
    if fail_under is not None and (math.isnan(mean) or mean < fail_under):
        shown = "nothing was scored" if math.isnan(mean) else f"mean {mean:.4f}"
        click.echo(f"nli-faith: gate missed: {shown}, wanted at least {fail_under}", err=True)
        return EXIT_GATE
    if summary.rejected or summary.statuses[Status.ERROR.value]:
        return EXIT_REJECTED
    return 0


def _refuse_same_files(source: str, output: str, rejects: str | None) -> None:
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


class _Run:
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
        from nli_faith.io import read_records, rejects_path

        started, clock = datetime.datetime.now(datetime.timezone.utc), time.perf_counter()
        to_file = self.output != "-"
        rejects_to = rejects or (str(rejects_path(self.output)) if to_file else None)
        _refuse_same_files(self.source, self.output, rejects_to)
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
