"""Names in a document by type, so that one may stand in for another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from nli_faith.text.chars import word_set

from .lexicon import pairs
from .model import Tagged
from .tagging import in_dictionary

_SURNAMES: Final = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗高郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢"
    "姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温庞"
)
_ORG_ENDS: Final = re.compile(
    r"(?:公司|集团|银行|大学|学院|医院|法院|检察院|公安局|委员会|研究院|研究所|协会|基金会|证券|保险|学校|中学|小学|出版社|"
    r"俱乐部|博物馆|图书馆|支队|总队|大队|交易所|管理局|气象台|气象局|卫健委|发改委|教育部|财政部|商务部|外交部|国防部)$"
)
_ORG_PARTS: Final = ("n", "j", "eng", "vn", "b", "a", "l")
_ADMIN: Final = "省市区县镇州"
_NO_PLACE: Final = word_set(
    "中西部 各乡镇 大都市 自治州 欧元区 特别行政区 自治区 开发区 "
    "高新区 经开区 示范区 保税区 自贸区 我国 直辖市 省会城市 两省 全州"
)
_KNOWN: Final = {
    "country": word_set(
        "美国 英国 法国 德国 日本 韩国 俄罗斯 印度 巴西 加拿大 澳大利亚 意大利 西班牙 乌克兰 "
        "波兰 土耳其 伊朗 伊拉克 以色列 "
        "沙特 埃及 南非 印尼 泰国 越南 缅甸 老挝 柬埔寨 马来西亚 新加坡 菲律宾 朝鲜 蒙古 "
        "巴基斯坦 阿富汗 墨西哥 阿根廷 智利 "
        "瑞典 瑞士 荷兰 比利时 希腊 挪威 芬兰 丹麦 "
        "尼日尔 尼日利亚 叙利亚 白俄罗斯 哈萨克斯坦 新西兰"),
    "province": word_set(
        "河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东 海南 "
        "四川 贵州 云南 陕西 甘肃 青海 "
        "广西 内蒙古 西藏 宁夏 新疆"),
    "city": word_set(
        "北京 上海 天津 重庆 广州 深圳 成都 杭州 武汉 南京 西安 苏州 郑州 长沙 青岛 大连 沈阳 "
        "哈尔滨 长春 济南 合肥 福州 厦门 "
        "南昌 昆明 贵阳 南宁 海口 太原 石家庄 兰州 西宁 银川 乌鲁木齐 拉萨 呼和浩特 宁波 无锡 "
        "佛山 东莞 珠海 温州 泉州 烟台 "
        "洛阳 徐州 常州 南通 嘉兴 绍兴 扬州 "
        "香港 澳门 台北 纽约 伦敦 巴黎 东京 莫斯科 基辅 首尔 华盛顿 柏林 悉尼"),
}  # fmt: skip
_NO_PERSON: Final = word_set(
    "高水平 高达 陈述 张贴 白宫 顾问 顾客 杜绝 高开 温泉 毛利 高通 许诺 高喊 严正 毛利润 "
    "白名单 何时 方面 安全 万元 任何 "
    "白皮书 史上 段时间 文旅 金融 石油 向前 高考 高铁 高温 于是"
)


class Name(NamedTuple):
    """A name at a place in a text.

    Attributes:
        text: The name.
        kind: ``person``, ``place``, ``organisation`` or ``title``.
        sort: Finer type; only names of the same sort stand in for each other.
        start: Where it begins.
    """

    text: str
    kind: str
    sort: str
    start: int


_TITLE: Final = re.compile(r"《([^《》]{2,20})》")
_CALLED: Final = re.compile(r"“([\u4e00-\u9fffA-Za-z\d]{2,8})”")


def find_names(found: Tagged) -> list[Name]:
    """Names of a sentence, in order; those inside longer names are left out.

    Args:
        found: The sentence.
    """
    out = [Name(m.group(1), "title", "《》", m.start(1)) for m in _TITLE.finditer(found.text)]
    taken = {i for n in out for i in range(n.start, n.start + len(n.text))}
    for name in (*_organisations(found), *_people(found), *_places(found)):
        span = range(name.start, name.start + len(name.text))
        if not taken.intersection(span):
            out.append(name)
            taken.update(span)
    return sorted(out, key=lambda n: n.start)


def _organisations(found: Tagged) -> Iterable[Name]:
    words = found.words
    end = 0
    for i, word in enumerate(words):
        ends = _ORG_ENDS.search(word.text)
        if not ends or i < end or found.quoted[i]:
            continue
        first = _name_start(found, i)
        text = found.text[words[first].start : word.start + len(word.text)]
        proper = found.tag(first) in _PROPER and not _GENERIC.search(text)
        if proper and 4 <= len(text) <= 18:
            end = i + 1
            yield Name(
                text, "organisation", _ORG_SORTS.get(ends.group(), ends.group()), words[first].start
            )


def _name_start(found: Tagged, last: int) -> int:
    """First word of an organisation's name: the leftmost proper noun before its last word."""
    first = at = last
    while at > 0 and last - at < 6 and _in_name(found, at - 1):
        at -= 1
        if found.tag(at) in _PROPER and not found.word(at).endswith("记者"):
            first = at
    return first


