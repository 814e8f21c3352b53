"""Refusals in Chinese: sentences that only say that the material does not answer.

What tells them from content is the subject of the negation. ``材料未提供价格`` is about the
material handed to the answerer; ``合同未提供质保期`` and ``该公司未提及裁员`` are about the
subject matter and assert something. A sentence is read clause by clause; one that also asserts
something (``材料未提供价格，但说明了保修期``) is no refusal.
"""

from __future__ import annotations

import re
from typing import Final

from . import relatives
from .chars import EMOJI_SIGNS, either
from .refusals_en import refuses as _refuses_en

# Words for what the answerer was given count at the beginning of a clause or behind these
# qualifiers only, so that 申报材料 and 施工材料 stay subject matter.
_BEFORE: Final = either(
    "由于 因为 因 但是 但 不过 然而 而 且 可 只是 同时 另外 此外 目前 当前 现阶段 由 在 从 就 据"
    " 依 凭 仅凭 仅从 仅"
    " 单凭 单从 根据 依据 按照 按 基于 结合 参照 查阅 翻阅 浏览 检索 对照"
)
_THESE: Final = either("这些 这份 几份 全部 所有 上述 以上 该 本 此 各")
_GIVING: Final = either(
    "提供 给出 给定 给 检索到 检索出 检索 搜索到 召回 获取到 获取 掌握 收到 看到 得到 参考 引用"
    " 背景 相关 已知 现有 已有"
    " 有限 可用 公开 输入 公布 查到"
)
_GIVEN: Final = (
    f"{_BEFORE}?了?{either('您 你 我们 我 用户 系统 本次 这次')}?"
    f"(?:所|已|目前|当前|现有|现|上面|上述|以上|前述|此前)?{_THESE}?{_GIVING}?(?:的"
    f"|到的)?{_THESE}?"
    f"{either('相关 参考 背景 有关 具体 有限 现有 已有')}?的?"
)
_ALONE: Final = either(
    "材料 资料 文档 上下文 语料 原文 文中 正文 本文 文章 知识库 检索结果 搜索结果 查询结果 片段"
    " 段落 报道 文献"
    " (?:检索|参考|文本|文档|材料|资料)内容 (?:背景|参考|上下文|检索)信息"
)
# 信息 and 内容 alone do not say whose they are.
_OWNED: Final = (
    f"{either('您 你')}?{either('所 已 现有 已有 目前 当前 上述 以上 有限 已知 现 给定')}?"
    f"(?:提供|给出|给定|给|掌握|获取|检索到|检索|搜索到|已知|已有|现有|可用|有限|上述|以上|目前"
    f"|当前|公开)"
    f"的?(?:相关|有限)?的?{either('信息 资讯 内容 文字 文本 文件 数据 背景 对话 网页 结果 段落')}"
)
SOURCE: Final = (
    f"(?:{_GIVEN}(?:{_ALONE}|{_OWNED})(?:[一二三四五六七八九十0-9]{{1,2}})?"
    f"{either('当中 之中 里面 本身 来看 来说 而言 部分 中 里 内 上')}?(?:内容|信息)?)"
)
# Papers that may be subject matter: they count only where "relevant information" is missing.
_PAPER: Final = rf"{_BEFORE}?{_THESE}?{either('文件 文章 报告 手册 通知 网页 页面')}(?:中|里|内)?"
_FILLER: Final = either(
    "也 并 均 都 还 尚 暂时 暂 目前 似乎 好像 可能 仍 却 其实 确实 实际上 则 里 中 对此 对其 完全"
    " 只 就此"
)
_NOT: Final = either("没有 没 未能 未曾 未 不曾 并无 毫无 无 缺乏 缺少 不 只字未 并非")
_HOW: Final = either(
    "直接 明确 具体 详细 明示 进一步 清楚 清晰 单独 专门 完整 充分 准确 任何 更多 足够 相关 给出"
    " 作出 做出 对 作 做"
)
_STATE: Final = either(
    "提供 提及 提到 提过 提 说明 说 给出 涉及 包含 披露 记载 记录 明确 指出 描述 介绍 列出 列明"
    " 包括 交代 显示 写明 写 注明"
    " 体现 标明 标注 透露 讨论 阐述 阐明 涵盖 解释 回答 公布 讲 谈及 谈到 论述 载明 表明 反映"
    " 覆盖 支持 述及"
)
_INFORMATION: Final = either(
    "信息 资讯 内容 说明 描述 数据 资料 记录 答案 依据 介绍 细节 线索 解释 提及 证据 材料 记载"
    " 表述 论述 文档 片段 结果 上下文 规定"
)
_UNABLE: Final = either("无法 不能 没法 没有办法 难以 不足以 无从 未能 不可能")
_KNOW: Final = either(
    "确定 确认 回答 判断 得知 获知 知晓 知道 给出 得出 推断 推知 推算 计算 作答 解答 答复 核实"
    " 了解 获悉 断定 判定 推测"
    " 评估 看出 准确 明确 直接 据此 从中 进一步 提供 支持 算出 说明 找到 做出 作出 比较 完整 查证"
    " 验证 证实 具体 为您 为你"
    " 继续 可靠 有效 对 就 判别 考证 查到 进行"
)
_ANSWER: Final = either(
    "确定 确认 回答 判断 得知 获知 知晓 知道 作答 解答 答复 断定 判定 推断 推知 推算 推测 计算"
    " 核实 评估"
    " (?:给出|得出|提供)(?:答案|回答|结论|准确|具体|明确|确切|相关信息) (?:做|作)出判断"
)
_TOPIC: Final = "(?:(?:关于|至于|对于|针对|有关|就)[^，；]{0,40}?)"
_ME: Final = either("我们 我 本助手")
_FIND: Final = either("找到 检索到 查到 查询到 搜索到 搜到 获取到 获取 获得")

