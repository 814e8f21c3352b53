"""Lead-ins, source lists and questions: they announce or ask, and assert nothing."""

from __future__ import annotations

import re
from typing import Final

from .chars import EMOJI, either
from .courtesies import CLAUSE_BREAK, STRIP, is_courtesy_clause

_ASKS: Final = re.compile(rf"[？?][？?！!…。.”’」』\"）)】\]\s{EMOJI}]*$")
_ASKED_QUOTE: Final = re.compile(
    r"[^\s“「『\"][：:，,说問问道称喊][：:，,]?[“\"「『][^“”「」]*[？?][”\"」』]"
)
_ASKS_BARE: Final = re.compile(
    r"^(?:(?:请问|为什么|为何|怎么|怎样|如何|什么是|何为|何谓|哪些|哪个|哪种"
    r"|谁)[^，。；！：,;:]{2,40}"
    r"|(?:是否|能否|可否|有没有)[^，。；！：,;:是取决由]{2,40}|[^，。；！：]{1,40}吗)$"
)
_STATES: Final = re.compile(r"(?:取决于|由[^，]{1,16}(?:决定|负责|规定)|是[^，]{2,}的)$")

_CONNECTIVE: Final = re.compile(
    "^"
    + either(
        "综上所述 综上 总之 总的来说 总体来说 总体而言 总体来看 总体上 总而言之 简而言之 简单来说"
        " 简言之 换言之 换句话说"
        " 也就是说 那么 具体来说 具体而言 具体来看 具体如下 具体 首先 其次 再次 最后"
        " 第[一二三四五六七八九十] 此外 另外 同时 因此"
        " 所以 不过 然而 但是 其中 例如 比如 即 另 注意 注 说明 备注 小结 总结 结论 答案 答 回答"
        " 问 解答 解析 分析 概述 补充"
        " 提示 温馨提示 如下所示 如下 如图所示 综合来看 由此可见 一方面 另一方面"
    )
    + r"$|^(?:in (?:summary|short|conclusion|addition|other words)|to summarize|overall"
    r"|first(?:ly)?"
    r"|second(?:ly)?|third(?:ly)?|finally|moreover|however|therefore|for example|specifically"
    r"|note|summary|answer|conclusion)$",
    re.IGNORECASE,
)
_FRAME_STARTS: Final = either(
    "根据 依据 按照 按 基于 结合 参照 参考 综合 针对 关于 对于 至于 有关 就 从 在 据 通过 围绕"
    " 除此之外 除了 为了 为便于"
    " 为方便"
)
_FRAME: Final = re.compile(
    rf"^(?:{_FRAME_STARTS}[^，]{{0,40}}"
    rf"|经过?[^，]{{0,10}}(?:整理|分析|查询|检索|核实|梳理|比对)"
    rf"|[^，]{{0,16}}(?:方面|来看|而言|来说|上看|角度)"
    r"|(?:是的|based on|according to|given|from|in light of|as per|regarding|as for)\b.{0,60})$",
    re.IGNORECASE,
)
_SOURCES: Final = either(
    "材料 资料 文档 上下文 内容 信息 问题 原文 文章 规定 分析 描述 检索结果 知识库 要求 提问 报道"
    " 合同 报告 通知"
)
_FRAME_ALONE: Final = re.compile(
    rf"^(?:根据|依据|按照|按|基于|结合|参照|参考|综合|针对|据)[^，]{{0,24}}{_SOURCES}(?:中|里"
    rf"|内)?$"
    r"|^(?:based on|according to|given)\s+(?:the|your|this|these)\b[^,]{0,50}$",
    re.IGNORECASE,
)
_TOPIC_ALONE: Final = re.compile(r"^(?:关于|至于|对于|针对|有关)[^，。；！？：]{2,30}[，,：:]$")
_UNABLE: Final = re.compile(r"无法|不能|没有|未|不足|难以|can(?:no|')t|not\b")
_ANNOUNCES: Final = re.compile(
    r"^(?:(?:以下|下文|下列|现将|兹将)"
    r"(?:是|为|就是|便是|列出|列举|将|从|我们|我|介绍|整理|给出|提供|简要|分别|按|对|逐一|就|有"
    r"|几点)"
    r"|(?:下面|接下来)(?:是|我们|我|从|为|列出|介绍|给出|简要|分别|逐一|按|就))[^。：:]{0,60}$"
    r"|^[^。：:]{0,40}(?:如下|如下所示|见下表|见下|见下文|如下表|如下图|如下表所示|如下所述)$"
    r"|^(?:here\s+(?:is|are)|here's|below\s+(?:is|are)"
    r"|the following\s+(?:is|are|table|lists?|points?|summary)|let(?:'s| us| me)"
    r"\s+(?:look|see|take|go|start|begin|compare|summarize|break|explain|walk|review|get|explore"
    r"|discuss|list))\b[^:]{0,100}$"
    r"|^[^:]{0,80}\b(?:as follows|listed below|outlined below|described below|shown below)$",
    re.IGNORECASE,
)
_LISTS: Final = re.compile(
    r"以下|如下|下列|下面|包括|包含|涵盖|分为|分别|其中|主要"
    r"|[几两三四五六七八九十0-9][大个点种方条项类步]"
    rf"|(?:有|是|为|有三|有二|有四|有两|要点|方面|步骤|原因|内容|信息|情况|建议|方法|结论|对比"
    rf"|问题|说明|特点|优势)$"
    rf"|{either('说 表示 指出 称 认为 写道 道 问 回答 强调 介绍 补充 告诉记者 提出 规定 显示')}$"
)
# A line before a colon that asserts all the same: 保修期为三年： 主要原因是成本上升：
_NUMBER: Final = r"(?:[0-9０-９][0-9０-９.,，]{0,12}|[零〇一二三四五六七八九十百千两半]{1,6})"
_UNIT: Final = either(
    "元 块 美元 欧元 日元 港元 港币 人民币 角 天 周 小时 分钟 秒"
    " 个月 个工作日 工作日 自然日 人 名 家"
    " 户 台 辆 套 件 次 倍 吨 斤 公斤 千克 克 公里 千米 米 厘米"
    " 毫米 平方米 平方公里 亩 公顷 升 毫升"
    " 度 ℃ % ％ ‰ 岁 折 成 层 栋 座 所 张 瓦 千瓦 伏 字 页 个百分点 亿 万 mg kg km cm mm GB MB TB"
)
_VALUE: Final = re.compile(
    rf"(?:[^第前后后每这那共0-9０-９.]{_NUMBER}[余多]?[百千万亿]{{0,2}}{_UNIT}"
    rf"|(?:为|是|达|满|超过?|不足|约|需要?|限|长达|不超过|至少|最多|最长|于|至)"
    rf"{_NUMBER}[余多]?[百千万亿]{{0,2}}(?:年|月|日|号|时|{_UNIT})半?)"
    r"(?:以[内上下]|左右|之[内间]|不等)?$",
    re.IGNORECASE,
)
_COPULA: Final = re.compile(
    r"(?:(?<![分称作因认以视])为(?![了此您你何主例准什大各])|(?<![就便还或都])是(?![否的以])"
    r"|(?:不支持|不得|不能|不可以|禁止|不提供|不收取|不收|不允许|无需|无须))(?P<rest>[^的]{2,}|.{4,})$"
)
_DONE: Final = re.compile(r"[^，的]{2,}(?:已经?|尚未|仍未)(?!知)[^，的：]{2,}$")
_POINTS_ON: Final = re.compile(
    r"以下|如下|下列|下面|这样|那样|这些|哪|什么|多少|[几两三四五六七八九十0-9][大个点种方条项类步]"
    r"|(?:要点|方面|步骤|原因|内容|信息|情况|建议|方法|结论|对比|问题|说明|特点|优势|包括|有|总结"
    r"|分析|答案|回答|介绍|整理|梳理|清单|列表|名单|情形|条件|流程)$"
)
_POINTER: Final = re.compile(r"^(?:以下|下面|下列|这|此|接下来|现将|上述|它们|即)")
_VERB: Final = re.compile("[是为了于有在]|可以|应|须|已")
_SHORT_LABEL: Final = 12
_EN_LEAD: Final = re.compile(
    r"\b(?:following|below|follows|includes?|including|are|is|was|were|main|key|here|summary"
    r"|points?"
    r"|steps?|reasons?|namely|answer)\b",
    re.IGNORECASE,
)
_HAN: Final = re.compile("[\u3400-\u9fff]")
_DIGIT: Final = re.compile(r"\d")
_REFERENCES: Final = re.compile(
    r"^[（(\[【]?"
    + either(
        "参考 来源 资料来源 信息来源 数据来源 引用 引用来源 出处 参考来源 参考资料 参考文献"
        " 参考文档 参考链接 引文"
        " sources? references? citations?"
    )
    + r"[:：]\s{0,4}(?:(?:文档|材料|资料|片段|来源|段落|上下文|context|document|doc|source|passage"
    r"|chunk)?\s?[\[【]?[0-9一二三四五六七八九十#]{1,3}[\]】]?|https?://\S{1,400}"
    r"|\S{1,80}\.(?:pdf|docx?|md|txt|html?|xlsx?|pptx?)|[、，,;；\s和及与]|and){0,40}[）)\]】]?$"
    r"|^https?://\S{1,2000}$"
    r"|^[（(\[【]?(?:资料|資料|数据|數據|信息|资讯|資訊|图片|圖片|新闻|新聞)?(?:来源|來源|出处|出處|sources?)"
    r"[ ]?[:：][^，。；！？是由占为為自于於在]{1,40}[）)\]】]?[。.]?$",
    re.IGNORECASE,
)
_TRAILING: Final = "，,：:、 "


