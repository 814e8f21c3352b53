"""Going on behind what an earlier run wrote."""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from nli_faith.errors import (
    ConfigError,
    OutputError,
    OutputLockedError,
    ResumeMismatchError,
)
from nli_faith.io import OutputLock, ResultWriter, ResumeState, dumps

from .support import KEYS, SCORER, lines_of, result
from .test_writers import UNPACK


def load(path: Path, **options: Any) -> ResumeState:
    return ResumeState.load(path, **{**KEYS, **options})


def go_on(path: Path, ids: list[str]) -> ResumeState:
    """A run over ``ids`` that resumes."""
    state = load(path)
    with ResultWriter(path, resume=state) as writer:
        for record_id in ids:
            if not state.skip(record_id):
                writer.write(result(0, id=record_id))
    return state


def ids_of(path: Path) -> list[str]:
    raw = UNPACK[path.suffix if path.suffix in UNPACK else ""](path.read_bytes())
    assert not raw or raw.endswith(b"\n")
    return [json.loads(row)["id"] for row in raw.splitlines()]


ALL = [f"r{i}" for i in range(50)]


@pytest.mark.parametrize("pack", UNPACK)
@pytest.mark.parametrize("done", [0, 1, 20, 50])
def test_resume(tmp_path: Path, pack: str, done: int) -> None:
    path = tmp_path / f"out.jsonl{pack}"
    with ResultWriter(path) as writer:
        for record_id in ALL[:done]:
            writer.write(result(0, id=record_id))
            writer.flush()
    state = go_on(path, ALL)
    assert ids_of(path) == ALL
    assert state.rows == done
    assert state.notes == []
    assert go_on(path, ALL).rows == 50
    assert ids_of(path) == ALL


