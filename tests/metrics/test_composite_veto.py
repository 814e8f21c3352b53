"""The composite and its vetoes by hand, and the rules' grammar."""

from __future__ import annotations

import json
import math

import pytest

from nli_faith.errors import ConfigError, InputError
from nli_faith.metrics.base import MetricStatus, MetricValue, missing
from nli_faith.metrics.composite import DEFAULT_WEIGHTS, Composite
from nli_faith.metrics.veto import Veto


def values(**numbers) -> dict[str, MetricValue]:
    return {k: missing("x") if v is None else MetricValue(v) for k, v in numbers.items()}


ALL = values(
    faithfulness=1.0, answer_correctness=0.8, completeness=0.5, answer_relevancy=0.4,
    readability=0.9,
)  # fmt: skip
WHOLE = 0.30 + 0.25 * 0.8 + 0.20 * 0.5 + 0.15 * 0.4 + 0.10 * 0.9


def test_default_weights_are_those_of_the_recipe():
    assert math.fsum(DEFAULT_WEIGHTS.values()) == pytest.approx(1)
    value = Composite().combine(ALL, {})
    assert value.value == pytest.approx(WHOLE)
    assert value.details["share"] == 1.0


def test_renormalised_over_what_was_measured():
    some = values(faithfulness=1.0, answer_correctness=None, readability=0.5)
    value = Composite().combine(some, {})
    assert value.value == pytest.approx((0.3 + 0.05) / 0.4)
    assert value.details["share"] == pytest.approx(0.4)
    assert value.details["parts"]["faithfulness"]["weight"] == pytest.approx(0.75)
    assert value.details["unmeasured"] == ["answer_correctness", "completeness", "answer_relevancy"]


def test_nothing_measured_is_no_zero():
    value = Composite().combine(values(faithfulness=None), {})
    assert math.isnan(value.value)
    assert value.status is MetricStatus.NOTHING_TO_MEASURE


def test_min_share():
    some = values(faithfulness=1.0)
    assert Composite(min_share=0.3).combine(some, {}).value == 1.0
    assert math.isnan(Composite(min_share=0.31).combine(some, {}).value)


def test_weights_of_any_scale_and_by_alias():
    made = Composite({"accuracy": 3, "relevance": 1, "readability": 0})
    assert made.combine(ALL, {}).value == pytest.approx((3 * 0.8 + 0.4) / 4)
    assert made.needs() == ["answer_correctness", "answer_relevancy", "readability"]


@pytest.mark.parametrize(
    "weights",
    [{}, {"faithfulness": -1}, {"faithfulness": 0}, {"faithfulness": "x"}, {"nonsense": 1},
     {"faithfulness": math.nan}, {"faithfulness": True}, {"accuracy": 1, "answer_correctness": 1},
     None, [1]],
)  # fmt: skip
def test_bad_weights(weights):
    with pytest.raises(ConfigError):
        Composite(weights)


@pytest.mark.parametrize("share", [-0.1, 1.1, True, "1"])
def test_bad_min_share(share):
    with pytest.raises(ConfigError, match="min_share"):
        Composite(min_share=share)


def test_a_cap_bounds_and_fail_is_zero():
    capped = Composite(vetoes=[Veto.parse("readability < 1 => cap:0.5")]).combine(ALL, {})
    assert (capped.value, capped.details["unvetoed"]) == (0.5, pytest.approx(WHOLE))
    assert "readability < 1" in capped.reason
    failed = Composite(vetoes=[Veto.parse("readability < 1")]).combine(ALL, {})
    assert failed.value == 0.0
    above = Composite(vetoes=[Veto.parse("readability < 1 => cap:0.9")]).combine(ALL, {})
    assert above.value == pytest.approx(WHOLE)


def test_the_lowest_cap_wins():
    vetoes = [Veto.parse(f"readability < 1 => cap:{c}") for c in (0.6, 0.2, 0.4)]
    assert Composite(vetoes=vetoes).combine(ALL, {}).value == 0.2


def test_fail_needs_no_other_metric():
    made = Composite(vetoes=[Veto.parse("meta.ok == false")])
    assert made.combine({}, {"ok": False}).value == 0.0


def test_what_cannot_be_decided_does_not_fire_and_is_listed():
    made = Composite(vetoes=[Veto.parse("numeric_exact < 1"), Veto.parse("meta.ok == false")])
    value = made.combine({**ALL, **values(numeric_exact=None)}, {})
    assert value.value == pytest.approx(WHOLE)
    assert value.details["undecided"] == ["numeric_exact < 1 => fail", "meta.ok == false => fail"]


