import json
import math

import numpy as np
import pytest

from nli_faith import FaithfulnessScorer
from nli_faith.calibration import LabelledSet, Sample, Target, calibrate, calibrate_set, collect
from nli_faith.datamodels import Label, Thresholds
from nli_faith.errors import ConfigError, MissingExtraError
from tests.core.fakes import CharBackend

S, C, U = Label.SUPPORTED, Label.CONTRADICTED, Label.UNSUPPORTED


def scorer():
    backend = CharBackend()
    return FaithfulnessScorer(backend, thresholds=backend.thresholds)


def labelled(n=60, seed=0, three=True):
    """Records of four claims, supported ones around .7, others around .4; contradicted ones
    with a high contradiction."""
    rng = np.random.default_rng(seed)
    samples = []
    for i in range(n):
        for _ in range(4):
            gold = S if rng.random() < 0.5 else C if three and rng.random() < 0.5 else U
            support = float(np.clip(rng.normal(0.7 if gold is S else 0.4, 0.1), 0.01, 0.99))
            against = float(np.clip(rng.normal(0.8 if gold is C else 0.3, 0.1), 0.01, 0.99))
            samples.append(Sample(f"r{i:03d}", support, against, False, gold))
    return LabelledSet(samples, model="m", model_sha256="a" * 64, thresholds=Thresholds(0.8, 0.6))


def test_finds_the_threshold_between_two_kinds():
    report = calibrate_set(labelled())
    assert report.profile.support == pytest.approx(0.55, abs=0.05)
    assert report.profile.contradiction == pytest.approx(0.55, abs=0.1)
    figures = report.figures
    assert figures["auroc"].value > 0.95
    assert figures["auroc"].low <= figures["auroc"].value <= figures["auroc"].high
    assert figures["balanced_accuracy"].value > report.before["balanced_accuracy"].value
    on = report.profile.calibrated_on
    assert (on["records"], on["units"]) == (60, 240)
    assert on["supported"] + on["contradicted"] + on["unsupported"] == 240
    assert on["held_out_records"] == 18


def test_the_same_labels_give_the_same_profile():
    first, second = calibrate_set(labelled()), calibrate_set(labelled())
    assert first.profile == second.profile
    assert first.profile.id == second.profile.id
    assert first.to_dict() == second.to_dict()
    assert calibrate_set(labelled(), seed=1).profile.id != first.profile.id


def test_a_wanted_recall_is_met_on_the_data_it_was_fitted_on():
    report = calibrate_set(labelled(), target=Target("recall", 0.95), holdout=0.0)
    assert report.figures["hallucination_recall"].value >= 0.95
    assert "flatter" in report.notes[0]
    precise = calibrate_set(labelled(), target=Target("precision", 0.99), holdout=0.0)
    assert precise.figures["hallucination_precision"].value >= 0.99
    assert precise.profile.support < report.profile.support


def test_a_target_that_leaves_nothing_to_accept_is_said():
    found = labelled()
    assert not any("nothing to accept" in note for note in calibrate_set(found).notes)
    # In every record one hallucination that the model is surer of than of anything supported.
    sure = [Sample(f"r{i:03d}", 0.995, 0.1, False, U) for i in range(60)]
    worse = LabelledSet([*found.samples, *sure], model="m", model_sha256="a" * 64,
                        thresholds=found.thresholds)  # fmt: skip
    report = calibrate_set(worse, target=Target("recall", 1.0))
    assert report.figures["supported_kept"].value == 0
    assert any("target recall=1 leaves nothing to accept" in note for note in report.notes)


def test_two_way_labels_leave_the_contradiction_threshold():
    report = calibrate_set(labelled(three=False))
    assert report.profile.contradiction == 0.6
    assert any("0 contradicted" in note for note in report.notes)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_calibration_makes_probabilities_honest(method):
    pytest.importorskip("sklearn", reason="extra [calibration] is not installed")
    report = calibrate_set(labelled(150), method=method)
    assert report.figures["ece_width"].value < report.figures["ece_width_raw"].value
    profile = report.profile
    values = [profile.probability(s / 50) for s in range(51)]
    assert values == sorted(values)
    assert values[0] < 0.05
    assert values[-1] > 0.95
    # (0 + 1) / (0 + 2): nothing was capped.
    assert profile.probability(0.9, capped=True) == 0.5
    if method == "isotonic":
        assert any("1000" in note for note in report.notes)


def test_platt_by_hand():
    pytest.importorskip("sklearn", reason="extra [calibration] is not installed")
    from nli_faith.calibration.probabilities import fit
    from nli_faith.calibration.samples import Arrays

    # logit(.2) = -1.386, logit(.8) = 1.386; shares 1/4 and 3/4: a = log 3 / 1.386, b = 0.
    rows = [Sample(str(i), 0.2, 0, False, S if i == 0 else U) for i in range(4)]
    rows += [Sample(str(i), 0.8, 0, False, U if i == 0 else S) for i in range(4)]
    rows += [Sample("c", 0.9, 0, True, U)] * 3 + [Sample("c", 0.9, 0, True, S)]
    parameters = fit("platt", Arrays.of(rows))
    assert parameters["a"] == pytest.approx(math.log(3) / math.log(4), abs=1e-3)
    assert parameters["b"] == pytest.approx(0, abs=1e-3)
    assert parameters["capped"] == pytest.approx(2 / 6)
    backwards = [Sample(r.group, 1 - r.support, 0, r.capped, r.gold) for r in rows]
    for method in ("platt", "isotonic"):
        with pytest.raises(ConfigError, match="does not rise"):
            fit(method, Arrays.of(backwards))


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(MissingExtraError, match="calibration"):
        calibrate_set(labelled(), method="platt")


