"""Content words of a question, and how far a text addresses them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from nli_faith.lexicon import Lexicon
from nli_faith.text import fold
from nli_faith.text.chars import word_set
from nli_faith.text.grammar import Word, words

#: Share of a word's letter pairs from which a text is taken to hold it in another dress.
PARTIAL: Final = 0.6
#: What a related word (性能: 流畅) counts beside the word itself or a synonym.
RELATED: Final = 0.8

_KEPT: Final = frozenset(
    ["n", "v", "a", "j", "l", "i", "z", "t", "s", "m", "b", "f", "g", "x", "eng"]
)
_STOP: Final = word_set(
    "什么 哪 哪个 哪些 哪里 哪儿 哪一 谁 何 何时 何地 如何 怎么 怎样 怎么样 为什么 为何 多少 多久"
    " 多长 多大 几 几个 吗 呢"
    " 是 有 在 为 被 把 将 对 从 由 于 以 和 与 及 或 的 了 着 过 地 得 也 都 还 又 就 才 最 更 很"
    " 请 请问 可以 能 能够"
    " 会 要 应该 需要 一个 一种 一 个 种 位 次 时候 时间 地方 是否 能否 可否 有没有 是不是 这 那"
    " 这个 那个 该 此 其 它"
    " 他 她 我 你 您 我们 你们 他们 自己 哪位 哪种 何人 何种 主要 分别 具体 一下 介绍 说明 对比"
    " 比较 列出 解释 分析 之间"
    " 中 上 下 里 内 外 时 后 前 使 让 给 到 去 来 做 用 叫 说 指 当中 当时 文中 提到 属于 称为"
    " 认为 成为"
    " the a an of in on at to for and or is are was were be been do does did have has had what"
    " which who whom whose when"
    " where why how many much long can could will would should may might must i you we they it its"
    " this that these"
    " those there with from by about as than then if not no any some me my your their his her"
    " compare list describe"
    " explain tell give name get make"
)  # fmt: skip
_SYMBOL: Final = re.compile(r"^[^\w\u3400-\u9fff]+$")
_LATIN: Final = re.compile(r"[a-z0-9]+(?:[.\-'][a-z0-9]+)*")
_HAN: Final = re.compile("[\u3400-\u9fff]")
_ENDING: Final = re.compile(r"(?:ies|es|s|ing|ed)$")


@dataclass(frozen=True, slots=True)
class Term:
    """A content word.

    Attributes:
        word: Folded.
        weight: 1; half for a lone character, which says little.
    """

    word: str
    weight: float


@lru_cache(maxsize=4096)
def tagged(text: str) -> tuple[Word, ...]:
    """`nli_faith.text.grammar.words`, remembered: a claim is looked at for every point.

    Args:
        text: A sentence.
    """
    return tuple(words(text))


@lru_cache(maxsize=4096)
def content_terms(text: str) -> tuple[Term, ...]:
    """The content words of a text, each once, in order.

    Question words, function words and particles are left out. Chinese is cut by the dictionary;
    Latin words are kept whole.

    Args:
        text: Any text; long ones are better cut into sentences first.
    """
    folded = fold(text)
    if _HAN.search(folded) is None:
        found = [w for w in _LATIN.findall(folded) if w not in _STOP]
        return tuple(Term(w, 1.0) for w in dict.fromkeys(found))
    out: dict[str, float] = {}
    for word in tagged(folded):
        name = word.text.strip()
        if not name or name in _STOP or _SYMBOL.match(name):
            continue
        if word.tag[0] not in _KEPT and word.tag != "eng":
            continue
        if word.tag in ("f", "m") and len(name) < 2:
            continue
        out.setdefault(name, 0.5 if len(name) == 1 and not name.isdigit() else 1.0)
    return tuple(Term(w, weight) for w, weight in out.items())


def held(word: str, folded: str, lexicon: Lexicon) -> float:
    """How far a text addresses one word, in [0, 1].

    Args:
        word: The word.
        folded: The text, folded.
        lexicon: Synonyms and related words.

    Returns:
        1 where the word or a synonym stands there, 0.8 for a related word, the share of its
        letter pairs (from 0.6 on, Chinese words of 3 characters or more) where it stands in
        another dress, else 0.
    """
    same, loose = lexicon.forms(word)
    if any(contains(folded, form) for form in same):
        return 1.0
    if any(contains(folded, form) for form in loose):
        return RELATED
    name = same[0]
    if len(name) >= 3 and _HAN.search(name):
        pairs = [name[i : i + 2] for i in range(len(name) - 1)]
        share = sum(p in folded for p in pairs) / len(pairs)
        return share if share >= PARTIAL else 0.0
    return 0.0


def contains(folded: str, word: str) -> bool:
    """Whether a word stands in a text: Latin words as whole words, plural and tense aside."""
    if word not in folded:
        stem = _ENDING.sub("", word)
        if not word.isascii() or len(stem) < 3 or stem not in folded:
            return False
        word = stem
    if not (word.isascii() and word[:1].isalnum()):
        return True
    tail = r"(?:ies|es|s|ing|ed|d)?" if word.isalpha() else ""
    pattern = rf"(?<![a-z0-9]){re.escape(word)}{tail}(?![a-z0-9])"
    return re.search(pattern, folded) is not None


def share(terms: Iterable[Term], folded: str, lexicon: Lexicon) -> float:
    """Weighted share of terms that a text addresses, in [0, 1]; 0 for no terms.

    Args:
        terms: From `content_terms`.
        folded: The text, folded.
        lexicon: Synonyms and related words.
    """
    return weighted(terms, lambda word: held(word, folded, lexicon))


def weighted(terms: Iterable[Term], found: Callable[[str], float]) -> float:
    """Weighted share of terms that are found, in [0, 1]; 0 for no terms.

    Args:
        terms: From `content_terms`.
        found: How far a word is found, in [0, 1].
    """
    total = got = 0.0
    for term in terms:
        total += term.weight
        got += term.weight * found(term.word)
    return got / total if total else 0.0


def phrase_share(phrase: str, folded: str, lexicon: Lexicon) -> float:
    """How far a text addresses a phrase (an entity or an aspect), in [0, 1].

    The phrase as a whole, or else its words.

    Args:
        phrase: As a point names it.
        folded: The text, folded.
        lexicon: Synonyms and related words.
    """
    whole = held(phrase, folded, lexicon)
    return whole if whole == 1.0 else max(whole, share(content_terms(phrase), folded, lexicon))
