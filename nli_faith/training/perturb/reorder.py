"""The same said in another order: attribution, time, place, fixed patterns, lists."""

from __future__ import annotations

import random
import re
from typing import Final

from nli_faith.text import grammar

from .model import Tagged
from .tagging import is_noun_phrase, is_verb_like, tagged, words

_SPEAKS: Final = r"(?:表示|指出|介绍|透露|称|认为|强调|说)"
_SAID: Final = re.compile(rf"^(?P<who>[^，。“”：]{{2,24}}?)(?P<verb>{_SPEAKS})，(?P<what>.+)$")
_ACCORDING: Final = re.compile(
    r"^据(?P<who>[^，“”]{2,20}?)(?P<verb>介绍|透露|称|表示)，(?P<what>.+)$"
)
_NO_SPEAKER: Final = re.compile(r"[他她其中]$|记者|对此|时|^据|^对|^在|并|，|消息|数据")
_DATE: Final = r"(?:(?:19|20)\d{2}年)?\d{1,2}月\d{1,2}日(?:上午|下午|晚|凌晨|早上|晚上)?"
_YEAR: Final = r"(?:19|20)\d{2}年(?:\d{1,2}月)?(?:\d{1,2}日)?"
_OPENING_TIME: Final = re.compile(rf"^(?P<time>{_DATE})，?(?P<rest>[^，].+)$")
_OPENING_PLACE: Final = re.compile(
    r"^(?P<time>在(?!此|这|该)[^，“”]{3,22}(?:中|上|内|里|现场|期间|会上))，(?P<rest>.+)$"
)
_INNER_TIME: Final = re.compile(
    rf"^(?P<who>[^，]{{2,20}}?)(?:于|在)(?P<time>{_YEAR})(?P<rest>[^，的起前后以至到初末底年].+)$"
)
_BORN: Final = re.compile(
    r"(?P<verb>成立|创立|创办|出生|始建|创建|建成|毕业|落成|上映|发表)于"
    rf"(?P<when>{_YEAR})(?=$|，)"
)
_RATE: Final = re.compile(
    r"(?<![现约度比])(?P<verb>上涨|下跌|增长|下降)(?=\d[\d.]*[%％](?:$|[，；、]))"
)
_RATE_NOUN: Final = {"上涨": "涨幅为", "下跌": "跌幅为", "增长": "增幅为", "下降": "降幅为"}
_PERIOD: Final = re.compile(
    r"(?P<which>同比|环比)(?=(?:增长|下降|上升|下跌|上涨|增加|减少|提高)\d)"
)
_COUNTED: Final = r"[人名家户件个台辆套项次种只头棵元年天]"
_AROUND: Final = re.compile(
    r"(?<![约近超\d.,])(?P<amount>\d[\d.,]*[万亿]?(?:元|人|米|公里|岁|吨|%|名|家|个月|小时|分钟))左右"
)
_BY: Final = re.compile(
    r"由(?P<who>[\u4e00-\u9fff]{2,12})(?P<verb>主办|承办|负责|组织|执导|主演|制作|设计|承建|研制|出品)"
    r"(?P<what>[\u4e00-\u9fff]{2,12})$"
)
_IS: Final = re.compile(
    r"(?P<noun>售价|价格|金额|面积|总额|数量|人数|长度|高度|重量|尺寸|市值|收入|利润|产量|规模)为(?=\d|约)"
)
_MORE_THAN: Final = re.compile(
    r"^(?P<a>[\u4e00-\u9fff]{2,10})(?P<verb>高于|低于|多于|少于|大于|小于|早于|晚于)"
    r"(?P<b>[\u4e00-\u9fff]{2,10})$"
)
_REVERSE: Final = {
    "高于": "低于", "低于": "高于", "多于": "少于", "少于": "多于", "大于": "小于", "小于": "大于",
    "早于": "晚于", "晚于": "早于",
}  # fmt: skip
_TITLED: Final = re.compile(r"(?:长|任|员|家|席|裁|理|人|记|授|师|事|官|监|士|表|总)$")


def with_attribution_moved(text: str, rng: random.Random) -> str | None:
    """X表示，Y becomes 据X介绍，Y or the reverse.

    Args:
        text: A claim.
        rng: Chooses the form.
    """
    match = _SAID.match(text)
    if match and not _NO_SPEAKER.search(match["who"]):
        if not is_noun_phrase(match["who"]):
            return None
        who = _without_title(match["who"]) if rng.random() < 0.4 else match["who"]
        forms = ["{0}称，{1}", "按照{0}的说法，{1}", "{0}说，{1}", "{0}表示，{1}"]
        if match["verb"] in ("介绍", "透露", "称", "说"):
            forms += ["据{0}介绍，{1}", "据{0}称，{1}"]
        out = rng.choice(forms).format(who, match["what"])
        return out if out != text else None
    match = _ACCORDING.match(text)
    if match and "记者" not in match["who"] and is_noun_phrase(match["who"]):
        form = rng.choice(("{0}表示，{1}", "{0}称，{1}", "{0}介绍说，{1}"))
        return form.format(match["who"], match["what"])
    return None


