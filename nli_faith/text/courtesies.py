"""Greetings, thanks, wishes, disclaimers and offers of help: they assert nothing."""

from __future__ import annotations

import re
from typing import Final

from .chars import EMOJI_SIGNS, either

STRIP: Final = " \t\u3000。．.！!～~…*_#>-—“”\"'’‘" + EMOJI_SIGNS
CLAUSE_BREAK: Final = re.compile(r"[，,；;。！!～~](?![0-9])|——")

_YOU: Final = either("您 你 大家 各位 你们 您们 朋友们 朋友 读者")
_VERY: Final = either("非常 十分 很 再次 衷心 最后 真心 也 同时 在此 预 谨")
_HELPING: Final = either("为 帮 给 收到 继续 协助 与 回答 解答 服务")
_REFERENCE: Final = either(
    "内容 信息 资讯 回答 建议 资料 分析 说明 解读 观点 结论 数据 回复 介绍 总结 解答 要点 梳理"
    " 概述 分享 全部 情况 对比"
)
_THANKED: Final = either("阅读 观看 提问 咨询 关注 支持 理解 耐心 配合 惠顾 来信 使用 浏览")
# Each covers a whole clause.
_CLAUSES: Final = (
    rf"{_YOU}?(?:好|早|早上好|上午好|中午好|下午好|晚上好|晚安)[呀啊哦]?",
    r"亲(?:爱的[^，]{0,12})?|尊敬的[^，]{1,14}|嗨|哈喽|哈啰|再见|拜拜",
    rf"我?{_VERY}?(?:高兴|荣幸|乐意)(?:能|可以|能够)?{_HELPING}[^，]{{0,20}}",
    r"(?:好的|收到|明白了?|没问题|当然|当然可以|可以的|好|嗯|ok|okay)[呀啊哦呢]?",
    rf"{_VERY}{{0,3}}(?:感谢|谢谢|多谢|谢)"
    rf"(?:{_YOU}|{_THANKED}(?![^，]*[是占为]))[^，]{{0,20}}",
    r"请问[^，]{0,16}(?:帮|需要|服务)[^，]{0,10}",
    rf"期待(?:{_YOU}|再次|与{_YOU})[^，]{{0,16}}(?:光临|合作|来访|反馈|回复|到来|关注)",
    rf"{_VERY}?(?:感谢|谢谢|多谢)|祝好|(?:关于|对于|针对){_YOU}的(?:问题|提问|咨询|疑问)",
    rf"{_VERY}{{0,2}}(?:祝愿?|愿|恭祝|祝福)"
    rf"(?:{_YOU}|(?:早日|一切|身体|生活|工作|学习|旅途|用餐|阖家|购物|顺利|好运))[^，]{{0,24}}",
    rf"{_VERY}{{0,2}}希望(?:(?:以上|上述|这些|这份|这|本次|我的|本|能|可以|能够)"
    rf"|对?{_YOU})[^，]{{0,24}}"
    rf"{either('帮助 帮到 帮上 有用 参考 解答 满意 解决 喜欢 顺利 助益 启发 价值')}[^，]{{0,20}}",
    rf"希望?(?:能|能够|可以)?(?:对|给){_YOU}[^，]{{0,10}}(?:有所?帮助|有用|提供帮助|带来帮助)",
    rf"(?:(?:以上|上述|本)的?{_REFERENCE}?(?:均|都)?)?(?:仅|只)?供[^，]{{0,6}}参考(?:之用|使用)?",
    rf"(?:本|以上){_REFERENCE}?由(?:ai|人工智能|大模型|智能助手)[^，]{{0,4}}(?:自动)?(?:生成|提供"
    rf"|整理)",
    rf"(?:以上|上述|这|本)?{_REFERENCE}?(?:不构成|不作为|不能替代|不能代替|并非)[^，]{{0,12}}"
    r"(?:建议|意见|诊断|依据|咨询)",
    rf"(?:以上|上述|上面)(?:就|便|即)?(?:是|为)[^，]{{0,40}}{_REFERENCE}了?",
    rf"这些?就是[^，]{{0,30}}全部{_REFERENCE}?了?",
    r"(?:您这|你这|这)?真?(?:是|问)(?:一个|了个|个)?(?:很|非常)?(?:好|棒|有意思"
    r"|有趣)的?(?:一个)?(?:问题|提问)",
    rf"(?:我来|让我|我将|下面我|接下来我|接下来|现在我|那么|我们来|我会)(?:来|将|会)?(?:为|给|帮"
    rf"|向)?{_YOU}?"
    rf"{either('一一 逐一 详细 简单 简要 具体')}?"
    rf"(?:解答|介绍|说明|回答|分析|总结|梳理|整理|看看|解释|讲解|列出|对比|了解)(?:一下"
    rf"|如下)?[^，]{{0,12}}",
    either(
        "加油 辛苦了 不客气 不用谢 别担心 请放心 放心吧 敬请期待 未完待续 以上 谢谢观看 此致 敬礼"
    )
    + r"|[（(]?全?文?完[）)]?",
)
_COURTESY: Final = re.compile("^(?:" + "|".join(_CLAUSES) + ")$", re.IGNORECASE)

