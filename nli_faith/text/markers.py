"""List markers at the beginning of a line: which are markup, which are content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .chars import CIRCLED, CN_DIGITS, HAN

_N: Final = "[0-9０-９]{1,3}"
_CN: Final = f"[{CN_DIGITS}]{{1,4}}"
_REST: Final = r"[ \t\u3000\xa0]*"
# The alternatives begin differently or differ soon; nothing here is unbounded but white space.
_MARKER: Final = re.compile(
    rf"(?:(?P<bullet>(?:[-+*–—][ \t\u3000\xa0]+|[-–](?=[{HAN}《“「【（])"
    rf"|[•●○▪▫■□◆◇►▶➢➤✓✔✅☑‣⁃∙※◦·・･‧][ \t\u3000\xa0\ufe0f]*){_REST}(?:\[[ xX]\][ \t]+)?)"
    rf"|(?P<dot>{_N})[.．](?:[ \t\u3000\xa0]+|\Z|(?=[^\x00-\x7f０-９．]|[A-Z*`\"'(\[]))"
    rf"|(?P<comma>{_N})、(?P<comma_digit>(?={_REST}[0-9０-９]))?"
    rf"|(?P<cn>{_CN})(?:、|[.．](?=\D))(?P<cn_digit>(?={_REST}[{CN_DIGITS}0-9０-９]))?"
    rf"|[（(]{_REST}(?P<paren>{_N}|{_CN}|[A-Za-z]|[ivxIVX]{{2,5}}){_REST}[）)][、.．]?"
    rf"|(?P<half>{_N}|{_CN}|[A-Za-z])[）)][、.．]?(?![（(])"
    rf"|(?P<circled>[{CIRCLED}])[、.．]?"
    rf"|(?P<roman>[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅰ-ⅻ]{{1,3}}|[IVX]{{2,5}}|[ivx]{{2,5}})[、.．](?=\s|[^\x00-\x7f])"
    rf"|(?P<letter>[A-Za-z])(?:[.．](?P<letter_dot>(?=[{HAN}]))?|、(?P<letter_comma>(?={_REST}[{HAN}]))?)"
    rf"(?=\s|[^\x00-\x7f])"
    rf"|(?P<nested>[0-9]{{1,2}}(?:[.．][0-9]{{1,2}}){{1,3}})[.．、]?(?=[ \t\u3000\xa0{HAN}])"
    rf"){_REST}"
)
MOST_NESTED: Final = 3  # markers in a row: - 1. text
MARKER_START: Final = frozenset(
    "-+*–—•●○▪▫■□◆◇►▶➢➤✓✔✅☑‣⁃∙※◦·・･‧0123456789０１２３４５６７８９（(ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫ"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
) | frozenset(CN_DIGITS)


@dataclass(frozen=True, slots=True)
class Marker:
    """A list marker.

    Attributes:
        style: Its kind, so that markers of one list compare.
        value: Its number: ``(3,)`` for ``3.``, ``(1, 2)`` for ``1.2``, ``()`` for a bullet.
        end: Where the body starts.
        certain: Whether it is a marker whatever stands around it.
    """

    style: str
    value: tuple[int, ...]
    end: int
    certain: bool


def _cn_value(digits: str) -> int:
    total, unit = 0, 0
    for char in digits:
        if char == "十":
            total += (unit or 1) * 10
            unit = 0
        elif char == "百":
            total += (unit or 1) * 100
            unit = 0
        else:
            unit = "零一二三四五六七八九".find(char.replace("〇", "零").replace("两", "二"))
    return total + unit


# What may follow the letter of a marker: a. a) iv) XI、.
_LETTER_NEXT: Final = frozenset(".．、)）ivxIVX")

_SERIES: Final = ("①⑳", "⑴⒇", "⒈⒛", "❶❿", "➀➉", "㈠㈩", "⒜⒵", "Ⓐⓩ")


def _circled_value(char: str) -> int:
    for series in _SERIES:
        if series[0] <= char <= series[1]:
            return ord(char) - ord(series[0]) + 1
    return 1


def _number(kind: str, found: str) -> tuple[str, int]:
    """Style suffix and value of one counter."""
    if kind == "circled":
        return "", _circled_value(found)
    if kind == "roman":
        return "", 0
    if found[0].isdecimal():
        return "", int(found)
    if found.isascii():
        number = ord(found.lower()) - 96 if len(found) == 1 else 0
        return ("A" if found.isupper() else "a"), number
    return "一", _cn_value(found)


def parse(text: str, start: int, end: int) -> Marker | None:
    """The marker at ``start``, if any.

    Args:
        text: A text.
        start: First sign of a line behind its indent.
        end: End of the line.
    """
    char = text[start]
    if char not in MARKER_START and char not in CIRCLED_SET:
        return None
    if char.isalpha() and char < "\u2000" and text[start + 1 : start + 2] not in _LETTER_NEXT:
        return None
    match = _MARKER.match(text, start, end)
    if match is None:
        return None
    kind = match.lastgroup or ""
    groups = match.groupdict()
    if groups["bullet"] is not None:
        return Marker("bullet", (), match.end(), True)
    if groups["nested"] is not None:
        value = tuple(int(part) for part in re.split("[.．]", groups["nested"]))
        return Marker("nested", value, match.end(), False)
    for kind in ("dot", "comma", "cn", "paren", "half", "circled", "roman", "letter"):
        found = groups[kind]
        if found is not None:
            break
    suffix, number = _number(kind, found)
    certain = not (
        groups["comma_digit"] is not None
        or groups["cn_digit"] is not None
        or (kind == "letter" and groups["letter_dot"] is None and groups["letter_comma"] is None)
    )
    return Marker(kind + suffix, (number,), match.end(), certain)


CIRCLED_SET: Final = frozenset(
    chr(code)
    for low, high in re.findall("(.)-(.)", CIRCLED)
    for code in range(ord(low), ord(high) + 1)
)


def follows(first: Marker | None, second: Marker | None) -> bool:
    """Whether ``second`` may come right after ``first`` (1 2, 1.1 1.2, 1 1.1, 1.9 2.1)."""
    if first is None or second is None or not second.value or not first.value:
        return False
    if first.style != second.style:
        return second.style == "nested" and second.value == (*first.value, 1)
    old, new = first.value, second.value
    if new == (*old, 1):
        return True
    if len(new) > len(old):
        return False
    stem = len(new) - 1
    if new[:stem] == old[:stem]:
        return new[stem] == old[stem] + 1
    return new[-1] == 1 and stem > 0 and new[stem - 1] == old[stem - 1] + 1
