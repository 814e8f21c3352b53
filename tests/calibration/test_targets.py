import numpy as np
import pytest

from nli_faith.calibration.samples import Arrays, Sample
from nli_faith.calibration.split import hold_out
from nli_faith.calibration.targets import Target, choose_stable, choose_support
from nli_faith.datamodels import Label
from nli_faith.errors import ConfigError

SUPPORT = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
TRUTH = np.array([False, False, True, False, True])


def test_targets_are_parsed_and_shown():
    assert Target.parse("balanced") == Target()
    assert Target.parse("recall=0.9") == Target("recall", 0.9)
    assert str(Target.parse("precision=0.75")) == "precision=0.75"


@pytest.mark.parametrize("text", ["", "recall", "recall=0", "recall=1.1", "recall=x", "f1=0.9",
                                  "balanced=1", "recall=nan"])  # fmt: skip
def test_bad_targets_are_quoted(text):
    with pytest.raises(ConfigError, match=repr(text)):
        Target.parse(text)


def test_balanced_by_hand():
    # At 0.4: 2 of 3 hallucinations flagged, both supported kept -> 5/6, the best there is.
    # At 0.8: 3 of 3 and 1 of 2 -> 3/4.
    assert choose_support(Target(), SUPPORT, TRUTH) == pytest.approx(0.4)


def test_recall_takes_the_lowest_threshold_that_reaches_it():
    assert choose_support(Target("recall", 0.6), SUPPORT, TRUTH) == pytest.approx(0.4)
    assert choose_support(Target("recall", 0.7), SUPPORT, TRUTH) == pytest.approx(0.8)
    assert choose_support(Target("recall", 0.3), SUPPORT, TRUTH) == pytest.approx(0.2)


def test_precision_takes_the_highest_threshold_that_keeps_it():
    # Flagged below .8: 3 of 4 are hallucinations; below .95: 3 of 5.
    assert choose_support(Target("precision", 0.75), SUPPORT, TRUTH) == pytest.approx(0.8)
    assert choose_support(Target("precision", 1.0), SUPPORT, TRUTH) == pytest.approx(0.4)
    assert choose_support(Target("precision", 0.6), SUPPORT, TRUTH) == pytest.approx(0.95)


def test_what_cannot_be_met_says_how_far_one_comes():
    certain = np.array([1.0, 0.2, 1.0])
    truth = np.array([False, True, True])
    with pytest.raises(ConfigError, match=r"the most is 0\.000"):
        choose_support(Target("recall", 0.5), certain, truth)
    with pytest.raises(ConfigError, match=r"precision 0\.\d+"):
        choose_support(Target("precision", 0.9), np.array([0.5, 0.6]), np.array([True, False]))


def test_capped_claims_are_flagged_at_any_threshold():
    data = Arrays.of(
        [Sample("a", 0.99, 0.1, True, Label.UNSUPPORTED), Sample("b", 0.4, 0.1, False,
                                                                 Label.SUPPORTED)]
    )  # fmt: skip
    assert data.support.tolist() == [0.0, 0.4]
    threshold = choose_support(Target("recall", 1.0), data.support, data.supported)
    assert 0 < threshold < 0.4


def test_the_stable_choice_is_reproducible_and_near_the_best():
    rng = np.random.default_rng(5)
    truth = rng.random(400) < 0.5
    support = np.clip(rng.normal(np.where(truth, 0.7, 0.3), 0.1), 0.01, 0.99)
    groups = np.repeat(np.arange(100), 4)
    first, again = (choose_stable(Target(), support, truth, groups, seed=2) for _ in range(2))
    assert first == again
    assert first == pytest.approx(0.5, abs=0.05)


def test_hold_out_takes_whole_records_and_keeps_the_mix():
    samples = []
    for i in range(100):  # 60 clean records, 40 with hallucinations only
        gold = Label.SUPPORTED if i < 60 else Label.UNSUPPORTED
        samples += [Sample(f"{i:03d}", 0.5, 0.1, False, gold)] * (1 + i % 3)
    data = Arrays.of(samples)
    held = hold_out(data, 0.3, seed=7)
    for group in range(100):
        assert len(set(held[data.groups == group].tolist())) == 1
    groups = np.unique(data.groups[held])
    assert len(groups) == 30
    assert (groups < 60).sum() == 18
    assert (held == hold_out(data, 0.3, seed=7)).all()
    assert (held != hold_out(data, 0.3, seed=8)).any()
    assert not hold_out(data, 0.0).any()


@pytest.mark.parametrize("share", [-0.1, 1.0, True])
def test_a_bad_share_is_refused(share):
    with pytest.raises(ConfigError, match="held-out"):
        hold_out(Arrays.of([Sample("a", 0.5, 0.1, False, Label.SUPPORTED)]), share)
