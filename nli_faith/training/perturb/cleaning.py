"""From raw web text to sentences, and which of them can be claims."""

from __future__ import annotations

import re
from typing import Final

_TAIL: Final = re.compile(
    r"返回搜狐|责任编辑|更多精彩内容请|【编辑[:：]|\(责编|（责编|免责声明|广告声明|以上内容由|本文不构成|"
    r"来源[:：]|采写[:：]|编辑[:：]|记者[:：]|举报/反馈|延伸阅读|往期回顾|特别声明"
)
_END: Final = re.compile(r"返回搜狐|责任编辑|更多精彩内容请|【编辑[:：]")
_SPACES: Final = re.compile(r"[\s\u3000\xa0]{2,}")
_INNER: Final = re.compile(
    r"(?<=[\u4e00-\u9fff，。、：；）】”》]) +(?=[\u4e00-\u9fff\d（【“《])"
    r"|(?<=\d) +(?=[\u4e00-\u9fff])"
)
_COMMA: Final = re.compile(r"(?<=\d)，\s*(?=\d{3}(?!\d))")
_ENDINGS: Final = "。！？!?；;\n"
_CLOSERS: Final = "”’」』）)】》"
# 中新网福州8月1日电 (记者 龙敏)
_DATELINE: Final = re.compile(
    r"^.{0,24}?(?:电|讯|消息)\s*(?:[（(][^）)]{0,30}[）)])?\s*[，,：:]?\s*(?=[\u4e00-\u9fff\d“《])"
)
_HAS_DATELINE: Final = re.compile(
    r"^.{0,24}?(?:日(?:电|讯|消息)|[社网报](?:讯|电|消息)|(?:电|讯|消息)\s*[（(]\S*?(?:记者|通讯员|编辑))"
)
_REPORTED: Final = re.compile(r"^[^，。]{0,18}?\d+月\d+日(?:消息|报道)，?")
_LEAD: Final = re.compile(
    r"^(?:[（(]\d+[）)]|\d{1,2}[.、．]|[一二三四五六七八九十]+、|[•●▲↑·\-—*#>]+|图[:：])\s*"
)
_HEADLINE: Final = re.compile(r"^(?:原标题|原题|标题)[:：]")


def sentences(text: str) -> list[str]:
    """Sentences of a document, without bylines and boilerplate.

    Args:
        text: Raw text of a web page.
    """
    text = _COMMA.sub(",", text.replace("\u200b", ""))
    for pattern, first in ((_END, 0), (_TAIL, 120)):
        tail = pattern.search(text, min(len(text), first))
        text = text[: tail.start()] if tail else text
    body = _INNER.sub("", _SPACES.sub("\n", text))
    out = [_tidy(piece) for piece in _cut(body)]
    return [piece for piece in out if len(piece) > 5]


def _cut(text: str) -> list[str]:
    """Cut behind terminators that stand outside quotation marks."""
    pieces: list[str] = []
    start = depth = 0
    for i, char in enumerate(text):
        if char in "“「《（(":
            depth += 1
        elif char in "”」》）)":
            depth = max(0, depth - 1)
        if char == "\n" or (char in _ENDINGS and (depth == 0 or i - start > 150)):
            if char != "\n" and i + 1 < len(text) and text[i + 1] in _CLOSERS:
                continue
            pieces.append(text[start : i + 1])
            start, depth = i + 1, 0
        elif char in "”" and depth == 0 and text[i - 1 : i] in ("。", "！", "？"):
            pieces.append(text[start : i + 1])
            start = i + 1
    pieces.append(text[start:])
    return pieces


def _tidy(piece: str) -> str:
    piece = piece.strip().lstrip("，、：；。）)】”’ ")
    return _LEAD.sub("", piece).strip()


def is_headline(sentence: str) -> bool:
    """Whether a headline prefix opens it (the headline runs into the first sentence)."""
    return bool(_HEADLINE.match(sentence))


def without_dateline(sentence: str) -> str:
    """The sentence without the agency's place, date and reporter before it."""
    if _HAS_DATELINE.match(sentence):
        sentence = _DATELINE.sub("", sentence, count=1)
    return _REPORTED.sub("", sentence)


_PRONOUNS: Final = re.compile(
    r"^(?:[他她它我你您咱]|这|那|该|此|其|上述|以上|以下|对此|为此|因此|所以|然而|但|不过|而|并|也|还|又|却|"
    r"于是|随后|之后|随即|接着|最后|最终|同样|例如|比如|如果|若|即|即使|与此|除此|另|再|首先|其次|第[一二三四五]，|"
    r"一是|二是|三是|四是|一方面|另一方面|可见|总之|图|注|或|及|和|等|的|了|着|在此|届时|有的|据此|当时|"
    r"从而|何|同时|后因|后|其后|最终|最大|为什么|怎|谁|哪|如何|原来|只见|看来|有人|文|点击|本文|本报|编者|详见|请|让我们)"
)
_BAD: Final = re.compile(
    r"[？?！!…~～@#|<>{}\[\]→↑↓▲●【】]|http|www|\.com|[我咱您你]|记者.{0,4}摄|供图|摄影|截图|图源|"
    r"图据|/|——|--|"
    r"微信|公众号|摄本|本报|新华社[发图电]|参考消息网|中新网|中新社|日电|讯\d|报道据|"
    r"[\u4e00-\u9fff] +[\u4e00-\u9fff]|"
    r"如下|以下简称|下同|来源|下表|见表|见图|下图|上图|本报记者|什么|是否|吗|呢|编辑|责编|：“|:“|\d{6,}"
)
_ANNOUNCES: Final = re.compile(r"^[^，：]{2,14}(?:提醒|表示|指出|认为|称|宣布|提示|强调)：[^：]+$")
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
_QUOTES: Final = (("“", "”"), ("《", "》"), ("（", "）"), ("(", ")"), ("「", "」"))


def is_claimable(sentence: str, *, shortest: int = 12, longest: int = 110) -> bool:
    """Whether a sentence stands on its own and states something.

    Args:
        sentence: A sentence without its stop.
        shortest: Characters it must have.
        longest: Characters it may have; long ones are shortened later.
    """
    if not shortest <= len(sentence) <= longest or _PRONOUNS.match(sentence):
        return False
    if _BAD.search(sentence) or any(sentence.count(a) != sentence.count(b) for a, b in _QUOTES):
        return False
    if "：" in sentence and not _ANNOUNCES.match(sentence):
        return False
    if sentence[0] == "“" and sentence[-1] == "”":
        return False
    if re.search(r"(?:表示|称|说|指出|介绍|道)$", sentence):
        return False
    if sentence[-1] in "：:，、,的和与及" or '"' in sentence:
        return False
    return len(_CHINESE.findall(sentence)) >= 0.55 * len(sentence)


def bare(sentence: str) -> str:
    """A sentence as a claim: no dateline, no stop, no spaces around."""
    return without_dateline(sentence).strip().rstrip("。；;. ").strip()
