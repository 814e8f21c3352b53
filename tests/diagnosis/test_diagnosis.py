"""Every rule is reached, unknowns are said, rules are data, and the command."""

from __future__ import annotations

import itertools
import json
import math

import pytest
from click.testing import CliRunner

from nli_faith.cli.diagnose import diagnose as command
from nli_faith.datamodels import Record
from nli_faith.diagnosis import (
    Facts,
    default_rules,
    diagnose,
    diagnose_set,
    examine,
    facts_of,
    load_rules,
    parse_rules,
)
from nli_faith.diagnosis.facts import mid_share
from nli_faith.errors import ConfigError, InputError, NliFaithError
from nli_faith.measures import measured_row

HARD = "只能根据给定材料回答，材料没有时请说不知道。"
SOFT = "你是一名客服，请根据材料回答。"


def triple(f, r, c):
    return {"faithfulness": f, "context_recall": r, "answer_correctness": c}


def codes(findings, row=None):
    return [f.code for f in findings if row in (None, f.row)]


# -- the table ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "r", "c", "code", "severity"),
    [
        (1.0, 1.0, 1.0, "healthy", "ok"),
        (0.8, 0.7, 0.6, "healthy", "ok"),  # the limits themselves are high
        (1.0, 1.0, 0.2, "material_wrong", "warn"),
        (1.0, 0.2, 0.2, "retrieval_missed", "warn"),
        (0.2, 1.0, 0.2, "generation_invented", "warn"),
        (0.2, 1.0, 1.0, "generation_invented", "warn"),
        (0.2, 0.2, 0.2, "both", "critical"),
        (0.2, 0.2, 1.0, "from_memory", "critical"),
        (1.0, 0.2, 1.0, "recall_doubtful", "warn"),
    ],
)
def test_every_row_of_the_table(f, r, c, code, severity):
    findings = [x for x in diagnose(triple(f, r, c)) if x.row == "table"]
    assert [(x.code, x.severity) for x in findings] == [(code, severity)]
    names = {g.name for g in findings[0].figures}
    assert names >= {"faithfulness", "context_recall"}
    assert {g.name: g.value for g in findings[0].figures}["faithfulness"] == f


def test_the_table_is_exhaustive_and_exclusive():
    for f, r, c in itertools.product((0.1, 0.9), repeat=3):
        held = [rule.code for rule in default_rules().table
                if rule.test.holds({"faithfulness": f, "context_recall": r, "correctness": c})]  # fmt: skip
        assert len(held) == 1, (f, r, c, held)


def test_a_missing_measure_leaves_the_table_out_and_says_so():
    found = examine({"faithfulness": 1.0, "context_recall": 1.0, "answer_correctness": math.nan})
    assert found.of("table") is None
    assert [(s.code, s.missing) for s in found.skipped if s.row == "table"] == [
        ("(table)", ("correctness",))
    ]


def test_a_row_that_needs_no_third_measure_holds_without_it():
    found = examine({"faithfulness": 0.1, "context_recall": 0.9})
    assert found.of("table").code == "generation_invented"


# -- the tree -----------------------------------------------------------------------------------

LOW = {"faithfulness": 0.3, "context_recall": 0.9}


@pytest.mark.parametrize(
    ("values", "facts", "code"),
    [
        ({"faithfulness": 0.3, "context_recall": 0.1}, Facts(contexts=20), "fix_retrieval"),
        (LOW, Facts(contexts=11, prompt=SOFT, temperature=1), "rerank_and_cut"),
        (LOW, Facts(contexts=6, evidence=(2, 3, 0), prompt=HARD), "rerank_and_cut"),
        (LOW, Facts(contexts=10, evidence=(0,), prompt=SOFT, temperature=1), "add_constraint"),
        (LOW, Facts(contexts=3, prompt=HARD, temperature=0.7), "lower_temperature"),
        (LOW, Facts(contexts=3, prompt=HARD, temperature=0.3), "stronger_model"),
    ],
)
def test_every_step_of_the_tree(values, facts, code):
    findings = diagnose(values, facts)
    assert codes(findings, "tree") == [code]
    step = next(f for f in findings if f.row == "tree")
    assert step.figures[0].name == "faithfulness"
    assert step.unchecked == ()


