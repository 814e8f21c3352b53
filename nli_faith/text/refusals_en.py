"""Refusals in English: the context does not say; I cannot answer."""

from __future__ import annotations

import re
from typing import Final

from .chars import either

_NOUNS: Final = either(
    r"contexts? documents? passages? texts? materials? information sources? excerpts? snippets?"
    r" articles? content search\s+results? knowledge\s+base references?"
)
_ADJECTIVES: Final = either(
    "provided given available supplied retrieved above current present reference source existing"
    " relevant attached"
)
SOURCE: Final = (
    rf"(?:(?:(?:any\s+of\s+)?(?:the|this|these|your|my|our)\s+)?(?:{_ADJECTIVES}\s+){{0,2}}{_NOUNS}"
    r"(?:\s+(?:provided|given|supplied|above|available|at\s+hand))?)"
)
_STATE: Final = either(
    "provide mention specify contain include state say indicate give address discuss cover disclose"
    " describe offer reveal explain list answer clarify have tell report detail show support refer"
)
_STATED: Final = either(
    "provided mentioned specified stated given disclosed included available found covered discussed"
    " described addressed contained listed indicated clear explained answered determined confirmed"
)
_INFORMATION: Final = either("information mention details? data reference indication context")
_NOT: Final = r"(?:n[o']?t|\s+not)"
_I_CANNOT: Final = (
    r"(?:cannot|can't|can\s+not|could\s+not|couldn't|(?:am|'m|are|'re)\s+(?:not\s+able|unable)\s+to)"
    r"\s+(?:\w+ly\s+)?"
    + either("answer determine provide say confirm tell find verify give know locate help")
)
_I_LACK: Final = (
    r"(?:do\s+not|don't|did\s+not|didn't)\s+(?:know|find\b|have\s+(?:\w+\s+)?"
    r"(?:information|data|details|access|context|enough|an?\s+answer))"
    r"|(?:am|'m)\s+not\s+(?:sure|certain)"
)
_REFUSAL: Final = re.compile(
    r"^(?:(?:unfortunately|sorry|however|but|so|therefore|i'm\s+sorry|i\s+am\s+sorry|since|because"
    r"|apologies|as)\b[,\s]{0,3}){0,3}(?:"
    rf"(?:based\s+on|according\s+to|from|in)\s+{SOURCE},?\s+)?(?:"
    rf"{SOURCE}\s+(?:itself\s+|alone\s+)?(?:does|do|did){_NOT}\s+(?:\w+ly\s+)?{_STATE}"
    rf"|{SOURCE}\s+(?:(?:is|are){_NOT}\s+(?:sufficient|enough)|lacks?\b"
    r"|(?:has|have|contains?|provides?|makes?|gives?)\s+no\b)"
    rf"|[^,;]{{0,80}}\b(?:is|are|was|were){_NOT}\s+(?:\w+ly\s+)?{_STATED}\s+"
    rf"(?:in|by|from|within)\s+{SOURCE}"
    r"|there(?:'s|\s+is|\s+are|\s+was|\s+were)(?:n't\s+any|\s+no|\s+not\s+(?:any|enough))\s+(?:\w+\s+){0,2}"
    rf"{_INFORMATION}\b"
    rf"|no\s+(?:\w+\s+){{0,2}}{_INFORMATION}\s+(?:(?:is|are|was|were)\s+)?"
    r"(?:on|about|regarding|in|can|could|available|found|provided|given)\b"
    rf"|nothing\s+in\s+{SOURCE}\s+\w+"
    rf"|(?:i|we)\s*(?:{_I_CANNOT}|{_I_LACK})\b"
    r"|(?:it\s+is\s+|it's\s+)?(?:not\s+possible|impossible)\s+to\s+"
    r"(?:answer|determine|say|tell|confirm|know)\b"
    r"|(?:it|this|that|[^,;]{0,80}?)\s*\b(?:cannot|can't|can\s+not|could\s+not)\s+be\s+(?:\w+ly\s+)?"
    r"(?:determined|answered|confirmed|found|verified|inferred|established)\s+"
    rf"(?:from|based\s+on|with|using|in|by)\s+(?:only\s+)?{SOURCE}"
    r"|(?:there\s+is\s+)?(?:not\s+enough|insufficient)\s+(?:information|context|data)\b"
    rf"|(?:it|this)\s+is\s+(?:unclear|not\s+clear|unknown)\s+from\s+{SOURCE}"
    r"|unable\s+to\s+(?:answer|determine)\b"
    r"|(?:unknown|not\s+(?:mentioned|specified|provided|stated|available|found|given))\W*$"
    r")",
    re.IGNORECASE,
)
_CONTRAST: Final = re.compile(
    r",?\s+(?:but|however|though|although|yet|whereas)\s+|;\s+"
    r"|,\s+(?:and\s+)?(?:so|therefore|thus|hence|which\s+means(?:\s+that)?|meaning(?:\s+that)?)"
    r",?\s+"
    r"|,\s+(?:and|only)\s+(?!(?:does|do|did|is|are|no|nor|i|so)\b)",
    re.IGNORECASE,
)
# What may follow a refusal as its consequence: ..., so the price is unknown.
_FOLLOWS: Final = re.compile(
    r"^(?:it|this|that|[^,;]{1,80}?)\s+(?:is|are|remains?)\s+(?:unclear|unknown|uncertain|not\s+"
    r"(?:clear|known|possible\s+to))\b"
    r"|^[^,;]{1,80}?\s(?:cannot|can't|can\s+not|could\s+not)\s+be\s+(?:\w+ly\s+)?"
    r"(?:determined|answered|confirmed|found|verified|inferred|established|given|provided)\b"
    r"|^(?:no|a|an|any)\s+(?:\w+\s+)?(?:answer|conclusion)\b|^(?:please|you\s+(?:may|should|can)"
    r"|(?:i|we)\s+(?:recommend|suggest|would|am|'m|are))\b",
    re.IGNORECASE,
)
# No information on price was released by Apple: said of the world, not of the material.
_OF_THE_WORLD: Final = re.compile(
    rf"^no\s+(?:\w+\s+){{0,2}}{_INFORMATION}\s+(?:"
    r"(?:on|about|regarding|of|concerning)\s+(?:(?!\b(?:wh\w+|how|if|that)\b)[^,;]){1,80}?\s"
    r"(?:is|are|was|were|(?:has|have|had)\s+been)\s+(?:\w+ly\s+)?"
    rf"(?!{_STATED}\b(?!\s+(?:\w+ly\s+)?by\s+(?!{SOURCE})))\w"
    rf"|(?:(?:is|are|was|were|(?:has|have|had)\s+been)\s+)?(?:\w+ly\s+)?{_STATED}\s+by\s+"
    rf"(?!{SOURCE}))",
    re.IGNORECASE,
)
_FRAME: Final = re.compile(
    rf"^(?:(?:based\s+on|according\s+to|from|in|given)\s+{SOURCE}|sorry|i'm\s+sorry|i\s+am\s+sorry"
    r"|unfortunately|apologies)\W*$",
    re.IGNORECASE,
)
_HINT: Final = re.compile(
    r"\b(?:not|no|nothing|cannot|unable|unknown|insufficient|impossible|unclear|lacks?)\b|n't", re.I
)


def refuses(sentence: str) -> bool:
    """Whether an English sentence only says that the material does not answer.

    Args:
        sentence: One sentence.
    """
    if _HINT.search(sentence) is None:
        return False
    parts = [part.strip() for part in _CONTRAST.split(sentence) if part.strip(" .,;!")]
    plain = [part for part in parts if _FRAME.match(part) is None]
    if not plain or not _says_nothing(plain[0]):
        return False
    return all(_says_nothing(part) or _FOLLOWS.match(part) is not None for part in plain[1:])


def _says_nothing(part: str) -> bool:
    return _REFUSAL.match(part) is not None and _OF_THE_WORLD.match(part) is None
