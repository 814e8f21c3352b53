"""The points of one Chinese clause: coordination of entities, aspects, verbs and question words.

A clause is cut only where one of a few plain patterns fits as a
whole; everything else stays one point, because a wrong cut makes a point that nobody asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple

from nli_faith.lexicon import default_lexicon
from nli_faith.metrics.coordination import (
    WH_HERE,
    is_relative,
    items_of,
    join,
    joins_of,
    tokenise,
)
from nli_faith.text.grammar import Word, words


class Cut(NamedTuple):
    """One point as the rules find it: its text, and whose what is asked where that is plain."""

    text: str
    entity: str = ""
    aspect: str = ""


_ADVERBS: Final = "(?:分别|各自|各|都|大概|大约|具体|一共|总共|主要|目前|现在|究竟|到底)"
_TAIL: Final = re.compile(
    rf"{_ADVERBS}*(?:是|为|有|在|占|达到?|叫|位于)?"
    r"(?:多少|几[^，的]{0,6}|(?<=分别)怎么|什么|啥|哪些|哪[^，的]{0,3}|谁|何|怎么样|怎样|如何|多[久大高长远重快])"
    r"[^，的]{0,3}[呢吗啊]?$"
)
_EACH: Final = re.compile("分别|各自|各(?=[是为有占需要应])")
_IMPERATIVE: Final = re.compile(
    r"^(?:对比|比较|介绍|说明|列出|列举|分析|描述|解释|简述|总结|概述|阐述|谈谈|讲讲|说说|给出"
    r"|提供)"
    r"(?:一下|下)?(?:关于)?"
)
_COMPARES: Final = re.compile("^(?:对比|比较)")
_HAS: Final = re.compile(r"(?:都|分别|各|各自)?(?:有|具有|存在)(?:什么|哪些|何|啥)(?:主要的?)?")
_RELATION: Final = re.compile(
    r"(?:区别|差别|差异|不同|异同|关系|联系|相同点?|相似之处|一样|距离|矛盾|冲突)"
    r"(?:之处|点)?(?:在哪里?|在于什么|是什么|是多少|有多[大远]|大|吗|呢)*$"
    r"|哪[个款种家边台](?:更|比较|最)?[^的]{0,8}$|哪[一个款种家]+(?:更|比较|好)|谁更|孰|之间|相比"
    r"|相较|比起|一起|共同"
)
_RECIPROCAL: Final = re.compile("结婚|离婚|建交|签订|签署|合作|合并|交战|开战|会面|谈判|结盟|相遇")
_ADVERBIAL: Final = re.compile(
    r"(?:如何|怎么|怎样|哪里可以|能否|是否可以|是否能够?|是否|可以|能够|能不能|可不可以|能|允许"
    r"|需要)"
)
_LISTING: Final = re.compile(
    r"(?:支持|包含|包括|提供|具备|需要|允许|涵盖|覆盖|适用于|影响|涉及|缴纳|携带|准备)了?"
)
_WH: Final = (
    "(?:由谁|谁|何时|何地|何处|何人|什么时候|什么时间|什么地方|哪里|哪儿|哪年|哪天|为什么|为何"
    "|如何|怎么|怎样)"
)
_TWO_WH: Final = re.compile(
    rf"^(?P<pre>.*?)(?P<a>(?:在|于)?{_WH})(?:和|与|、|以及|及|并)(?P<b>(?:在"
    rf"|于)?{_WH})(?P<post>.*)$"
)
_PAIRED_WH: Final = re.compile(r"^(?P<pre>.*?)(?P<a>何时)(?:、|和)?(?P<b>何地|何处)(?P<post>.*)$")
_AND_ITS: Final = re.compile(r"(?P<thing>[^，和与、]{2,30}?)及其(?P<aspect>[^，的和与、及]{2,12})")
_TWO_CLAUSES: Final = re.compile(r"以及|并且|还有|同时|、|和(?!谁|哪|什么)|与(?!谁|哪|什么)")


def cut(clause: str) -> list[Cut]:
    """The points of one clause that asks.

    Args:
        clause: A clause as `nli_faith.metrics.pieces` gives it.

    Returns:
        One `Cut` or more, in the order of the text (entity by entity, aspect by aspect).
    """
    for rule in (_paired_questions, _two_clauses, _and_its):
        found = rule(clause)
        if found:
            return found
    tokens = tokenise(clause)
    joins = joins_of(tokens)
    if not joins or (_RELATION.search(clause) and not _EACH.search(clause)):
        return [_single(clause)]
    for parse in (_each, _has, _nominal, _adverbial, _listing):
        found = parse(clause, tokens)
        if len(found) > 1:
            return found
    return [_single(clause)]


def divide(clause: str) -> tuple[str, str]:
    """Whose what a clause asks: ``A的价格是多少`` -> ``("A", "价格")``; empty where not plain.

    Args:
        clause: A clause with one point.
    """
    has = _HAS.search(clause)
    if has is not None and has.start() > 0:
        aspect = clause[has.end() :].rstrip("呢吗啊")
        if 0 < len(aspect) <= 8 and "的" not in aspect:
            return clause[: has.start()], aspect
    tail = _TAIL.search(clause)
    head = _IMPERATIVE.sub("", clause[: tail.start()] if tail is not None else clause)
    head = re.sub("(?:是|为|有|在)$", "", head)  # 主要的目的是？
    entity, de, aspect = head.rpartition("的")
    if de and entity and 0 < len(aspect) <= 8 and not WH_HERE.search(head):
        return entity, aspect
    return _known_ending(head)


def _known_ending(head: str) -> tuple[str, str]:
    """``小米6保修期``: an aspect of the lexicon that ends the phrase."""
    found = [w.text for w in words(head)]
    if len(found) > 1 and default_lexicon().knows(found[-1]):
        return "".join(found[:-1]), found[-1]
    return "", ""


def _single(clause: str) -> Cut:
    return Cut(clause, *divide(clause))


def _paired_questions(clause: str) -> list[Cut]:
    """``会议在何时何地召开``, ``什么时候和在哪里召开``: two question words, one predicate."""
    found = _PAIRED_WH.match(clause) or _TWO_WH.match(clause)
    if found is None:
        return []
    pre, post = found["pre"], found["post"]
    return [Cut(f"{pre}{found['a']}{post}"), Cut(f"{pre}{found['b']}{post}")]


def _two_clauses(clause: str) -> list[Cut]:
    """``何时生效以及适用于哪些企业``: each side of the conjunction asks."""
    for found in _TWO_CLAUSES.finditer(clause):
        left, right = clause[: found.start()], clause[found.end() :]
        if len(left) > 2 and len(right) > 2 and all(_asks_fully(s) for s in (left, right)):
            return [*cut(left), *cut(right)]
    return []


def _and_its(clause: str) -> list[Cut]:
    """``列出三种排序算法及其时间复杂度``: a thing, and an aspect of it."""
    tail = _TAIL.search(clause)
    demanded = _IMPERATIVE.match(clause)
    if tail is None and demanded is None:
        return []
    begin = demanded.end() if demanded else 0
    found = _AND_ITS.fullmatch(clause, begin, tail.start() if tail is not None else len(clause))
    if found is None or WH_HERE.search(found["thing"]):
        return []
    if any(_is_verb(w) and w.tag != "vn" for w in words(found["aspect"])):
        return []  # 公司及其员工应缴多少
    thing, aspect = found["thing"], found["aspect"]
    first = clause[:begin] + thing + _EACH.sub("", tail.group() if tail is not None else "")
    return [Cut(first, *divide(first)), Cut(f"{thing}的{aspect}", thing, aspect)]


def _asks_fully(side: str) -> bool:
    return WH_HERE.search(side) is not None and len(side) > 3


def _has(clause: str, tokens: Sequence[Word]) -> list[Cut]:
    """``裸睡有什么好处和坏处``."""
    found = _HAS.search(clause)
    if found is None:
        return []
    aspects = items_of(clause[found.end() :].rstrip("呢吗啊"))
    entities = items_of(_IMPERATIVE.sub("", clause[: found.start()]))
    if not aspects or not entities or any(is_relative(a) for a in aspects):
        return []
    return [Cut(f"{e}的{a}", e, a) for e, a in product(entities, aspects)]


def _each(clause: str, tokens: Sequence[Word]) -> list[Cut]:
    """``公司和个人分别需要缴纳多少社保``; with a plain tail `_nominal` does better."""
    found = _EACH.search(clause)
    if found is None or _TAIL.fullmatch(clause, found.start()):
        return []
    if any("的" in clause[: found.start()].split(c)[0] for c in ("和", "与", "、")):
        return []
    subjects = items_of(clause[: found.start()])
    rest = clause[found.end() :]
    return [Cut(f"{s}{rest}", s, "") for s in subjects]


def _nominal(clause: str, tokens: Sequence[Word]) -> list[Cut]:
    """A noun phrase with a list in it, alone, demanded, or before 是多少 and the like."""
    tail = _TAIL.search(clause)
    demanded = _IMPERATIVE.match(clause)
    if tail is None and demanded is None and WH_HERE.search(clause):
        return []
    if tail is None and demanded is None and clause.endswith(("吗", "呢", "么")):
        return []
    begin = demanded.end() if demanded else 0
    head = clause[begin : tail.start() if tail is not None else len(clause)]
    parts = [p for p in head.split("的") if p]
    if not parts or _RECIPROCAL.search("的".join(parts[:-1]) or head):
        return []
    lists = [items_of(p) for p in parts]
    if any(len(found) > 1 and is_relative(found[-1]) for found in lists[:-1]):
        return []
    if len(lists) == 3 and len(lists[1]) == 2 and default_lexicon().knows(lists[1][0]):
        # A产品的价格和B产品的性能
        (a, x, z) = (parts[0], lists[1], parts[2])
        return [Cut(f"{a}的{x[0]}", a, x[0]), Cut(f"{x[1]}的{z}", x[1], z)]
    if len(lists) == 1:
        return _bare_list(lists[0], tail.group() if tail else "", compares=bool(
            demanded and _COMPARES.match(clause)))  # fmt: skip
    return [Cut("的".join(combo), "的".join(combo[:-1]), combo[-1]) for combo in product(*lists)]


def _bare_list(items: list[str], tail: str, *, compares: bool) -> list[Cut]:
    """A list without 的: ``营收和净利润分别是多少``; ``对比A和B`` is one comparison."""
    if compares:
        return []
    plain = _EACH.sub("", tail)
    out = []
    for item in items:
        entity, aspect = _known_ending(item)
        out.append(Cut(item + plain, entity, aspect or item))
    return out


def _adverbial(clause: str, tokens: Sequence[Word]) -> list[Cut]:
    """``如何申请和取消会员``, ``如何清洗空调和冰箱``, ``可以做饭和养宠物吗``."""
    marks = list(_ADVERBIAL.finditer(clause))
    if not marks or _RECIPROCAL.search(clause):
        return []
    mark = marks[-1]
    joins = [i for i in joins_of(tokens) if tokens[i].start > mark.end()]
    if len(joins) != 1 or len(joins_of(tokens)) != 1:
        return []
    end = len(clause.rstrip("吗呢么啊"))
    left = [w for w in tokens[: joins[0]] if w.start >= mark.end()]
    right = [w for w in tokens[joins[0] + 1 :] if w.start < end]
    if not left or not right or not _is_verb(left[0]) or any(w.text == "的" for w in left):
        return []
    pre, post = clause[: mark.end()], clause[end:]
    if not _is_verb(right[0]):
        if len(left) < 2:
            return []
        shared, ends = left[0].text, (join(left[1:]), join(right))
    elif len(left) == 1 and len(right) > 1 and len(left[0].text) <= len(right[0].text):
        obj = join(right[1:])
        return [Cut(f"{pre}{v}{obj}{post}") for v in (left[0].text, right[0].text)]
    else:
        shared, ends = "", (join(left), join(right))
    return [Cut(f"{pre}{shared}{e}{post}") for e in ends]


def _listing(clause: str, tokens: Sequence[Word]) -> list[Cut]:
    """``支持无线充电和反向充电吗``, ``哪些因素影响销量和利润``."""
    found = _LISTING.search(clause)
    if found is None or WH_HERE.search(clause, found.end()):
        return []
    end = len(clause.rstrip("吗呢么啊"))
    items = items_of(clause[found.end() : end])
    pre, post = clause[: found.end()], clause[end:]
    if "的" in clause[found.end() : end] or joins_of(tokenise(clause[: found.end()])):
        return []
    return [Cut(f"{pre}{item}{post}") for item in items]


def _is_verb(word: Word) -> bool:
    return word.tag[0] == "v"
