"""Rewrites of Chinese questions."""

from __future__ import annotations

import re
from typing import Final

from nli_faith.text.grammar import words

_DIGITS: Final = "零一二三四五六七八九"
_YEAR_DIGITS: Final = "〇一二三四五六七八九"
_QUARTER: Final = re.compile(
    r"(?<![前近头上下过去连续每几两一二三四至到~\-—0-9、和与及个])"
    r"(?P<zh>第?(?P<n>[一二三四])季度)|(?<![A-Za-z0-9])[Qq](?P<d>[1-4])(?![A-Za-z0-9])"
)
_QUARTER_TEXT: Final = re.compile(r"第?[一二三四1-4]季度|[Qq][1-4]")
_JOINED_QUARTER: Final = re.compile(r"^(?:个|至|到|~|-|—|、|和|与|及)")

_POLITE: Final = re.compile(
    r"^(?:您好|你好|请问一下|请问|麻烦问一下|麻烦您?|劳驾|我想知道|我想问一下|想咨询一下"
    r"|能否告诉我|能告诉我)[，,、：:\s]*"
)
_BEFORE_QUESTION: Final = ("请问", "麻烦问一下，", "能否告诉我，", "您好，请问", "我想知道，")
_BEFORE_REQUEST: Final = ("请", "麻烦您", "请帮我")
_REQUEST: Final = re.compile(
    r"^(?:对比|比较|介绍|说明|列出|列举|分析|描述|解释|总结|概述|查一下|查询|告诉)"
)
_ASKED_TO: Final = re.compile(
    r"^(?:请帮我|请你|请您|请)(?=对比|比较|介绍|说明|列出|列举|分析|描述|解释|总结|概述)"
)

_TIME: Final = (
    r"(?:(?:(?:19|20)\d\d年|[二一][〇零一二三四五六七八九]{3}年|[去今前明]年|上年|本年)"
    r"(?:第?[一二三四]季度|Q[1-4]|[上下]半年|\d{1,2}月(?:份|\d{1,2}[日号])?|[年底初末]{0,2})?"
    r"|第[一二三四]季度|[上下]半年)"
)
_INSIDE_TIME: Final = re.compile(
    rf"(?<![于从自比较超截止至到和与及、前后近\-~—\d])(?P<at>在?)(?P<time>{_TIME})"
    r"(?![度以之内至到和与及、~\-—前后底初末起的]|第|Q|\d|[上下]半年)(?P<of>)"
)
_TIME_OF: Final = re.compile(
    rf"(?<![于从自比较超截止至到和与及、前后近\-~—\d])(?P<at>在?)(?P<time>{_TIME})(?P<of>的)"
)
_ANY_TIME: Final = re.compile(_TIME)
_FRONTED: Final = re.compile(
    rf"^(?:在)?(?P<time>{_TIME})[，,](?P<subject>[^，,的]{{1,12}})的(?P<rest>.+)$"
)
_WH: Final = re.compile("什么|哪|谁|何|几|多少|怎|如何")

_ACTIVE: Final = re.compile(r"^(?P<wh>谁|哪[家个位所国][^，。的了]{0,4}?)(?P<rest>[^，。？?]+)$")
_PASSIVE: Final = re.compile(
    r"^(?P<object>[^，。？?]{1,24}?)是(?:由|被)?(?P<wh>谁"
    r"|哪[家个位所][^，。的]{0,4})(?P<verb>[\u4e00-\u9fff]{2,4})的$"
)
_ACTED_ON: Final = re.compile(
    r"^(?P<subject>[^，。？?了]{1,16}?)(?P<verb>[\u4e00-\u9fff]{2})了(?P<wh>谁"
    r"|哪[家个位所些][^，。？?的]{1,6})$"
)
_WORD_PAIRS: Final = (
    ("什么时候", "何时"), ("何时", "什么时候"), ("为什么", "为何"), ("为何", "为什么"),
    ("多长时间", "多久"), ("多久", "多长时间"), ("哪里", "什么地方"), ("什么地方", "哪里"),
    ("怎样", "如何"), ("如何", "怎样"),
)  # fmt: skip
_HOW: Final = re.compile("怎么(?=[\u4e00-\u9fff]{2})(?!样|了|办|回事|会|没|不)")
_WHETHER: Final = re.compile(r"^(?P<pre>[^，。？?]+?)是否(?P<rest>[^，。？?]{2,})$")
_IF: Final = re.compile(
    r"^(?P<pre>[^，。？?]{2,}?)(?P<verb>支持|包含|包括|提供|需要|可以|能够|允许|适用于|属于"
    r"|具备)(?P<rest>[^，。？?]{1,20})吗$"
)
_YEAR: Final = re.compile(r"(?<![0-9])(?P<y>(?:19|20)[0-9]{2})年(?![级0-9])")
_YEAR_ZH: Final = re.compile(r"(?P<y>[一二][〇零一二三四五六七八九]{3})年")
_COUNT: Final = re.compile(
    r"(?<![0-9.．第年月:：/\-~到至])(?P<n>10|[1-9])(?P<unit>个月|个工作日|天|周|次|个|家|种|款"
    r"|名)(?![0-9])"
)
_COUNT_ZH: Final = re.compile(
    r"(?<![第零一二三四五六七八九十百千万亿几年月到至前后近~\-])"
    r"(?P<n>[一两三四五六七八九十])(?P<unit>个月|个工作日|天|周)"
)


def is_quarter(text: str, start: int, end: int) -> bool:
    """Whether a span touches a quarter, which `quarter` alone rewrites."""
    return any(m.start() < end and m.end() > start for m in _QUARTER_TEXT.finditer(text))


