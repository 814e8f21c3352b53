"""Where a word of the lists may be replaced, and where that would break the sentence."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from nli_faith.text.chars import word_set

from .lexicon import BEHIND_WILL, PLANNED, Swap
from .model import Tagged

_NONE: Final[frozenset[str]] = frozenset()


class Guard(NamedTuple):
    """What must not, or must, stand beside a word.

    Attributes:
        not_before: Words that must not stand before it.
        not_behind: Words that must not stand behind it.
        only_behind: Words of which one must stand behind it; any may when empty.
        tags: Parts of speech of which the word itself must have one; any when empty.
        next_tags: Beginnings of which the next word's tag must have one; any when empty.
    """

    not_before: frozenset[str] = _NONE
    not_behind: frozenset[str] = _NONE
    only_behind: frozenset[str] = _NONE
    tags: frozenset[str] = _NONE
    next_tags: tuple[str, ...] = ()

    def allows(self, found: Tagged, i: int) -> bool:
        """Whether the word at an index may be replaced."""
        before, behind = found.word(i - 1), found.word(i + 1)
        if before in self.not_before or behind in self.not_behind:
            return False
        if self.only_behind and behind not in self.only_behind:
            return False
        if self.tags and found.tag(i) not in self.tags:
            return False
        return not self.next_tags or found.tag(i + 1).startswith(self.next_tags)


_ADVERB: Final = Guard(
    not_before=word_set("的 有 很 都 也 非常 而 唯一 不太 极"),
    not_behind=word_set("会 是 的 性 将 有 被 存在 地 在"),
    tags=word_set("v d a c ad"),
)
_SEEN: Final = word_set("看出 看到 看见 见 说 想象 预见 理解 知 谓 以 发现 是")
_AUXILIARY: Final = Guard(
    not_before=word_set("才 只 就 都 最 也 还 更 仅 不仅 才能 均 即 便 又 既"),
    not_behind=_SEEN,
    tags=word_set("v d"),
    next_tags=("v", "p", "d"),
)
_DONE: Final = Guard(
    not_before=word_set("均 都 也 却"),
    not_behind=word_set("来 有 能 被 是 必 遂 果"),
    next_tags=("v", "p", "d"),
)
_DEED: Final = Guard(
    not_before=word_set("按照 根据 符合 达到 的 按 原 该 此 这一"),
    not_behind=word_set("的 在 中 书"),
    tags=word_set("v"),
)

GUARDS: Final[dict[str, Guard]] = {
    "将": Guard(only_behind=PLANNED | BEHIND_WILL),
    "已": Guard(
        not_before=word_set("均 都 早 而 也 虽"),
        not_behind=word_set("是 有 被 经 成为 于 为 不 无 连续 超"),
    ),
    "已经": Guard(not_before=word_set("均 都 早 也"), not_behind=word_set("是 有 被 不 连续 成为")),
    "或": Guard(
        only_behind=word_set("达 影响 导致 推出 增加 减少 采用 搭载 面临 超 上涨 下跌 引发 成为")
    ),
    "无": Guard(not_before=word_set("有 毫 从"), next_tags=("n",)),
    "未": _DONE,
    "仍": _DONE,
    "曾": _DONE,
    "主要": Guard(only_behind=word_set("从事 负责 用于 生产 面向 集中 分布 包括 由")),
    "第一": Guard(not_behind=word_set("时间 线 书记 阶段 批 步 个")),
    "第二": Guard(not_behind=word_set("天 日 阶段 批 步 个")),
    "全球": Guard(not_behind=word_set("首款 首个 首次 首家 首台 最大 最高 最 第一 首")),
    "全国": Guard(
        not_behind=word_set("首款 首个 首次 首家 首台 最大 最高 最 第一 首 人大 政协 人大代表")
    ),
    "不再": Guard(not_before=word_set("将 将会 会 也 都")),
    "严重": Guard(not_behind=word_set("违纪 违法 违反")),
    "支持": Guard(tags=word_set("v"), not_before=word_set("激励 技术 资金 政策")),
    "有": Guard(
        not_before=word_set("还 都 也 只 仅 所 具 共 则 更 最"),
        not_behind=word_set("关 利 效 力 序 望 人 些 着 意"),
        next_tags=("n", "a"),
    ),
    "没有": Guard(not_behind=word_set("什么 任何 那么 一个")),
    "是": Guard(
        not_before=word_set(
            "不 就 都 也 还 仍 而 但 只 更 正 便 则 均 才 特别 尤其 可能 ， 凡 又 既 或 如果 这"
        ),
        not_behind=word_set("因为 由于 否 一 一种 一个 为"),
        next_tags=("n", "m", "j", "b"),
    ),
    **dict.fromkeys(word_set("会 能 可 需 可以 必须 应当 应 不能 不会"), _AUXILIARY),
    **dict.fromkeys(word_set("可能 一般 基本 完全 普遍 部分 全面"), _ADVERB),
    **dict.fromkeys(word_set("通过 提供 影响 涉及"), Guard(tags=word_set("v"), not_before=_NONE)),
    **dict.fromkeys(word_set("计划 拟 打算 准备 建议 要求 希望 鼓励 呼吁 争取 试图 尝试"), _DEED),
}

# A noun made with the word behind it: 增长率, 开放性.
_NAME_ENDS: Final = frozenset("潮率点值性者型式化期力额区局员极线日炉源币权案体版感类别制园带岸")
_NEGATORS: Final = word_set(
    "不 未 没 没有 非 无 并非 是否 未曾 不再 不会 不能 尚未 无法 难以 避免 防止 从不 绝不 并未"
)
_CLINGS: Final = word_set("并 都 从 毫 还 却 但 而 也 均 尚")
_UNREAL: Final = word_set(
    "尚未 将 即将 不会 从未 计划 拟 有望 预计 未获得 未完成 未发现 未参加 未参与 必须 可以 应当"
)
_PLANS: Final = word_set("计划 拟 有望 预计 即将")
_COUNTED: Final = word_set("人数 者 率 时间 资格 情况 人员 方式 条件")
_TOLD: Final = re.compile(r"协调|组织|让|请|号召|要求|安排")


def allows(found: Tagged, i: int, swap: Swap) -> bool:
    """Whether a swap leaves a sentence that reads well and says something else.

    Args:
        found: A claim.
        i: Index of the word.
        swap: What would replace it.
    """
    before = found.word(i - 1)
    if before in _NEGATORS or before.endswith(("不", "没")):
        return False
    if swap.old.startswith(("不", "未", "没", "无")) and before in _CLINGS:
        return False
    if swap.old in GUARDS and not GUARDS[swap.old].allows(found, i):
        return False
    return _unreal(found, i, swap) and _denial(found, i, swap) and _opposite(found, i, swap)


def _unreal(found: Tagged, i: int, swap: Swap) -> bool:
    """What is planned or not done has no 了; only deeds are planned."""
    if swap.new in _UNREAL and "了" in (found.word(i + 2), found.word(i + 3)):
        return False
    return swap.new not in _PLANS or found.word(i + 1) in PLANNED


def _denial(found: Tagged, i: int, swap: Swap) -> bool:
    if swap.kind != "negation":
        return swap.new not in ("所有", "全部") or found.tag(i + 1) != "m"
    if swap.old == "没有":
        return (swap.new == "有") == found.tag(i + 1).startswith("n")
    if swap.old == "有":
        return found.tag(i - 1).startswith(("n", "r", "j", "f", "s")) and len(found.word(i + 1)) > 1
    if swap.old == "是":
        return found.tag(i - 1).startswith(("n", "j", "eng")) and found.text[-1] != "的"
    if swap.new.startswith("未") and _in_modifier(found, i):
        return False
    return not (swap.new.startswith("不") and len(swap.old) > 1 and _phrase_before(found, i))


def _in_modifier(found: Tagged, i: int) -> bool:
    """Whether a verb stands before 的 in its clause, or has no name or noun before it."""
    clause = found.text[found.words[i].start :].split("，")[0]
    if _TOLD.search(found.text) or found.word(i + 1) in _COUNTED or "的" in clause:
        return True
    return not found.tag(i - 1).startswith(("n", "j", "r"))


def _phrase_before(found: Tagged, i: int) -> bool:
    """Whether a prepositional phrase stands before a verb in its clause (向…提供)."""
    for word in reversed(found.words[:i]):
        if word.text[0] in "，；：":
            return False
        if word.tag == "p":
            return True
    return False


def _opposite(found: Tagged, i: int, swap: Swap) -> bool:
    if swap.kind not in ("antonym", "comparison"):
        return True
    single = len(swap.old) == 1
    if single and (found.tag(i + 1) == "vn" or found.tag(i - 1).startswith("v")):
        return False
    if found.word(i + 1)[:1] in _NAME_ENDS or swap.new in found.text:
        return False
    if swap.old in ("继续", "停止") and "下去" in found.text:
        return False
    return found.text.count(swap.old) == 1
