"""Connectives at the head of a sentence whose partner was removed.

``但是，不含电池。`` reads wrong when the sentence before it is gone. A connective that leans on the
sentence right before (contrast, consequence, example) goes with it; one that only adds to what was
said (此外, 其次) goes when nothing is left before it.
"""

from __future__ import annotations

import re
from typing import Final

_LEANING: Final = (
    "但是", "然而", "不过", "可是", "只是", "相反", "反之", "尽管如此", "即便如此", "虽然如此",
    "因此", "因而", "所以", "于是", "从而", "由此可见", "由此", "可见", "故而", "这样一来", "这样",
    "换言之", "换句话说", "也就是说", "具体来说", "具体而言", "例如", "比如", "譬如", "其中",
    "否则", "除此之外", "与此相反", "与之相反", "相比之下", "对此", "为此", "同理", "不仅如此",
    "相应地", "再比如", "再例如", "又如",
)  # fmt: skip
_ADDING: Final = (
    "此外", "另外", "同时", "与此同时", "并且", "而且", "同样", "再者", "再有", "还有",
    "其次", "再次", "最后", "然后", "接着", "随后", "另一方面", "更重要的是", "第二", "第三",
    "第四", "第五", "其二", "其三", "其四",
)  # fmt: skip
_LEANING_EN: Final = (
    "however", "nevertheless", "nonetheless", "but", "yet", "still", "therefore", "thus", "hence",
    "so", "consequently", "as a result", "for example", "for instance", "in other words",
    "specifically", "instead", "otherwise", "in contrast", "by contrast", "on the contrary",
)  # fmt: skip
_ADDING_EN: Final = (
    "moreover", "furthermore", "additionally", "in addition", "besides", "also", "and", "similarly",
    "likewise", "meanwhile", "at the same time", "second", "secondly", "third", "thirdly",
    "finally", "lastly", "then", "next",
)  # fmt: skip


def _pattern(chinese: tuple[str, ...], english: tuple[str, ...]) -> re.Pattern[str]:
    zh = "|".join(sorted(chinese, key=len, reverse=True))
    en = "|".join(sorted(map(re.escape, english), key=len, reverse=True))
    # In Chinese a comma must follow, but for the few that are never part of another word; 但 alone
    # before its clause is common. In English a comma is needed, but for but, so and and.
    return re.compile(
        rf"(?:(?P<mark>\*\*|__)(?:{zh})(?P=mark)[，,：:]?"
        rf"|(?:{zh})[，,：:]"
        rf"|(?:但是|然而|不过|因此(?![次前类案项])|所以|此外|另外|并且|而且)(?=[\u4e00-\u9fff])"
        rf"|(?:{en}),\s+"
        rf"|(?:but|so|and)\s+(?=[a-z]))\s*",
        re.IGNORECASE,
    )


_LEANS: Final = _pattern(_LEANING, _LEANING_EN)
_ADDS: Final = _pattern(_ADDING, _ADDING_EN)
_BARE_BUT: Final = re.compile(r"但(?=[\u4e00-\u9fff])(?![凡愿书])")
_ADDERS: Final = re.compile("|".join(sorted((*_ADDING, *_ADDING_EN), key=len, reverse=True)), re.I)
_OPENING: Final = re.compile(r"(?:\*\*|__|[“\"「『（(])*")


def detach(body: str, *, before_removed: bool, nothing_before: bool) -> str:
    """A sentence without a connective that leans on what was removed.

    Args:
        body: The sentence.
        before_removed: The sentence right before it was removed.
        nothing_before: No sentence before it is left.

    Returns:
        The sentence; unchanged where no connective stands at its head, or nothing would be
        left of it.
    """
    opening = _OPENING.match(body)
    at = opening.end() if opening is not None else 0
    for start in dict.fromkeys((0, at)):
        cut = _connective(body[start:], before_removed, nothing_before)
        if cut:
            rest = body[start + cut :]
            if any(c.isalnum() for c in rest):
                return body[:start] + rest[:1].upper() + rest[1:]
    return body


def _connective(text: str, before_removed: bool, nothing_before: bool) -> int:
    """Length of the connective at the head that has to go; 0 for none."""
    adds = _ADDERS.match(text) is not None
    found = _ADDS.match(text) if adds else _LEANS.match(text)
    if found is None and not adds and before_removed:
        found = _BARE_BUT.match(text)
    if found is None:
        return 0
    goes = nothing_before if adds else (before_removed or nothing_before)
    return found.end() if goes else 0