def test_the_tree_is_not_entered_when_faithful():
    assert codes(diagnose({"faithfulness": 0.8, "context_recall": 0.1}), "tree") == []


def test_steps_that_cannot_be_checked_are_named():
    found = examine({"faithfulness": 0.3})
    step = found.of("tree")
    assert step.code == "stronger_model"
    assert [u.split(" ")[0] for u in step.unchecked] == [
        "fix_retrieval", "rerank_and_cut", "add_constraint", "lower_temperature",
    ]  # fmt: skip
    assert "add_constraint (prompt_constraint)" in step.unchecked
    assert ("tree", "lower_temperature") in {(s.row, s.code) for s in found.skipped}


def test_without_faithfulness_the_tree_is_not_applicable():
    assert ("(tree)", ("faithfulness",)) in [(s.code, s.missing) for s in examine({}).skipped]


@pytest.mark.parametrize(
    ("evidence", "n", "share"),
    [
        ((0, 1, 2), 9, 0.0),
        ((3, 4, 5), 9, 1.0),
        ((6, 7, 8), 9, 0.0),
        ((1, 2), 5, 0.5),  # 5/3 <= 1.5 is false, 2.5 < 10/3 is true
        ((0, 2), 4, 0.0),  # too few chunks to have a middle
        ((), 8, None),
        ((1,), None, None),
    ],
)
def test_middle_third(evidence, n, share):
    assert mid_share(evidence, n) == share


@pytest.mark.parametrize(
    ("prompt", "hard"),
    [
        (HARD, 1), (SOFT, 0), ("仅依据以下资料作答", 1), ("请严格按照参考材料回答", 1),
        ("不要编造内容", 1), ("禁止使用材料以外的知识", 1), ("找不到答案时，回复“材料未提及”。", 1),
        ("回答要简洁、有礼貌。", 0), ("请参考材料，用三句话回答。", 0),
        ("Answer only from the provided context.", 1), ("Do not make up facts.", 1),
        ("If the context does not contain the answer, say you don't know.", 1),
        ("Answer politely using the context.", 0),
    ],
)  # fmt: skip
def test_hard_constraints(prompt, hard):
    values = Facts(prompt=prompt).values(default_rules().constraints)
    assert values["prompt_constraint"] == hard


# -- the map ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "facts", "code"),
    [
        ({"context_recall": 0.2, "context_precision": 0.9}, Facts(), "recall_low"),
        ({"faithfulness": 0.79}, Facts(), "faithfulness_low"),
        ({"faithfulness": 0.9, "answer_correctness": 0.3}, Facts(), "inaccurate_though_faithful"),
        ({"completeness": 0.5}, Facts(), "incomplete"),
        ({"coverage": 0.5}, Facts(), "incomplete"),  # stands in where there is no reference
        ({"answer_relevancy": 0.1}, Facts(), "irrelevant"),
        ({}, Facts(latency_ms=3001), "slow"),
        ({"context_recall": 0.9}, Facts(refusal=True), "refused_with_material"),
    ],
)
def test_every_rule_of_the_map(values, facts, code):
    assert codes(diagnose(values, facts), "map") == [code]


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        ({"context_recall": 0.2, "context_precision": 0.5}, Facts()),
        ({"faithfulness": 0.8}, Facts()),
        ({"completeness": 0.9, "coverage": 0.1}, Facts()),
        ({}, Facts(latency_ms=3000)),
        ({"context_recall": 0.9}, Facts(refusal=False)),
    ],
)
def test_the_map_stays_silent(values, facts):
    assert codes(diagnose(values, facts), "map") == []


