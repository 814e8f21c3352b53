"""Code fences: where an opened fence closes, found in linear time."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final, NamedTuple

_OPEN: Final = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_CLOSE: Final = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*$", re.MULTILINE)


class _Close(NamedTuple):
    end: int
    size: int
    char: str
    longest_left: int  # the longest fence of this char here or later


class Fences:
    """The lines of a text that can close a fence.

    Args:
        text: The cleaned text; it is searched once, on construction.
    """

    def __init__(self, text: str) -> None:
        found: list[_Close] = []
        longest = {"`": 0, "~": 0}
        for match in reversed(list(_CLOSE.finditer(text))):
            fence = match.group(1)
            longest[fence[0]] = max(longest[fence[0]], len(fence))
            found.append(_Close(match.end(), len(fence), fence[0], longest[fence[0]]))
        found.reverse()
        self._closes = found

    def close(self, end: int, body: str) -> int:
        """End of the line that closes a fence, 0 if it is never closed.

        Args:
            end: End of the line that opens it.
            body: That line.
        """
        char = body[0]
        size = len(body) - len(body.lstrip(char))
        for i in range(bisect_left(self._closes, (end + 1,)), len(self._closes)):
            found = self._closes[i]
            if found.char != char:
                continue
            if found.longest_left < size:
                return 0
            if found.size >= size:
                return found.end
        return 0


def opens(body: str) -> bool:
    """Whether a line opens a fence."""
    return _OPEN.match(body) is not None
