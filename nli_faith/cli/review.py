"""``nli-faith review``: people confirm or correct verdicts on a local page."""

from __future__ import annotations

import contextlib
import getpass
import math
import os
import sys
from typing import TYPE_CHECKING

import click

from nli_faith.cli.inputs import reading_options
from nli_faith.cli.language import resolve
from nli_faith.cli.options import lang_option

if TYPE_CHECKING:
    from nli_faith.review import Overview, ReviewQueue, VerdictStore

_WORDS = {
    "en": {"claims": "claims to review", "done": "reviewed", "unsure": "undecided",
           "disputed": "reviewers differ on", "two": "supported or not", "three": "three labels",
           "agree": "agree on", "open": "Open this link (it is for you alone):",
           "stop": "Ctrl-C stops it; every verdict is saved at once, in", "written": "written to",
           "none": "no claim has been reviewed by two people yet", "model": "model"},
    "zh": {"claims": "待审论断", "done": "已审", "unsure": "无法判断", "disputed": "审核者意见不一",
           "two": "有依据与否", "three": "三类", "agree": "一致", "open": "打开此链接：",
           "stop": "按 Ctrl-C 结束；每个判定都已即时保存于", "written": "已写入",
           "none": "还没有论断被两人审过", "model": "模型"},
}  # fmt: skip


@click.command()
@click.argument("queue", metavar="QUEUE")
@click.option("--records", metavar="IN", help="The records that were scored: for contexts.")
@reading_options
@click.option(
    "--db", metavar="FILE", help="Where verdicts are kept.  [default: QUEUE.review.sqlite]"
)
@click.option(
    "--reviewer", metavar="NAME", help="Your name; with --export, only this one's verdicts."
)
@click.option("--blind", is_flag=True, help="Hide the model's verdicts, so that they cannot sway.")
@click.option("--redact", is_flag=True, help="Mask phone, ID and card numbers and e-mails.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port on 127.0.0.1.  [default: 8377]")
@click.option("--no-browser", is_flag=True, help="Do not open a browser, print the link.")
@click.option("--export", "export_to", metavar="OUT", help="Write reviewed rows and end.")
@click.option("--agreement", is_flag=True, help="Print progress and agreement and end.")
@click.option("--overwrite", is_flag=True, help="Replace OUT.")
@lang_option
def review(queue: str, records: str | None, mapping: tuple[str, ...], fmt: str | None,
           encoding: str, db: str | None, reviewer: str | None, blind: bool, redact: bool,
           port: int | None, no_browser: bool, export_to: str | None, agreement: bool,
           overwrite: bool, lang: str) -> None:  # fmt: skip
    """Review the claims of QUEUE on a local page, by keyboard.

    QUEUE is a queue of `triage` (human.jsonl, judge.jsonl, or its folder), or what `score` wrote.
    The page is served on 127.0.0.1 to whoever has the link. Each verdict is on disk, in a SQLite
    file, before the page says so; start again and go on, in several tabs, or as another reviewer
    on the same file. Reviewers do not see each other's verdict on a claim before they gave theirs.

    \b
    Examples:
      nli-faith review queues --records records.jsonl --reviewer lin
      nli-faith review queues --agreement
      nli-faith review queues --export reviewed.jsonl
      nli-faith triage-merge queues reviewed.jsonl -o merged.jsonl
      nli-faith calibrate reviewed.jsonl --label-field human -o profile.json
    """
    from nli_faith.io import parse_mapping
    from nli_faith.review import VerdictStore, load_queue
    from nli_faith.review.store import check_name

    say = _WORDS[resolve(lang)]
    found = load_queue(queue, records=records, mapping=parse_mapping(mapping), format=fmt,
                       encoding=encoding, redact=redact)  # fmt: skip
    for problem in found.problems[:5]:
        click.echo(f"nli-faith: {queue}: {problem}", err=True)
    if reviewer is not None:
        check_name(reviewer)
    with VerdictStore(db or f"{queue.rstrip('/' + os.sep)}.review.sqlite") as store:
        if export_to is not None:
            _export(found, store, export_to, reviewer, overwrite, say)
        if agreement:
            _agreement(found, store, say)
        if export_to is None and not agreement:
            _serve(found, store, reviewer, lang, blind, port, no_browser, say)


def _serve(queue: ReviewQueue, store: VerdictStore, reviewer: str | None, lang: str, blind: bool,
           port: int | None, no_browser: bool, say: dict[str, str]) -> None:  # fmt: skip
    import webbrowser

    from nli_faith.review import ReviewServer
    from nli_faith.review.app import ReviewApp

    app = ReviewApp(queue, store, reviewer=reviewer or _user(), lang=lang, blind=blind)
    server = ReviewServer(app, port=port)
    # Ctrl-C is how it ends, from the moment it says so.
    with contextlib.suppress(KeyboardInterrupt):
        click.echo(f"{say['claims']}: {len(queue.items)}\n{say['open']}\n  {server.url}")
        click.echo(f"{say['stop']} {store.path}")
        sys.stdout.flush()
        if not no_browser:
            webbrowser.open(server.url)
        server.serve()


def _user() -> str:
    with contextlib.suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return ""


def _export(queue: ReviewQueue, store: VerdictStore, output: str, reviewer: str | None,
            overwrite: bool, say: dict[str, str]) -> None:  # fmt: skip
    from nli_faith.review import export_verdicts

    done = export_verdicts(queue, store, output, reviewer=reviewer, overwrite=overwrite)
    click.echo(f"{say['done']}: {done.claims} / {len(queue.items)}")
    for name, n in (("unsure", done.unsure), ("disputed", done.disputed)):
        if n:
            click.echo(f"  {say[name]}: {n}")
    if done.strangers:
        click.echo(f"nli-faith: {done.strangers} verdicts in {store.path} are on claims that are "
                   "not in this queue: left out", err=True)  # fmt: skip
    click.echo(f"{say['written']} {output}")


def _agreement(queue: ReviewQueue, store: VerdictStore, say: dict[str, str]) -> None:
    from nli_faith.review import overview

    found: Overview = overview(queue, store.current())
    click.echo(f"{say['claims']}: {found.claims}")
    for name, n in sorted(found.done.items()):
        unsure = f" ({say['unsure']} {found.unsure[name]})" if name in found.unsure else ""
        click.echo(f"  {name}: {n}{unsure}")
    for table in (*found.tables, *found.with_model):
        first = say["model"] if table in found.with_model else table.first
        click.echo(f"{first} × {table.second}")
        for shown, word in ((table.two_way(), say["two"]), (table, say["three"])):
            kappa = "—" if math.isnan(shown.kappa) else f"{shown.kappa:.2f}"
            click.echo(f"  {word}: {say['agree']} {shown.agreed} / {shown.n} "
                       f"({shown.observed:.1%}), Cohen's kappa {kappa}")  # fmt: skip
    if not found.tables:
        click.echo(say["none"])
    if found.disputed:
        click.echo(f"{say['disputed']}: {len(found.disputed)}")