def test_all_rules_are_tested():
    reached = {"healthy", "material_wrong", "retrieval_missed", "generation_invented", "both",
               "from_memory", "recall_doubtful", "fix_retrieval", "rerank_and_cut",
               "add_constraint", "lower_temperature", "stronger_model", "recall_low",
               "faithfulness_low", "inaccurate_though_faithful", "incomplete", "irrelevant",
               "slow", "refused_with_material"}  # fmt: skip
    assert {rule.code for rule in default_rules()} == reached


def test_both_languages():
    values = triple(0.2, 0.2, 1.0)
    zh, en = diagnose(values, lang="zh")[0], diagnose(values, lang="en")[0]
    assert "最危险" in zh.title
    assert "Most dangerous" in en.title
    assert zh.figures == en.figures
    with pytest.raises(ConfigError, match="'fr'"):
        diagnose(values, lang="fr")


# -- facts --------------------------------------------------------------------------------------


def evaluated(identity="a", meta=None, **metrics):
    return {"id": identity, "meta": meta or {}, "metrics": {
        name: m if isinstance(m, dict) else {"value": m, "status": "measured"}
        for name, m in metrics.items()}}  # fmt: skip


def verdicts(*ranks):
    return {"value": 0.5, "status": "measured", "details": {"verdicts": [
        {"text": "x", "label": "supported", "evidence": {"context": r}} for r in ranks]}}  # fmt: skip


def test_facts_from_meta_and_evidence():
    row = measured_row(evaluated(
        meta={"context_ids": ["a", "b"], "prompt": " 提示 ", "temperature": "0.7", "latency_ms": 12},
        faithfulness=verdicts(1, 1),
    ))  # fmt: skip
    assert facts_of(row) == Facts(2, (1, 1), " 提示 ", 0.7, 12.0, False)


def test_the_reference_tells_where_the_material_was():
    row = measured_row(evaluated(faithfulness=verdicts(0), context_recall=verdicts(3, 4)))
    facts = facts_of(row, Record("a", "", ("x",) * 6, meta={"temperature": 0.9}))
    assert facts == Facts(6, (3, 4), None, 0.9, None, False)


def test_refusals_and_rubbish():
    row = measured_row(evaluated(
        meta={"prompt": " ", "temperature": True, "latency_ms": "slow", "context_ids": "x"},
        faithfulness={"value": None, "status": "refusal"},
    ))  # fmt: skip
    assert facts_of(row) == Facts(refusal=True)


# -- the set ------------------------------------------------------------------------------------


def test_set_counts_means_and_examples():
    rows = [("a", triple(1, 1, 1), Facts(latency_ms=100)), ("b", triple(1, 1, 1), Facts()),
            ("c", triple(0.2, 0.2, 0.9), Facts(latency_ms=9000)), ("d", {}, Facts())]  # fmt: skip
    whole = diagnose_set(rows, lang="en")
    assert whole.counts["table", "healthy"] == 2
    assert whole.counts["table", "from_memory"] == 1
    assert whole.skipped["table", "(table)"] == 1
    assert whole.means["faithfulness"] == pytest.approx(2.2 / 3)
    assert whole.means["latency_ms"] == 9000  # 95th percentile
    data = whole.to_dict()
    healthy = data["findings"][0]
    assert (healthy["code"], healthy["records"], healthy["share"]) == ("healthy", 2, 0.5)
    assert (healthy["examples"], healthy["not_applicable"]) == (["a", "b"], 1)
    assert {f["code"] for f in data["overall"]} >= {"generation_invented", "slow"}


def test_empty_set():
    data = diagnose_set([]).to_dict()
    assert (data["records"], data["means"], data["overall"]) == (0, {}, [])
    assert data["findings"][0]["share"] is None


# -- rules as data ------------------------------------------------------------------------------

MINE = """
version = 1
[limits]
fluency = 0.5
[[map]]
code = "clumsy"
when = ["fluency low", "meta.x >= -1.5"]
title = { zh = "别扭", en = "Clumsy" }
action = { zh = "改", en = "Fix" }
"""


