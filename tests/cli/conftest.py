"""Runs the command line in this process, on the hand-computable backend unless asked otherwise."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from nli_faith.cli import main
from tests.core.fakes import CharBackend


@dataclass
class Done:
    """What a call left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capfdbinary, monkeypatch):
    """Calls ``nli-faith`` with arguments and, perhaps, bytes on stdin."""

    def call(*args: object, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main([str(a) for a in args])
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return Done(int(exit_.value.code or 0), out.decode(), err.decode())

    return call


@pytest.fixture
def fake(monkeypatch):
    """Replaces the model by the hand-computable backend."""
    monkeypatch.setattr("nli_faith.scorer.load_backend", lambda *_, **__: CharBackend())


RECORDS = [
    {"id": "good", "answer": "电池保修一年。", "contexts": ["整机保修两年。电池保修一年。"]},
    {"id": "bad", "answer": "电池保修一年。门店提供上门取件服务。", "contexts": ["电池保修一年。"]},
    {"id": "none", "answer": "无法确定。", "contexts": ["电池保修一年。"]},
]


@pytest.fixture
def records(tmp_path) -> Path:
    """A file of three records: faithful, half faithful, a refusal."""
    path = tmp_path / "records.jsonl"
    write_jsonl(path, RECORDS)
    return path


def write_jsonl(path: Path, rows) -> None:
    path.write_text(
        "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8"
    )


def read_jsonl(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
