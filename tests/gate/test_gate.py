"""The gate: exact verdicts, noise, failing closed, reports, and the command with its exit codes."""

from __future__ import annotations

import json
import math
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from nli_faith.bootstrap import (
    mean_bounds,
    paired_difference,
    resampled_means,
    two_sided,
    unpaired_difference,
)
from nli_faith.cli.gate import gate
from nli_faith.errors import ConfigError, InputError, NliFaithError, RecordError
from nli_faith.gate import GateRules, MeasureTable, junit_xml, markdown, run_gate
from nli_faith.measures import MeasuredRow, measured_row, read_measured


def table(scores, name="now", prefix="r", bad=()):
    rows = [
        MeasuredRow(f"{prefix}{i}", {} if s is None else {"faithfulness": s},
                    label_counts={"supported": 1, "contradicted": int(i in bad), "unsupported": 0})
        for i, s in enumerate(scores)
    ]  # fmt: skip
    return MeasureTable.of(rows, name)


def by_name(report):
    return {c.name: c for c in report.checks}


# -- levels -----------------------------------------------------------------------------------


def test_min_holds_the_mean_on_measured():
    report = run_gate(table([1.0, 0.5, None, 0.9]), GateRules({"faithfulness": 0.8}))
    check = by_name(report)["min faithfulness"]
    assert check.value == pytest.approx(0.8)
    assert check.passed  # 0.8 >= 0.8, though the float sum falls an ulp short
    assert check.n == 3
    assert by_name(report)["coverage faithfulness"].value == 0.75
    assert report.passed


def test_min_missed():
    assert not run_gate(table([1.0, 0.5, 0.89]), GateRules({"faithfulness": 0.8})).passed


def test_strict_holds_the_lower_bound():
    scores = [1.0] * 90 + [0.0] * 10
    assert run_gate(table(scores), GateRules({"faithfulness": 0.88})).passed
    strict = run_gate(table(scores), GateRules({"faithfulness": 0.88}, strict=True))
    check = by_name(strict)["min faithfulness"]
    assert not check.passed
    # The 5% quantile of a binomial(100, 0.9) is 85.
    assert check.bound == pytest.approx(0.85, abs=0.011)


def test_max_for_contradiction_rate():
    rows = [measured_row(scored("a", 0.5, 1, 1, 0)), measured_row(scored("b", 1.0, 2, 0, 0))]
    now = MeasureTable.of(rows)
    assert now.measured("contradiction_rate").tolist() == [0.5, 0.0]
    assert run_gate(now, GateRules(maximum={"contradiction_rate": 0.25})).passed
    assert not run_gate(now, GateRules(maximum={"contradiction_rate": 0.2})).passed


# -- failing closed -----------------------------------------------------------------------------


def test_no_rows_fail():
    report = run_gate(table([]), GateRules({"faithfulness": 0.0}))
    assert not report.passed
    assert [c.passed for c in report.checks] == [False, False, False]


def test_nothing_scored_fails():
    report = run_gate(table([None, None]), GateRules({"faithfulness": 0.0}))
    assert not report.passed
    assert (
        "no row has the measure 'faithfulness'" in by_name(report)["coverage faithfulness"].message
    )


def test_low_coverage_fails_although_the_mean_is_fine():
    report = run_gate(table([1.0, None, None]), GateRules({"faithfulness": 0.9}))
    assert [c.name for c in report.checks if not c.passed] == ["coverage faithfulness"]
    lenient = GateRules({"faithfulness": 0.9}, min_coverage=0.3)
    assert run_gate(table([1.0, None, None]), lenient).passed


def test_unknown_measure_fails_and_lists_what_there_is():
    report = run_gate(table([1.0]), GateRules({"fluency": 0.1}))
    assert not report.passed
    assert "there are: faithfulness" in report.checks[1].message


def test_rejected_rows_of_the_manifest_lower_coverage(tmp_path):
    path = tmp_path / "s.jsonl"
    write(path, [scored("a", 1.0, 1, 0, 0)])
    (tmp_path / "s.jsonl.manifest.json").write_text('{"summary": {"rejected": 3}}')
    report = run_gate(MeasureTable.load(path), GateRules({"faithfulness": 0.5}))
    assert by_name(report)["coverage faithfulness"].value == 0.25
    assert not report.passed


def test_a_gate_without_a_rule_is_refused():
    with pytest.raises(ConfigError, match="without a rule"):
        GateRules()


@pytest.mark.parametrize("bad", [{"minimum": {"f": 1.2}}, {"max_drop": {"f": -0.1}},
                                 {"minimum": {"f": math.nan}}, {"minimum": {"f": 1}, "confidence": 0.4}])  # fmt: skip
