"""Cutting of over-long pieces at the least harmful place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_NUMBER_SIGNS: Final = frozenset("0123456789０１２３４５６７８９.,．，:：%％‰/+-–—")
_DIGITS: Final = frozenset("0123456789０１２３４５６７８９")
_CN_NUMBER: Final = frozenset("零〇一二三四五六七八九十百千万萬亿億两兆点點")
_UNITS: Final = frozenset("%％‰°℃万萬亿億千百元年月日号號时時分秒天个個倍")
_BREAKS: Final = (
    re.compile(r"[；;](?![”’」』）)\]】》])"),
    re.compile(r"[，,、]"),
    re.compile(r"[ \t\u3000]"),
)
_SMALLEST_SHARE: Final = 4  # a piece is at least max_chars / 4 long where there is a choice


def cut(text: str, start: int, end: int, max_chars: int) -> Iterator[tuple[int, int]]:
    """Spans of ``text[start:end]`` of at most ``max_chars``, in order, gap-free.

    A cut is made behind the last ``；`` in reach, else ``，`` or ``、``, else white space, else
    hard: never inside a number, between a base and its combining signs, or inside an emoji
    sequence (unless that alone is longer than ``max_chars``).

    Args:
        text: The text; work is linear in ``end - start``.
        start: Where the piece starts.
        end: Behind its end.
        max_chars: The most code points in one piece, at least 1.
    """
    while end - start > max_chars:
        at = _place(text, start, start + max_chars, max(1, max_chars // _SMALLEST_SHARE))
        yield start, at
        start = at
    yield start, end


def _place(text: str, start: int, limit: int, least: int) -> int:
    window = text[start:limit]
    for pattern in _BREAKS:
        best = 0
        for match in pattern.finditer(window, least):
            if not _in_number(text, start + match.start() + 1):
                best = match.end()
        if best:
            return start + best
    lowest = start + max(1, (limit - start) // 2)
    at = limit
    while at > lowest and (_in_number(text, at) or _in_cluster(text, at)):
        at -= 1
    return limit if at <= lowest else at


def _in_number(text: str, at: int) -> bool:
    """Whether a cut before ``text[at]`` would part a number from its rest or its unit."""
    if at >= len(text):
        return False
    left, right = text[at - 1], text[at]
    if right in _DIGITS:
        if left in _DIGITS:
            return True
        return left in _NUMBER_SIGNS and at >= 2 and text[at - 2] in _DIGITS
    if left in _DIGITS:
        if right in _UNITS:
            return True
        return right in _NUMBER_SIGNS and at + 1 < len(text) and text[at + 1] in _DIGITS
    return left in _CN_NUMBER and right in _CN_NUMBER


def _in_cluster(text: str, at: int) -> bool:
    """Whether ``text[at]`` belongs to one visible sign or Latin word with its left neighbour."""
    if at >= len(text):
        return False
    left, right = text[at - 1], text[at]
    if right < "\u0300":
        return left.isalnum() and right.isalnum() and left.isascii()
    if left == "\u200d" or right in "\u200d\ufe0e\ufe0f\u20e3":
        return True
    if unicodedata.combining(right) or unicodedata.category(right) in ("Mn", "Mc", "Me"):
        return True
    if "\U0001f3fb" <= right <= "\U0001f3ff":  # skin tones
        return True
    if "\U000e0020" <= right <= "\U000e007f":  # tag sequences (flags of regions)
        return True
    if "\U0001f1e6" <= right <= "\U0001f1ff":  # flags are pairs: count the indicators before
        run = 0
        low = max(0, at - 512)
        while at - run > low and "\U0001f1e6" <= text[at - run - 1] <= "\U0001f1ff":
            run += 1
        return run % 2 == 1
    return False
