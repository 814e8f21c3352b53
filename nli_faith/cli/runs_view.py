"""Runs as lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from nli_faith.cli.render import percent

if TYPE_CHECKING:
    from nli_faith.runs import Comparison, RecordDiff, Run


def number(value: float | None) -> str:
    """Four decimals, a dash for None."""
    return "—" if value is None else f"{value:.4f}"


def line(run: Run) -> str:
    """Coverage and faithfulness of a run."""
    return f"coverage {percent(run.coverage)}, faithfulness {number(run.mean('faithfulness'))}"


def counts(found: Mapping[str, int]) -> str:
    """``scored 3, refusal 1``."""
    return ", ".join(f"{name} {n}" for name, n in found.items() if n) or "—"


def print_comparison(result: Comparison) -> None:
    """Print the figures of a comparison."""
    a, b = result.first, result.second
    click.echo(f"run {a.id} ({a.name}) -> run {b.id} ({b.name})")
    click.echo(
        f"  {result.matched} records in both; only in the first {result.only_first}, "
        f"only in the second {result.only_second}"
    )
    if not result.same_scorer:
        click.echo("  note: another model or configuration: a change may come from the scorer")
    for name, d in sorted(result.differences.items()):
        click.echo(
            f"  {name:<24} {number(a.mean(name))} -> {number(b.mean(name))}  "
            f"paired {d.value:+.4f} [{d.low:+.4f}, {d.high:+.4f}] n={d.n}"
        )
    click.echo(f"  {result.main}: better {result.better}, worse {result.worse}, same {result.same}")
    for (before, after), n in sorted(result.flips.items()):
        click.echo(f"  claims {before} -> {after}: {n}")
    for (before, after), n in sorted(result.statuses.items()):
        click.echo(f"  status {before} -> {after}: {n}")


def change(diff: RecordDiff) -> str:
    """What changed in a record, on one line."""
    parts = [
        f"{name} {number(before)} -> {number(after)}"
        for name, (before, after) in sorted(diff.measures.items())
    ]
    if diff.status[0] != diff.status[1]:
        parts.append(f"{diff.status[0]} -> {diff.status[1]}")
    parts += [
        f"{flip.before} -> {flip.after}" + (f"「{flip.text}」" if flip.text else "")
        for flip in diff.flips
    ]
    return "; ".join(parts)
