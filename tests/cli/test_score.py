"""``nli-faith score``: formats, gates, resuming, and what bad input gets."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from .conftest import RECORDS, read_jsonl, write_jsonl

pytestmark = pytest.mark.usefixtures("fake")


def test_scores_a_file_and_sums_up(run, records, tmp_path):
    out = tmp_path / "scored.jsonl"
    done = run("score", records, "-o", out, "--lang", "en")
    assert done.code == 0, done.err
    rows = read_jsonl(out)
    assert [(r["id"], r["status"], r["score"]) for r in rows] == [
        ("good", "scored", 1.0),
        ("bad", "scored", 0.5),
        ("none", "refusal", None),
    ]
    assert "66.7%" in done.out  # coverage
    assert "0.7500" in done.out  # mean on scored
    assert "门店提供上门取件服务" in done.out  # the offending sentence
    assert done.err == ""  # no progress bar in a pipe
    manifest = json.loads((tmp_path / "scored.jsonl.manifest.json").read_text(encoding="utf-8"))
    assert manifest["summary"]["scored"] == 2
    assert manifest["scorer"] == rows[0]["scorer"]
    assert not (tmp_path / "scored.jsonl.rejects.jsonl").exists()


def test_stdin_to_stdout(run, records):
    done = run("score", "-", stdin=records.read_bytes())
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["good", "bad", "none"]
    assert "0.7500" in done.err


def test_csv_with_mapped_columns(run, tmp_path):
    source = tmp_path / "logs.csv"
    source.write_text("nr,reply,docs\n7,电池保修一年。,电池保修一年。\n", encoding="utf-8-sig")
    out = tmp_path / "o.jsonl"
    done = run("score", source, "-o", out, "--map", "answer=reply", "--map", "contexts=docs",
               "--map", "id=nr")  # fmt: skip
    assert done.code == 0, done.err
    assert read_jsonl(out)[0]["id"] == "7"


@pytest.mark.parametrize("name", ["o.jsonl.gz", "o.csv", "o.parquet"])
def test_other_outputs(run, records, tmp_path, name):
    out = tmp_path / name
    assert run("score", records, "-o", out).code == 0
    if name.endswith(".gz"):
        assert len(gzip.decompress(out.read_bytes()).splitlines()) == 3
    elif name.endswith(".csv"):
        assert out.read_text(encoding="utf-8").count("\n") >= 4
    else:
        pq = pytest.importorskip("pyarrow.parquet")
        assert pq.read_table(out).column("id").to_pylist() == ["good", "bad", "none"]


@pytest.mark.parametrize(("gate", "code"), [("0.75", 0), ("0.76", 1)])
def test_gate(run, records, tmp_path, gate, code):
    done = run("score", records, "-o", tmp_path / "o.jsonl", "--fail-under", gate)
    assert done.code == code
    assert ("gate missed" in done.err) == bool(code)


def test_gate_fails_closed_when_nothing_is_scored(run, tmp_path):
    source = tmp_path / "r.jsonl"
    write_jsonl(source, [RECORDS[2]])
    done = run("score", source, "-o", tmp_path / "o.jsonl", "--fail-under", "0.1")
    assert done.code == 1
    assert "nothing was scored" in done.err


def test_threshold_is_taken(run, records, tmp_path):
    out = tmp_path / "o.jsonl"
    assert run("score", records, "-o", out, "--threshold", "0.01").code == 0
    assert read_jsonl(out)[1]["score"] == 1.0


# -- bad rows -----------------------------------------------------------------------------


def test_bad_rows_are_listed_and_good_ones_scored(run, tmp_path):
    source = tmp_path / "r.jsonl"
    lines = [json.dumps(RECORDS[0], ensure_ascii=False)] * 20
    lines[16] = '{"id": 17, "answer": '
    lines[3] = '{"id": 4, "contexts": []}'
    lines[9] = '{"id": 10, "answer": ["a"], "contexts": []}'
    source.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "o.jsonl"
    done = run("score", source, "-o", out)
    assert done.code == 3
    assert len(read_jsonl(out)) == 17
    rejects = {r["line"]: r for r in read_jsonl(tmp_path / "o.jsonl.rejects.jsonl")}
    assert sorted(rejects) == [4, 10, 17]
    assert "invalid JSON" in rejects[17]["reason"]
    assert rejects[4]["field"] == rejects[10]["field"] == "answer"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "empty"), (bytes(range(256)) * 40, "binary"), ("电池".encode("gb18030") * 9, "gb18030")],
)
def test_unusable_files_are_named(run, tmp_path, content, said):
    source = tmp_path / "input.jsonl"
    source.write_bytes(content)
    done = run("score", source, "-o", tmp_path / "o.jsonl")
    assert done.code == 2
    assert "input.jsonl" in done.err
    assert said in done.err.lower()


def test_missing_file(run, tmp_path):
    done = run("score", tmp_path / "absent.jsonl", "-o", tmp_path / "o.jsonl")
    assert done.code == 2
    assert "absent.jsonl" in done.err


@pytest.mark.parametrize(
    "answer",
    ["😀" * 50, "保修\x00一年。", "保修\ud800一年。", "甲" * 200_000, "电池保修一年。" * 2000],
    ids=["emoji", "nul", "surrogate", "200k", "many-sentences"],
)
def test_odd_answers(run, tmp_path, answer):
    source, out = tmp_path / "r.jsonl", tmp_path / "o.jsonl"
    source.write_text(
        json.dumps({"id": "odd", "answer": answer, "contexts": ["电池保修一年。"]}),
        encoding="utf-8",
    )
    done = run("score", source, "-o", out, "--mode", "fast")
    assert done.code == 0, done.err
    row = read_jsonl(out)[0]
    assert row["status"] in ("scored", "no_claims")
    for claim in row["claims"]:
        assert 0 <= claim["start"] < claim["end"] <= len(answer)


def test_500_contexts(run, tmp_path):
    source, out = tmp_path / "r.jsonl", tmp_path / "o.jsonl"
    contexts = [f"第{i}号门店的营业时间为上午九点至晚上八点。" for i in range(500)]
    write_jsonl(source, [{"id": "m", "answer": "第321号门店的营业时间为上午九点至晚上八点。",
                          "contexts": contexts}])  # fmt: skip
    assert run("score", source, "-o", out).code == 0
    claim = read_jsonl(out)[0]["claims"][0]
    assert claim["label"] == "supported"
    assert claim["evidence"]["context"] == 321


# -- outputs -------------------------------------------------------------------------------


def test_output_that_is_a_directory(run, records, tmp_path):
    done = run("score", records, "-o", tmp_path)
    assert done.code == 2
    assert "directory" in done.err


def test_existing_output_is_kept(run, records, tmp_path):
    out = tmp_path / "o.jsonl"
    out.write_text("precious\n", encoding="utf-8")
    done = run("score", records, "-o", out)
    assert done.code == 2
    assert "--resume" in done.err
    assert out.read_text(encoding="utf-8") == "precious\n"
    assert run("score", records, "-o", out, "--overwrite").code == 0
    assert len(read_jsonl(out)) == 3


def test_resume_scores_only_what_is_missing(run, records, tmp_path):
    out = tmp_path / "o.jsonl"
    assert run("score", records, "-o", out).code == 0
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    out.write_bytes(lines[0] + lines[1][:40])  # killed while it wrote the second row
    done = run("score", records, "-o", out, "--resume", "--lang", "en")
    assert done.code == 0, done.err
    assert out.read_bytes() == whole
    assert "half-written" in done.err
    assert "scored by an earlier run" in done.out
    assert "0.7500" in done.out  # of the whole output
    again = run("score", records, "-o", out, "--resume", "--fail-under", "0.75")
    assert again.code == 0, again.err  # nothing left to do, and the gate still knows the mean


def test_resume_refuses_another_configuration(run, records, tmp_path):
    out = tmp_path / "o.jsonl"
    run("score", records, "-o", out)
    before = out.read_bytes()
    done = run("score", records, "-o", out, "--resume", "--mode", "fast")
    assert done.code == 2
    assert "configuration" in done.err
    assert out.read_bytes() == before


def test_full_disk_keeps_what_is_written(run, tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full, which this system lacks")
    source = tmp_path / "r.jsonl"
    write_jsonl(source, RECORDS * 50)
    done = run("score", source, "-o", "/dev/full", "--quiet")
    assert done.code == 4
    assert "space" in done.err


def test_cache_gives_the_same_rows(run, records, tmp_path):
    cache = tmp_path / "pairs.sqlite"
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    assert run("score", records, "-o", first, "--cache", cache).code == 0
    assert run("score", records, "-o", second, "--cache", cache).code == 0
    assert first.read_bytes() == second.read_bytes()
    manifest = json.loads((tmp_path / "b.jsonl.manifest.json").read_text(encoding="utf-8"))
    assert manifest["pairs"]["run"] == 0 < manifest["pairs"]["cached"]


@pytest.mark.parametrize(
    "args",
    [
        ("--resume", "--overwrite"), ("--top-k", "0"), ("--threshold", "1.5"), ("--map", "answer"),
        ("--mode", "quick"), ("--nonsense",),
    ],
)  # fmt: skip
def test_wrong_calls(run, records, tmp_path, args):
    done = run("score", records, "-o", tmp_path / "o.jsonl", *args)
    assert done.code == 2
    assert done.err
    assert not (tmp_path / "o.jsonl").exists()


# -- processes: interruption and two runs at once -------------------------------------------

SLOW = """
import time, sys
from tests.core.fakes import CharBackend
import nli_faith.scorer as s
class Slow(CharBackend):
    def predict_proba(self, batch):
        time.sleep(0.05)
        return super().predict_proba(batch)