FAITHFUL = {
    "faithfulness": MetricValue(0.5, details={"contradicted": 1, "supported": 1, "unsupported": 0}),
    "answer_correctness": MetricValue(0.0, MetricStatus.REFUSAL, details={"fp": 2}),
    "mrr": MetricValue(1.0),
}
META = {
    "amount_correct": False, "as_text": "false", "n": "3", "score": 0.4, "name": "甲",
    "nested": {"a.b": {"c": 1}}, "empty": None, "blank": "", "list": [1],
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("contradicted > 0", True),
        ("contradicted>=2", False),
        ("unsupported != 0", False),
        ("faithfulness <= 0.5", True),
        ("faithfulness == .5", True),
        ("accuracy.fp > 1", True),
        ("answer_correctness.status == refusal", True),
        ("answer_correctness.nothing > 1", None),
        ("context_recall < 1", None),
        ("mrr < 1 and contradicted > 0", False),
        ("mrr == 1 and contradicted > 0", True),
        ("contradicted > 0 and context_recall < 1", None),
        ("contradicted > 9 && context_recall < 1", False),
        ("meta.amount_correct == false", True),
        ("meta.amount_correct != false", False),
        ("meta.as_text == false", True),
        ("meta.as_text == true", False),
        ("meta.n > 2", True),
        ("meta.score < 5e-1", True),
        ("meta.name == 甲", True),
        ("meta.name == '甲'", True),
        ('meta.name != "乙"', True),
        ("meta.name > 1", None),
        ("meta.score == true", None),
        ("meta.blank == false", None),
        ("meta.list == 1", None),
        ("meta.nested.a.b.c == 1", True),
        ("meta.empty == null", True),
        ("meta.empty != null", False),
        ("meta.empty < 1", None),
        ("meta.gone == null", None),
        ("meta.n == null", False),
        ("meta.name < null", None),
    ],
)
def test_rules(rule, verdict):
    assert Veto.parse(rule).decide(FAITHFUL, META) is verdict


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "comparison"),
        ("contradicted", "comparison"),
        ("contradicted > ", "comparison"),
        ("contradicted > 0 or mrr < 1", "comparison"),
        ("contradicted = 0", "comparison"),
        ("__import__('os').system('true') == 0", "comparison"),
        ("nonsense > 1", "no metric 'nonsense'"),
        ("faithfulnes < 1", "did you mean 'faithfulness'"),
        ("meta == 1", "meta.FIELD"),
        ("mrr < 1 =>", "nothing after"),
        ("mrr < 1 => stop", "fail or cap"),
        ("mrr < 1 => cap:2", "fail or cap"),
        ("mrr < 1 => cap:x", "fail or cap"),
    ],
)
def test_what_is_no_rule_is_quoted(text, word):
    with pytest.raises(ConfigError, match=word) as caught:
        Veto.parse(text)
    assert repr(text)[1:-1] in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["contradicted > 0 => cap:0.5", "meta.ok == false => fail", "mrr < 1 and ndcg >= 0.5 => fail",
     "meta.name == 甲 => fail", "meta.empty != null => fail", "recall_at_5 < 1 => fail"],
)  # fmt: skip
def test_a_rule_prints_as_it_was_written(text):
    assert str(Veto.parse(text)) == text
    assert Veto.parse(str(Veto.parse(text))) == Veto.parse(text)


def test_which_metrics_a_rule_needs():
    assert Veto.parse("contradicted > 0 and meta.x == 1 and recall@5 < 1").metrics() == [
        "faithfulness", "recall_at_5",
    ]  # fmt: skip


TOML = """
min_share = 0.5
[weights]
faithfulness = 2
readability = 1
[[veto]]
when = "contradicted > 0"
action = "cap:0.5"
[[veto]]
when = "meta.amount_correct == false"
"""


@pytest.mark.skipif(
    not any(__import__("importlib.util").util.find_spec(m) for m in ("tomllib", "tomli")),
    reason="TOML needs Python 3.11 or tomli",
)
def test_load_toml(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text("\ufeff" + TOML, encoding="utf-8")
    made = Composite.load(path, [Veto.parse("mrr < 1")])
    assert made.weights == {"faithfulness": 2.0, "readability": 1.0}
    assert [str(v) for v in made.vetoes] == [
        "contradicted > 0 => cap:0.5", "meta.amount_correct == false => fail", "mrr < 1 => fail",
    ]  # fmt: skip
    assert made.min_share == 0.5


@pytest.mark.parametrize(
    "table",
    [{"faithfulness": 2, "readability": 1}, {"weights": {"faithfulness": 2, "readability": 1}}],
)
def test_load_json(tmp_path, table):
    path = tmp_path / "w.json"
    path.write_text(json.dumps(table), encoding="utf-8")
    assert Composite.load(path).weights == {"faithfulness": 2.0, "readability": 1.0}


def test_load_only_vetoes_keeps_the_default_weights(tmp_path):
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"veto": ["mrr < 1 => cap:0.1"]}), encoding="utf-8")
    assert Composite.load(path).weights == dict(DEFAULT_WEIGHTS)


@pytest.mark.parametrize(
    ("name", "text", "error", "word"),
    [
        ("w.json", "{", InputError, "w.json:1: not JSON"),
        ("w.json", "[1]", ConfigError, "must hold a table"),
        ("w.json", '{"weights": {"x": 1}}', ConfigError, "no metric 'x'"),
        ("w.json", '{"weights": 3}', ConfigError, "weights must be"),
        ("w.json", '{"weights": {"mrr": 1}, "other": 1}', ConfigError, "unknown key 'other'"),
        ("w.json", '{"veto": [{"when": "mrr < 1", "do": 1}]}', ConfigError, "when and action"),
        ("w.json", '{"veto": [3]}', ConfigError, "when and action"),
        ("w.json", '{"veto": 3}', ConfigError, "w.json"),
        ("w.yaml", "a: 1", ConfigError, ".toml or .json"),
        ("weights", "a: 1", ConfigError, ".toml or .json"),
        ("w.toml", "a = = 1", InputError, "not TOML"),
    ],
)
def test_load_refuses(tmp_path, name, text, error, word):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=word):
        Composite.load(path)


def test_load_what_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"gone\.json"):
        Composite.load(tmp_path / "gone.json")
    (tmp_path / "w.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(InputError, match="not UTF-8"):
        Composite.load(tmp_path / "w.json")
