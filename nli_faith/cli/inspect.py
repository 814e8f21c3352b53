"""``nli-faith split`` and ``nli-faith quantities``: what the first stages see."""

from __future__ import annotations

import click
from rich.table import Table
from rich.text import Text

from nli_faith.cli.inputs import read_text
from nli_faith.cli.options import splitting_options
from nli_faith.cli.render import console
from nli_faith.datamodels import Granularity, Newline


def _one_source(text: str | None, file: str | None) -> None:
    if text is not None and file is not None:
        raise click.UsageError("give either TEXT or --file, not both")


@click.command()
@click.argument("text", required=False)
@click.option("--file", "-f", metavar="PATH", help="Read a file instead (UTF-8).")
@splitting_options
@click.option("--json", "as_json", is_flag=True, help="A list of {text, start, end, kind}.")
def split(
    text: str | None,
    file: str | None,
    granularity: Granularity,
    newline: Newline,
    max_chars: int,
    as_json: bool,
) -> None:
    """Show how a text is cut, and which pieces are claims.

    \b
    Examples:
      nli-faith split "根据材料，营收为1.2亿元。还有其他问题吗？"
      nli-faith split --file answer.md --json
      cat answer.md | nli-faith split --granularity clause
    """
    _one_source(text, file)
    from nli_faith.io import dumps
    from nli_faith.results import segment_dict
    from nli_faith.text import SentenceSplitter, classify

    splitter = SentenceSplitter(max_chars=max_chars, newline=newline, granularity=granularity)
    segments = classify(splitter.split(read_text(text, file)))
    if as_json:
        click.echo(dumps([segment_dict(s) for s in segments]))
        return
    table = Table("kind", "block", "offsets", "text", box=None, header_style="dim")
    for s in segments:
        table.add_row(s.kind.value, s.block.value, f"{s.start}:{s.end}", Text(s.text))
    console().print(table)


@click.command()
@click.argument("text", required=False)
@click.option("--file", "-f", metavar="PATH", help="Read a file instead (UTF-8).")
@click.option("--json", "as_json", is_flag=True,
              help="A list of {type, value, unit, op, approx, start, end}.")  # fmt: skip
def quantities(text: str | None, file: str | None, as_json: bool) -> None:
    """Show the numbers, dates and units that are read from a text.

    \b
    Examples:
      nli-faith quantities "2023年第三季度营收1.2亿元，同比增长12%"
      nli-faith quantities --file report.txt --json
    """
    _one_source(text, file)
    from nli_faith.io import dumps
    from nli_faith.quantities import parse_quantities

    found = parse_quantities(read_text(text, file))
    if as_json:
        click.echo(dumps([q.to_dict() for q in found]))
        return
    table = Table("type", "value", "unit", "op", "approx", "offsets", "text", box=None,
                  header_style="dim")  # fmt: skip
    for q in found:
        table.add_row(q.type, q.value, q.unit or "", q.op or "", "≈" if q.approx else "",
                      f"{q.start}:{q.end}", Text(q.text))  # fmt: skip
    console().print(table)