def test_limits_out_of_range(bad):
    with pytest.raises(ConfigError):
        GateRules(**bad)


# -- drops --------------------------------------------------------------------------------------


def test_paired_drop_is_exact_when_every_record_drops_alike():
    now, before = table([0.5, 0.6, 0.7]), table([0.6, 0.7, 0.8], "before")
    report = run_gate(now, GateRules(max_drop={"faithfulness": 0.05}), before)
    check = by_name(report)["max-drop faithfulness"]
    assert check.value == pytest.approx(0.1)
    assert check.bound == pytest.approx(0.1)  # all differences are -0.1: no noise at all
    assert not check.passed
    assert run_gate(now, GateRules(max_drop={"faithfulness": 0.1}), before).passed


def test_noise_does_not_fail_a_build():
    rng = np.random.default_rng(3)
    base = rng.choice([0.0, 0.5, 1.0], 60, p=[0.2, 0.2, 0.6])
    now = base.copy()
    worse = np.flatnonzero(base == 1.0)[:8]
    better = np.flatnonzero(base == 0.0)[:4]
    now[worse], now[better] = 0.0, 1.0
    report = run_gate(table(now), GateRules(max_drop={"faithfulness": 0.03}), table(base, "before"))
    check = by_name(report)["max-drop faithfulness"]
    assert check.value == pytest.approx(4 / 60)  # more than 0.03, but within noise
    assert check.bound < 0.03
    assert check.passed


def test_unpaired_where_ids_differ_and_says_so():
    now, before = table([1.0, 0.0] * 30, prefix="x"), table([1.0, 0.9] * 30, "before")
    report = run_gate(now, GateRules(max_drop={"faithfulness": 0.1}), before)
    assert not report.passed
    assert any("not paired" in n for n in report.notes)


def test_duplicate_ids_are_not_paired():
    now = MeasureTable.of([MeasuredRow("a", {"faithfulness": 1.0})] * 2)
    report = run_gate(now, GateRules(max_drop={"faithfulness": 0.1}), table([1.0], "b", "a"))
    assert any("come twice" in n for n in report.notes)


def test_partial_match_says_how_many():
    report = run_gate(
        table([1.0] * 30), GateRules(max_drop={"faithfulness": 0.1}), table([1.0] * 40, "b")
    )
    assert any("compared on 30 records" in n for n in report.notes)


def test_fallen_coverage_is_remarked_on():
    now = table([1.0] * 30 + [None] * 10)
    report = run_gate(now, GateRules(max_drop={"faithfulness": 0.1}), table([1.0] * 40, "b"))
    assert any("coverage fell from 100.0% to 75.0%" in n for n in report.notes)


def test_drop_of_contradiction_rate_is_a_rise():
    now = MeasureTable.of([measured_row(scored(f"r{i}", 0.5, 1, 1, 0)) for i in range(30)])
    before = MeasureTable.of([measured_row(scored(f"r{i}", 1.0, 2, 0, 0)) for i in range(30)])
    rules = GateRules(max_drop={"contradiction_rate": 0.1})
    assert not run_gate(now, rules, before).passed
    assert run_gate(before, rules, now).passed


def test_new_contradictions_by_id():
    before = table([1.0] * 5, "before", bad={0})
    rules = GateRules(max_new_contradicted=0)
    assert run_gate(table([1.0] * 5, bad={0}), rules, before).passed
    report = run_gate(table([1.0] * 5, bad={0, 3}), rules, before)
    assert by_name(report)["max-new-contradicted"].value == 1
    assert not report.passed
    # Nothing known of the claims' labels: fail closed.
    bare = MeasureTable.of([MeasuredRow("r0", {"faithfulness": 1.0})])
    assert not run_gate(bare, rules, before).passed


def test_a_baseline_is_needed():
    with pytest.raises(ConfigError, match="baseline"):
        run_gate(table([1.0]), GateRules(max_drop={"faithfulness": 0.1}))


def test_another_model_is_remarked_on():
    info = {"model_sha256": "a", "config_hash": "1"}
    a = MeasureTable.of([MeasuredRow("r0", {"faithfulness": 1.0}, scorer=info)])
    b = MeasureTable.of(
        [MeasuredRow("r0", {"faithfulness": 1.0}, scorer=info | {"config_hash": "2"})]
    )
    report = run_gate(a, GateRules(max_drop={"faithfulness": 0.1}), b)
    assert any("different models or configurations" in n for n in report.notes)


# -- the bootstrap ------------------------------------------------------------------------------


def test_bootstrap_of_constants_has_no_width():
    assert set(resampled_means(np.full(7, 0.25), resamples=50)) == {0.25}


