"""Stripping: what is left is well-formed."""

import random

import pytest

from nli_faith.datamodels import SegmentKind
from nli_faith.guard.numbering import chinese, numbered
from nli_faith.guard.pieces import cut_pieces
from nli_faith.guard.strip import Stripper
from nli_faith.text import SentenceSplitter, classify


def strip(text, *bad, granularity="sentence"):
    """The text without the claims that hold one of the words."""
    segments = classify(SentenceSplitter(granularity=granularity).split(text))
    pieces = cut_pieces(text, segments)
    stripper = Stripper()
    out = ""
    for piece in pieces:
        claims = [s.text for s in piece.segments if s.kind is SegmentKind.CLAIM]
        out += stripper.feed(piece, not any(word in c for c in claims for word in bad))
    return out + stripper.finish(text[pieces[-1].end :] if pieces else text)


LIST = (
    "根据材料，主要包括：\n1. 保修两年。电池一年。\n2. 上门取件。\n3. **可退款**：七天内。\n\n"
    "此外，门店支持维修。但是，不含电池。\n"
)


@pytest.mark.parametrize(
    ("bad", "left"),
    [
        ("上门取件", "根据材料，主要包括：\n1. 保修两年。电池一年。\n2. **可退款**：七天内。\n\n"
                  "此外，门店支持维修。但是，不含电池。\n"),
        ("保修两年", "根据材料，主要包括：\n1. 电池一年。\n2. 上门取件。\n3. **可退款**：七天内。\n\n"
                  "此外，门店支持维修。但是，不含电池。\n"),
        ("保修两年 电池一年", "根据材料，主要包括：\n1. 上门取件。\n2. **可退款**：七天内。\n\n"
                         "此外，门店支持维修。但是，不含电池。\n"),
        ("门店支持", "根据材料，主要包括：\n1. 保修两年。电池一年。\n2. 上门取件。\n"
                  "3. **可退款**：七天内。\n\n不含电池。\n"),
        ("保修 电池一年 上门 退款", "门店支持维修。但是，不含电池。\n"),
        ("不含电池", "根据材料，主要包括：\n1. 保修两年。电池一年。\n2. 上门取件。\n"
                  "3. **可退款**：七天内。\n\n此外，门店支持维修。\n"),
    ],
)  # fmt: skip
def test_lists_numbers_lead_ins_and_connectives(bad, left):
    assert strip(LIST, *bad.split()) == left


@pytest.mark.parametrize(
    ("text", "bad", "left"),
    [
        # Styles of numbers.
        ("一、甲很好。\n二、乙很好。\n三、丙很好。", "乙", "一、甲很好。\n二、丙很好。"),
        ("（一）甲很好。\n（二）乙很好。\n（三）丙很好。", "甲", "（一）乙很好。\n（二）丙很好。"),
        ("① 甲很好。\n② 乙很好。\n③ 丙很好。", "乙", "① 甲很好。\n② 丙很好。"),
        ("１、甲很好。\n２、乙很好。\n３、丙很好。", "乙", "１、甲很好。\n２、丙很好。"),
        ("a) 甲很好。\nb) 乙很好。\nc) 丙很好。", "甲", "a) 乙很好。\nb) 丙很好。"),
        ("1) One is good.\n2) Two is bad.\n3) Three is fine.", "Two",
         "1) One is good.\n2) Three is fine."),
        # Numbered from 5 on, and Markdown's lazy numbering.
        ("5. 甲很好。\n6. 乙很好。\n7. 丙很好。", "甲", "5. 乙很好。\n6. 丙很好。"),
        ("1. 甲很好。\n1. 乙很好。\n1. 丙很好。", "乙", "1. 甲很好。\n1. 丙很好。"),
        # Inside a line.
        ("1. 甲很好。2. 乙很好。3. 丙很好。", "乙", "1. 甲很好。2. 丙很好。"),
        ("1. 甲很好。2. 乙很好。3. 丙很好。", "甲", "1. 乙很好。2. 丙很好。"),
        # Bullets and nesting: each list counts for itself.
        ("- 甲很好。\n- 乙很好。\n- 丙很好。", "乙", "- 甲很好。\n- 丙很好。"),
        ("1. 甲很好。\n   1. 子一。\n   2. 子二。\n2. 乙很好。\n3. 丙很好。", "子一",
         "1. 甲很好。\n   1. 子二。\n2. 乙很好。\n3. 丙很好。"),
        # Paragraphs keep their distance.
        ("甲很好。\n\n乙很好。\n\n丙很好。", "乙", "甲很好。\n\n丙很好。"),
        ("甲很好。\n\n乙很好。\n丙很好。", "乙", "甲很好。\n\n丙很好。"),
        ("甲很好。乙很好。\n\n丙很好。", "乙", "甲很好。\n\n丙很好。"),
        ("First is true. Second is false. Third is true.", "Second",
         "First is true. Third is true."),
        ("First is false. Second is true.", "First", "Second is true."),
        ("甲很好。\n\n---\n\n乙很好。", "乙", "甲很好。"),
        ("甲很好。\n\n---\n\n乙很好。\n\n丙很好。", "乙", "甲很好。\n\n---\n\n丙很好。"),
        # A line indented under an item belongs to it and takes its marker.
        ("1. 甲很好。\n   乙很好。\n2. 丙很好。", "甲", "1. 乙很好。\n2. 丙很好。"),
        ("- 甲很好。\n\n  乙很好。\n- 丙很好。", "甲", "- 乙很好。\n- 丙很好。"),
        ("- 甲很好。\n  乙很好。\n- 丙很好。", "甲 乙", "- 丙很好。"),
        ("1. 甲很好。\n\u3000\u3000乙很好。", "甲", "\u3000\u3000乙很好。"),
        ("甲很好。\n   乙很好。", "甲", "   乙很好。"),
        # Headings go when nothing is left under them.
        ("# 总\n\n## 一\n\n甲很好。\n\n## 二\n\n乙很好。", "甲", "# 总\n\n## 二\n\n乙很好。"),
        ("# 总\n\n## 一\n\n甲很好。\n\n# 别\n\n乙很好。", "甲", "# 别\n\n乙很好。"),
        ("标题\n====\n\n甲很好。\n\n其他\n----\n\n乙很好。", "乙", "标题\n====\n\n甲很好。"),
        # Emphasis, quotes and brackets stay in pairs.
        ("**甲很好。乙很好。**丙很好。", "甲", "**乙很好。**丙很好。"),
        ("**甲很好。乙很好。**丙很好。", "乙", "**甲很好。**丙很好。"),
        ("**甲很好。乙很好。**丙很好。", "甲 乙", "丙很好。"),
        # Citations belong to their sentence.
        ("甲很好[1]。乙很好[2]。丙很好[3]。", "乙", "甲很好[1]。丙很好[3]。"),
    ],
)  # fmt: skip
def test_layout(text, bad, left):
    assert strip(text, *bad.split()) == left


