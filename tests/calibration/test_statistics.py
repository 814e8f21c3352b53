import math

import numpy as np
import pytest

from nli_faith.calibration.statistics import (
    auroc,
    balanced_accuracy,
    bootstrap,
    caught_at,
    edges_of,
    expected_calibration_error,
    rate,
    reliability,
    triage_curve,
)


def floats(*values):
    return np.array(values, dtype=np.float64)


def bools(*values):
    return np.array(values, dtype=bool)


def test_auroc_by_hand():
    # Pairs (positive, negative): .9>.8, .9>.4, .4<.8, .4=.4 -> (1 + 1 + 0 + .5) / 4.
    assert auroc(floats(0.9, 0.8, 0.4, 0.4), bools(1, 0, 1, 0)) == pytest.approx(0.625)


def test_auroc_weights_are_copies():
    scores, truth = floats(0.9, 0.8, 0.4), bools(1, 0, 1)
    weighted = auroc(scores, truth, floats(2, 1, 3))
    copied = auroc(floats(0.9, 0.9, 0.8, 0.4, 0.4, 0.4), bools(1, 1, 0, 1, 1, 1))
    assert weighted == pytest.approx(copied) == pytest.approx(0.4)


def test_one_side_has_no_auroc():
    assert math.isnan(auroc(floats(0.1, 0.2), bools(1, 1)))


def test_balanced_accuracy_and_rate_by_hand():
    said, truth = bools(1, 1, 0, 0, 1), bools(1, 1, 1, 0, 0)
    assert balanced_accuracy(said, truth) == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert rate(~said, ~truth) == pytest.approx(0.5)
    assert math.isnan(rate(said, bools(0, 0, 0, 0, 0)))


def test_ece_by_hand():
    # Two bins of width 0.5: (.2, .4 | 1 of 2) and (.9 | 1 of 1).
    bins = reliability(floats(0.2, 0.4, 0.9), bools(0, 1, 1), edges_of(floats(0.5), "width", 2))
    assert [b.weight for b in bins] == [2, 1]
    assert expected_calibration_error(bins) == pytest.approx(2 / 3 * 0.2 + 1 / 3 * 0.1)


def test_a_probability_of_one_is_in_the_last_bin():
    bins = reliability(floats(1.0, 0.0), bools(1, 0), edges_of(floats(0.5), "width", 15))
    assert bins[-1].weight == bins[0].weight == 1
    assert math.isnan(bins[3].accuracy)
    assert expected_calibration_error(bins) == 0


def test_equal_mass_bins_hold_as_many_and_keep_ties_together():
    values = floats(*np.linspace(0.01, 0.3, 30))
    bins = reliability(values, values > 0.1, edges_of(values, "mass", 3))
    assert [b.weight for b in bins] == [10, 10, 10]
    tied = floats(0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
    bins = reliability(tied, bools(1, 0, 1, 0, 1, 0), edges_of(tied, "mass", 3))
    assert [b.weight for b in bins] == [6]
    assert expected_calibration_error(bins) == 0


def test_triage_curve_sends_the_least_supported_first_and_ties_together():
    curve = triage_curve(floats(0.1, 0.2, 0.2, 0.9), bools(0, 0, 1, 1))
    assert [(p.sent, p.caught) for p in curve] == [(0, 0), (0.25, 0.5), (0.75, 1), (1, 1)]
    assert caught_at(curve, 0.5) == pytest.approx(0.75)
    assert caught_at(curve, 0.25) == pytest.approx(0.5)


def test_a_one_sided_set_has_no_curve():
    assert triage_curve(floats(0.1, 0.2), bools(0, 0)) == []
    assert triage_curve(floats(0.1, 0.2), bools(1, 1)) == []
    assert math.isnan(caught_at([], 0.5))


def test_bootstrap_resamples_whole_records():
    # Two records, each of one kind: a resample has a share of 0, 1/2 or 1, never a quarter.
    groups, truth = np.array([0, 0, 0, 1, 1, 1]), bools(1, 1, 1, 0, 0, 0)
    seen = set()

    def share(weights):
        value = float((weights * truth).sum() / weights.sum())
        seen.add(round(value, 6))
        return value

    interval = bootstrap(groups, {"share": share}, resamples=200, seed=1)["share"]
    assert seen == {0.0, 0.5, 1.0}
    assert (interval.value, interval.low, interval.high) == (0.5, 0.0, 1.0)


def test_bootstrap_is_reproducible_and_says_when_it_cannot():
    groups = np.arange(10)
    statistics = {"mean": lambda w: float((w * groups).sum() / w.sum()), "none": lambda w: math.nan}
    first, second = (bootstrap(groups, statistics, resamples=50, seed=3) for _ in range(2))
    assert first["mean"] == second["mean"]
    assert first["mean"].low < 4.5 < first["mean"].high
    assert math.isnan(first["none"].low)
    assert first["none"].to_dict() == {"value": None, "low": None, "high": None}
    one = bootstrap(np.zeros(3, dtype=int), {"n": lambda w: float(w.sum())})["n"]
    assert one.value == 3
    assert math.isnan(one.low)
