"""Which line breaks end a sentence (hard) and which only wrap it (soft), and how lines join."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from . import protect
from .chars import CITATION, CLOSERS, EMOJI, IS_CJK, STOPS

# A line this wide (in columns, ideographs count two) may be full: 16 ideographs.
_LEAST_COLUMNS: Final = 32
_FULL_SHARE: Final = 0.75
_EVEN_SHARE: Final = 0.9
_TRAILING: Final = re.compile(
    rf"(?:[{re.escape(CLOSERS)}\s*_`~～{EMOJI}]|{CITATION})+\Z", re.IGNORECASE
)
_KEY_VALUE: Final = re.compile(
    r"(?:[^\s，。；：！？,;:!?]{1,20}|[A-Z][A-Za-z0-9 '/&()-]{0,40}?)[ ]?(?:：|:(?!//))"
)
# Columns set with tabs or runs of spaces.
_COLUMNS: Final = re.compile(r"\t|(?<![ \u3000])[ \u3000]{2,}\S+[ \u3000]{2,}\S")
_OPEN_BRACKET: Final = re.compile(r"[（(\[【《「『“〈]|[）)\]】》」』”〉]")
_CLOSER_OF: Final = {
    "（": "）)", "(": "）)", "[": "]", "【": "】", "《": "》",
    "「": "」", "『": "』", "“": "”", "〈": "〉",
}  # fmt: skip
_HYPHENATED: Final = re.compile(r"[A-Za-z]{2,}-\Z")
_REACH: Final = 200
_PLAIN_END: Final = frozenset(STOPS + "，、；：,;:")
_ANY_STOP: Final = frozenset(STOPS + "，、；：,;:-")


class Line(NamedTuple):
    """A line of a block.

    Attributes:
        start: Its first sign in the text, marker and indent skipped.
        end: Behind its last sign.
        indent: Columns of white space before it.
        ideographic: Whether the indent has an ideographic space (a new paragraph).
        item: Whether it belongs to a list item.
    """

    start: int
    end: int
    indent: int = 0
    ideographic: bool = False
    item: bool = False


def columns(text: str) -> float:
    """Display width: about 2 for an ideograph, 1 for a Latin letter.

    UTF-8 takes 3 bytes for the former and 1 for the latter, so half of bytes plus code points
    is exact for both and is computed in C.
    """
    return (len(text.encode("utf-8", "replace")) + len(text)) / 2


def group(text: str, lines: Sequence[Line], newline: str) -> Iterator[Sequence[Line]]:
    """Lines that belong together, by the reading of the breaks between them.

    Args:
        text: The cleaned text.
        lines: Lines of one block, at least one.
        newline: ``auto``, ``hard`` or ``soft``.
    """
    if len(lines) == 1 or newline == "soft":
        yield lines
        return
    bodies = [text[line.start : line.end] for line in lines]
    if newline == "hard" or _is_itemised(bodies):
        for line in lines:
            yield (line,)
        return
    full = max(_LEAST_COLUMNS, _FULL_SHARE * _widest(bodies))
    first = 0
    for i in range(1, len(lines)):
        if not _is_soft(lines[i - 1], lines[i], bodies[i - 1], bodies[i], full) or (
            bodies[i - 1][-1] not in "，、," and _is_key(bodies[first]) and _is_key(bodies[i])
        ):
            yield lines[first:i]
            first = i
    yield lines[first:]


def _is_key(body: str) -> bool:
    return _KEY_VALUE.match(body) is not None


def _widest(bodies: Sequence[str]) -> float:
    longest = max(map(len, bodies))
    if longest < _LEAST_COLUMNS / 2:
        return 0.0
    return max(columns(body) for body in bodies if 2 * len(body) >= longest)


def _last_sign(body: str) -> str:
    """The last sign of a line behind which only closers, citations or emoji stand."""
    if body[-1].isalnum() or body[-1] in _PLAIN_END:
        return body[-1]
    tail = body[-60:]
    match = _TRAILING.search(tail)
    rest = tail[: match.start()] if match else tail
    return rest[-1:] or tail[-1:]


def _is_itemised(bodies: Sequence[str]) -> bool:
    """Whether unmarked lines are items: all end in ；, or none has a stop and they are uneven."""
    if len(bodies) < 3:
        return False
    if bodies[0][-1] in "；;":
        return all(body[-1] in "；;" for body in bodies[:-1])
    widest = _widest(bodies)
    if widest < _LEAST_COLUMNS:
        return False
    if any(_last_sign(body) in _ANY_STOP or "。" in body for body in bodies):
        return False
    return min(columns(body) for body in bodies[:-1]) < _EVEN_SHARE * widest


def _is_soft(before: Line, after: Line, body: str, following: str, full: float) -> bool:
    if after.ideographic or (after.indent >= 2 and after.indent > before.indent and not after.item):
        return False
    sign = _last_sign(body)
    if sign in STOPS and not _is_abbreviation(body, sign):
        return False
    if sign in "，、；,;":
        return True
    if sign in "：:":
        return False
    if 2 * len(body) >= full and columns(body) >= full:
        return _COLUMNS.search(body[:_REACH]) is None
    return _opens_into(body, following)


def _is_abbreviation(body: str, sign: str) -> bool:
    """Whether a line ends in the dot of Dr. or e.g. rather than in a full stop."""
    if sign != "." or len(body) < 2 or body[-1] != "." or not body[-2].isalnum():
        return False
    low = max(0, len(body) - 24)
    return not protect.ends_sentence(body + " x", len(body) - 1, len(body), low, 0)


def _opens_into(body: str, following: str) -> bool:
    """Whether the line leaves a bracket open that the next line closes."""
    if _OPEN_BRACKET.search(body) is None:
        return False
    stack: list[str] = []
    for match in _OPEN_BRACKET.finditer(body, max(0, len(body) - _REACH)):
        char = match.group()
        if char in _CLOSER_OF:
            stack.append(char)
        elif stack and char in _CLOSER_OF[stack[-1]]:
            stack.pop()
    if not stack:
        return False
    for match in _OPEN_BRACKET.finditer(following, 0, _REACH):
        return match.group() in _CLOSER_OF[stack[-1]]
    return False


@dataclass(frozen=True, slots=True)
class Joined:
    """Lines as one text, and the way back.

    Attributes:
        text: The joined text.
        starts: Where each part starts in it.
        origins: Where each part starts in the text it came from.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def position(self, index: int) -> int:
        """Position in the source of the joined code point ``index``."""
        part = bisect_right(self.starts, index) - 1
        return self.origins[part] + index - self.starts[part]


def join(text: str, lines: Sequence[Line]) -> Joined:
    """Join lines: without a space beside CJK, with one between Latin, hyphenation undone.

    Args:
        text: The cleaned text.
        lines: The lines of one group.
    """
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for i, line in enumerate(lines):
        body = text[line.start : line.end]
        following = text[lines[i + 1].start] if i + 1 < len(lines) else ""
        glue = ""
        if following:
            if following.islower() and _HYPHENATED.search(body[-24:]):
                body = body[:-1]
            elif not (IS_CJK.match(body[-1]) or IS_CJK.match(following)):
                glue = " "
        starts.append(length)
        parts.append(body + glue)
        length += len(body) + len(glue)
    return Joined("".join(parts), tuple(starts), tuple(line.start for line in lines))
