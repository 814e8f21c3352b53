"""The patterns of the scanner: numeral atoms, idioms, names."""

from __future__ import annotations

import re

from . import dates
from .numerals import EN_PATTERN

#: A text may hold this many numerals, and one more for every ``ATOM_DENSITY`` code points; what
#: comes after is not read. Prose has one in 15 or fewer; a megabyte of nothing but numbers is data,
#: and reading it would take seconds.
MAX_ATOMS = 20_000
ATOM_DENSITY = 64

QUICK = re.compile(
    "[0-9０-９〇零一二三四五六七八九十百千万亿两半翻廿卅½⅓⅔¼¾⅕⅖⅗⅘⅛萬億兩壹貳贰叁參肆伍陸柒捌玖季]"
)
ENGLISH = re.compile("[A-Za-z]{3}")
ENGLISH_WORDS = re.compile("[A-Za-z]{3}|Q[1-4]|H[12]|FY")
# Every alternative sits behind one leading character class, which the regex engine turns into a
# fast scan for the next candidate; the look-behinds then say which alternative it is.
ATOM = re.compile(
    "[0-9一二三四五六七八九十百千万亿两〇零廿卅几数半翻上下前首壹贰叁肆伍陆柒捌玖½⅓⅔¼¾⅕⅖⅗⅘⅛]"
    "(?:"
    r"(?P<num>(?<=[0-9])(?:[0-9]{0,2}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]*(?:\.[0-9]+)*))"
    "|(?P<cn>(?<=[一二三四五六七八九十百千万亿两〇零廿卅])[一二三四五六七八九十百千万亿两〇零廿卅]*"
    "|(?<=几)[十百千万亿]+|(?<=数)(?<![人总个次基指分户件参系函倍岁度位股票班多]数)[十百千万亿]+)"
    "|(?P<word>(?<=[上下])半年|(?<=前)[一二三两23](?:个)?季度|(?<=首)季|(?<=半)(?=[年个小数公月世])"
    "|(?<=翻)(?=了?[一两二三1-4]?番|了?一?倍))"
    "|(?P<fin>(?<=[壹贰叁肆伍陆柒捌玖])(?=[拾佰仟万亿元])[壹贰叁肆伍陆柒捌玖拾佰仟万亿零]*)"
    "|(?P<vulgar>(?<=[½⅓⅔¼¾⅕⅖⅗⅘⅛]))"
    ")"
)
ENGLISH_ATOM = re.compile(
    rf"(?P<date>{dates.EN_PATTERN})"
    rf"|(?P<en>(?i:{EN_PATTERN}))"
    r"|(?P<quarter>(?<![A-Za-z])(?i:first|second|third|fourth) (?:quarter|half)"
    r"(?: of (?:fiscal )?[12][0-9]{3})?(?![0-9A-Za-z]))"
    r"|(?P<ord>(?<=the |its |and )"
    r"(?i:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)"
    r"(?![A-Za-z]))"
)
EN_FRACTION = re.compile(
    "[ -](third|half|halve|quarter|fourth|fifth|sixth|seventh|eighth|tenth)s?"
    "(?! quarter)(?![A-Za-z])",
    re.IGNORECASE,
)
EN_PARTS = {
    "third": 3, "half": 2, "halve": 2, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "tenth": 10,
}  # fmt: skip
#: 占1/3, 2/5的人
SLASH_FRACTION = re.compile(r"([1-9][0-9]?)/([1-9][0-9]?)(?![0-9/])")
FRACTION_BEFORE = frozenset("占约近达为过有")
#: What may stand between two clock times that share their part of the day.
TIME_RANGE = frozenset(("至", "到", "-", "–", "—", "——", "~", "～"))
DATE_NEXT = frozenset("年月日号-/—–~～至到季 　Q")
NAME_TAIL = re.compile("[A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+){0,6}")
CHAIN = re.compile(r"(?:-[0-9][0-9A-Za-z]*){2,12}|-[0-9]{7,8}(?![0-9])")
NAME_BEFORE = re.compile(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9.+_-]{0,24}) ?$")
PLAIN_WORDS = frozenset(
    [
        "about",
        "over",
        "under",
        "at",
        "of",
        "in",
        "to",
        "is",
        "was",
        "by",
        "for",
        "from",
        "than",
        "and",
        "or",
        "the",
        "only",
        "with",
        "total",
        "nearly",
        "approximately",
        "around",
        "usd",
        "rmb",
        "cny",
        "hkd",
        "eur",
        "gbp",
        "max",
        "min",
        "on",
        "page",
        "are",
        "were",
        "has",
        "have",
        "had",
        "a",
        "an",
        "be",
        "between",
        "least",
        "most",
        "up",
        "per",
        "all",
        "its",
        "their",
        "as",
        "after",
        "before",
        "within",
        "roughly",
        "almost",
        "some",
        "until",
        "since",
        "during",
        "reached",
        "exceeded",
        "grew",
        "rose",
        "fell",
        "sold",
        "paid",
        "gained",
        "lost",
        "costs",
        "cost",
        "that",
        "will",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "revenue",
        "profit",
        "sales",
        "age",
        "aged",
        "q1",
        "q2",
        "q3",
        "q4",
        "if",
        "but",
        "takes",
        "take",
        "lasts",
        "every",
        "any",
        "score",
        "scored",
    ]
)
EN_ORD = re.compile(r"(st|nd|rd|th)(?![A-Za-z])")
NEG_BEFORE = re.compile("(?<![0-9A-Za-z.）)%])[-](?=$)")
SUBZERO = re.compile("(?:摄氏)?零下(?:摄氏)?[ ]?(?=[0-9一二三四五六七八九十两])")
DEGREE = re.compile("[ ]?(?:度|℃|°C|摄氏度)")
IDIOM = re.compile(
    "一[下些样般起时面定直再边概致向系切旦同律带线体环道番共味心手举旁贯味瞬贫再流经朝应帆路何如丝举窍][^\\d]?"
    "|一(?:方面|点[儿也都就]?|口气|把手|部分|步步|次性|次次|年一度|年四季|对一|家人|场空|级棒"
    "|块[儿去来]|代代|种|会儿|带一路|条龙|揽子|天到晚|座座|页页|名不|行[人]?"
    "|句话|本正经|点点|层层|份力|本万利|面之词|针见血)"
    "|两[岸会国者地极江侧手面旁边性](?!个)|二[手维战胎孩大]|三(?:心二意|番五次|令五申|言两语"
    "|天两头|好学生|包|农|亚|峡|星|联|甲|线城|方|角|国演|生石|明治)|四(?:面八方|川|海|季"
    "|处[^置理罚]|平八稳)|五(?:花八门|颜六色|一劳|四运|粮|金店|险)"
    "|六[一安合]|七(?:上八下|夕|嘴八舌|匹狼)|八(?:卦|一建|方[^米])|九(?:牛一毛|寨|江|龙|一八"
    "|死一生)|十(?:分(?!钟|之|[0-9])|全十美|字|足|一黄|一假|堰|月怀|有八九)"
    "|百(?:姓|货|度|科|事可|合|炼|般|分百|年|家争)|千(?:万[不别要]|方百计|家万户|里|岛|秋|篇一"
    "|军万|载)|万(?:一|物|能|科|达|事|分[^之]|众|万|里长城|岁|圣|向)"
    '|十[二三四]五(?=规划|时期|期间|”|"|收官|以来)|二十[大届](?![^报精])|二十大|一二线|二三线|三四线|一[一二两]'
)
PREV_STOP_ONE = frozenset("统之万唯同单不逐进专划归其某每这那任另惟致唯第都是有如")
LIGHT_PREV = frozenset("这那每某任另")
BAD_RUN_NEXT = frozenset("中全会届者心性岁月")
RANGE_HYPHEN = re.compile(r"[-–—~～][0-9]+(?:\.[0-9]+)?")
YEAR_MAKER = frozenset("为达是至到了共计有收价额超约近：:于")