def test_resume_without_an_output_is_a_new_run(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    assert go_on(path, ALL[:3]).rows == 0
    path.write_bytes(b"")
    assert go_on(path, ALL[:3]).rows == 0
    assert ids_of(path) == ALL[:3]


@pytest.mark.parametrize("cut", [1, 2, 30, 200])
def test_a_half_written_last_line_is_cut_off_and_said(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "out.jsonl"
    rows = [dumps(result(i), newline=True) for i in range(5)]
    path.write_bytes(b"".join(rows[:4]) + rows[4][:-1][:-cut])
    before = path.read_bytes()
    state = load(path)
    assert path.read_bytes() == before  # only the writer changes the file
    assert state.rows == 4
    dropped = len(rows[4]) - 1 - cut
    assert state.notes == [
        f"{path}: a half-written end of {dropped} bytes is cut off; 4 rows are kept"
    ]
    go_on(path, ALL[:6])
    assert ids_of(path) == ALL[:6]


def test_a_last_row_that_lacks_only_its_line_break_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(dumps(result(0), newline=True) + dumps(result(1)))
    state = go_on(path, ALL[:3])
    assert (state.rows, state.notes) == (2, [])
    assert ids_of(path) == ALL[:3]
    path.write_bytes(dumps(result(0)))
    state = go_on(path, ALL[:1])  # nothing more to write
    assert json.loads(path.read_bytes()) == result(0)


def test_a_tail_of_nul_bytes_after_a_power_cut(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(dumps(result(0), newline=True) + b"\0" * 4096)
    go_on(path, ALL[:2])
    assert ids_of(path) == ALL[:2]


@pytest.mark.parametrize("pack", [".gz", ".zst"])
def test_every_cut_of_a_compressed_output(tmp_path: Path, pack: str) -> None:
    path = tmp_path / f"out.jsonl{pack}"
    with ResultWriter(path) as writer:
        for record_id in ALL[:12]:
            writer.write(result(0, id=record_id))
            if record_id in ("r3", "r7"):
                writer.flush()
    whole = path.read_bytes()
    for size in range(0, len(whole), 23):
        path.write_bytes(whole[:size])
        go_on(path, ALL[:13])
        assert ids_of(path) == ALL[:13]


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_foreign_compressed_file(tmp_path: Path, kind: str) -> None:
    """One member over all rows; rows that straddle members; no line break at the end."""
    pack = gzip.compress if kind == "gz" else zstandard.ZstdCompressor().compress
    raw = b"".join(dumps(result(i), newline=True) for i in range(10))
    path = tmp_path / f"out.jsonl.{kind}"
    path.write_bytes(pack(raw))
    assert load(path).rows == 10
    path.write_bytes(pack(raw[:1000]) + pack(raw[1000:-1]))
    go_on(path, ALL[:12])
    assert ids_of(path) == ALL[:12]
    path.write_bytes(pack(raw[:1000]) + pack(raw[1000:])[:-9])  # straddling and cut: begins anew
    go_on(path, ALL[:12])
    assert ids_of(path) == ALL[:12]


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.integers(0, 12), st.randoms())
@settings(deadline=None, max_examples=60)
def test_double_ids_are_each_done_once(
    tmp_path_factory: pytest.TempPathFactory, ids: list[str], done: int, rng: random.Random
) -> None:
    path = tmp_path_factory.mktemp("r") / "out.jsonl"
    path.write_bytes(b"".join(dumps(result(0, id=i), newline=True) for i in ids[:done]))
    go_on(path, ids)
    assert Counter(ids_of(path)) == Counter(ids)
    state = load(path)
    shuffled = [*ids, "z"]
    rng.shuffle(shuffled)
    assert [i for i in shuffled if not state.skip(i)] == ["z"]
    assert not any(state.skip(i) for i in ids)


def test_a_million_of_one_id_is_no_quadratic_search() -> None:
    state = ResumeState("x")
    for _ in range(200_000):
        state._add("same")
    state._index()
    assert all(state.skip("same") for _ in range(200_000))
    assert not state.skip("same")


def test_memory_of_a_resume_state() -> None:
    state = ResumeState("x")
    for i in range(100_000):
        state._add(str(i))
    state._index()
    held = state._hashes.itemsize * len(state._hashes) + len(state._used)
    assert held <= 9 * 100_000
    assert sys.getsizeof(state._hashes) < 1.2 * 800_000
    assert state.skip("99999")
    assert not state.skip("100000")


def test_odd_ids(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    ids = ["\ud800", "a\0b", "好", "", "1"]
    go_on(path, ids)
    path.write_bytes(path.read_bytes() + dumps(result(0, id=7), newline=True))
    state = load(path)
    assert all(state.skip(i) for i in [*ids, "7"])


@pytest.mark.parametrize(
    ("key", "words"),
    [("config_hash", "another configuration"), ("model_sha256", "another model")],
)
def test_another_configuration_or_model_is_refused(tmp_path: Path, key: str, words: str) -> None:
    path = tmp_path / "out.jsonl"
    other = result(1, scorer={**SCORER, key: "other"})
    raw = dumps(result(0), newline=True) + dumps(other, newline=True)
    path.write_bytes(raw)
    with pytest.raises(ResumeMismatchError) as caught:
        load(path)
    said = str(caught.value)
    assert f"{path}:2" in said
    assert words in said
    assert "'other'" in said
    assert repr(KEYS[key]) in said
    assert path.read_bytes() == raw


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (b'{"id": "x"}\n', "names no scorer"),
        (b'{"answer": "a"}\n', "not a result row"),
        (b"[1]\n", "not a result row"),
        (b'{"id": [1]}\n', "not a result row"),
        (b'{"id": "x", "scor\n', "damaged: invalid JSON"),
        (b"\xff\xfe\n", "damaged"),
        (b"id,status\n", "damaged"),
    ],
)
def test_files_that_are_no_results_are_refused_and_kept(
    tmp_path: Path, row: bytes, words: str
) -> None:
    path = tmp_path / "out.jsonl"
    raw = dumps(result(0), newline=True) + row + dumps(result(1), newline=True)
    path.write_bytes(raw)
    with pytest.raises(OutputError, match=words) as caught:
        load(path)
    assert f"{path}:2" in str(caught.value)
    assert path.read_bytes() == raw
    assert not (tmp_path / "out.jsonl.lock").exists()


def test_only_json_lines_can_be_resumed(tmp_path: Path) -> None:
    for name in ("out.csv", "out.parquet", "out.json", "out.csv.gz"):
        with pytest.raises(OutputError, match="only JSON lines"):
            load(tmp_path / name)
    with pytest.raises(OutputError, match="only JSON lines"):
        load(tmp_path / "out.jsonl", format="csv")
    with pytest.raises(ConfigError, match="only JSON lines"):
        ResultWriter(tmp_path / "out.csv", resume=ResumeState("x"))
    with pytest.raises(OutputError, match="pipe"):
        ResumeState.load("-", **KEYS)
    with pytest.raises(OutputError, match="directory"):
        load(tmp_path)


def test_a_running_writer_cannot_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with ResultWriter(path) as writer:
        writer.write(result(0))
        with pytest.raises(OutputLockedError):
            load(path)


def test_of_two_that_resume_one_after_the_other_the_later_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    go_on(path, ALL[:5])
    first, second = load(path), load(path)
    with ResultWriter(path, resume=first) as writer:
        writer.write(result(5))
    with pytest.raises(OutputError, match="another run has written it since"):
        ResultWriter(path, resume=second).open()
    assert ids_of(path) == ALL[:6]
    with OutputLock(path):
        pass  # the lock was given back


def test_two_that_both_found_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first, second = load(path), load(path)
    with ResultWriter(path, resume=first) as writer:
        writer.write(result(0))
        with pytest.raises(OutputLockedError):
            ResultWriter(path, resume=second).open()
    with pytest.raises(OutputError, match="another run has written it since"):
        ResultWriter(path, resume=second).open()
    assert len(lines_of(path)) == 1
