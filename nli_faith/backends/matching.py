"""Token types that tell a model which words premise and hypothesis share.

A small model spends much of its depth on finding out whether a word of the hypothesis occurs in
the premise at all, and misses one changed digit among 200 tokens. That part is exact string
matching, so it is done exactly, here, and given to the model as token types (the exact-match
feature of DrQA, Chen et al. 2017, as an embedding). Which shared words matter is left to the
model.

Matching is on the folded text (simplified, lower case) that the ids spell, so that it does not
depend on where a tokenizer cuts words, and on whole numbers where a token has digits: the 12 of
120 is no match for 12.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Final

import numpy as np

from ..text import fold
from .batching import TokenIds

#: Names the scheme in a model's ``config.json``; a change of meaning is a new number.
SCHEME: Final = "lexical-match-1"

_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CJK: Final = re.compile(r"[\u3400-\u9fff]{3,}")


class MatchType(IntEnum):
    """Token types; rows of the model's type embedding."""

    OTHER = 0  # special tokens and punctuation
    PREMISE_ABSENT = 1
    PREMISE_WEAK = 2  # one character that occurs, but beside no shared neighbour
    PREMISE_SHARED = 3
    HYPOTHESIS_ABSENT = 4
    HYPOTHESIS_WEAK = 5
    HYPOTHESIS_SHARED = 6
    HYPOTHESIS_NUMBER_ABSENT = 7
    HYPOTHESIS_NUMBER_SHARED = 8
    PREMISE_NUMBER_ABSENT = 9
    PREMISE_NUMBER_SHARED = 10


#: Rows of the type embedding.
N_TYPES: Final = 12

_PREMISE = (
    MatchType.PREMISE_ABSENT, MatchType.PREMISE_WEAK, MatchType.PREMISE_SHARED,
    MatchType.PREMISE_NUMBER_ABSENT, MatchType.PREMISE_NUMBER_SHARED,
)  # fmt: skip
_HYPOTHESIS = (
    MatchType.HYPOTHESIS_ABSENT, MatchType.HYPOTHESIS_WEAK, MatchType.HYPOTHESIS_SHARED,
    MatchType.HYPOTHESIS_NUMBER_ABSENT, MatchType.HYPOTHESIS_NUMBER_SHARED,
)  # fmt: skip


class _Side:
    """One text: its folded pieces, where each starts, and its numbers."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces = pieces
        self.text = "".join(pieces)
        self.runs = [(m.start(), m.end(), _plain(m[0])) for m in _NUMBER.finditer(self.text)]
        self.numbers = {run[2] for run in self.runs}

    def types(self, other: _Side, kinds: tuple[MatchType, ...]) -> list[int]:
        absent, weak, shared, number_absent, number_shared = kinds
        text, there = self.text, other.text
        out: list[int] = []
        at = run = 0
        for piece in self.pieces:
            end = at + len(piece)
            while run < len(self.runs) and self.runs[run][1] <= at:
                run += 1
            word = piece.strip()
            if not any(c.isalnum() for c in word):
                out.append(MatchType.OTHER)
            elif run < len(self.runs) and self.runs[run][0] < end:
                found = self.runs[run][2] in other.numbers
                out.append(number_shared if found else number_absent)
            elif word in there:
                strong = (
                    len(word) > 1
                    or (at > 0 and text[at - 1 : end] in there)
                    or (end < len(text) and text[at : end + 1] in there)
                )
                out.append(shared if strong else weak)
            elif _CJK.fullmatch(word) and (word[:2] in there or word[-2:] in there):
                out.append(weak)
            else:
                out.append(absent)
            at = end
        return out


def _plain(number: str) -> str:
    """A number without grouping commas and leading zeros: ``05`` and ``5`` are one month."""
    return number.replace(",", "").lstrip("0") or "0"


class MatchTyper:
    """Gives premise and hypothesis tokens their types. Thread-safe: its memo only grows."""

    def __init__(self, piece_of: Callable[[int], str | None]) -> None:
        """Take the vocabulary.

        Args:
            piece_of: Piece of a token id, as sentencepiece spells it (``▁`` for a space).
        """
        self._piece_of = piece_of
        self._folded: dict[int, str] = {}

    def _piece(self, token: int) -> str:
        piece = self._folded.get(token)
        if piece is None:
            piece = fold((self._piece_of(token) or "").replace("▁", " "))
            self._folded[token] = piece
        return piece

    def __call__(self, premise: TokenIds, hypothesis: TokenIds) -> tuple[list[int], list[int]]:
        """Types of both sides.

        Args:
            premise: Ids without special tokens.
            hypothesis: Ids without special tokens.

        Returns:
            A type (see `MatchType`) for each premise token, and for each hypothesis token.
        """
        left = _Side([self._piece(t) for t in np.asarray(premise).tolist()])
        right = _Side([self._piece(t) for t in np.asarray(hypothesis).tolist()])
        return left.types(right, _PREMISE), right.types(left, _HYPOTHESIS)
