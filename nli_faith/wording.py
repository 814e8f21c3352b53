"""Words that change how much a sentence says: hedges, plans, completion, scope, opposites.

An answer that turns 可能上涨 into 确定上涨, 计划 into 已 or 部分 into 全部 keeps nearly every
character of its source, so neither overlap nor a small model sees much. `check_wording` compares
the words of these classes in a claim with those in the sentence it overlaps most. A hedge told as
a certainty forbids support; the rest decides nothing by itself: a combiner weighs it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


def _any(words: str) -> re.Pattern[str]:
    return re.compile("|".join(sorted(words.split(), key=len, reverse=True)))


#: Class of words -> pattern over folded (simplified, lower-case) text.
WORD_CLASSES: Final[Mapping[str, re.Pattern[str]]] = {
    "hedge": _any(
        "可能 或许 也许 大概 或将 有望 或会 疑似 不排除 估计 倾向 似乎 据传 初步 未必 不一定 "
        r"\bmight\b \bmay\b \bperhaps\b \bpossibly\b \blikely\b"
    ),
    # Not where it is denied: 不确定, 未证实, 尚待确认.
    "certain": re.compile(
        r"(?<![不未待否])(?<!没有)(?:确定|一定(?!程度|比例|数量|的)|必然|肯定|必将|必定|毫无疑问|确认|"
        r"绝对|显然|证实|断定)|\bcertainly\b|\bdefinitely\b|\bconfirmed\b"
    ),
    "plan": _any(
        "计划 拟 将于 将在 预计 打算 准备 筹备 有意 目标 争取 力争 考虑 将会 讨论 建议 草案 "
        r"征求意见 \bplans?\b \bplanned\b \bexpects?\b \bexpected\b"
    ),
    "pending": _any(
        r"尚未 还未 未 仍未 尚待 仍在 正在 还没 暂缓 推迟 待[^遇在] \bpending\b \bnot yet\b"
    ),
    "done": _any(
        r"已 完成了 落地 正式 通过了 实现了 上线了 批准 \balready\b \bcompleted\b \bhas been\b"
    ),
    "all": _any(
        "所有 全部 一律 任何 均(?!价|值|线|衡|匀) 全体 全年 全国 各 整个 一切 每 "
        r"\ball\b \bevery\b \bany\b"
    ),
    "some": _any(
        "部分 个别 少数 一些 大多 多数 主要 若干 有些 某些 近半 试点 "
        r"\bsome\b \bmost\b \bpartly\b"
    ),
    "only": _any(r"仅 只(?!要|是|好) 唯一 只限 \bonly\b"),
    "must": _any("必须 须 应当 需 强制 不得 严禁 禁止 要求 \\bmust\\b \\brequired?\\b"),
    "may": _any(
        "可以 建议 鼓励 允许 自愿 推荐 酌情 无需 不必 \\boptional\\b \\brecommended\\b"
    ),
    "not": _any(r"不 没 未 无 并非 非 否认 拒绝 缺乏 禁止 \bnot\b \bno\b \bnever\b n't\b"),
}  # fmt: skip

#: Class in the sentence -> classes that, where they stand in the claim instead, say more or
#: other than it: of the project's own third-round claims with such a change 8 to 25 in a hundred
#: are supported.
_TURNS: Final[Mapping[str, tuple[str, ...]]] = {
    "hedge": ("certain", "done"),
    "plan": ("done",),
    "pending": ("done",),
    "not": ("done", "plan"),
    "may": ("done", "must"),
    "some": ("all",),
    "only": ("all",),
    "done": ("plan", "pending"),
}

#: Classes that a claim should not bring along on its own (28 in a hundred are supported).
_ADDED: Final = ("certain", "plan", "some")

_OPPOSITE_WORDS: Final = """
增长/下降 增加/减少 上升/下降 上涨/下跌 提高/降低 高于/低于 超过/不足 大于/小于 多于/少于 早于/晚于
之前/之后 最高/最低 最大/最小 最多/最少 盈利/亏损 扩大/缩小 扩大/收窄 净流入/净流出 优于/劣于
赞成/反对 支持/反对 同意/拒绝 通过/否决 收入/支出 进口/出口 买入/卖出 开放/关闭 延长/缩短
提前/推迟 免费/收费 首次/再次 成功/失败 同比/环比 上半年/下半年 上午/下午 公开/保密 有效/无效
必修/选修 至少/至多 以上/以下 境内/境外 国内/国外 白天/夜间 工作日/周末 单独/共同 直接/间接
永久/临时 increase/decrease rise/fall above/below before/after
"""
_OPPOSITES: Final = tuple(tuple(pair.split("/")) for pair in _OPPOSITE_WORDS.split())

_NOT: Final = re.compile(
    r"(并未|尚未|还没有?|从未|没有|并非|并不|不得|不能|不会|不可|不再|不宜|不用|不予|无法|无须|无需|不必|"
    r"不是|不应|未能|未曾|未经|严禁|禁止|拒绝|否认|不|未|没|无|非)"
    r"(?!断|同|少|仅|久|过|论|管|如|足|锈|来|常|线|数|效|机)"
)
_HELPERS: Final = re.compile(r"^(有|会|能|可以?|再|被|得|应|予|要|对|在|将会?)")
# A negation this many characters before a word still belongs to it.
_REACH: Final = 5


@dataclass(frozen=True, slots=True)
class WordingCheck:
    """What changed between a sentence and a claim made from it.

    Attributes:
        turns: Pairs of a word class of the sentence and the class that replaced it.
        shifts: Weaker signs: a class that the claim brings along, an opposite, or a negation
            that the claim leaves out.
    """

    turns: tuple[tuple[str, str], ...] = ()
    shifts: tuple[str, ...] = ()

    @property
    def forbids(self) -> bool:
        """Whether the claim cannot be supported: a hedge told as a certainty.

        None of the 49 such claims in the project's own data and in its probes is supported.
        """
        return ("hedge", "certain") in self.turns


def check_wording(claim: str, sentence: str) -> WordingCheck:
    """Compare a claim's wording with that of the sentence it overlaps most.

    Args:
        claim: Folded text of the claim (`nli_faith.text.fold`).
        sentence: Folded text of the sentence.
    """
    mine = {name for name, words in WORD_CLASSES.items() if words.search(claim)}
    theirs = {name for name, words in WORD_CLASSES.items() if words.search(sentence)}
    gained, lost = mine - theirs, theirs - mine
    turns = tuple(
        (old, new) for old, news in _TURNS.items() if old in lost for new in news if new in gained
    )
    shifts = [f"added:{name}" for name in _ADDED if name in gained]
    shifts += [f"opposite:{old}/{new}" for old, new in _opposites(claim, sentence)]
    shifts += [f"dropped:{word}" for word in _negations_dropped(claim, sentence)]
    return WordingCheck(turns, tuple(shifts))


def _opposites(claim: str, sentence: str) -> list[tuple[str, str]]:
    return [
        (theirs, mine)
        for pair in _OPPOSITES
        for mine, theirs in (pair, pair[::-1])
        if mine in claim and theirs not in claim and theirs in sentence and mine not in sentence
    ]


def _negations_dropped(claim: str, sentence: str) -> list[str]:
    """Words that the sentence negates and the claim has without a negation."""
    found = []
    for match in _NOT.finditer(sentence):
        word = _HELPERS.sub("", sentence[match.end() : match.end() + 5])[:2]
        if len(word) == 2 and _stands_plain(word, claim):
            found.append(word)
    return found


def _stands_plain(word: str, text: str) -> bool:
    places = [m.start() for m in re.finditer(re.escape(word), text)]
    return bool(places) and not any(_NOT.search(text[max(0, at - _REACH) : at]) for at in places)
