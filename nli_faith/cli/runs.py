"""``nli-faith runs``: a local registry of runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from typing import Any, TypeVar

import click

from nli_faith.cli.render import console, percent
from nli_faith.cli.runs_view import change, counts, line, number, print_comparison
from nli_faith.errors import ConfigError, OutputExistsError

F = TypeVar("F", bound=Callable[..., Any])
_STAMP = "%Y-%m-%d %H:%M"


def _db_option(command: F) -> F:
    return click.option(
        "--db", metavar="FILE",
        help="The registry; $NLI_FAITH_RUNS or the user's data directory by default.",
    )(command)  # fmt: skip


def _json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


@click.group()
def runs() -> None:
    """Keep runs with their figures, compare two, and follow a measure over time.

    The registry is one SQLite file on this machine. It keeps measures, labels and hashes of
    claims; no text unless --texts is given.

    \b
    Examples:
      nli-faith runs add scored.jsonl --name nightly --group meta.version
      nli-faith runs list
      nli-faith runs compare 1 2
      nli-faith runs trend --by week --png trend.png
    """


@runs.command()
@click.argument("source", metavar="SCORED_OR_EVALUATED")
@click.option("--name", required=True, help="The run's name; several runs may share one.")
@click.option("--group", "group_by", metavar="PATH", help="Means by this value too: meta.version.")
@click.option("--at", metavar="TIME", help="When it was scored (ISO 8601, UTC without a zone).")
@click.option("--redact", is_flag=True, help="Mask private data in ids, groups and texts.")
@click.option("--texts", is_flag=True, help="Keep the claims' texts.")
@click.option("--again", is_flag=True, help="Add a file that is registered already.")
@_db_option
@_json_option
def add(source: str, name: str, group_by: str | None, at: str | None, redact: bool, texts: bool,
        again: bool, db: str | None, as_json: bool) -> None:  # fmt: skip
    """Register a scored or evaluated file.

    \b
    Examples:
      nli-faith runs add scored.jsonl --name nightly
      nli-faith runs add old.jsonl --name nightly --at 2024-05-06T02:00
      nli-faith runs add scored.jsonl --name nightly --group meta.version --texts --redact
    """
    from nli_faith.runs import Registry

    moment = _time(at) if at else None
    with Registry(db, create=True) as registry:
        run = registry.add(
            source, name=name, group_by=group_by, at=moment, redact=redact, texts=texts, again=again
        )
    if as_json:
        _json(run.to_dict())
    else:
        click.echo(f"run {run.id} ({run.name}): {run.rows} rows, {line(run)}")


@runs.command("list")
@click.option("--name", help="Only runs of this name.")
@_db_option
@_json_option
def list_(name: str | None, db: str | None, as_json: bool) -> None:
    """List runs, oldest first.

    \b
    Examples:
      nli-faith runs list
      nli-faith runs list --name nightly --json
    """
    from rich.table import Table

    from nli_faith.runs import Registry

    with Registry(db) as registry:
        found = registry.runs(name)
    if as_json:
        _json([run.to_dict() for run in found])
        return
    table = Table(box=None, pad_edge=False)
    for column in ("id", "name", "at (UTC)", "rows", "coverage", "faithfulness", "model", "config"):
        table.add_column(column, justify="right" if column in ("id", "rows") else "left")
    for run in found:
        table.add_row(
            str(run.id), run.name, run.at.strftime(_STAMP), str(run.rows), percent(run.coverage),
            number(run.mean("faithfulness")), run.model or "—", (run.config_hash or "—")[:8],
        )  # fmt: skip
    console().print(table)


@runs.command()
@click.argument("run")
@_db_option
@_json_option
def show(run: str, db: str | None, as_json: bool) -> None:
    """Show one run: its model, counts and means. RUN is a number, or the latest of a name.

    \b
    Examples:
      nli-faith runs show 3
      nli-faith runs show nightly --json
    """
    from nli_faith.runs import Registry

    with Registry(db) as registry:
        found = registry.get(run)
    if as_json:
        _json(found.to_dict())
        return
    click.echo(f"run {found.id}: {found.name}")
    for label, value in (
        ("at", found.at.isoformat()), ("file", found.source), ("model", found.model),
        ("model sha256", found.model_sha256), ("config", found.config_hash),
        ("version", found.version), ("rows", found.rows), ("scored", found.scored),
        ("rejected", found.rejected), ("coverage", percent(found.coverage)),
        ("statuses", counts(found.statuses)), ("claims", counts(found.label_counts)),
        ("kept", "measures, labels" + (", texts" if found.texts else "")
         + (", redacted" if found.redacted else "")),
    ):  # fmt: skip
        click.echo(f"  {label:<13} {value if value not in (None, '') else '—'}")
    groups = sorted({g for g, _ in found.means})
    for group in groups:
        click.echo(f"  {found.group_by} = {group}" if group else "  means")
        for (g, measure), (n, rows, mean) in sorted(found.means.items()):
            if g == group:
                click.echo(f"    {measure:<24} {mean:.4f}  ({n} of {rows})")


@runs.command()
@click.argument("first")
@click.argument("second")
@click.option("--measure", default="faithfulness", show_default=True,
              help="What better and worse are about.")  # fmt: skip
@click.option("--output", "-o", metavar="OUT", help="Records that changed, as JSON lines.")
@click.option("--limit", type=click.IntRange(0), default=10, show_default=True,
              help="Changed records shown.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the bootstrap.")
@click.option("--overwrite", is_flag=True, help="Replace OUT.")
@_db_option
@_json_option
def compare(first: str, second: str, measure: str, output: str | None, limit: int, seed: int,
            overwrite: bool, db: str | None, as_json: bool) -> None:  # fmt: skip
    """Compare SECOND with FIRST, record by record: labels that flipped, measures that moved.

    Differences carry a 95% interval from a paired bootstrap over records in both runs.

    \b
    Examples:
      nli-faith runs compare 1 2
      nli-faith runs compare last-week nightly -o diffs.jsonl
    """
    from nli_faith.io import ResultWriter, output_format
    from nli_faith.runs import RecordDiff, Registry, compare_runs

    if output is not None and output_format(output)[0] != "jsonl":
        raise ConfigError(f"{output}: differences are written as JSON lines: name it .jsonl")
    shown: list[RecordDiff] = []
    with ExitStack() as stack:
        registry = stack.enter_context(Registry(db))
        writer = stack.enter_context(ResultWriter(output, overwrite=overwrite)) if output else None

        def take(diff: RecordDiff) -> None:
            if writer is not None:
                writer.write(diff.to_dict())
            if len(shown) < limit:
                shown.append(diff)

        result = compare_runs(registry, first, second, measure=measure, seed=seed, on_diff=take)
    if as_json:
        _json({**result.to_dict(), "records": [d.to_dict() for d in shown]})
        return
    print_comparison(result)
    for diff in shown:
        click.echo(f"  {diff.id}: {change(diff)}")


@runs.command()
@click.option("--by", type=click.Choice(["day", "week", "month"]), default="week",
              show_default=True, help="The period, in UTC.")  # fmt: skip
@click.option("--measure", default="faithfulness", show_default=True)
@click.option("--name", help="Only runs of this name.")
@click.option("--in-group", metavar="GROUP", default="", help="Only this group of the runs.")
@click.option("--png", metavar="FILE", help="Draw it (extra: calibration).")
@click.option("--overwrite", is_flag=True, help="Replace the PNG.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the permutation test.")
@_db_option
@_json_option
def trend(by: str, measure: str, name: str | None, in_group: str, png: str | None,
          overwrite: bool, seed: int, db: str | None, as_json: bool) -> None:  # fmt: skip
    """Follow a measure over time, with a note where its level changed.

    The note is the best single split of the series (binary segmentation) with a permutation
    p-value; it needs 8 periods.

    \b
    Examples:
      nli-faith runs trend --by week
      nli-faith runs trend --by day --name nightly --png trend.png
      nli-faith runs trend --measure context_recall --in-group b --json
    """
    from nli_faith.runs import Registry, trend_of
    from nli_faith.runs.trend import write_png

    if png and os.path.exists(png) and not overwrite:
        raise OutputExistsError(f"{png}: exists already: pass --overwrite to replace it")
    with Registry(db) as registry:
        found = trend_of(
            registry.runs(name),
            by=by,  # type: ignore[arg-type]  # click has checked it
            measure=measure, group=in_group, seed=seed,
        )  # fmt: skip
    if png:
        write_png(found, png)
    if as_json:
        _json(found.to_dict())
        return
    for point in found.points:
        bar = "█" * round(point.mean * 30)
        click.echo(f"{point.period:<10}  {point.mean:.4f}  {bar:<30}  n={point.n}")
    for note in found.notes:
        click.echo(f"note: {note}")


@runs.command()
@click.argument("run")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_db_option
def delete(run: str, yes: bool, db: str | None) -> None:
    """Forget a run and everything kept of it.

    \b
    Examples:
      nli-faith runs delete 3
      nli-faith runs delete nightly --yes
    """
    from nli_faith.runs import Registry

    with Registry(db) as registry:
        found = registry.get(run)
        if not yes:
            click.confirm(f"delete run {found.id} ({found.name}, {found.rows} rows)?", abort=True)
        registry.delete(str(found.id))
    click.echo(f"deleted run {found.id}")


def _time(text: str) -> datetime:
    try:
        # Python 3.10 does not read the Z that 3.11 does.
        return datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        raise ConfigError(f"--at {text!r}: write a time as 2024-05-06T02:00") from None


def _json(value: Any) -> None:
    from nli_faith.io import dumps

    sys.stdout.write(dumps(value, pretty=True).decode())