_PATTERNS: Final = (
    # 材料(中)没有说明… / 关于价格材料未提供
    rf"^{_TOPIC}?{SOURCE}{_FILLER}{{0,3}}{_NOT}{_FILLER}?{_HOW}{{0,2}}地?{_STATE}",
    # 价格未在材料中提及
    rf"{_NOT}(?:在|于){SOURCE}{_FILLER}?{_HOW}?{_STATE}",
    # 这一点在材料中没有得到说明
    rf"(?:在|于){SOURCE}{_FILLER}?{_NOT}(?:得到|获得|被|有)?{_HOW}?{_STATE}",
    # 材料中没有(关于…的)信息 / 在资料里找不到相关内容
    rf"^{_TOPIC}?我?{SOURCE}{_FILLER}{{0,3}}"
    rf"(?:(?:没有|并无|无|暂无|缺乏|缺少|找不到|查不到|不存在|不包含|不含|未见)|(?:未能?|没有?"
    rf"|无法){_FIND})"
    rf"[^，；]{{0,40}}{_INFORMATION}",
    rf"^{_PAPER}(?:没有|并无|无|未见|找不到)(?:任何)?(?:相关|有关|该|此"
    rf"|对应)[^，；]{{0,8}}{_INFORMATION}",
    # 根据材料(中的内容)无法确定…
    rf"^{_TOPIC}?{SOURCE}[^，；]{{0,12}}{_UNABLE}[^，；]{{0,6}}{_KNOW}",
    # (我)无法从材料中找到…
    rf"^(?:{_ME}|也|并|还|目前|暂时){{0,3}}{_UNABLE}{SOURCE}",
    # 现有资料不足(以)…
    rf"^{SOURCE}{_FILLER}{{0,2}}(?:不足|有限|不够|不充分|不完整)(?:以|$)",
    rf"^(?:目前|当前|现有|已有|给定|提供的|相关|可用){{0,2}}的?(?:信息|资讯|资料|材料|上下文"
    rf"|内容)"
    rf"{either('还 尚 并 明显')}?(?:不足|有限|不够|不充分)(?:以|$)",
    # (我)没有找到相关信息
    rf"^(?:{_ME}|目前|暂时|现在|这里|此处|{_FILLER}){{0,3}}"
    rf"{either('没有 没 未能 未 无法 尚未 暂未 并未 不能')}(?:在[^，；]{{0,20}}?)?"
    rf"{_FIND}[^，；]{{0,24}}(?:信息|资讯|内容|资料|答案|依据|文档|记录|说明|结果|数据|材料)",
    # 没有足够的信息来回答 / 暂无相关资料
    rf"^(?:{_ME}|这里|目前|{_FILLER}){{0,3}}{either('没有 暂无 无 缺乏 缺少 并无')}"
    rf"(?:足够|充分|充足|相关|具体|明确|任何|进一步|直接|更多|有关|可靠|对应"
    rf"|匹配){{1,3}}的?[^，；]{{0,16}}?"
    rf"{either('信息 资料 内容 材料 上下文 依据 答案 文档 检索结果 结果 说明')}"
    rf"(?:{either('可以 来 能 可 供 以 支持 用于 显示 表明 说明')}[^，；]{{0,16}})?$",
    # (我)无法回答
    rf"^(?:{_ME}|作为[^，；]{{0,20}}|(?:因此|所以|故|从而|因而|就此|对此|从中|据此|由此|暂时|目前"
    rf"|现在)"
    rf"|{either('也 均 都 并 还 确实 实在')}){{0,4}}{_UNABLE}"
    rf"(?:为您|为你|给您|给你|据此|从中|由此|准确|直接|进一步|明确|具体|完整|就此|对此|继续|可靠"
    rf"|有效){{0,2}}地?{_ANSWER}",
    # 我不知道
    rf"^{_ME}{either('也 并 还 暂时 目前 确实 真的')}{{0,2}}"
    rf"(?:不知道|不清楚|不了解|不确定|不掌握|不知晓|不具备|不太清楚|不太确定|不太了解|没有能力"
    rf"|没有办法|没有权限)",
    rf"^{_ME}{either('也 并 还 暂时 目前 确实 真的')}{{0,2}}(?:不能|无法|没法|没有办法)"
    rf"{either('提供 给出 回答 告诉 确定 判断 进行')}",
    r"^(?:(?:不知道|不清楚|不了解|不确定|未知|未提及|未提到|未提供|未说明|没有提到|没有提及"
    r"|没有说明|没提到|没说)"
    "|无可奉告|无从得知|不得而知)$",
    # 没有提及…, without a subject
    rf"^(?:并|均|都|也|尚|暂)?(?:未|没有|没|只字未){_HOW}{{0,2}}(?:提及|提到|提$|说明|涉及|谈及"
    rf"|谈到)",
    rf"(?:超出|不在|超过)了?(?:{_ME}|材料|资料|文档|知识库|上下文)[^，；]{{0,14}}(?:范围|能力)",
    # 这个问题无法回答
    rf"^(?:答案|相关信息|该信息|此信息|这一信息|这一点|该问题|这个问题|此问题|具体信息"
    rf"|详情)(?:在[^，；]{{0,12}})?"
    rf"{either('并 均 也 尚 暂')}?(?:未|没有|无法|不能)(?:被)?(?:直接|明确|具体)?"
    rf"{either('提及 提到 提供 说明 给出 得到 回答 确定 判断 得知')}",
)
_REFUSAL: Final = re.compile("|".join(_PATTERNS))
# 无法确认身份的旅客不得登机: what the negation describes, if more than an object follows 的.
_RELATIVE: Final = re.compile(
    rf"^(?:{_UNABLE}|{_NOT})(?:被|得到|直接|明确|准确|具体|完整|进一步)?(?:{_KNOW}|{_FIND}"
    rf"|{_STATE}(?!该|此|这|其|您|你|上述|以上|本|我))[^，；的]{{0,16}}(?:的|之(?=[处款人]))"
    r"(?P<rest>(?!是)[^，；的]{3,40})"
)
# 材料未提及的费用由乙方承担, whatever stands before the negation
_RELATIVE_VERB: Final = re.compile(
    rf"(?:{_NOT}{_HOW}{{0,2}}{_STATE}|{_UNABLE}{_HOW}{{0,1}}{_ANSWER})的"
    r"(?P<rest>(?!是)[^，；的]{3,40})"
)
# Behind a frame such as 根据材料， a clause without a subject of its own, or on a topic.
_AFTER_FRAME: Final = re.compile(
    rf"^{_FILLER}{{0,2}}(?:{_NOT}{_HOW}{{0,2}}{_STATE}|(?:未能?|没有?|无法){_FIND}"
    rf"|(?:没有|暂无|无|缺乏|并无|找不到)(?!(?:任何)?证据)[^，；]{{0,30}}{_INFORMATION})"
    rf"|{_UNABLE}[^，；]{{0,6}}{_KNOW}"
    r"|(?:不清楚|不明确|不得而知|不可知|无从得知|未知|不确定|不详)$"
)
# Behind a refusal: 也未提及… / 以及是否收费
_CONTINUES: Final = re.compile(
    rf"^(?:也|亦|更|且|并且|并|同时|还|均|都|又|而且){_FILLER}{{0,2}}{_NOT}{_HOW}{{0,2}}{_STATE}"
    rf"|^(?:以及|或者|或|和|还是|并且|包括|如|例如|比如|即|特别是|是否|能否|会否|有无|何时|如何"
    rf"|怎样|多少|哪)"
    rf"|{_UNABLE}[^，；]{{0,6}}{_KNOW}|(?:不清楚|不得而知|未知|不确定)$"
)
_FRAME: Final = re.compile(
    rf"^{SOURCE}$|^{either('根据 依据 按照 基于 结合 从 就 综合 针对')}[^，；]{{0,24}}"
    rf"(?:材料|资料|文档|上下文|信息|内容|来看|而言|来说|看来|检索结果|原文|知识库|文章|段落"
    rf"|片段)$"
)
_AS_ASSISTANT: Final = re.compile(
    r"^作为[^，]{0,16}(?:助手|助理|模型|机器人|系统|AI|人工智能)$", re.IGNORECASE
)
_TOPIC_CLAUSE: Final = re.compile(
    "^" + either("关于 至于 对于 对此 针对 有关 就 您问的 你问的 您提到的")
)
_APOLOGY: Final = re.compile(
    rf"^{either('非常 十分 很 真的 真 实在 深感 感到')}{{0,2}}"
    rf"{either('抱歉 对不起 遗憾的是 遗憾 不好意思 可惜的是 可惜')}地?$"
)
_AFTER_APOLOGY: Final = re.compile(
    rf"^(?:{_ME}|目前|暂时|还|也|并){{0,2}}(?:{_UNABLE}|没有|未能|不知道|不清楚)"
)
_CONNECTIVE: Final = re.compile(
    "^"
    + either(
        "因此 所以 故而 因而 从而 于是 不过 但是 但 然而 而 同时 此外 另外 也就是说 换言之 总之"
        " 综上所述 综上 其中 此处 其"
    )
)
ADVICE: Final = re.compile(
    rf"^{either('因此 所以 故 不过 但 同时 另外 此外 最好 必要时 也 还')}{{0,2}}"
    rf"(?:建议|推荐|请|可以|可(?!以)|需要|需|应|欢迎|不妨)?(?:您|你|大家|读者|用户)?"
    rf"{either('可以 可(?!以) 需要 最好')}?[^，；。]{{0,16}}?"
    rf"(?:咨询|联系|查阅|查询|查看|参考|参照|访问|关注|致电|拨打|核实|确认|提供更多|补充|询问"
    rf"|了解|搜索|官方|官网|为准|换一?个|重新|稍后)"
)
_ADVICE_START: Final = re.compile(
    rf"^{either('因此 所以 故 不过 但 同时 另外 此外 最好 必要时 也 还')}{{0,2}}"
    rf"{either('建议 推荐 请 可以 可 您可 你可 需要 应 欢迎 不妨')}"
)
_CONDITION: Final = re.compile(
    f"^{either('如果 若 如 假如 倘若 要是 一旦')}{either('您 你 还 有 需 想 要 能 可 仍 希望 确')}"
    f"|^以{either('便 免 获取 获得 确认 了解 得到 确保')}"
)
_BREAK: Final = re.compile(r"[，,；;。！!：:](?![0-9])|——")
_HINT: Final = re.compile(r"[未没无不缺难超]|有限")
# 目前尚无法确定… is how the news reports; without a frame or apology it is content.
_NEWS: Final = re.compile(r"^(?:目前|现在|当前|暂时)?(?:尚|仍|还|依然|仍然)(?:无法|不能|难以)")
_STRIP: Final = ' 。！!？?～~"（）()' + EMOJI_SIGNS
_REACH: Final = 600


