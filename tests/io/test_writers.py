"""Results out: formats, existing outputs, full disks, interrupts, locks."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from nli_faith.errors import (
    ConfigError,
    MissingExtraError,
    OutputError,
    OutputExistsError,
    OutputLockedError,
)
from nli_faith.io import OutputLock, ResultWriter, dumps, loads, output_format
from nli_faith.io.blockfile import BlockFile

from .support import lines_of, result
from .test_json import JSON, joined

UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.decompress,
    ".zst": lambda raw: zstandard.ZstdDecompressor().stream_reader(
        io.BytesIO(raw), read_across_frames=True
    ).read(),
}  # fmt: skip


def write(path: Path | str, rows: list[dict[str, Any]], **options: Any) -> None:
    with ResultWriter(path, **options) as writer:
        for row in rows:
            writer.write(row)


def beside(path: Path) -> list[str]:
    return sorted(p.name for p in path.parent.iterdir() if p != path)


# ---- formats ----


@pytest.mark.parametrize("pack", UNPACK)
def test_json_lines(tmp_path: Path, pack: str) -> None:
    path = tmp_path / f"out.jsonl{pack}"
    rows = [result(i, score=float("nan"), note="\ud800\0好") for i in range(600)]
    write(path, rows)
    found = [json.loads(row) for row in UNPACK[pack](path.read_bytes()).splitlines()]
    assert found == [{**row, "score": None} for row in rows]
    assert beside(path) == []


@given(st.lists(st.dictionaries(st.text(st.characters()), JSON, max_size=5), max_size=5))
@settings(deadline=None, max_examples=40)
def test_any_row_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    path = tmp_path_factory.mktemp("rows") / "out.jsonl"
    write(path, rows)
    assert [loads(raw) for raw in path.read_bytes().split(b"\n")[:-1]] == joined(rows)


def test_json_array_is_whole_after_every_row(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    with ResultWriter(path) as writer:
        for i in range(3):
            writer.write(result(i))
            assert [row["id"] for row in json.loads(path.read_bytes())] == [
                f"r{n}" for n in range(i + 1)
            ]
    assert len(json.loads(path.read_bytes())) == 3
    write(tmp_path / "none.json", [])
    assert json.loads((tmp_path / "none.json").read_bytes()) == []


@pytest.mark.parametrize("bom", [True, False])
def test_csv(tmp_path: Path, bom: bool) -> None:
    path = tmp_path / "out.csv"
    odd = result(1, score=None, meta={"a": 'x,"y"\n'}, id='甲,\n"\ud800"', error="没有模型")
    write(path, [result(0), odd], bom=bom)
    raw = path.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf") is bom
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    assert rows[0]["score"] == "0.75"
    assert rows[0]["truncated"] == "false"
    assert (rows[0]["supported"], rows[0]["contradicted"]) == ("3", "1")
    assert json.loads(rows[0]["claims"]) == result(0)["claims"]
    assert rows[0]["config_hash"] == "c" * 16
    assert rows[0]["extra"] == ""
    assert rows[1]["score"] == ""
    assert rows[1]["id"] == '甲,\n"\\ud800"'
    assert json.loads(rows[1]["meta"]) == {"a": 'x,"y"\n'}
    assert json.loads(rows[1]["extra"]) == {"error": "没有模型"}


def test_csv_without_rows_has_its_header(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    write(path, [])
    assert path.read_text().startswith("id,status,score,")


def test_table_keeps_what_has_no_column(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    row = result(0, label_counts={"supported": 1, "other": 2}, pairs_scored="many", extra={"a": 1})
    row["scorer"] = {"model": "m", "mode": "fast"}
    write(path, [row, {"id": 5, "label_counts": None}])
    first, second = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
    assert json.loads(first["extra"]) == {
        "label_counts": {"other": 2}, "pairs_scored": "many", "extra": {"a": 1},
        "scorer": {"mode": "fast"},
    }  # fmt: skip
    assert second["id"] == "5"


def test_parquet(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    path = tmp_path / "out.parquet"
    rows = [result(i, score=None if i < 5000 else 0.5, id=f"{i}\ud800") for i in range(9000)]
    write(path, rows)
    table = pq.read_table(path)
    assert pq.ParquetFile(path).num_row_groups == 3
    assert table.column("id")[3].as_py() == "3\\ud800"
    assert table.column("score").null_count == 5000
    assert json.loads(table.column("claims")[0].as_py()) == rows[0]["claims"]
    assert table.column("unsupported")[0].as_py() == 0
    assert beside(path) == []
    write(path, rows[:1], overwrite=True)
    assert pq.read_table(path).num_rows == 1
    write(tmp_path / "none.parquet", [])
    assert pq.read_table(tmp_path / "none.parquet").schema == table.schema


def test_parquet_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"\[parquet\]"):
        write(tmp_path / "out.parquet", [])
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"\[zstd\]"):
        write(tmp_path / "out.jsonl.zst", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "format", "compression"),
    [
        ("a.jsonl", "jsonl", None), ("a.NDJSON", "jsonl", None), ("results", "jsonl", None),
        ("a.jsonl.gz", "jsonl", "gz"), ("a.jsonl.zst", "jsonl", "zst"), ("a.gz", "jsonl", "gz"),
        ("a.csv", "csv", None), ("a.csv.gz", "csv", "gz"), ("a.json", "json", None),
        ("a.parquet", "parquet", None), ("-", "jsonl", None), ("v1.2/out", "jsonl", None),
    ],
)  # fmt: skip
def test_formats_by_name(name: str, format: str, compression: str | None) -> None:
    assert output_format(name) == (format, compression)


@pytest.mark.parametrize("name", ["a.xlsx", "a.txt", "a.json.gz", "a.parquet.gz", "a.md"])
def test_names_without_a_format(name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        ResultWriter(name)


def test_a_format_overrides_the_name(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", [result(0)], format="jsonl")
    assert lines_of(tmp_path / "a.txt") == [result(0)]
    with pytest.raises(ConfigError, match="'xml' is unknown"):
        ResultWriter("a", format="xml")


def test_stdout(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with ResultWriter("-") as writer:
        writer.write({"id": "甲"})
        assert writer.rows == 1
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == '{"id":"甲"}\n'.encode()
    with pytest.raises(OutputError, match="needs a file"):
        write("-", [], format="parquet")


def test_a_reader_that_went_away() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with pytest.raises(OutputError, match="closed the pipe after 0 rows") as caught:
        write(f"/dev/fd/{write_end}", [result(0)])
    assert isinstance(caught.value.__cause__, BrokenPipeError)
    os.close(write_end)


def test_devices_are_written_without_lock_or_rename() -> None:
    write("/dev/null", [result(0)])
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert not os.path.exists("/dev/null.lock")


# ---- what is there already ----


def test_existing_content_is_not_touched_unasked(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("keep me\n")
    with pytest.raises(OutputExistsError, match=r"out.jsonl: exists already \(8 bytes\)"):
        write(path, [result(0)])
    assert path.read_text() == "keep me\n"
    assert beside(path) == []


def test_an_empty_file_is_no_content(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.touch()
    write(path, [result(0)])
    assert len(lines_of(path)) == 1


def test_overwrite_replaces_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old\n")
    with ResultWriter(path, overwrite=True) as writer:
        writer.write(result(0))
        assert path.read_text() == "old\n"
    assert lines_of(path) == [result(0)]
    assert beside(path) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_failed_overwrite_loses_neither_old_nor_new(tmp_path: Path, error: Any) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old\n")
    with pytest.raises(error), ResultWriter(path, overwrite=True) as writer:  # noqa: PT012
        writer.write(result(0))
        raise error
    assert path.read_text() == "old\n"
    assert lines_of(tmp_path / "out.jsonl.partial") == [result(0)]
    assert beside(path) == ["out.jsonl.partial"]
    with pytest.raises(error), ResultWriter(path, overwrite=True):
        raise error
    assert path.read_text() == "old\n"
    assert beside(path) == []


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "csv", "json", "parquet"])
def test_ctrl_c_keeps_the_rows_and_leaves_no_lock(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out.{suffix}"
    with pytest.raises(KeyboardInterrupt), ResultWriter(path) as writer:  # noqa: PT012
        for i in range(10):
            writer.write(result(i))
        raise KeyboardInterrupt
    assert beside(path) == []
    raw = path.read_bytes()
    if suffix == "parquet":
        import pyarrow.parquet as pq

        assert pq.read_table(path).num_rows == 10
    elif suffix == "json":
        assert len(json.loads(raw)) == 10
    else:
        text = gzip.decompress(raw) if suffix.endswith("gz") else raw
        assert text.count(b"\n") == (11 if suffix == "csv" else 10)


def test_a_symlink_is_written_through(tmp_path: Path) -> None:
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    real.write_text("old\n")
    link.symlink_to(real)
    write(link, [result(0)], overwrite=True)
    assert link.is_symlink()
    assert lines_of(real) == [result(0)]


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for path, words in [
        (tmp_path, "is a directory"),
        (tmp_path / "none" / "out.jsonl", "the directory .* does not exist"),
        (file / "out.jsonl", "the directory .* does not exist"),
    ]:
        with pytest.raises(OutputError, match=words):
            write(path, [])
    with pytest.raises(ConfigError, match="exclude each other"):
        ResultWriter("a.jsonl", overwrite=True, resume=object())  # type: ignore[arg-type]
    with pytest.raises(OutputError, match="is not open"):
        ResultWriter(tmp_path / "a.jsonl").write({})


# ---- a full disk ----


class FullDisk:
    """A file that can grow to ``room`` bytes; a block that does not fit is written in part."""

    def __init__(self, file: Any, room: int) -> None:
        self.file, self.room = file, room

    def write(self, data: Any) -> int:
        room = self.room - self.file.tell()
        if room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken: int = self.file.write(data[:room])
        return taken

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[FullDisk]]:
    def install(room: int) -> list[FullDisk]:
        disks: list[FullDisk] = []
        original = BlockFile.__init__

        def init(self: BlockFile, path: str, size: int = 0) -> None:
            original(self, path, size)
            self._file = FullDisk(self._file, room)
            disks.append(self._file)

        monkeypatch.setattr(BlockFile, "__init__", init)
        return disks

    return install


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "json"])
def test_a_full_disk_leaves_whole_rows_and_says_how_many(
    tmp_path: Path, full_disk: Callable[[int], list[FullDisk]], suffix: str
) -> None:
    path = tmp_path / f"out.{suffix}"
    full_disk(5 * len(dumps(result(0))) + 300)
    with pytest.raises(OutputError, match="no space left on the disk") as caught:
        write(path, [result(i) for i in range(100)])
    raw = path.read_bytes()
    if suffix == "json":
        rows = len(json.loads(raw))
    else:
        assert raw.endswith(b"\n")
        rows = raw.count(b"\n") - (suffix == "csv")
    assert rows >= 1
    assert f"{rows} rows written before are safe" in str(caught.value)
    assert ("--resume" in str(caught.value)) is (suffix == "jsonl")
    assert str(path) in str(caught.value)
    assert beside(path) == []


def test_rows_that_found_no_room_are_written_when_there_is_some(
    tmp_path: Path, full_disk: Callable[[int], list[FullDisk]]
) -> None:
    path = tmp_path / "out.jsonl"
    disks = full_disk(700)
    with ResultWriter(path) as writer:
        writer.write(result(0))
        for i in (1, 2):
            with pytest.raises(OutputError, match="1 row written before"):
                writer.write(result(i))
        assert writer.rows == 1
        disks[0].room = 10**6
        writer.write(result(3))
        assert writer.rows == 4
    assert [row["id"] for row in lines_of(path)] == ["r0", "r1", "r2", "r3"]


def test_a_full_disk_during_overwrite(
    tmp_path: Path, full_disk: Callable[[int], list[FullDisk]]
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old\n")
    full_disk(1500)
    with pytest.raises(OutputError, match=r"They are in .*out.jsonl.partial"):
        write(path, [result(i) for i in range(100)], overwrite=True)
    assert path.read_text() == "old\n"
    assert len(lines_of(tmp_path / "out.jsonl.partial")) == 2


def test_a_full_disk_for_compressed_and_parquet(
    tmp_path: Path, full_disk: Callable[[int], list[FullDisk]]
) -> None:
    full_disk(20)
    with pytest.raises(OutputError, match="0 rows written before are safe"):
        write(tmp_path / "out.jsonl.gz", [result(i) for i in range(10)])
    assert (tmp_path / "out.jsonl.gz").read_bytes() == b""
    with pytest.raises(OutputError, match="no space left"):
        write(tmp_path / "out.parquet", [result(i) for i in range(10)])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.jsonl.gz"]


def test_dev_full_is_a_full_disk() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with pytest.raises(OutputError, match="/dev/full: no space left on the disk; 0 rows"):
        write("/dev/full", [result(0)])


def test_an_interrupt_in_the_middle_of_a_block_does_not_double_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.jsonl"
    original = BlockFile.write_at
    strike = {"half": True}

    def interrupted(self: BlockFile, offset: int, data: bytes) -> int:
        if b'"r2"' in data and strike.pop("half", False):
            self._file.seek(offset)
            self._file.write(data[: len(data) // 2])
            raise KeyboardInterrupt
        return original(self, offset, data)

    monkeypatch.setattr(BlockFile, "write_at", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(path, [result(i) for i in range(5)])
    assert [row["id"] for row in lines_of(path)] == ["r0", "r1", "r2"]


def test_an_interrupt_right_after_a_block_does_not_double_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.jsonl"
    original = BlockFile.write_at
    strikes = iter([False, False, True])

    def interrupted(self: BlockFile, offset: int, data: bytes) -> int:
        end = original(self, offset, data)
        if next(strikes, False):
            raise KeyboardInterrupt
        return end

    monkeypatch.setattr(BlockFile, "write_at", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(path, [result(i) for i in range(5)])
    assert [row["id"] for row in lines_of(path)] == ["r0", "r1", "r2"]


# ---- locks ----


def test_two_writers_on_one_output(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with ResultWriter(path) as first:
        first.write(result(0))
        with pytest.raises(OutputLockedError, match=rf"pid {os.getpid()}, this very process"):
            write(path, [result(1)])
        (tmp_path / "link.jsonl").symlink_to(path)  # another name for the same file
        with pytest.raises(OutputLockedError):
            write(tmp_path / "link.jsonl", [result(1)], overwrite=True)
        first.write(result(2))
    assert [row["id"] for row in lines_of(path)] == ["r0", "r2"]
    assert beside(path) == ["link.jsonl"]


@pytest.mark.parametrize("content", [b"", b"junk", b"{}", b'{"pid": 999999999}', b'{"pid": "x"}'])
def test_a_stale_lock_is_taken_over(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "out.jsonl"
    (tmp_path / "out.jsonl.lock").write_bytes(content)
    write(path, [result(0)])
    assert beside(path) == []


def test_a_lock_from_another_host_is_respected(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    lock = tmp_path / "out.jsonl.lock"
    lock.write_bytes(b'{"pid": 7, "host": "elsewhere"}')
    with pytest.raises(OutputLockedError, match=r"pid 7 on elsewhere.*delete .*out.jsonl.lock"):
        write(path, [])
    assert lock.exists()


def test_without_file_locks_the_pid_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    path = tmp_path / "out.jsonl"
    with OutputLock(path), pytest.raises(OutputLockedError):
        OutputLock(path).acquire()
    assert beside(path) == []
    lock = tmp_path / "out.jsonl.lock"
    lock.write_bytes(b'{"pid": 999999999}')
    write(path, [result(0)])
    assert beside(path) == []
    lock.write_bytes(b"")  # made just now by someone who has not written yet
    with pytest.raises(OutputLockedError):
        OutputLock(path).acquire()
    os.utime(lock, (1, 1))
    with OutputLock(path):
        pass


def test_a_disk_found_full_on_closing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def close(_: BlockFile) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "out.jsonl"
    path.write_text("old\n")
    monkeypatch.setattr(BlockFile, "close", close)
    with pytest.raises(OutputError, match="no space left on the disk"):
        write(path, [result(0)], overwrite=True)
    assert path.read_text() == "old\n"
    assert beside(path) == ["out.jsonl.partial"]


def test_a_lock_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl.lock").mkdir()
    with pytest.raises(OutputError, match="lock file"):
        write(tmp_path / "out.jsonl", [])


def test_close_twice_and_lock_after_failure_to_open(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    writer = ResultWriter(path)
    writer.open()
    writer.write(result(0))
    writer.close()
    writer.close()
    with pytest.raises(OutputError, match="is not open"):
        writer.write(result(1))
    with pytest.raises(OutputExistsError):
        ResultWriter(path).open()
    assert beside(path) == []
