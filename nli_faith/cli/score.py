"""``nli-faith score``: a file of records in, a scored file and a summary out."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from nli_faith.cli.inputs import reading_options
from nli_faith.cli.options import lang_option, profile_of, scoring_options
from nli_faith.cli.render import console, render_summary
from nli_faith.cli.score_run import ScoreRun, refuse_output_in_input
from nli_faith.datamodels import Status
from nli_faith.errors import ConfigError

if TYPE_CHECKING:
    from nli_faith.io import RemoteOutput, Shard
    from nli_faith.summary import RunSummary
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
@click.option("--workers", type=click.IntRange(1, 256), default=None, show_default="1",
              help="Processes, which share out the cores unless --threads is given; "
                   "--device cuda:0,1 has one a device.")  # fmt: skip
@click.option("--redact", is_flag=True,
              help="Mask telephone, card and ID numbers and e-mails in all output.")  # fmt: skip
@click.option("--quiet", is_flag=True, help="No progress and no summary.")
@lang_option
def score(source: str, output: str, mapping: tuple[str, ...], fmt: str | None, encoding: str,
          resume: bool, overwrite: bool, rejects: str | None, cache_path: str | None,
          fail_under: float | None, worst: int, profile_path: str | None,
          shard: Shard | None, workers: int | None, redact: bool, quiet: bool, lang: str,
          model: str, threads: int | None, device: str, **options: Any) -> None:  # fmt: skip
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
    from nli_faith.backends.devices import split_devices
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
    refuse_output_in_input(source, output)
    fields = parse_mapping(mapping)
    with ExitStack() as stack:
        upload = _upload(stack, output, overwrite)
        cache = stack.enter_context(PairCache(cache_path)) if cache_path else None
        profile = profile_of(profile_path, options)
        devices = split_devices(device)
        workers = workers or len(devices)
        if workers > 1:
            threads = threads or threads_for(workers)
        chosen = {
            "model": model, "threads": threads, "profile": profile, "device": devices[0], **options
        }  # fmt: skip
        scorer = FaithfulnessScorer.from_pretrained(cache=cache, **chosen)
        pool = _pool(stack, workers, devices, chosen, cache_path)
        target = output if upload is None else upload.local
        run = ScoreRun(scorer, source, target, worst, redact=redact, shard=shard, pool=pool)
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
    stack: ExitStack,
    workers: int,
    devices: list[str],
    chosen: dict[str, Any],
    cache_path: str | None,
) -> WorkerPool | None:
    """Processes beside this one, where more than one are asked for."""
    if len(devices) > workers:
        raise click.UsageError(
            f"--workers {workers} is less than the {len(devices)} devices of --device "
            f"{','.join(devices)}: one worker runs on one device"
        )
    if workers == 1:
        return None
    from nli_faith.workers import WorkerPool

    def told(notice: str) -> None:
        click.echo(f"nli-faith: {notice}", err=True)

    pool = WorkerPool(
        workers, chosen, cache_path=cache_path, devices=devices, on_death=told
    )  # fmt: skip
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
