"""A question cut into the points that an answer has to cover, by rule, without a model.

``对比A和B的价格和性能`` asks four things, ``保修期多久？如何退货？`` two. A point that names an
entity and an aspect is written ``A的价格`` (``price of A``); any other is the words of the clause.
Deterministic; time is linear in the length of the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from nli_faith.metrics import points_en, points_zh
from nli_faith.metrics.pieces import is_chinese, pieces
from nli_faith.metrics.question_types import Asked, asked
from nli_faith.metrics.topic import says_little
from nli_faith.text import clean, fold, to_simplified

# A pasted document is no question; what stands behind this many code points is not looked at.
MAX_QUESTION: Final = 4000
MAX_POINTS: Final = 64
_AND_WHAT: Final = re.compile(r"^(?P<entity>.{1,20}?)呢$")


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a question asks.

    Attributes:
        text: For people, and unique within the question.
        entity: Whose aspect is asked; empty where the clause does not divide.
        aspect: What of it is asked; empty likewise.
        context: Background and conditions said before, with no question of their own.
        asked: What kind of answer is expected.
        start: Offset of the clause in the question as `split_question` reads it.
        end: Offset behind the clause.
        about: The words that tell the topic: the text, behind the clause or point before where
            the text alone has no topic (怎么办, 多久要还).
    """

    text: str
    entity: str
    aspect: str
    context: str
    asked: Asked
    start: int
    end: int
    about: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "text": self.text,
            "entity": self.entity,
            "aspect": self.aspect,
            "kind": self.asked.kind.value,
            "start": self.start,
            "end": self.end,
        }


@lru_cache(maxsize=1024)
def split_question(question: str) -> tuple[Point, ...]:
    """The points of a question, in its order.

    Offsets are into the question cleaned and in Simplified form, which is the question itself
    unless it holds control characters or Traditional words that convert to another length.

    Args:
        question: Any text, Chinese (Traditional as well) or English; more than 4,000 code points
            are not looked at.

    Returns:
        At most 64 points; none for a text without letters, ideographs or digits.
    """
    text = to_simplified(clean(question[:MAX_QUESTION]).text)
    out: list[Point] = []
    seen: set[str] = set()
    for piece in pieces(text):
        chinese = is_chinese(piece.text)
        cut: Callable[[str], list[points_zh.Cut]] = points_zh.cut if chinese else points_en.cut
        for found in _resume(out, piece.text) or cut(piece.text):
            key = fold(found.text)
            if key in seen or len(out) >= MAX_POINTS:
                continue
            seen.add(key)
            out.append(
                Point(found.text.strip(), found.entity.strip(), found.aspect.strip(),
                      piece.context, asked(found.text, found.aspect, piece.text),
                      piece.start, piece.end, _about(found.text, piece.context, out))
            )  # fmt: skip
    return tuple(out)


def _about(text: str, context: str, before: list[Point]) -> str:
    """A point without content takes the clause before it: 包裹被要求交税，怎么办."""
    if not says_little(text):
        return text
    lead = context or (before[-1].about if before else "")
    return f"{lead}，{text}" if lead else text


def _resume(before: list[Point], clause: str) -> list[points_zh.Cut]:
    """``A的价格是多少？B呢？``: the second clause asks the same of another."""
    found = _AND_WHAT.match(clause)
    if found is None or not before or not before[-1].entity or not before[-1].aspect:
        return []
    entity, aspects = found["entity"], [p.aspect for p in before if p.entity == before[-1].entity]
    return [points_zh.Cut(f"{entity}的{a}", entity, a) for a in aspects]
