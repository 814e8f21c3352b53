"""The points of one English clause: lists of things, of aspects, of verbs and question words."""

from __future__ import annotations

import re
from itertools import product
from typing import Final

from nli_faith.metrics.points_zh import Cut

_FIXED: Final = re.compile(
    r"\b(?:research and development|terms and conditions|war and peace|pride and prejudice"
    r"|health and safety|supply and demand|mergers and acquisitions|profit and loss"
    r"|question and answer|trial and error|black and white)\b",
    re.IGNORECASE,
)
_RELATION: Final = re.compile(
    r"\b(?:difference|differences|relationship|relation|similarit(?:y|ies)|distance|connection"
    r"|between"
    r"|versus|vs)\b|\bwhich (?:one )?is (?:better|faster|cheaper|larger|more)\b",
    re.IGNORECASE,
)
_COMPARE: Final = re.compile(
    r"^compare\s+(?P<things>.+?)\s+(?:on|in terms of|by|for|with respect to"
    r"|regarding)\s+(?P<aspects>.+)$",
    re.IGNORECASE,
)
_OF: Final = re.compile(
    r"^(?:(?:compare|list|describe|explain|summari[sz]e|outline|give|name|state|discuss"
    r"|show)(?:\s+me)?"
    r"|what(?:'s|\s+is|\s+are|\s+was|\s+were))\s+(?P<aspects>[\w\s,'&/-]+?)\s+(?:of|for|about)\s+"
    r"(?P<things>.+)$",
    re.IGNORECASE,
)
_WHAT_IS: Final = re.compile(
    r"^(?:what(?:'s|\s+is|\s+are|\s+was|\s+were)|list|describe|explain|name|give)\s+(?P<list>.+)$",
    re.IGNORECASE,
)
_OWNER: Final = re.compile(r"^(?P<owner>(?:the\s+)?[\w\s-]+)['’]s\s+(?P<aspects>.+)$")
_TWO_WH: Final = re.compile(
    r"^(?P<a>when|where|why|how|who)\s+and\s+(?P<b>when|where|why|how|who)\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_HOW_TO: Final = re.compile(
    r"^(?P<pre>how\s+(?:do|can|should|could)\s+(?:i|you|we|one)|how\s+to)\s+"
    r"(?P<v1>[a-z]+)\s+(?:and|or)\s+(?P<v2>[a-z]+)\s+(?P<obj>.+)$",
    re.IGNORECASE,
)
_SEPARATOR: Final = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s+as well as\s+", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"^(?:the|a|an|its|their)\s+", re.IGNORECASE)
_LONGEST_ITEM: Final = 5
_FINITE: Final = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|that|which|who|when|how|why)\b", re.IGNORECASE
)


def cut(clause: str) -> list[Cut]:
    """The points of one clause that asks.

    Args:
        clause: A clause as `nli_faith.metrics.pieces` gives it.
    """
    found = _TWO_WH.match(clause)
    if found is not None:
        return [Cut(f"{found[w]} {found['rest']}") for w in ("a", "b")]
    if _RELATION.search(clause):
        return [Cut(clause)]
    found = _HOW_TO.match(clause)
    if found is not None:
        return [Cut(f"{found['pre']} {found[v]} {found['obj']}") for v in ("v1", "v2")]
    cuts = _aspects_of_things(clause)
    return cuts if len(cuts) > 1 else [Cut(clause, *divide(clause))]


def divide(clause: str) -> tuple[str, str]:
    """Whose what a clause asks: ``What is the price of A`` -> ``("A", "price")``.

    Args:
        clause: A clause with one point.
    """
    found = _OF.match(clause)
    if found is not None and len(found["aspects"].split()) <= _LONGEST_ITEM:
        return found["things"], _bare(found["aspects"])
    return "", ""


def _aspects_of_things(clause: str) -> list[Cut]:
    found = _COMPARE.match(clause) or _OF.match(clause)
    if found is not None:
        things, aspects = _items(found["things"]), [_bare(a) for a in _items(found["aspects"])]
        return [Cut(f"{a} of {t}", t, a) for t, a in product(things, aspects)]
    found = _WHAT_IS.match(clause)
    if found is None:
        return []
    owned = _OWNER.match(found["list"])
    if owned is not None:
        owner = owned["owner"]
        return [Cut(f"{_bare(a)} of {owner}", owner, _bare(a)) for a in _items(owned["aspects"])]
    return [Cut(_bare(a), "", _bare(a)) for a in _items(found["list"])]


def _items(text: str) -> list[str]:
    """The items of a list; the whole text where it is none."""
    holes: list[str] = []

    def hide(match: re.Match[str]) -> str:
        holes.append(match.group())
        return f"\x00{len(holes) - 1}\x00"

    parts = [p.strip() for p in _SEPARATOR.split(_FIXED.sub(hide, text.strip()))]
    items = [re.sub("\x00(\\d+)\x00", lambda m: holes[int(m[1])], p) for p in parts if p]
    plain = all(len(i.split()) <= _LONGEST_ITEM and not _FINITE.search(i) for i in items)
    return items if plain else [text.strip()]


def _bare(item: str) -> str:
    return _ARTICLE.sub("", item.strip())
