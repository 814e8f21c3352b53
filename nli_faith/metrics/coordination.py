"""Lists inside a Chinese clause: where the words that join are, and what the items are.

Word borders and parts of speech (`nli_faith.text.grammar.words`) tell the conjunction 和 from the
和 of 和平, 颐和园 and 共和国.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from nli_faith.lexicon import default_lexicon
from nli_faith.text.grammar import Word, words

_CONJ: Final = frozenset(["和", "与", "及", "以及", "跟", "、", "，", "/", "／", "&"])
_OPEN: Final = "《〈“「『（(【["
_CLOSE: Final = "》〉”」』）)】]"
_FIXED: Final = re.compile(
    "功效[与和]作用|研究[与和]开发|条款[与和]条件|标准[与和]规范|衣食住行|知识[与和]技能"
)
_TIME: Final = (
    r"(?:(?:19|20)\d\d(?:年|(?=Q))?|(?:第)?[一二三四1-4]季度|Q[1-4]|[上下]半年|\d{1,2}月份?"
    r"|[去今前本上]年|[本上]季度)"
)
_TIMES: Final = re.compile(rf"{_TIME}+", re.IGNORECASE)
_ENDS_IN_TIME: Final = re.compile(rf"(?P<lead>.*?)(?P<time>{_TIME}+)$", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?:19|20)\d\d年|[去今前本上]年")
_MODIFIER: Final = (
    "(?:最[高低大小多少早晚快慢长短新]|线[上下]|[国境室校省市海][内外]|城镇|农村|[上下]半年|[男女]"
    "|[新旧老]"
    "|[东西南北]部|公立|私立|固定|浮动|正面|负面|直接|间接|有线|无线)"
)
_BARE_MODIFIER: Final = re.compile(_MODIFIER)
_MODIFIED: Final = re.compile(f"{_MODIFIER}(?P<head>.+)")
_APPOSITION: Final = re.compile(
    r"(?<=.)(?:这)?[两二三四五六七八九十几\d]+[家个款种位名座条部台项城国地人者][^的]*$"
)
WH_HERE: Final = re.compile("什么|哪|谁|何|几|多少|怎|如何|为何|此")


def tokenise(text: str) -> list[Word]:
    """Words; what stands in brackets or quotes, and a fixed phrase, is one word."""
    spans = [m.span() for m in _FIXED.finditer(text)]
    depth = begin = 0
    for i, char in enumerate(text):
        if char in _OPEN:
            begin, depth = (i if depth == 0 else begin), depth + 1
        elif char in _CLOSE and depth:
            depth -= 1
            if depth == 0:
                spans.append((begin, i + 1))
    out: list[Word] = []
    at = 0
    for start, end in [*sorted(spans), (len(text), len(text))]:
        if start < at:
            continue
        out.extend(Word(w.text, w.tag, w.start + at) for w in words(text[at:start]))
        if end > start:
            out.append(Word(text[start:end], "nz", start))
        at = end
    return out


def joins_of(tokens: Sequence[Word]) -> list[int]:
    """Indices of the words that join; 和谁, 与此 and a conjunction at an end do not."""
    return [
        i
        for i, word in enumerate(tokens)
        if word.text in _CONJ and 0 < i < len(tokens) - 1 and not WH_HERE.match(tokens[i + 1].text)
    ]


def items_of(text: str) -> list[str]:
    """The items of a list, each made whole: shared years, heads and leading nouns are repeated."""
    tokens = tokenise(text)
    joins = joins_of(tokens)
    if not joins:
        return [text] if text else []
    groups = [
        tokens[a:b]
        for a, b in zip([0, *(j + 1 for j in joins)], [*joins, len(tokens)], strict=True)
    ]
    if not all(groups):
        return [text]
    items = [join(g).strip() for g in groups]
    bare = _APPOSITION.sub("", items[-1])
    items[-1] = bare or items[-1]
    for share in (_share_time, _share_head):
        items = share(items)
    return _share_lead(items, groups)


def _share_time(items: list[str]) -> list[str]:
    first = _ENDS_IN_TIME.match(items[0])
    if first is None or not all(_TIMES.fullmatch(i) for i in items[1:]):
        return items
    year = _YEAR.match(first["time"])
    out = [items[0]]
    for item in items[1:]:
        own = year is not None and _YEAR.match(item) is None and year.group() != first["time"]
        out.append(first["lead"] + (year.group() if own and year else "") + item)
    return out


def _share_head(items: list[str]) -> list[str]:
    last = _MODIFIED.fullmatch(items[-1])
    if last is None or not all(_BARE_MODIFIER.fullmatch(i) for i in items[:-1]):
        return items
    return [*(i + last["head"] for i in items[:-1]), items[-1]]


def _share_lead(items: list[str], groups: Sequence[Sequence[Word]]) -> list[str]:
    """``公司成立时间和注册资本``: what the first item has before as many words as the second."""
    extra = len(groups[0]) - max(len(g) for g in groups[1:])
    knows = default_lexicon().knows
    if extra < 1 or items[0] != join(groups[0]) or not all(knows(g[-1].text) for g in groups):
        return items
    lead = join(groups[0][:extra])
    return [items[0], *(lead + item for item in items[1:])]


def is_relative(item: str) -> bool:
    """Whether an item before 的 is a clause (乙方签订的合同), not a noun."""
    found = words(item)
    return len(found) > 1 and found[-1].tag in ("v", "ul") and found[0].tag[0] in "nr"


def join(tokens: Sequence[Word]) -> str:
    """The words as one text."""
    return "".join(w.text for w in tokens)
