"""What a point of a question is about, and how far a text speaks of it.

Words that only help to ask (应该, 第一步, 怎么处理) are no part of the topic, a code or model name
(E3, A6) says more than a common noun, and a word counts half where the text holds a near relative
that shares a morpheme in the same place (收费 and 免费, 退货 and 退回). Lexicon synonyms count in
full, see `nli_faith.metrics.terms`. The constants are this package's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from nli_faith.lexicon import Lexicon
from nli_faith.metrics.terms import Term, content_terms, held, tagged, weighted
from nli_faith.text import fold
from nli_faith.text.chars import word_set

#: What a near relative of a word counts beside the word itself.
KIN: Final = 0.5
#: Weight of codes and model names, which tell one thing from all others.
_CODE_WEIGHT: Final = 2.0
#: A point whose own words weigh no more than this says too little to be looked for.
POOR: Final = 0.5

_CODE: Final = re.compile(r"(?=.*\d)(?=.*[a-z])[a-z0-9.\-]{2,}$")
# Words that frame any question: duty, order, degree, manner, and verbs that stand in for an act.
_GENERIC: Final = word_set(
    "第一步 首先 先 最多 最少 最高 最低 最长 最短 最大 最小 最晚 最早 最迟 至少 至多 最好 合适 合理"
    " 正确 通常 一般 正常 大概 大约 左右 另外 额外 还 继续 现在 目前 现行 具体 相关 有关 之内 以内"
    " 之后 之前 以后 以前 情况 问题 事情 东西 办法 方法 方式 措施 流程 步骤 材料 条件 手续"
    " 处理 解决 应对 办理 办 做 弄 搞 算 计算 走 注意 准备 采取 选 拿 得到 拿到 满足 满足要求 要求"
    " 请问 想 知道 了解 想要 必须 得 该 应 须 能够 可 一年 一天 一次 一个月 每天 每年 每月 负责"
)  # fmt: skip
# Morphemes that stand in so many words that sharing one says nothing.
_EMPTY: Final = frozenset(
    "人物品性度时间年月日天期中国大小上下第一不无有可能会要出进开发生成分本全新老子地方面部所学员者"
    "家率量式化法机水行用定合动动力工作产业务区点情事理会议个名次内外前后高低最多少自主实"
)
# 怎么办 and 为什么 come as one word from the tagger.
_ASKING: Final = re.compile("怎|什么|谁|哪|如何|多少|几|何时|[吗呢]")
_RATE: Final = re.compile("[一每][晚天年月次日周个人件]$")
_KIN_TAGS: Final = ("n", "v", "a", "l", "i", "j")


@lru_cache(maxsize=4096)
def topic_terms(text: str) -> tuple[Term, ...]:
    """The content words of a question that say what it is about.

    Args:
        text: A point, or a clause that stands for it.

    Returns:
        From `content_terms`, without words that only help to ask and with codes weighted double;
        where nothing else is left, those words after all.
    """
    found = content_terms(text)
    telling = _telling(found)
    return tuple(
        replace(t, weight=_CODE_WEIGHT) if _CODE.match(t.word) else t for t in telling or found
    )


def says_little(text: str) -> bool:
    """Whether a clause has no topic of its own (怎么办, 多久要还).

    Args:
        text: A clause that asks.
    """
    return sum(t.weight for t in _telling(content_terms(text))) <= POOR


def _telling(terms: Iterable[Term]) -> list[Term]:
    return [
        t
        for t in terms
        if t.word not in _GENERIC and not _ASKING.search(t.word) and not _RATE.match(t.word)
    ]


def spoken_of(terms: Iterable[Term], folded: str, lexicon: Lexicon) -> float:
    """Weighted share of a topic that a text speaks of, near relatives at half, in [0, 1].

    Args:
        terms: From `topic_terms`.
        folded: The text, folded.
        lexicon: Synonyms and related words.
    """

    def found(word: str) -> float:
        return held(word, folded, lexicon) or (KIN if _akin(word, folded) else 0.0)

    return weighted(terms, found)


def _akin(word: str, folded: str) -> bool:
    """Whether a two-character word shares its first or last morpheme with a word of the text."""
    if len(word) != 2 or word.isascii():
        return False
    first, last = (c if c not in _EMPTY else "" for c in word)
    return any(first == a or last == b for a, b in _morphemes(folded) if a or b)


@lru_cache(maxsize=4096)
def _morphemes(folded: str) -> frozenset[tuple[str, str]]:
    """First and last character of each two-character content word, empty ones left blank."""
    return frozenset(
        tuple("-" if c in _EMPTY else c for c in w.text)  # type: ignore[misc]
        for w in tagged(fold(folded))
        if len(w.text) == 2 and w.tag.startswith(_KIN_TAGS) and not w.text.isascii()
    )
