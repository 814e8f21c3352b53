"""Thresholds and probabilities from labels, and how good they are on what was held out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nli_faith.calibration.collect import ScorerSource, Source, collect
from nli_faith.calibration.probabilities import ISOTONIC_ADVISED, fit, predict
from nli_faith.calibration.report import CalibrationReport
from nli_faith.calibration.samples import Arrays, LabelledSet
from nli_faith.calibration.split import hold_out
from nli_faith.calibration.statistics import (
    Bools,
    Floats,
    Interval,
    Statistic,
    auroc,
    balanced_accuracy,
    bootstrap,
    edges_of,
    expected_calibration_error,
    rate,
    reliability,
    triage_curve,
)
from nli_faith.calibration.targets import Target, choose_stable, choose_support
from nli_faith.errors import ConfigError
from nli_faith.profiles import SCORE_OPTIONS, Method, Profile

MIN_RECORDS = 20
"""Fewer records leave six or less to measure on: an interval over the whole range."""
MIN_EACH = 20
"""Fewer units of one side fix a recall no better than to about 20 points (95%: +- 2 x
sqrt(.25 / 20))."""
MIN_CONTRADICTED = 10
"""Of contradicted and of merely unsupported units below the support threshold, to move the
contradiction threshold off the model's own."""
HOLDOUT = 0.3


def calibrate(
    source: Source,
    *,
    scorer: ScorerSource = None,
    target: Target | str = "balanced",
    method: Method = "none",
    holdout: float = HOLDOUT,
    seed: int = 0,
    label_field: str | None = None,
    label_map: Mapping[str, str] | None = None,
    group_field: str | None = None,
    mapping: Mapping[str, str] | None = None,
) -> CalibrationReport:
    """Choose thresholds on labelled rows and say how good they are.

    Args:
        source: A path or rows; see `collect` for the shapes, and for the arguments that are
            not named here.
        scorer: Scores what is not scored yet, or makes the scorer that does; the bundled model
            when None.
        target: ``balanced``, ``recall=R`` or ``precision=P`` (of hallucinations).
        method: ``none``, ``platt`` or ``isotonic``.
        holdout: Share of the records held out to measure on; 0 measures on the same data, and
            the report says so.
        seed: Of the split and the bootstrap.
        label_field: See `collect`.
        label_map: See `collect`.
        group_field: See `collect`.
        mapping: See `collect`.

    Raises:
        ConfigError: Labels are too few or one-sided, or the target cannot be met; the message
            has the numbers.
        MissingExtraError: A method without scikit-learn.
        InputError: The source cannot be read.
    """
    wanted = target if isinstance(target, Target) else Target.parse(target)
    found = collect(source, scorer=scorer, label_field=label_field, label_map=label_map,
                    group_field=group_field, mapping=mapping)  # fmt: skip
    return calibrate_set(found, target=wanted, method=method, holdout=holdout, seed=seed)


def calibrate_set(
    found: LabelledSet,
    *,
    target: Target | None = None,
    method: Method = "none",
    holdout: float = HOLDOUT,
    seed: int = 0,
    min_records: int = MIN_RECORDS,
    min_each: int = MIN_EACH,
) -> CalibrationReport:
    """As `calibrate`, on units that are scored and labelled.

    Args:
        found: The units.
        target: What to choose for; balanced accuracy when None.
        method: ``none``, ``platt`` or ``isotonic``.
        holdout: Share of the records held out.
        seed: Of the split and the bootstrap.
        min_records: Fewer records are refused.
        min_each: Fewer supported, or hallucinated, units are refused.

    Raises:
        ConfigError: See `calibrate`.
        MissingExtraError: A method without scikit-learn.
    """
    target = target or Target()
    _check_enough(found, min_records, min_each)
    data = Arrays.of(found.samples)
    held = hold_out(data, holdout, seed)
    train = _part(data, ~held)
    test = _part(data, held) if held.any() else train
    _check_sides(train, test)
    notes = [] if held.any() else ["nothing was held out: the figures flatter"]
    support = choose_stable(target, train.support, train.supported, train.groups, seed=seed)
    contradiction, note = _contradiction(train, support, found)
    notes.append(note)
    if method == "isotonic" and len(train.support) < ISOTONIC_ADVISED:
        notes.append(
            f"isotonic regression on {len(train.support)} units: scikit-learn advises about "
            f"{ISOTONIC_ADVISED}; platt is steadier on few"
        )
    profile = Profile(
        name=found.name,
        model=found.model,
        model_sha256=found.model_sha256,
        support=support,
        contradiction=contradiction,
        target=str(target),
        method=method,
        parameters=fit(method, train),
        config={k: found.config[k] for k in SCORE_OPTIONS if found.config and k in found.config},
        calibrated_on=_provenance(found, data, held, holdout, seed),
    )
    figures = _figures(test, profile, seed)
    own = found.thresholds.support if found.thresholds else math.nan
    profile = replace(
        profile, figures={name: interval.to_dict() for name, interval in figures.items()}
    )
    if figures["supported_kept"].value == 0:
        notes.append(
            f"at {support:.4f} no supported {found.unit} measured on is kept: the target {target} "
            "leaves nothing to accept; ask for less, or use a stronger model"
        )
    probabilities = predict(profile, test)
    return CalibrationReport(
        profile=profile,
        unit=found.unit,
        figures=figures,
        before=_at_threshold(test, own, seed),
        own_threshold=own,
        reliability_before=_bins(test.support, test.supported),
        reliability=_bins(probabilities, test.supported),
        curve=triage_curve(data.support, data.supported),
        answers=triage_curve(data.weakest().support, data.weakest().supported),
        skipped=dict(found.skipped),
        problems=tuple(found.problems),
        notes=tuple(n for n in notes if n),
    )


