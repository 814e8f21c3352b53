"""Metrics by name."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

from nli_faith.errors import ConfigError
from nli_faith.metrics.numeric import NumericAccuracy
from nli_faith.metrics.registry import _HOMES, METRICS, canonical, resolve

THERE = [
    name for name, home in _HOMES.items()
    if importlib.util.find_spec(f"nli_faith.metrics.{home.split(':')[0]}")
]  # fmt: skip


@pytest.mark.parametrize("name", THERE)
def test_every_metric_has_its_name_its_fields_and_its_direction(name):
    kind = METRICS[name]
    assert kind.name == name
    assert kind.higher_is_better in (True, False)
    fields = {"answer", "contexts", "question", "reference", "variants", "relevant_ids"}
    assert set(kind.required) <= fields
    assert kind.__doc__
    assert callable(kind().compute)


def test_all_are_listed():
    assert len(METRICS) == len(list(METRICS)) == 18
    assert "faithfulness" in METRICS
    assert "nonsense" not in METRICS


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Faithfulness", "faithfulness"),
        (" context-recall ", "context_recall"),
        ("accuracy", "answer_correctness"),
        ("relevance", "answer_relevancy"),
        ("recall@5", "recall_at_5"),
        ("ndcg_at_010", "ndcg_at_10"),
        ("recall_at_k", "recall_at_k"),
    ],
)
def test_canonical(name, expected):
    assert canonical(name) == expected


@pytest.mark.parametrize("name", ["", "faithfull", "recall@0", "recall@x", "f1"])
def test_unknown_names_list_what_there_is(name):
    with pytest.raises(ConfigError, match="there are faithfulness, context_recall") as caught:
        canonical(name)
    assert repr(name) in str(caught.value)


def test_near_names_are_suggested():
    with pytest.raises(ConfigError, match="did you mean 'faithfulness'"):
        canonical("faithfull")


def test_resolve_keeps_the_order_and_drops_repeats():
    found = resolve("mrr, faithfulness,mrr,hit_rate@3")
    assert [m.name for m in found] == ["mrr", "faithfulness", "hit_rate_at_3"]


def test_options_reach_their_metric():
    options = {"numbers": {"tolerance": 0.01}, "mrr": {"k": 3}}
    (metric,) = resolve(["numeric_accuracy"], options)
    assert isinstance(metric, NumericAccuracy)
    assert metric.tolerance == 0.01


@pytest.mark.parametrize(
    ("names", "options", "word"),
    [
        ([], {}, "no metric is named"),
        ("", {}, "no metric is named"),
        (["mrr"], {"mrr": {"j": 1}}, "'mrr'"),
        (["numeric_exact"], {"numeric_exact": {"tolerance": 3}}, "numeric_exact: tolerance"),
        (["mrr"], {"nonsense": {}}, "no metric 'nonsense'"),
    ],
)
def test_resolve_refuses(names, options, word):
    with pytest.raises(ConfigError, match=word):
        resolve(names, options)


def test_looking_at_names_loads_no_metric():
    code = (
        "import sys, json; from nli_faith.metrics.registry import METRICS, canonical; "
        "canonical('recall@5'); list(METRICS); 'mrr' in METRICS; print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    assert "nli_faith.metrics.retrieval" not in loaded
