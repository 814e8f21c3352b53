"""``nli-faith gate``: does a build pass?"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from nli_faith.errors import ConfigError, OutputError, OutputExistsError, OutputPathError

EXIT_GATE = 1


@click.command()
@click.argument("source", metavar="SCORED_OR_EVALUATED")
@click.option("--min", "minimum", multiple=True, metavar="MEASURE=VALUE",
              help="Least mean on measured records; repeat it.")  # fmt: skip
@click.option("--max", "maximum", multiple=True, metavar="MEASURE=VALUE",
              help="Greatest mean, e.g. contradiction_rate=0.02; repeat it.")  # fmt: skip
@click.option("--max-drop", multiple=True, metavar="MEASURE=VALUE",
              help="How much worse than the baseline the mean may be; repeat it.")  # fmt: skip
@click.option("--max-new-contradicted", type=click.IntRange(0), metavar="N",
              help="Records with a contradicted claim that had none in the baseline.")  # fmt: skip
@click.option("--baseline", metavar="FILE", help="A scored or evaluated file of before.")
@click.option("--min-coverage", type=click.FloatRange(0, 1), default=0.5, show_default=True,
              help="Least share of rows that have each measure.")  # fmt: skip
@click.option("--strict", is_flag=True,
              help="Hold --min and --max against the confidence bound, not the mean.")  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
              default=0.95, show_default=True, help="Of each bound, one-sided.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Of the bootstrap.")  # fmt: skip
@click.option("--junit", metavar="FILE", help="Write JUnit XML.")
@click.option("--markdown", "markdown_to", metavar="FILE", help="Write Markdown; - for stdout.")
@click.option("--json", "json_to", metavar="FILE", help="Write JSON; - for stdout.")
@click.option("--github-summary", is_flag=True,
              help="Append the Markdown to the file that $GITHUB_STEP_SUMMARY names.")  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace reports that are there already.")
@click.option("--quiet", is_flag=True, help="Print nothing but what went to -.")
def gate(source: str, minimum: tuple[str, ...], maximum: tuple[str, ...],
         max_drop: tuple[str, ...], max_new_contradicted: int | None, baseline: str | None,
         min_coverage: float, strict: bool, confidence: float, seed: int, junit: str | None,
         markdown_to: str | None, json_to: str | None, github_summary: bool, overwrite: bool,
         quiet: bool) -> None:  # fmt: skip
    """Pass or fail a build by the measures of a scored or evaluated file.

    Fails closed: no rows, a measure that no row has, or too low a coverage fail. A drop fails
    only when its confidence bound (bootstrap, paired by record id) is above what is allowed.

    \b
    Examples:
      nli-faith gate scored.jsonl --min faithfulness=0.85
      nli-faith gate scored.jsonl --baseline last.jsonl --max-drop faithfulness=0.03
      nli-faith gate evaluated.jsonl --min answer_correctness=0.7 --junit gate.xml
      nli-faith gate scored.jsonl --baseline last.jsonl --max-new-contradicted 0
      nli-faith gate scored.jsonl --min faithfulness=0.85 --markdown -

    \b
    Exit codes: 0 passed · 1 failed · 2 the call or a file cannot be used
    """
    from nli_faith.gate import GateRules, MeasureTable, junit_xml, markdown, run_gate
    from nli_faith.io import dumps

    rules = GateRules(
        _limits(minimum, "--min"), _limits(maximum, "--max"), _limits(max_drop, "--max-drop"),
        max_new_contradicted, min_coverage, strict, confidence, seed=seed,
    )  # fmt: skip
    if rules.needs_baseline and baseline is None:
        raise click.UsageError("--max-drop and --max-new-contradicted need --baseline FILE")
    if not rules.needs_baseline and baseline is not None:
        raise click.UsageError("--baseline does nothing without --max-drop or a like rule")
    _check_outputs([junit, markdown_to, json_to], [source, baseline], overwrite)
    report = run_gate(
        MeasureTable.load(source), rules, MeasureTable.load(baseline) if baseline else None
    )
    text = markdown(report)
    _write(junit, junit_xml(report))
    _write(markdown_to, text.encode())
    _write(json_to, dumps(report.to_dict(), pretty=True))
    if github_summary:
        _append_summary(text)
    if not quiet and markdown_to != "-":
        stream = sys.stderr if json_to == "-" else sys.stdout
        for check in report.checks:
            click.echo(f"{'PASS' if check.passed else 'FAIL'}  {check.message}", file=stream)
        for note in report.notes:
            click.echo(f"note  {note}", file=stream)
    if not report.passed:
        failed = ", ".join(c.name for c in report.checks if not c.passed)
        click.echo(f"nli-faith: gate missed: {failed}", err=True)
        sys.exit(EXIT_GATE)


def _limits(items: tuple[str, ...], option: str) -> dict[str, float]:
    """``["faithfulness=0.85"]`` as a mapping.

    Raises:
        ConfigError: An item is not of this form, or names a measure twice.
    """
    limits: dict[str, float] = {}
    for item in items:
        name, sign, value = (part.strip() for part in item.partition("="))
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not name or not sign or not 0 <= number <= 1:
            raise ConfigError(
                f"{option} {item!r}: write MEASURE=VALUE with a value in [0, 1], "
                "as in faithfulness=0.85"
            )
        if name in limits:
            raise ConfigError(f"{option}: {name!r} is given twice")
        limits[name] = number
    return limits


def _check_outputs(outputs: list[str | None], inputs: list[str | None], overwrite: bool) -> None:
    """Refuse reports that would replace something, before any work is done."""
    taken = {os.path.realpath(path) for path in inputs if path}
    for path in outputs:
        if path is None or path == "-":
            continue
        real = os.path.realpath(path)
        if real in taken:
            raise OutputPathError(f"{path}: is an input or another report of this call")
        taken.add(real)
        if os.path.isdir(path):
            raise OutputPathError(f"{path}: is a directory: name a file in it")
        if not os.path.isdir(os.path.dirname(real)):
            raise OutputPathError(f"{path}: the directory {os.path.dirname(real)} does not exist")
        if os.path.exists(path) and os.path.getsize(path) and not overwrite:
            raise OutputExistsError(
                f"{path}: exists already: pass --overwrite to replace it, or name another file"
            )


def _write(path: str | None, data: bytes) -> None:
    from nli_faith.io.manifest import write_atomic

    if path == "-":
        click.echo(data, nl=False)
    elif path is not None:
        write_atomic(Path(path), data)


def _append_summary(text: str) -> None:
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        click.echo("nli-faith: $GITHUB_STEP_SUMMARY is not set: no summary written", err=True)
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
