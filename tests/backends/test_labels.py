"""The order of the classes is read or given, never guessed."""

from __future__ import annotations

from typing import Any

import pytest

from nli_faith.errors import LabelMapError
from nli_faith.labels import LabelOrder, NLILabel, resolve_label_order


@pytest.mark.parametrize(
    ("id2label", "order"),
    [
        ({"0": "entailment", "1": "neutral", "2": "contradiction"}, (0, 1, 2)),
        ({0: "contradiction", 1: "entailment", 2: "neutral"}, (1, 2, 0)),
        ({"0": "CONTRADICTION", "1": "NEUTRAL", "2": "ENTAILMENT"}, (2, 1, 0)),
        ({"2": "Entail", "0": "Refute", "1": "Neutral"}, (2, 1, 0)),
        ({"0": "蕴含", "1": "中立", "2": "矛盾"}, (0, 1, 2)),
        ({"0": "矛盾", "1": "蕴涵", "2": "中性"}, (1, 2, 0)),
        ({"0": "ＥＮＴＡＩＬＭＥＮＴ", "1": " neutral ", "2": "Contradiction"}, (0, 1, 2)),
        ({"0": "SUPPORTS", "1": "REFUTES", "2": "NOT ENOUGH INFO"}, (0, 2, 1)),
        (["neutral", "entailment", "contradiction"], (1, 0, 2)),
    ],
)
def test_stated_orders(id2label: Any, order: tuple[int, int, int]) -> None:
    got = resolve_label_order(id2label)
    assert (got.entailment, got.neutral, got.contradiction) == order
    assert got.columns == 3
    assert sorted(got.names) == sorted(str(label) for label in NLILabel)
    assert got.names[got.contradiction or 0] == "contradiction"


@pytest.mark.parametrize(
    "id2label",
    [
        {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
        {"0": "label 0", "1": "label 1", "2": "label 2"},
        {"0": "0", "1": "1", "2": "2"},
        {"0": "LABEL_0", "1": "LABEL_1"},
        None,
    ],
)
def test_placeholders_need_a_map(id2label: Any) -> None:
    with pytest.raises(LabelMapError, match="needs an explicit label map"):
        resolve_label_order(id2label)


@pytest.mark.parametrize(
    ("id2label", "quoted"),
    [
        ({"0": "entailment", "1": "neutral", "2": "neutral"}, "neutral"),
        ({"0": "entailment", "1": "蕴含", "2": "neutral", "3": "contradiction"}, "蕴含"),
        ({"0": "entailment", "1": "neutral"}, "contradiction"),
        ({"0": "contradiction", "1": "neutral"}, "entailment"),
        ({"0": "entailment", "2": "neutral", "3": "contradiction"}, "skips"),
        ({"0": "positive", "1": "neutral", "2": "negative"}, "positive"),
        ({"0": "entailment", "1": "neutral", "2": "contradiction", "3": "other"}, "other"),
        ({"0": "entailment"}, "sigmoid"),
        ({}, "entailment"),
        ({"a": "entailment"}, "'a'"),
        ({"0": "entailment", "00": "neutral", "1": "contradiction"}, "twice"),
        ({"0": 7, "1": "neutral", "2": "contradiction"}, "7"),
        ({True: "entailment", "0": "neutral", "2": "contradiction"}, "True"),
        ("entailment", "entailment"),
        ({str(i): f"class {i}" for i in range(1000)}, "class 0"),
    ],
)
def test_wrong_names_are_quoted(id2label: Any, quoted: str) -> None:
    with pytest.raises(LabelMapError, match=quoted) as caught:
        resolve_label_order(id2label)
    assert len(str(caught.value)) < 1200


@pytest.mark.parametrize(
    ("id2label", "label_map", "order"),
    [
        (
            {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
            {0: "contradiction", 1: "neutral", 2: "entailment"},
            (2, 1, 0),
        ),
        (
            {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
            {"LABEL_0": "entailment", "label_1": "neutral", "2": NLILabel.CONTRADICTION},
            (0, 1, 2),
        ),
        (
            {"0": "entailment", "1": "neutral", "2": "contradiction"},
            {"0": "contradiction", "1": "neutral", "2": "entailment"},
            (2, 1, 0),
        ),
        (
            {"0": "entailment", "1": "not_entailment"},
            {"entailment": "entailment", "not_entailment": "not_entailment"},
            (0, 1, None),
        ),
        ({"0": "LABEL_0", "1": "LABEL_1"}, {1: "entailment", 0: "not-entailment"}, (1, 0, None)),
    ],
)
def test_the_users_map_rules(id2label: Any, label_map: Any, order: tuple[Any, ...]) -> None:
    got = resolve_label_order(id2label, label_map)
    assert (got.entailment, got.neutral, got.contradiction) == order


def test_two_classes_need_a_map() -> None:
    with pytest.raises(LabelMapError, match=r"two-class .* explicit label map"):
        resolve_label_order({"0": "entailment", "1": "not_entailment"})
    got = resolve_label_order({"0": "a", "1": "b"}, {"a": "not_entailment", "b": "entailment"})
    assert got == LabelOrder(1, 0, None)
    assert got.columns == 2
    assert got.names == ("not_entailment", "entailment")


@pytest.mark.parametrize(
    ("label_map", "quoted"),
    [
        ({0: "entailment", 1: "neutral"}, "leaves columns"),
        ({0: "entailment", 1: "neutral", 2: "neutral"}, "neutral"),
        ({0: "entailment", 1: "neutral", 3: "contradiction"}, "3"),
        ({0: "entailment", 1: "neutral", 2: "nonsense"}, "nonsense"),
        ({0: "entailment", 1: "neutral", 2: None}, "None"),
        ({0: "entailment", "a": "neutral", "0": "contradiction", 2: "neutral"}, "twice"),
        ({0: "entailment", 1: "neutral", 2: "not_entailment"}, "not_entailment"),
        ({}, "leaves columns"),
    ],
)
def test_wrong_maps_are_refused(label_map: Any, quoted: str) -> None:
    with pytest.raises(LabelMapError, match=quoted):
        resolve_label_order({"0": "x", "1": "a", "2": "b"}, label_map)


def test_label_prints_as_its_value() -> None:
    assert f"{NLILabel.ENTAILMENT}" == "entailment"
    assert [str(label) for label in NLILabel] == ["entailment", "neutral", "contradiction"]
