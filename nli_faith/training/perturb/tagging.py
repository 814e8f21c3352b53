"""Words of a claim, with what stands in quotation marks."""

from __future__ import annotations

import functools
from typing import Final

from nli_faith.text import grammar
from nli_faith.text.grammar import Word

from .model import Tagged

_OPEN: Final = "“‘「『《〈（("
_CLOSE: Final = "”’」』》〉）)"
# jieba's nouns include words of time (t) and place (s, f) that a verb may follow.
_VERB_LIKE: Final = ("v", "d", "p")
_NOMINAL: Final = ("n", "m", "r", "a", "b", "j", "l", "q", "s", "t", "eng", "i")


@functools.lru_cache(maxsize=2048)
def _words(text: str) -> tuple[Word, ...]:
    return tuple(grammar.words(text))


def words(text: str) -> list[Word]:
    """Words of a text with their parts of speech; a claim is asked about many times.

    Args:
        text: A claim, a sentence or a clause.
    """
    return list(_words(text))


def tagged(text: str) -> Tagged:
    """Cut a text into words.

    Args:
        text: A claim or sentence.
    """
    found = words(text)
    depth = 0
    quoted = []
    for word in found:
        depth -= sum(c in _CLOSE for c in word.text)
        depth = max(depth, 0)
        quoted.append(depth > 0)
        depth += sum(c in _OPEN for c in word.text)
    return Tagged(text, tuple(found), tuple(quoted))


def is_verb_like(word: Word) -> bool:
    """Whether a word is a verb, an adverb or a preposition (and no verbal noun)."""
    return word.tag.startswith(_VERB_LIKE) and word.tag != "vn"


def follows(text: Tagged, i: int, needs: str) -> bool:
    """Whether the word behind word ``i`` is what a swap needs.

    Args:
        text: The claim.
        i: Index of the word to be swapped.
        needs: ``v``, ``m``, ``n``, ``o``, ``.`` or nothing, as in the lexicon.
    """
    if not needs:
        return True
    if i + 1 >= len(text.words):
        return needs in ".o"
    word = text.words[i + 1]
    if needs == ".":
        return word.text[0] in "，。；、,;"
    if needs == "m":
        return word.tag == "m" or word.text[0].isdigit()
    if needs == "n":
        return word.tag.startswith(_NOMINAL) or word.tag == "vn"
    return is_verb_like(word) == (needs == "v")


def is_noun_phrase(text: str) -> bool:
    """Whether a stretch is a noun phrase alone (no verb, preposition or adverb in it)."""
    found = words(text)
    if not found or any(w.tag[0] in "vpdc" and w.tag != "vn" for w in found):
        return False
    return found[-1].tag.startswith(("n", "j", "eng", "l"))


def in_dictionary(word: str) -> bool:
    """Whether jieba's dictionary holds a word (and did not guess it from its signs)."""
    import jieba

    return bool(jieba.dt.FREQ.get(word))