_PROPER: Final = frozenset(("ns", "nt", "nz", "eng"))
_GENERIC: Final = re.compile(
    r"初创|上市|投资公司|片公司|运营|雇佣|期货公司|巨头|单位|案件|同级|旗下|原|半导体公司"
)
_ORG_SORTS: Final = dict(
    pairs(
        "集团>公司 证券>银行 保险>银行 学院>大学 检察院>法院 公安局>法院 小学>学校 中学>学校 "
        "研究所>研究院 大队>支队 总队>支队 气象局>气象台 图书馆>博物馆 教育部>部 财政部>部 "
        "商务部>部 外交部>部 国防部>部"
    )
)


def _in_name(found: Tagged, i: int) -> bool:
    word = found.words[i]
    if word.text in ("有限", "股份", "第一", "第二", "第三", "附属", "人民", "中心"):
        return True
    known = word.tag.startswith(_ORG_PARTS) and not found.quoted[i] and word.tag != "nr"
    return known and not re.search(
        r"记者|教授|主任|原告|被告|总裁|经理|董事|专家|学者|负责人|今年|目前|母公司|子公司|企业$|两家|多家",
        word.text,
    )


def _people(found: Tagged) -> Iterable[Name]:
    for i, word in enumerate(found.words):
        text = word.text
        if word.tag != "nr" or found.quoted[i] or len(text) not in (2, 3):
            continue
        if (
            text[0] not in _SURNAMES
            or not _is_whole(found, i)
            or found.tag(i + 1) in ("nr", "ns", "nz")
        ):
            continue
        if _surely_person(found, i):
            polite = re.search(r"某|先生$|女士$", text)
            yield Name(text, "person", polite.group() if polite else "full", word.start)


def _surely_person(found: Tagged, i: int) -> bool:
    """Whether a word with a surname is no dictionary word (高达, 白宫), or follows a title."""
    text = found.word(i)
    if re.search(r"某|先生$|女士$", text):
        return True
    if found.tag(i + 1).startswith("n") and not _TITLED.search(found.word(i + 1)):
        return False
    if text[-1] in "区岛村山局营楼赛镇县市州省路街桥湖河江杯奖队家庄乡表票书" or text in _NO_PERSON:
        return False
    return _TITLED.search(found.word(i - 1)) is not None or (
        len(text) == 3 and not in_dictionary(text)
    )


_TITLED: Final = re.compile(
    r"(?:长|主任|演员|专家|主席|总裁|经理|发言人|记者|教授|医师|律师|董事|官员|选手|书记|代表|总监|法官|警官|民警|被告人|老师|员工|队员|冠军)$"
)


_BESIDE: Final = frozenset(
    "，、。；：（）()“”《》 和与及或等的在是因被将于为也已说称对向从任曾"
    "就又还则并以给让到跟同介有均都未不据受赴由"
)


def _is_whole(found: Tagged, i: int) -> bool:
    """Whether no single sign beside a name may belong to it."""
    sides = found.word(i - 1), found.word(i + 1)
    return all(len(side) != 1 or side in _BESIDE or side.isdigit() for side in sides)


def _places(found: Tagged) -> Iterable[Name]:
    for i, word in enumerate(found.words):
        text = word.text
        if word.tag != "ns" or found.quoted[i] or not _is_whole(found, i) or not _is_place(text):
            continue
        if found.tag(i - 1) in ("ns", "nr", "nz", "j", "eng") or found.tag(i + 1) in (
            "ns",
            "nz",
            "nr",
            "j",
            "nt",
            "eng",
        ):
            continue
        if found.word(i + 1) in (
            "籍",
            "人",
            "队",
            "站",
            "路",
            "话",
            "菜",
            "大学",
            "银行",
            "证券",
            "日报",
            "晚报",
            "机场",
            "语",
            "局",
            "湾",
            "大桥",
        ):
            continue
        sort = next((k for k, v in _KNOWN.items() if text in v), text[-1])
        yield Name(text, "place", sort, word.start)


def _is_place(text: str) -> bool:
    if any(text in known for known in _KNOWN.values()):
        return True
    return (
        len(text) > 2 and text[-1] in _ADMIN and text not in _NO_PLACE and not text.endswith("地区")
    )


def pool(sentences: Sequence[Tagged]) -> list[Name]:
    """All names of the contexts, each once, in order.

    Args:
        sentences: The contexts' sentences.
    """
    seen: dict[tuple[str, str], Name] = {}
    for sentence in sentences:
        for name in find_names(sentence):
            seen.setdefault((name.text, name.kind), name)
    return list(seen.values())


def related(a: str, b: str) -> bool:
    """Whether two names may mean the same: one in the other, or two signs in common."""
    if a in b or b in a or a[:2] == b[:2]:
        return True
    return any(a[i : i + 2] in b for i in range(len(a) - 1)) and len(set(a) & set(b)) > 2
