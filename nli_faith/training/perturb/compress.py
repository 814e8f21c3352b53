"""Shorter claims: brackets, lead-ins and last clauses dropped, one clause kept with its subject."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final

from nli_faith.text import grammar

from .tagging import words

_PARENTHESES: Final = re.compile(r"[（(][^（）()]{1,40}[）)]")
_LEAD_INS: Final = re.compile(
    r"^(?:据悉|据了解|据介绍|记者[^，]{0,14}(?:获悉|了解到|注意到|看到)|据[^，]{2,14}(?:报道|消息)|"
    r"此外|另外|同时|其中|不过|另据[^，]{0,10}|与此同时|总的来看|总体来看|值得注意的是|需要注意的是|"
    r"值得一提的是|数据显示|公告显示|资料显示|据统计|据公开资料显示|公开资料显示|目前来看|具体来看|"
    r"另一方面|一方面|事实上|通报称|公告称|消息称)[，,：:]\s*"
)
_SUBORDINATE: Final = re.compile(
    r"^(?:随着|为了?|由于|因|如果|若|虽然|尽管|当|在|对|据|根据|按照|通过|除|自|从|截至|围绕|针对|只有|"
    r"只要|除非|即使|无论|不论|不仅|不但|既|与其|一旦|经|以|面对|伴随|结合|作为|继|凭|受|于|借助|依照|依据)"
)
_DEPENDENT: Final = re.compile(
    r"^(?:否则|除非|但|除了?|如果|若|只要|才|就|也|则|那么|所以|因此|以及|和|与|或|及|的|等|而|甚至|还是|"
    r"更|都|均|却|反而|从而|是|为|即|如|一边|一方面|其中|分别|前者|后者|这|那|他|她|它|其|并|且|以|"
    r"用于|使|让|离不开|取决于|不得|不能|不会|有|没有|要|不是)"
)
_CONDITIONAL: Final = re.compile(
    r"不仅|不但|虽然|尽管|如果|只要|只有|无论|除非|一方面|不是|并非|既|或者|要么|一旦|即使|假如|倘若|"
    r"若|还是|宁可|与其|之所以|不管|似乎|以为|所谓"
)
_UNFINISHED: Final = re.compile(
    r"(?:表示|称|指出|介绍|认为|强调|透露|说|显示|表明|时|后|前|中|下|上|来|起|是|为|等|告诉|发现|"
    r"着|近日|日前|今天|目前|确认|证实|坦言|回应|提到|写道|预测|预计|分析|规定|要求|宣布|提出|建议|看到|得知|获悉|了解到|的|和|与|期间|方面|过程|情况|例)$"
)
# Their subject is the whole of what stands before.
_EVENT_VERBS: Final = re.compile(
    r"^(?:造成|导致|致使|使得|使|引发|引起|带动|推动|让|令|带来|标志|成为|意味|说明|表明|显示|占|其中|"
    r"达|约|共|同比|环比|涉及|包括|来自|属于|位于|较|比|超过|如|即|以及|可|需|应|供|用于|旨在|确保|"
    r"实现|形成|形|给|帮助|促进|满足|打造|力争|争取|努力|不断|进一步|切实)"
)


_DATE_ONLY: Final = re.compile(r"^[\d年月日时分秒上下午中晚凌晨早傍间周一二三四五六：:]+$")


def without_parentheses(text: str, rng: random.Random) -> str | None:
    """Drop what stands in round brackets.

    Args:
        text: A sentence.
        rng: Not used.
    """
    out = _PARENTHESES.sub("", text)
    return out if out != text and len(out) >= 10 else None


def without_lead_in(text: str, rng: random.Random) -> str | None:
    """Drop 据悉, 记者获悉, 此外 and the like.

    Args:
        text: A sentence.
        rng: Not used.
    """
    out = _LEAD_INS.sub("", text)
    return out if out != text and len(out) >= 10 else None


def clauses(text: str) -> list[str]:
    """Clauses at commas outside quotation marks.

    Args:
        text: A sentence.
    """
    out = [""]
    depth = 0
    for char in text:
        depth += (char in "“《（(") - (char in "”》）)")
        if char == "，" and depth == 0:
            out.append("")
        else:
            out[-1] += char
    return out


def shortened(text: str, rng: random.Random) -> str | None:
    """Drop the last clauses where the first ones stand alone.

    Args:
        text: A sentence of at least two clauses.
        rng: Chooses how many clauses stay.
    """
    parts = clauses(text)
    ends = [i for i in range(1, len(parts)) if stands_alone(parts, i)]
    return "，".join(parts[: rng.choice(ends)]) if ends else None


def stands_alone(parts: Sequence[str], end: int) -> bool:
    """Whether the first clauses of a sentence follow from it and read as a sentence.

    Args:
        parts: All clauses.
        end: How many are kept.
    """
    kept = parts[:end]
    whole = "，".join(kept)
    if len(whole) < 12 or len(kept[-1]) < 5 or _SUBORDINATE.match(kept[-1]):
        return False
    if _DEPENDENT.match(parts[end]) or _UNFINISHED.search(kept[-1]):
        return False
    if re.search(r"因(?!此|而|素)|联合|会同|由于|随着|避免", kept[-1]) or _DATE_ONLY.match(
        kept[-1]
    ):
        return False
    if _CONDITIONAL.search(whole) or _has_late_condition(parts[end:]):
        return False
    last = words(kept[-1])
    states = states_something(last)
    return states and grammar.has_predicate(last) and bool(grammar.subject(words(whole)))


def states_something(words: Sequence[grammar.Word]) -> bool:
    """Whether a verb or adjective stands outside a modifier before the last 的 and its noun."""
    tags = [w.tag in ("v", "a", "vg", "i", "l", "ad", "zg") for w in words]
    last = max((i for i, w in enumerate(words) if w.text == "的"), default=-1)
    if last > 0 and len(words) - last <= 4:
        return any(w.tag in ("v", "vg") for w in words[:last])
    return any(tags)


def _has_late_condition(rest: Sequence[str]) -> bool:
    """Whether what is dropped takes back or limits what stays (…，是谣言; …，前提是…)."""
    return bool(
        re.search(r"谣言|不实|虚假|前提|除外|例外|不属实|误读|假的|骗局|否认|错误", "".join(rest))
    )


def one_clause(text: str, rng: random.Random) -> str | None:
    """A later clause with the subject of the first one.

    Args:
        text: A sentence of at least two clauses whose first begins with its subject.
        rng: Chooses the clause.
    """
    parts = clauses(text)
    if len(parts) < 2 or _CONDITIONAL.search(text) or _UNFINISHED.search(parts[0]):
        return None
    first = words(parts[0])
    subject = grammar.subject(first)
    if len(subject) < 2 or not parts[0].startswith(subject) or grammar.is_intricate(first):
        return None
    if re.search(r"表示|称|指出|介绍|认为|要求|组织|派|让|邀请|被|由", parts[0]):
        return None
    options = []
    for part in parts[1:]:
        if grammar.has_own_subject(words(part)) or _SPOKEN.search(part):
            break
        if len(part) >= 6 and _shares_subject(part):
            options.append(part)
    return subject + rng.choice(options) if options else None


_SPOKEN: Final = re.compile(r"表示|称|指出|介绍|认为|强调|说$|希望")


def _shares_subject(clause: str) -> bool:
    if _DEPENDENT.match(clause) or _EVENT_VERBS.match(clause) or _UNFINISHED.search(clause):
        return False
    found = words(clause)
    return found[0].tag == "v" and len(found[0].text) > 1 and not grammar.has_own_subject(found)
