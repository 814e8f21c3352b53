"""Cutting a sentence into clauses, each readable on its own.

Cuts are made at ``；`` and at a ``，`` between two stretches that both have a predicate. A clause
without a subject is given that of the clause before it, and one under an attribution
(``张三表示，…，…``) is given the attribution, so that neither is lost. Parts of speech come from
``jieba.posseg``, loaded on first use: it needs about a second once and then some microseconds a
character, which is nothing beside inference over an answer's clauses, and its tags find subjects
that no word list would. Where a cut would change the sense (conditions, causes, purposes,
examples) none is made.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from . import grammar, quotes
from .chars import HAN, HAS_ALNUM, either
from .normalize import to_simplified


class Clause(NamedTuple):
    """A clause of a sentence.

    Attributes:
        text: What is read: the clause, with a carried subject or attribution before it.
        start: Offset of the clause in the sentence, without what is carried.
        end: Behind its last sign.
    """

    text: str
    start: int
    end: int


_SEMICOLON: Final = frozenset("；;")
_BREAK: Final = re.compile(r"[；;，]|,(?![0-9])")
_HAN: Final = re.compile(f"[{HAN}]")
# What the first part opens binds all that follows, up to the next ；.
_BINDS: Final = re.compile(
    "^"
    + either(
        "如果 若是 若 如 假如 倘若 要是 只要 只有 除非 一旦 即使 即便 哪怕 无论 不论 不管 当 由于"
        " 因为 因 为了 为 随着 每当 凡"
    )
)
# What follows depends on what stands before.
_DEPENDS: Final = re.compile(
    "^"
    + either(
        "则 就 才 那么 以便 以免 以 从而 因而 因此 所以 导致 致使 使得 使 令 造成 引发 其中 即"
        " 也就是 包括 包含 例如 比如 如(?!今) 像 因为"
        " 由于 因 原因 主要因 主要原因 除非 否则 用于 用来 分别 否 是否 至 直到 直至 为此 以及 或"
        " 和 还是 尤其 特别是 比 较 相当于"
        " 这(?!些) 那 该比例 前者 后者 占 故 方可 方能 方 才能 故而 反之 不得不"
    )
)
_SAYING: Final = re.compile(
    either(
        "表示 指出 认为 称 说 介绍 强调 透露 预计 宣布 显示 提到 建议 要求 规定 发现 证实 解释"
        " 表明 预测 相信 坦言 写道 承认 否认"
        " 补充 提醒 呼吁 回应 主张 怀疑 推测 估计 提出 通报 报道 道 认定 判断 确认 解释称"
    )
    + "$"
)
_ADVERBIAL: Final = re.compile(
    "^"
    + either(
        "由此 据此 据 根据 依据 按照 按 基于 经 截至 在 从 自 对于 至于 关于 针对 除了 除 作为"
        " 通过 与 跟 同 相比 相较"
    )
    + "|"
    + either(
        "时 后 前 以来 期间 中 下 里 内 外 之间 方面 来看 来说 时候 [后前]第?[^，]{0,5}[天日年月周]"
    )
    + "$"
)
_CONNECTIVE: Final = re.compile(
    either("但是 但 不过 然而 而且 而 并且 并 且 同时 此外 另外 虽然 尽管 因此 所以 随后 之后 然后")
)
_PREDICATE_TAGS: Final = frozenset("va")
_LONGEST_ATTRIBUTION: Final = 40
_ENGLISH: Final = re.compile(
    r",\s+(?:and|but|while|whereas|yet)\s+(?=(?:he|she|it|they|we|the|this|that|its|their|these"
    r"|those)\b|[A-Z])|;\s+"
)


def split(text: str, max_chars: int) -> list[Clause]:
    """Clauses of a sentence, in order; a sentence that has no second clause comes back whole.

    Args:
        text: One sentence.
        max_chars: A text that a carried subject would make longer stays without it.
    """
    if _BREAK.search(text) is None:
        return [Clause(text, 0, len(text))]
    if _HAN.search(text) is None:
        return _split_english(text)
    parts = _parts(text)
    if len(parts) == 1:
        return [Clause(text, 0, len(text))]
    plain = to_simplified(text)
    if len(plain) != len(text):
        plain = text
    return _Builder(text, plain, max_chars).build(parts)


def _split_english(text: str) -> list[Clause]:
    clauses: list[Clause] = []
    start = 0
    for match in _ENGLISH.finditer(text):
        if len(text[start : match.start()].split()) >= 3 and len(text[match.end() :].split()) >= 3:
            clauses.append(Clause(text[start : match.start()], start, match.start()))
            start = match.end()
    clauses.append(Clause(text[start:], start, len(text)))
    return clauses


def _parts(text: str) -> list[tuple[int, int, str]]:
    """Stretches between breaks outside of brackets and quotes: start, end, the break."""
    blocked = quotes.pair(text).blocked
    parts: list[tuple[int, int, str]] = []
    start = index = 0
    for match in _BREAK.finditer(text):
        at = match.start()
        while index < len(blocked) and blocked[index][1] < at:
            index += 1
        if index < len(blocked) and blocked[index][0] < at:
            continue
        if HAS_ALNUM.search(text, start, at) is not None:
            parts.append((start, at, text[at]))
            start = match.end()
    if HAS_ALNUM.search(text, start) is not None:
        parts.append((start, len(text), ""))
    return parts


class _Builder:
    """Joins parts to clauses and carries subjects and attributions."""

    def __init__(self, text: str, plain: str, max_chars: int) -> None:
        self.text = text
        self.plain = plain  # the same, simplified: what words and patterns are looked up in
        self.words = grammar.words(plain)
        self.max_chars = max_chars
        self.subject = ""
        self.attribution = (0, 0)

    def build(self, parts: list[tuple[int, int, str]]) -> list[Clause]:
        """Clauses from the parts, in order."""
        clauses: list[Clause] = []
        start = content = parts[0][0]  # content: behind an attribution
        bound = done = False  # done: what was gathered states something
        for i, (low, high, sign) in enumerate(parts):
            body = self.plain[low:high].strip()
            bound = (bound and low != start) or _BINDS.match(body) is not None
            if sign and _SAYING.search(body) and len(body) <= _LONGEST_ATTRIBUTION:
                self.attribution = (low, high)
                content = parts[i + 1][0] if i + 1 < len(parts) else low
                continue
            frame = _ADVERBIAL.search(body.rpartition("：")[2])  # without a label
            done = done or (frame is None and self._states(low, high))
            if i + 1 < len(parts) and sign not in _SEMICOLON:
                following = parts[i + 1]
                if not done or bound or not self._may_cut(content, high, following):
                    continue
            clauses.append(self._clause(start, content, high, first=not clauses))
            if i + 1 < len(parts):
                start = content = parts[i + 1][0]
                done = False
                if sign in _SEMICOLON:
                    self.attribution = (0, 0)
        if not clauses or clauses[-1].end < parts[-1][1]:
            clauses.append(self._clause(start, content, parts[-1][1], first=not clauses))
        return clauses

    def _may_cut(self, low: int, high: int, following: tuple[int, int, str]) -> bool:
        """Whether what follows is a clause that has, or can be given, a subject."""
        after = self.plain[following[0] : following[1]].strip()
        if _DEPENDS.match(after) or not self._states(following[0], following[1]):
            return False
        if grammar.has_own_subject(self._in(following[0], following[1])):
            return True
        here = self._in(low, high)
        return bool(grammar.subject(here) or self.subject) and not grammar.is_intricate(here)

    def _in(self, low: int, high: int) -> list[grammar.Word]:
        return [word for word in self.words if low <= word.start < high]

    def _states(self, low: int, high: int) -> bool:
        return grammar.has_predicate(self._in(low, high))

    def _clause(self, start: int, content: int, end: int, *, first: bool) -> Clause:
        raw = self.text[start:end]
        start += len(raw) - len(raw.lstrip())
        body = self.text[start:end].rstrip()
        end = start + len(body)
        carried = self._carried(start, max(start, content), end, first=first)
        return Clause(carried if len(carried) <= self.max_chars else body, start, end)

    def _carried(self, start: int, content: int, end: int, *, first: bool) -> str:
        words = self._in(content, end)
        found, own = grammar.subject(words), grammar.has_own_subject(words)
        body = self.text[start:end]
        if not first and content == start:
            if not own and self.subject:
                match = _CONNECTIVE.match(self.plain, start, end)
                rest = match.end() if match else start
                if HAS_ALNUM.search(self.text, rest, end) is None:
                    rest = start
                body = self.subject + self.text[rest:end]
            low, high = self.attribution
            if high:
                body = f"{self.text[low:high].strip()}，{body}"
        if found:
            at = self.plain.find(found, content, end)
            self.subject = self.text[at : at + len(found)] if at >= 0 else found
        if grammar.is_intricate(words):
            self.subject = ""
        return body
