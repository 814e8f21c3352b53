"""What kind of answer a question expects, and whether a claim holds one.

The expectation is a rule on question words (多久 -> a duration, 谁 -> a person) and on the aspect
(价格 -> money), as in the answer types of question-answering systems (Li & Roth 2002, "Learning
Question Classifiers": coarse classes abbreviation, entity, description, human, location, number).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from nli_faith.metrics.terms import tagged
from nli_faith.quantities import parse_quantities
from nli_faith.text import fold


class AnswerKind(str, Enum):
    """The kind of answer asked for."""

    WHEN = "when"
    AMOUNT = "amount"
    WHO = "who"
    WHERE = "where"
    WHY = "why"
    HOW = "how"
    YES_NO = "yes_no"
    OPEN = "open"  # what, which, how good, a bare topic: any statement may answer

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Asked:
    """An expectation.

    Attributes:
        kind: What is asked for.
        types: Quantity types that would do, for ``AMOUNT``; empty means any.
        mode: What a claim must hold to say or deny what a yes-no question asks (可以, 要, 有);
            None where it asks for no such thing.
    """

    kind: AnswerKind
    types: frozenset[str] = frozenset()
    mode: re.Pattern[str] | None = None


_ANY: Final[frozenset[str]] = frozenset()
_MONEY: Final = frozenset({"money"})
_DURATION: Final = frozenset({"duration"})
_LENGTH: Final = frozenset({"length", "number", "measure"})
_SHARE: Final = frozenset({"percent", "fraction", "pp", "number", "times"})

# Order matters: the first that fits decides.
_BY_WORDS: Final = (
    (re.compile(r"为什么|为何|为啥|何故|怎么回事|咋回事|什么原因|原因(?:是什么|何在)|缘由|\bwhy\b|\breasons?\b"
                r"|\bcauses?\b"),
     Asked(AnswerKind.WHY)),
    (re.compile(r"多少钱|什么价|多贵|\bhow much does\b|\bhow much (?:is|are|do)\b"),
     Asked(AnswerKind.AMOUNT, _MONEY)),
    (re.compile(r"多久|多长时间|几天|几年(?!级)|几个月|几周|几小时|几分钟|多少[天年](?!级)"
                r"|\bhow long\b"),
     Asked(AnswerKind.AMOUNT, _DURATION)),
    (re.compile(r"何时|什么时[候间刻]|哪[一]?[年天日月]|哪个?(?:年代|世纪|月|季度|季节|时期|朝代)"
                r"|几[点月号日]|几时|"
                r"星期几|多会儿|哪一个年代|什么时间点|\bwhen\b|\bwhat (?:year|date|day|time)\b"),
     Asked(AnswerKind.WHEN)),
    (re.compile(r"百分之几|多少比例|比例是|占比|几成|\bwhat (?:percentage|share|proportion)\b"),
     Asked(AnswerKind.AMOUNT, _SHARE)),
    (re.compile(r"多[长高远宽深厚](?:[^的]|$)|\bhow (?:tall|far|wide|deep|high)\b"),
     Asked(AnswerKind.AMOUNT, _LENGTH)),
    (re.compile(r"多少|几[个名位次家所座条种台辆人件岁倍层度门款页国道支]|多[大重快]"
                r"|\bhow (?:many|much|old|often|big|large|heavy|fast)\b"),
     Asked(AnswerKind.AMOUNT, _ANY)),
    (re.compile(r"谁|何人|(?:找|联系|咨询|通知)(?:哪个部门|什么部门)|哪[一几]?[位名](?!于)|哪个人|什么人|\bwho(?:m"
                r"|se)?\b"), Asked(AnswerKind.WHO)),
    (re.compile(r"哪里|哪儿|何[处地]|什么地[方点]|在哪|从哪|到哪|哪[一]?(?:个)?(?:地区|地方|国家?"
                r"|省|省份|城市|州|县|市|区|大洲|座城市)|"
                r"什么省|\bwhere\b|\bwhich (?:country|city|state"
                r"|province)\b"), Asked(AnswerKind.WHERE)),
    (re.compile(r"如何(?!$)|怎么(?!样|了|回事)|怎样(?!$)|怎(?=[么样]办)|咋|步骤|流程|方法|做法|办法"
                r"|(?:做|采取|注意|准备|检查)(?:些|点|一些)?(?:什么|啥|哪些)"
                r"|攻略|技巧|教程|"
                r"\bhow (?:do|does|can|should|could|to|would|did)\b"), Asked(AnswerKind.HOW)),
    (re.compile(r"(?:吗|(?<![什怎那这多要])么)$|是否|能否|可否|有没有|是不是|能不能|可不可以|会不会|要不要|值不值|好不好"
                r"|行不行|对不对|"
                r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|may"
                r"|must)\b"),
     Asked(AnswerKind.YES_NO)),
)  # fmt: skip
_BY_ASPECT: Final = (
    (re.compile(r"价格|价钱|售价|费用?$|年费|月租|票房|营收|收入|利润|金额|工资|薪|成本"
                r"|注册资[本金]|投入$|房价|\bprice|\bcost|\bfee|\brevenue|\bsalary"),
     Asked(AnswerKind.AMOUNT, _MONEY)),
    (re.compile(r"保修期$|有效期|期限|时长|续航时间"
                r"|\bduration\b"), Asked(AnswerKind.AMOUNT, _DURATION)),
    (re.compile(r"时间$|日期$|\bdate\b"), Asked(AnswerKind.WHEN)),
    (re.compile(r"率$|比例$|占比$|涨幅$|增幅$"), Asked(AnswerKind.AMOUNT, _SHARE)),
    (re.compile(r"人数$|人口$|数量$|销量$|产量$|面积$|长度$|高度$|重量$|尺寸$|功率$|气温$|温度$"
                r"|时速$|速度$|距离$|等级$|\bpopulation\b|\barea\b|\bweight\b"),
     Asked(AnswerKind.AMOUNT, _ANY)),
    (re.compile(r"作者$|创始人$|董事长$|法定代表人$|导演$|主演$|嘉宾$|负责人$|主办方$|\bauthor\b"
                r"|\bfounder\b|\bceo\b"),
     Asked(AnswerKind.WHO)),
    (re.compile(r"地点$|地址$|产地$|所在地$|位置$|\baddress\b"
                r"|\blocation\b"), Asked(AnswerKind.WHERE)),
    (re.compile(r"原因$"), Asked(AnswerKind.WHY)),
)  # fmt: skip

# 运费谁出 asks for a person though 运费 alone asks for an amount.
_WHOEVER: Final = re.compile("谁|为什么|为何|怎么(?!样)|如何|[吗]$")

_WHEN_WORDS: Final = re.compile(
    r"[昨今明前后]天|[去今明前]年|上周|下周|本周|上个?月|下个?月|[春夏秋冬][季天]|世纪|年代|时期"
    r"|[唐宋元明清汉隋秦]朝|朝代"
    r"|年[初底末间]|月[初底末]|周[一二三四五六日末]|星期|期间|[之以]?[前后]$|[早中晚]上|凌晨|上午"
    r"|下午|除夕|春节|国庆|每[天日周月年]"
    r"|工作日|当[场天日]|随时|即[时日]|立[即刻]|马上|到期|\b(?:today|yesterday|tomorrow|january|february|march|april|may|june|july|august"
    r"|september"
    r"|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring"
    r"|summer"
    r"|autumn|winter|century|last (?:year|month|week))\b"
)
_WHY_WORDS: Final = re.compile(
    r"因为|由于|因此|为了|导致|使得|造成|引起|所致|原因|缘于|源于|出于|所以|以便|以免|是因"
    r"|因[^此为]|受[^到]{1,12}影响|归因"
    r"|\b(?:because|due to|since|so that|in order|therefore|as a result|caused by|owing to"
    r"|reason)\b"
)
_WHERE_WORDS: Final = re.compile(
    r"位于|坐落|地处|[省市县区镇乡村州国洲湾岛山路街巷号楼层室港站场院馆厅馆园桥河江湖海]"
    r"|在.{1,16}[里上内中旁边处下]|[东南西北]部|东侧|西侧"
    r"|\b(?:in|at|on|near|located)\s+[a-z]|\b(?:street|road|city|country|avenue)\b"
)
_WHO_WORDS: Final = re.compile(
    r"先生|女士|教授|总统|总理|主席|皇帝|国王|[天女]皇|大帝|将军|博士|总裁|经理|部长|市长|院士"
    r"|书记|校长|主任|导演|·|•|公司|委员会|集团|[他她]"
    r"|学者|人士|政府|军队|家族|[买卖商厂店东]家|[甲乙双买卖资劳供需]方|本人|个人"
    # 由卖方承担: who does it, by its part in the sentence
    r"|由[^，。；]{1,16}?(?:承担|负责|支付|出资|办理|审批|决定|提供|结清|赔偿|保管|主持|担任)"
    r"|(?:拨打|联系|咨询)[^，。；]{0,12}(?:热线|客服|电话|部门)"
)
_CAPITAL: Final = re.compile(r"(?:^|\s)[A-Z][a-z]+")
_HOW_WORDS: Final = re.compile(
    r"首先|然后|接着|最后|第[一二三]步|步骤|通过|使用|利用|打开|点击|选择|设置|进入|登录|下载|安装"
    r"|填写|提交|输入|拨打|携带|前往|联系|办理|申请"
    r"|放入|加入|倒入|切|煮|炒|洗|擦|浸泡|涂|按|先|再|可以|需要|应该?|要|把|将|用|\d[、.．:：]"
    r"|\b(?:first|then|next|finally|click|open|go to|select|press|use|run|by|install|step|submit"
    r"|call)\b"
)
# What a question asks after (可以, 要, 有), a claim that answers it says or denies: 常用于检查 does
# not say whether one may. 不同 and the like deny nothing.
_DENIES: Final = (
    r"(?<![一般])不(?![同仅断久少过管论足])|没|无(?![锡线人])|未(?![来])|否|禁|勿|免|拒|除外|一样"
)
_MODES: Final = (
    (re.compile("可以|可否|可不可以|能|允许|准许|行吗|行不行"),
     re.compile(rf"可(?![见用靠变])|能(?![力量源耗])|允许|准许|得以|支持|须|应当?|必须|限|{_DENIES}")),
    (re.compile("需要|需不需要|要不要|[需要]|必须|得"),
     re.compile(rf"需|要(?!素|求|点)|须|应|必|收|付|交|另|{_DENIES}")),
    (re.compile("有没有|有无|有.*[吗么]$"), re.compile(rf"有(?!效|限|关|利)|含|具|存在|{_DENIES}")),
)  # fmt: skip
_YES_NO_WORDS: Final = re.compile(
    r"是|不|否|可以|能|没有|没|有|支持|允许|需|会|已|未|无|对|行|禁止|值得|必须|应|靠谱|安全|好"
    r"|\b(?:yes|no|not|is|are|can|cannot|does|will|may|must|allowed|supports?)\b|n't\b"
)
_PERSON_TAGS: Final = frozenset({"nr", "nrt", "nrfg", "nt"})
_PLACE_TAGS: Final = frozenset({"ns"})


def asked(text: str, aspect: str = "", clause: str = "") -> Asked:
    """What kind of answer a point expects.

    Args:
        text: The point.
        aspect: Its aspect, if it has one.
        clause: The clause it was cut from, for its question words.
    """
    named = fold(aspect)
    full = fold(text if not aspect else clause or text)
    if named and not _WHOEVER.search(full):
        for pattern, found in _BY_ASPECT:
            if pattern.search(named):
                return found
    for pattern, found in _BY_WORDS:
        if pattern.search(full):
            return _in_mode(found, full) if found.kind is AnswerKind.YES_NO else found
    if not named:
        for pattern, found in _BY_ASPECT:
            if pattern.search(fold(text)):
                return found
    return Asked(AnswerKind.OPEN)


def _in_mode(found: Asked, question: str) -> Asked:
    for asks_for, says in _MODES:
        if asks_for.search(question):
            return Asked(found.kind, found.types, says)
    return found


def fits(expected: Asked, claim: str) -> bool:
    """Whether a claim holds an answer of the kind that is expected.

    Generous by intent: it tells a claim that cannot answer (no duration for 多久), not one that
    does.

    Args:
        expected: From `asked`.
        claim: The claim's text.
    """
    kind = expected.kind
    if kind is AnswerKind.OPEN:
        return True
    text = fold(claim)
    if kind is AnswerKind.WHEN:
        types = {"date", "period", "time", "duration"}
        return _WHEN_WORDS.search(text) is not None or _has_quantity(claim, frozenset(types))
    if kind is AnswerKind.AMOUNT:
        return _amount(expected.types, claim, text)
    if kind is AnswerKind.WHO:
        return _who(claim, text)
    if kind is AnswerKind.WHERE:
        return _WHERE_WORDS.search(text) is not None or _tagged(text, _PLACE_TAGS)
    if kind is AnswerKind.YES_NO and expected.mode is not None:
        return expected.mode.search(text) is not None
    pattern = {
        AnswerKind.WHY: _WHY_WORDS,
        AnswerKind.HOW: _HOW_WORDS,
        AnswerKind.YES_NO: _YES_NO_WORDS,
    }[kind]
    return pattern.search(text) is not None


_FREE: Final = re.compile(r"免费|不收费|无需付费|不要钱|\bfree\b")
_UNTIL: Final = re.compile(r"[至到止]|截止|\b(?:until|till|through|expires?)\b")
_VAGUE: Final = re.compile(
    r"当[场天日]|即[时刻]|立[即刻]|马上|随时|实时|终身|永久|长期|不限|没有限制|一直|\b(?:lifetime|unlimited)\b"
)


def _amount(types: frozenset[str], claim: str, text: str) -> bool:
    if _has_quantity(claim, types):
        return True
    if types == _MONEY:
        return _FREE.search(text) is not None
    if types != _DURATION:
        return False
    # 有效期至2025年3月1日: the end of a span answers for its length.
    until = _UNTIL.search(text) and _has_quantity(claim, frozenset({"date", "period"}))
    return bool(until) or _VAGUE.search(text) is not None


def _has_quantity(claim: str, types: frozenset[str]) -> bool:
    return any(not types or found in types for found in _quantity_types(claim))


@lru_cache(maxsize=4096)
def _quantity_types(claim: str) -> frozenset[str]:
    return frozenset(q.type for q in parse_quantities(claim))


def _who(claim: str, text: str) -> bool:
    if _WHO_WORDS.search(text) or _CAPITAL.search(claim):
        return True
    return _tagged(text, _PERSON_TAGS)


def _tagged(text: str, tags: frozenset[str]) -> bool:
    return any(word.tag in tags for word in tagged(text))
