"""A question text cut into its sub-questions, before any of them is looked into.

Cuts at sentence ends, at the numbers of an inline list (``1. …？2. …？``) and at commas between
clauses that each ask; what only tells the background (``我上周买了一台。``) is kept apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_OPEN: Final = "《〈“「『（(【["
_CLOSE: Final = "》〉”」』）)】]"
_ITEM: Final = re.compile(
    r"(?:^|(?<=[\s。；;？?！!：:，,]))"
    r"(?:[（(](?P<a>\d{1,2}|[一二三四五六七八九十])[）)]|(?P<b>\d{1,2})[)、）.．](?!\d)"
    r"|(?P<c>[一二三四五六七八九十])、|(?P<d>[①-⑩]))\s*"
)
_FIRST: Final = frozenset({"1", "01", "一", "①"})
_END: Final = re.compile(r"[。！？?!；;\n]+|\.(?=\s|$)")
_COMMA: Final = re.compile(r"[，,](?!\d)\s*")
_COURTESY: Final = re.compile(
    r"^(?:(?:您好|你好|嗨|哈喽|请教一下|请教|请问一下|请问|我?想(?:请问|咨询|了解|知道|问)(?:一下"
    r"|下)?"
    r"|麻烦(?:您|你)?(?:问一下|问下|一下)?|劳驾|能不能告诉我|能否告诉我|可以告诉我"
    r"|(?:能否|能不能|可否|可以)?(?:请|麻烦)?(?:您|你)?(?:帮我|帮忙|告诉我|给我)(?:看一下|查一下"
    r"|查查|一下)?"
    r"|请(?=介绍|对比|比较|说明|列出|列举|分析|描述|解释|简述|总结|概述|阐述|谈谈|给出|提供|回答))"
    r"[，,:：\s]*)+"
)
_COURTESY_EN: Final = re.compile(
    r"^(?:(?:hi|hello|please|excuse me|could you(?: please)?(?: tell me)?|can you(?: please)? tell"
    r" me"
    r"|i(?:'d| would) like to know|tell me)\b[,:\s]*)+",
    re.IGNORECASE,
)
WH: Final = (
    r"什么|哪|谁|何时|何地|何人|何种|何处|为何|如何|怎|几|多少|多久|多[长大高远重快深宽早晚]|啥"
    r"|是否|能否"
    r"|可否|有没有|是不是|能不能|可不可以|会不会|要不要|[吗呢么]$"
)
WH_EN: Final = r"\b(?:what|which|who|whom|whose|when|where|why|how)\b"
_WH: Final = re.compile(WH)
# 好不好用, 支不支持, 退没退款: a verb or adjective, and its denial; not the adverbs 时不时, 动不动.
_A_NOT_A: Final = re.compile("(?![时动])([\u4e00-\u9fff])[不没]\\1")
_WH_EN: Final = re.compile(
    WH_EN + r"|^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|may|must)\b",
    re.IGNORECASE,
)
_ASKS_TO: Final = re.compile(
    r"^(?:对比|比较|介绍|说明|列出|列举|分析|描述|解释|简述|总结|概述|阐述|谈谈|讲讲|说说|给出"
    r"|提供)"
)
_ASKS_TO_EN: Final = re.compile(
    r"^(?:compare|list|describe|explain|summari[sz]e|outline|give|name|state|define|discuss"
    r"|tell)\b",
    re.IGNORECASE,
)
_HAN: Final = re.compile("[\u3400-\u9fff]")
_EN_CLAUSE: Final = re.compile(
    r",?\s+and\s+(?=(?:also\s+)?(?:what|which|who|when|where|why|how|is|are|do|does|did|can)\b)"
    r"|,\s+(?=(?:what|which|who|when|where|why|how)\b)",
    re.IGNORECASE,
)
_BARE_WH: Final = re.compile(WH_EN, re.IGNORECASE)  # When and where …


@dataclass(frozen=True, slots=True)
class Piece:
    """One sub-question.

    Attributes:
        text: Without courtesies and end punctuation.
        start: Offset of its first code point in the question.
        end: Offset behind its last one.
        context: What stands before it and asks nothing.
        marked: The text ends in a question mark.
    """

    text: str
    start: int
    end: int
    context: str = ""
    marked: bool = False


def is_chinese(text: str) -> bool:
    """Whether a question is read by the Chinese rules."""
    return _HAN.search(text) is not None


def asks(text: str) -> bool:
    """Whether a clause asks or demands, by its words alone."""
    if is_chinese(text):
        found = _WH.search(text) or _A_NOT_A.search(text) or _ASKS_TO.match(text)
        return found is not None
    return _WH_EN.search(text) is not None or _ASKS_TO_EN.match(text) is not None


def pieces(question: str) -> list[Piece]:
    """Cut a question into sub-questions.

    Args:
        question: The user's text.

    Returns:
        The pieces that ask, in order, each with the background that stands before it. Where
        nothing asks (a keyword query) the list items, or else the whole text as one.
    """
    items = _items(question)
    sentences = [s for item in items for s in _sentences(question, *item)]
    asking = [s.marked or asks(s.text) for s in sentences]
    if not any(asking):
        return _keywords(question, sentences, listed=len(items) > 1)
    out: list[Piece] = []
    background: list[str] = []
    for sentence, asked in zip(sentences, asking, strict=True):
        if asked:
            out.extend(_clauses(sentence, "，".join(background)))
        else:
            background.append(sentence.text)
    return out


def _keywords(question: str, sentences: list[Piece], *, listed: bool) -> list[Piece]:
    if listed or len(sentences) < 2:
        return sentences[1:] if listed and len(sentences) > 2 and _leads(question) else sentences
    start, end = sentences[0].start, sentences[-1].end
    return [Piece(question[start:end].strip(), start, end)]


def _leads(question: str) -> bool:
    """Whether the text before the first list item only announces the items."""
    first = _ITEM.search(question)
    return first is not None and bool(question[: first.start()].strip())


def _items(question: str) -> list[tuple[int, int]]:
    """Spans of the items of a numbered list, else the whole text."""
    found = list(_ITEM.finditer(question))
    if len(found) < 2 or next(g for g in found[0].groups() if g) not in _FIRST:
        return [(0, len(question))]
    spans = [(0, found[0].start())] if question[: found[0].start()].strip() else []
    ends = [m.start() for m in found[1:]] + [len(question)]
    return spans + [(m.end(), end) for m, end in zip(found, ends, strict=True)]


def cut_outside(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int, str]]:
    """Spans between matches that stand outside brackets and quotes, with the match behind.

    Args:
        text: Any text.
        pattern: Where to cut.
    """
    out: list[tuple[int, int, str]] = []
    depth = begin = at = 0
    while at < len(text):
        if text[at] in _OPEN:
            depth += 1
        elif text[at] in _CLOSE:
            depth = max(0, depth - 1)
        match = pattern.match(text, at) if depth == 0 else None
        if match is not None and match.end() > at:
            out.append((begin, at, match.group()))
            begin = at = match.end()
            continue
        at += 1
    out.append((begin, len(text), ""))
    return out


def _sentences(question: str, low: int, high: int) -> list[Piece]:
    out = []
    for start, end, mark in cut_outside(question[low:high], _END):
        piece = _trim(question, low + start, low + end, "？" in mark or "?" in mark)
        if piece is not None:
            out.append(piece)
    return out


def _trim(question: str, start: int, end: int, marked: bool) -> Piece | None:
    """Without white space, courtesies and stray punctuation; None where nothing is left."""
    text = question[start:end]
    text = text.rstrip(" \t\u3000，,、：:。.；;")
    lead = _COURTESY.match(text) or _COURTESY_EN.match(text.lstrip())
    stripped = text.lstrip(" \t\u3000，,、：:")
    lead = _COURTESY.match(stripped) or _COURTESY_EN.match(stripped)
    body = stripped[lead.end() :] if lead is not None else stripped
    if not any(c.isalnum() for c in body):
        return None
    end = start + len(text)
    return Piece(body, end - len(body), end, marked=marked)


def _clauses(sentence: Piece, context: str) -> list[Piece]:
    """A sentence cut at the commas (in English also at "and") between clauses that ask."""
    chinese = is_chinese(sentence.text)
    parts: list[list[int]] = []
    told: list[str] = []
    for start, end, _ in cut_outside(sentence.text, _COMMA if chinese else _EN_CLAUSE):
        clause = sentence.text[start:end]
        if not clause.strip():
            continue
        bare = parts and _BARE_WH.fullmatch(sentence.text[parts[-1][0] : parts[-1][1]].strip())
        if parts and (bare or not asks(clause)):
            parts[-1][1] = end  # it goes on with the clause before
        elif not asks(clause) and end < len(sentence.text):
            told.append(clause.strip())
        else:
            parts.append([start, end])
    out = []
    for start, end in parts or [[0, len(sentence.text)]]:
        piece = _trim(sentence.text, start, end, sentence.marked)
        if piece is not None:
            around = "，".join([c for c in (context, *told) if c])
            out.append(
                Piece(piece.text, sentence.start + piece.start, sentence.start + piece.end,
                      around, sentence.marked)
            )  # fmt: skip
    return out
