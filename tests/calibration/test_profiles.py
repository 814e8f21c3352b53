import json
import math
from dataclasses import replace

import pytest

from nli_faith import FaithfulnessScorer
from nli_faith.errors import (
    ConfigError,
    InputError,
    ModelIntegrityError,
    NliFaithError,
    OutputExistsError,
)
from nli_faith.profiles import Profile, load_profile, logit, save_profile, sigmoid
from tests.core.fakes import CharBackend

PROFILE = Profile("set", "char", "c" * 64, 0.4, 0.9, method="platt",
                  parameters={"a": 2.0, "b": 1.0, "capped": 0.25}, config={"mode": "full"})  # fmt: skip


def test_round_trip(tmp_path):
    path = tmp_path / "p.json"
    save_profile(PROFILE, path)
    assert load_profile(path) == PROFILE
    assert load_profile(path).id == PROFILE.id
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_profile(path) == PROFILE
    with pytest.raises(OutputExistsError, match=r"p\.json"):
        save_profile(PROFILE, path)
    save_profile(replace(PROFILE, support=0.5), path, overwrite=True)
    assert load_profile(path).support == 0.5


def test_probabilities_by_hand():
    # logit(.5) = 0: sigmoid(1) = .7311.
    assert PROFILE.probability(0.5) == pytest.approx(1 / (1 + math.exp(-1)))
    assert PROFILE.probability(0.5, capped=True) == 0.25
    assert 0 < PROFILE.probability(0.0) < 1e-9
    assert math.isnan(PROFILE.probability(math.nan))
    plain = replace(PROFILE, method="none", parameters={})
    assert plain.probability(0.3) == 0.3
    assert plain.probability(0.3, capped=True) == 0
    steps = replace(PROFILE, method="isotonic",
                    parameters={"x": [0.2, 0.6], "y": [0.1, 0.5], "capped": 0.0})  # fmt: skip
    assert [steps.probability(v) for v in (0.1, 0.2, 0.4, 0.6, 0.9)] == pytest.approx(
        [0.1, 0.1, 0.3, 0.5, 0.5]
    )
    assert sigmoid(logit(0.3)) == pytest.approx(0.3)
    assert sigmoid(-1000) == 0


def test_results_are_judged_anew_and_name_the_profile():
    backend = CharBackend()
    scorer = FaithfulnessScorer(backend, thresholds=backend.thresholds)
    # Half of the claim's characters are in the material.
    result = scorer.score({"answer": "甲乙丙丁。", "contexts": ["甲乙。"], "id": "1"})
    assert result.label_counts["supported"] == 0
    judged = PROFILE.apply(result)
    assert judged.label_counts["supported"] == 1
    assert judged.thresholds.calibrated_on == f"profile {PROFILE.id}"
    assert judged.to_dict()["thresholds"]["calibrated_on"].startswith("profile set@")


def test_another_model_is_refused_with_both_hashes():
    other = replace(PROFILE, model_sha256="d" * 64)
    backend = CharBackend()
    scorer = FaithfulnessScorer(backend, thresholds=backend.thresholds)
    result = scorer.score({"answer": "甲。", "contexts": ["甲。"], "id": "1"})
    with pytest.raises(ModelIntegrityError) as error:
        other.apply(result)
    assert "c" * 64 in str(error.value)
    assert "d" * 64 in str(error.value)
    with pytest.raises(ModelIntegrityError):
        PROFILE.apply(replace(result, scorer=None))


def test_differences_of_options():
    assert PROFILE.differences({"mode": "fast", "top_k": 3}) == ["mode: 'full' -> 'fast'"]
    assert PROFILE.differences({"mode": "full"}) == []


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"kind": "x"}, InputError, "no calibration profile"),
        ({"format": 2}, InputError, "format 2"),
        ({"thresholds": None}, InputError, "'thresholds'"),
        ({"thresholds": {"support": 0, "contradiction": 0.5}}, ConfigError, "'support'.*not 0"),
        ({"thresholds": {"support": 0.5}}, ConfigError, "'contradiction'.*None"),
        ({"model_sha256": 5}, InputError, "'model_sha256': 5"),
        ({"method": "magic"}, ConfigError, "'magic'"),
        ({"parameters": {"a": 1, "b": "x", "capped": 0.5}}, ConfigError, "'b' of platt is 'x'"),
        ({"parameters": {"a": 1, "b": 1, "capped": 2}}, ConfigError, "'capped'.*not 2"),
        ({"method": "isotonic", "parameters": {"capped": 0.5, "x": [1, 0], "y": [0, 1]}},
         ConfigError, "must rise"),
        ({"method": "isotonic", "parameters": {"capped": 0.5, "x": [0, 1], "y": [1]}},
         ConfigError, "2 and 1 long"),
        ({"method": "isotonic", "parameters": {"capped": 0.5, "x": "01", "y": [0, 1]}},
         ConfigError, "'x' of isotonic"),
    ],
)  # fmt: skip
def test_bad_profiles_say_what_is_wrong(tmp_path, change, error, words):
    path = tmp_path / "p.json"
    path.write_text(json.dumps(PROFILE.to_dict() | change), encoding="utf-8")
    with pytest.raises(error, match=words) as caught:
        load_profile(path)
    assert "p.json" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe{}"])
def test_files_that_are_no_json(tmp_path, data):
    path = tmp_path / "p.json"
    path.write_bytes(data)
    with pytest.raises(NliFaithError, match=r"p\.json"):
        load_profile(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load_profile(tmp_path / "none.json")
