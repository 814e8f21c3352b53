"""Pairing of brackets and quotation marks on one line, and what a quotation does to a boundary."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .chars import HAN

LONG_QUOTE: Final = 80  # code points; a longer quotation is split inside
LONG_BRACKET: Final = 200

_OPENERS: Final = {
    "（": "(", "(": "(", "〔": "(", "［": "[", "[": "[", "【": "【", "《": "《", "〈": "〈",
    "「": "「", "『": "『", "“": "“", "‘": "‘", "〝": "“", "﹁": "「", "﹃": "『",
}  # fmt: skip
_CLOSERS: Final = {
    "）": "(", ")": "(", "〕": "(", "］": "[", "]": "[", "】": "【", "》": "《", "〉": "〈",
    "」": "「", "』": "『", "”": "“", "’": "‘", "〞": "“", "﹂": "「", "﹄": "『",
}  # fmt: skip
QUOTE_TYPES: Final = frozenset("「『“‘\"'")
_BRACKET: Final = re.compile("[" + re.escape("".join({**_OPENERS, **_CLOSERS}) + "\"'") + "]")
_STRAIGHT_OPEN_BEFORE: Final = re.compile(r"[\s（(\[【《「『“‘，、；：。！？,;:—\-/]|[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Matched brackets and quotes of a line.

    Attributes:
        blocked: Outermost ``(open, close)`` positions that no sentence boundary may cut,
            ascending and disjoint. Quotations over :data:`LONG_QUOTE` are not among them.
        opening: Position of the opener, by position of its closer.
        kind: Type of the pair, by position of its closer.
        straight_openers: Positions where a straight quote opens.
    """

    blocked: list[tuple[int, int]]
    opening: dict[int, int]
    kind: dict[int, str]
    straight_openers: frozenset[int]


def _is_latin(char: str) -> bool:
    return char.isalpha() and char < "\u2e80"


def _is_apostrophe(text: str, at: int) -> bool:
    """Whether a single quote stands between Latin letters or digits (Today’s, 90's)."""
    if at == 0 or at + 1 >= len(text):
        return False
    before, after = text[at - 1], text[at + 1]
    return (_is_latin(before) or before in "0123456789") and _is_latin(after)


def pair(text: str) -> Pairs:
    """Match brackets and quotes with a stack; whatever has no partner is ignored.

    Straight quotes go by parity; a straight single quote opens only where a word may begin, and
    single quotes between Latin letters are apostrophes.

    Args:
        text: One line; time is linear in its length.
    """
    stack: list[tuple[str, int]] = []
    depth: dict[str, int] = {}
    opening: dict[int, int] = {}
    kinds: dict[int, str] = {}
    straight: list[int] = []
    for match in _BRACKET.finditer(text):
        char, at = match.group(), match.start()
        kind = _OPENERS.get(char)
        if kind is None:
            kind = _CLOSERS.get(char)
            if kind is None:  # a straight quote: closes if one is open
                kind = char
                if not depth.get(kind):
                    if char == "'" and not _opens_single(text, at):
                        continue
                    stack.append((kind, at))
                    depth[kind] = 1
                    continue
            if (char == "'" or char == "’") and _is_apostrophe(text, at):
                continue
            if not depth.get(kind):
                continue
            while True:  # openers above the partner have none of their own
                top, opened = stack.pop()
                depth[top] -= 1
                if top == kind:
                    break
            opening[at] = opened
            kinds[at] = kind
            if kind in "\"'":
                straight.append(opened)
        else:
            stack.append((kind, at))
            depth[kind] = depth.get(kind, 0) + 1
    return Pairs(_outermost(opening, kinds), opening, kinds, frozenset(straight))


def _opens_single(text: str, at: int) -> bool:
    if at + 1 >= len(text) or text[at + 1].isspace():
        return False
    return at == 0 or _STRAIGHT_OPEN_BEFORE.match(text[at - 1]) is not None


def _outermost(opening: dict[int, int], kinds: dict[int, str]) -> list[tuple[int, int]]:
    blocked: list[tuple[int, int]] = []
    for close, opened in opening.items():  # by position of the closer: inner before outer
        length = close - opened - 1
        if length > (LONG_QUOTE if kinds[close] in QUOTE_TYPES else LONG_BRACKET):
            continue
        while blocked and blocked[-1][0] > opened:
            blocked.pop()
        blocked.append((opened, close))
    return blocked


