"""``nli-faith evaluate``: many metrics over a file, with intervals; golden sets linted."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from nli_faith.cli.evaluate_run import EXIT_REJECTED, Files, Run, lint
from nli_faith.cli.evaluate_view import render_evaluation
from nli_faith.cli.inputs import reading_options
from nli_faith.cli.options import lang_option, profile_of, scoring_options
from nli_faith.cli.render import console

if TYPE_CHECKING:
    from nli_faith.evaluation import Evaluator
    from nli_faith.metrics.composite import Composite


@click.command()
@click.argument("source", metavar="IN")
@click.option(
    "--metrics",
    "names",
    metavar="A,B",
    help="Metrics, with commas; all by default. recall_at_5 and the like set a cut-off.",
)
@click.option(
    "--output", "-o", metavar="OUT", help="Each record's values: .jsonl (also .gz) or .parquet."
)
@click.option("--summary", "summary_to", metavar="FILE", help="The figures of the table as JSON.")
@click.option("--by", metavar="FIELD", help="Group by a field of meta, e.g. meta.version.")
@click.option(
    "--weights", metavar="FILE", help="Weights and vetoes of the composite, .toml or .json."
)
@click.option(
    "--veto",
    "vetoes",
    multiple=True,
    metavar="RULE",
    help="'numeric_exact < 1 => fail', 'contradicted > 0 => cap:0.5'; repeat it.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.05,
    show_default=True,
    help="Relative tolerance of numeric_accuracy.",
)
@click.option("--k", type=click.IntRange(1), help="Ranks that retrieval metrics look at; all.")
@click.option("--graded", is_flag=True, help="faithfulness: unsupported claims count half.")
@click.option(
    "--embedding-model",
    metavar="DIR",
    help="answer_similarity: cosine by this local sentence-transformers model.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of intervals.")
@click.option(
    "--resamples",
    type=click.IntRange(100, 100_000),
    default=2000,
    show_default=True,
    help="Bootstrap resamples.",
)
@click.option(
    "--reference-lint",
    is_flag=True,
    help="Check IN as a golden set instead; answers and contexts may be absent.",
)
@scoring_options
@reading_options
@click.option("--overwrite", is_flag=True, help="Replace OUT and FILE when the run is done.")
@click.option("--rejects", metavar="PATH", help="Unreadable rows; OUT.rejects.jsonl by default.")
@click.option("--cache", "cache_path", metavar="PATH", help="Keep pair probabilities (SQLite).")
@click.option("--profile", "profile_path", metavar="FILE",
              help="Thresholds that `nli-faith calibrate` wrote for this model.")  # fmt: skip
@click.option("--redact", is_flag=True,
              help="Mask telephone, card and ID numbers and e-mails in all files.")  # fmt: skip
@click.option("--quiet", is_flag=True, help="No progress and no table.")
@lang_option
def evaluate(source: str, names: str | None, weights: str | None, vetoes: tuple[str, ...],
             tolerance: float, k: int | None, graded: bool, embedding_model: str | None,
             by: str | None, seed: int, resamples: int, reference_lint: bool,
             output: str | None, summary_to: str | None, mapping: tuple[str, ...],
             fmt: str | None, encoding: str, overwrite: bool, rejects: str | None,
             redact: bool, quiet: bool, lang: str, **options: Any) -> None:  # fmt: skip
    """Measure the records of IN: answers, retrieval, numbers, reading, and one composite.

    A record that lacks what a metric needs has no value there; the table shows the mean of those
    that have one, its 95% interval, and which share they are. Nothing leaves the machine.

    \b
    Examples:
      nli-faith evaluate records.jsonl
      nli-faith evaluate records.jsonl -o eval.jsonl --summary eval.json --by meta.version
      nli-faith evaluate records.jsonl --metrics faithfulness,context_recall,recall_at_5
      nli-faith evaluate records.jsonl --veto "numeric_exact < 1 => cap:0.5"
      nli-faith evaluate records.jsonl --weights weights.toml -o eval.parquet
      nli-faith evaluate golden.jsonl --reference-lint

    \b
    Exit codes: 0 done · 1 --reference-lint found errors · 2 usage ·
    3 some rows rejected, or a metric failed on some
    """
    from nli_faith.io import parse_mapping, rejects_path

    rejects_to = rejects or (str(rejects_path(output)) if output and output != "-" else None)
    files = Files(source, output, summary_to, rejects_to, overwrite)
    files.check()
    reading = {"format": fmt, "mapping": parse_mapping(mapping), "encoding": encoding}
    show = not quiet
    if reference_lint:
        sys.exit(lint(files, reading, show, lang))
    metrics, composite = _metrics(
        names, weights, vetoes,
        {
            "numeric_accuracy": {"tolerance": tolerance},
            "numeric_exact": {"tolerance": tolerance},
            "faithfulness": {"graded": graded},
            "answer_similarity": {"embedding_model": embedding_model},
            **_cut_offs(k),
        },
    )  # fmt: skip
    with ExitStack() as stack:
        evaluator, manifest = _evaluator(stack, metrics, composite, options)
        run = Run(evaluator, files, by, seed, resamples, redact=redact)
        run.go(reading, progress=show and sys.stderr.isatty())
    run.report(manifest | {"tolerance": tolerance, "k": k, "graded": graded})
    if show:
        target = sys.stderr if output == "-" else sys.stdout
        console(target).print(render_evaluation(run.totals, run.rejected, lang))
    sys.exit(EXIT_REJECTED if run.rejected or run.totals.errors else 0)


def _cut_offs(k: int | None) -> dict[str, dict[str, Any]]:
    from nli_faith.metrics.registry import RETRIEVAL

    return {name: {"k": k} for name in RETRIEVAL}


def _metrics(
    names: str | None,
    weights: str | None,
    vetoes: tuple[str, ...],
    options: dict[str, dict[str, Any]],
) -> tuple[list[Any], Composite | None]:
    """The metrics asked for, with those that weights and vetoes named by the user need."""
    from nli_faith.metrics.composite import DEFAULT_WEIGHTS, Composite
    from nli_faith.metrics.registry import canonical, resolve
    from nli_faith.metrics.veto import Veto

    parsed = [Veto.parse(text) for text in vetoes]
    composite = Composite.load(weights, parsed) if weights else Composite(vetoes=parsed)
    if names is None:
        return resolve(None, options), composite
    wanted = [canonical(name) for name in names.split(",") if name.strip()]
    if weights:
        wanted += composite.needs()
    elif parsed:
        wanted += [name for veto in parsed for name in veto.metrics()]
    # One metric alone needs no composite unless the user speaks of one.
    weighed = sum(name in DEFAULT_WEIGHTS for name in dict.fromkeys(wanted))
    asked = bool(weights or parsed)
    return resolve(wanted, options), composite if asked or weighed > 1 else None


def _evaluator(
    stack: ExitStack, metrics: list[Any], composite: Composite | None, options: dict[str, Any]
) -> tuple[Evaluator, dict[str, Any]]:
    """The evaluator, and what a manifest says of it."""
    from nli_faith.cache import PairCache
    from nli_faith.evaluation import Evaluator
    from nli_faith.metrics.engine import ScorerEngine
    from nli_faith.scorer import FaithfulnessScorer

    cache_path = options.pop("cache_path")
    cache = stack.enter_context(PairCache(cache_path)) if cache_path else None
    profile = profile_of(options.pop("profile_path"), options)
    scorer = FaithfulnessScorer.from_pretrained(
        options.pop("model"), cache=cache, profile=profile, **options
    )
    evaluator = Evaluator(ScorerEngine(scorer), metrics, composite)
    return evaluator, {
        "scorer": scorer.info.to_dict(),
        "thresholds": asdict(scorer.thresholds),
        "config": asdict(scorer.config),
        "composite": None
        if composite is None
        else {"weights": dict(composite.weights), "vetoes": [str(v) for v in composite.vetoes]},
    }