TABLE = (
    "前言说得很好。\n\n| 项目 | 值 |\n|---|---|\n| 保修 | 两年 |\n| 电池 | 一年 |\n\n后面还有话。\n"
)


@pytest.mark.parametrize(
    ("bad", "left"),
    [
        ("保修", "前言说得很好。\n\n| 项目 | 值 |\n|---|---|\n| 电池 | 一年 |\n\n后面还有话。\n"),
        ("电池", "前言说得很好。\n\n| 项目 | 值 |\n|---|---|\n| 保修 | 两年 |\n\n后面还有话。\n"),
        ("保修 电池", "前言说得很好。\n\n后面还有话。\n"),
        ("后面", "前言说得很好。\n\n| 项目 | 值 |\n|---|---|\n| 保修 | 两年 |\n| 电池 | 一年 |"),
    ],
)  # fmt: skip
def test_tables_keep_their_header(bad, left):
    assert strip(TABLE, *bad.split()).rstrip("\n") == left.rstrip("\n")


def test_html_tables():
    row = "<tr><td>{}</td><td>{}</td></tr>"
    head = "前言在此。\n<table><tr><th>项目</th><th>值</th></tr>"
    rows = [row.format("保修", "两年"), row.format("电池", "一年")]
    text = head + "".join(rows) + "</table>\n后面还有话。"
    assert strip(text) == text
    assert strip(text, "保修") == head + rows[1] + "</table>\n后面还有话。"
    assert strip(text, "电池") == head + rows[0] + "</table>\n后面还有话。"
    assert strip(text, "保修", "电池") == "前言在此。\n后面还有话。"


@pytest.mark.parametrize(
    ("text", "bad", "left"),
    [
        ("甲很好。因此，乙很好。", "甲", "乙很好。"),
        ("甲很好。因此乙很好。", "甲", "乙很好。"),
        ("甲很好。因此次事故乙受损。", "甲", "因此次事故乙受损。"),
        ("甲很好。但乙不行。", "甲", "乙不行。"),
        ("甲很好。但凡乙在就行。", "甲", "但凡乙在就行。"),
        ("甲很好。乙很好。此外，丙很好。", "乙", "甲很好。此外，丙很好。"),
        ("甲很好。此外，丙很好。", "甲", "丙很好。"),
        ("首先，甲很好。其次，乙很好。", "甲", "乙很好。"),
        ("甲很好。乙很好。然而，丙不行。", "乙", "甲很好。丙不行。"),
        ("甲很好。然而，乙不行。丙很好。", "丙", "甲很好。然而，乙不行。"),
        ("甲很好。**但是**，乙不行。", "甲", "乙不行。"),
        ("甲很好。同理，乙很好。", "甲", "乙很好。"),
        ("甲很好。乙很好。更重要的是，丙很好。", "乙", "甲很好。更重要的是，丙很好。"),
        ("甲很好。更重要的是，丙很好。", "甲", "丙很好。"),
        ("It grew. However, it fell.", "grew", "It fell."),
        ("It grew. But it fell.", "grew", "It fell."),
        ("It grew. Sofas sell well.", "grew", "Sofas sell well."),
        ("甲很好。最后由丙公司完成。", "甲", "最后由丙公司完成。"),
    ],
)  # fmt: skip
def test_connectives(text, bad, left):
    assert strip(text, bad) == left


