"""Sentence splitting: given cases, own neighbours, options, offsets, blocks."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from nli_faith.datamodels import Block, Segment, SegmentKind
from nli_faith.errors import ConfigError
from nli_faith.text import SentenceSplitter, split

HERE = Path(__file__).resolve().parent
CASES = HERE.parents[1] / ".." / "shared" / "cases"


def texts(segments: list[Segment]) -> list[str]:
    return [segment.text for segment in segments]


def shared(name: str) -> list[dict]:
    path = CASES / name
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def neighbours() -> list[tuple[str, list[str]]]:
    found = []
    for line in (HERE / "split_cases.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("# input"):
            continue
        for short, char in (("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t")):
            line = line.replace(short, char)
        given, expected = line.split(" => ")
        found.append((given, expected.split("¦")))
    return found


@pytest.mark.skipif(not CASES.exists(), reason="the folder of shared cases is absent")
@pytest.mark.parametrize("case", shared("split.jsonl"), ids=lambda case: case["id"])
def test_shared_case(case: dict) -> None:
    assert texts(split(case["input"])) == case["expected"], case["why"]


@pytest.mark.skipif(not CASES.exists(), reason="the folder of shared cases is absent")
@pytest.mark.parametrize(
    "case",
    [case for case in shared("robust.jsonl") if case["input"].get("call") == "split"],
    ids=lambda case: case["id"],
)
def test_shared_robust_case(case: dict) -> None:
    given, expected = case["input"]["text"], case["expected"]
    if isinstance(given, dict):
        given = given["repeat"] * given["times"]
    start = time.perf_counter()
    segments = split(given)
    assert time.perf_counter() - start < expected.get("max_seconds", 5)
    if "sentences" in expected:
        assert texts(segments) == expected["sentences"]
    if "max_piece_chars" in expected:
        assert max(len(segment.text) for segment in segments) <= expected["max_piece_chars"]
    if expected.get("lossless"):
        kept = "".join(given[segment.start : segment.end] for segment in segments)
        assert "".join(kept.split()) == "".join(given.split())


@pytest.mark.parametrize(("given", "expected"), neighbours())
def test_neighbour(given: str, expected: list[str]) -> None:
    assert texts(split(given)) == expected


def test_offsets_point_into_the_original_across_dropped_characters() -> None:
    given = "\ufeff甲\u200b方付款。\r\n\r\n乙\x00方发货。\r\n"
    segments = split(given)
    assert texts(segments) == ["甲方付款。", "乙方发货。"]
    assert [given[s.start : s.end] for s in segments] == ["甲\u200b方付款。", "乙\x00方发货。"]


def test_offsets_of_joined_lines_delimit_both_lines() -> None:
    given = "费用包括住宿、\n餐饮。另有押金。"
    first, second = split(given)
    assert first.text == "费用包括住宿、餐饮。"
    assert given[first.start : first.end] == "费用包括住宿、\n餐饮。"
    assert given[second.start : second.end] == second.text


def test_offsets_of_a_table_row_delimit_its_cells() -> None:
    given = "| 渠道 | 时限 |\n| --- | --- |\n| 网银 | 3天 |"
    (row,) = split(given)
    assert given[row.start : row.end] == "网银 | 3天"
    assert row.block is Block.TABLE_ROW


def test_blocks_kinds_and_headings() -> None:
    given = (
        "# 费用\n说明如下。\n- 甲\n\n```\nx\n```\n\n| 名 | 值 |\n|-|-|\n| 乙 | 1 |\n\n## 其他\n完。"
    )
    found = [(s.text, s.block, s.kind, s.heading) for s in split(given)]
    assert found == [
        ("费用", Block.HEADING, SegmentKind.HEADING, None),
        ("说明如下。", Block.PARAGRAPH, SegmentKind.CLAIM, "费用"),
        ("甲", Block.LIST_ITEM, SegmentKind.CLAIM, "费用"),
        ("```\nx\n```", Block.CODE, SegmentKind.CODE, "费用"),
        ("名：乙；值：1", Block.TABLE_ROW, SegmentKind.CLAIM, "费用"),
        ("其他", Block.HEADING, SegmentKind.HEADING, None),
        ("完。", Block.PARAGRAPH, SegmentKind.CLAIM, "其他"),
    ]


@pytest.mark.parametrize(
    ("newline", "expected"),
    [
        ("hard", ["甲方应当、", "乙方不得。", "丙"]),
        ("soft", ["甲方应当、乙方不得。", "丙"]),
        ("auto", ["甲方应当、乙方不得。", "丙"]),
    ],
)
def test_newline_modes(newline: str, expected: list[str]) -> None:
    assert texts(split("甲方应当、\n乙方不得。\n\n丙", newline=newline)) == expected


def test_soft_newline_joins_short_lines() -> None:
    assert texts(split("房间\n安静", newline="soft")) == ["房间安静"]
    assert texts(split("quiet\nroom", newline="soft")) == ["quiet room"]


def test_lines_that_all_end_in_a_semicolon_are_items() -> None:
    given = "甲方负责设计与施工；\n乙方负责验收与付款；\n丙方负责监理。"
    assert texts(split(given)) == given.split("\n")


def test_uneven_lines_without_any_stop_are_items() -> None:
    lines = [
        "成人票两张加儿童票一张合计三百二十元整",
        "学生凭证件可以购买半价票",
        "团体票须提前三天通过官方公众号进行预约登记",
    ]
    assert texts(split("\n".join(lines))) == lines


@pytest.mark.parametrize("limit", [8, 20, 50, 400])
def test_no_piece_over_the_limit(limit: int) -> None:
    given = (
        "总价为1,234,567.89元，另付运费３００元；其余各项按照合同约定执行，不再另行通知" * 30
        + "\n\n| 名称 | 说明 |\n|---|---|\n| 甲 | "
        + "很长的单元格内容" * 60
        + " |\n"
    )
    segments = split(given, max_chars=limit)
    assert max(len(segment.text) for segment in segments) <= limit
    starts = [segment.start for segment in segments]
    assert starts == sorted(starts)


def test_cutting_prefers_semicolon_then_comma_and_spares_numbers() -> None:
    pieces = texts(split("甲" * 30 + "；" + "乙" * 30 + "，" + "丙" * 30, max_chars=50))
    assert pieces == ["甲" * 30 + "；", "乙" * 30 + "，", "丙" * 30]
    number = "1234567890"
    pieces = texts(split("甲" * 16 + number + "乙" * 16, max_chars=20))
    assert any(number in piece for piece in pieces)
    assert all(len(piece) <= 20 for piece in pieces)


def test_cutting_spares_emoji_sequences_and_combining_signs() -> None:
    family = "👨‍👩‍👧‍👦"
    pieces = texts(split("字" * 17 + family + "字" * 30, max_chars=20))
    assert any(family in piece for piece in pieces)
    accents = "e\u0301" * 40
    for piece in texts(split(accents, max_chars=15)):
        assert not piece.startswith("\u0301")
    flags = "字" + "🇨🇳" * 30
    for piece in texts(split("字" + flags + "字", max_chars=15)):
        assert piece.count("🇨") == piece.count("🇳")


def test_long_sections_numbered_in_chinese_head_what_follows() -> None:
    given = "一、总体要求\n坚持节约。\n\n二、主要任务\n（一）加强管理\n建立台账。"
    segments = split(given)
    assert [s.heading for s in segments if s.block is not Block.HEADING] == ["总体要求", "加强管理"]


def test_ambiguous_markers_are_read_by_their_neighbours() -> None:
    assert texts(split("一、二线城市价格上涨。")) == ["一、二线城市价格上涨。"]
    assert texts(split("一、三月工作回顾\n二、四月工作安排")) == ["三月工作回顾", "四月工作安排"]
    assert texts(split("1.5 倍")) == ["1.5 倍"]
    assert texts(split("1.5 倍数\n1.6 余数")) == ["倍数", "余数"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", []),
        (" \n\t\u3000\n", []),
        ("。！？……", []),
        ("1.\n2.\n", []),
        ("🎉", []),
        ("\x00\ufeff", []),
        ("7", ["7"]),
        ("\ud800中。", ["\ufffd中。"]),
        ("\ud842\udfb7野家。", ["𠮷野家。"]),
    ],
)
def test_little_or_no_content(given: str, expected: list[str]) -> None:
    assert texts(split(given)) == expected


def test_table_keeps_its_header_when_no_row_has_content() -> None:
    assert texts(split("| 名 | 值 |\n|---|---|\n|  |  |")) == ["名；值"]


def test_long_header_is_a_row_of_its_own() -> None:
    header = "非常长的表头" * 15
    found = texts(split(f"| 名 | {header} |\n|---|---|\n| 甲 | 乙 |"))
    assert found == [f"名；{header}", "名：甲；乙"]


def test_html_table_with_spans_and_caption() -> None:
    given = (
        "<table><caption>价目</caption><tr><th>名</th><th colspan=2>价</th></tr>"
        "<tr><td>甲&amp;乙</td><td>1</td><td>2<br>元</td></tr></table>尾。"
    )
    assert texts(split(given)) == ["价目", "名：甲&乙；价：1；价：2 元", "尾。"]


def test_iterating_is_the_same_and_streams() -> None:
    splitter = SentenceSplitter()
    given = "甲。\n\n乙。丙。\n\n" * 50
    assert list(splitter.iter_segments(given)) == splitter.split(given)
    assert next(splitter.iter_segments("甲。\n\n" * 100_000)).text == "甲。"


def test_one_splitter_serves_many_threads() -> None:
    splitter = SentenceSplitter()
    given = "“可以。”他说。（见图1。）价格为1.5元！\n- 甲\n- 乙\n" * 40
    expected = splitter.split(given)
    wrong: list[int] = []

    def work() -> None:
        for _ in range(5):
            if splitter.split(given) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    "options",
    [{"max_chars": 0}, {"max_chars": 4.5}, {"newline": "maybe"}, {"granularity": "word"}],
)
def test_options_that_cannot_work(options: dict) -> None:
    with pytest.raises(ConfigError, match=str(next(iter(options.values())))):
        SentenceSplitter(**options)
