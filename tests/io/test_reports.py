"""Rejects file and manifest."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from nli_faith.errors import OutputError
from nli_faith.io import (
    Reject,
    RejectsWriter,
    manifest_path,
    read_records,
    rejects_path,
    write_manifest,
)

from .support import line

BAD = Reject("in.jsonl", 17, "answer", "missing", '{"x": "\ud800"}')


def test_names() -> None:
    assert rejects_path("a/out.jsonl.gz") == Path("a/out.jsonl.gz.rejects.jsonl")
    assert manifest_path("out.csv") == Path("out.csv.manifest.json")


def test_rejects_appear_with_the_first_and_at_once(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl.rejects.jsonl"
    with RejectsWriter(path) as rejects:
        assert not path.exists()
        rejects(BAD)
        assert json.loads(path.read_bytes()) == {
            "source": "in.jsonl", "line": 17, "field": "answer", "reason": "missing",
            "raw": '{"x": "\ud800"}',
        }  # fmt: skip
        rejects.write(BAD)
    assert path.read_bytes().count(b"\n") == rejects.count == 2


def test_a_run_without_rejects_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "out.rejects.jsonl"
    with RejectsWriter(path):
        pass
    assert not path.exists()
    path.write_text("of an earlier run\n")
    with pytest.raises(ValueError, match="stop"), RejectsWriter(path):
        raise ValueError("stop")
    assert path.exists()  # the run did not get far enough to know
    with RejectsWriter(path):
        pass
    assert not path.exists()
    path.write_text("of an earlier run\n")
    with RejectsWriter(path) as rejects:
        rejects(BAD)
    assert path.read_bytes().count(b"\n") == 1


def test_counting_only() -> None:
    with RejectsWriter(None) as rejects:
        rejects(BAD)
    assert rejects.count == 1


def test_rejects_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="rejects file"):
        RejectsWriter(tmp_path)(BAD)
    with pytest.raises(OutputError, match="rejects file"):
        RejectsWriter(tmp_path / "none" / "x")(BAD)
    if os.path.exists("/dev/full"):
        with pytest.raises(OutputError, match="rejects file"), RejectsWriter("/dev/full") as writer:
            writer(BAD)


def test_from_reader_to_file(tmp_path: Path) -> None:
    source, path = tmp_path / "in.jsonl", tmp_path / "out.rejects.jsonl"
    source.write_bytes(b'{"answer": "a"}\n' + line(answer="a", contexts=[]) + b"{\n")
    with RejectsWriter(path) as rejects:
        assert len(list(read_records(source, on_reject=rejects))) == 1
    rows = [json.loads(row) for row in path.read_bytes().splitlines()]
    assert [(r["source"], r["line"], r["field"], r["raw"]) for r in rows] == [
        (str(source), 1, "contexts", '{"answer": "a"}'), (str(source), 3, None, "{"),
    ]  # fmt: skip


def test_manifest(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl.manifest.json"
    content = {"模型": "m", "mean": float("nan"), "threads": 2}
    assert write_manifest(path, content) == path
    assert json.loads(path.read_bytes()) == {"模型": "m", "mean": None, "threads": 2}
    write_manifest(path, {"new": True})
    assert json.loads(path.read_bytes()) == {"new": True}
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_manifest_that_fails_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.json"
    write_manifest(path, {"old": 1})

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"m\.json: cannot be written: No space left"):
        write_manifest(path, {"new": 1})
    assert json.loads(path.read_bytes()) == {"old": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]
    with pytest.raises(OutputError):
        write_manifest(tmp_path / "none" / "m.json", {})
