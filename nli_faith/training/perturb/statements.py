"""A question and its answer made into a statement: the answer takes the question word's place.

Chinese keeps word order in questions, so the statement reads well and, as people wrote the
question in their own words, it is a natural rephrasing of the passage.
"""

from __future__ import annotations

import re
from typing import Final

_KIND_NOUN: Final = (
    r"(?:年份|年|月份|月|天|日期|日|时候|时间|国家|国|省份|省|城市|市|地区|地方|地点|地|人物|人|"
    r"位|个[\u4e00-\u9fff]{1,2}|种[\u4e00-\u9fff]{1,3}|部[\u4e00-\u9fff]{1,2}|家[\u4e00-\u9fff]{1,3}|"
    r"所[\u4e00-\u9fff]{1,2}|条[\u4e00-\u9fff]{1,2}|支[\u4e00-\u9fff]{1,2}|本书|座[\u4e00-\u9fff]{1,2}|"
    r"场[\u4e00-\u9fff]{1,2}|项[\u4e00-\u9fff]{1,2}|片[\u4e00-\u9fff]{1,2}|条[\u4e00-\u9fff]{1,2})"
)
_WHAT_NOUN: Final = (
    r"(?:时候|时间|日期|地方|地点|名称|名字|人物|人|职务|职位|国家|城市|机构|组织|单位|公司|学校|"
    r"语言|文字|民族|动物|植物|物质|材料|作品|书|奖项|奖|比赛|颜色|方式|方法|疾病|病|罪名|罪)?"
)
_WH: Final = re.compile(
    rf"在?(?:哪里|哪儿|何处|何地)|哪一?{_KIND_NOUN}|哪些[\u4e00-\u9fff]{{1,3}}|哪些|"
    rf"(?:几|何)(?:年|月|日|时|人)(?:几[月日])*|多少|几|谁|什么{_WHAT_NOUN}|何种|何物"
)
_NO_STATEMENT: Final = re.compile(
    r"为什么|为何|怎么|怎样|如何|原因|吗|是否|是不是|有没有|能不能|还是|多[久长高大远重深]|"
    r"请问|请|意思|什么样|什么的|什么用|为什|几乎|什么特|怎|哪些"
)
_TAIL: Final = re.compile(r"[？?。！!\s呢啊呀]+$")
_BROKEN: Final = re.compile(r"[，,。；;：:！!？?\n\[\]×]")


def statement(question: str, answer: str) -> str | None:
    """The statement that an answer makes of a question, or None where no rule is sure.

    Args:
        question: A question with one question word.
        answer: A short answer, a phrase of the passage.
    """
    question, answer = _TAIL.sub("", question.strip()), answer.strip().rstrip("。，,. ")
    if _NO_STATEMENT.search(question) or _BROKEN.search(answer):
        return None
    if not 1 <= len(answer) <= 24 or not 8 <= len(question) <= 60:
        return None
    found = list(_WH.finditer(question))
    if len(found) != 1:
        return None
    match = found[0]
    before, word, after = question[: match.start()], match.group(), question[match.end() :]
    if word in ("多少", "几"):
        return _counted(before, after, answer)
    if not _fits(word, answer):
        return None
    if word.startswith("在") and answer.startswith(("在", "于")):
        return _joined(before, answer, after)
    return _joined(before + ("在" if word.startswith("在") else ""), answer, after)


def _counted(before: str, after: str, answer: str) -> str | None:
    """A number's place: the unit stands in the question, in the answer or in both."""
    match = re.match(
        r"(?P<about>约|近|超过|大约|共|逾)?(?P<number>[\d.,，]*\d|[零〇一二两三四五六七八九十百千万亿]+)"
        r"(?P<unit>.*)$", answer,
    )  # fmt: skip
    if match is None:
        return None
    unit = match["unit"].strip()
    if not unit:
        return _joined(before, answer, after)
    if after.startswith(unit):
        return _joined(before, answer, after[len(unit) :])
    if not after or after[0] in "，,":
        return _joined(before, answer, after)
    noun = re.match(r"[\u4e00-\u9fff]", after)
    if noun and unit.endswith(after[:1]):
        return _joined(before, answer, after[1:])
    # 有多少人 + 30名: the measure word of the answer goes before the noun of the question.
    return _joined(before, answer, after) if unit in "名个位家所次只条座部张件项种" else None


_DATE: Final = re.compile(r"年|月|日|世纪|时期|年代|[点时]|期间|朝|之后|之前|后|前|\d")


def _fits(word: str, answer: str) -> bool:
    """Whether the answer is of the kind that the question word asks for."""
    when = re.search(r"年|月|日|天|时", word) is not None
    if when:
        return _DATE.search(answer) is not None
    return not (re.fullmatch(r"谁|哪[一]?位|什么人", word) and re.search(r"\d", answer))


def _joined(before: str, answer: str, after: str) -> str | None:
    text = before + answer + after
    # 在在, 于于, 年年: an answer that repeats what stands beside it.
    if re.search(r"(在在|于于|年年|月月|的的|是是|了了|为为)", text):
        return None
    if before and answer.startswith(before[-1]) and re.match(r"[在于由被和与]", answer):
        return None
    return text + "。"
