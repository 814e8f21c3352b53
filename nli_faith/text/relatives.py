"""Whether words behind 的 are a subject with its predicate, or an object only.

``无法确定病因的患者占30%`` asserts something about patients: the negation stands in a relative
clause. ``无法确定该药的适用对象`` has a bare object and refuses; so does an embedded question
(``无法确定合同的期限是多少``).
"""

from __future__ import annotations

import re
from typing import Final

from . import grammar
from .chars import either, word_set

_ASKING: Final = re.compile(
    r"是否|能否|可否|有无|如何|怎[么样]|多[少大久长高]|何|哪|什么|几|谁|是不是|有没有|会不会|能不能"
    r"|可不可以|要不要"
)
# Words that begin a predicate when a noun stands before them.
_BEGINNERS: Final = word_set(
    "占 将 将会 由 不得 不能 不可 不可以 不予 不会 不再 不应 不应当 不 应 应当 应该 须 必须 需 需要"
    " 可以 可 会 要 被 得 已 已经 均 都 全部 一律 视为 视同 按"
    " 按照 自动 移交 转交 转入 转 交 交由 归"
    " 归于 属于 属 为 是 有 没有 未 共 共有 超过 达 达到 仅 仅有"
    " 只 只有 只能 增加 增长 减少 下降 上升"
    " 上涨 存在 列入 纳入 进入 退回 退还 取消 终止 失效 无效 作废"
    " 暂停 延期 重新 另行 直接 立即 自行"
    " 统一 通常 往往 一般 大多 多数 越来越 至少 最多 约 近 在 从 向"
    " 对 给 把 能 能够 收取 支付 送 享受"
    " 承担 参加 接受 提交 通过 获得 失去 负责 同样 仍 仍然 也 则 令 使 让 包含 包括 提起 提出 申请"
    " 不计 计入 高达 多达 居 占到 占比 可能 不可能 禁止 允许 免费 分为 来自"
)
_MAY_BEGIN: Final = re.compile(either(" ".join(sorted({word[0] for word in _BEGINNERS}))))
# Somebody as the whole subject: a verb at the end is then a predicate (应聘者淘汰).
_SOMEBODY: Final = frozenset("者人员生客户手方")
_SUBJECT_REACH: Final = 6  # words


def asserts(text: str) -> bool:
    """Whether the words are a noun and what is said of it.

    Args:
        text: What stands behind 的, up to the end of its clause, at most some 40 code points.
    """
    if _ASKING.search(text) is not None:
        return False
    person = any(sign in text for sign in _SOMEBODY)
    if not person and _MAY_BEGIN.search(text, 1) is None:
        return False
    words = grammar.words(text)
    for i in range(1, min(len(words), _SUBJECT_REACH)):
        if words[i].text in _BEGINNERS and (words[i].tag[0] != "n" or i + 1 < len(words)):
            return True
    last = words[-1]
    return len(words) == 2 and words[0].text[-1] in _SOMEBODY and last.tag in ("v", "vi", "vd")
