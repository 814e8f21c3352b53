"""Inputs that cannot be read as a whole: encodings, binary and empty files, compression."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from nli_faith.errors import InputEncodingError, InputError, MissingExtraError, NliFaithError
from nli_faith.io import Reject, compression, encodings, read_records

from .support import line, read

TEXT = "一线城市住宿上限每晚500元，由部门负责人审批。"
DATA = "".join(
    json.dumps({"id": i, "answer": TEXT, "contexts": [TEXT]}, ensure_ascii=False) + "\n"
    for i in range(5)
)
CSV = f"id,answer,contexts\n1,{TEXT},{TEXT}\n"


# ---- encodings ----


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (DATA.encode("utf-8-sig"), "utf-8"),
        (DATA.encode(), "UTF8"),
        (DATA.encode(), "utf-8-sig"),
        (DATA.encode(), "ascii"),
        (DATA.encode("gb18030"), "gb18030"),
        (DATA.encode("gbk"), "gbk"),
        (DATA.encode("gb2312"), "GB2312"),
        (("\ufeff" + DATA).encode("gb18030"), "gb18030"),
        (DATA.encode("utf-16"), "utf-16"),
        (DATA.encode("utf-16-le"), "utf-16-le"),
        (b"\xfe\xff" + DATA.encode("utf-16-be"), "utf-16"),
        (DATA.replace("晚", "晚").encode("big5", "ignore"), "big5"),
        (CSV.encode("gb18030"), "gb18030"),
        (CSV.encode("utf-16"), "utf-16"),
        (json.dumps([json.loads(DATA.splitlines()[0])]).encode("utf-16"), "utf-16"),
    ],
)
def test_stated_encodings(raw: bytes, encoding: str) -> None:
    records, rejects = read(raw, encoding=encoding)
    assert not rejects
    expected = TEXT if encoding != "big5" else TEXT.encode("big5", "ignore").decode("big5")
    assert {r.answer for r in records} == {expected}


@pytest.mark.parametrize(
    ("raw", "encoding", "words"),
    [
        (DATA.encode("gb18030"), "utf-8", "looks like GB18030: pass --encoding gb18030"),
        (CSV.encode("gb18030"), "utf-8", "looks like GB18030: pass --encoding gb18030"),
        ('{"answer":"好","contexts":[]}'.encode("gbk"), "utf-8", "pass --encoding gb18030"),
        (("{}\n" * 30 + DATA).encode("gb18030"), "utf-8", "line 31"),
        (
            '{"answer":"保固兩年，請至門市辦理。","contexts":[]}'.encode("big5"),
            "utf-8", "looks like Big5: pass --encoding big5",
        ),
        (DATA.encode("utf-16"), "utf-8", "is UTF-16 .*byte order mark.*: pass --encoding utf-16"),
        (DATA.encode("utf-16-le"), "utf-8", "pass --encoding utf-16-le"),
        (DATA.encode("utf-16-be"), "utf-8", "pass --encoding utf-16-be"),
        ("a,b\n1,2\n".encode("utf-16-le"), "utf-8", "pass --encoding utf-16-le"),
        (DATA.encode("utf-32"), "utf-8", "UTF-32"),
        (DATA.encode(), "gb18030", "is UTF-8, not gb18030: leave out --encoding"),
        (DATA.encode("utf-8-sig"), "gbk", "is UTF-8 .*byte order mark"),
        (DATA.encode("utf-16"), "gb18030", "is UTF-16"),
        (DATA.encode(), "utf-16", "is not valid utf-16; looks like UTF-8"),
        (DATA.encode("gb18030"), "big5", "is not Big5 .*GB18030"),
        (DATA.encode("gb18030"), "utf-16", "is not valid utf-16; looks like GB18030"),
    ],
)  # fmt: skip
def test_a_wrong_encoding_is_said_as_such(
    raw: bytes, encoding: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "in.dat"
    path.write_bytes(raw)
    with pytest.raises(InputEncodingError, match=words) as caught:
        list(read_records(path, encoding=encoding, on_reject=lambda _: None))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("shift", range(4))
def test_a_character_cut_by_the_end_of_the_head(shift: int) -> None:
    text = "x" * shift + "😀" * 100_000
    raw = json.dumps({"answer": text, "contexts": []}, ensure_ascii=False)
    for encoding in ("utf-8", "utf-16", "utf-16-le", "gb18030"):
        records, rejects = read(raw.encode(encoding), encoding=encoding)
        assert not rejects
        assert records[0].answer == text


def test_one_line_in_another_encoding_is_rejected_alone() -> None:
    raw = DATA.encode() + DATA.splitlines()[0].encode("gb18030") + b"\n" + DATA.encode()
    records, rejects = read(raw)
    assert (len(records), len(rejects)) == (10, 1)
    assert rejects[0].line == 6
    assert "not valid UTF-8; looks like GB18030: pass --encoding gb18030" in rejects[0].reason


def test_a_latin_1_line_is_rejected_without_a_false_hint() -> None:
    raw = line(answer="ok", contexts=[]) + '{"answer": "caf\xe9", "contexts": []}\n'.encode(
        "latin-1"
    )
    records, rejects = read(raw)
    assert len(records) == 1
    assert "0xe9" in rejects[0].reason
    assert "GB" not in rejects[0].reason


def test_bad_bytes_under_a_stated_encoding_cost_their_line_only() -> None:
    lines = DATA.encode("gb18030").splitlines()
    lines[2] = lines[2][:-20] + b"\xff\xff" + lines[2][-20:]
    records, rejects = read(b"\n".join(lines), encoding="gb18030")
    assert len(records) == 4
    assert rejects[0].line == 3
    assert "not valid GB18030" in rejects[0].reason


def test_short_gb_text_that_is_by_chance_valid_utf_8_is_believed() -> None:
    raw = b'{"answer": "\xd1\xa7\xcf\xb0", "contexts": []}'  # two characters, also valid UTF-8
    raw.decode("utf-8")
    records, _ = read(raw, encoding="gb18030")
    assert records[0].answer == raw[12:16].decode("gb18030")


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=12, max_size=80))
def test_utf_8_hanzi_are_never_taken_for_gb18030(text: str) -> None:
    with pytest.raises(InputEncodingError):
        encodings.check(text.encode(), "gb18030", "x", complete=True)


# ---- files that hold no rows ----


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b" \n\n\t\n", "is empty"),
        (gzip.compress(b""), "is empty after decompression"),
        (bytes(range(256)) * 40, "is binary"),
        (b"\0" * 5000, "is binary"),
        (os.urandom(1 << 17)[1:].replace(b"\n", b"\0"), "is binary"),
        (b"\x08\x07\x12\x07pytorch\x1a\x052.1.0" + bytes(range(256)) * 20, "is binary"),  # ONNX
        (_zip(), "ZIP or Excel"),
        (b"%PDF-1.7 ...", "a PDF file"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "a PNG image"),
        (b"SQLite format 3\0" + b"\0" * 100, "a SQLite database"),
        (b"\x80\x04\x95\x10\0\0\0", "a Python pickle"),
        (b"<html><body>404</body></html>", "neither JSON nor CSV.*<html>.*--format"),
        (b"just some words\nand more\n", "neither JSON nor CSV"),
        (b"PAR1" + b"junk" * 100, "not a readable Parquet file"),
    ],
)
@pytest.mark.parametrize("name", ["in", "in.jsonl", "in.csv"])
def test_files_without_rows(raw: bytes, words: str, name: str, tmp_path: Path) -> None:
    if "neither" in words and name != "in":
        pytest.skip("the name says the format")
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(InputError, match=words) as caught:
        list(read_records(path, on_reject=lambda _: None))
    assert str(path) in str(caught.value)


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    for path, words in [
        (tmp_path / "none.jsonl", "no such file"),
        (tmp_path, "is a directory"),
        (tmp_path / "none" / "in.jsonl", "no such file"),
        ("in\0valid", "null"),
    ]:
        with pytest.raises(InputError, match=words):
            read_records(path)
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(b"{}")
    secret.chmod(0)
    if not os.access(secret, os.R_OK):
        with pytest.raises(InputError, match="permission denied"):
            read_records(secret)


def test_an_empty_stdin_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b"")

    monkeypatch.setattr("sys.stdin", Stdin)
    with pytest.raises(InputError, match="standard input: is empty"):
        list(read_records("-"))


@given(st.binary(max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_records_rejects_or_a_clear_error(raw: bytes) -> None:
    for format in (None, "jsonl", "csv"):
        # Anything else than an error of ours fails the test.
        with contextlib.suppress(NliFaithError):
            records, rejects = read(raw, format=format)
            assert all(r.source for r in records)
            assert all(r.reason for r in rejects)


# ---- compression ----

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("name", ["in.jsonl.{}", "in.{}", "in.jsonl", "in"])
def test_compressed_files(kind: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name.format(kind)
    path.write_bytes(PACK[kind](DATA.encode()) + PACK[kind](DATA.encode()))  # two members
    assert len(list(read_records(path))) == 10


@pytest.mark.parametrize("kind", PACK)
def test_a_plain_file_with_a_compressed_name_is_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"in.jsonl.{kind}"
    path.write_text(DATA, encoding="utf-8")
    assert len(list(read_records(path))) == 5


def test_compressed_csv_by_inner_suffix(tmp_path: Path) -> None:
    path = tmp_path / "in.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    assert len(list(read_records(path))) == 1


@pytest.mark.parametrize("kind", PACK)
def test_truncated_data_gives_its_good_rows_and_then_an_error(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"in.jsonl.{kind}"
    whole = PACK[kind](DATA.encode())
    path.write_bytes(whole + PACK[kind](os.urandom(1 << 17).hex().encode())[:-200])
    rows = read_records(path, on_reject=lambda _: None)
    assert [next(rows).id for _ in range(5)] == list("01234")
    with pytest.raises(InputError, match=r"ends in the middle.*cut off"):
        list(rows)


@pytest.mark.parametrize("kind", PACK)
def test_damaged_and_foreign_bytes(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"in.jsonl.{kind}"
    noise = bytearray(PACK[kind](os.urandom(5000).hex().encode()))
    noise[len(noise) // 2 : len(noise) // 2 + 40] = b"\xff" * 40
    path.write_bytes(bytes(noise))
    with pytest.raises(InputError, match=r"damaged|ends in the middle"):
        list(read_records(path, on_reject=lambda _: None))
    path.write_bytes(PACK[kind](DATA.encode()) + b"something else")
    with pytest.raises(InputError, match=r"damaged|ends in the middle"):
        list(read_records(path, on_reject=lambda _: None))


def test_gzip_with_nul_padding_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl.gz"
    path.write_bytes(gzip.compress(DATA.encode()) + b"\0" * 1000)
    assert len(list(read_records(path))) == 5


@given(
    st.sampled_from(list(PACK)),
    st.lists(st.binary(max_size=200), max_size=4),
    st.integers(1, 50),
)
@settings(deadline=None)
def test_members_end_where_they_end(kind: str, parts: list[bytes], size: int) -> None:
    raw = b"".join(PACK[kind](part) for part in parts)
    ends, total = [], 0
    for part in parts:
        total += len(PACK[kind](part))
        ends.append(total)
    chunks = [raw[i : i + size] for i in range(0, len(raw), size)]
    found = list(compression.members(chunks, kind, "x"))  # type: ignore[arg-type]
    assert b"".join(data for data, _ in found) == b"".join(parts)
    assert [end for _, end in found if end is not None] == ends


def test_without_zstandard_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "in.jsonl.zst"
    path.write_bytes(PACK["zst"](DATA.encode()))
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"\[zstd\]"):
        list(read_records(path))


# ---- pipes ----


def test_a_named_pipe_is_read_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    first = threading.Event()
    rest = threading.Event()

    def feed() -> None:
        with open(path, "wb", buffering=0) as pipe:
            pipe.write(line(answer="甲", contexts=["乙"]))
            assert first.wait(10)
            pipe.write(line(answer="丙", contexts=["丁"]) + b"{bad\n")
            rest.set()

    thread = threading.Thread(target=feed)
    thread.start()
    rejects: list[Reject] = []
    rows = read_records(path, on_reject=rejects.append)
    assert next(rows).answer == "甲"  # the writer has not gone on yet
    first.set()
    assert [r.answer for r in rows] == ["丙"]
    thread.join(10)
    assert rejects[0].raw == "{bad"