def is_question(text: str, core: str) -> bool:
    """Whether a sentence asks.

    A sentence that reports a question (他问：“几点开门？”) does not.

    Args:
        text: The sentence.
        core: The same without outer punctuation.
    """
    if _ASKS.search(text[-12:]) is not None:
        return not (text[-1] in '”"」』。' and _ASKED_QUOTE.search(text[-200:]) is not None)
    if _ASKS_BARE.match(core) is None or _STATES.search(core) is not None:
        return False
    return not text.endswith(("。", "！"))


def is_lead_in(text: str, core: str) -> bool:
    """Whether a sentence only introduces what follows, or lists sources.

    Args:
        text: The sentence.
        core: The same without outer punctuation.
    """
    bare = core.rstrip(_TRAILING)
    if _CONNECTIVE.match(bare) or _REFERENCES.match(text):
        return True
    if _FRAME_ALONE.match(bare) and _UNABLE.search(bare) is None:
        return True
    if text.endswith(("：", ":")):
        return _leads_to_list(bare)
    if _TOPIC_ALONE.match(text):
        return True
    clauses = _clauses(core)
    return (
        bool(clauses)
        and _ANNOUNCES.match(clauses[-1]) is not None
        and all(_is_frame(clause) for clause in clauses[:-1])
    )


