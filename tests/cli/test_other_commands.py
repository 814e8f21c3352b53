"""explain, split, quantities, models, doctor, demo: what they print, and their help."""

from __future__ import annotations

import json
import shutil

import pytest

from nli_faith.cli import cli
from nli_faith.model_hub import bundled_dir

from .conftest import RECORDS

COMMANDS = ["score", "explain", "split", "quantities", "doctor", "demo", "models list",
            "models show", "models verify", "evaluate", "diagnose", "calibrate", "triage",
            "triage-merge", "gate", "guard", "sample", "rephrase", "runs add", "runs list",
            "runs show", "runs compare", "runs trend", "runs delete"]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples(run, command):
    done = run(*command.split(), "--help")
    assert done.code == 0
    assert "Example" in done.out
    assert "nli-faith" in done.out


def test_command_list_is_complete():
    assert sorted(cli.commands) == [
        "bench", "calibrate", "cite", "demo", "diagnose", "doctor", "evaluate", "explain", "gate", "guard",
        "models", "quantities", "rephrase", "report", "review", "runs", "sample", "score", "serve", "split",
        "triage", "triage-merge",
    ]  # fmt: skip


# -- split and quantities --------------------------------------------------------------------


def test_split_json(run):
    text = "根据材料，营收为1.2亿元。还有其他问题吗？"
    done = run("split", text, "--json")
    rows = json.loads(done.out)
    assert [set(r) for r in rows] == [{"text", "start", "end", "kind"}] * 2
    assert [text[r["start"] : r["end"]] for r in rows] == [r["text"] for r in rows]
    assert [r["kind"] for r in rows] == ["claim", "question"]


def test_split_shows_kinds_and_offsets(run):
    done = run("split", "## 标题\n内容一。")
    assert "heading" in done.out
    assert "6:10" in done.out


@pytest.mark.parametrize("text", ["甲。乙。", "甲。\r\n\r\n乙。"])
def test_split_from_stdin_and_file(run, tmp_path, text):
    path = tmp_path / "t.txt"
    path.write_bytes(text.encode())
    a = run("split", "--json", stdin=text.encode())
    b = run("split", "-", "--json", stdin=text.encode())
    c = run("split", "--file", path, "--json")
    assert json.loads(a.out) == json.loads(b.out) == json.loads(c.out)
    assert len(json.loads(a.out)) == 2


def test_split_granularity(run):
    done = run("split", "整机保修两年；电池保修一年。", "--granularity", "clause", "--json")
    assert len(json.loads(done.out)) == 2


def test_unreadable_files_are_named(run, tmp_path):
    path = tmp_path / "gb.txt"
    path.write_bytes("电池保修".encode("gb18030"))
    done = run("split", "--file", path)
    assert (done.code, "gb.txt" in done.err) == (2, True)
    done = run("quantities", "--file", tmp_path / "absent.txt")
    assert (done.code, "absent.txt" in done.err) == (2, True)


def test_quantities_json(run):
    text = "2023年第三季度营收约1.2亿元，同比增长12%"
    rows = json.loads(run("quantities", text, "--json").out)
    assert all(set(r) == {"type", "value", "unit", "op", "approx", "start", "end"} for r in rows)
    money = next(r for r in rows if r["type"] == "money")
    assert (money["value"], money["unit"], money["approx"]) == ("120000000", "CNY", True)
    assert "1.2亿元" in text[money["start"] : money["end"]]
    assert any(r["type"] == "percent" and r["value"] == "12" for r in rows)
    assert "120000000" in run("quantities", text).out


# -- explain ---------------------------------------------------------------------------------


def test_explain_from_options(run, fake):
    done = run(
        "explain", "-a", "电池保修一年。门店提供鲜花。", "-c", "电池保修一年。", "--lang", "zh"
    )
    assert done.code == 0
    assert "有依据" in done.out
    assert "材料未支持" in done.out
    assert "[0:7]" in done.out


def test_explain_from_files_json(run, fake, tmp_path):
    (tmp_path / "a.md").write_text("- 电池保修一年。", encoding="utf-8")
    (tmp_path / "c.md").write_text("电池保修一年。", encoding="utf-8")
    done = run(
        "explain", "--answer-file", tmp_path / "a.md", "--context-file", tmp_path / "c.md", "--json"
    )
    assert json.loads(done.out)["score"] == 1.0


def test_explain_a_record_by_id_or_from_stdin(run, fake, records):
    assert "bad" in run("explain", records, "--id", "bad").out
    one = json.dumps(RECORDS[0]).encode()
    assert "good" in run("explain", "-", stdin=one).out
    done = run("explain", records, "--id", "nobody")
    assert done.code == 2
    assert "'nobody'" in done.err


def test_explain_tells_why_there_is_no_score(run, fake):
    done = run("explain", "-a", "无法确定。", "-c", "电池保修一年。", "--lang", "en")
    assert "not measured (refusal)" in done.out


def test_explain_does_not_read_markup_in_texts(run, fake):
    done = run("explain", "-a", "[bold]电池[/bold]保修[/]一年。", "-c", "[red]电池保修一年。")
    assert done.code == 0
    assert "[bold]电池[/bold]" in done.out


def test_explain_needs_something(run, records):
    assert run("explain", records, "-a", "甲。").code == 2


# -- models and doctor -----------------------------------------------------------------------


def test_models(run):
    assert "bundled" in run("models", "list").out
    shown = json.loads(run("models", "show", "bundled").out)
    assert shown["labels"] == ["entailment", "neutral", "contradiction"]
    assert run("models", "verify", "bundled").out.count("ok") >= 3


def test_a_damaged_model_is_found(run, tmp_path):
    copy = tmp_path / "模型"
    shutil.copytree(bundled_dir(), copy)
    with (copy / "model.onnx").open("r+b") as file:
        file.seek(1000)
        file.write(b"\x00" * 64)
    done = run("models", "verify", copy)
    assert done.code == 2
    assert "sha256" in done.err


def test_models_that_cannot_be_used_are_explained(run, tmp_path):
    copy = tmp_path / "model"
    shutil.copytree(bundled_dir(), copy)
    (copy / "tokenizer.json").unlink()
    done = run("explain", "-a", "甲。", "-c", "乙。", "--model", copy)
    assert (done.code, "tokenizer.json" in done.err) == (2, True)
    done = run("explain", "-a", "甲。", "-c", "乙。", "--model", "nobody/nothing")
    assert (done.code, "nobody/nothing" in done.err) == (2, True)


def test_doctor(run):
    done = run("doctor")
    assert done.code == 0, done.err
    for word in ("nli_faith", "onnxruntime", "providers", "self-test", "bug report"):
        assert word in done.out


# -- demo ------------------------------------------------------------------------------------


def test_demo_explains_the_examples(run):
    done = run("demo", "--lang", "en")
    assert done.code == 0, done.err
    for name in ("travel-policy", "no-answer", "coverage", "evidence"):
        assert name in done.out


def test_demo_records_can_be_scored(run, tmp_path, fake):
    done = run("demo", "--records")
    path = tmp_path / "r.jsonl"
    path.write_text(done.out, encoding="utf-8")
    assert run("score", path, "-o", tmp_path / "o.jsonl").code == 0
