"""Rewrites of English questions."""

from __future__ import annotations

import re
from typing import Final

_PAIRS: Final = (
    ("what is", "what's"), ("who is", "who's"), ("where is", "where's"), ("how is", "how's"),
    ("when is", "when's"), ("it is", "it's"), ("that is", "that's"), ("there is", "there's"),
    ("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"),
    ("are not", "aren't"), ("cannot", "can't"), ("could not", "couldn't"),
    ("should not", "shouldn't"), ("would not", "wouldn't"), ("will not", "won't"),
    ("was not", "wasn't"), ("were not", "weren't"), ("i am", "I'm"), ("i would", "I'd"),
)  # fmt: skip
# At the end of a question the short form is no English: do you know what it's?
_FULL_AT_END: Final = re.compile(r"\s*[?.!]*$")
_POLITE: Final = re.compile(
    r"^(?:hi|hello|excuse me|please tell me|please|quick question)\b[,:]?\s*", re.IGNORECASE
)
_REQUEST: Final = re.compile(
    r"^(?:compare|list|describe|explain|summari[sz]e|outline|give|name|define|discuss)\b",
    re.IGNORECASE,
)
_TIME: Final = r"in (?:(?:Q[1-4]|the (?:first|second|third|fourth) quarter of) ?)?(?:19|20)\d\d"
_LAST: Final = re.compile(rf"^(?P<body>.+?),? (?P<time>{_TIME})(?P<mark>\?)$", re.IGNORECASE)
_FIRST: Final = re.compile(rf"^(?P<time>{_TIME}), (?P<body>.+?)(?P<mark>\?)$", re.IGNORECASE)
_ACTIVE: Final = re.compile(r"^who (?P<verb>[a-z]+) (?P<object>.+?)(?P<mark>\?)$", re.IGNORECASE)
_PASSIVE: Final = re.compile(
    r"^who (?:was|were) (?P<object>.+?) (?P<verb>[a-z]+) by(?P<mark>\?)$", re.IGNORECASE
)
# Past tense -> participle; regular verbs whose two forms are one are recognised by these endings.
_IRREGULAR: Final = {
    "wrote": "written", "built": "built", "made": "made", "won": "won", "led": "led",
    "drew": "drawn", "sold": "sold", "bought": "bought", "sang": "sung", "taught": "taught",
    "found": "found", "held": "held",
}  # fmt: skip
_PAST: Final = {participle: past for past, participle in _IRREGULAR.items()}
_REGULAR: Final = re.compile(r"[a-z]{2,}ed$")
_CLAUSE: Final = re.compile(r"\b(?:and|who|which|that|when|where|in|on|at|by|from|to)\b", re.I)


def politeness(text: str) -> list[str]:
    """A courtesy before the question, or none where there was one."""
    lead = _POLITE.match(text)
    if lead is not None and lead.end() < len(text):
        rest = text[lead.end() :]
        return [rest[0].upper() + rest[1:]]
    if _REQUEST.match(text):
        return ["Please " + _lowered(text)]
    return [f"{lead} {_lowered(text)}" for lead in ("Please tell me:", "Excuse me,", "Hello,")]


def contraction(text: str) -> list[str]:
    """One contraction made or dissolved."""
    out = []
    for full, short in _PAIRS:
        for old, new in ((full, short), (short, full)):
            found = re.search(rf"(?<![\w'])({re.escape(old)})(?![\w'])", text, re.IGNORECASE)
            if found is None or (new == short and _FULL_AT_END.fullmatch(text, found.end())):
                continue
            if (
                old == short
                and short in _AMBIGUOUS
                and re.match(r"\s+\w+(?:ed|en|been)\b", text[found.end() :])
            ):
                continue  # what's happened: has, not is
            given = found.group()
            word = new[0].upper() + new[1:] if given[0].isupper() else new
            out.append(text[: found.start()] + word + text[found.end() :])
    return out


_AMBIGUOUS: Final = frozenset(
    ["what's", "who's", "where's", "how's", "when's", "it's", "that's", "there's", "I'd"]
)


def time_order(text: str) -> list[str]:
    """``What was revenue in 2023?`` <-> ``In 2023, what was revenue?``."""
    first = _FIRST.match(text)
    if first is not None:
        body = first["body"]
        time = first["time"][0].lower() + first["time"][1:]
        return [f"{body[0].upper()}{body[1:]} {time}{first['mark']}"]
    last = _LAST.match(text)
    if last is None or re.search(r"(?:19|20)\d\d", last["body"]):
        return []
    time = last["time"]
    return [f"{time[0].upper()}{time[1:]}, {_lowered(last['body'])}{last['mark']}"]


def voice(text: str) -> list[str]:
    """``Who invented X?`` <-> ``Who was X invented by?``."""
    passive = _PASSIVE.match(text)
    if passive is not None:
        verb = passive["verb"].lower()
        past = _PAST.get(verb) or (verb if _REGULAR.fullmatch(verb) else "")
        return [f"Who {past} {passive['object']}{passive['mark']}"] if past else []
    active = _ACTIVE.match(text)
    if active is None or _CLAUSE.search(active["object"]):
        return []
    verb = active["verb"].lower()
    participle = _IRREGULAR.get(verb) or (verb if _REGULAR.fullmatch(verb) else "")
    if not participle:
        return []
    last = active["object"].split()[-1]
    # A name in -s (Mars) may be one thing: only plain small words are taken for plurals.
    many = last.islower() and last.endswith("s") and not last.endswith(("ss", "us", "is"))
    be = "were" if many else "was"
    return [f"Who {be} {active['object']} {participle} by{active['mark']}"]


def _lowered(text: str) -> str:
    """The first letter small, where it is not that of a name or an abbreviation."""
    first = text.split(maxsplit=1)[0]
    ordinary = first[1:].islower() or len(first) == 1
    known = first.lower() in _OPENERS
    return text[0].lower() + text[1:] if ordinary and known else text


_OPENERS: Final = frozenset(
    [
        "what",
        "who",
        "whom",
        "whose",
        "when",
        "where",
        "why",
        "how",
        "which",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "will",
        "would",
        "should",
        "has",
        "have",
        "may",
        "must",
        "compare",
        "list",
        "describe",
        "explain",
        "summarize",
        "summarise",
        "outline",
        "give",
        "name",
        "define",
        "discuss",
        "what's",
        "who's",
        "where's",
        "how's",
        "when's",
    ]
)