def _clauses(core: str) -> list[str]:
    stripped = (clause.strip(STRIP) for clause in CLAUSE_BREAK.split(core[:600]))
    return [clause for clause in stripped if clause]


def _leads_to_list(core: str) -> bool:
    """Whether the text before a colon asserts nothing of its own."""
    clauses = _clauses(core)
    if not clauses:
        return True
    if _HAN.search(core) is None:
        short = len(core.split()) <= 4
        return short or (_EN_LEAD.search(core) is not None and _DIGIT.search(core) is None)
    if not all(_is_frame(clause) for clause in clauses[:-1]):
        return False
    last = clauses[-1]
    if _asserts(last):
        return False
    return len(last) <= _SHORT_LABEL or bool(_LISTS.search(last)) or _VERB.search(last) is None


def _asserts(clause: str) -> bool:
    """Whether a clause before a colon gives a value or says what something is."""
    if _VALUE.search(clause) is not None or _DONE.search(clause) is not None:
        return True
    if _POINTER.match(clause) is not None:
        return False
    found = _COPULA.search(clause)
    return found is not None and _POINTS_ON.search(found.group("rest")) is None


def _is_frame(clause: str) -> bool:
    return (
        _FRAME.match(clause) is not None
        or _CONNECTIVE.match(clause) is not None
        or _ANNOUNCES.match(clause) is not None
        or is_courtesy_clause(clause)
    )
