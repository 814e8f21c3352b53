"""``nli-faith demo``: the bundled examples, scored and explained."""

from __future__ import annotations

import io

import click

from nli_faith.cli.options import lang_option
from nli_faith.cli.render import console, render_result, render_summary
from nli_faith.examples import DEMO, demo_bytes
from nli_faith.examples.golden import golden_bytes


@click.command()
@click.option("--records", is_flag=True, help="Print the example records instead (JSON lines).")
@click.option("--golden", is_flag=True,
              help="Print the golden records instead: references, variants, ids.")  # fmt: skip
@lang_option
def demo(records: bool, golden: bool, lang: str) -> None:
    """Score the bundled Chinese examples and explain each verdict.

    \b
    Examples:
      nli-faith demo
      nli-faith demo --lang zh
      nli-faith demo --records > records.jsonl
      nli-faith demo --golden > golden.jsonl
    """
    data = golden_bytes() if golden else demo_bytes()
    if records or golden:
        click.echo(data.decode("utf-8"), nl=False)
        return
    from nli_faith.io import read_records
    from nli_faith.scorer import FaithfulnessScorer
    from nli_faith.summary import RunSummary

    rows = list(read_records(io.BytesIO(data), format="jsonl"))
    scorer = FaithfulnessScorer.from_pretrained("bundled")
    summary = RunSummary(worst_kept=0)
    out = console()
    out.print(f"[dim]{DEMO} · {scorer.info.model} · {scorer.backend.precision}[/dim]\n")
    for record, result in zip(rows, scorer.score_records(rows), strict=True):
        summary.add(result)
        out.print(render_result(result, lang, record.question))
        out.print()
    out.print(render_summary(summary, lang))