def _without_title(who: str) -> str:
    """The person's name alone, where a title stands before it."""
    found = words(who)
    last = found[-1]
    if len(found) > 1 and last.tag == "nr" and 2 <= len(last.text) <= 3:
        return last.text if _TITLED.search(found[-2].text) else who
    return who


def with_time_moved(text: str, rng: random.Random) -> str | None:
    """Front a time phrase, or put a time or place phrase behind the subject.

    Args:
        text: A claim.
        rng: Chooses the preposition.
    """
    match = _INNER_TIME.match(text)
    if match and grammar.subject(words(match["who"] + "举行")) == match["who"]:
        return f"{match['time']}，{match['who']}{match['rest']}"
    match = _OPENING_TIME.match(text)
    if match and not match["rest"][0].isdigit():
        return _behind_subject(match["rest"], rng.choice("于在") + match["time"])
    match = _OPENING_PLACE.match(text)
    return _behind_subject(match["rest"], match["time"]) if match else None


def _behind_subject(rest: str, phrase: str) -> str | None:
    found = words(rest.split("，")[0])
    subject = grammar.subject(found)
    if not subject or not rest.startswith(subject) or grammar.is_intricate(found):
        return None
    behind = next((w for w in found if w.start == len(subject)), None)
    if behind is None or not is_verb_like(behind) or behind.text[0] in "于在自从至的是有":
        return None
    return f"{subject}{phrase}{rest[len(subject) :]}"


def with_patterns(text: str, rng: random.Random) -> str | None:
    """Apply one fixed pattern: 成立于, 同比, 约…, …左右, 由A负责B, 为, 高于.

    Args:
        text: A claim.
        rng: Chooses among the patterns that apply.
    """
    options = [
        _BORN.sub(r"于\g<when>\g<verb>", text),
        _RATE.sub(lambda m: _RATE_NOUN[m["verb"]], text),
        _PERIOD.sub(lambda m: "比上年同期" if m["which"] == "同比" else "比上一期", text),
        re.sub(r"约(?=\d)", "大约", text) if "大约" not in text else text,
        _AROUND.sub(r"约\g<amount>", text),
        re.sub(rf"(?<=\d)余(?=[万亿]?{_COUNTED})", "多", text),
        re.sub(rf"(?<=0)多(?=[万亿]?{_COUNTED})", "余", text),
        _BY.sub(r"\g<what>由\g<who>\g<verb>", text) if "，" not in text else text,
        _IS.sub(r"\g<noun>是", text),
        _MORE_THAN.sub(lambda m: m["b"] + _REVERSE[m["verb"]] + m["a"], text),
    ]
    options = [o for o in options if o != text]
    return rng.choice(options) if options else None


_JOINTS: Final = frozenset("、和与")
_AFTER_LIST: Final = frozenset("、和与等，。及")
_LIST_TAGS: Final = frozenset(("ns", "nr", "nz", "n", "eng"))


def with_list_turned(text: str, rng: random.Random) -> str | None:
    """Exchange two neighbours of a list of names or nouns, whose order says nothing.

    Args:
        text: A claim.
        rng: Chooses the neighbours.
    """
    if re.search(r"分别|依次|先后|前者|后者|顺序|排名|从|第", text):
        return None
    found = tagged(text)
    places = [i for i in range(1, len(found.words) - 1) if _is_joint(found, i)]
    if not places:
        return None
    i = rng.choice(places)
    a, b = found.word(i - 1), found.word(i + 1)
    return found.replaced(i - 1, i + 2, b + found.word(i) + a)


def _is_joint(found: Tagged, i: int) -> bool:
    tags = found.tag(i - 1), found.tag(i + 1)
    if found.word(i) not in _JOINTS or tags[0] != tags[1] or tags[0] not in _LIST_TAGS:
        return False
    if len(found.word(i - 1)) < 2 or len(found.word(i + 1)) < 2 or found.quoted[i]:
        return False
    before, behind = found.tag(i - 2), found.word(i + 2)
    opens = i == 1 or found.word(i - 2) in ("，", "、", "在", "对") or before in ("v", "p", "d")
    ends = not behind or behind in _AFTER_LIST or (behind and is_verb_like(found.words[i + 2]))
    return bool(opens and ends)


_FRAMES: Final = (
    "报道称，", "文中提到，", "根据报道，", "据报道，", "资料显示，", "材料提到，",
    "根据提供的内容，",
)  # fmt: skip


def with_frame(text: str, rng: random.Random) -> str | None:
    """Put an answer's frame before a claim that has none.

    Args:
        text: A claim.
        rng: Chooses the frame.
    """
    if re.match(
        r"^(?:据|根据|按|报道|有|此|对)|^[^，]{1,20}(?:称|表示|说|指出|认为|介绍|显示|透露)，", text
    ):
        return None
    return rng.choice(_FRAMES) + text
