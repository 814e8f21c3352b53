"""Finds private numbers and addresses in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from nli_faith.redaction.patterns import (
    ABROAD,
    AMEX,
    BARE_PHONE,
    BARE_SERVICE,
    CARD,
    CARD_CUE,
    CUE_REACH,
    EMAIL,
    FOLD,
    GROUPS,
    ID15,
    ID18,
    ID_CUE,
    ISSUED,
    LANDLINE,
    MASKED,
    MOBILE,
    MONEY_BEFORE,
    PART_CUE,
    PASSPORT,
    PASSPORT_CUE,
    PERMIT,
    PERMIT_CUE,
    PHONE_CUE,
    SERVICE,
    UNIT,
)

KINDS = ("email", "mobile", "landline", "id", "card", "passport")

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECK = "10X98765432"


@dataclass(frozen=True, slots=True)
class Private:
    """Something private in a text.

    Attributes:
        kind: One of `KINDS`.
        start: Offset of its first code point.
        end: Offset behind its last one.
    """

    kind: str
    start: int
    end: int


def find_private(text: str) -> list[Private]:
    """What is private in a text, in order and without overlap; see the module for the patterns.

    Args:
        text: Any text.
    """
    folded = text.translate(FOLD)
    found: list[Private] = []
    taken = bytearray(len(text))  # 1 where something was found
    # Again until nothing is left: what stands right behind a number shows only when it is masked.
    while new := _free(_candidates(folded), taken):
        found += new
        folded = cover(folded, new, "*")
    return sorted(found, key=lambda item: item.start)


def _free(candidates: Iterator[tuple[str, int, int]], taken: bytearray) -> list[Private]:
    """Candidates that overlap nothing found before; of two that overlap, the first."""
    new: list[Private] = []
    for kind, start, end in candidates:
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            new.append(Private(kind, start, end))
    return sorted(new, key=lambda item: item.start)


def cover(text: str, items: list[Private], mask: str) -> str:
    """A text with the letters and digits of some stretches, in order, masked."""
    parts: list[str] = []
    last = 0
    for item in items:
        parts += [text[last : item.start], MASKED.sub(mask, text[item.start : item.end])]
        last = item.end
    return "".join([*parts, text[last:]])


def _candidates(text: str) -> Iterator[tuple[str, int, int]]:
    """Everything that looks private, the surest kind first."""
    if "@" in text:
        for match in EMAIL.finditer(text):
            yield "email", *match.span()
    if sum(map(text.count, "0123456789")) < 7:  # most texts: nothing below can match
        return
    for match in ID18.finditer(text):
        if _is_id(match.group()) or _cued(ID_CUE, text, match.start()):
            yield "id", *match.span()
    for match in ID15.finditer(text):
        if _cued(ID_CUE, text, match.start()):
            yield "id", *match.span()
    for match in MOBILE.finditer(text):
        if _cued(PHONE_CUE, text, match.start()) or not _is_figure(text, *match.span()):
            yield "mobile", *match.span()
    yield from _cards(text)
    for pattern in (LANDLINE, SERVICE):
        for match in pattern.finditer(text):
            yield "landline", *match.span()
    for match in BARE_SERVICE.finditer(text):
        if not _is_figure(text, *match.span()) and not _cued(PART_CUE, text, match.start()):
            yield "landline", *match.span()
    yield from _grouped(text)
    for match in ABROAD.finditer(text):
        if 9 <= _digits(match.group()) <= 15 and not _is_figure(text, *match.span()):
            yield "landline", *match.span()
    for match in BARE_PHONE.finditer(text):
        if _cued(PHONE_CUE, text, match.start()) and not _is_figure(text, *match.span()):
            yield "landline", *match.span()
    for match in PASSPORT.finditer(text):
        if _is_passport(text, match.start()):
            yield "passport", *match.span()
    for match in PERMIT.finditer(text):
        if _cued(PERMIT_CUE, text, match.start()):
            yield "passport", *match.span()


def _grouped(text: str) -> Iterator[tuple[str, int, int]]:
    """Numbers in groups of any size, behind a cue that says what they are."""
    for match in GROUPS.finditer(text):
        digits = _digits(match.group())
        if _is_figure(text, *match.span()):
            continue
        if 12 <= digits <= 19 and _cued(CARD_CUE, text, match.start()):
            yield "card", *match.span()
        elif 7 <= digits <= 12 and _cued(PHONE_CUE, text, match.start()):
            yield "landline", *match.span()


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _cards(text: str) -> Iterator[tuple[str, int, int]]:
    for pattern in (CARD, AMEX):
        for match in pattern.finditer(text):
            digits = re.sub(r"\D", "", match.group())
            sure = ISSUED.match(digits) is not None and _luhn(digits)
            cued = _cued(CARD_CUE, text, match.start())
            if (sure or cued) and not _is_figure(text, *match.span()):
                yield "card", *match.span()


def _cued(cue: re.Pattern[str], text: str, start: int) -> bool:
    """Whether a cue word stands right before."""
    return cue.search(text[max(0, start - CUE_REACH) : start]) is not None


def _is_figure(text: str, start: int, end: int) -> bool:
    """Whether a unit stands behind a number, or a currency before it."""
    before = text[max(0, start - 6) : start]
    return UNIT.match(text, end) is not None or MONEY_BEFORE.search(before) is not None


def _is_passport(text: str, start: int) -> bool:
    if _cued(PASSPORT_CUE, text, start):
        return True
    return text[start] in "EG" and not _cued(PART_CUE, text, start)


def _is_id(number: str) -> bool:
    """Whether 18 characters have a birth date that exists and the right check digit."""
    number = re.sub(r"[- ]", "", number)
    total = sum(w * int(d) for w, d in zip(_WEIGHTS, number, strict=False))
    if _CHECK[total % 11] != number[17].upper():
        return False
    try:
        born = date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    return 1900 <= born.year <= 2100


def _luhn(digits: str) -> bool:
    """The check digit of payment cards: double every second digit from the right, sum to 10s."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