_CONTACT: Final = either(
    "联系 咨询 提问 追问 询问 留言 告诉 告知 问 沟通 交流 反馈 说 提出 找 叫 补充 讨论 私信 呼叫"
)
_PLEASE: Final = either(
    "也 都 还 请 您 你 可以 可 欢迎 敬请 记得 就 那么 则 大家 不妨 即可 均可 都可以"
)
_HOW: Final = either("随时 继续 再次 尽管 直接 再 进一步 在评论区")
_US: Final = "(?:我们?)"
_OFFER: Final = re.compile(
    rf"^{_PLEASE}{{0,3}}(?:"
    rf"{_HOW}{{1,2}}(?:地|都)?(?:可以)?(?:(?:与|向|跟|和|给|来){_US}?)?{_CONTACT}[^，0-9]{{0,16}}"
    rf"|(?:与|向|跟|和|给){_US}{_CONTACT}[^，0-9]{{0,16}}"
    rf"|{_HOW}?{either('告诉 告知 问 联系 咨询 私信 呼叫 提醒 找')}{_US}(?:哦|吧|呀|即可|就好)?"
    rf"|{either('提问 追问 留言 垂询 来信 评论 点赞 转发 收藏')}(?:哦|吧|呀|即可)?"
    r")$"
    rf"|^(?:我们?|本助手)"
    rf"(?:都|也|将|会|很|非常|可以|可|随时|十分|愿意|乐意|竭诚|尽力|继续|进一步|再|一定|能|即"
    rf"|便){{1,5}}"
    rf"{either('为 帮 给 协助 提供 解答 在 恭候')}[^，0-9]{{0,24}}$"
)
_IF: Final = either("如果 若是 若 如 假如 倘若 要是 当")
_NEED: Final = either("有 需要 需 想 希望 存在 遇到 碰到 要 感兴趣 不清楚 不明白")
_DOUBT: Final = either(
    "疑问 问题 需求 需要 帮助 想法 疑惑 不明白 不清楚 意见 建议 其他 其它 更多 任何 进一步"
)
_CONDITION: Final = re.compile(
    rf"^{_IF}{_YOU}?[^，0-9]{{0,20}}?{_NEED}[^，0-9]{{0,24}}$"
    rf"|^(?:{_YOU}|还)?(?:还|仍|对[^，]{{0,16}})?有{_DOUBT}[^，0-9]{{0,20}}$"
)
# 如有任何问题请随时告诉我: condition and offer in one clause
_ONE_CLAUSE: Final = re.compile(
    rf"^{_IF}?{_YOU}?(?:还|仍|对[^，]{{0,16}}|关于[^，]{{0,16}})?(?:有"
    rf"|需要?){_DOUBT}[^，0-9]{{0,12}}?"
    r"(?=都可以|可以|可随时|请|欢迎|敬请|随时|也可)"
)
_FACT: Final = re.compile(r"已|应当|必须|不得|超过|达到|(?:拨打|致电|电话)")

_ENGLISH: Final = re.compile(
    r"^(?:(?:hi|hello|hey|dear)(?: \w+){0,2}|good (?:morning|afternoon|evening|day)\b.{0,20}"
    r"|(?:sure|certainly|of course|absolutely|no problem|great question|good question|got it|okay"
    r"|ok"
    r"|you're welcome|you are welcome|my pleasure|welcome|best regards|kind regards|regards"
    r"|sincerely|cheers)(?: thing)?"
    r"|(?:i )?(?:sincerely )?hope (?:this|that|it|these|the above|my)\b.{0,40}"
    r"\b(?:help|helps|helpful|useful|clear|clarifies|answers?|assists?)\b.{0,40}"
    r"|(?:please )?(?:(?:do )?let me know|feel free|don't hesitate|do not hesitate"
    r"|reach out to (?:me|us)|contact us any ?time|just ask|ask away)\b.{0,160}"
    r"|if (?:you|there)\b.{0,100}\b(?:let me know|feel free|hesitate|ask me|reach out|happy to)\b"
    r".{0,100}"
    r"|(?:many )?(?:thanks|thank you)(?: (?:so|very) much| again| a lot)?"
    r"(?: for (?:your|asking|reading|reaching|the question|waiting)\b.{0,50})?"
    r"|have a (?:great|nice|good|wonderful|lovely)\b.{0,30}"
    r"|i(?:'m| am|'d| would|'ll| will) (?:be )?(?:so |very )?(?:happy|glad|here|pleased|delighted"
    r"|more than happy)"
    r" (?:to|i could) (?:help|assist|answer|clarify|provide|explain|elaborate|go)\b.{0,80}"
    r"|happy to (?:help|assist)(?: \w+){0,4}|(?:i wish|wishing) you\b.{0,60}"
    r"|(?:take care|good luck|enjoy|goodbye|bye)(?: \w+){0,3})$",
    re.IGNORECASE,
)
_OPENS: Final = ("（", "(", "【", "[")
_CLOSES: Final = ("）", ")", "】", "]")
_LONGEST: Final = 160


def is_courtesy_clause(clause: str) -> bool:
    """Whether one clause, stripped of outer punctuation, is a courtesy."""
    return _COURTESY.match(clause) is not None


def is_courtesy(core: str) -> bool:
    """Whether every clause of a sentence is a courtesy or the condition of one.

    Args:
        core: A sentence, outer punctuation stripped.
    """
    if len(core) > _LONGEST:
        return False
    if core[:1] in _OPENS and core[-1:] in _CLOSES:  # （以上内容仅供参考）
        core = core[1:-1].strip(STRIP)
    if _ENGLISH.match(core) is not None:
        return True
    found = False
    for raw in CLAUSE_BREAK.split(core):
        clause = raw.strip(STRIP)
        if not clause:
            continue
        if _is_polite(clause):
            found = True
        elif not _CONDITION.match(clause) or _FACT.search(clause):
            return False
    return found


def _is_polite(clause: str) -> bool:
    if _COURTESY.match(clause) or _OFFER.match(clause) or _ENGLISH.match(clause):
        return True
    match = _ONE_CLAUSE.match(clause)
    return match is not None and _OFFER.match(clause[match.end() :]) is not None