def test_equal_values_are_no_certainty():
    five = np.ones(5)
    assert mean_bounds(five) == pytest.approx((0.025 ** (1 / 5), 1.0))  # Clopper-Pearson, 5 of 5
    assert mean_bounds(five, sides=1) == pytest.approx((0.05 ** (1 / 5), 1.0))
    assert mean_bounds(np.zeros(5)) == pytest.approx((0.0, 1 - 0.025 ** (1 / 5)))
    table = MeasureTable.of(MeasuredRow(f"r{i}", {"faithfulness": 1.0}) for i in range(5))
    rules = {"minimum": {"faithfulness": 0.9}}
    assert run_gate(table, GateRules(**rules)).passed
    assert not run_gate(table, GateRules(**rules, strict=True)).passed


@pytest.mark.parametrize(("n", "share"), [(10, 0.85), (20, 0.95), (50, 0.95), (50, 0.5)])
def test_intervals_hold_the_true_mean(n, share):
    rng = np.random.default_rng(7)
    held = 0
    for trial in range(300):
        low, high = mean_bounds((rng.random(n) < share).astype(float), seed=trial, resamples=500)
        held += low <= share <= high
    assert held / 300 > 0.9


def test_bootstrap_agrees_with_the_normal_limit():
    values = np.array([0.0, 1.0] * 200)
    low, high = two_sided(resampled_means(values, resamples=4000, seed=1), 0.95)
    half = 1.96 * 0.5 / math.sqrt(400)
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.006)


def test_many_distinct_values_take_the_limit():
    values = np.random.default_rng(0).random(60_000)
    low, high = two_sided(resampled_means(values), 0.95)
    half = 1.96 * values.std() / math.sqrt(values.size)
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=half / 8)


def test_bootstrap_is_reproducible():
    values = np.array([0.0, 0.3, 1.0, 1.0])
    assert (resampled_means(values, seed=5) == resampled_means(values, seed=5)).all()
    assert (resampled_means(values, seed=5) != resampled_means(values, seed=6)).any()


def test_pairing_narrows_the_interval():
    rng = np.random.default_rng(0)
    before = rng.random(100)
    now = before - 0.05
    paired, loose = paired_difference(now, before), unpaired_difference(now, before)
    assert paired.value == pytest.approx(loose.value)
    assert paired.high - paired.low < 1e-9 < 0.05 < loose.high - loose.low


@pytest.mark.parametrize("values", [np.empty(0), np.array([1.0, math.nan])])
def test_bootstrap_refuses(values):
    with pytest.raises(ConfigError):
        resampled_means(values)


# -- reading ------------------------------------------------------------------------------------


def scored(identity, score, s, c, u):
    return {"id": identity, "status": "scored" if score is not None else "refusal", "score": score,
            "label_counts": {"supported": s, "contradicted": c, "unsupported": u}, "claims": [],
            "meta": {}}  # fmt: skip


def evaluated(identity, **values):
    return {"id": identity, "meta": {}, "metrics": {
        name: {"value": v, "status": "measured" if v is not None else "missing_field"}
        for name, v in values.items()}}  # fmt: skip


def write(path, rows):
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


def test_reads_both_kinds(tmp_path):
    path = write(tmp_path / "x.jsonl", [
        scored("a", 0.75, 3, 1, 0), scored("b", None, 0, 0, 0),
        evaluated("c", faithfulness=0.5, context_recall=None),
    ])  # fmt: skip
    a, b, c = read_measured(path)
    assert a.values == {"faithfulness": 0.75, "contradiction_rate": 0.25}
    assert (b.values, b.absent, b.status) == ({}, {"faithfulness": "refusal"}, "refusal")
    assert c.values == {"faithfulness": 0.5}
    assert c.absent == {"context_recall": "missing_field"}
    assert c.source == f"{path}:3"


@pytest.mark.parametrize(
    ("line", "field", "says"),
    [
        (b'{"id": "a", "status": "scored", "score": 1.5}', "score", "1.5"),
        (b'{"id": "a", "status": "scored", "score": true}', "score", "True"),
        (b'{"id": 7, "status": "scored", "score": 1}', "id", "7"),
        (b'{"id": "a", "answer": "x"}', None, "neither metrics"),
        (b'{"id": "a", "metrics": {"m": {"value": "high"}}}', "metrics.m", "high"),
        (b"[1]", None, "object"),
        (b'{"id": ', None, "JSON"),
        (b'{"id": "\xff"}', None, "UTF-8"),
    ],
)
def test_bad_rows_name_line_and_field(tmp_path, line, field, says):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"id": "ok", "status": "scored", "score": 1}\n\n' + line + b"\n")
    with pytest.raises(RecordError) as caught:
        list(read_measured(path))
    assert caught.value.location == f"{path}:3"
    assert caught.value.field == field
    assert says in str(caught.value)


