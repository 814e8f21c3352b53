"""Rewrites of a question that leave its meaning alone: each a function from a question to others.

A rule offers nothing where it is not sure. What stands in quotes or title marks, and addresses,
is never touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from nli_faith.lexicon import Lexicon
from nli_faith.quantities import parse_quantities
from nli_faith.rephrasing import rules_en, rules_zh
from nli_faith.text import fold
from nli_faith.text.grammar import words

Rule = Callable[[str, Lexicon], list[str]]

_PROTECTED: Final = re.compile(
    r"《[^》]*》|“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"]*\"|https?://\S+|\S+@\S+\.\S+"
)
_HAN: Final = re.compile("[\u3400-\u9fff]")
_WORD: Final = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")
_DIGITS: Final = re.compile(r"(?<![A-Za-z.,:/-])[0-9](?![A-Za-z.,:/-])")
_WIDE_DIGITS: Final = {ord("0") + i: chr(0xFF10 + i) for i in range(10)}
_NARROW: Final = {
    **{0xFF10 + i: chr(ord("0") + i) for i in range(10)},
    **{0xFF21 + i: chr(ord("A") + i) for i in range(26)},
    **{0xFF41 + i: chr(ord("a") + i) for i in range(26)},
    ord("％"): "%",
}


def is_chinese(text: str) -> bool:
    """Whether the Chinese rules are for a question."""
    return _HAN.search(text) is not None


def protected(text: str) -> list[tuple[int, int]]:
    """Spans that no rule may touch: quotes, titles, addresses."""
    return [m.span() for m in _PROTECTED.finditer(text)]


def free(text: str, start: int, end: int) -> bool:
    """Whether a span lies outside everything that is protected."""
    return all(end <= low or start >= high for low, high in protected(text))


def synonym(text: str, lexicon: Lexicon) -> list[str]:
    """One word replaced by a synonym of the dictionary: 价格 -> 售价.

    Only whole words: those that the word cutter finds, or two or three of them side by side
    (法定代表人).
    """
    out = []
    for start, end in _spans(text):
        word = text[start:end]
        if not free(text, start, end) or rules_zh.is_quarter(text, start, end):
            continue
        for other in lexicon.synonyms(word):
            if fold(other) not in fold(text):  # 优点和优势
                out.append(text[:start] + _cased(other, word) + text[end:])
    return out


def _spans(text: str) -> Iterator[tuple[int, int]]:
    if not is_chinese(text):
        yield from (m.span() for m in _WORD.finditer(text))
        return
    found = words(text)
    for i in range(len(found)):
        for j in range(i + 1, min(i + 3, len(found)) + 1):
            end = found[j - 1].start + len(found[j - 1].text)
            yield found[i].start, end


def _cased(word: str, like: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() and word.isascii() else word


def width(text: str, lexicon: Lexicon) -> list[str]:
    """Half width to full width or back: ``2023年?`` -> ``２０２３年？``.

    Digits of quantities and closing punctuation; decimals and the digits in names stay.
    """
    if not is_chinese(text):
        return []
    out = []
    narrow = text.translate(_NARROW)
    if narrow != text:
        out.append(narrow)
    wide = _widened(text)
    if wide != text:
        out.append(wide)
    ends = {"?": "？", "？": "?", "!": "！", "！": "!"}
    if text[-1] in ends:
        out.append(text[:-1] + ends[text[-1]])
    return out


def _widened(text: str) -> str:
    """Full-width digits in quantities; those in names (小米6) stay, being part of a spelling."""
    out = list(text)
    for quantity in parse_quantities(text):
        if quantity.type == "number" and not quantity.unit:
            continue
        for i in range(quantity.start, quantity.end):
            if _DIGITS.match(text, i) and free(text, i, i + 1):
                out[i] = text[i].translate(_WIDE_DIGITS)
    return "".join(out)


def politeness(text: str, lexicon: Lexicon) -> list[str]:
    """A courtesy put before the question or taken away: 请问, 麻烦问一下, please."""
    return rules_zh.politeness(text) if is_chinese(text) else rules_en.politeness(text)


def time_order(text: str, lexicon: Lexicon) -> list[str]:
    """The time phrase put first or put back: 公司2023年的营收 -> 2023年，公司的营收."""
    return rules_zh.time_order(text) if is_chinese(text) else rules_en.time_order(text)


def voice(text: str, lexicon: Lexicon) -> list[str]:
    """Active to passive or back: 谁发明了电话 -> 电话是由谁发明的."""
    return rules_zh.voice(text) if is_chinese(text) else rules_en.voice(text)


def quarter(text: str, lexicon: Lexicon) -> list[str]:
    """第三季度 <-> Q3 <-> 三季度; 前三季度, which is three of them, stays."""
    return rules_zh.quarter(text)


def numeral(text: str, lexicon: Lexicon) -> list[str]:
    """2023年 <-> 二〇二三年, 3个月 <-> 三个月."""
    return rules_zh.numeral(text) if is_chinese(text) else []


def question_word(text: str, lexicon: Lexicon) -> list[str]:
    """什么时候 <-> 何时, 为什么 <-> 为何, 怎么 <-> 如何, 是否 <-> 吗."""
    return rules_zh.question_word(text) if is_chinese(text) else []


def contraction(text: str, lexicon: Lexicon) -> list[str]:
    """What is <-> what's, do not <-> don't."""
    return [] if is_chinese(text) else rules_en.contraction(text)


RULES: Final[Mapping[str, Rule]] = {
    "synonym": synonym,
    "quarter": quarter,
    "numeral": numeral,
    "time_order": time_order,
    "voice": voice,
    "question_word": question_word,
    "contraction": contraction,
    "politeness": politeness,
    "width": width,
}
"""Name -> rule, in the order in which they are described."""
