"""What stands around a quantity: comparators, approximation, basis, direction, header units."""

from __future__ import annotations

import re

_OPS_BEFORE = {
    "超过": ">", "超出": ">", "超": ">", "逾": ">", "多于": ">", "大于": ">", "高于": ">",
    "突破": ">", "不少于": ">=", "不低于": ">=", "不小于": ">=", "不短于": ">=", "至少": ">=",
    "最少": ">=", "起码": ">=", "最低": ">=", "不早于": ">=", "不超过": "<=", "不超": "<=",
    "不多于": "<=", "不高于": "<=", "不大于": "<=", "不长于": "<=", "不得超过": "<=", "至多": "<=",
    "最多": "<=", "不得低于": ">=", "不得少于": ">=", "不得高于": "<=", "不得多于": "<=",
    "不能超过": "<=", "不应超过": "<=", "不应低于": ">=", "不能低于": ">=", "不能少于": ">=",
    "未超过": "<=", "没有超过": "<=", "没超过": "<=", "未满": "<", "低于": "<", "少于": "<",
    "小于": "<", "不足": "<", "不到": "<", "不满": "<", "短于": "<", "长于": ">", "≥": ">=",
    "≤": "<=", ">": ">", "<": "<", ">=": ">=", "<=": "<=", "＞": ">", "＜": "<",
    "未达到": "<", "未达": "<", "未到": "<", "没到": "<", "不及": "<", "上限": "<=",
    "最高": "<=", "封顶": "<=",
    "小于等于": "<=", "小于或等于": "<=", "下限": ">=", "起步": ">=", "大于等于": ">=",
    "大于或等于": ">=", "⩽": "<=", "⩾": ">=", "≦": "<=", "≧": ">=",
}  # fmt: skip
_OP_LAST = frozenset(k[-1] for k in _OPS_BEFORE)
_OP_RE = re.compile(
    "(" + "|".join(sorted(map(re.escape, _OPS_BEFORE), key=len, reverse=True))
    + ")(?:(?<=[上下]限)[为是：:]|(?<=最[高低])[为是])?了?(?P<a>大?约)?[ 　]?$"
)  # fmt: skip
_APPROX_RE = re.compile(
    "(?<![预节合公条签违续履契邀赴制失相邻附最靠亲])(?:大约|约|大概|大致|近|将近|接近|几乎"
    "|差不多|估计|≈|~)"
    "(?:[为有占合达是在需要]|相当于|等于)?[ 　]?$"
)
_EN_BEFORE = re.compile(
    r"(?:\b(?P<gt>more than|over|above|exceed(?:s|ed|ing)?|greater than|upwards of|longer than)"
    r"|\b(?P<ge>at least|no less than|no fewer than|not less than|a minimum of|minimum)"
    r"|\b(?P<le>at most|up to|no more than|not more than|a maximum of|maximum|not exceeding|within)"
    r"|\b(?P<lt>less than|fewer than|under|below|lower than)"
    r"|\b(?P<ap>about|around|approximately|roughly|nearly|almost|some|circa|close to))"
    r" (?:[$€£¥]|USD |RMB )?$",
    re.IGNORECASE,
)
_EN_OPS = {"gt": ">", "ge": ">=", "le": "<=", "lt": "<"}
_CUR_TAIL = re.compile("(?:人民币|美元|港币|US\\$|HK\\$|NT\\$|RMB|USD|[¥$€£]) ?$")
_AFTER = re.compile(
    "[ 　]?(?:[（(]含[）)])?[ 　]?(?:(?P<ge>及?以上|或以上|起(?![来到步诉点])|起步(?![价费])"
    "|or more|or above"
    "|and above|\\+(?![0-9]))"
    "|(?P<le>及?以[内下](?!简称|是|为)|或以下|之内"
    "|内(?![容部存地陆外科置涵阁核蒙径幕销饰膜源循衣])|封顶|or less|or fewer|and below)"
    "|(?P<ap>左右|上下|前后|多(?![少数次家于个只出种么样付赔少样])|有?余(?![款额下额量])|出头"
    "|来(?=[个名人家天年岁])|or so))"
)
_AFTER_FIRST = frozenset("及以或起之内封左上前多有余出来（( 　+o")
# 近三年, 近10天 = the last three years: no approximation.
_RECENT = re.compile("近[ 　]?$")

