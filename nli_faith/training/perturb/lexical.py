"""Edits that replace one word by its entry in the hand-checked lists."""

from __future__ import annotations

from typing import Final

from .guards import allows
from .lexicon import SWAPS, Swap, pairs
from .model import Edit, Tagged
from .tagging import follows

_BY_WORD: Final[dict[str, list[Swap]]] = {}
for _swap in SWAPS:
    _BY_WORD.setdefault(_swap.old, []).append(_swap)

# What may stand twice where a word was put in.
_REPAIRS: Final = pairs(
    """
    已将>已经 将将>将 已会>已 已经会>已经 已经将>已经 将已>将 将了>将 所有的的>所有的
    一定会会>一定会 必将会>必将 必将将>必将 不会将>不会 将正在>将
    """
)


def lexical_edits(found: Tagged) -> list[Edit]:
    """Edits that replace one word by its entry in the lists.

    Args:
        found: A claim.
    """
    out = []
    for i, word in enumerate(found.words):
        if found.quoted[i]:
            continue
        for swap in _BY_WORD.get(word.text, ()):
            if follows(found, i, swap.needs) and allows(found, i, swap):
                text = _repaired(found, i, swap.new)
                out.append(Edit(text, swap.label, swap.kind, swap.old, swap.new))
    return out


def _repaired(found: Tagged, i: int, new: str) -> str:
    """The text with a word replaced, and what then stands twice at that place put right."""
    start = max(0, found.words[i].start - 2)
    text = found.replaced(i, i + 1, new)
    place = text[start : start + 2 + len(new) + 2]
    mended = place
    for old, good in _REPAIRS:
        mended = mended.replace(old, good)
    return text[:start] + mended + text[start + len(place) :]
