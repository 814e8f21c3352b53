"""Masks private numbers and addresses in texts before they are stored.

What is found, in half-width and full-width digits and letters alike:

* ``email``: ``name@host.tld``, in ASCII; addresses in Chinese characters are not recognised.
* ``mobile``: 11 digits from 13 to 19, with or without ``+86``, plain or cut by spaces, hyphens,
  dots or zero-width characters (3-4-4, 3-8, 7-4, 4-3-4, 3-3-5).
* ``landline``: area code and 7 or 8 digits joined by a hyphen, space or brackets, with or without
  an extension; 400 and 800 numbers with hyphens or a cue; any 7 to 12 digits, also in groups,
  behind a cue (电话, 座机, 传真, tel); 9 to 15 digits behind ``+`` and a country code.
* ``id``: 18 characters whose birth date exists and whose check digit is right (GB 11643-1999, ISO
  7064 MOD 11-2), plain or as 6-8-4; behind a cue (身份证) also with a wrong check digit, and the
  old 15 digits.
* ``card``: 15 to 19 digits, plain or in groups, with the prefix and length of an issuer (UnionPay,
  Visa, Mastercard, JCB, American Express, ICBC's 9558) and the right check digit (Luhn, ISO/IEC
  7812-1); behind a cue (卡号, 账号) 12 to 19 digits whatever they are, in any groups.
* ``passport``: PRC forms (E and 8 digits, E, a letter and 7 digits, G and 8 digits, D S P H and 7
  or 8); they need the cue (护照, passport) unless they begin with E or G, and these are let be
  behind 型号, 订单号 and their like. Behind 通行证 or 台胞证 a letter and 7 to 10 digits, or 8.

Figures stay: a number with a decimal point, a currency sign before it or a unit behind it
(``13800000000元``, ``1.38``, ``￥…``) is no telephone number or card, and dates, years, thousands
and versions match no pattern. Names and postal addresses are not recognised.

A mask has the length of what it covers, with separators left in place (``***-****-****``), so that
the offsets of claims and evidence stay right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from nli_faith.errors import ConfigError

KINDS = ("email", "mobile", "landline", "id", "card", "passport")

# One code point for one: offsets into the folded text are offsets into the original.
_FOLD: dict[int, int] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_FOLD |= {0x3000: 0x20, 0xA0: 0x20, 0x2010: 0x2D, 0x2011: 0x2D, 0x2012: 0x2D, 0x2013: 0x2D,
          0x2014: 0x2D, 0x2212: 0x2D, 0xAD: 0x2D, 0x200B: 0x2D, 0x200C: 0x2D, 0x200D: 0x2D,
          0x2060: 0x2D, 0xFEFF: 0x2D}  # fmt: skip

_START = r"(?<![0-9A-Za-z])(?<![0-9]\.)"
# No further digit, decimals or thousands; "138…,139…" are two numbers, though.
_LAST = r"(?![0-9])(?!\.[0-9])(?!,[0-9]{3}(?![0-9]))"
_END = r"(?![A-Za-z])" + _LAST
# A sum or a measure rather than a number to call or to pay into. Few on purpose: 张, 万 and 家
# begin names and words as well, and a number too many masked is better than one too few.
_UNIT = re.compile(
    r"\s?(?:多|余)?(?:%|‰|[万亿]?[美欧日港]?元|[万亿]?英镑|人民币|人次|股(?!东)|吨|千瓦|字节|平方米|"
    r"立方米|公里|千米|公斤|RMB|CNY|USD|EUR|yuan|dollars?|bytes?|[KMGT]i?B\b|k[mg]\b|ms\b)",
    re.IGNORECASE,
)
_MONEY_BEFORE = re.compile(r"(?:[¥￥$€£]|RMB|CNY|USD|EUR|人民币)\s?$", re.IGNORECASE)
_CUE_GAP = r"(?:号码|号|为|是|:|：|\(|\)|\s|No\.?|-){0,6}$"
_PHONE_CUE = re.compile(
    r"(?:电话|手机|座机|固话|热线|传真|致电|拨打|联系方式|tel|phone|mobile|fax|hotline|call)\.?"
    + _CUE_GAP, re.IGNORECASE,
)  # fmt: skip
_ID_CUE = re.compile(r"(?:身份证|证件|公民身份|ID\s?card|identity)" + _CUE_GAP, re.IGNORECASE)
_CARD_CUE = re.compile(r"(?:卡|账户|帐户|账|帐|card|account|a/c)" + _CUE_GAP, re.IGNORECASE)
_PASSPORT_CUE = re.compile(r"(?:护照|passport)[^,。，;；]{0,8}$", re.IGNORECASE)
_PART_CUE = re.compile(
    r"(?:型号|编号|订单|批号|件号|料号|单号|货号|版本|序列号|model|order|part|serial|version|sku)"
    r"[^,。，;；]{0,6}$", re.IGNORECASE,
)  # fmt: skip
_CUE_REACH = 24

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)
_MOBILE = re.compile(
    r"(?:(?<![0-9A-Za-z])(?<![0-9]\.)|(?<=tel)|(?<=phone)|(?<=mobile))"
    r"(?:(?:\+|00)?86[- ]?|\(\+?86\) ?)?"
    r"1[3-9][0-9](?:[0-9]{8}|([-. ])[0-9]{4}\1[0-9]{4}|[- ][0-9]{8}|[0-9]{4}[- ][0-9]{4}"
    r"|[0-9]([- ])[0-9]{3}\2[0-9]{4}|([- ])[0-9]{3}\3[0-9]{5})" + _LAST, re.IGNORECASE,
)  # fmt: skip
_LANDLINE = re.compile(
    r"(?<![0-9A-Za-z])(?:(?:\+|00)86[- ]?)?"
    r"(?:\(0[1-9][0-9]{1,2}\) ?|0[1-9][0-9]{1,2}[- ])[1-9][0-9]{3}(?:[- ]?[0-9]{3,4})"
    r"(?:(?:-|转|ext\.? ?)[0-9]{1,6})?" + _END
)
_SERVICE = re.compile(_START + r"[48]00-(?:[0-9]{3}-[0-9]{4}|[0-9]{4}-[0-9]{3}|[0-9]{7})" + _END)
_ABROAD = re.compile(
    r"(?<![0-9A-Za-z])\+[1-9][0-9]{0,2}(?:[- ]?\([0-9]{1,4}\))?(?:[- ]?[0-9]{2,5}){2,5}" + _END
)
# In groups of any size: a telephone or card number only behind a cue.
_GROUPS = re.compile(_START + r"[0-9]{3,8}(?:[- ][0-9]{2,13}){1,6}" + _END)
_BARE_PHONE = re.compile(_START + r"[0-9]{7,12}" + _END)
_ID18 = re.compile(_START + r"[1-9][0-9]{5}([- ]?)[0-9]{8}\1[0-9]{3}[0-9Xx]" + _END)
_ID15 = re.compile(_START + r"[1-9][0-9]{14}" + _END)
_CARD = re.compile(_START + r"[0-9]{4}(?:([- ]?)[0-9]{4}){2}\1[0-9]{0,4}(?:\1[0-9]{1,3})?" + _END)
_AMEX = re.compile(_START + r"3[47][0-9]{2}([- ]?)[0-9]{6}\1[0-9]{5}" + _END)
_PASSPORT = re.compile(_START + r"(?:E[A-HJ-NP-Z][0-9]{7}|[EG][0-9]{8}|[DSPH][0-9]{7,8})" + _END)
_PERMIT_CUE = re.compile(r"(?:通行证|台胞证|回乡证)[^,。，;；]{0,8}$")
_PERMIT = re.compile(_START + r"(?:[A-Z][0-9]{7,10}|[0-9]{8})" + _END)
_MASKED = re.compile(r"[0-9A-Za-z０-９Ａ-Ｚａ-ｚ]")
# Prefixes that issuers of cards in use have, with the lengths of their numbers.
_ISSUED = re.compile(
    r"(?:6[02589][0-9]{14,17}|9558[0-9]{12,15}|4[0-9]{15}|5[1-5][0-9]{14}|2[2-7][0-9]{14}|"
    r"35[0-9]{14}|3[47][0-9]{13})\Z"
)

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
    folded = text.translate(_FOLD)
    found: list[Private] = []
    taken = bytearray(len(text))  # 1 where something was found
    # Again until nothing is left: what stands right behind a number shows only when it is masked.
    while new := _free(_candidates(folded), taken):
        found += new
        folded = _cover(folded, new, "*")
    return sorted(found, key=lambda item: item.start)


def redact(text: str, *, mask: str = "*") -> str:
    """A text with what is private masked, character for character.

    Args:
        text: Any text.
        mask: One character that takes the place of each letter and digit.

    Returns:
        A text of the same length; redacting it again changes nothing.

    Raises:
        ConfigError: The mask is not one character, or is a letter or digit.
    """
    if len(mask) != 1 or mask.isalnum():
        raise ConfigError(f"the mask must be one character that is no letter or digit: {mask!r}")
    items = find_private(text)
    return _cover(text, items, mask) if items else text


def redact_value(value: Any, *, mask: str = "*") -> Any:
    """A JSON value with every string in it redacted, keys too, and integers that are private.

    Args:
        value: Strings, numbers, lists and objects, nested at will.
        mask: See `redact`.

    Returns:
        A copy; what holds nothing private is equal to what it was.
    """
    if isinstance(value, str):
        return redact(value, mask=mask)
    if isinstance(value, Mapping):
        return {_key(k, mask): redact_value(v, mask=mask) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_value(item, mask=mask) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10**9:
        shown = redact(str(value), mask=mask)  # a telephone number that came as a number
        return value if shown == str(value) else shown
    return value


def redact_row(row: Mapping[str, Any], *, mask: str = "*", keep: tuple[str, ...] = ("id",)) -> Any:
    """A record or result row with every text redacted except under some keys.

    The id is kept by default: it joins files, and masked ids of one length would all be one.

    Args:
        row: The row.
        mask: See `redact`.
        keep: Top-level keys that are left as they are.
    """
    return {k: v if k in keep else redact_value(v, mask=mask) for k, v in row.items()}


def _key(key: Any, mask: str) -> Any:
    return redact(key, mask=mask) if isinstance(key, str) else key


def _free(candidates: Iterator[tuple[str, int, int]], taken: bytearray) -> list[Private]:
    """Candidates that overlap nothing found before; of two that overlap, the first."""
    new: list[Private] = []
    for kind, start, end in candidates:
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            new.append(Private(kind, start, end))
    return sorted(new, key=lambda item: item.start)


def _cover(text: str, items: list[Private], mask: str) -> str:
    """A text with the letters and digits of some stretches, in order, masked."""
    parts: list[str] = []
    last = 0
    for item in items:
        parts += [text[last : item.start], _MASKED.sub(mask, text[item.start : item.end])]
        last = item.end
    return "".join([*parts, text[last:]])


def _candidates(text: str) -> Iterator[tuple[str, int, int]]:
    """Everything that looks private, the surest kind first."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield "email", *match.span()
    if sum(map(text.count, "0123456789")) < 7:  # most texts: nothing below can match
        return
    for match in _ID18.finditer(text):
        if _is_id(match.group()) or _cued(_ID_CUE, text, match.start()):
            yield "id", *match.span()
    for match in _ID15.finditer(text):
        if _cued(_ID_CUE, text, match.start()):
            yield "id", *match.span()
    for match in _MOBILE.finditer(text):
        if _cued(_PHONE_CUE, text, match.start()) or not _is_figure(text, *match.span()):
            yield "mobile", *match.span()
    yield from _cards(text)
    for pattern in (_LANDLINE, _SERVICE):
        for match in pattern.finditer(text):
            yield "landline", *match.span()
    yield from _grouped(text)
    for match in _ABROAD.finditer(text):
        if 9 <= _digits(match.group()) <= 15 and not _is_figure(text, *match.span()):
            yield "landline", *match.span()
    for match in _BARE_PHONE.finditer(text):
        if _cued(_PHONE_CUE, text, match.start()) and not _is_figure(text, *match.span()):
            yield "landline", *match.span()
    for match in _PASSPORT.finditer(text):
        if _is_passport(text, match.start()):
            yield "passport", *match.span()
    for match in _PERMIT.finditer(text):
        if _cued(_PERMIT_CUE, text, match.start()):
            yield "passport", *match.span()


