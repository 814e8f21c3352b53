"""Where in the material a claim comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nli_faith.metrics.terms import Term
from nli_faith.text import SentenceSplitter, fold

# Share of a claim's words that a sentence must hold to be where the claim comes from.
_DRAWN_FROM: Final = 0.6
# The best places are enough: a word that stands everywhere says little.
_MOST: Final = 8
_SPLITTER: Final = SentenceSplitter()


class Material:
    """The sentences of a record's contexts, split and folded once."""

    def __init__(self, contexts: Sequence[str]) -> None:
        """Split the contexts.

        Args:
            contexts: In rank order.
        """
        self._sentences = [[fold(s.text) for s in _SPLITTER.split(c)] for c in contexts]
        self._letters = [[letters(s) for s in sentences] for sentences in self._sentences]

    def near(self, claim: str, terms: Sequence[Term]) -> list[str]:
        """The sentences that a claim comes from, each with its neighbours.

        Args:
            claim: The claim, folded.
            terms: Its content words.

        Returns:
            At most 8 stretches: those that hold most of the claim's words (at least 0.6 of
            them), or all its letters, first.
        """
        wanted = letters(claim)
        words = [t.word for t in terms]
        found: list[tuple[float, int, int]] = []
        for i, sentences in enumerate(self._sentences):
            for k, text in enumerate(sentences):
                if wanted and wanted in self._letters[i][k]:
                    found.append((-1.0, i, k))
                elif words:
                    held = sum(word in text for word in words) / len(words)
                    if held >= _DRAWN_FROM:
                        found.append((-held, i, k))
        found.sort()
        return [" ".join(self._sentences[i][max(0, k - 1) : k + 2]) for _, i, k in found[:_MOST]]


def letters(text: str) -> str:
    """The letters, ideographs and digits of a text.

    Args:
        text: Any text.
    """
    return "".join(c for c in text if c.isalnum())