_UP = (
    "增长|增加|增多|上升|提高|上涨|涨|增|升|提升|扩大|高出|多出|增幅|涨幅|升幅|上调|攀升|高|多"
    "|回升|上浮|超支|超出|长"
)
_DOWN = (
    "下降|减少|下跌|降低|跌|降|减|下滑|回落|缩减|收窄|少|低|降幅|跌幅|下调|缩短|缩小|下浮|负增长"
    "|短|慢|便宜"
)
_DIRECTION = re.compile(
    f"(?:(?P<up>{_UP})|(?P<down>{_DOWN}))"
    f"(?:了|约|近|超|超过|逾|不足|不到|为|达|达到|是|至少|最多|不超过|整整|仅|[ 　]){{0,2}}$"
)
_DIR_LAST = frozenset(
    "支快慢短宜长加多升高涨增大出幅调攀降少跌低减滑落窄短小了约近超过逾足到为达是仅浮"
)
_YOY = re.compile(
    "同比|较上年|比上年|较去年|比去年|上年同期|去年同期|year[- ]on[- ]year|YoY|yoy", re.IGNORECASE
)
_MOM = re.compile("环比|较上月|比上月|较上季|比上季|上个月|上一季|month[- ]on[- ]month|QoQ|MoM")
_CLAUSE = re.compile("[，。；;！？\n]")
_GROWTH = re.compile(
    "(?:增长|增加|增多|提高|上升|提升|扩大|上涨|涨|高出|多出|高|多|增幅|涨幅|翻)(?:了|出"
    "|幅)?(?:约|近|超过?|逾|将近|至少|不到|为|达)?[ 　]?$"
)


def before(text: str, start: int, kind: str) -> tuple[str, bool]:
    """Comparator and approximation that stand directly before ``start``.

    Args:
        text: Folded text.
        start: Offset of the quantity.
        kind: Its type; 近 before a duration means "the last", not "nearly".
    """
    if start == 0:
        return "=", False
    last = text[start - 1]
    if last in " $€£¥币元DB" and start > 1:
        if last in "$€£¥币元DB":
            cut = _CUR_TAIL.search(text, max(0, start - 5), start)
            if cut is not None:
                start = cut.start()
        window = text[max(0, start - 22) : start]
        m = _EN_BEFORE.search(window)
        if m is not None:
            name = m.lastgroup or "ap"
            return (_EN_OPS[name], False) if name != "ap" else ("=", True)
        last = text[start - 1 : start]
    if last == " " and start > 1:
        last = text[start - 2]
    op, approx = "=", False
    if last in _OP_LAST or last in "约了为是：:":
        m = _OP_RE.search(text, max(0, start - 7), start)
        if m is not None:
            op, approx = _OPS_BEFORE[m[1]], m["a"] is not None
    if op == "=" and last in "约概致近乎多计≈~为有占合达是在需要于":
        lo = max(0, start - 6)
        approx = _APPROX_RE.search(text, lo, start) is not None
        if approx and kind == "duration" and _RECENT.search(text, lo, start) is not None:
            approx = text[max(0, start - 2) : start].strip() in ("将近", "接近")
    return op, approx


def after(text: str, end: int, unit: str) -> tuple[str, bool]:
    """Comparator and approximation directly behind ``end``."""
    follow = text[end : end + 1]
    if not follow or follow not in _AFTER_FIRST:
        return "=", False
    m = _AFTER.match(text, end)
    if m is None:
        return "=", False
    name = m.lastgroup
    if name == "ap":
        return "=", True
    if name == "le" and m[0].strip().startswith("内") and not unit:
        return "=", False
    return (">=", False) if name == "ge" else ("<=", False)


def change(text: str, start: int) -> tuple[str | None, str | None]:
    """Basis (``yoy``/``mom``) and direction (``up``/``down``) before ``start``."""
    low = max(0, start - 16)
    window = text[low:start]
    window = _CLAUSE.split(window)[-1]
    basis = "yoy" if _YOY.search(window) else "mom" if _MOM.search(window) else None
    direction = None
    if window and window.rstrip(" 　")[-1:] in _DIR_LAST:
        m = _DIRECTION.search(window)
        if m is not None and not window[: m.start()].endswith(
            ("不", "未", "没", "无", "最", "至", "更")
        ):
            direction = m.lastgroup
    return basis, direction


