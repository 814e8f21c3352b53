"""The scanner: one pass over the folded text, one dispatch a numeral."""

from __future__ import annotations

from .chinese import ChineseScanner
from .fold import fold
from .model import Quantity
from .patterns import (
    ATOM,
    ATOM_DENSITY,
    ENGLISH,
    ENGLISH_ATOM,
    ENGLISH_WORDS,
    MAX_ATOMS,
    QUICK,
)


class _Scanner(ChineseScanner):
    """The whole scanner."""

    __slots__ = ()

    def run(self) -> list[Quantity]:
        """Scan the whole text."""
        t, search, pos = self.t, ATOM.search, 0
        english = ENGLISH_WORDS.search(t) is not None
        word = ENGLISH_ATOM.search(t) if english else None
        m = search(t, 0)
        for _ in range(MAX_ATOMS + len(t) // ATOM_DENSITY):
            if m is not None and m.start() < pos:
                m = search(t, pos)
            if word is not None:
                if word.start() < pos:
                    word = ENGLISH_ATOM.search(t, pos)
                if word is not None and (m is None or word.start() <= m.start()):
                    pos = self._word(word, word.lastgroup or "")
                    continue
            if m is None:
                return self.out
            kind = m.lastgroup
            if kind == "num":
                pos = self._arabic(m.start(), m.end())
            elif kind == "cn" or kind == "fin":
                pos = self._chinese(m.start(), m.end())
            elif kind == "vulgar":
                pos = self._vulgar(m.start())
            else:
                pos = self._word(m, kind or "")
        return self.out


def parse_quantities(text: str, *, month_first: bool = True, names: bool = False) -> list[Quantity]:
    """Find the quantities of a text.

    Args:
        text: Any Unicode text.
        month_first: Read ambiguous slash dates (5/6/24) as month/day; else day/month.
        names: Also yield the numbers inside what looks like a name or an id (iPhone 15, MoE 60.1),
            as type ``name``. For contexts of a check: there they may support a claim.

    Returns:
        Quantities in order, not overlapping, with code-point offsets into ``text``.
    """
    if QUICK.search(text) is None and ENGLISH.search(text) is None:
        return []
    return _Scanner(text, fold(text), month_first, names).run()
