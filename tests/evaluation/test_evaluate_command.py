"""``nli-faith evaluate`` as a user calls it."""

from __future__ import annotations

import json

import pytest

from nli_faith.cli import cli
from nli_faith.cli.evaluate import evaluate
from nli_faith.profiles import Profile, save_profile
from tests.cli.conftest import fake, run, write_jsonl  # noqa: F401

cli.add_command(evaluate)

RECORDS = [
    {"id": "a", "question": "电池保修多久？", "answer": "电池保修一年。", "reference": "电池保修一年。",
     "contexts": ["整机保修两年。电池保修一年。"], "relevant_ids": ["d1"], "context_ids": ["d1"],
     "version": "v1", "amount_correct": True},
    {"id": "b", "question": "上限多少？", "answer": "上限是800元。", "reference": "上限是500元。",
     "contexts": ["上限是500元。"], "relevant_ids": ["d1"], "context_ids": ["d2", "d1"],
     "version": "v2", "amount_correct": False},
    {"id": "c", "question": "能退吗？", "answer": "无法确定。", "contexts": ["七天内可退。"],
     "version": "v2"},
]  # fmt: skip
SOME = "faithfulness,context_recall,numeric_accuracy,numeric_exact,mrr,recall@1,readability"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    write_jsonl(path, RECORDS)
    return path


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_table_files_and_groups(run, fake, source, tmp_path):  # noqa: F811
    out, summary = tmp_path / "out.jsonl", tmp_path / "sum.json"
    done = run("evaluate", source, "--metrics", SOME, "-o", out, "--summary", summary,
               "--by", "meta.version", "--lang", "en")  # fmt: skip
    assert done.code == 0, done.err
    assert "95% interval" in done.out
    assert "By meta.version" in done.out
    assert "v2" in done.out
    found = {row["id"]: row["metrics"] for row in rows(out)}
    assert list(found) == ["a", "b", "c"]
    assert found["a"]["faithfulness"]["value"] == 1.0
    assert found["a"]["recall_at_1"]["value"] == 1.0
    assert found["b"]["mrr"]["value"] == 0.5
    assert found["b"]["recall_at_1"]["value"] == 0.0
    assert found["b"]["numeric_exact"]["value"] == 0.0
    assert found["c"]["faithfulness"] == {
        "value": None, "status": "refusal", "reason": "the answer declines to answer",
    }  # fmt: skip
    table = json.loads(summary.read_text(encoding="utf-8"))
    assert table["metrics"]["mrr"]["measured"] == 2
    assert table["metrics"]["mrr"]["mean_on_measured"] == 0.75
    assert table["metrics"]["mrr"]["coverage"] == pytest.approx(2 / 3, abs=1e-6)
    assert table["groups"]["v1"]["mrr"]["mean_on_measured"] == 1.0
    assert table["scorer"]["model"] == "char"
    assert table["interval"]["seed"] == 0
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text(encoding="utf-8"))
    assert manifest["summary"]["rejected"] == 0
    assert rows(out)[0]["scorer"] == manifest["scorer"]


def test_all_metrics_by_default_and_the_same_twice(run, fake, source, tmp_path):  # noqa: F811
    files = [tmp_path / "1.json", tmp_path / "2.json"]
    for file in files:
        done = run("evaluate", source, "--summary", file, "--seed", 7, "--lang", "zh")
        assert done.code == 0, done.err
        assert "均值" in done.out
    one, two = (json.loads(f.read_text(encoding="utf-8")) for f in files)
    assert one == two
    assert set(one["metrics"]) >= {"faithfulness", "coverage", "robustness", "ndcg", "composite"}
    assert one["metrics"]["robustness"]["coverage"] == 0.0


def test_tolerance_k_and_graded(run, fake, source, tmp_path):  # noqa: F811
    out = tmp_path / "out.jsonl"
    done = run("evaluate", source, "--metrics", "numeric_accuracy,mrr,faithfulness", "-o", out,
               "--tolerance", 0.6, "--k", 1, "--graded", "--quiet")  # fmt: skip
    assert (done.code, done.out) == (0, "")
    second = rows(out)[1]["metrics"]
    assert second["numeric_accuracy"]["value"] == 1.0
    assert second["numeric_accuracy"]["details"]["tolerance"] == 0.6
    assert second["mrr"]["value"] == 0.0
    assert second["faithfulness"]["value"] in (0.0, 0.5)