def is_growth(text: str, start: int) -> bool:
    """Whether 增长, 提高, 高出 ... (without 到/至) stands before N倍, which then means N+1."""
    return start > 0 and _GROWTH.search(text, max(0, start - 8), start) is not None


_HEADER = re.compile(
    "[（(][ 　]?(?:单位[:：])?[ 　]?([十百千万亿]{0,3})"
    "([^（()）\n\\d]{0,8}?)[ 　]?[)）][ 　]?[:：]?[ 　|]{0,3}$"
)
_GLOBAL_UNIT = re.compile("单位[:：为][ 　]?([十百千万亿]{0,3})([^\\s，。；;、|）)\\d]{0,6})")


def header_unit(text: str, start: int) -> tuple[str, str] | None:
    """Scale and unit of a header directly before: ``收入（万元）：84,210`` -> (万, 元)."""
    if start < 3 or text[start - 1] not in ":：)） 　|":
        return None
    m = _HEADER.search(text, max(0, start - 18), start)
    return (m[1], m[2]) if m is not None and (m[1] or m[2]) else None


#: How far back a cell's row may begin (指标：营业收入（亿元）；2024年Q3：12.6).
_ROW_REACH = 600
_ROW_UNIT = re.compile(
    "[^；;：:|\n]{1,24}[：:][ 　]?[^；;：:|\n（()）]{1,40}"
    "[（(][ 　]?(?:单位[:：]?)?[ 　]?([十百千万亿]{0,3})([^（()）\n\\d；;，,]{0,8}?)[ 　]?[)）]"
    "[ 　]?[；;]"
)
# Columns that are no amounts of the row's unit, whatever the row is.
_NO_AMOUNT = (
    "年份|年度$|日期|时间|月份|期间|编号|序号|代码|排名|名次|位次|率|占比|比重|比例|份额|同比|环比|增速"
    "|增幅|涨幅|跌幅|涨跌|倍|备注|说明"
)
_OWN_COLUMN = re.compile(f"{_NO_AMOUNT}|[人户件家台辆套次个条项天页]数|数量|[)）]$")
_COUNTED = re.compile("(?:[人户件家台辆套次]数|数量)[ 　]?[:：][ 　]?$")
_NEVER_SHARED = re.compile(f"(?:{_NO_AMOUNT})[ 　]?[:：][ 　]?$")


def row_unit(text: str, start: int) -> tuple[str, str] | None:
    """Scale and unit that the row name of a linearised table row states for its cells.

    Args:
        text: Folded text.
        start: Offset of a number that begins a cell's value.
    """
    at = start - 1 if text[start - 1 : start] in "+-" else start
    if at < 8 or text[at - 1].rstrip(" 　") not in (":", "：", ""):
        return None
    colon = at - 1 if text[at - 1] in ":：" else at - 2
    if text[colon] not in ":：":
        return None
    low = max(0, start - _ROW_REACH)
    line = text.rfind("\n", low, start) + 1
    if not line and low:
        return None
    m = _ROW_UNIT.match(text, line, start)
    if m is None or not (m[1] or m[2]):
        return None
    name = max(text.rfind("；", line, colon), text.rfind(";", line, colon)) + 1
    if _OWN_COLUMN.search(text[max(name, line) : colon].strip()) is not None:
        return None
    return m[1], m[2]


def shares_unit(text: str, start: int, money: bool) -> bool:
    """Whether a number may be in the text's ``单位：`` note: not in a cell 年份, 同比 or 人数."""
    low = max(0, start - 8)
    if money and _COUNTED.search(text, low, start) is not None:
        return False
    return _NEVER_SHARED.search(text, low, start) is None


def global_unit(text: str) -> tuple[str, str] | None:
    """Scale and unit of a ``单位：万元`` note anywhere in the text."""
    if "单位" not in text:
        return None
    m = _GLOBAL_UNIT.search(text)
    return (m[1], m[2]) if m is not None and (m[1] or m[2]) else None