def _part(data: Arrays, chosen: Bools) -> Arrays:
    _, groups = np.unique(data.groups[chosen], return_inverse=True)
    return Arrays(data.support[chosen], data.contradiction[chosen], data.capped[chosen],
                  data.supported[chosen], data.contradicted[chosen], groups)  # fmt: skip


def _check_enough(found: LabelledSet, min_records: int, min_each: int) -> None:
    samples = found.samples
    records = len({s.group for s in samples})
    good = sum(s.gold == "supported" for s in samples)
    bad = len(samples) - good
    skipped = "; ".join(f"{n} left out: {why}" for why, n in sorted(found.skipped.items()))
    tail = f" ({skipped})" if skipped else ""
    counts = (
        f"{len(samples)} labelled {found.unit}s of {records} records: {good} supported, {bad} not"
    )
    if samples and (good == 0 or bad == 0):
        raise ConfigError(
            f"{found.name}: the labels are one-sided: {counts}: both kinds are needed{tail}"
        )
    if records < min_records or good < min_each or bad < min_each:
        raise ConfigError(
            f"{found.name}: too few labels: {counts}; at least {min_records} records with "
            f"{min_each} supported and {min_each} not are needed{tail}"
        )


def _check_sides(train: Arrays, test: Arrays) -> None:
    for name, part in (("fitting", train), ("held-out", test)):
        good = int(part.supported.sum())
        if good in (0, len(part.supported)):
            raise ConfigError(
                f"the {name} part is one-sided: {good} of {len(part.supported)} units are "
                "supported: label more records, or change --seed or --holdout"
            )


def _contradiction(train: Arrays, support: float, found: LabelledSet) -> tuple[float, str]:
    """The contradiction threshold, and what to say of it.

    Among hallucinations that are not taken for supported: the best balanced accuracy of
    contradicted against merely unsupported.
    """
    own = found.thresholds.contradiction if found.thresholds else 0.5
    rest = (train.support < support) & ~train.supported & ~np.isnan(train.contradiction)
    said, against = train.contradicted[rest], train.contradiction[rest]
    named, other = int(said.sum()), int((~said).sum())
    if min(named, other) < MIN_CONTRADICTED:
        return own, (
            f"the contradiction threshold stays at the model's {own:g}: {named} contradicted and "
            f"{other} other hallucinations to learn from, {MIN_CONTRADICTED} of each are needed"
        )
    # Here the searched-for side is the high one, as with support.
    return choose_support(Target(), against, said), ""


def _provenance(
    found: LabelledSet, data: Arrays, held: Bools, holdout: float, seed: int
) -> dict[str, Any]:
    return {
        "name": found.name,
        "sha256": found.sha256,
        "unit": found.unit,
        "records": int(data.groups.max()) + 1,
        "units": len(data.support),
        "supported": int(data.supported.sum()),
        "contradicted": int(data.contradicted.sum()),
        "unsupported": int((~data.supported & ~data.contradicted).sum()),
        "capped": int(data.capped.sum()),
        "left_out": dict(sorted(found.skipped.items())),
        "holdout": holdout,
        "held_out_units": int(held.sum()),
        "held_out_records": len(np.unique(data.groups[held])),
        "seed": seed,
    }


def _figures(test: Arrays, profile: Profile, seed: int) -> dict[str, Interval]:
    """All figures on the held-out part, with intervals."""
    truth, probabilities = test.supported, predict(profile, test)
    said = test.support >= profile.support
    width, mass = edges_of(probabilities, "width"), edges_of(probabilities, "mass")
    wide, heavy = edges_of(test.support, "width"), edges_of(test.support, "mass")

    def ece(values: Floats, edges: Floats) -> Statistic:
        return lambda w: expected_calibration_error(reliability(values, truth, edges, w))

    return bootstrap(
        test.groups,
        {
            "auroc": lambda w: auroc(test.support, truth, w),
            "balanced_accuracy": lambda w: balanced_accuracy(said, truth, w),
            "hallucination_recall": lambda w: rate(~said, ~truth, w),
            "hallucination_precision": lambda w: rate(~truth, ~said, w),
            "supported_kept": lambda w: rate(said, truth, w),
            "ece_width": ece(probabilities, width),
            "ece_mass": ece(probabilities, mass),
            "ece_width_raw": ece(test.support, wide),
            "ece_mass_raw": ece(test.support, heavy),
        },
        seed=seed,
    )


def _at_threshold(test: Arrays, threshold: float, seed: int) -> dict[str, Interval]:
    """What the model's own threshold gives on the held-out part."""
    if math.isnan(threshold):
        return {}
    said, truth = test.support >= threshold, test.supported
    return bootstrap(
        test.groups,
        {
            "balanced_accuracy": lambda w: balanced_accuracy(said, truth, w),
            "hallucination_recall": lambda w: rate(~said, ~truth, w),
            "hallucination_precision": lambda w: rate(~truth, ~said, w),
            "supported_kept": lambda w: rate(said, truth, w),
        },
        seed=seed,
    )


def _bins(probabilities: Floats, truth: Bools) -> Any:
    return tuple(reliability(probabilities, truth, edges_of(probabilities, "width")))
