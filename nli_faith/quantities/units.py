"""Unit tables: what stands behind a number, what it means, and the longest-first lookup.

Physical units become SI-based canonical ones with exact decimal factors (1 mile = 1609.344 m,
1 pound = 0.45359237 kg: the international definitions of 1959; 1 亩 = 10000/15 m2 is kept as a unit
of its own, because it is no finite decimal). Data units stay as written: 1 GB is 1000 or 1024 MB.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from .unit_data import CLASSIFIERS, CURRENCIES, PEOPLE, TABLE


class Unit(NamedTuple):
    """Type, canonical unit and the factor from the written to the canonical unit."""

    type: str
    unit: str
    factor: Decimal


UNITS: dict[str, Unit] = {}
for _line in TABLE.strip().splitlines():
    _type, _canonical, _pairs = _line.split("|")
    _items = _pairs.split()
    for _surface, _factor in zip(_items[::2], _items[1::2], strict=True):
        UNITS[_surface] = Unit(_type, _canonical, Decimal(_factor))
for _code, _names in CURRENCIES.items():
    for _name in _names.split():
        UNITS[_name] = Unit("money", _code, Decimal(1))
for _name in CLASSIFIERS.split():
    UNITS.setdefault(_name, Unit("number", PEOPLE.get(_name, _name), Decimal(1)))
UNITS["万像素"] = Unit("measure", "px", Decimal(10000))
for _name in ("角", "毛", "角钱", "毛钱"):
    UNITS[_name] = Unit("money", "CNY", Decimal("0.1"))
UNITS["个"] = Unit("number", "个", Decimal(1))
del UNITS["倍"], UNITS["比"], UNITS["开"], UNITS["号"]

_CJK_LENGTHS: dict[str, tuple[int, ...]] = {}
for _surface in UNITS:
    if not _surface[0].isascii() and _surface[0] not in "μµΩ":
        _seen = set(_CJK_LENGTHS.get(_surface[0], ())) | {len(_surface)}
        _CJK_LENGTHS[_surface[0]] = tuple(sorted(_seen, reverse=True))

_LATIN = re.compile(r"[A-Za-zμµΩ°%‰]{1,14}[23²³]?(?:/[A-Za-zμµ]{1,6}[23²³]?)?")
# Longer Chinese words that merely begin with a unit: 5元素, 3天下, 2分之, 30日元 is money.
_FALSE_START = re.compile(
    r"元[素旦件宵老帅首气]|分[之别布析类配工支享区店行公公部子析]|度[假过]|年[级龄轻代度报均会]|天[然下津使猫平河秤]"
    r"|日[报本元圆常均志]|点[击评燃赞钟]|个[别体性税股案]|个人[信账所隐资养工化户卡]|人[民均工口才]|口[岸腔碑]|名[单称字]|家[庭长电居]|月[份亮]|周[边围末]"
    r"|手[机续]|面[积对临]|方[面案法式向]|块[链]|角[色度落]|毛[利衣巾病发笔]|安[全装排置徽]|本[次年月周季期土地部科]|级[别]"
    r"|卡[车片]|秒[杀]|节[能约目日省]|条[件例款]|部[分门署]|类[似别型]|项[目]|单[位价]|起[来到步诉]|升[级至到高]"
    r"|行[业动政]|处[理罚]|区[域间别]|市[场值民]|国[家际内]|省[份]|县[城]|村[民]|校[园区]|院[长士]|环[境保节比]"
    r"|平[均台]|发[展布生现]|子[公]|次[日年月要]|期[间货]|代[表理码]|班[子]|包[括含]|比[例赛上]|格[式局]|负[责]"
    r"|开[始发展]|连[续]|卫[生]|室[内外]|胜[利]"
)


def lookup(text: str, pos: int) -> tuple[Unit, int] | None:
    """Longest unit that begins at ``pos`` of a folded text.

    Args:
        text: Folded text.
        pos: Where the number (and an optional space) ends.

    Returns:
        The unit and its end offset, or ``None``.
    """
    char = text[pos : pos + 1]
    lengths = _CJK_LENGTHS.get(char)
    if lengths is not None:
        for length in lengths:
            piece = text[pos : pos + length]
            unit = UNITS.get(piece) if len(piece) == length else None
            if unit is not None:
                if length == 1 and _FALSE_START.match(text, pos) is not None:
                    return None
                return unit, pos + length
        return None
    match = _LATIN.match(text, pos)
    return None if match is None else _latin(text, pos, match.end())


_PHRASES = re.compile(
    r"(?:(?P<pct>per cent|percent)|(?P<pp>percentage points?|pct points?)|(?P<bp>basis points?)"
    r"|(?P<wd>(?:business|working) days?)|(?P<age>years?[ -]old)|(?P<m2>square (?:met(?:er|re)s?))"
    r"|(?P<km2>square kilomet(?:er|re)s?)"
    r"|(?P<kmh>(?:km|kilomet(?:er|re)s) per hour|miles per hour))"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)
_PHRASE_UNITS = {
    "pct": Unit("percent", "", Decimal(1)), "pp": Unit("pp", "", Decimal(1)),
    "bp": Unit("pp", "", Decimal("0.01")), "wd": Unit("duration", "workday", Decimal(1)),
    "age": Unit("number", "岁", Decimal(1)), "m2": Unit("area", "m2", Decimal(1)),
    "km2": Unit("area", "m2", Decimal(1000000)), "kmh": Unit("speed", "km/h", Decimal(1)),
}  # fmt: skip


def _latin(text: str, pos: int, end: int) -> tuple[Unit, int] | None:
    """A unit in Latin letters; it must end at a word boundary."""
    word = text[pos:end]
    if word[0] in "%‰":
        return UNITS[word[0]], pos + 1
    if word[0] in "pPbBwWysYSkKm" and end - pos > 1:
        phrase = _PHRASES.match(text, pos)
        if phrase is not None and phrase.lastgroup is not None:
            factor = _PHRASE_UNITS[phrase.lastgroup]
            if phrase[0][0] in "mM" and phrase.lastgroup == "kmh":
                factor = Unit("speed", "km/h", Decimal("1.609344"))
            return factor, phrase.end()
    if word == "G" and text[pos - 1 : pos] in "23456" and not text[pos - 2 : pos - 1].isdigit():
        # a network, unless 4G内存 or 4G流量
        return (UNITS["G"], end) if text.startswith(("内存", "流量", "显存", "存储"), end) else None
    unit = _named(word)
    if unit is None and "/" in word:
        end = pos + word.index("/")
        word = text[pos:end]
        unit = _named(word)
        rate = re.match(r"/[A-Za-zμµ]{1,6}[23²³]?", text[end:])
        if unit is not None and rate is not None and unit.type != "money":
            full = word + rate[0].replace("²", "2").replace("³", "3")
            return Unit("measure", full, Decimal(1)), end + rate.end()
    if unit is None and word[-1] in "23":
        return None
    follow = text[end : end + 1]
    if unit is None or (follow.isascii() and (follow.isalnum() or follow == "_")):
        return None
    if follow in ("Ω", "\u2126", "·"):
        return None
    return unit, end


def _named(word: str) -> Unit | None:
    return UNITS.get(word) or (UNITS.get(word.lower()) if len(word) > 2 else None)
