"""``nli-faith report``: a scored file as one HTML page."""

from __future__ import annotations

import sys

import click

from nli_faith.cli.inputs import reading_options
from nli_faith.cli.options import lang_option

EXIT_REJECTED = 3


@click.command()
@click.argument("scored", metavar="SCORED")
@click.option("--output", "-o", required=True, metavar="OUT", help="The HTML file.")
@click.option(
    "--records",
    metavar="IN",
    help="The records that were scored: for questions and contexts, which SCORED does not keep.",
)
@reading_options
@click.option(
    "--by",
    multiple=True,
    metavar="FIELD",
    help="Group by a field of meta; repeat it. By default those with few values.",
)
@click.option("--title", metavar="TEXT", help="Title of the page.")
@click.option(
    "--keep",
    type=click.IntRange(1),
    default=5000,
    show_default=True,
    metavar="N",
    help="Records that can be opened, the worst ones; figures are over all.",
)
@click.option("--redact", is_flag=True, help="Mask phone, ID and card numbers and e-mails.")
@click.option("--overwrite", is_flag=True, help="Replace OUT.")
@lang_option
def report(
    scored: str,
    output: str,
    records: str | None,
    mapping: tuple[str, ...],
    fmt: str | None,
    encoding: str,
    by: tuple[str, ...],
    title: str | None,
    keep: int,
    redact: bool,
    overwrite: bool,
    lang: str,
) -> None:
    """Make one HTML page of SCORED (what `score` wrote).

    The page needs nothing but itself: it opens from disk, offline, and may be sent by mail. It
    shows coverage, mean, distributions, flags, groups and the worst records; each record with its
    claims marked in the answer and their evidence in the contexts. Records without a --records
    file are shown with the evidence alone.

    It holds the texts themselves: --redact masks numbers and addresses.

    \b
    Examples:
      nli-faith report scored.jsonl -o report.html
      nli-faith report scored.jsonl --records records.jsonl -o report.html
      nli-faith report scored.jsonl --records logs.csv --map answer=reply --by version -o r.html

    \b
    Exit codes: 0 done · 2 usage · 3 some lines could not be used
    """
    from nli_faith.io import parse_mapping
    from nli_faith.report import build_report

    done = build_report(
        scored,
        output,
        records=records,
        mapping=parse_mapping(mapping),
        format=fmt,
        encoding=encoding,
        by=by,
        title=title,
        lang=lang,
        keep=keep,
        redact=redact,
        overwrite=overwrite,
    )
    kept = f", {done.kept} to open" if done.kept < done.records else ""
    click.echo(f"{output}: {done.records} records{kept}, {done.size / 1e6:.1f} MB")
    if done.mismatched:
        click.echo(
            f"nli-faith: {done.mismatched} records in {records} are not those that were "
            "scored under their id: left out",
            err=True,
        )
    elif records and not done.joined:
        click.echo(f"nli-faith: {records} holds none of the scored ids", err=True)
    if done.rejected:
        click.echo(f"nli-faith: {done.rejected} lines could not be used; {done.problem}", err=True)
        sys.exit(EXIT_REJECTED)
