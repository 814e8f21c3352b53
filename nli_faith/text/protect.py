"""Which ASCII ``.``, ``!`` and ``?`` end a sentence, and which belong to a token."""

from __future__ import annotations

import re
from typing import Final

from .chars import HAN, word_set

# Printable ASCII only, so that full-width signs end an address; brackets and quotes may enclose it.
_ADDRESS: Final = re.compile(r"(?:\b[a-z][a-z0-9+]{1,11}://|\bwww\.)[!-~]+", re.IGNORECASE)
_CODE: Final = re.compile(r"`[^`]{1,400}`")
_ADDRESS_TRAIL: Final = ".,;:!?'\")]}>*_`|"


def spans(text: str) -> list[tuple[int, int]]:
    """Addresses and inline code of a line, ascending; they may overlap.

    Punctuation at the end of an address is not part of it.

    Args:
        text: One line.
    """
    found: list[tuple[int, int]] = []
    if "://" in text or "www." in text:
        for match in _ADDRESS.finditer(text):
            found.append((match.start(), match.start() + len(match.group().rstrip(_ADDRESS_TRAIL))))
    if "`" in text:
        found.extend(match.span() for match in _CODE.finditer(text))
        found.sort()
    return found


# Followed by more of the same sentence, always.
_TITLES: Final = word_set(
    "mr mrs ms messrs dr prof st mt ft rev gen sen rep gov capt lt col sgt maj cmdr hon pres"
    " supt vs v cf e.g eg i.e ie viz ca approx esp resp incl dept univ assn bros al. ave blvd rd"
    " mgr asst"
)
# An abbreviation only before a number: No. 5, Fig. 3, Jan. 2.
_BEFORE_NUMBER: Final = word_set(
    "no nos fig figs eq eqs sec secs ch chap vol vols p pp art arts para ver v tab ex ref refs"
    " jan feb mar apr jun jul aug sep sept oct nov dec"
)
# May end a sentence: the next word tells.
_OPEN_ENDED: Final = word_set("inc ltd co corp jr sr etc al plc llc bros est ed eds dept")
_STARTERS: Final = word_set(
    "the a an this that these those it he she they we you i in on at as for but and however if"
    " when while after before since our his her its their there then no such some many most all"
    " both each by from with to what why how where who according during although because so also"
    " another under over please see"
)
_WORD_BEFORE: Final = re.compile(r"[A-Za-z.]+\Z|[0-9０-９]+\Z")
_NEXT_WORD: Final = re.compile(r"[\s\"'“‘(\[*_]{0,4}([A-Za-z]+|[0-9#])?")
# A name such as Yahoo! inside a sentence. 是的 answers; 是一家 states.
_BRAND_GOES_ON: Final = re.compile(
    r"是(?![的啊呀吧，。！])|(?:的|于|於|在|公司|集团|集團|旗下|宣布|宣佈|发布|發佈|将|將|为|為|与|與|和|及|、|由|被)"
    r"|[ ](?:(?:Inc|Corp|Ltd|LLC|Co|Group|Holdings|Japan|JAPAN)\b|[a-z]+\b(?![A-Z]))"
)
_CODE_SIGNS: Final = frozenset("=&%/\\_+#@$~|^-<")
_HAN_CHAR: Final = re.compile(f"[{HAN}]")
_FULL_WIDTH_ALNUM: Final = re.compile("[０-９Ａ-Ｚａ-ｚ]")
_ENUM_BEFORE: Final = frozenset("：:；;，,。！？!?（(、")


def _alnum(char: str) -> bool:
    return char.isascii() and char.isalnum()


def ends_sentence(text: str, start: int, end: int, sentence_start: int, next_number: int) -> bool:
    """Whether the run of ASCII or full-width dots, ``!`` and ``?`` ends a sentence.

    Args:
        text: The line.
        start: Where the run starts.
        end: Behind its last sign; smaller than ``len(text)``.
        sentence_start: Where the present sentence starts.
        next_number: The number that an enumeration in this sentence would go on with, 0 if none.
    """
    run, after = text[start:end], text[end]
    before = text[start - 1] if start else " "
    asks = "!" in run or "?" in run
    if _alnum(after):
        if run[-1] not in "!?":
            return False
        if _HAN_CHAR.match(before):  # 你好!Hello
            return after.isalpha()
        return before.islower() and after.isupper()
    if run == "!" and _alnum(before) and _BRAND_GOES_ON.match(text, end) is not None:
        word = _WORD_BEFORE.search(text, max(sentence_start, start - 20), start)
        if word is not None and word.group()[0].isupper() and len(word.group()) > 1:
            return False
    if asks:
        operator = run == "??" and before == " " and text[end : end + 2].strip().isascii()
        return after not in _CODE_SIGNS and not operator
    if len(run) > 1:
        return _ellipsis_ends(text, end, before)
    if _FULL_WIDTH_ALNUM.match(after) and _FULL_WIDTH_ALNUM.match(before):
        return False
    if not _alnum(before) and not _FULL_WIDTH_ALNUM.match(before):
        return after not in "/\\"
    return _dot_after_word(text, start, end, sentence_start, next_number)


def _ellipsis_ends(text: str, end: int, before: str) -> bool:
    """``...`` is a pause, unless a Latin sentence visibly starts anew behind it."""
    following = text[end : end + 3].lstrip()
    return text[end] == " " and following[:1].isupper() and before.isascii() and before.isalnum()


def _dot_after_word(text: str, start: int, end: int, sentence_start: int, next_number: int) -> bool:
    low = max(sentence_start, start - 20)
    match = _WORD_BEFORE.search(text, low, start)
    if match is None:
        return True
    word = match.group().strip(".").lower()
    if word.isdigit():
        return not is_enumerator(text, match.start(), word, sentence_start, next_number)
    following = _NEXT_WORD.match(text, end)
    after = (following.group(1) if following else None) or ""
    if word in _BEFORE_NUMBER and (after.isdigit() or after == "#"):
        return False
    if word in _TITLES:
        return False
    starts_anew = after[:1].isupper() and after.lower() in _STARTERS
    if word in _OPEN_ENDED or "." in word:
        return starts_anew or (word == "etc" and after[:1].isupper())
    if len(word) == 1:
        at = match.start()
        if at > 0 and _HAN_CHAR.match(text[at - 1]):  # 答案是B.理由如下
            return True
        return starts_anew
    return True


def is_enumerator(text: str, at: int, digits: str, sentence_start: int, next_number: int) -> bool:
    """Whether the digits at ``at`` before a dot number an item rather than end a sentence.

    Args:
        text: The line.
        at: Where the digits start.
        digits: They themselves.
        sentence_start: Where the present sentence starts.
        next_number: What an enumeration in this sentence would go on with, 0 if none.
    """
    if len(digits) > 4:
        return False
    before = at - 1
    while before >= sentence_start and at - before < 8 and text[before] in " \t*_":
        before -= 1
    if before < sentence_start:
        return True
    if len(digits) > 3:  # a year ends a sentence unless it is all that stands before the dot
        return False
    if text[before] in _ENUM_BEFORE:
        return True
    return at - before > 1 and int(digits) == next_number