# A verb of saying soon after a closing quote: 主持人说。 他在会上表示， said the host.
_SPEECH_END: Final = (  # words that are nouns too count only here
    "(?:[道说說着著]|(?=[他她我你您记記众眾大对對]))?(?=[他她我你您记記众眾大对對道，。,.：:；;！!]|\\Z)"
)
_SAYS_ZH: Final = (
    "(?<!小)(?<!学)(?:说|說)(?!明|法|服|書|书)|表示(?!式)|指出|强调|強調|认为|認為|坦言|透露|介绍|介紹|解释|解釋"
    "|回答|答道|回复|回覆|回应|回應|答复|答覆|补充|補充|写道|寫道|宣布|宣佈|呼吁|呼籲|提醒|感叹|感嘆|感慨|笑道|喊道|叫道|问道|問道|说道|說道"
    "|(?<![名职職号號简簡堪人])(?:称|稱)(?!号|號|呼|为|為|作)|(?<![学學疑访訪顾顧请請])(?:问|問)(?![题題卷世候])|喊|嚷|叫(?!做|作)"
    "|承认|承認|否认|否認|抱怨|反驳|反駁|辩解|辯解|辩称|坦承|直言|断言|斷言|重申|表态|表態|声明称|惊呼|驚呼"
    "|叹道|嘆道|追述|回忆道|回憶道|自嘲|调侃|調侃|打趣|叮嘱|叮囑|嘱咐|囑咐|吩咐|央求|哀求|怒斥|痛斥|呵斥|怒吼|怒骂"
    "|怒罵|嘲笑|嘲讽|嘲諷|埋怨|咕哝|咕噥|喃喃|低语|低語|耳语|附和|应声|應聲|插话|插話|念叨|唠叨|嘮叨|安慰|劝"
    "|勸(?!业|業)|提议|提議|披露|戏称|戲稱|惊叹|驚嘆|嚷嚷|结巴|質問|质问|盘问|盤問|询问|詢問|请求|請求"
    f"|(?:(?<![问問报報应應])答|骂|罵|吼|评价|評價|评论|評論|评说|点评|點評|批评|批評|警告|总结|總結|要求"
    f"|建议|建議|感慨|叹|嘆|吼叫|命令|祝贺|祝賀|道歉|解说|解說|反映|强辩|推测|推測"
    f"|说明|說明|宣称|宣稱|赞|讚|夸|誇){_SPEECH_END}"
    "|告诉|告訴|反问|反問|追问|追問|嘟囔|嘀咕|自语|自語|(?:道|言)(?=[。，,.：:；;！!]|\\Z)"
)
_SAYS_EN: Final = (
    r"\b(?:said|says|say|asked|asks|replied|replies|added|adds|told|wrote|writes|explained|explains"
    r"|noted|notes|answered|shouted|whispered|stated|states|announced|argued|insisted|warned)\b"
)
SAYS: Final = re.compile(
    rf"[^，。！？；：、,.!?;:“”「」『』\"\n]{{0,18}}?(?:{_SAYS_ZH}|{_SAYS_EN})", re.IGNORECASE
)
_SAYS_BEFORE: Final = re.compile(
    r"(?:说|說|道|称|稱|表示|指出|问|問|答|喊|叫|强调|強調|认为|認為|写道|寫道|said|says|asked|replied)"
    r"[ ]?\Z",
    re.IGNORECASE,
)
_HAN_CHAR: Final = re.compile(f"[{HAN}]")


def ends_sentence(text: str, opened: int, after: int, sentence_start: int, stop: str) -> bool:
    """Whether a sentence ends after a quotation whose last sign is a terminator.

    A quotation that a colon or comma introduces ends the sentence. One that opens the sentence
    does unless a verb of saying follows (“可以。”主持人说。). One inside a sentence is a part of
    it, except where ``说“…。”`` stands without a colon.

    Args:
        text: The line.
        opened: Position of the opening quote.
        after: First position behind the closing quote and what belongs to it.
        sentence_start: Position of the sentence's first sign, markup skipped.
        stop: The terminator inside the quote.
    """
    before = text[max(0, opened - 12) : opened].rstrip(" *_")
    if before.endswith(("：", ":", "，", ",")):
        return True
    if opened <= sentence_start:
        return SAYS.match(text, after + _spaces(text, after)) is None
    return stop in "。.｡" and _SAYS_BEFORE.search(before) is not None


def _spaces(text: str, at: int) -> int:
    return 1 if text[at : at + 1] == " " else 0
