"""``nli-faith diagnose``: which stage broke, record by record and for the set."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from nli_faith.cli.options import lang_option
from nli_faith.cli.render import console, percent, words
from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, OutputPathError, RecordError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nli_faith.diagnosis import SetDiagnosis

EXIT_REJECTED = 3
_STYLE = {"ok": "green", "warn": "yellow", "critical": "red"}
_PARTS = {
    "zh": {"table": "诊断表（忠实度 × 召回 × 正确）", "tree": "忠实度低：决策树",
           "map": "发现与对策", "n": "记录", "share": "占比", "na": "不适用",
           "records": "条记录", "overall": "整体"},
    "en": {"table": "Table: faithfulness x recall x correctness", "tree": "Low faithfulness: tree",
           "map": "Findings and actions", "n": "records", "share": "share", "na": "n/a",
           "records": "records", "overall": "The set as a whole"},
}  # fmt: skip


@click.command()
@click.argument("source", metavar="EVALUATED")
@click.option("--records", "records_path", metavar="IN",
              help="The evaluated records: number of chunks, prompt, temperature.")  # fmt: skip
@click.option("--rules", "rules_path", metavar="FILE", help="Rules of your own (TOML).")
@click.option("--output", "-o", metavar="OUT", help="Findings of each record, as JSON lines.")
@click.option("--summary", "summary_path", metavar="FILE", help="The set's diagnosis as JSON.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=COLUMN",
              help="Where a field of --records is.")  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace OUT and the summary.")
@click.option("--print-rules", is_flag=True, is_eager=True, expose_value=False,
              callback=lambda ctx, _p, on: _print_rules(ctx) if on else None,
              help="Print the bundled rules to edit, and exit.")  # fmt: skip
@click.option("--quiet", is_flag=True, help="No tables.")
@lang_option
def diagnose(source: str, records_path: str | None, rules_path: str | None, output: str | None,
             summary_path: str | None, mapping: tuple[str, ...], overwrite: bool, quiet: bool,
             lang: str) -> None:  # fmt: skip
    """Say for each evaluated record which stage broke, and for the set what to do first.

    EVALUATED is what `nli-faith evaluate` wrote. The table needs faithfulness, context_recall
    and answer_correctness; a rule whose measures are missing is not applied, and counted so.

    \b
    Examples:
      nli-faith diagnose evaluated.jsonl
      nli-faith diagnose evaluated.jsonl --records in.jsonl -o findings.jsonl --lang zh
      nli-faith diagnose --print-rules > rules.toml
      nli-faith diagnose evaluated.jsonl --rules rules.toml --summary diagnosis.json

    \b
    Exit codes: 0 done · 2 usage · 3 some rows rejected
    """
    from nli_faith.diagnosis import SetDiagnosis, default_rules, facts_of, load_rules
    from nli_faith.io import ResultWriter, output_format, write_manifest
    from nli_faith.measures import read_measured

    language = "zh" if words(lang)["records"] == "记录" else "en"
    if output is not None and output_format(output)[0] != "jsonl":
        raise ConfigError(f"{output}: findings are written as JSON lines: name it .jsonl")
    _refuse_same([source, records_path, rules_path], [output, summary_path], overwrite)
    known = _records(records_path, mapping) if records_path else {}
    rules = load_rules(rules_path) if rules_path else default_rules()
    whole, bad, unmatched = SetDiagnosis(rules, language), 0, 0

    def reject(error: RecordError) -> None:
        nonlocal bad
        bad += 1
        click.echo(f"nli-faith: rejected: {error}", err=True)

    with ExitStack() as stack:
        writer = stack.enter_context(ResultWriter(output, overwrite=overwrite)) if output else None
        for row in read_measured(source, on_reject=reject):
            record = known.get(row.id)
            unmatched += bool(records_path) and record is None
            found = whole.add(row.id, row.values, facts_of(row, record))
            if writer is not None:
                writer.write({
                    "id": row.id, "values": dict(row.values),
                    "findings": [f.to_dict() for f in found.findings],
                    "not_applicable": [s.to_dict() for s in found.skipped],
                })  # fmt: skip
    if summary_path:
        write_manifest(summary_path, whole.to_dict())
    if not quiet:
        console(sys.stderr if output == "-" else sys.stdout).print(_render(whole, language))
    if unmatched:
        click.echo(f"nli-faith: {unmatched} rows have no record in {records_path}", err=True)
    if bad:
        sys.exit(EXIT_REJECTED)


def _print_rules(ctx: click.Context) -> None:
    from importlib import resources

    click.echo(resources.files("nli_faith.diagnosis").joinpath("rules.toml").read_bytes(), nl=False)
    ctx.exit()


def _records(path: str, mapping: tuple[str, ...]) -> dict[str, Record]:
    from nli_faith.io import parse_mapping, read_records

    found: dict[str, Record] = {}
    for record in read_records(path, mapping=parse_mapping(mapping), on_reject=lambda _: None):
        # The texts are not needed: keep the number of contexts and the meta.
        found[record.id] = Record(record.id, "", ("",) * len(record.contexts), meta=record.meta)
    return found


def _refuse_same(inputs: list[str | None], outputs: list[str | None], overwrite: bool) -> None:
    from nli_faith.errors import OutputExistsError

    taken = {os.path.realpath(p) for p in inputs if p and p != "-"}
    for path in outputs:
        if path is None or path == "-":
            continue
        if os.path.realpath(path) in taken:
            raise OutputPathError(f"{path}: is an input or another output of this call")
        taken.add(os.path.realpath(path))
        if os.path.isfile(path) and os.path.getsize(path) and not overwrite:
            raise OutputExistsError(f"{path}: exists already: pass --overwrite to replace it")


def _render(whole: SetDiagnosis, lang: str) -> RenderableType:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    say = _PARTS[lang]
    data: Mapping[str, Any] = whole.to_dict()
    parts: list[RenderableType] = [Text(f"{whole.records} {say['records']}", style="bold")]
    for row in ("table", "tree", "map"):
        rules = [f for f in data["findings"] if f["row"] == row]
        if not rules:
            continue
        table = Table(title=say[row], title_justify="left", box=None, pad_edge=False)
        for name in ("", say["n"], say["share"], say["na"]):
            table.add_column(name, justify="left" if not name else "right")
        for f in rules:
            style = _STYLE[f["severity"]] if f["records"] else "dim"
            share = percent(f["share"]) if f["share"] is not None else "—"
            table.add_row(
                Text(f["title"], style=style), str(f["records"]), share, str(f["not_applicable"])
            )
        parts += [Text(), table]
    if data["overall"]:
        parts += [Text(), Text(say["overall"], style="bold")]
        figures = {f.code: f for f in whole.overall().findings if f.row != "tree"}
        for item in figures.values():
            numbers = ", ".join(map(str, item.figures))
            parts.append(Text(f"• {item.title}  [{numbers}]", style=_STYLE[item.severity]))
            parts.append(Text(f"  → {item.action}"))
    return Group(*parts)
