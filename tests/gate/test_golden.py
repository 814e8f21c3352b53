"""The golden set, and that a hallucination planted in it turns the gate red."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import replace

import pytest

from nli_faith.diagnosis import Facts, default_rules
from nli_faith.examples.golden import golden_bytes
from nli_faith.gate import GateRules, MeasureTable, run_gate
from nli_faith.io import read_records
from nli_faith.measures import measured_row
from nli_faith.redaction import find_private

RECORDS = list(read_records(io.BytesIO(golden_bytes()), format="jsonl"))
GOOD = [r for r in RECORDS if r.meta["planted"] == "none"]
INVENTED = "此外，该项服务已经通过国家级认证，用户还可以一次性领取5000元现金补贴。"


def test_shape():
    assert 60 <= len(RECORDS) <= 66
    assert len({r.id for r in RECORDS}) == len({r.question for r in RECORDS}) == len(RECORDS)
    assert len({r.meta["domain"] for r in RECORDS}) == 10
    assert Counter(r.meta["version"] for r in RECORDS) == {"a": 33, "b": 33}
    assert 0.5 < len(GOOD) / len(RECORDS) < 0.65
    assert set(Counter(r.meta["planted"] for r in RECORDS)) == {
        "none", "hallucination", "wrong_number", "contradiction", "from_memory", "refusal",
        "missing_point", "copied_not_answering", "stale_material",
    }  # fmt: skip
    assert sum(len(r.variants) == 2 for r in RECORDS) >= 20


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.id)
def test_every_record_is_whole(record):
    assert record.question
    assert record.reference
    assert record.answer
    assert record.contexts
    assert record.relevant_ids
    assert len(record.meta["context_ids"]) == len(record.contexts)
    assert record.meta["faithful"] in (True, False)
    for variant in record.variants:
        assert variant["question"] != record.question
        assert variant["answer"]
        assert set(variant["contexts"]) <= set(record.contexts)
        assert len(variant["context_ids"]) == len(variant["contexts"])
    facts = Facts(prompt=record.meta["prompt"]).values(default_rules().constraints)
    assert facts["prompt_constraint"] == (
        "只能" in record.meta["prompt"] or "严格" in record.meta["prompt"]
    )


def test_nothing_in_it_is_private():
    lines = golden_bytes().decode("utf-8").splitlines()
    assert [line for line in lines if find_private(line)] == []
    assert all(json.loads(line)["id"] for line in lines)


# -- the planted hallucination ------------------------------------------------------------------


@pytest.fixture(scope="module")
def scorer():
    from nli_faith.scorer import FaithfulnessScorer

    return FaithfulnessScorer.from_pretrained("bundled", mode="fast", threads=1)


def table(scorer, records, name):
    rows = [measured_row(result.to_dict()) for result in scorer.score_records(records)]
    return MeasureTable.of(rows, name)


@pytest.fixture(scope="module")
def clean(scorer):
    return table(scorer, GOOD, "clean")


RULES = GateRules(max_drop={"faithfulness": 0.03})


def test_the_gate_is_green_against_itself(clean):
    report = run_gate(clean, RULES, clean)
    assert report.passed
    assert [c.value for c in report.checks if c.name.startswith("max-drop")] == [0.0]


def test_planted_hallucinations_turn_the_gate_red(scorer, clean):
    """Three answers in four get one invented sentence; nothing else changes."""
    planted = [replace(r, answer=r.answer + INVENTED) if i % 4 else r for i, r in enumerate(GOOD)]
    report = run_gate(table(scorer, planted, "planted"), RULES, clean)
    assert not report.passed
    assert [c.name for c in report.checks if not c.passed] == ["max-drop faithfulness"]


def test_one_planted_contradiction_turns_a_zero_tolerance_gate_red(scorer, clean):
    """A mean over dozens of records cannot see one; the count of new contradictions does."""
    place = int((~clean.contradicted).argmax())  # a record that was fine before
    one = replace(
        GOOD[place],
        answer="在深圳住宿没有报销限额。",
        contexts=("深圳的住宿费报销限额为每人每晚550元。",),
    )
    now = table(scorer, [*GOOD[:place], one, *GOOD[place + 1 :]], "one")
    rules = GateRules(max_new_contradicted=0)
    assert run_gate(clean, rules, clean).passed
    report = run_gate(now, rules, clean)
    assert not report.passed
    assert [c.value for c in report.checks if not c.passed] == [1.0]