def quarter(text: str) -> list[str]:
    """第三季度 <-> Q3 <-> 三季度, the same in every place of the question."""
    found = [m for m in _QUARTER.finditer(text) if not _JOINED_QUARTER.match(text[m.end() :])]
    if not found or len(found) != len(_QUARTER_TEXT.findall(text)):
        return []  # 一至三季度, 前三季度: not single quarters
    forms = ("第{zh}季度", "Q{d}", "{zh}季度")
    out = []
    for form in forms:
        new, at = [], 0
        for m in found:
            number = "一二三四".index(m["n"]) + 1 if m["n"] else int(m["d"])
            new += [text[at : m.start()], form.format(zh=_DIGITS[number], d=number)]
            at = m.end()
        new.append(text[at:])
        out.append("".join(new))
    return [t for t in out if t != text]


def politeness(text: str) -> list[str]:
    """A courtesy before the question, or none where there was one."""
    lead = _POLITE.match(text)
    if lead is not None and lead.end() < len(text):
        return [text[lead.end() :]]
    asked = _ASKED_TO.match(text)
    if asked is not None:
        return [text[asked.end() :], "麻烦您" + text[asked.end() :]]
    if _REQUEST.match(text):
        return [p + text for p in _BEFORE_REQUEST]
    return [p + text for p in _BEFORE_QUESTION]


def time_order(text: str) -> list[str]:
    """The only time phrase of a question put first, or back behind the subject."""
    if len(_ANY_TIME.findall(text)) != 1:
        return []
    back = _FRONTED.match(text)
    if back is not None:
        if _has_verb(back["subject"]):
            return []
        return [f"{back['subject']}{back['time']}的{back['rest']}"]
    found = _TIME_OF.search(text) or _INSIDE_TIME.search(text)
    if found is None or found.start() == 0:
        return []
    before, after = text[: found.start()].rstrip(), text[found.end() :]
    if _has_verb(before) or _WH.search(before) or before.endswith("的") or "，" in before:
        return []
    if not after or after[0] in "，,？?。":
        return []
    of = "的" if found["of"] else ""
    return [f"{found['at']}{found['time']}，{before}{of}{after}"]


def _has_verb(text: str) -> bool:
    return any(w.tag in ("v", "p", "c", "ul") for w in words(text))


def voice(text: str) -> list[str]:
    """谁发明了电话 <-> 电话是由谁发明的; A公司收购了哪家企业 -> 哪家企业被A公司收购了."""
    mark = text[-1] if text[-1] in "？?" else ""
    body = text[: len(text) - len(mark)]
    passive = _PASSIVE.match(body)
    if passive is not None:
        if not _is_verb(passive["verb"]):
            return []
        return [f"{passive['wh']}{passive['verb']}了{passive['object']}{mark}"]
    acted = _ACTED_ON.match(body)
    if acted is not None and _is_verb(acted["verb"]) and not _has_verb(acted["subject"]):
        return [f"{acted['wh']}被{acted['subject']}{acted['verb']}了{mark}"]
    return _to_passive(body, mark)


def _to_passive(body: str, mark: str) -> list[str]:
    active = _ACTIVE.match(body)
    if active is None or "了" not in body:
        return []
    found = words(body)
    at = next((i for i, w in enumerate(found) if w.text == "了" and w.tag == "ul"), None)
    if at is None or at < 2 or not _is_verb(found[at - 1].text):
        return []
    asked = body[: found[at - 1].start]
    obj = body[found[at].start + 1 :]
    if not obj or not _WH.match(asked) or _has_verb(asked) or _WH.search(obj):
        return []
    return [f"{obj}是由{asked}{found[at - 1].text}的{mark}"]


def _is_verb(word: str) -> bool:
    found = words(word)
    return len(found) == 1 and found[0].tag in ("v", "vn")


def question_word(text: str) -> list[str]:
    """Another question word for the same question."""
    out = []
    for old, new in _WORD_PAIRS:
        if text.count(old) == 1 and not (old in ("如何", "怎样") and _ends(text, old)):
            out.append(text.replace(old, new))
    if len(_HOW.findall(text)) == 1:
        out.append(_HOW.sub("如何", text))
    mark = text[-1] if text[-1] in "？?" else ""
    body = text[: len(text) - len(mark)]
    whether = _WHETHER.match(body)
    if whether is not None and not _WH.search(body) and not body.endswith("吗"):
        out.append(f"{whether['pre']}{whether['rest']}吗{mark}")
    yes_no = _IF.match(body)
    if yes_no is not None and not _WH.search(body) and "是否" not in body:
        out.append(f"{yes_no['pre']}是否{yes_no['verb']}{yes_no['rest']}{mark}")
    return out


def _ends(text: str, word: str) -> bool:
    return text.rstrip("？?。！! ").endswith(word)


def numeral(text: str) -> list[str]:
    """Years and small counts in the other kind of digits."""
    out = [
        _YEAR.sub(lambda m: "".join(_YEAR_DIGITS[int(d)] for d in m["y"]) + "年", text),
        _YEAR_ZH.sub(lambda m: "".join(map(_digit, m["y"])) + "年", text),
        _COUNT.sub(lambda m: _small(int(m["n"])) + m["unit"], text),
        _COUNT_ZH.sub(lambda m: str(_value(m["n"])) + m["unit"], text),
    ]
    return [t for t in out if t != text]


def _digit(char: str) -> str:
    return "0" if char in "〇零" else str(_DIGITS.index(char))


def _small(number: int) -> str:
    return "两" if number == 2 else "十" if number == 10 else _DIGITS[number]


def _value(char: str) -> int:
    return 2 if char == "两" else 10 if char == "十" else _DIGITS.index(char)
