"""JSON lines, JSON and CSV: rows, rejects, places."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, InputError, RecordError
from nli_faith.io import Reject, delimited, dumps, read_records
from nli_faith.io.jsonarray import ItemScanner, read_json
from nli_faith.io.rows import OverlongLine, iter_lines

from .support import line, read

GOOD = {"answer": "保修两年。", "contexts": ["整机保修两年。"]}
ROW = json.dumps(GOOD, ensure_ascii=False).encode()


def test_invalid_json_in_line_17_is_rejected_and_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes((ROW + b"\n") * 16 + ROW[:30] + b"\n" + (ROW + b"\n") * 3)
    rejects: list[Reject] = []
    records = list(read_records(path, on_reject=rejects.append))
    assert [r.id for r in records] == [f"row-{n}" for n in range(1, 21) if n != 17]
    (reject,) = rejects
    assert (reject.source, reject.line, reject.field) == (str(path), 17, None)
    assert reject.reason.startswith("invalid JSON at column ")
    assert "cut off?" in reject.reason
    assert reject.raw == ROW[:30].decode()
    with pytest.raises(RecordError) as caught:
        list(read_records(path))
    assert str(caught.value).startswith(f"{path}:17: invalid JSON at column ")
    assert str(reject.error()) == str(caught.value)


@pytest.mark.parametrize(
    ("bad", "field", "words"),
    [
        (b"{'answer': 'x', 'contexts': []}", None, "single quotes"),
        (b'{"answer": "x" "contexts": []}', None, "column 16"),
        (b'{"answer": "x", "contexts": []},', None, "extra data"),
        (b"[1, 2]", None, "expected an object with fields, got list"),
        (b"null", None, "got NoneType"),
        (b'"text"', None, "got str"),
        (b"17", None, "got int"),
        (b"{}", "answer", "no keys at all"),
        (b'{"answer": "x"}', "contexts", "missing"),
        (b'{"answer": ["x"], "contexts": []}', "answer", "got list"),
        (b'{"answer": "a", "answer": "b", "contexts": []}', "answer", "given twice"),
        (b'{"id": 1, "answer": "a", "contexts": [], "id": 2}', "id", "given twice"),
        (b'{"answer": "\xff", "contexts": []}', None, "byte 0xff at column 13 is not valid UTF-8"),
        (b'{"answer": "x", "contexts": ' + b"[" * 5000 + b"]" * 5000 + b"}", None, "too deeply"),
        (b'{"answer": "x", "contexts": [], "n": ' + b"9" * 5000 + b"}", None, "digits"),
        (b"\x00\x00\x00\x00", None, "invalid JSON"),
    ],
)
def test_bad_lines(bad: bytes, field: str | None, words: str) -> None:
    if "digits" in words and sys.version_info < (3, 10, 7):
        pytest.skip("integers of any length are read here")
    records, rejects = read(ROW + b"\n" + bad + b"\n" + ROW)
    assert [r.id for r in records] == ["row-1", "row-3"]
    (reject,) = rejects
    assert (reject.line, reject.field) == (2, field)
    assert words in reject.reason
    assert reject.raw == bad.decode("utf-8", "backslashreplace")  # a stream: whole


@pytest.mark.parametrize(
    ("text", "answer", "contexts"),
    [
        (rb'{"answer": "\ud83d ok", "contexts": ["\udc00"]}', "\ud83d ok", ("\udc00",)),
        (rb'{"answer": "\ud83d\ude00", "contexts": []}', "😀", ()),
        (rb'{"answer": "a\u0000b", "contexts": []}', "a\0b", ()),
        (b'{"answer": "a\x00b\tc", "contexts": []}', "a\0b\tc", ()),  # raw controls: lenient
        (b'{"answer": "\xed\xa0\xbd\xed\xb8\x80", "contexts": []}', "😀", ()),  # CESU-8
        (b'{"answer": null, "contexts": NaN, "score": -Infinity}', "", ()),
        (b'{"answer": "a", "answer": "a", "contexts": []}', "a", ()),
        (b'\xef\xbb\xbf{"answer": "a", "contexts": []}', "a", ()),
        (b'  {"answer": "a", "contexts": []}  \r', "a", ()),
        (b'{"answer": "a", "contexts": [], "n": 1e999}', "a", ()),
    ],
)
def test_odd_but_readable(text: bytes, answer: str, contexts: tuple[str, ...]) -> None:
    records, rejects = read(ROW + b"\n" + text + b"\n")
    assert not rejects
    assert (records[1].answer, records[1].contexts) == (answer, contexts)
    assert json.loads(dumps({"answer": records[1].answer}))["answer"] == answer


def test_same_words_in_a_nested_object_are_no_double_key() -> None:
    row = {**GOOD, "variants": [{"question": "多久？", "answer": "两年", "contexts": []}] * 2}
    records, rejects = read(line(**row, note='{"answer": "answer"}'))
    assert not rejects
    assert len(records[0].variants) == 2


def test_ids_beyond_64_bits_keep_their_digits() -> None:
    records, _ = read(b'{"id": 123456789012345678901234567890, "answer": "", "contexts": []}')
    assert records[0].id == "123456789012345678901234567890"
    records, _ = read(b'[{"id": 18446744073709551617, "answer": "", "contexts": []}]')
    assert records[0].id == "18446744073709551617"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b"\n\n  \n"])
def test_line_ends_and_blank_lines(end: bytes) -> None:
    records, rejects = read(end.join([ROW, ROW, ROW]), format="jsonl")
    assert (len(records), rejects) == (3, [])
    records, rejects = read(end.join([ROW, ROW, ROW, b""]))
    assert (len(records), rejects) == (3, [])


def test_carriage_returns_inside_a_long_first_line_are_no_line_ends() -> None:
    answer = b"a\rb" * 30_000
    records, rejects = read(b'{"answer": "' + answer + b'", "contexts": []}')
    assert not rejects
    assert records[0].answer == answer.decode()


def test_default_ids_and_sources_follow_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(ROW + b"\n\n" + ROW + b"\n")
    records = list(read_records(str(path)))
    assert [(r.id, r.source) for r in records] == [("row-1", f"{path}:1"), ("row-3", f"{path}:3")]


# ---- JSON arrays and objects ----


@pytest.mark.parametrize(
    "text",
    [
        b"[" + ROW + b"," + ROW + b"]",
        json.dumps([GOOD, GOOD], indent=2).encode(),
        b"\n\n [ " + ROW + b"\n,\n" + ROW + b" ] \n\n",
        json.dumps(GOOD, indent=4).encode() + b"\n" + json.dumps(GOOD, indent=4).encode(),
        ROW + b"\n" + ROW,
    ],
)
@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x", "x.txt"])
def test_json_by_content_whatever_the_name(text: bytes, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(text)
    records = list(read_records(path))
    assert [r.answer for r in records] == [GOOD["answer"]] * 2
    assert [r.id for r in records] == ["row-1", "row-2"]


def test_one_object_over_several_lines_is_one_record() -> None:
    records, rejects = read(json.dumps(GOOD, indent=2, ensure_ascii=False).encode())
    assert (len(records), rejects) == (1, [])


def test_an_array_gives_places_and_goes_on_behind_bad_items() -> None:
    items = [ROW, b'{"answer": }', b"5", ROW, b"", ROW]
    records, rejects = read(b"[\n" + b",\n".join(items) + b"\n]")
    assert [r.id for r in records] == ["row-1", "row-4", "row-6"]
    assert [r.source for r in records] == ["<stream>:2", "<stream>:5", "<stream>:7"]
    assert [(r.line, r.reason.split(":")[0]) for r in rejects] == [
        (3, "item 2"), (4, "expected an object with fields, got int (5)"), (6, "item 5"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "good", "words"),
    [
        (b"[" + ROW + b"," + ROW[:20], 1, "ends in item 2"),
        (b"[" + ROW + b",", 1, "ends behind item 1"),
        (b"[" + ROW, 1, "ends behind item 1"),
        (b"[" + ROW + b", ]", 1, "nothing between commas"),
        (b"[" + ROW + b"] " + ROW, 1, "behind the end"),
        (b'[{"answer": "x', 0, "ends in item 1"),
        (b"[", 0, "ends behind item 0"),
    ],
)
def test_broken_arrays_keep_what_is_whole(text: bytes, good: int, words: str) -> None:
    records, rejects = read(text)
    assert len(records) == good
    assert words in rejects[-1].reason
    assert len(rejects) == 1


def test_an_empty_array_is_no_records() -> None:
    assert read(b"[]") == ([], [])
    assert read(b" [\n ] \n") == ([], [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=4), max_size=6), st.data())
@settings(max_examples=100, deadline=None)
def test_the_scanner_finds_the_items_however_the_chunks_fall(
    rows: list, data: st.DataObject
) -> None:
    text = json.dumps(rows, ensure_ascii=data.draw(st.booleans()), indent=1)
    raw = text.encode("utf-8", "surrogatepass")
    size = data.draw(st.integers(1, max(1, len(raw))))
    chunks = [raw[i : i + size] for i in range(0, len(raw), size)]
    found = list(read_json(iter(chunks), name="x"))
    assert [row.problem for row in found] == [None] * len(rows)
    assert [row.value for row in found] == json.loads(text)
    for row in found:
        assert raw.split(b"\n")[row.line - 1].lstrip().startswith(b"{")


@given(st.binary(max_size=60), st.integers(1, 7))
def test_the_scanner_survives_anything(raw: bytes, size: int) -> None:
    for start in (b"[", b"{"):
        text = start + raw
        chunks = [text[i : i + size] for i in range(0, len(text), size)]
        whole = list(ItemScanner().items([text]))
        assert list(ItemScanner().items(chunks)) == whole


def test_an_item_without_end_does_not_eat_the_memory() -> None:
    def endless() -> Iterator[bytes]:
        yield b'[{"answer": "'
        while True:
            yield b"x" * 100_000

    with pytest.raises(InputError, match="item 1 is too long: a quote"):
        list(read_json(endless(), name="x", limit=1 << 20))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b'{"data": [' + ROW + b"," + ROW + b"]}", "the rows are those in 'data'"),
        (
            b'{"question": ["q", "r"], "answer": ["a", "b"], "contexts": [["c"], ["d"]]}',
            "looks like columns",
        ),
    ],
)
def test_one_object_that_holds_many_rows_is_explained(text: bytes, words: str) -> None:
    records, rejects = read(text)
    assert not records
    assert words in rejects[0].reason
    assert rejects[0].field == "answer"


@pytest.mark.parametrize("noise", [b"[INFO] start", b"# comment", b"17", b"[1] x"])
def test_lines_with_some_noise_before_them_are_json_lines(noise: bytes) -> None:
    records, rejects = read(noise + b"\n" + ROW + b"\n" + ROW)
    assert [r.id for r in records] == ["row-2", "row-3"]
    assert len(rejects) == 1


# ---- lines ----


@given(st.lists(st.sampled_from([b"a", b"bb", b"\n", b"\r", b"\n\n", b""])))
def test_lines_are_those_of_the_text_however_chunked(chunks: list[bytes]) -> None:
    text = b"".join(chunks)
    expected = text.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert list(iter_lines(chunks)) == expected


def test_an_overlong_line_is_skipped_and_the_next_is_read() -> None:
    chunks = [b"ab\n"] + [b"x" * 1000] * 50 + [b"\ncd\n"]
    found = list(iter_lines(chunks, limit=5000))
    assert found[0] == b"ab"
    assert isinstance(found[1], OverlongLine)
    assert len(found[1]) == 4096
    assert found[2] == b"cd"


# ---- rows in memory, streams, arguments ----


def test_rows_in_memory() -> None:
    record = Record("x", "答", ("文",))
    rejects: list[Reject] = []
    rows = [GOOD, record, {"answer": 3, "contexts": []}, ["no row"], {**GOOD, "id": 9}]
    found = list(read_records(rows, on_reject=rejects.append))  # type: ignore[arg-type]
    assert [r.id for r in found] == ["row-1", "x", "9"]
    assert found[1] is record
    assert [(r.source, r.line) for r in rejects] == [("<rows>", 3), ("<rows>", 4)]
    assert json.loads(rejects[0].raw) == {"answer": 3, "contexts": []}


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(ROW + b"\n{}\n")

    monkeypatch.setattr(sys, "stdin", Stdin)
    rejects: list[Reject] = []
    (record,) = read_records("-", on_reject=rejects.append)
    assert record.source == "<stdin>:1"
    assert (rejects[0].source, rejects[0].line) == ("<stdin>", 2)
    assert not Stdin.buffer.closed


def test_arguments_are_checked_before_the_first_row() -> None:
    for options, words in [
        ({"format": "xml"}, "format 'xml' is unknown"),
        ({"encoding": "utf-99"}, "encoding 'utf-99' is unknown"),
        ({"encoding": "base64"}, "encoding 'base64' is"),
        ({"mapping": {"anwser": "x"}}, "no field 'anwser'"),
    ]:
        with pytest.raises(ConfigError, match=words):
            read_records(io.BytesIO(ROW), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [GOOD, 17, b"answer", None])
def test_sources_that_are_none(source: object) -> None:
    with pytest.raises(InputError, match="cannot read records from"):
        read_records(source)  # type: ignore[arg-type]


def test_a_text_stream_is_refused_clearly() -> None:
    with pytest.raises(InputError, match="open it with 'rb'"):
        list(read_records(io.StringIO("x")))  # type: ignore[arg-type]


def test_a_read_error_in_the_middle_comes_after_the_good_rows() -> None:
    class Failing(io.RawIOBase):
        def __init__(self) -> None:
            self.parts = iter([ROW + b"\n" + ROW + b"\n" + ROW[:5]])

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            for part in self.parts:
                return part
            raise OSError(5, "Input/output error")

    rows = read_records(Failing(), format="jsonl")  # type: ignore[arg-type]
    assert [next(rows).id, next(rows).id] == ["row-1", "row-2"]
    with pytest.raises(InputError, match="cannot be read: Input/output error"):
        next(rows)


def test_rejects_of_files_are_short_and_of_streams_whole(tmp_path: Path) -> None:
    bad = ROW[:-1] + b', "x": "' + "长".encode() * 5000 + b'"'
    path = tmp_path / "a.jsonl"
    path.write_bytes(bad + b"\n")
    rejects: list[Reject] = []
    list(read_records(path, on_reject=rejects.append))
    assert len(rejects[0].raw) < 2100
    assert "bytes in all" in rejects[0].raw
    assert read(bad + b"\n" + ROW)[1][0].raw == bad.decode()


# ---- CSV ----

CSV = (
    "id,question,answer,contexts,标签\r\n"
    '1,保修多久？,"保修""两年""，全国联保。","第一条\r\n第二条, 带逗号",客服\r\n'
    '2,多少钱？,300元,"[""房价300元"", ""含早餐""]",\r\n'
    ",,,,\r\n"
)


def test_csv_after_rfc_4180() -> None:
    records, rejects = read(CSV.encode())
    assert not rejects
    assert records[0].answer == '保修"两年"，全国联保。'
    assert records[0].contexts == ("第一条\r\n第二条, 带逗号",)
    assert records[0].meta == {"标签": "客服"}
    assert records[1].contexts == ("房价300元", "含早餐")
    assert [r.id for r in records] == ["1", "2", "row-3"]
    assert (records[2].answer, records[2].contexts) == ("", ())
    assert [r.source for r in records] == ["<stream>:2", "<stream>:4", "<stream>:5"]


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_csv_dialects(bom: bytes, end: str, sign: str) -> None:
    text = end.join(sign.join(row) for row in [["answer", "contexts"], ["甲", "乙"], ["丙", "丁"]])
    records, rejects = read(bom + text.encode())
    assert not rejects
    assert [(r.answer, r.contexts) for r in records] == [("甲", ("乙",)), ("丙", ("丁",))]


def test_excel_states_its_separator() -> None:
    records, rejects = read(b"sep=;\r\nanswer;contexts\r\na,b;c\r\n")
    assert not rejects
    assert (records[0].answer, records[0].contexts) == ("a,b", ("c",))
    assert records[0].source == "<stream>:3"


def test_csv_is_known_by_the_mapped_columns_too() -> None:
    text = "模型回答;检索片段\n甲;乙\n".encode()
    with pytest.raises(InputError, match="neither JSON nor CSV"):
        read(text)
    records, _ = read(text, mapping={"answer": "模型回答", "contexts": "检索片段"})
    assert (records[0].answer, records[0].contexts) == ("甲", ("乙",))


def test_tsv_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('answer\tcontexts\n"甲\t1"\t乙,丙\n', encoding="utf-8")
    (record,) = read_records(path)
    assert (record.answer, record.contexts) == ("甲\t1", ("乙,丙",))


def test_csv_rows_of_a_wrong_width_or_encoding_are_rejected() -> None:
    text = b'answer,contexts\na,b\na,b,c\na\n"a"x,b\n\na,\xff\na,b\na,"never closed\na,b\n'
    records, rejects = read(text)
    assert [r.source for r in records] == ["<stream>:2", "<stream>:8"]
    assert [r.line for r in rejects] == [3, 4, 5, 7, 9]
    words = ["3 cells where the header has 2", "1 cells", "bad CSV", "0xff", "quote is not closed"]
    for reject, expected in zip(rejects, words, strict=True):
        assert expected in reject.reason
    assert rejects[0].raw == "a,b,c\n"


@pytest.mark.parametrize("refuses", [True, False])
def test_csv_with_nul_characters(refuses: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not refuses and sys.version_info < (3, 11):
        pytest.skip("the csv module refuses NUL here")
    monkeypatch.setattr(delimited, "_REFUSES_NUL", refuses)
    records, rejects = read(b'answer,contexts\n"a\0b",c\0\nd,e\n')
    assert not rejects
    assert [(r.answer, r.contexts) for r in records] == [("a\0b", ("c\0",)), ("d", ("e",))]


def test_csv_with_a_big_field() -> None:
    big = "长" * 300_000
    records, rejects = read(f'answer,contexts\n"{big}",x\n'.encode())
    assert not rejects
    assert records[0].answer == big


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("question,contexts\na,b\n", "field 'answer': missing; it has 'question', 'contexts'"),
        ("answer,response,contexts\na,b,c\n", "could both be meant"),
        ("answer,contexts,answer\na,b,c\n", "names 'answer' twice"),
        ('answer,"contexts\n', "bad CSV header"),
    ],
)
def test_csv_headers_that_will_not_do(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(text.encode(), format="csv")


def test_csv_blank_and_double_unknown_columns() -> None:
    records, _ = read(b",answer,contexts,x,x\n0,a,b,1,2\n")
    assert records[0].meta == {"column_1": "0", "x": "1", "x.5": "2"}


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=["Cs"])) for _ in range(2)]),
        min_size=1,
    )
)
@settings(deadline=None)
def test_csv_round_trip(cells: list[tuple[str, str]]) -> None:
    import csv

    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL)
    writer.writerows([("answer", "note", "contexts"), *((*row, "x") for row in cells)])
    records, rejects = read(buffer.getvalue().encode(), format="csv")
    assert not rejects
    assert [(r.answer, r.meta["note"]) for r in records] == cells
