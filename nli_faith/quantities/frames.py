"""How alike the words around two quantities are: the frame of a number.

A figure that differs says little by itself (answers compute, round and suppose); a figure that
differs inside the same words (失业率为3.2% against 失业率为3.4%) says much.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .fold import fold
from .model import Quantity

_NOISE = re.compile(r"[0-9，。；、：:,.;!?！？（）()【】\[\]|“”\"'‘’《》\s\ue000的了为是在]+")
_WORD = re.compile(r"[a-z]{3,}")
_LATIN = re.compile(r"[A-Za-z]+")


#: Grams that a clause needs to be compared by itself.
MIN_CLAUSE = 8
_CLAUSE_END = re.compile("[，；;。！？!?]|, ")


class Frame(NamedTuple):
    """Likeness of two frames, each part in [0, 1] except ``adjacent`` (characters).

    Attributes:
        cover: Share of the claim's bigrams (or of its clause's) that stand in the window around
            the other quantity.
        local: The same for the claim's words next to its quantity.
        adjacent: How many characters directly before both quantities agree.
    """

    cover: float
    local: float
    adjacent: int


def grams(text: str) -> frozenset[str]:
    """Character bigrams of CJK text and whole lower-case words of Latin text, without noise."""
    latin = _LATIN.search(text) is not None
    words = frozenset(_WORD.findall(text.lower())) if latin else frozenset()
    cjk = _NOISE.sub("", _LATIN.sub(" ", text) if latin else text)
    return words | {cjk[i : i + 2] for i in range(len(cjk) - 1)}


@lru_cache(maxsize=2048)
def window_grams(left: str, right: str) -> frozenset[str]:
    """Grams of the window around a context quantity."""
    return grams(left) | grams(right)


@lru_cache(maxsize=2048)
def _bare(left: str) -> str:
    return _NOISE.sub("", left)


class ClaimFrame:
    """The frame of one claim quantity, prepared once for many comparisons."""

    __slots__ = ("_all", "_clause", "_left", "_local")

    def __init__(self, claim_text: str, q: Quantity) -> None:
        folded = fold(claim_text)
        self._all = grams(folded[: q.start]) | grams(folded[q.end :])
        head = _CLAUSE_END.split(folded[: q.start])[-1]
        tail = _CLAUSE_END.split(folded[q.end :], maxsplit=1)[0]
        clause = grams(head) | grams(tail)
        self._clause = clause if len(clause) >= MIN_CLAUSE else self._all
        self._local = grams(q.left[-10:]) | grams(q.right[:6])
        self._left = _bare(q.left)

    @property
    def size(self) -> int:
        """Number of grams of the claim: few of them prove little."""
        return len(self._all)

    def against(self, context: Quantity) -> Frame:
        """Likeness to the frame of a context quantity."""
        window = window_grams(context.left, context.right)
        cover = len(self._all & window) / len(self._all) if self._all else 0.0
        if self._clause is not self._all:
            cover = max(cover, len(self._clause & window) / len(self._clause))
        local = len(self._local & window) / len(self._local) if self._local else 0.0
        a, b, n = self._left, _bare(context.left), 0
        while n < len(a) and n < len(b) and a[-1 - n] == b[-1 - n]:
            n += 1
        return Frame(cover, local, n)