def is_refusing(sentence: str) -> bool:
    """Whether a sentence refuses and asserts nothing.

    Args:
        sentence: One sentence as :func:`~nli_faith.text.normalize.model_text` gives it; a
            sentence over 600 code points is judged by its beginning.
    """
    if _HINT.search(sentence) is not None and _refuses(sentence[:_REACH]):
        return True
    return _refuses_en(sentence[:_REACH])


def is_advice(sentence: str) -> bool:
    """Whether a sentence sends the reader elsewhere (建议咨询客服): no claim behind a refusal."""
    return _ADVICE_START.match(sentence) is not None and ADVICE.match(sentence) is not None


def _refuses(sentence: str) -> bool:
    refuses = framed = sorry = False
    for raw in _BREAK.split(sentence):
        clause = raw.strip(_STRIP)
        bare = _CONNECTIVE.sub("", clause)
        if len(bare) < 2:
            continue
        if _APOLOGY.match(bare):
            sorry = True
        elif _refusing_clause(clause, bare, framed=framed, sorry=sorry, refuses=refuses):
            refuses = True
        elif _FRAME.match(bare) or _AS_ASSISTANT.match(bare):
            framed = True
        elif not (_TOPIC_CLAUSE.match(bare) or _CONDITION.match(bare) or is_advice(bare)):
            return False
    return refuses


def _refusing_clause(clause: str, bare: str, *, framed: bool, sorry: bool, refuses: bool) -> bool:
    if _is_relative(bare):
        return False
    if _NEWS.match(bare) and not (framed or sorry or refuses):
        return False
    if _REFUSAL.search(bare) or _REFUSAL.search(clause):
        return True
    if framed and _AFTER_FRAME.search(bare):
        return True
    if sorry and _AFTER_APOLOGY.match(bare):
        return True
    return refuses and _CONTINUES.search(clause) is not None


def _is_relative(clause: str) -> bool:
    """Whether the negation only describes the subject (无法确认身份的旅客不得登机)."""
    if "的" not in clause and "之" not in clause:
        return False
    found = _RELATIVE.match(clause) or _RELATIVE_VERB.search(clause)
    return found is not None and relatives.asserts(found.group("rest"))
