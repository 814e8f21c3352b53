import pytest

from nli_faith.calibration.labels import LabelReader, parse_label_map
from nli_faith.datamodels import Label
from nli_faith.errors import ConfigError


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("supported", Label.SUPPORTED), ("not_mentioned", Label.UNSUPPORTED), (True, Label.SUPPORTED),
        (0, Label.UNSUPPORTED), (1.0, Label.SUPPORTED), ("矛盾", Label.CONTRADICTED),
        ("Not Supported", Label.UNSUPPORTED), ("有依据", Label.SUPPORTED), ("not_a_claim", None),
        (None, None), (float("nan"), None),
    ],
)  # fmt: skip
def test_known_words(value, label):
    reader = LabelReader("label")
    assert reader.read(value) is label
    reader.check()


def test_unknown_values_are_shown_with_counts():
    reader = LabelReader("ok")
    for value in ["B", "A", "B", "supported"]:
        reader.read(value)
    with pytest.raises(ConfigError, match=r"'ok'.*'b' \(2x\), 'a' \(1x\).*--label-map b=supported"):
        reader.check()


def test_truth_values_under_a_negative_name_are_not_guessed():
    reader = LabelReader("is_hallucinated")
    assert reader.read(True) is None
    with pytest.raises(ConfigError, match="true may mean faithful or hallucinated"):
        reader.check()
    told = LabelReader("is_hallucinated", parse_label_map(["true=unsupported", "False=supported"]))
    assert told.read(True) is Label.UNSUPPORTED
    assert told.read("false") is Label.SUPPORTED
    told.check()


def test_a_map_may_leave_values_out():
    reader = LabelReader("x", parse_label_map(["maybe=skip", "2=contradicted"]))
    assert reader.read("maybe") is None
    assert reader.read(2) is Label.CONTRADICTED
    reader.check()


@pytest.mark.parametrize("item", ["a", "a=b", "=skip", "a="])
def test_bad_maps_are_quoted(item):
    with pytest.raises(ConfigError, match=repr(item)):
        parse_label_map([item])


def test_a_value_has_one_meaning():
    assert parse_label_map([" ok = supported", "ok=supported"]) == {"ok": "supported"}
    with pytest.raises(ConfigError, match="'ok' is given twice"):
        parse_label_map(["ok=supported", "ok=skip"])