def _grouped(text: str) -> Iterator[tuple[str, int, int]]:
    """Numbers in groups of any size, behind a cue that says what they are."""
    for match in _GROUPS.finditer(text):
        digits = _digits(match.group())
        if _is_figure(text, *match.span()):
            continue
        if 12 <= digits <= 19 and _cued(_CARD_CUE, text, match.start()):
            yield "card", *match.span()
        elif 7 <= digits <= 12 and _cued(_PHONE_CUE, text, match.start()):
            yield "landline", *match.span()


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _cards(text: str) -> Iterator[tuple[str, int, int]]:
    for pattern in (_CARD, _AMEX):
        for match in pattern.finditer(text):
            digits = re.sub(r"\D", "", match.group())
            sure = _ISSUED.match(digits) is not None and _luhn(digits)
            cued = _cued(_CARD_CUE, text, match.start())
            if (sure or cued) and not _is_figure(text, *match.span()):
                yield "card", *match.span()


def _cued(cue: re.Pattern[str], text: str, start: int) -> bool:
    """Whether a cue word stands right before."""
    return cue.search(text[max(0, start - _CUE_REACH) : start]) is not None


def _is_figure(text: str, start: int, end: int) -> bool:
    """Whether a unit stands behind a number, or a currency before it."""
    before = text[max(0, start - 6) : start]
    return _UNIT.match(text, end) is not None or _MONEY_BEFORE.search(before) is not None


def _is_passport(text: str, start: int) -> bool:
    if _cued(_PASSPORT_CUE, text, start):
        return True
    return text[start] in "EG" and not _cued(_PART_CUE, text, start)


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