s.load_backend = lambda *a, **k: Slow()
from nli_faith.cli import main
main(sys.argv[1:])
"""


def start(*args):
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, *map(str, args)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, cwd=os.getcwd(),
    )  # fmt: skip


@pytest.fixture
def many(tmp_path):
    source = tmp_path / "many.jsonl"
    write_jsonl(source, [
        {"id": f"r{i}", "answer": f"第{i}号门店的电池保修一年。",
         "contexts": [f"第{i}号门店的电池保修一年，整机保修两年。"]} for i in range(1500)
    ])  # fmt: skip
    return source


def wait_for_rows(path, n, process):
    for _ in range(600):
        if path.exists() and path.read_bytes().count(b"\n") >= n:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("no rows")


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_run_goes_on(run, many, tmp_path, sig):
    out = tmp_path / "o.jsonl"
    process = start("score", many, "-o", out, "--quiet")
    wait_for_rows(out, 100, process)
    process.send_signal(sig)
    _, err = process.communicate(timeout=60)
    if sig == signal.SIGINT:
        assert process.returncode == 130
        assert b"interrupted" in err
        assert b"Traceback" not in err
    done = run("score", many, "-o", out, "--resume", "--quiet")
    assert done.code == 0, done.err
    ids = [r["id"] for r in read_jsonl(out)]
    assert sorted(ids) == sorted(f"r{i}" for i in range(1500))


def test_two_runs_on_one_output(run, many, tmp_path):
    out = tmp_path / "o.jsonl"
    process = start("score", many, "-o", out, "--quiet")
    try:
        wait_for_rows(out, 1, process)
        done = run("score", many, "-o", out, "--resume", "--quiet")
        assert done.code == 4
        assert str(process.pid) in done.err
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_progress_on_a_terminal_only(many, tmp_path):
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal, which this system lacks")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, "score", str(many), "-o", str(tmp_path / "o.jsonl")],
        stdout=subprocess.PIPE, stderr=slave, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(slave)
    seen = b""
    try:
        while b"/1500" not in seen or b"/s" not in seen:
            seen += os.read(master, 4096)
    finally:
        process.kill()
        process.communicate()
        os.close(master)
    assert b"scoring" in seen


@pytest.mark.parametrize("clash", ["rejects", "output"])
def test_no_output_overwrites_the_input(run, records, tmp_path, clash):
    before = records.read_bytes()
    args = {
        "rejects": ("-o", tmp_path / "o.jsonl", "--rejects", records),
        "output": ("-o", records, "--overwrite"),
    }[clash]
    done = run("score", records, *args)
    assert done.code == 2
    assert "input" in done.err
    assert records.read_bytes() == before


def test_the_rejects_of_a_run_can_be_the_input_of_the_next(run, records, tmp_path):
    source = tmp_path / "o.jsonl.rejects.jsonl"
    source.write_bytes(records.read_bytes())
    done = run("score", source, "-o", tmp_path / "o.jsonl")
    assert done.code == 2
    assert source.read_bytes() == records.read_bytes()


@pytest.mark.parametrize("content", [None, b"", bytes(range(256)) * 40])
def test_an_unusable_input_leaves_no_output(run, tmp_path, content):
    source, out = tmp_path / "in.jsonl", tmp_path / "o.jsonl"
    if content is not None:
        source.write_bytes(content)
    assert run("score", source, "-o", out).code == 2
    assert not out.exists()


def test_rows_before_a_broken_end_are_scored(run, many, tmp_path):
    source, out = tmp_path / "cut.jsonl.gz", tmp_path / "o.jsonl"
    source.write_bytes(gzip.compress(many.read_bytes())[:-3000])
    done = run("score", source, "-o", out, "--quiet")
    assert done.code == 2
    assert "cut.jsonl.gz" in done.err
    rows = read_jsonl(out)
    assert len(rows) > 100
    assert len(rows) % 128  # not whole chunks only


def test_compressed_rows_survive_a_kill(run, many, tmp_path):
    out = tmp_path / "o.jsonl.gz"
    process = start("score", many, "-o", out, "--quiet")
    for _ in range(600):
        if out.exists() and out.stat().st_size > 0:
            break
        time.sleep(0.05)
    process.kill()
    process.communicate()
    kept = gzip.decompress(out.read_bytes()).splitlines()
    assert len(kept) >= 128
    assert run("score", many, "-o", out, "--resume", "--quiet").code == 0
    assert len(gzip.decompress(out.read_bytes()).splitlines()) == 1500


def test_resuming_rows_without_ids_is_warned_of(run, tmp_path):
    source, out = tmp_path / "r.jsonl", tmp_path / "o.jsonl"
    write_jsonl(source, [{k: v for k, v in r.items() if k != "id"} for r in RECORDS])
    run("score", source, "-o", out)
    done = run("score", source, "-o", out, "--resume")
    assert done.code == 0
    assert "position" in done.err


def test_a_damaged_cache_is_named(run, records, tmp_path):
    cache = tmp_path / "pairs.sqlite"
    cache.write_bytes(b"not a database" * 100)
    done = run("score", records, "-o", tmp_path / "o.jsonl", "--cache", cache)
    assert done.code == 2
    assert "pairs.sqlite" in done.err


def test_a_bug_is_not_a_missed_gate(run, records, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("surprise")

    monkeypatch.setattr("nli_faith.scorer.load_backend", broken)
    done = run("score", records, "-o", tmp_path / "o.jsonl")
    assert done.code == 4
    assert "surprise" in done.err
    assert "bug" in done.err
