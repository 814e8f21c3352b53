"""`score` with folders and remote paths: the files of a local run, or a refusal that says why."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import write_jsonl

fsspec = pytest.importorskip("fsspec", reason="the extra 'remote' is not installed")
FAST = ("--mode", "fast", "--threads", "1", "--quiet")
OUT = "memory://bucket/day/scored.jsonl"


@pytest.fixture(autouse=True)
def memory():
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


@pytest.fixture
def source(tmp_path) -> Path:
    path = tmp_path / "in.jsonl"
    write_jsonl(
        path,
        [{"id": f"r{n}", "answer": f"保修{n}年。", "contexts": ["保修两年。"]} for n in range(4)],
    )
    with path.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    return path


def test_a_remote_run_leaves_the_files_of_a_local_one(run, source, tmp_path, memory):
    local = tmp_path / "scored.jsonl"
    assert run("score", source, "-o", local, *FAST).code == 3
    memory.pipe("/in/in.jsonl", source.read_bytes())
    assert run("score", "memory://in/in.jsonl", "-o", OUT, *FAST).code == 3
    path = "/bucket/day/scored.jsonl"
    assert sorted(memory.find("/bucket")) == [
        path, f"{path}.manifest.json", f"{path}.rejects.jsonl",
    ]  # fmt: skip
    assert memory.cat(path) == local.read_bytes()
    rejected = json.loads(memory.cat(f"{path}.rejects.jsonl"))
    assert (rejected["source"], rejected["line"]) == ("memory://in/in.jsonl", 5)
    manifest = json.loads(memory.cat(f"{path}.manifest.json"))
    assert (manifest["source"], manifest["output"]) == ("memory://in/in.jsonl", OUT)
    assert manifest["summary"]["records"] == 4


def test_a_folder_in_and_parquet_out(run, source, tmp_path, memory):
    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    for day in ("1", "2"):
        (tmp_path / "log" / f"day={day}").mkdir(parents=True)
        rows = pa.table({"answer": ["保修两年。"], "contexts": [["保修两年。"]]})
        pq.write_table(rows, tmp_path / "log" / f"day={day}" / "part-0.parquet")
    out = "memory://bucket/scored.parquet"
    assert run("score", tmp_path / "log", "-o", out, *FAST).code == 0
    found = pq.read_table(memory.open("/bucket/scored.parquet")).to_pylist()
    assert [row["status"] for row in found] == ["scored", "scored"]
    assert "day" in str(found[0]["meta"])


def test_a_run_that_cannot_begin_uploads_nothing(run, source, memory):
    assert run("score", source, "-o", OUT, *FAST, "--model", "/nowhere").code == 2
    assert not memory.store


def test_a_run_that_fails_on_the_way_uploads_nothing(run, source, memory):
    cut = gzip.compress(source.read_bytes() * 400)[:-20]
    memory.pipe("/in/cut.jsonl.gz", cut)
    done = run("score", "memory://in/cut.jsonl.gz", "-o", OUT, *FAST)
    assert done.code == 2
    assert "memory://in/cut.jsonl.gz" in done.err
    assert list(memory.store) == ["/in/cut.jsonl.gz"]


def test_an_output_that_is_there_is_safe(run, source, memory):
    memory.pipe("/bucket/day/scored.jsonl", b"old")
    done = run("score", source, "-o", OUT, *FAST)
    assert done.code == 2
    assert f"{OUT}: exists already: pass --overwrite" in done.err
    assert dict(memory.store).keys() == {"/bucket/day/scored.jsonl"}
    assert run("score", source, "-o", OUT, "--overwrite", *FAST).code == 3
    assert memory.cat("/bucket/day/scored.jsonl").startswith(b'{"id":"r0"')


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("in.jsonl", "-o", OUT, "--resume"), "cannot be resumed"),
        (("in.jsonl", "-o", OUT, "--rejects", "memory://b/r.jsonl"), "beside it or to a local"),
        (("memory://b/x.jsonl", "-o", "memory://b/x.jsonl", "--overwrite"), "both the input"),
        (("log", "-o", "log/new.parquet"), "lies in the folder log"),
        (("memory://b/log/", "-o", "memory://b/log/day=1/x.pq"), "lies in the folder memory://b"),
        (("in.jsonl", "-o", "memory://b/folder/"), "names no file"),
        (("in.jsonl", "-o", "nosuch://b/x.jsonl"), "nosuch"),
        (("memory://b/none.jsonl", "-o", "out.jsonl"), "memory://b/none.jsonl: no such file"),
    ],
)
def test_what_does_not_go_is_refused_by_name(run, source, monkeypatch, memory, arguments, said):
    monkeypatch.chdir(source.parent)
    (source.parent / "log").mkdir()
    done = run("score", *arguments, *FAST)
    assert done.code == 2, done.err
    assert said in done.err
    assert not memory.store


def test_a_shard_of_a_remote_input(run, source, memory):
    memory.pipe("/in/in.jsonl", source.read_bytes())
    ids: list[str] = []
    for part in (1, 2):
        out = f"memory://out/part-{part}.jsonl"
        done = run("score", "memory://in/in.jsonl", "-o", out, "--shard", f"{part}/2", *FAST)
        assert done.code in (0, 3)
        lines = memory.cat(f"/out/part-{part}.jsonl").splitlines()
        ids += [json.loads(line)["id"] for line in lines]
    assert sorted(ids) == ["r0", "r1", "r2", "r3"]
