"""Just enough grammar to cut clauses: predicates and subjects from parts of speech.

Parts of speech come from ``jieba.posseg``, loaded on first use (about a second, once).
"""

from __future__ import annotations

import logging
import re
import threading
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .chars import word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Word(NamedTuple):
    """A word with its part of speech (jieba's tags) and its place in the sentence."""

    text: str
    tag: str
    start: int


# Words that jieba tags as nouns or conjunctions but that head no subject or do state something.
_NO_SUBJECT: Final = word_set("同比 环比 其中 目前 现 今 全程 预计 现任 时任 曾任 兼任 可 可以")
_STATING: Final = word_set("为 是 有 任 现任 时任 曾任 兼任 达 居 属 可 可以 约为")
_LINKS: Final = word_set("和 与 及 以及 或 、 跟 同")
_SUBJECT_TAGS: Final = frozenset("nrjils")  # nouns, pronouns, abbreviations, idioms, places
_PART_OF_SUBJECT: Final = word_set("uj ul m q t f b c x eng a ng k vn an h mq tg")
_ADVERBS_BEHIND_SUBJECT: Final = frozenset("也均都则却仍亦")
_LONGEST_SUBJECT: Final = 30
_MEASURES: Final = frozenset("个個名位家艘辆輛只隻条條张張台臺座栋棟所件项項批款种種支架部份间間艘")
_QUOTE: Final = re.compile('[“”‘’「」『』《》"（）()【】]')

_load_lock: Final = threading.Lock()


@cache
def _tagger() -> Callable[[str], Iterable[Any]]:
    import jieba
    import jieba.posseg

    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    cut: Callable[[str], Iterable[Any]] = jieba.posseg.cut
    return cut


def words(text: str) -> list[Word]:
    """Words of a sentence with their parts of speech.

    Args:
        text: A sentence, Simplified for good tags; about 20,000 characters a second.
    """
    with _load_lock:
        cut = _tagger()
    found: list[Word] = []
    at = 0
    for pair in cut(text):
        found.append(Word(pair.word, pair.flag, at))
        at += len(pair.word)
    return found


def has_predicate(words: list[Word]) -> bool:
    """Whether a stretch states something: a verb, an adjective, or a noun with its amount."""
    words = [word for word in words if word.tag != "x" or word.text == "%"]
    for i in range(len(words) - 1, -1, -1):  # a verb before 的 only describes a noun
        if words[i].text == "的" and i + 1 < len(words):
            words = words[i + 1 :] if not _states_before(words[:i]) else words
            break
    noun = False
    for i, word in enumerate(words):
        tag = word.tag
        if tag in ("v", "a", "ul", "ug", "uz", "vg", "i") or (noun and word.text in _STATING):
            return True
        if tag == "vn" and i in (0, len(words) - 1) and len(words) > 1:
            return True
        if tag == "m" and noun and i >= len(words) - 3:  # 员工420人
            return True
        noun = noun or tag[0] in _SUBJECT_TAGS or tag == "eng"
    return False


def _states_before(words: list[Word]) -> bool:
    """Whether what stands before 的 has a finished predicate (打开了公司的门)."""
    return any(word.tag in ("ul", "uz", "ug") or word.text in _STATING for word in words)


def subject(words: list[Word]) -> str:
    """The noun phrase before the predicate, or an empty string.

    Nouns inside a prepositional phrase (由市政府, 在桥墩附近) are no subjects; neither are
    adverbs that jieba calls nouns (同比).
    """
    parts: list[str] = []
    noun = preposition = False
    for word in words:
        tag, text = word.tag, word.text
        if text in "，,；;":
            parts, noun, preposition = [], False, False
        elif tag == "p" and text not in _STATING:
            if noun:
                break
            preposition = True
        elif noun and (text in _STATING or (tag[0] in "vda" and tag not in ("vn", "an"))):
            break
        elif tag == "c" and text not in _LINKS:
            if noun:
                break
        elif tag[0] == "d" or text in _NO_SUBJECT:
            continue
        elif tag[0] == "v" and tag != "vn":
            if preposition or not parts or parts[-1][-1] not in _MEASURES:
                return ""
            parts.append(text)  # 一艘空载散货船: a verb inside the phrase
        elif preposition:
            continue
        elif tag[0] in _SUBJECT_TAGS or tag in _PART_OF_SUBJECT:
            parts.append(text)
            noun = noun or tag[0] in _SUBJECT_TAGS or tag == "eng"
        elif noun:
            break
    subject = "".join(parts).strip(" 、的")
    if not noun or len(subject) > _LONGEST_SUBJECT or _QUOTE.search(subject):
        return ""
    return subject


def has_own_subject(words: list[Word]) -> bool:
    """Whether a stretch has a subject, if only by the adverb behind it (护膝也不宜…)."""
    if subject(words):
        return True
    bare = [word for word in words if word.tag != "x"]
    return (
        len(bare) > 1 and bare[0].tag[0] not in "dcp" and bare[1].text[0] in _ADVERBS_BEHIND_SUBJECT
    )


def is_intricate(words: list[Word]) -> bool:
    """Whether a verb may belong to the subject (零售额占总额的比重提高), so that it is unsure."""
    if not any(word.tag[0] in "vau" or word.text in _STATING for word in words):
        return True  # 冰期约130天: no verb shows where the subject ends
    seen = before = ""
    for word in words:
        tag = word.tag
        if len(before) == 1 and len(word.text) == 1 and tag == "v" and word.text not in _STATING:
            return True  # 营|收: a noun the dictionary lacks
        before = word.text if tag[0] in _SUBJECT_TAGS or tag == "vg" else ""
        if word.text in "，,；;":
            seen = ""
        elif (tag[0] in "va" and tag not in ("vn", "an")) or word.text in _NO_SUBJECT:
            if seen.endswith("vn"):
                return True
            seen += "v"
        elif tag[0] in _SUBJECT_TAGS and seen.endswith("v"):
            seen += "n"
    return False
