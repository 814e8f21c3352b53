"""Which lines are headings by their form."""

from __future__ import annotations

import re
from typing import Final

from .chars import HAN
from .markers import Marker

MOST_CHARS: Final = 30
_ATX: Final = re.compile(rf"#{{1,6}}(?:[ \t\u3000]+|\Z)|#{{2,6}}(?=[{HAN}*【《“「])")
_ATX_END: Final = re.compile(r"[ \t]+#{1,6}\Z")
_UNDERLINE: Final = re.compile(r"={3,}\Z|-{3,}\Z")
_CHAPTER: Final = re.compile(
    r"第[ ]?[零〇一二三四五六七八九十百\d]{1,5}[ ]?[章节節编編篇卷部讲講课課回](?:分(?=[\s：:]))?"
    r"(?![的里裡中内內是有叫在得]|以[上下]|[^\s：:]{0,4}[是有为])"
)
_BOXED: Final = re.compile(r"【[^【】]{1,40}】\Z")
_BOLD: Final = re.compile(r"(\*\*|__)(?=\S)([^*_]{1,40})\1[：:]?\Z")
_SENTENCE_SIGNS: Final = re.compile(r"[，。；！？,;!?]|\.(?:\s|\Z)|：.|:\s*\S")
_SECTION_STYLES: Final = ("cn一", "paren一")
_STARTS: Final = frozenset("第【*_")


def after_hashes(body: str) -> int:
    """Where the text of an ATX heading starts, 0 if the line is none.

    ``#`` needs a space behind it (``#话题#`` is no heading); ``##`` also stands before an
    ideograph, as models often write it.
    """
    match = _ATX.match(body)
    return match.end() if match is not None else 0


def without_closing_hashes(body: str) -> str:
    """The text of an ATX heading without the hashes that may close it."""
    if not body.endswith("#"):
        return body
    match = _ATX_END.search(body[-20:])
    return body[: len(body) - len(match.group())] if match is not None else body


def is_underline(body: str) -> bool:
    """Whether a line may underline a heading."""
    return _UNDERLINE.match(body) is not None


def may_be_underlined(body: str) -> bool:
    """Whether a line may be a heading that the next line underlines."""
    return len(body) <= 2 * MOST_CHARS and _SENTENCE_SIGNS.search(body) is None


def is_title(body: str, *, followed: bool) -> bool:
    """Whether a line is a heading by its form: 第三章 费用, 【说明】, **对比结论**.

    Args:
        body: The line without white space around it.
        followed: Whether anything stands below it; a bold line at the end may be the answer.
    """
    if body[0] not in _STARTS or len(body) > 50:
        return False
    if body[0] == "第":
        if len(body) > MOST_CHARS or _SENTENCE_SIGNS.search(body) is not None:
            return False
        return _CHAPTER.match(body) is not None
    if body[0] == "【":
        return _BOXED.match(body) is not None
    match = _BOLD.match(body)
    return match is not None and followed and _SENTENCE_SIGNS.search(match.group(2)) is None


def may_head_section(marker: Marker, body: str) -> bool:
    """Whether a list item such as 一、总体要求 may head what stands below it.

    Args:
        marker: Its marker.
        body: Its text.
    """
    if len(body) > MOST_CHARS + 4 or _SENTENCE_SIGNS.search(body) is not None:
        return False
    return marker.style in _SECTION_STYLES or (bool(marker.value) and _BOLD.match(body) is not None)


def name(body: str) -> str:
    """The heading as it is quoted for what stands under it."""
    return body.strip("*_#【】：: \t\u3000")
