"""``nli-faith demo``: the bundled examples, scored and explained."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import click

from nli_faith.cli.options import lang_option
from nli_faith.cli.render import console, render_result, render_summary
from nli_faith.examples import DEMO, demo_bytes
from nli_faith.examples.golden import GOLDEN, golden_bytes


@click.command()
@click.option("--records", is_flag=True, help="Print the example records instead (JSON lines).")
@click.option("--golden", is_flag=True,
              help="Print the golden records instead: references, variants, ids.")  # fmt: skip
@click.option("--report", "report_to", metavar="FILE",
              help="Write an HTML report on them instead.")  # fmt: skip
@lang_option
def demo(records: bool, golden: bool, report_to: str | None, lang: str) -> None:
    """Score the bundled Chinese examples and explain each verdict.

    \b
    Examples:
      nli-faith demo
      nli-faith demo --lang zh
      nli-faith demo --records > records.jsonl
      nli-faith demo --golden > golden.jsonl
      nli-faith demo --report demo.html
      nli-faith demo --golden --report golden.html
    """
    data = golden_bytes() if golden else demo_bytes()
    if report_to is not None:
        if records:
            raise click.UsageError("--report and --records exclude one another")
        _report(data, report_to, golden, lang)
        return
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


def _report(data: bytes, output: str, golden: bool, lang: str) -> None:
    """Score examples and report on them, as ``score`` and ``report`` do on a user's own."""
    from nli_faith.io import ResultWriter, read_records
    from nli_faith.report import build_report
    from nli_faith.scorer import FaithfulnessScorer

    rows = list(read_records(io.BytesIO(data), format="jsonl"))
    scorer = FaithfulnessScorer.from_pretrained("bundled")
    with tempfile.TemporaryDirectory() as folder:
        given, scored = Path(folder, "records.jsonl"), Path(folder, GOLDEN if golden else DEMO)
        given.write_bytes(data)
        with ResultWriter(scored) as writer:
            for result in scorer.score_records(rows):
                writer.write(result.to_dict())
        done = build_report(scored, output, records=given, lang=lang, overwrite=True)
    click.echo(f"{output}: {done.records} records, {done.size / 1e6:.1f} MB")
