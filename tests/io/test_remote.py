"""Folders of Parquet files, and paths with a protocol, through the real fsspec."""

from __future__ import annotations

import gzip
import shutil
import sys
from pathlib import Path

import pytest

from nli_faith.errors import (
    ConfigError,
    InputError,
    MissingExtraError,
    OutputError,
    OutputExistsError,
)
from nli_faith.io import RemoteOutput, is_remote, read_records

pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
pq = pytest.importorskip("pyarrow.parquet")
fsspec = pytest.importorskip("fsspec", reason="the extra 'remote' is not installed")


@pytest.fixture
def memory():
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()


def table(first: int, count: int):
    return pa.table(
        {
            "answer": [f"答{n}" for n in range(first, first + count)],
            "contexts": [["甲"]] * count,
        }
    )


@pytest.fixture
def hive(tmp_path: Path) -> Path:
    """Two days, one of which has two files, and a row that has none."""
    root = tmp_path / "log"
    for folder, name, first in (
        ("day=2024-01-01", "part-0.parquet", 0),
        ("day=2024-01-02/city=%E5%8C%97%E4%BA%AC", "part-0.parquet", 3),
        ("day=2024-01-02/city=%E5%8C%97%E4%BA%AC", "part-1.pq", 6),
        ("day=__HIVE_DEFAULT_PARTITION__", "part-0.parquet", 9),
    ):
        (root / folder).mkdir(parents=True, exist_ok=True)
        pq.write_table(table(first, 3), root / folder / name)
    (root / "_SUCCESS").touch()
    (root / "_temporary").mkdir()
    (root / "_temporary" / "half.parquet").write_bytes(b"PAR1 half")
    (root / "notes.txt").write_text("kept out")
    return root


def check_hive(records: list) -> None:
    assert [r.answer for r in records] == [f"答{n}" for n in range(12)]
    assert len({r.id for r in records}) == 12  # numbered on from file to file
    assert records[0].meta == {"day": "2024-01-01"}
    assert records[8].meta == {"day": "2024-01-02", "city": "北京"}
    assert records[11].meta == {"day": None}


def test_the_columns_that_folders_state(hive):
    records = list(read_records(hive))
    check_hive(records)
    assert records[7].source == f"{hive}/day=2024-01-02/city=%E5%8C%97%E4%BA%AC/part-1.pq:2"


@pytest.mark.parametrize("protocol", ["file", "memory"])
def test_a_remote_folder_is_read_like_a_local_one(hive, memory, protocol):
    url = f"file://{hive}"
    if protocol == "memory":
        url = "memory://bucket/log"
        for path in hive.rglob("*"):
            if path.is_file():
                memory.pipe(f"/bucket/log/{path.relative_to(hive)}", path.read_bytes())
    check_hive(list(read_records(url)))
    check_hive(list(read_records(url + "/")))


def test_a_column_of_a_folder_can_be_a_field(hive):
    assert next(read_records(hive, mapping={"question": "day"})).question == "2024-01-01"
    with pytest.raises(InputError, match="'month'"):
        list(read_records(hive, mapping={"question": "month"}))


def test_a_remote_file_of_any_format(memory):
    memory.pipe("/b/in.jsonl", '{"answer": "甲", "contexts": ["乙"]}\n'.encode())
    memory.pipe("/b/in.csv.gz", gzip.compress(b"answer,contexts\na,b\n"))
    assert next(read_records("memory://b/in.jsonl")).source == "memory://b/in.jsonl:1"
    assert next(read_records("memory://b/in.csv.gz")).answer == "a"


@pytest.mark.parametrize(
    ("source", "error", "said"),
    [
        ("memory://b/none.jsonl", InputError, "memory://b/none.jsonl: no such file"),
        ("nosuch://b/in.jsonl", ConfigError, "nosuch://b/in.jsonl: .*nosuch"),
        ("{folder}", InputError, "directory without a Parquet file"),
    ],
)
def test_what_cannot_be_read_is_named(memory, tmp_path, source, error, said):
    with pytest.raises(error, match=said):
        list(read_records(source.format(folder=tmp_path)))


