"""``nli-faith calibrate``: labels in, a profile with thresholds out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nli_faith.cli.options import lang_option, scoring_options

EXIT_REJECTED = 3


@click.command()
@click.argument("labelled", metavar="LABELLED")
@click.option("--output", "-o", metavar="PROFILE", help="Where the profile goes (JSON).")
@click.option(
    "--target",
    default="balanced",
    show_default=True,
    metavar="balanced|recall=R|precision=P",
    help="What the support threshold is chosen for; recall and precision of hallucinations.",
)
@click.option(
    "--method",
    type=click.Choice(["none", "platt", "isotonic"]),
    default="none",
    show_default=True,
    help="Calibrated probabilities; platt and isotonic need the extra [calibration].",
)
@click.option("--label-field", metavar="NAME", help="The label, in claims or rows; looked for.")
@click.option(
    "--label-map",
    multiple=True,
    metavar="VALUE=LABEL",
    help="What a value means: supported, contradicted, unsupported or skip; repeat it.",
)
@click.option(
    "--group-field",
    metavar="NAME",
    help="Rows with the same value stay on one side of the split; by default each is alone.",
)
@click.option(
    "--holdout",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.3,
    show_default=True,
    help="Share of the records to measure on.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of split and bootstrap.")
@click.option("--plots", metavar="DIR", help="Write reliability.png and triage.png there.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=COLUMN", help="As for score.")
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
@click.option("--json", "as_json", is_flag=True, help="The whole report as one JSON object.")
@scoring_options
@lang_option
def calibrate(labelled: str, output: str | None, target: str, method: Any,
              label_field: str | None, label_map: tuple[str, ...], group_field: str | None,
              holdout: float, seed: int, plots: str | None, mapping: tuple[str, ...],
              overwrite: bool, as_json: bool, lang: str, model: str, threads: int | None,
              **options: Any) -> None:  # fmt: skip
    """Choose thresholds on LABELLED and write them as a profile for `score --profile`.

    LABELLED are records whose claims carry labels ({"claims": [{"text", "label"}, ...]}), records
    with one label for the answer, or a file that `score` or `triage-merge` wrote with labels
    beside the verdicts. Figures are measured on records held out; claims of one answer never fall
    on both sides.

    \b
    Examples:
      nli-faith calibrate labelled.jsonl -o profile.json
      nli-faith calibrate labelled.jsonl -o profile.json --target recall=0.9 --method platt
      nli-faith calibrate answers.csv --label-field ok --label-map ok=supported \\
          --label-map bad=unsupported -o profile.json
      nli-faith calibrate merged.jsonl --label-field human -o profile.json --plots plots
      nli-faith score day.jsonl -o scored.jsonl --profile profile.json

    \b
    Exit codes: 0 done · 2 usage, or labels too few or one-sided · 3 some rows unusable
    """
    from nli_faith.calibration import calibrate as run
    from nli_faith.calibration import write_plots
    from nli_faith.calibration.labels import parse_label_map
    from nli_faith.calibration.plots import check_plots
    from nli_faith.cli.language import resolve
    from nli_faith.errors import OutputExistsError
    from nli_faith.io import dumps, parse_mapping
    from nli_faith.profiles import save_profile
    from nli_faith.scorer import FaithfulnessScorer

    if output and not overwrite and Path(output).exists() and Path(output).stat().st_size:
        raise OutputExistsError(f"{output}: exists already: pass --overwrite, or name another")
    if plots:
        check_plots(plots, overwrite=overwrite)
    report = run(
        labelled,
        # Called only where something is not scored yet.
        scorer=lambda: FaithfulnessScorer.from_pretrained(model, threads=threads, **options),
        target=target,
        method=method,
        holdout=holdout,
        seed=seed,
        label_field=label_field,
        label_map=parse_label_map(label_map),
        group_field=group_field,
        mapping=parse_mapping(mapping),
    )
    if output:
        save_profile(report.profile, output, overwrite=overwrite)
    if plots:
        write_plots(report, plots, overwrite=overwrite)
    if as_json:
        click.echo(dumps(report.to_dict()))
    else:
        click.echo(report.to_text(resolve(lang)))
        if output:
            click.echo(f"\n{output}: {report.profile.id}")
    sys.exit(EXIT_REJECTED if report.problems else 0)
