"""Length-preserving folding of a text before it is scanned.

Maps full-width forms and the Traditional characters that quantities use, and lays filler over what
must not be read as a quantity (URLs, e-mails, citations, list ordinals).

Every step maps one code point to one code point, so offsets into the folded text are offsets
into the input.
"""

from __future__ import annotations

import re

#: Stands for a masked code point. A private-use character: no pattern matches it.
FILLER = "\ue000"

_WIDE = {0xFF10 + i: 0x30 + i for i in range(10)}
_WIDE.update({0xFF21 + i: 0x41 + i for i in range(26)})
_WIDE.update({0xFF41 + i: 0x61 + i for i in range(26)})
_WIDE.update(
    {ord(a): ord(b) for a, b in zip("％．－／＄￥～＋㊣﹪﹣−", "%.-/$¥~+㊣%--", strict=True)}
)
# Only characters that occur in numerals, units, classifiers or the words around them.
_TRAD = (
    "億亿萬万點点兩两個个幣币圓元圆元號号時时間间鐘钟週周噸吨攝摄華华後后減减漲涨約约餘余過过於于達达"
    "歲岁層层項项條条張张輛辆臺台塊块錢钱歐欧鎊镑韓韩種种頁页國国樓楼場场產产貳贰參叁陸陆増增長长"
    "級级類类組组顆颗艘艘雙双對对隻只枚枚筆笔單单題题節节課课學学區区處处齣出線线曆历將将"
    "會会戶户聲声僅仅幾几數数內内從从當当際际實实結结總总計计預预圍围頭头顧顾為为較较環环優优"
    "惠惠價价額额佔占漢汉畝亩頃顷釐厘錠锭劑剂針针傳传讓让遠远歷历際际擴扩"
)
_TRAD_MAP = {
    ord(_TRAD[i]): ord(_TRAD[i + 1]) for i in range(0, len(_TRAD), 2) if _TRAD[i] != _TRAD[i + 1]
}
_TABLE = {**_WIDE, **_TRAD_MAP}
# Thousands grouped by spaces (1 180份): the space becomes a comma. An ordinary space only where the
# group is not part of a row of numbers.
_SPACED = re.compile(
    r"(?<![0-9A-Za-z.,] )(?<![0-9A-Za-z.,-])([1-9][0-9]{0,2})"
    r"((?:[ \u00a0\u2009\u202f][0-9]{3}){1,3})"
    r"(?![0-9,.:：/-]| ?[0-9])"
)
_SPACES = str.maketrans(dict.fromkeys(" \u00a0\u2009\u202f", ","))
_NEEDS_FOLD = re.compile("[" + "".join(re.escape(chr(c)) for c in _TABLE) + "]")

_URL = re.compile(r"(?:https?|ftp)://[!-~]+|www\.[!-~]+")
_CITATION = re.compile(
    r"\[\^?[0-9]{1,3}(?:\s?[,，、\-–~～]\s?[0-9]{1,3}){0,20}\]|【[0-9]{1,3}(?:†[^】\n]{0,40})?】"
)
# A list ordinal: at a line start or behind a strong separator, and not the head of a decimal or
# of an enumeration of numbers (1、2号线).
_ORDINAL_DIGIT = re.compile(
    r"(?:^|(?<=[\n：；。:;]))[ \t>*#-]{0,6}[0-9]{1,3}(?:[.、)）](?![0-9])|[．](?![0-9０-９]))",
)
_ORDINAL_CN = re.compile(
    r"(?:^|(?<=[\n：；。:;]))[ \t>*#-]{0,6}[一二三四五六七八九十]{1,3}[、.]"
    r"(?![0-9一二三四五六七八九十])"
)
_ORDINAL_PAREN = re.compile(r"[(（][0-9]{1,2}[)）]|[(（][一二三四五六七八九十]{1,3}[)）]")
_MAIL_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")


def _blank(match: re.Match[str]) -> str:
    return FILLER * (match.end() - match.start())


def _join(match: re.Match[str]) -> str:
    return match[1] + match[2].translate(_SPACES)


# ２，０００元: a full-width comma groups thousands only within full-width digits; elsewhere it
# separates clauses (分别为500，600元).
_WIDE_COMMA = re.compile(
    "(?<![0-9０-９,.，．])([１-９][０-９]{0,2})((?:，[０-９]{3}){1,3})(?![0-9０-９，])"
)


def _join_wide(match: re.Match[str]) -> str:
    return match[1] + match[2].replace("，", ",")


_DIGIT_SPACE = re.compile(r"[0-9][ \u00a0\u2009\u202f][0-9]{3}")


def _mask_mails(text: str) -> str:
    parts: list[str] = []
    done = 0
    at = text.find("@")
    while at >= 0:
        left = at
        while left > done and text[left - 1] in _MAIL_CHARS:
            left -= 1
        right = at + 1
        while right < len(text) and text[right] in _MAIL_CHARS:
            right += 1
        if left < at and right > at + 1:
            parts.append(text[done:left])
            parts.append(FILLER * (right - left))
            done = right
        at = text.find("@", max(right, at + 1))
    parts.append(text[done:])
    return "".join(parts)


def fold(text: str) -> str:
    """Fold ``text`` for matching; the result has the same length.

    Args:
        text: Any Unicode text.

    Returns:
        The folded text, with masked spans replaced by ``FILLER``.
    """
    if _NEEDS_FOLD.search(text) is not None:
        if "，" in text:  # before the digits lose their width
            text = _WIDE_COMMA.sub(_join_wide, text)
        text = text.translate(_TABLE)
    if _DIGIT_SPACE.search(text) is not None:
        text = _SPACED.sub(_join, text)
    if "//" in text or "www." in text:
        text = _URL.sub(_blank, text)
    if "@" in text:
        text = _mask_mails(text)
    if "[" in text or "【" in text:
        text = _CITATION.sub(_blank, text)
    if "(" in text or "（" in text:
        text = _ORDINAL_PAREN.sub(_blank, text)
    if ". " in text or "、" in text or "." in text or ")" in text or "）" in text:
        text = _ORDINAL_CN.sub(_blank, _ORDINAL_DIGIT.sub(_blank, text))
    return text
