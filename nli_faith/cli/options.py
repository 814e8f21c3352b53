"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import click

from nli_faith.backends import BACKENDS
from nli_faith.cascade import Band
from nli_faith.cli.decorate import F, decorate
from nli_faith.config import GRANULARITIES, MODES, NEWLINES, ScorerConfig
from nli_faith.errors import ConfigError
from nli_faith.results import AGGREGATIONS

if TYPE_CHECKING:
    from nli_faith.profiles import Profile

_DEFAULT = ScorerConfig()


def class_map(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str] | None:
    """Reads ``COLUMN=CLASS`` options."""
    from nli_faith.io import parse_pairs

    try:
        return parse_pairs(values, "class map", "COLUMN=CLASS, as in 0=entailment") or None
    except ConfigError as error:
        raise click.BadParameter(str(error)) from error


def config_of(options: Mapping[str, Any]) -> ScorerConfig:
    """The pipeline's options among a command's."""
    known = {f.name for f in fields(ScorerConfig)}
    return ScorerConfig(**{k: v for k, v in options.items() if k in known})


def profile_of(path: str | None, options: Mapping[str, Any]) -> Profile | None:
    """The calibration profile that a command names; warns where it was made under other options.

    Args:
        path: Its file, if one is named.
        options: The command's options.

    Raises:
        ConfigError: The file cannot be read or is no profile.
    """
    if path is None:
        return None
    from nli_faith.profiles import load_profile

    profile = load_profile(path)
    for difference in profile.differences(asdict(config_of(options))):
        click.echo(f"nli-faith: {path}: {difference}", err=True)
    return profile


def model_options(command: F) -> F:
    """Which library runs the model, and where, as options."""
    return decorate(
        command,
        click.option(
            "--backend",
            type=click.Choice(BACKENDS),
            default="auto",
            show_default=True,
            help="auto: ONNX Runtime where there is a model.onnx, else torch.",
        ),
        click.option(
            "--device",
            default="cpu",
            show_default=True,
            metavar="cpu|auto|cuda[:N]|tensorrt|mps",
            help="Where the model runs.",
        ),
        click.option(
            "--precision",
            type=click.Choice(("auto", "fp32", "bf16", "fp16")),
            default="auto",
            show_default=True,
            help="For torch; an ONNX file has the one it was exported with.",
        ),
        click.option(
            "--class-map",
            multiple=True,
            metavar="COLUMN=CLASS",
            callback=class_map,
            help="Names a column of the model: entailment, neutral, contradiction, "
            "not_entailment; sigmoid or probability for a model of one number.",
        ),
    )


def _band(context: click.Context, parameter: click.Parameter, value: str | None) -> Band | None:
    try:
        return None if value is None else Band.parse(value)
    except ConfigError as error:
        raise click.BadParameter(str(error)) from error


def cascade_options(command: F) -> F:
    """A second model for doubtful claims, as options."""
    return decorate(
        command,
        click.option(
            "--then",
            metavar="NAME|DIR",
            help="A second, stronger model for the claims that the first is unsure of.",
        ),
        click.option(
            "--band",
            metavar="LOW,HIGH",
            callback=_band,
            help="Supports that go to the second model.  [default: 0.2,0.8]",
        ),
    )


def scoring_options(command: F) -> F:
    """Everything that decides a verdict, as options."""
    command = cascade_options(model_options(command))
    return decorate(
        command,
        click.option(
            "--model",
            default="bundled",
            show_default=True,
            metavar="NAME|DIR",
            help="Entailment model.",
        ),
        click.option(
            "--mode",
            type=click.Choice(MODES),
            default=_DEFAULT.mode,
            show_default=True,
            help="full: windows and the joined premise; fast: one pair a claim.",
        ),
        click.option(
            "--granularity",
            type=click.Choice(GRANULARITIES),
            default="sentence",
            show_default=True,
            help="What counts as one claim.",
        ),
        click.option(
            "--top-k",
            type=click.IntRange(1, 1000),
            default=_DEFAULT.top_k,
            show_default=True,
            help="Windows kept for each claim.",
        ),
        click.option(
            "--prefilter/--no-prefilter",
            default=True,
            help="Score only windows that share n-grams with the claim.",
        ),
        click.option(
            "--early-exit/--no-early-exit",
            default=True,
            help="Leave out the windows of claims that the joined premise settles; "
            "about one label in a hundred changes.",
        ),
        click.option(
            "--combine/--no-combine",
            default=True,
            help="Weigh entailment with overlap by the model's combiner, if it has one.",
        ),
        click.option(
            "--quantities/--no-quantities",
            default=True,
            help="Check numbers, dates and units by rule.",
        ),
        click.option(
            "--wording/--no-wording",
            default=True,
            help="Compare hedges, plans, scope words and opposites by rule.",
        ),
        click.option(
            "--aggregation",
            type=click.Choice(AGGREGATIONS),
            default="mean",
            show_default=True,
            help="mean: supported / claims; min: 1 only if all are supported; "
            "length: weighted by characters.",
        ),
        click.option(
            "--threshold",
            "support_threshold",
            type=click.FloatRange(0, 1, min_open=True),
            help="Support threshold; the model's calibrated one by default.",
        ),
        click.option(
            "--contradiction-threshold",
            type=click.FloatRange(0, 1, min_open=True),
            help="Contradiction threshold; likewise.",
        ),
        click.option(
            "--threads",
            type=click.IntRange(1),
            help="Threads of the model; all cores by default.",
        ),
        click.option(
            "--batch-tokens",
            type=click.IntRange(64),
            default=_DEFAULT.batch_tokens,
            show_default=True,
            help="Padded tokens in one model call; changes speed, never a score.",
        ),
    )


def splitting_options(command: F) -> F:
    """How a text is cut, as options."""
    return decorate(
        command,
        click.option(
            "--granularity",
            type=click.Choice(GRANULARITIES),
            default="sentence",
            show_default=True,
            help="Cut at sentences, or further at clauses.",
        ),
        click.option(
            "--newline",
            type=click.Choice(NEWLINES),
            default="auto",
            show_default=True,
            help="What a single line break means.",
        ),
        click.option(
            "--max-chars",
            type=click.IntRange(20, 4000),
            default=400,
            show_default=True,
            help="Longest segment.",
        ),
    )


lang_option = click.option(
    "--lang",
    type=click.Choice(["auto", "zh", "en"]),
    default="auto",
    help="Language of results and summary (help and errors are English); auto follows the locale.",
)
