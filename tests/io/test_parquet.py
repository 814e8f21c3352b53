"""Parquet in."""

from __future__ import annotations

import datetime
import io
import sys
from pathlib import Path

import pytest

from nli_faith.errors import InputError, MissingExtraError
from nli_faith.io import dumps, read_records

pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = [
    {"id": i, "user_input": "问", "response": f"答{i}", "retrieved_contexts": ["甲", None, ""],
     "when": datetime.datetime(2024, 5, 1), "raw": b"\xff", "note": None}
    for i in range(2000)
]  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=300)
    return path


def test_rows(path: Path) -> None:
    records = list(read_records(path))
    assert [r.id for r in records] == [str(i) for i in range(2000)]
    last = records[-1]
    assert (last.answer, last.contexts, last.dropped_contexts) == ("答1999", ("甲",), 2)
    assert last.source == f"{path}:2000"
    assert dumps(last.meta) == b'{"when":"2024-05-01T00:00:00","raw":"\\\\xff","note":null}'


@pytest.mark.parametrize("name", ["in", "in.jsonl", "in.bin"])
def test_by_content(path: Path, name: str) -> None:
    other = path.with_name(name)
    path.rename(other)
    assert sum(1 for _ in read_records(other)) == 2000


def test_through_a_stream(path: Path) -> None:
    assert sum(1 for _ in read_records(io.BytesIO(path.read_bytes()))) == 2000


def test_rejected_rows_carry_their_number() -> None:
    buffer = io.BytesIO()
    table = {"id": pa.array([[1], [2]]), "answer": ["a", "b"], "contexts": ["c", "d"]}
    pq.write_table(pa.table(table), buffer)
    rejects: list = []
    assert not list(read_records(io.BytesIO(buffer.getvalue()), on_reject=rejects.append))
    assert [(r.line, r.field) for r in rejects] == [(1, "id"), (2, "id")]
    assert rejects[0].raw == '{"id":[1],"answer":"a","contexts":"c"}'


def test_binary_strings_are_text() -> None:
    buffer = io.BytesIO()
    columns = {"answer": pa.array(["答".encode()]), "contexts": pa.array(["文".encode()])}
    pq.write_table(pa.table(columns), buffer)
    (record,) = read_records(io.BytesIO(buffer.getvalue()))
    assert (record.answer, record.contexts) == ("答", ("文",))


def test_missing_columns_are_said_once(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"question": ["a"], "contexts": ["b"]}), path)
    with pytest.raises(InputError, match="field 'answer': missing; it has 'question', 'contexts'"):
        list(read_records(path, on_reject=lambda _: None))


@pytest.mark.parametrize("cut", [5, 200, -8, -1])
def test_truncated(path: Path, cut: int) -> None:
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(InputError, match="not a readable Parquet file") as caught:
        list(read_records(path))
    assert str(path) in str(caught.value)


def test_a_name_alone_makes_no_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b'{"answer": "a", "contexts": []}\n')
    with pytest.raises(InputError, match="is not a Parquet file"):
        list(read_records(path))


def test_without_pyarrow_the_extra_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"\[parquet\]"):
        list(read_records(path))
