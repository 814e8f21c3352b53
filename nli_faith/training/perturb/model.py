"""What the perturbation program passes between its stages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from nli_faith.text.grammar import Word


class Edit(NamedTuple):
    """An edited twin of a claim.

    Attributes:
        text: The edited claim.
        label: Its label in the contrastive format.
        kind: Type of the edit.
        lost: Lexical marker that the edit took out, or an empty string.
        gained: Lexical marker that it put in.
    """

    text: str
    label: str
    kind: str
    lost: str = ""
    gained: str = ""


class Positive(NamedTuple):
    """A claim that the document supports.

    Attributes:
        text: The claim.
        steps: Names of the rewritings it went through, none for a verbatim sentence.
    """

    text: str
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tagged:
    """A text with its words.

    Attributes:
        text: The text.
        words: Its words with parts of speech.
        quoted: For each word, whether it stands inside quotation or title marks.
    """

    text: str
    words: tuple[Word, ...]
    quoted: tuple[bool, ...]

    def replaced(self, first: int, last: int, new: str) -> str:
        """The text with the words ``first`` to ``last`` (exclusive) replaced."""
        end = self.words[last].start if last < len(self.words) else len(self.text)
        return self.text[: self.words[first].start] + new + self.text[end:]

    def word(self, i: int) -> str:
        """The word at an index, or an empty string outside the text."""
        return self.words[i].text if 0 <= i < len(self.words) else ""

    def tag(self, i: int) -> str:
        """The part of speech at an index, or ``x`` outside the text."""
        return self.words[i].tag if 0 <= i < len(self.words) else "x"


@dataclass(slots=True)
class Candidate:
    """A claim with the edits that it allows."""

    positive: Positive
    edits: list[Edit]


@dataclass(slots=True)
class Draft:
    """A document's contexts and everything that may be claimed about them.

    Attributes:
        id: Document id.
        lang: Language code.
        contexts: Its chunks.
        candidates: Supported claims with their possible twins, each from another sentence.
        neutrals: Claims from sentences of the document that the contexts lack.
    """

    id: str
    lang: str
    contexts: list[str]
    candidates: list[Candidate] = field(default_factory=list)
    neutrals: list[Positive] = field(default_factory=list)