def test_too_few_and_one_sided_labels_are_refused_with_numbers():
    few = labelled(10)
    with pytest.raises(ConfigError, match=r"40 labelled claims of 10 records.*at least 20 records"):
        calibrate_set(few)
    one = labelled()
    one.samples = [s for s in one.samples if s.gold is S]
    with pytest.raises(ConfigError, match=r"one-sided.* 0 not"):
        calibrate_set(one)
    empty = LabelledSet(skipped={"not a claim to the pipeline": 3})
    with pytest.raises(ConfigError, match=r"0 labelled claims.*3 left out: not a claim"):
        calibrate_set(empty)


def rows(n=24, extra=0):
    """Answers of two sentences, the first in the material, the second not."""
    out = []
    for i in range(n):
        good, bad = f"第{i}号设备的保修期限为两年。", "门店每逢周末都提供上门取件服务。"
        labels = [{"text": good, "label": "supported"}, {"text": bad, "label": "not_mentioned"}]
        labels += [{"text": "不在回答里的话语。", "label": "contradicted"}] * extra
        out.append({"id": f"r{i}", "answer": good + bad, "contexts": [good], "claims": labels})
    return out


def test_labels_of_claims_are_aligned_with_the_scored_answer():
    found = collect(rows(), scorer=scorer())
    assert found.unit == "claim"
    assert [s.gold for s in found.samples[:2]] == [S, U]
    assert found.samples[0].support == 1.0
    assert found.samples[1].support < 0.5
    assert found.model_sha256 == "c" * 64
    assert found.config["mode"] == "full"


def test_claims_that_are_not_in_the_answer_are_scored_alone():
    found = collect(rows(3, extra=1), scorer=scorer())
    assert len(found.samples) == 9
    assert sum(s.gold is C for s in found.samples) == 3


def test_answers_with_one_label_take_their_weakest_claim():
    labelled_rows = [dict(row, ok=i % 2 == 0) for i, row in enumerate(rows(4))]
    for row in labelled_rows:
        del row["claims"]
    found = collect(labelled_rows, scorer=scorer(), label_field="ok")
    assert found.unit == "answer"
    assert [s.gold for s in found.samples] == [S, U, S, U]
    assert all(s.support < 0.5 for s in found.samples)


def test_scored_rows_need_no_model_and_their_own_label_is_no_truth():
    judge = scorer()
    plain = [{k: v for k, v in row.items() if k != "claims"} for row in rows(4)]
    scored = [r.to_dict() for r in judge.score_records(plain)]

    def never():
        raise AssertionError("scored rows are not scored again")

    with pytest.raises(ConfigError, match="no label field is found"):
        collect(scored, scorer=never)
    with pytest.raises(ConfigError, match="no label field 'label'"):
        collect(scored, scorer=never, label_field="label")
    for row in scored:
        row["claims"][0]["human"], row["claims"][1]["human"] = "有依据", "unsupported"
    found = collect(scored, scorer=never)
    assert [s.gold for s in found.samples[:2]] == [S, U]
    assert found.thresholds.support == CharBackend.thresholds.support


def test_labels_that_scoring_carried_along_in_meta():
    scored = [r.to_dict() for r in scorer().score_records(rows(4))]
    found = collect(scored)
    assert [s.gold for s in found.samples[:2]] == [S, U]
    assert len(found.samples) == 8


def test_rows_of_two_models_are_refused():
    scored = [r.to_dict() for r in scorer().score_records(rows(2))]
    scored[1]["scorer"] = dict(scored[1]["scorer"], model_sha256="d" * 64)
    with pytest.raises(ConfigError, match=r"one model.*cccccccccccc.*dddddddddddd"):
        collect(scored)


def test_missing_and_doubtful_fields_are_named():
    bare = [{"id": "1", "answer": "甲。", "contexts": ["甲。"], "score2": 1}]
    with pytest.raises(ConfigError, match=r"--label-field; there are 'score2'"):
        collect(bare, scorer=scorer())
    two = [dict(bare[0], label=1, faithful=1)]
    with pytest.raises(ConfigError, match="'label', 'faithful' could all be"):
        collect(two, scorer=scorer())
    with pytest.raises(ConfigError, match="no group field 'doc'"):
        collect(rows(1), scorer=scorer(), group_field="doc")


def test_records_that_are_not_scored_are_left_out_and_counted():
    labelled_rows = [dict(r, faithful=True) for r in rows(2)]
    for row in labelled_rows:
        del row["claims"]
    labelled_rows[0]["answer"] = "无法确定。"
    found = collect(labelled_rows, scorer=scorer())
    assert found.skipped == {"record with status refusal": 1}
    assert len(found.samples) == 1


def test_groups_keep_related_records_together():
    grouped = [dict(r, doc=f"d{i // 2}") for i, r in enumerate(rows(6))]
    found = collect(grouped, scorer=scorer(), group_field="doc")
    assert {s.group for s in found.samples} == {"d0", "d1", "d2"}


def test_from_rows_to_report_text():
    report = calibrate(rows(30), scorer=scorer())
    assert report.figures["auroc"].value == 1.0
    for lang in ("zh", "en"):
        text = report.to_text(lang)
        assert "AUROC" in text
        assert "█" in text
    assert "30 records" in report.to_text("en")
    json.dumps(report.to_dict(), allow_nan=False)
