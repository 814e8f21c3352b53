"""Citation markers that an answer carries: where they stand and which contexts they name.

The forms are those that the text stages strip before the model reads a text: ``[1]``, ``[2,3]``,
``[1-4]``, ``[^1]``, ``[来源1]``, ``[citation:1]``, ``【3】``, ``【3†source】``, ``（来源1）``,
``^1^``, ``<sup>1</sup>``, ``¹``, ``[1](url)``; and several in one ``<sup>``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from nli_faith.text.chars import CITATION, HAS_ALNUM

_MARKER: Final = re.compile(rf"<sup>[\[\]\d,，、;； \-–]{{1,60}}</sup>|{CITATION}", re.IGNORECASE)
_NUMBERS: Final = re.compile(r"\d{1,3}(?:[ ]?[,，、;；\-–—~～\[\] ]{1,3}[ ]?\^?\d{1,3}){0,20}")
_RANGE: Final = re.compile(r"(\d{1,3})(?:[ ]?[\-–—~～][ ]?\^?(\d{1,3}))?")
_SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
#: A range of more contexts than this is no citation: pages, years, a size.
WIDEST_RANGE: Final = 50
_INDENT: Final = 40  # the label of a line stands no farther in


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker in an answer.

    Attributes:
        text: As it stands there.
        start: Offset of its first code point.
        end: Offset behind its last one.
        numbers: The numbers it names, in order, each once; ranges written out.
    """

    text: str
    start: int
    end: int
    numbers: tuple[int, ...]


def find_markers(text: str) -> list[Marker]:
    """The markers of a text, in order; those in inline code are none.

    Args:
        text: An answer, or any text.
    """
    found: list[Marker] = []
    seen = line = 0  # up to where back ticks are counted, and where that line began
    ticks = 0
    for match in _MARKER.finditer(text):
        newline = text.rfind("\n", seen, match.start()) + 1
        if newline:
            ticks, line = 0, newline
        ticks += text.count("`", max(seen, line), match.start())
        seen = match.start()
        numbers = _numbers(match.group())
        if numbers and ticks % 2 == 0:  # an odd number opens inline code
            found.append(Marker(match.group(), match.start(), match.end(), numbers))
    return found


def begins_line(text: str, marker: Marker) -> bool:
    """Whether a marker is the label of a line (an entry of a list of sources), not a citation.

    Args:
        text: The text it stands in.
        marker: One of its markers.
    """
    before = text[max(0, marker.start - _INDENT) : marker.start]
    head = before[before.rfind("\n") + 1 :]
    if len(head) == _INDENT or HAS_ALNUM.search(head) is not None:
        return False
    return HAS_ALNUM.search(text, marker.end, _line_end(text, marker.end)) is not None


def within(markers: Sequence[Marker], start: int, end: int) -> Sequence[Marker]:
    """The markers that begin in ``[start, end)``.

    Args:
        markers: Markers of a text, in order.
        start: First offset.
        end: Behind the last one.
    """
    low = bisect_left(markers, start, key=_start)
    return markers[low : bisect_left(markers, end, low, key=_start)]


def closes_after(text: str, markers: Sequence[Marker], end: int) -> list[Marker]:
    """Markers that stand behind ``end`` on its line with nothing but white space between.

    Args:
        text: The text.
        markers: Its markers, in order.
        end: Where a claim ends.
    """
    found: list[Marker] = []
    for marker in islice(markers, bisect_left(markers, end, key=_start), None):
        between = text[end : marker.start]
        if between.strip(" \t\u3000") or "\n" in between:
            break
        found.append(marker)
        end = marker.end
    return found


def _start(marker: Marker) -> int:
    return marker.start


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _numbers(marker: str) -> tuple[int, ...]:
    match = _NUMBERS.search(marker.translate(_SUPERSCRIPT))
    if match is None:
        return ()
    numbers: dict[int, None] = {}
    for low, high in _RANGE.findall(match.group()):
        first, last = int(low), int(high or low)
        if not 0 <= last - first <= WIDEST_RANGE:
            return ()
        numbers.update(dict.fromkeys(range(first, last + 1)))
    return tuple(numbers)
