"""``nli-faith sample``: a share of the records, the same ones every time."""

from __future__ import annotations

import itertools
import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from nli_faith.cli.options import lang_option
from nli_faith.cli.privacy import masked_reject
from nli_faith.cli.render import percent, words
from nli_faith.errors import ConfigError, OutputPathError

if TYPE_CHECKING:
    from nli_faith.io import Reject

EXIT_REJECTED = 3
_SHOWN = 20


@click.command()
@click.argument("source", metavar="IN")
@click.option("--output", "-o", required=True, metavar="OUT",
              help="JSON lines (also .gz, .zst); - for stdout.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(0, 1, min_open=True), default=0.05,
              show_default=True, help="Share to keep.")  # fmt: skip
@click.option("--by", metavar="PATH", help="Stratify by this value, e.g. meta.channel.")
@click.option("--min-per-group", type=click.IntRange(0), metavar="N",
              help="Keep at least N of every group; 1 with --by, else 0.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True,
              help="Another seed keeps other records.")  # fmt: skip
@click.option("--redact", is_flag=True, help="Mask telephone, card and ID numbers and e-mails.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=COLUMN",
              help="Where a field is, e.g. --map answer=reply; repeat it.")  # fmt: skip
@click.option("--format", "fmt", type=click.Choice(["jsonl", "json", "csv", "tsv", "parquet"]),
              help="Format of IN; by suffix or content by default.")  # fmt: skip
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of IN.")
@click.option("--rejects", metavar="PATH", help="Unreadable rows; OUT.rejects.jsonl by default.")
@click.option("--overwrite", is_flag=True, help="Replace OUT when the run is done.")
@click.option("--quiet", is_flag=True, help="No summary.")
@lang_option
def sample(source: str, output: str, rate: float, by: str | None, min_per_group: int | None,
           seed: int, redact: bool, mapping: tuple[str, ...], fmt: str | None, encoding: str,
           rejects: str | None, overwrite: bool, quiet: bool, lang: str) -> None:  # fmt: skip
    """Keep a stable share of IN, as JSON lines with the plain field names.

    A record is in or out by the hash of its id (of question and answer where it has none) and
    the seed: the same on every machine and in every order, and 5% are part of 10%.

    \b
    Examples:
      nli-faith sample logs.jsonl -o sample.jsonl --rate 0.05
      nli-faith sample logs.jsonl.gz -o sample.jsonl --rate 0.1 --by meta.channel
      nli-faith sample logs.csv -o sample.jsonl --by channel --min-per-group 20 --redact

    \b
    Exit codes: 0 done · 2 usage · 3 some rows rejected
    """
    from nli_faith.io import (
        RejectsWriter,
        ResultWriter,
        output_format,
        parse_mapping,
        read_records,
        rejects_path,
    )
    from nli_faith.redaction import redact_row
    from nli_faith.sampling import Sampler, record_dict

    if output_format(output)[0] != "jsonl":
        raise ConfigError(f"{output}: a sample is written as JSON lines: name it .jsonl")
    rejects_to = rejects or (str(rejects_path(output)) if output != "-" else None)
    _refuse_same(source, output, rejects_to)
    minimum = min_per_group if min_per_group is not None else int(by is not None)
    sampler = Sampler(rate, by=by, seed=seed, min_per_group=minimum)
    with ExitStack() as stack:
        bad = RejectsWriter(rejects_to)

        def reject(row: Reject) -> None:
            bad.write(masked_reject(row) if redact else row)

        records = read_records(
            source, format=fmt, mapping=parse_mapping(mapping), encoding=encoding, on_reject=reject
        )
        # An input that cannot be read says so before the output is touched.
        first = list(itertools.islice(records, 1))
        writer = stack.enter_context(ResultWriter(output, overwrite=overwrite))
        stack.enter_context(bad)
        for record in sampler.run(itertools.chain(first, records)):
            row = record_dict(record)
            writer.write(redact_row(row) if redact else row)
    if not quiet:
        _summary(sampler.report.seen, sampler.report.kept, sampler.report.filled, by, lang)
        if sampler.report.without_id:
            click.echo(
                f"nli-faith: {sampler.report.without_id} rows have no id: chosen by the hash of "
                "question and answer", err=True,
            )  # fmt: skip
    if bad.count:
        click.echo(f"nli-faith: {bad.count} rows rejected" + (
            f": see {rejects_to}" if rejects_to else ""), err=True)  # fmt: skip
        sys.exit(EXIT_REJECTED)


def _refuse_same(source: str, output: str, rejects: str | None) -> None:
    paths = [os.path.realpath(p) for p in (source, output, rejects) if p not in (None, "-")]
    files = [p for p in paths if not os.path.exists(p) or os.path.isfile(p)]
    if len(set(files)) < len(files):
        raise OutputPathError(f"{output}: input, output and rejects must be different files")


def _summary(
    seen: dict[str, int], kept: dict[str, int], filled: dict[str, int], by: str | None, lang: str
) -> None:
    zh = words(lang)["records"] == "记录"
    total, n = sum(seen.values()), sum(kept.values())
    share = percent(n / total) if total else "—"
    click.echo(
        f"抽取 {n} / {total} 条记录（{share}）" if zh else f"kept {n} of {total} records ({share})",
        err=True,
    )
    if by is None:
        return
    for group in sorted(seen, key=lambda g: (-seen[g], g))[:_SHOWN]:
        more = f" (+{filled[group]})" if filled.get(group) else ""
        click.echo(f"  {group}: {kept.get(group, 0)} / {seen[group]}{more}", err=True)
    if len(seen) > _SHOWN:
        click.echo(f"  … {len(seen) - _SHOWN}", err=True)
