"""``nli-faith triage`` and ``nli-faith triage-merge``: queues out, verdicts back."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click
from rich.table import Table

from nli_faith.cli.language import resolve
from nli_faith.cli.options import lang_option
from nli_faith.cli.render import console, percent

if TYPE_CHECKING:
    from nli_faith.triage import MergeReport, TriageSummary
    from nli_faith.triage.agreement import Agreement

EXIT_REJECTED = 3
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "accept": "accept", "judge": "judge", "human": "human", "records": "records",
        "reasons": "claims to look at, by reason", "calls": "requests to the judge",
        "tokens": "tokens of the judge, estimated", "of": "of", "saved": "saved",
        "rejected": "lines that could not be used (rejects.jsonl)", "written": "written to",
        "all": "if everything were judged", "asked": "claims that were sent out",
        "open": "still without a verdict", "superseded": "verdicts replaced by later ones",
        "bad": "verdicts that could not be used", "verdicts": "verdicts",
        "unsure": "undecided", "agree": "agree on", "kappa": "Cohen's kappa",
        "two": "supported or not", "three": "three labels",
        "doubtful": "Only doubtful claims were sent out: agreement over all would be higher.",
        "local": "local model",
    },
    "zh": {
        "accept": "通过", "judge": "交裁判模型", "human": "交人工", "records": "记录",
        "reasons": "待看的论断（按原因）", "calls": "裁判请求数",
        "tokens": "裁判 token 数（估计）", "of": "/", "saved": "节省",
        "rejected": "无法使用的行（rejects.jsonl）", "written": "已写入",
        "all": "全部送审时", "asked": "送出的论断", "open": "尚无判定",
        "superseded": "被后来的判定取代", "bad": "无法使用的判定", "verdicts": "判定",
        "unsure": "无法判断", "agree": "一致", "kappa": "Cohen's kappa",
        "two": "有依据与否", "three": "三类",
        "doubtful": "送出的只是存疑论断，全部论断上的一致率会更高。", "local": "本地模型",
    },
}  # fmt: skip


@click.command()
@click.argument("scored", metavar="SCORED")
@click.option("--out", "-o", required=True, metavar="DIR", help="Folder for the queues.")
@click.option(
    "--accept",
    type=click.FloatRange(0, 1),
    default=0.25,
    show_default=True,
    help="Accepted from this share of the way from the support threshold to 1.",
)
@click.option(
    "--human",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="To a person from this share of the way from the contradiction threshold to 1.",
)
@click.option("--profile", metavar="FILE", help="Judge by a calibration profile first.")
@click.option("--records", metavar="FILE", help="The scored records: for their questions.")
@click.option(
    "--template", metavar="FILE", help="The judge's prompt, with {{claims}}, {{question}}."
)
@click.option(
    "--model",
    default="gpt-4o-mini",
    show_default=True,
    metavar="NAME",
    help="The judge's name in the batch requests.",
)
@click.option("--redact", is_flag=True, help="Mask phone, ID and card numbers and e-mails.")
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object.")
@lang_option
def triage(scored: str, out: str, accept: float, human: float, profile: str | None,
           records: str | None, template: str | None, model: str, redact: bool,
           overwrite: bool, as_json: bool, lang: str) -> None:  # fmt: skip
    """Sort SCORED (what `score` wrote) into accept, judge and human.

    DIR gets accept, judge and human as .jsonl and as .csv for spreadsheets (with empty columns
    for a verdict and a note), judge_requests.jsonl for OpenAI's batch API and compatible ones
    (only doubtful claims, with their best evidence), and summary.json.

    \b
    A record goes to      when one of its claims
      human               is contradicted by evidence, clearly or with a number that differs;
                          or the answer or all material is missing
      judge               is near the threshold, in conflict, unsupported, weakly contradicted,
                          stopped by the number check alone, or was cut to fit the model
      accept              none of these; also refusals and answers without a claim

    \b
    Examples:
      nli-faith triage scored.jsonl --out queues
      nli-faith triage scored.jsonl --out queues --records records.jsonl --model qwen-plus
      nli-faith triage scored.jsonl --out queues --accept 0.5 --template my_prompt.txt

    \b
    Exit codes: 0 done · 2 usage · 3 some lines could not be used
    """
    from nli_faith.io import dumps
    from nli_faith.profiles import load_profile
    from nli_faith.triage import TriageRules, load_template
    from nli_faith.triage import triage as run

    say_lang = resolve(lang)
    summary = run(
        scored,
        out,
        rules=TriageRules(accept, human),
        template=load_template(template, say_lang) if template else None,
        judge_model=model,
        questions=_questions(records) if records else None,
        profile=load_profile(profile) if profile else None,
        sheet_lang=say_lang,
        redact=redact,
        overwrite=overwrite,
    )
    if as_json:
        click.echo(dumps(summary.to_dict()))
    else:
        console().print(_summary_table(summary, _WORDS[say_lang]))
        click.echo(f"{_WORDS[say_lang]['written']} {out}")
    sys.exit(EXIT_REJECTED if summary.rejected else 0)


def _questions(path: str) -> dict[str, str]:
    from nli_faith.io import read_records

    found: dict[str, str] = {}
    for record in read_records(path, on_reject=lambda _: None):
        if record.question:
            found.setdefault(record.id, record.question)
    return found


def _summary_table(summary: TriageSummary, say: Mapping[str, str]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_column(style="dim")
    table.add_row(say["records"], str(summary.records))
    for band, n in summary.bands.items():
        table.add_row(f"  {say[band]}", str(n), percent(n / summary.records))
    table.add_row(say["reasons"], str(summary.doubtful))
    for reason, n in sorted(summary.reasons.items(), key=lambda kv: (-kv[1], kv[0])):
        table.add_row(f"  {reason}", str(n))
    for name, used, total in (
        ("calls", summary.calls, summary.all_calls),
        ("tokens", summary.tokens, summary.all_tokens),
    ):
        saved = f"{say['saved']} {percent((total - used) / total)}" if total else ""
        table.add_row(say[name], f"{used} {say['of']} {total}", saved)
    if summary.rejected:
        table.add_row(say["rejected"], str(summary.rejected))
    return table


@click.command("triage-merge")
@click.argument("folder", metavar="DIR")
@click.argument("verdicts", metavar="VERDICTS...", nargs=-1, required=True)
@click.option("--output", "-o", required=True, metavar="OUT", help="The merged JSON lines.")
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
@click.option("--json", "as_json", is_flag=True, help="The report as one JSON object.")
@lang_option
def triage_merge(
    folder: str, verdicts: tuple[str, ...], output: str, overwrite: bool, as_json: bool, lang: str
) -> None:
    """Bring VERDICTS back to the triage in DIR; model, judge and people side by side.

    VERDICTS are outputs of the judge's batch (JSON lines with custom_id), people's sheets (the
    .csv files of DIR with the verdict column filled in) and JSON lines with key, n and verdict.
    A verdict is supported, contradicted, unsupported or unsure (有依据, 矛盾, 无依据, 不确定).
    Later files win; what could not be used is listed in OUT.rejects.jsonl.

    \b
    Examples:
      nli-faith triage-merge queues batch_output.jsonl -o merged.jsonl
      nli-faith triage-merge queues batch_output.jsonl queues/human.csv -o merged.jsonl
      nli-faith calibrate merged.jsonl --label-field human -o profile.json

    \b
    Exit codes: 0 done · 2 usage · 3 some verdicts could not be used
    """
    from nli_faith.io import dumps
    from nli_faith.triage import merge

    report = merge(folder, verdicts, output, overwrite=overwrite)
    if as_json:
        click.echo(dumps(report.to_dict()))
    else:
        say = _WORDS[resolve(lang)]
        for line in _merge_lines(report, say):
            click.echo(line)
    for bad in report.bad[:5]:
        click.echo(f"nli-faith: {bad.origin}: {bad.reason}", err=True)
    sys.exit(EXIT_REJECTED if report.bad else 0)


def _merge_lines(report: MergeReport, say: Mapping[str, str]) -> list[str]:
    lines = [f"{say['records']}: {report.records}", f"{say['asked']}: {report.asked}"]
    for rater in ("judge", "human"):
        unsure = f" ({say['unsure']} {report.unsure[rater]})" if report.unsure[rater] else ""
        lines.append(f"  {say[rater]} · {say['verdicts']}: {report.verdicts[rater]}{unsure}")
    lines.append(f"  {say['open']}: {report.open}")
    if report.superseded:
        lines.append(f"{say['superseded']}: {report.superseded}")
    if report.bad:
        lines.append(f"{say['bad']}: {len(report.bad)}")
    for table in report.tables:
        lines.append(f"{say[table.first]} × {say[table.second]}")
        lines += [_agreement(table.two_way(), say["two"], say),
                  _agreement(table, say["three"], say)]  # fmt: skip
        lines += _counts(table)
    if report.tables:
        lines.append(say["doubtful"])
    return lines


def _agreement(table: Agreement, name: str, say: Mapping[str, str]) -> str:
    from nli_faith.triage.merge import kappa_text

    return (
        f"  {name}: {say['agree']} {table.agreed} / {table.n} ({percent(table.observed)}), "
        f"{say['kappa']} {kappa_text(table.kappa)}"
    )


def _counts(table: Agreement) -> list[str]:
    width = max(map(len, table.labels))
    head = " ".join(f"{label:>{width}}" for label in table.labels)
    rows = [f"    {'':{width}} {head}"]
    for label, counts in zip(table.labels, table.counts, strict=True):
        rows.append(f"    {label:>{width}} " + " ".join(f"{n:>{width}}" for n in counts))
    return rows
