"""Pairing of emphasis marks (``*``, ``**``, ``_``, ``__``, ``~~``) on one line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_MARK: Final = re.compile(r"\*\*|\*|__|_|~~")


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks that have a partner.

    Attributes:
        openers: Positions where a pair opens.
        closers: Length of the closing mark, by its position.
    """

    openers: frozenset[int]
    closers: dict[int, int]


def marks(text: str) -> Marks:
    """Pair the emphasis marks of a line; whatever has no partner is ignored.

    A mark opens before something that is no white space and closes behind such; where it may do
    both, as between ideographs, it closes what is open. Marks between ASCII letters or digits
    (``snake_case``, ``3*4``) are text.

    Args:
        text: One line; time is linear in its length.
    """
    opened: dict[str, int] = {}
    openers: set[int] = set()
    closers: dict[int, int] = {}
    for match in _MARK.finditer(text):
        start, end = match.span()
        before = text[start - 1] if start else " "
        after = text[end] if end < len(text) else " "
        if before.isascii() and after.isascii() and before.isalnum() and after.isalnum():
            continue
        mark = match.group()
        if mark in opened and not before.isspace():
            openers.add(opened.pop(mark))
            closers[start] = end - start
        elif mark not in opened and not after.isspace():
            opened[mark] = start
    return Marks(frozenset(openers), closers)