@pytest.mark.parametrize(
    ("bad", "left"),
    [
        ("营收", "净利润下降；现金流改善。结论是好的。"),
        ("净利润", "公司营收增长；现金流改善。结论是好的。"),
        ("现金流", "公司营收增长，净利润下降。结论是好的。"),
        ("净利润 现金流", "公司营收增长。结论是好的。"),
        ("结论", "公司营收增长，净利润下降；现金流改善。"),
    ],
)
def test_clauses_end_their_sentence(bad, left):
    text = "公司营收增长，净利润下降；现金流改善。结论是好的。"
    assert strip(text, *bad.split(), granularity="clause") == left


def test_an_empty_section_that_was_empty_before_stays():
    text = "# 总\n\n## 空\n\n## 二\n\n甲很好。乙很好。\n\n## 末\n"
    assert strip(text) == text
    assert strip(text, "乙") == "# 总\n\n## 空\n\n## 二\n\n甲很好。\n\n## 末\n"


def test_nothing_left():
    assert strip("甲很好。\n\n- 乙很好。\n", "甲", "乙") == ""
    assert strip("") == ""
    assert strip("\n\n") == ""


ALPHABET = (
    "甲很好。", "乙不行！", "丙如何？", "但是，", "此外，", "\n", "\n\n", "- ", "1. ", "2. ", "3. ",
    "一、", "二、", "# ", "## ", "**", "“", "”", "（", "）", "主要包括：", "| a | b |\n", "|---|---|\n",
    "| 丁 | 戊 |\n", "```\n", "It fell. ", "However, ", "[1]", "；", "，", " ", "---\n", "<table>",
    "<tr><td>己</td></tr>", "</table>", "abc", "3.5", "您好！",
)  # fmt: skip


def cases(n):
    rng = random.Random(11)
    for _ in range(n):
        yield "".join(rng.choice(ALPHABET) for _ in range(rng.randint(1, 25))), rng


@pytest.mark.parametrize("granularity", ["sentence", "clause"])
def test_nothing_removed_is_nothing_changed(granularity):
    for text, _ in cases(1500):
        segments = classify(SentenceSplitter(granularity=granularity).split(text))
        pieces = cut_pieces(text, segments)
        stripper = Stripper()
        out = "".join(stripper.feed(p, True) for p in pieces)
        out += stripper.finish(text[pieces[-1].end :] if pieces else text)
        assert out == text or not pieces


def test_what_stays_is_there_and_what_goes_is_gone():
    letters = "子丑寅卯辰巳午未申酉戌亥"
    for text, rng in cases(1500):
        marked = text
        for letter in letters:  # a sentence each, which can be told apart
            marked = marked.replace("甲很好", letter + "很稳定", 1)
        pieces = cut_pieces(marked, classify(SentenceSplitter().split(marked)))
        stripper, out, gone, stay = Stripper(), "", set(), set()
        for piece in pieces:
            claim = all(s.kind is SegmentKind.CLAIM for s in piece.segments)
            keep = not claim or rng.random() < 0.5
            out += stripper.feed(piece, keep)
            (stay if keep else gone).update(c for c in piece.body if c in letters)
        out += stripper.finish(marked[pieces[-1].end :] if pieces else marked)
        orphaned = {c for orphan in stripper.orphans for c in orphan}
        assert not gone & set(out)
        assert stay - orphaned <= set(out)


def test_linear_time():
    text = "甲很好。乙不行。\n- 丙很好。\n" * 5000
    pieces = cut_pieces(text, classify(SentenceSplitter().split(text)))
    stripper = Stripper()
    out = "".join(stripper.feed(p, i % 2 == 0) for i, p in enumerate(pieces))
    assert len(out) > 10_000


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "一"), (10, "十"), (12, "十二"), (20, "二十"), (21, "二十一"), (103, "一百零三"),
     (110, "一百一十")],
)  # fmt: skip
def test_chinese_numbers(number, text):
    assert chinese(number) == text


def test_numbered_markers():
    found = numbered("## 1.2 ", "甲很好")
    assert (found.style, found.value) == ("nested", (1, 2))
    assert numbered("- ", "甲") is None
    assert numbered("IV. ", "甲") is None