def test_byte_order_mark_and_empty_file(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(scored("a", 1.0, 1, 0, 0)).encode())
    assert [r.id for r in read_measured(path)] == ["a"]
    path.write_bytes(b"")
    assert list(read_measured(path)) == []


def test_parquet_is_refused_in_words(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1" + b"\0" * 50)
    with pytest.raises(InputError, match="Parquet"):
        list(read_measured(path))


# -- reports ------------------------------------------------------------------------------------


def nasty_report():
    now = table([0.5], "a<b>&\"'|`\x00\ud800.jsonl")
    return run_gate(now, GateRules({"faithfulness": 0.9, "<script>|": 0.1}))


def test_junit_is_escaped_and_counts():
    xml = junit_xml(nasty_report())
    root = ElementTree.fromstring(xml)
    suite = root.find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("5", "3")
    names = [case.get("name") for case in suite.iter("testcase")]
    assert "min <script>|" in names
    assert len(list(suite.iter("failure"))) == 3
    source = next(p for p in suite.iter("property") if p.get("name") == "source")
    assert source.get("value") == "a<b>&\"'|`\ufffd\ufffd.jsonl"


def test_markdown_cells_cannot_break_out():
    text = markdown(nasty_report())
    assert "❌ failed" in text
    assert "<script>" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {8}


# -- the command --------------------------------------------------------------------------------


def call(*args):
    return CliRunner().invoke(gate, [str(a) for a in args])


def test_exit_codes(tmp_path):
    path = write(tmp_path / "x.jsonl", [scored("a", 0.9, 9, 1, 0)])
    assert call(path, "--min", "faithfulness=0.85").exit_code == 0
    failed = call(path, "--min", "faithfulness=0.95")
    assert failed.exit_code == 1
    assert "gate missed: min faithfulness" in failed.output
    assert call(path).exception is not None
    assert call(path, "--max-drop", "faithfulness=0.1").exit_code == 2
    assert isinstance(call(path, "--min", "faithfulness").exception, ConfigError)
    assert isinstance(call(path, "--min", "f=1", "--min", "f=0").exception, ConfigError)
    assert isinstance(call(tmp_path / "no", "--min", "f=1").exception, InputError)


def test_empty_file_is_red(tmp_path):
    path = tmp_path / "x.jsonl"
    path.touch()
    assert call(path, "--min", "faithfulness=0").exit_code == 1


def test_reports_are_written_and_not_replaced(tmp_path, monkeypatch):
    path = write(tmp_path / "x.jsonl", [scored("a", 0.9, 9, 1, 0)])
    junit, md, summary = tmp_path / "g.xml", tmp_path / "g.md", tmp_path / "sum.md"
    args = (path, "--min", "faithfulness=0.5", "--junit", junit, "--markdown", md)
    assert call(*args).exit_code == 0
    assert ElementTree.parse(junit).getroot().tag == "testsuites"
    assert md.read_text(encoding="utf-8").startswith("### nli-faith gate: ✅ passed")
    assert isinstance(call(*args).exception, NliFaithError)
    assert call(*args, "--overwrite").exit_code == 0
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert call(*args, "--overwrite").exit_code == 0
    assert not summary.exists()  # only when asked
    for _ in range(2):
        assert call(*args, "--overwrite", "--github-summary").exit_code == 0
    assert summary.read_text(encoding="utf-8").count("### nli-faith gate") == 2


def test_never_over_an_input(tmp_path):
    path = write(tmp_path / "x.jsonl", [scored("a", 0.9, 9, 1, 0)])
    done = call(path, "--min", "faithfulness=0.5", "--junit", path, "--overwrite")
    assert isinstance(done.exception, NliFaithError)
    assert json.loads(path.read_text())["id"] == "a"


def test_markdown_and_json_to_stdout(tmp_path):
    path = write(tmp_path / "x.jsonl", [scored("a", 0.9, 9, 1, 0)])
    done = call(path, "--min", "faithfulness=0.5", "--markdown", "-")
    assert done.output.startswith("### nli-faith gate")
    done = CliRunner().invoke(gate, [str(path), "--min", "faithfulness=0.5", "--json", "-"])
    assert json.loads(done.stdout)["passed"] is True


def test_a_count_as_a_limit_can_be_shown(tmp_path):
    path = write(tmp_path / "x.jsonl", [scored("a", 0.9, 9, 1, 0)])
    last = write(tmp_path / "last.jsonl", [scored("a", 0.9, 9, 1, 0)])
    done = call(path, "--baseline", last, "--max-new-contradicted", "0")
    assert done.exit_code == 0, done.output
    assert "PASS  0 records hold a contradicted claim that held none" in done.output
