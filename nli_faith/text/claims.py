"""Telling claims from questions, greetings, headings, lead-ins, refusals and code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..datamodels import Block, Segment, SegmentKind
from . import courtesies, lead_ins, refusals
from .normalize import fold, model_text
from .splitter import SentenceSplitter

_BOLD_LABEL: Final = re.compile(r"(\*\*|__)(?=\S)([^*_]{1,30})\1[：:]?$")
_PREDICATE: Final = re.compile(r"[0-9是为有在了被将会能应已可须不没未达增减降升]|[，。；！？]")
_YES_NO: Final = re.compile(
    r"吗|是否|能否|可否|能不能|可不可以|有没有|是不是|会不会|要不要|行不行|对不对"
    r"|^(?:is|are|do|does|did|can|could|will|would|has|have|should|was|were)\b"
)
_ASSENT: Final = re.compile(
    r"^(?:好的|当然|当然可以|可以的|没问题|好|嗯|ok|okay|sure|certainly|of course|absolutely)"
    r"[呀啊哦呢]?$",
    re.IGNORECASE,
)
_PERMITS: Final = re.compile(r"^(?:当然|当然可以|可以的)[呀啊哦呢]?$")
_QUOTED: Final = frozenset('“"「『‘')
_DEFAULT: Final = SentenceSplitter()


def classify(segments: Sequence[Segment], *, question: str | None = None) -> list[Segment]:
    """Set the kind of each segment of one answer.

    Args:
        segments: Segments of one answer, in order.
        question: The user's question, if known: an answer that begins by repeating it does not
            assert it, and ``当然可以`` answers a yes-no question rather than greeting.

    Returns:
        The same segments in the same order, ``kind`` set. Where in doubt a segment stays a
        claim, because a claim that is lost is never checked.
    """
    folded = fold(question) if question else ""
    asked = _letters(folded)
    assents = _YES_NO.search(folded) is not None
    result: list[Segment] = []
    refused = False
    for segment in segments:
        kind = _kind(segment, asked, refused=refused, assents=assents, alone=len(segments) == 1)
        refused = kind is SegmentKind.REFUSAL
        result.append(segment if kind is segment.kind else replace(segment, kind=kind))
    return result


def extract(
    answer: str,
    *,
    splitter: SentenceSplitter | None = None,
    question: str | None = None,
) -> list[Segment]:
    """Split an answer and tell its claims from the rest.

    Args:
        answer: The generated answer.
        splitter: How to split; by default sentences of at most 400 code points.
        question: The user's question, if known.

    Returns:
        All segments of the answer, each with its kind; only ``CLAIM`` is to be scored.
    """
    return classify((splitter or _DEFAULT).split(answer), question=question)


def is_refusal(text: str) -> bool:
    """Whether a sentence or a whole answer refuses and asserts nothing.

    Args:
        text: A sentence or an answer, Chinese (Simplified or Traditional) or English.
    """
    kinds = {segment.kind for segment in extract(text)}
    return SegmentKind.REFUSAL in kinds and SegmentKind.CLAIM not in kinds


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _kind(
    segment: Segment, asked: str, *, refused: bool, assents: bool, alone: bool
) -> SegmentKind:
    if segment.block is Block.CODE:
        return SegmentKind.CODE
    if segment.block is Block.HEADING:
        return SegmentKind.HEADING
    if segment.block is Block.TABLE_ROW:
        return SegmentKind.CLAIM
    text = model_text(segment.text)
    core = text.strip(courtesies.STRIP)
    if not core:
        return SegmentKind.LEAD_IN
    if (asked and _letters(fold(core)) == asked) or lead_ins.is_question(text, core):
        return SegmentKind.QUESTION
    label = _BOLD_LABEL.match(segment.text)
    if label is not None and _PREDICATE.search(label.group(2)) is None:
        return SegmentKind.HEADING
    answers = _ASSENT.match(core) if assents else (_PERMITS.match(core) if alone else None)
    if answers is None and courtesies.is_courtesy(core):
        return SegmentKind.GREETING
    if lead_ins.is_lead_in(text, core):
        return SegmentKind.LEAD_IN
    if text[0] not in _QUOTED and refusals.is_refusing(text):
        return SegmentKind.REFUSAL
    if refused and refusals.is_advice(core):
        return SegmentKind.REFUSAL
    return SegmentKind.CLAIM