def test_vetoes_bring_their_metrics(run, fake, source, tmp_path):  # noqa: F811
    out = tmp_path / "out.jsonl"
    done = run("evaluate", source, "--metrics", "readability", "-o", out,
               "--veto", "numeric_exact < 1 => cap:0.25",
               "--veto", "meta.amount_correct == false and numeric_exact < 1")  # fmt: skip
    assert done.code == 0, done.err
    found = rows(out)
    assert [list(r["metrics"]) for r in found] == [
        ["readability", "numeric_exact", "composite"]
    ] * 3
    assert [r["metrics"]["composite"]["value"] for r in found] == [1.0, 0.0, 1.0]
    assert "amount_correct" in found[1]["metrics"]["composite"]["reason"]


def test_weights_from_a_file(run, fake, source, tmp_path):  # noqa: F811
    weights, out = tmp_path / "w.json", tmp_path / "out.jsonl"
    weights.write_text('{"readability": 1, "mrr": 3}', encoding="utf-8")
    done = run("evaluate", source, "--metrics", "readability", "--weights", weights, "-o", out)
    assert done.code == 0, done.err
    values = [r["metrics"]["composite"]["value"] for r in rows(out)]
    assert values == [1.0, 0.625, 1.0]


def test_parquet(run, fake, source, tmp_path):  # noqa: F811
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out.parquet"
    assert run("evaluate", source, "--metrics", "mrr,readability", "-o", out).code == 0
    table = parquet.read_table(out)
    assert table.column("mrr").to_pylist() == [1.0, 0.5, None]
    assert run("evaluate", source, "--metrics", "mrr", "-o", out).code == 2
    assert run("evaluate", source, "--metrics", "mrr", "-o", out, "--overwrite").code == 0


def test_bad_rows_are_listed_and_told_by_the_exit_code(run, fake, tmp_path):  # noqa: F811
    path, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    lines = ['{"id": 1, "answer": 5, "contexts": []}', "no json"]
    lines += [json.dumps(r, ensure_ascii=False) for r in RECORDS]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("evaluate", path, "--metrics", "readability", "-o", out)
    assert done.code == 3
    assert "2 rows rejected" in done.out or "2 行被拒绝" in done.out
    rejects = rows(tmp_path / "out.jsonl.rejects.jsonl")
    assert [(r["line"], r["field"]) for r in rejects] == [(1, "answer"), (2, None)]
    assert len(rows(out)) == 3
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text(encoding="utf-8"))
    assert manifest["summary"]["rejected"] == 2
    done = run("evaluate", path, "--metrics", "readability")
    assert done.code == 3
    assert "in.jsonl:1: field 'answer'" in done.err


def test_a_failing_metric_is_told_by_the_exit_code(run, fake, tmp_path):  # noqa: F811
    path = tmp_path / "in.jsonl"
    write_jsonl(path, [RECORDS[0] | {"context_ids": 5}])
    done = run("evaluate", path, "--metrics", "mrr,readability", "--lang", "en")
    assert done.code == 3
    assert "1 records on which a metric failed" in done.out


def test_stdout_and_stdin(run, fake, source):  # noqa: F811
    done = run("evaluate", "-", "--metrics", "readability", "-o", "-", stdin=source.read_bytes())
    assert done.code == 0, done.err
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["a", "b", "c"]
    assert "readability" in done.err
    done = run("evaluate", source, "--metrics", "mrr", "--summary", "-", "--quiet")
    assert json.loads(done.out)["metrics"]["mrr"]["mean_on_measured"] == 0.75


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--metrics", "nonsense"], "there are faithfulness"),
        (["--metrics", ","], "no metric is named"),
        (["--veto", "a b c"], "comparison"),
        (["--tolerance", "1"], "tolerance"),
        (["--weights", "gone.json"], "gone.json"),
        (["--summary", "IN"], "both the input and the summary"),
        (["-o", "IN"], "both the input and the output"),
        (["-o", "out.csv"], "csv"),
        (["--map", "answer"], "answer"),
    ],
)
def test_usage(run, fake, source, args, word):  # noqa: F811
    done = run("evaluate", source, *[str(source) if a == "IN" else a for a in args])
    assert done.code == 2
    assert word in done.err
    assert len(rows(source)) == 3


def test_what_is_there_is_not_replaced(run, fake, source, tmp_path):  # noqa: F811
    summary = tmp_path / "sum.json"
    summary.write_text("old", encoding="utf-8")
    done = run("evaluate", source, "--metrics", "mrr", "--summary", summary)
    assert done.code == 2
    assert summary.read_text(encoding="utf-8") == "old"
    assert (
        run("evaluate", source, "--metrics", "mrr", "--summary", summary, "--overwrite").code == 0
    )
    assert run("evaluate", tmp_path / "gone.jsonl").code == 2


