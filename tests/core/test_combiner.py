"""The combiner: features, fit, monotony, and its way from the manifest into results."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from nli_faith import FaithfulnessScorer, Record, ScorerConfig
from nli_faith.combiner import FEATURES, Combiner, claim_features, fit, log_odds
from nli_faith.results import FaithfulnessResult
from tests.core.fakes import CharBackend

PROBS = np.array([[0.9, 0.05, 0.05], [0.2, 0.1, 0.7]])


class Combined(CharBackend):
    """The backend of the other tests with a combiner of its own."""

    combiners = {"full": Combiner({"joined": 0.5, "overlap": 2.0}, -1.0, "made up")}  # noqa: RUF012


def features(probs: np.ndarray, overlap: float) -> dict[str, float]:
    return claim_features(probs, overlap=overlap, window_overlap=0.8, joined=1, claim_chars=30)


def test_features_by_hand():
    found = features(PROBS, 0.7)
    assert found["joined"] == pytest.approx(math.log(0.2 / 0.8))
    assert found["best"] == pytest.approx(math.log(0.9 / 0.1))
    assert found["against"] == pytest.approx(math.log(0.7 / 0.3))
    assert (found["overlap"], found["window_overlap"], found["covered"]) == (0.7, 0.8, 0.0)
    assert found["length"] == 0.0
    assert tuple(found) == FEATURES
    assert features(PROBS, 0.96)["covered"] == 1.0


def test_log_odds_are_finite_at_the_edges():
    assert log_odds(0.0) == pytest.approx(math.log(1e-4 / (1 - 1e-4)))
    assert log_odds(1.0) == pytest.approx(-log_odds(0.0))


def test_a_model_without_contradiction_has_finite_features():
    found = claim_features(
        np.array([[0.7, 0.3, np.nan]]), overlap=1.0, window_overlap=1.0, joined=0, claim_chars=10
    )
    assert all(map(math.isfinite, found.values()))


def test_fit_finds_the_weights_that_made_the_data():
    rng = np.random.default_rng(0)
    rows = [{"joined": a, "overlap": b} for a, b in rng.normal(size=(4000, 2))]
    p = [1 / (1 + math.exp(-(1.5 * r["joined"] + 0.5 * r["overlap"] - 0.3))) for r in rows]
    made = fit(rows, list(rng.random(4000) < p), ["joined", "overlap"], ridge=1e-3)
    assert made.weights["joined"] == pytest.approx(1.5, abs=0.15)
    assert made.weights["overlap"] == pytest.approx(0.5, abs=0.12)
    assert made.bias == pytest.approx(-0.3, abs=0.12)


def test_more_entailment_never_lowers_support():
    rng = np.random.default_rng(1)
    rows = [{"joined": a, "best": a + 0.1 * b} for a, b in rng.normal(size=(500, 2))]
    truth = [r["joined"] - 3 * (r["best"] - r["joined"]) > 0 for r in rows]
    made = fit(rows, truth, ["joined", "best"])
    assert "best" not in made.weights
    assert made.weights["joined"] > 0


def test_the_combiner_decides_and_is_shown():
    record = Record("1", "保修期为两年。", contexts=("整机保修期为两年。", "退货须在七天内申请。"))
    thresholds = Combined.thresholds
    scorer = FaithfulnessScorer(Combined(), thresholds=thresholds)
    claim = scorer.score(record).claims[0]
    assert set(claim.signals) == {"joined", "overlap"}
    z = sum(claim.signals.values()) - 1.0
    assert claim.combined == pytest.approx(1 / (1 + math.exp(-z)), abs=1e-4)
    plain = FaithfulnessScorer(
        Combined(), thresholds=thresholds, config=ScorerConfig(combine=False)
    )
    other = plain.score(record).claims[0]
    assert other.combined == other.nli_support
    assert plain.info.config_hash != scorer.info.config_hash


def test_results_keep_it_through_json_and_rethreshold():
    record = Record("1", "保修期为两年。", contexts=("整机的保修一般来说满两年",))
    result = FaithfulnessScorer(Combined(), thresholds=Combined.thresholds).score(record)
    back = FaithfulnessResult.from_dict(json.loads(json.dumps(result.to_dict())))
    value = back.claims[0].combined
    assert value == pytest.approx(result.claims[0].combined, abs=1e-6)
    assert back.rethreshold(support=value - 0.01).score == 1.0
    assert back.rethreshold(support=value + 0.01).score == 0.0


@pytest.mark.parametrize(
    "data",
    [
        {"weights": {"joined": math.nan}, "bias": 0.0, "fitted_on": ""},
        {"weights": {"surprise": 1.0}, "bias": 0.0, "fitted_on": ""},
    ],
)
def test_a_manifest_with_a_wrong_combiner_is_refused(data):
    with pytest.raises(ValueError, match=r"surprise|finite"):
        Combiner.from_dict(data)
