"""Patterns of private numbers and addresses, over text folded to half width by `FOLD`."""

from __future__ import annotations

import re

# One code point for one: offsets into the folded text are offsets into the original.
FOLD: dict[int, int] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
FOLD |= {0x3000: 0x20, 0xA0: 0x20, 0x2010: 0x2D, 0x2011: 0x2D, 0x2012: 0x2D, 0x2013: 0x2D,
          0x2014: 0x2D, 0x2212: 0x2D, 0xAD: 0x2D, 0x200B: 0x2D, 0x200C: 0x2D, 0x200D: 0x2D,
          0x2060: 0x2D, 0xFEFF: 0x2D}  # fmt: skip

START = r"(?<![0-9A-Za-z])(?<![0-9]\.)"
# No further digit, decimals or thousands; "138…,139…" are two numbers, though.
LAST = r"(?![0-9])(?!\.[0-9])(?!,[0-9]{3}(?![0-9]))"
END = r"(?![A-Za-z])" + LAST
# A sum or a measure rather than a number to call or to pay into. Few on purpose: 张, 万 and 家
# begin names and words as well, and a number too many masked is better than one too few.
UNIT = re.compile(
    r"\s?(?:多|余)?(?:%|‰|[万亿]?[美欧日港]?元|[万亿]?英镑|人民币|人次|股(?!东)|吨|千瓦|字节|平方米|"
    r"立方米|公里|千米|公斤|RMB|CNY|USD|EUR|yuan|dollars?|bytes?|[KMGT]i?B\b|k[mg]\b|ms\b)",
    re.IGNORECASE,
)
MONEY_BEFORE = re.compile(r"(?:[¥￥$€£]|RMB|CNY|USD|EUR|人民币)\s?$", re.IGNORECASE)
CUE_GAP = r"(?:号码|号|为|是|:|：|\(|\)|\s|No\.?|-){0,6}$"
PHONE_CUE = re.compile(
    r"(?:电话|手机|座机|固话|热线|传真|致电|拨打|联系方式|tel|phone|mobile|fax|hotline|call)\.?"
    + CUE_GAP, re.IGNORECASE,
)  # fmt: skip
ID_CUE = re.compile(r"(?:身份证|证件|公民身份|ID\s?card|identity)" + CUE_GAP, re.IGNORECASE)
CARD_CUE = re.compile(r"(?:卡|账户|帐户|账|帐|card|account|a/c)" + CUE_GAP, re.IGNORECASE)
PASSPORT_CUE = re.compile(r"(?:护照|passport)[^,。，;；]{0,8}$", re.IGNORECASE)
PART_CUE = re.compile(
    r"(?:型号|编号|订单|批号|件号|料号|单号|货号|版本|序列号|model|order|part|serial|version|sku)"
    r"[^,。，;；]{0,6}$", re.IGNORECASE,
)  # fmt: skip
CUE_REACH = 24

EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)
MOBILE = re.compile(
    r"(?:(?<![0-9A-Za-z])(?<![0-9]\.)|(?<=tel)|(?<=phone)|(?<=mobile))"
    r"(?:(?:\+|00)?86[- ]?|\(\+?86\) ?)?"
    r"1[3-9][0-9](?:[0-9]{8}|([-. ])[0-9]{4}\1[0-9]{4}|[- ][0-9]{8}|[0-9]{4}[- ][0-9]{4}"
    r"|[0-9]([- ])[0-9]{3}\2[0-9]{4}|([- ])[0-9]{3}\3[0-9]{5})" + LAST, re.IGNORECASE,
)  # fmt: skip
LANDLINE = re.compile(
    r"(?<![0-9A-Za-z])(?:(?:\+|00)86[- ]?)?"
    r"(?:\(0[1-9][0-9]{1,2}\) ?|0[1-9][0-9]{1,2}[- ])[1-9][0-9]{3}(?:[- ]?[0-9]{3,4})"
    r"(?:(?:-|转|ext\.? ?)[0-9]{1,6})?" + END
)
SERVICE = re.compile(START + r"[48]00-(?:[0-9]{3}-[0-9]{4}|[0-9]{4}-[0-9]{3}|[0-9]{7})" + END)
# Without hyphens: only in the ranges given out (400-0, 1, 6 to 9; 800-8), and no round sum.
BARE_SERVICE = re.compile(
    START + r"(?:400([ ]?)[016-9][0-9]{2}\1|800([ ]?)8[0-9]{2}\2)(?!0000)[0-9]{4}"
    r"(?:(?:-|转|ext\.? ?)[0-9]{1,6})?" + END
)
ABROAD = re.compile(
    r"(?<![0-9A-Za-z])\+[1-9][0-9]{0,2}(?:[- ]?\([0-9]{1,4}\))?(?:[- ]?[0-9]{2,5}){2,5}" + END
)
# In groups of any size: a telephone or card number only behind a cue.
GROUPS = re.compile(START + r"[0-9]{3,8}(?:[- ][0-9]{2,13}){1,6}" + END)
BARE_PHONE = re.compile(START + r"[0-9]{7,12}" + END)
ID18 = re.compile(START + r"[1-9][0-9]{5}([- ]?)[0-9]{8}\1[0-9]{3}[0-9Xx]" + END)
ID15 = re.compile(START + r"[1-9][0-9]{14}" + END)
CARD = re.compile(START + r"[0-9]{4}(?:([- ]?)[0-9]{4}){2}\1[0-9]{0,4}(?:\1[0-9]{1,3})?" + END)
AMEX = re.compile(START + r"3[47][0-9]{2}([- ]?)[0-9]{6}\1[0-9]{5}" + END)
PASSPORT = re.compile(START + r"(?:E[A-HJ-NP-Z][0-9]{7}|[EG][0-9]{8}|[DSPH][0-9]{7,8})" + END)
PERMIT_CUE = re.compile(r"(?:通行证|台胞证|回乡证)[^,。，;；]{0,8}$")
PERMIT = re.compile(START + r"(?:[A-Z][0-9]{7,10}|[0-9]{8})" + END)
MASKED = re.compile(r"[0-9A-Za-z０-９Ａ-Ｚａ-ｚ]")
# Prefixes that issuers of cards in use have, with the lengths of their numbers.
ISSUED = re.compile(
    r"(?:6[02589][0-9]{14,17}|9558[0-9]{12,15}|4[0-9]{15}|5[1-5][0-9]{14}|2[2-7][0-9]{14}|"
    r"35[0-9]{14}|3[47][0-9]{13})\Z"
)
