"""Edits that put a fact of the document in the wrong place: names, numbers, speakers crossed."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from typing import Final

from nli_faith.text import grammar
from nli_faith.text.chars import word_set

from .amounts import find_amounts
from .model import Edit, Tagged
from .names import Name, find_names, related
from .tagging import is_noun_phrase

_SPEAKER: Final = re.compile(
    r"^(?P<who>[^，。“”：、]{2,20}?)(?P<verb>表示|指出|介绍|透露|称|认为|强调|说)(?=[，：])"
)
_NO_SPEAKER: Final = re.compile(
    r"[他她其中]$|记者|^据|^对|^在|并|时$|后$|消息|数据|报告|公告|通报|来源|声明"
)
# Between two names that stand in one list, order says nothing.
_LISTED: Final = re.compile(r"^(?:[、和与及或同跟/]|以及|、?[^，、]{1,6}[、和与及])+$")
_SYMMETRIC: Final = re.compile(
    r"[和与及同跟、]|之间|双方|会谈|会见|会面|合作|联合|共同|结婚|签署|对阵|交界|相邻"
)
_CAUSES: Final = re.compile(
    r"^(?P<a>[\u4e00-\u9fff]{2,10})(?P<verb>导致|引发|造成|推动|促进|影响|带动|超过|击败|战胜|收购|起诉|取代|控股)了?(?P<b>[\u4e00-\u9fff]{2,10})$"
)


def name_edits(found: Tagged, names: Sequence[Name], rng: random.Random) -> list[Edit]:
    """Edits that replace a name by another of the same type from the contexts.

    Args:
        found: A claim.
        names: Names of the contexts.
        rng: Chooses the other name.
    """
    out = []
    for name in find_names(found):
        fit = [
            o for o in names
            if o.kind == name.kind and o.sort == name.sort and o.text not in found.text
            and not related(o.text, name.text)
        ]  # fmt: skip
        if fit and found.text.count(name.text) == 1:
            other = rng.choice(fit)
            end = name.start + len(name.text)
            text = found.text[: name.start] + other.text + found.text[end:]
            out.append(Edit(text, "unsupported", "entity"))
    return out


def crossed_names(found: Tagged) -> list[Edit]:
    """Edits that exchange two names of the claim, where that changes what it says.

    Args:
        found: A claim.
    """
    names = find_names(found)
    out = []
    for a, b in itertools.pairwise(names):
        between = found.text[a.start + len(a.text) : b.start]
        if a.kind != b.kind or a.sort != b.sort or related(a.text, b.text) or len(between) < 2:
            continue
        if (
            _LISTED.match(re.sub("[》《“”]", "", between) or "、")
            or _SYMMETRIC.search(between)
            or re.search(r"双方|之间|分别", found.text)
        ):
            continue
        out.append(
            Edit(
                _exchange(found.text, a.start, a.text, b.start, b.text),
                "unsupported",
                "entity_cross",
            )
        )
    return out


def crossed_amounts(text: str) -> list[Edit]:
    """Edits that exchange two amounts of the same unit.

    Args:
        text: A claim.
    """
    amounts = find_amounts(text)
    out = []
    for a, b in itertools.pairwise(amounts):
        if a.unit == b.unit and a.value != b.value and not a.bound and not b.bound:
            between = text[a.end : b.start]
            if between in ("至", "到", "-", "、", "—", "或", "和", "×", "：", ":", "比"):
                continue
            x = text[a.start : a.end], text[b.start : b.end]
            out.append(
                Edit(_exchange(text, a.start, x[0], b.start, x[1]), "contradicted", "number_cross")
            )
    return out


def _exchange(text: str, i: int, a: str, j: int, b: str) -> str:
    return text[:i] + b + text[i + len(a) : j] + a + text[j + len(b) :]


def speaker(text: str) -> str:
    """Who speaks in a sentence of the form X表示，Y, or an empty string."""
    match = _SPEAKER.match(text)
    if not match or _NO_SPEAKER.search(match["who"]):
        return ""
    return match["who"] if is_noun_phrase(match["who"]) else ""


def speaker_edits(text: str, speakers: Sequence[str], rng: random.Random) -> list[Edit]:
    """Edits that put one speaker's words into another's mouth.

    Args:
        text: A claim.
        speakers: Speakers of the contexts.
        rng: Chooses the other one.
    """
    now = speaker(text)
    match = re.match(r"^(?:据|按照)([^，。“”]{2,20}?)(?:介绍|透露|称|的说法)，", text)
    now = now or (match.group(1) if match else "")
    fit = [s for s in speakers if now and not related(s, now) and s not in text]
    if not fit:
        return []
    return [Edit(text.replace(now, rng.choice(fit), 1), "unsupported", "attribution")]


def subject_edits(found: Tagged, subjects: Sequence[str], rng: random.Random) -> list[Edit]:
    """Edits that state the claim's predicate of another sentence's subject.

    Args:
        found: A claim.
        subjects: Subjects of other sentences of the contexts.
        rng: Chooses the other one.
    """
    now = subject(found)
    if not now:
        return []
    fit = [s for s in subjects if not related(s, now) and s not in found.text]
    if not fit:
        return []
    return [Edit(found.text.replace(now, rng.choice(fit), 1), "unsupported", "subject")]


_BAD_SUBJECT: Final = re.compile(
    r"[他她它这那该此其我你]|^\d|^[一二两三多]|目前|今年|时间|日|月|年|人们|大家|方面|情况|问题|\d"
)


def subject(found: Tagged) -> str:
    """The subject that opens a sentence, when it is a plain noun phrase; else empty.

    Args:
        found: A claim or sentence.
    """
    if any(found.quoted[:4]):
        return ""
    now = grammar.subject(list(found.words))
    if not 3 <= len(now) <= 14 or not found.text.startswith(now) or _BAD_SUBJECT.search(now):
        return ""
    inside = [w for w in found.words if w.start < len(now)]
    behind = [w for w in found.words if w.start == len(now)]
    plain = all(w.tag in _PLAIN for w in inside) and inside[-1].tag in ("n", "nr", "nt", "nz", "j")
    if not plain or not behind or behind[0].tag not in ("v", "d", "p"):
        return ""
    return "" if behind[0].text in _SPEECH else now


_SPEECH: Final = word_set(
    "表示 指出 介绍 透露 称 认为 强调 说 显示 表明 提醒 预计 告诉 回应 发现 是 为 有"
)
_PLAIN: Final = frozenset(("n", "nr", "ns", "nt", "nz", "j", "eng"))


def causal_edits(text: str) -> list[Edit]:
    """Edits that exchange the two sides of A导致B, A超过B, A收购B.

    Args:
        text: A claim.
    """
    match = _CAUSES.match(text)
    if not match or related(match["a"], match["b"]):
        return []
    if not is_noun_phrase(match["a"]) or not is_noun_phrase(match["b"]):
        return []
    return [
        Edit(_exchange(text, 0, match["a"], match.start("b"), match["b"]), "contradicted", "causal")
    ]
