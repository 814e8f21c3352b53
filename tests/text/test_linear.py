"""Time grows linearly with length on input made to hurt."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from nli_faith.text import SentenceSplitter, clean, extract, fold, model_text, split

SINGLE = [
    *".。（(“\"'-#|`*> \na1中🎉，；：、…?！）”[【《<~_①一",
    *"\u3000\u0301\u200b\x00\r\ud800．=\u200d🇨^&/@",
]
PATTERNS = [
    *("a.a.a.", "（「", "1、", "| a |\n", "（。", "。）", "a. ", "**。", "。**，", "```a\n", "`a"),
    *("<table>\n", "[1]", "（一）", "一、", "Mr. ", "http://a", "|a|b\n|-|-\n", "“啊。”说"),
    *("“啊。”b说", "。      ", "😀。", "。（见", "。[1", "【1", "...a ", "<br>", "&amp;", "a\\|"),
    *("](", "[a](", "*a", "_a", "~~~\n```\n", "a  b", "a：\n", "（a\n"),
]


def seconds(call: Callable[[str], object], text: str) -> float:
    best = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        call(text)
        best = min(best, time.perf_counter() - start)
    return best


def grows_linearly(call: Callable[[str], object], pattern: str, size: int) -> bool:
    """Whether eight times the text takes less than 20 times as long (64 if quadratic)."""
    short, long = pattern * (size // len(pattern)), pattern * (8 * size // len(pattern))
    return any(  # other work on the machine may disturb one measurement
        seconds(call, long) < 20 * max(seconds(call, short), 0.0005) for _ in range(3)
    )


@pytest.mark.parametrize("pattern", SINGLE + PATTERNS)
def test_splitting_is_linear(pattern: str) -> None:
    assert grows_linearly(split, pattern, 6_000)


@pytest.mark.parametrize("call", [clean, fold, model_text, extract])
@pytest.mark.parametrize(
    "pattern", ["*", "[", "`", "[a](", "<b", "&a", "^1", "【1", "_a", "a\x00", "没有", "材料"]
)
def test_the_other_forms_are_linear(call: Callable[[str], object], pattern: str) -> None:
    assert grows_linearly(call, pattern, 6_000)


@pytest.mark.parametrize("pattern", ["他来，", "“来，", "；", "（，", "如果来，"])
def test_clauses_are_linear(pattern: str) -> None:
    splitter = SentenceSplitter(granularity="clause")
    splitter.split("预热，加载词典。")
    assert grows_linearly(splitter.split, pattern, 1_000)


@pytest.mark.parametrize("char", ["。", "（", "“", "中", "a", "|", "`", ".", "\n", "1"])
def test_a_million_of_one_character(char: str) -> None:
    start = time.perf_counter()
    split(char * 1_000_000)
    assert time.perf_counter() - start < 2
