"""Where in the material a claim comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nli_faith.metrics.terms import Term, content_terms
from nli_faith.text import SentenceSplitter, fold

# Share of a claim's words that a sentence must hold to be where the claim comes from.
_DRAWN_FROM: Final = 0.6
# The best places are enough: a word that stands everywhere says little.
_MOST: Final = 8
# Shorter sentences may stand in a claim by chance.
_WHOLE_SENTENCE: Final = 8
_SPLITTER: Final = SentenceSplitter()


class Material:
    """The sentences of a record's contexts, split and folded once."""

    def __init__(self, contexts: Sequence[str]) -> None:
        """Split the contexts.

        Args:
            contexts: In rank order.
        """
        split = [_SPLITTER.split(c) for c in contexts]
        self._sentences = [[fold(s.text) for s in segments] for segments in split]
        self._headings = [[fold(s.heading or "") for s in segments] for segments in split]
        self._letters = [[letters(s) for s in sentences] for sentences in self._sentences]

    def places(self, claim: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
        """Where a claim comes from.

        Args:
            claim: The claim, folded.
            terms: Its content words.

        Returns:
            At most 8 places, each the index of a context and of a sentence in it: those that hold
            all letters of the claim, or else most of its words (at least 0.6 of them), or whose
            own letters stand in the claim, first.
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
                    held = max(held, self._inside(wanted, i, k))
                    if held >= _DRAWN_FROM:
                        found.append((-held, i, k))
        found.sort()
        return [(i, k) for _, i, k in found[:_MOST]]

    def _inside(self, claim: str, i: int, k: int) -> float:
        """Share of a sentence's letter pairs that stand in the claim: it may join several."""
        text = self._letters[i][k]
        if len(text) < _WHOLE_SENTENCE:
            return 0.0
        pairs = [text[n : n + 2] for n in range(len(text) - 1)]
        return sum(p in claim for p in pairs) / len(pairs)

    def sentence(self, place: tuple[int, int]) -> str:
        """The sentence at a place, folded, behind the heading that it stands under.

        Args:
            place: From `places`.
        """
        i, k = place
        return " ".join(filter(None, (self._headings[i][k], self._sentences[i][k])))

    def context(self, i: int) -> str:
        """A whole context, folded.

        Args:
            i: Its index.
        """
        return " ".join(self._sentences[i])

    def around(self, place: tuple[int, int]) -> str:
        """The sentence at a place with its neighbours and its heading, folded.

        Args:
            place: From `places`.
        """
        i, k = place
        stretch = self._sentences[i][max(0, k - 1) : k + 2]
        return " ".join(filter(None, (self._headings[i][k], *stretch)))


class Sources:
    """Where each claim of one answer comes from, looked up when it is first asked for."""

    def __init__(self, contexts: Sequence[str], claims: Sequence[tuple[str, str]]) -> None:
        """Keep what is looked up in what.

        Args:
            contexts: In rank order.
            claims: Each claim folded, and its text.
        """
        self._contexts, self._claims = contexts, claims
        self._material: Material | None = None
        self._places: dict[int, list[tuple[int, int]]] = {}

    def near(self, j: int) -> list[str]:
        """The sentences that claim ``j`` comes from, each with its neighbours and its heading."""
        return [self._read().around(place) for place in self._of(j)]

    def origin(self, j: int) -> list[str]:
        """The sentences that claim ``j`` comes from, each with its heading."""
        return [self._read().sentence(place) for place in self._of(j)]

    def contexts(self, j: int) -> list[str]:
        """The whole contexts that claim ``j`` comes from."""
        return [self._read().context(i) for i in sorted({i for i, _ in self._of(j)})]

    def _of(self, j: int) -> list[tuple[int, int]]:
        if j not in self._places:
            folded, text = self._claims[j]
            self._places[j] = self._read().places(folded, content_terms(text))
        return self._places[j]

    def _read(self) -> Material:
        if self._material is None:
            self._material = Material(self._contexts)
        return self._material


def letters(text: str) -> str:
    """The letters, ideographs and digits of a text.

    Args:
        text: Any text.
    """
    return "".join(c for c in text if c.isalnum())