def test_reference_lint(run, tmp_path):  # noqa: F811
    path, out, summary = tmp_path / "g.jsonl", tmp_path / "f.jsonl", tmp_path / "s.json"
    write_jsonl(path, [
        {"id": "a", "question": "保修多久？", "reference": "两年。"},
        {"id": "b", "question": "保修多久?", "reference": "三年。"},
        {"id": "c", "question": "上限？", "reference": "上限是500。"},
    ])  # fmt: skip
    done = run(
        "evaluate", path, "--reference-lint", "-o", out, "--summary", summary, "--lang", "en"
    )
    assert done.code == 1
    assert "error: " in done.out
    assert "g.jsonl:2" in done.out
    checks = [r["check"] for r in rows(out)]
    assert checks[:2] == ["conflicting_duplicate", "number_without_unit"]
    assert "too_few" in checks
    assert json.loads(summary.read_text(encoding="utf-8"))["errors"] == 1


def test_reference_lint_exit_codes(run, tmp_path):  # noqa: F811
    path = tmp_path / "g.jsonl"
    write_jsonl(path, [{"id": "a", "question": "保修多久？", "reference": "两年。"}])
    assert run("evaluate", path, "--reference-lint").code == 0
    with path.open("a", encoding="utf-8") as file:
        file.write("no json\n")
    done = run("evaluate", path, "--reference-lint")
    assert done.code == 3
    assert "g.jsonl:2" in done.err


def test_help_has_examples(run):  # noqa: F811
    done = run("evaluate", "--help")
    assert done.code == 0
    assert "nli-faith evaluate golden.jsonl --reference-lint" in done.out
    assert "Exit codes" in done.out


def test_redact_masks_every_stored_text(run, fake, tmp_path):  # noqa: F811
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    record = {"id": "a", "question": "电话13812345678是谁的？", "answer": "电话13812345678是客服的。",
              "reference": "客服电话是13812345678。", "contexts": ["客服电话13812345678。"],
              "meta": {"mail": "a@b.cn"}}  # fmt: skip
    text = json.dumps(record, ensure_ascii=False)
    source.write_text(f"{text}\n{text[:-1]}\n", encoding="utf-8")
    done = run("evaluate", source, "--metrics", "faithfulness,coverage,context_recall",
               "-o", out, "--redact")  # fmt: skip
    assert done.code == 3, done.err
    stored = out.read_text(encoding="utf-8")
    stored += (tmp_path / "out.jsonl.rejects.jsonl").read_text(encoding="utf-8")
    assert "***********" in stored
    assert "13812345678" not in stored
    assert "a@b.cn" not in stored
    assert rows(out)[0]["id"] == "a"


def test_redact_masks_groups_and_keeps_them_apart(run, fake, tmp_path):  # noqa: F811
    source, out, summary = (tmp_path / n for n in ("in.jsonl", "out.jsonl", "sum.json"))
    agents = ("13812345678", "13912345678", "13812345678", "web")
    lines = [{"id": str(i), "answer": "保修两年。", "contexts": ["保修两年。"], "meta": {"agent": a}}
             for i, a in enumerate(agents)]  # fmt: skip
    source.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = run("evaluate", source, "--metrics", "faithfulness", "--by", "meta.agent",
               "-o", out, "--summary", summary, "--redact")  # fmt: skip
    assert done.code == 0, done.err
    written = [p.read_text(encoding="utf-8") for p in tmp_path.iterdir() if p != source]
    assert not any("13812345678" in text or "13912345678" in text for text in [*written, done.out])
    groups = json.loads(summary.read_text(encoding="utf-8"))["groups"]
    counts = {name: group["faithfulness"]["records"] for name, group in groups.items()}
    assert counts == {"*" * 11: 2, "*" * 11 + " (2)": 1, "web": 1}


def test_a_profile_sets_the_thresholds(run, fake, source, tmp_path):  # noqa: F811
    plain, out = tmp_path / "plain.jsonl", tmp_path / "out.jsonl"
    assert run("evaluate", source, "--metrics", "faithfulness", "-o", plain).code == 0
    scorer = rows(plain)[0]["scorer"]
    profile = Profile("p", scorer["model"], scorer["model_sha256"], 1.0, 1.0)
    save_profile(profile, tmp_path / "p.json")
    done = run("evaluate", source, "--metrics", "faithfulness", "-o", out,
               "--profile", tmp_path / "p.json")  # fmt: skip
    assert done.code == 0, done.err
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text(encoding="utf-8"))
    assert manifest["thresholds"]["support"] == 1.0
    assert rows(out)[0]["scorer"]["config_hash"] != scorer["config_hash"]
    assert profile.id in json.dumps(manifest["thresholds"])
