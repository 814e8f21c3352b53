"""Renumbering of list items behind removed ones, in the list's own style."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from nli_faith.text.chars import CN_DIGITS
from nli_faith.text.markers import MOST_NESTED, Marker, parse

_NUMBER: Final = re.compile(rf"[0-9]+|[０-９]+|[{CN_DIGITS}]+|[A-Za-z]|[^\W\d_]|[①-⓿❶-➓㈠-㉃]")
_WIDE: Final = {ord(str(i)): "０１２３４５６７８９"[i] for i in range(10)}


@dataclass(frozen=True, slots=True)
class Numbered:
    """A numbered marker in a lead.

    Attributes:
        style: Markers of one list have the same.
        value: Its number, or numbers (1.2).
        start: Where the last number stands in the lead.
        end: Its end.
        first: Where the first number stands, where there are several.
        first_end: Its end.
    """

    style: str
    value: tuple[int, ...]
    start: int
    end: int
    first: int
    first_end: int


def has_marker(lead: str, body: str) -> bool:
    """Whether a lead holds a list marker, numbered or not."""
    return bool(_markers(lead, body))


def numbered(lead: str, body: str) -> Numbered | None:
    """The numbered marker of a lead, if it has one that can be counted.

    Args:
        lead: What stands on the line before the body: indent, hashes, marker.
        body: What follows, by which a marker is told from content.
    """
    for start, marker in _markers(lead, body):
        if not marker.value or marker.value[-1] < 1:
            continue  # a bullet, or Roman numerals, which are not counted
        spans = [m.span() for m in _NUMBER.finditer(lead, start, marker.end)]
        if len(spans) < len(marker.value):
            return None
        last, first = spans[len(marker.value) - 1], spans[0]
        return Numbered(marker.style, marker.value, *last, *first)
    return None


def _markers(lead: str, body: str) -> list[tuple[int, Marker]]:
    text = lead + body
    at = len(lead) - len(lead.lstrip(" \t\u3000\xa0>#"))
    found = []
    for _ in range(MOST_NESTED):
        if at >= len(lead):
            break
        marker = parse(text, at, len(text))
        if marker is None or marker.end > len(lead):
            break
        found.append((at, marker))
        at = marker.end
    return found


@dataclass(slots=True)
class _List:
    last: tuple[int, ...]
    start: int
    emitted: int = 0


class Renumberer:
    """Gives the items that stay their new numbers; an online algorithm.

    Items of one list have the same indent and style and count up by one. A list that repeats a
    number (1. 1. 1., as Markdown allows) or skips one keeps its numbers there.
    """

    def __init__(self) -> None:
        self._lists: dict[tuple[int, str], _List] = {}
        self._parents: dict[int, int] = {}  # old number -> new one, for 1.2 under 1.

    def see(self, lead: str, body: str) -> Numbered | None:
        """Take note of an item, whether or not it stays."""
        found = numbered(lead, body)
        if found is None:
            return None
        key = _key(lead, found)
        known = self._lists.get(key)
        old = found.value
        follows = known is not None and old == (*known.last[:-1], known.last[-1] + 1)
        if known is not None and follows:
            known.last = old
        else:
            self._lists[key] = _List(old, old[-1])
        return found

    def write(self, lead: str, found: Numbered | None) -> str:
        """The lead of an item that stays, with its new number."""
        if found is None:
            return lead
        known = self._lists[_key(lead, found)]
        new = known.start + known.emitted
        known.emitted += 1
        if len(found.value) == 1:
            self._parents[found.value[0]] = new
        out = lead[: found.start] + _spell(lead[found.start : found.end], found.value[-1], new)
        out += lead[found.end :]
        if len(found.value) > 1:
            parent = self._parents.get(found.value[0], found.value[0])
            head = _spell(lead[found.first : found.first_end], found.value[0], parent)
            out = out[: found.first] + head + out[found.first_end :]
        return out


def _key(lead: str, found: Numbered) -> tuple[int, str]:
    indent = len(lead) - len(lead.lstrip(" \t\u3000\xa0"))
    return indent, f"{found.style}{len(found.value)}"


def _spell(token: str, old: int, new: int) -> str:
    """A number in the style of another."""
    if new == old:
        return token
    if token[0].isdecimal():
        return str(new) if token.isascii() else str(new).translate(_WIDE)
    if token[0] in CN_DIGITS:
        return chinese(new)
    return chr(ord(token[0]) + new - old)  # circled numbers and letters stand in order


def chinese(number: int) -> str:
    """A whole number from 1 to 999 in Chinese numerals: 一, 十二, 二十, 一百零三."""
    digits = "零一二三四五六七八九"
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    text = f"{digits[hundreds]}百" if hundreds else ""
    if tens:
        text += ("" if tens == 1 and not hundreds else digits[tens]) + "十"
    elif hundreds and ones:
        text += "零"
    return text + (digits[ones] if ones else "")