def test_rules_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + MINE.replace("\n", "\r\n").encode())
    rules = load_rules(path)
    found = diagnose({"fluency": 0.4, "meta.x": -1.5}, rules=rules, lang="en")
    assert [(f.code, f.action) for f in found] == [("clumsy", "Fix")]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version = 1", "version = 2", "version must be 1"),
        ('"fluency low"', '"fluency meagre"', "fluency meagre"),
        ('"fluency low"', '"grace low"', "no 'grace'"),
        ('"fluency low"', "3", "condition 3"),
        ("fluency = 0.5", 'fluency = "x"', "limits.fluency"),
        ('zh = "别扭", ', "", "texts for zh and en"),
        ('code = "clumsy"', 'code = ""', "code must be a name"),
        ('code = "clumsy"', 'code = "clumsy"\nseverity = "awful"', "awful"),
        ('code = "clumsy"', 'code = "clumsy"\nwen = "x"', "unknown key 'wen'"),
        ("[limits]", "[limit]", "unknown key 'limit'"),
        ("[limits]", "[prompt]\nconstraints=['(']\n[limits]", "prompt.constraints"),
        ("[limits]", "[measures]\nx=[]\n[limits]", "measures.x"),
        ('when = ["fluency low", "meta.x >= -1.5"]', "when = []", "needs a condition"),
        ("[limits]", "[limits", "no TOML"),
    ],
)
def test_broken_rules_are_quoted(old, new, says):
    assert old in MINE
    with pytest.raises(ConfigError, match="mine.toml.*" + says.replace("(", r"\(")):
        parse_rules(MINE.replace(old, new), "mine.toml")


def test_a_code_may_not_come_twice():
    with pytest.raises(ConfigError, match="'clumsy' comes twice"):
        parse_rules(MINE + MINE[MINE.index("[[map]]") :])


def test_unreadable_rules(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load_rules(tmp_path / "none.toml")
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        load_rules(tmp_path / "x.toml")


# -- the command --------------------------------------------------------------------------------


def call(*args):
    return CliRunner().invoke(command, [str(a) for a in args])


def write(path, rows):
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


def test_command(tmp_path):
    path = write(tmp_path / "e.jsonl", [evaluated("a", **triple(0.2, 0.2, 1.0)),
                                        evaluated("b", **triple(1, 1, 1))])  # fmt: skip
    records = write(tmp_path / "r.jsonl", [{"id": "a", "answer": "x", "contexts": ["c"] * 12}])
    out, summary = tmp_path / "f.jsonl", tmp_path / "s.json"
    args = (path, "--records", records, "-o", out, "--summary", summary, "--lang", "zh")
    done = call(*args)
    assert done.exit_code == 0, done.output
    assert "最危险" in done.output
    assert "1 rows have no record" in done.output
    a, b = (json.loads(x) for x in out.read_text(encoding="utf-8").splitlines())
    assert [f["code"] for f in a["findings"]] == [
        "from_memory",
        "fix_retrieval",
        "faithfulness_low",
    ]
    assert a["findings"][0]["figures"][0] == {
        "name": "faithfulness", "value": 0.2, "op": "<", "limit": 0.8
    }  # fmt: skip
    assert [f["code"] for f in b["findings"]] == ["healthy"]
    assert {m["code"] for m in b["not_applicable"]} >= {"incomplete", "slow"}
    assert json.loads(summary.read_text(encoding="utf-8"))["records"] == 2
    assert isinstance(call(*args).exception, NliFaithError)
    assert call(*args, "--overwrite").exit_code == 0


def test_command_in_english_and_bad_rows(tmp_path):
    path = write(tmp_path / "e.jsonl", [evaluated("a", **triple(1, 1, 1)), {"id": "b"}])
    done = call(path, "--lang", "en")
    assert done.exit_code == 3
    assert "Healthy" in done.output
    assert f"{path}:2" in done.output


def test_printed_rules_can_be_loaded(tmp_path):
    done = call("--print-rules")
    assert done.exit_code == 0
    (tmp_path / "r.toml").write_bytes(done.stdout_bytes)
    assert len(list(load_rules(tmp_path / "r.toml"))) == len(list(default_rules()))
