"""Where a marker goes: at the end of a claim, on the right side of its punctuation.

Chinese (GB/T 7714 and usual typesetting): before the stop that closes the sentence
(``整机保修两年[1]。``), but behind a closing quote or bracket, since the quoted words are what is
cited (``他说：“整机保修两年。”[1]``). English: a bracketed number before the stop and after a
space (``two years [1].``), a raised one behind it (``two years.[^1]``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from nli_faith.citations.markers import Marker
from nli_faith.text.chars import EMOJI_SIGNS, HAS_HAN, STOPS

Position = Literal["auto", "before", "after"]
POSITIONS: Final = ("auto", "before", "after")

_STOPS: Final = frozenset(STOPS + "，、；：,;:～")
_EMPHASIS: Final = frozenset("*_~")
_CLOSERS: Final = frozenset("”’」』）)】》〉〕］]｝}\"'`")
_EMOJI: Final = frozenset(EMOJI_SIGNS)
_TAG: Final = re.compile(r"</([a-z][a-z0-9]{0,9})>\Z", re.IGNORECASE)
_INLINE: Final = frozenset(
    ("b", "i", "u", "s", "em", "strong", "span", "sub", "sup", "mark", "font", "a", "code")
)
_LONGEST_TAG: Final = 16
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)[!-~]{1,2000}\Z")


def insertion_point(
    answer: str, start: int, end: int, markers: Sequence[Marker], *, after_stop: bool
) -> int:
    """Offset at which a marker for a claim goes in.

    Args:
        answer: The answer.
        start: Where the claim begins.
        end: Where it ends.
        markers: The answer's own markers in and behind the claim; a new one goes behind them.
        after_stop: Behind the closing stop instead of before it.
    """
    ends = {m.end: m.start for m in markers if m.start >= start}
    parts = _tail(answer, start, end, ends)
    at = parts[-1][1] if parts else end
    stopped = False
    for kind, _, high in reversed(parts):
        if kind == "closer" or (kind in ("emphasis", "marker") and not stopped):
            at, stopped = high, False
        elif kind == "stop":
            stopped = True
        if after_stop and kind in ("stop", "emphasis", "marker"):
            at = high
    return at


def goes_after_stop(claim: str, position: Position, *, raised: bool) -> bool:
    """Whether markers go behind the stop of a claim.

    Args:
        claim: The claim as it stands in the answer.
        position: What the user wants; ``auto``: by language.
        raised: Whether markers are raised (footnotes, HTML), not in brackets.
    """
    if position == "auto":
        return raised and HAS_HAN.search(claim) is None
    return position == "after"


def needs_space(answer: str, at: int, *, chinese: bool, raised: bool) -> bool:
    """Whether a space goes before a marker put in at ``at``.

    Args:
        answer: The answer.
        at: The offset.
        chinese: Whether the claim is Chinese.
        raised: Whether the marker is raised.
    """
    if at == 0 or answer[at - 1].isspace():
        return False
    line = answer.rfind("\n", 0, at) + 1
    if _ADDRESS.search(answer[max(line, at - 2100) : at]):
        return True  # else it would become part of the address
    return not chinese and not raised


def _tail(answer: str, start: int, end: int, ends: dict[int, int]) -> list[tuple[str, int, int]]:
    """What closes a claim, from its end backwards, as (kind, start, end); last the core's end."""
    parts: list[tuple[str, int, int]] = []
    at = end
    while at > start:
        low = ends.get(at, -1)
        if low >= start:
            parts.append(("marker", low, at))
        else:
            kind, low = _closing(answer, start, at)
            if not kind:
                break
            parts.append((kind, low, at))
        at = low
    if at == start:  # nothing but punctuation: leave it whole
        return [("core", end, end)]
    parts.append(("core", at, at))
    return parts


def _closing(answer: str, start: int, at: int) -> tuple[str, int]:
    """Kind and start of the closing sign that ends at ``at``; an empty kind for none."""
    char = answer[at - 1]
    if char == ">":
        tag = _TAG.search(answer[max(start, at - _LONGEST_TAG) : at])
        if tag is None:
            return "", at
        kind = "emphasis" if tag.group(1).lower() in _INLINE else "block"
        return kind, at - len(tag.group())
    if char.isspace():
        return "space", at - 1
    if char in _STOPS or char in _EMOJI:
        return "stop", at - 1
    if char in _EMPHASIS:
        return "emphasis", at - 1
    return ("closer", at - 1) if char in _CLOSERS else ("", at)