def test_a_folder_is_read_as_parquet_only(hive):
    with pytest.raises(ConfigError, match="a folder holds Parquet, not csv"):
        read_records(hive, format="csv")


def test_without_fsspec_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match="remote"):
        read_records("s3://bucket/in.jsonl")
    with pytest.raises(MissingExtraError, match="remote"):
        RemoteOutput("s3://bucket/out.jsonl", overwrite=False)


@pytest.mark.parametrize(
    ("path", "answer"),
    [("s3://b/x", True), ("memory://x", True), ("C:\\x", False), ("C://x", False), ("a/b", False)],
)
def test_what_is_remote(path, answer):
    assert is_remote(path) is answer


def fill(upload: RemoteOutput) -> None:
    for suffix in (".manifest.json", "", ".rejects.jsonl"):
        Path(upload.local + suffix).write_text(f"new{suffix}")


def test_files_appear_whole_and_the_manifest_last(memory, monkeypatch):
    seen: list[tuple[str, list[str]]] = []
    copy = type(memory).cp_file

    def watched(self, old, new, **kwargs):
        seen.append((old, sorted(p for p in self.store if not p.endswith(".partial"))))
        return copy(self, old, new, **kwargs)

    monkeypatch.setattr(type(memory), "cp_file", watched)
    with RemoteOutput("memory://b/out[1].jsonl", overwrite=False) as upload:
        fill(upload)
        assert not memory.store
        upload.commit()
    out = "/b/out[1].jsonl"
    assert seen == [
        (f"{out}.rejects.jsonl.partial", []),
        (f"{out}.partial", [f"{out}.rejects.jsonl"]),
        (f"{out}.manifest.json.partial", [out, f"{out}.rejects.jsonl"]),
    ]
    assert sorted(memory.store) == [out, f"{out}.manifest.json", f"{out}.rejects.jsonl"]
    assert memory.cat_file(out) == b"new"
    assert not Path(upload.local).parent.exists()


def test_what_is_there_is_replaced_only_on_request(memory, tmp_path):
    memory.pipe("/b/out.jsonl", b"old")
    memory.pipe("/b/out.jsonl.rejects.jsonl", b"of the old run")
    with pytest.raises(OutputExistsError, match=r"memory://b/out.jsonl.*--overwrite"):
        RemoteOutput("memory://b/out.jsonl", overwrite=False)
    with RemoteOutput("memory://b/out.jsonl", overwrite=True) as upload:
        Path(upload.local).write_text("new")
        assert memory.cat("/b/out.jsonl") == b"old"
        upload.commit()
    assert dict.fromkeys(memory.store) == {"/b/out.jsonl": None}
    assert memory.cat("/b/out.jsonl") == b"new"


def test_a_local_file_by_its_url_makes_its_folder(tmp_path):
    with RemoteOutput(f"file://{tmp_path}/new/out.jsonl", overwrite=False) as upload:
        fill(upload)
        upload.commit()
    assert {p.name for p in (tmp_path / "new").iterdir()} == {
        "out.jsonl", "out.jsonl.manifest.json", "out.jsonl.rejects.jsonl",
    }  # fmt: skip


def test_a_store_that_cannot_be_written_says_so_at_once(memory, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError("key is read-only")

    monkeypatch.setattr(type(memory), "pipe_file", refuse)
    with pytest.raises(OutputError, match=r"memory://b/out.jsonl: cannot be written: key is read"):
        RemoteOutput("memory://b/out.jsonl", overwrite=False)
    with pytest.raises(ConfigError, match="names no file"):
        RemoteOutput("memory://b/folder/", overwrite=False)


def test_a_failed_upload_keeps_what_was_made(memory, monkeypatch):
    def broken(*args, **kwargs):
        raise OSError("connection reset")

    with (  # noqa: PT012
        pytest.raises(OutputError, match=r"connection reset.* kept in ") as caught,
        RemoteOutput("memory://b/out.jsonl", overwrite=False) as upload,
    ):
        fill(upload)
        monkeypatch.setattr(type(memory), "put_file", broken)
        upload.commit()
    folder = Path(upload.local).parent
    assert str(folder) in str(caught.value)
    assert Path(upload.local).read_text() == "new"
    assert not memory.store
    shutil.rmtree(folder)
