"""Character classes and small patterns that the text stages share.

Every pattern here is linear: alternatives start with disjoint characters, and repetitions are
of one class or bounded.
"""

from __future__ import annotations

import re
from typing import Final

# Ideographs, kana, CJK punctuation, full-width forms: text that is written without spaces.
CJK: Final = (
    "\u2e80-\u2fdf\u3000-\u30ff\u3100-\u312f\u31a0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    "\uff00-\uffef\U00020000-\U0003ffff"
)
# Ideographs and kana only.
HAN: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# Pictographs and what modifies them; dingbat digits (❶ ➀, U+2776 to U+2793) are text.
EMOJI: Final = (
    "\u2600-\u2775\u2794-\u27bf\u2b00-\u2bff\ufe0e\ufe0f\u200d\u20e3"
    "\U0001f000-\U0001f0ff\U0001f170-\U0001faff\U000e0020-\U000e007f"
)
# The same signs as one string, for str.strip.
EMOJI_SIGNS: Final = "".join(
    chr(code)
    for low, high in (
        (0x2600, 0x2775), (0x2794, 0x27BF), (0x2B00, 0x2BFF), (0xFE0E, 0xFE0F),
        (0x200D, 0x200D), (0x20E3, 0x20E3), (0x1F000, 0x1F0FF), (0x1F170, 0x1FAFF),
        (0xE0020, 0xE007F),
    )
    for code in range(low, high + 1)
)  # fmt: skip
CN_DIGITS: Final = "零〇一二三四五六七八九十百两"
CIRCLED: Final = "①-⑳㉑-㉟㊱-㊿⑴-⒛❶-❿➀-➓㈠-㈩⒜-⒵Ⓐ-ⓩ"

HAS_ALNUM: Final = re.compile(r"[^\W_]")
IS_CJK: Final = re.compile(f"[{CJK}]")
HAS_HAN: Final = re.compile(f"[{HAN}]")

# Characters that end a sentence wherever they stand, and those that need a closer look.
STRONG_STOPS: Final = frozenset("。！？｡‼⁇⁈⁉")
STOPS: Final = "。！？｡‼⁇⁈⁉!?.．…"
TERMINATOR_RUN: Final = re.compile("[。！？｡‼⁇⁈⁉!?.．…]+")

CLOSERS: Final = "”’」』）)】》〉〕］]｝}\"'"

_CITE_NAME: Final = (
    r"(?:\^|(?:citation|source|doc(?:ument)?|ref(?:erence)?|来源|來源|出处|出處|参考|參考|文档|文檔"
    r"|文献|文獻|资料|資料|材料|片段|引用|引文|注|註)[ ]?[:：#]?[ ]?)?"
)
_CITE_NUMBERS: Final = r"\d{1,3}(?:[ ]?[,，、;；\-–—~～][ ]?\^?\d{1,3}){0,20}"
# [1] [2,3] [1-4] [^1] [citation:1] [来源1] 【3】 【3†source】 （来源1） ^1^ <sup>1</sup> ¹ [1](url)
CITATION: Final = (
    rf"(?:\^?\[{_CITE_NAME}{_CITE_NUMBERS}\](?:\([^()\s]{{0,200}}\))?"
    rf"|【{_CITE_NAME}{_CITE_NUMBERS}(?:[†:：][^】\n]{{0,40}})?】"
    r"|[（(](?:citation|source|doc|ref|来源|來源|资料来源|資料來源|出处|出處|引用|参考|參考|文档|文檔"
    rf"|资料|資料|材料|片段)[ ]?[:：]?[ ]?{_CITE_NUMBERS}[）)]"
    r"|\^\d{1,3}\^|(?<![0-9A-Za-z)\]])\^\d{1,3}"
    r"|<sup>\[?\d{1,3}\]?</sup>"
    r"|(?<![0-9A-Za-z)\]])[¹²³⁰⁴-⁹]+)"  # not m² nor 10³
)
CITATION_RE: Final = re.compile(CITATION, re.IGNORECASE)

# A short note after a sentence that belongs to it: （来源：新华社） （见附件） （完）
_NOTE: Final = (
    r"[（(](?:(?:资料|資料|图片|圖片)?(?:来源|來源|出处|出處)|参考|參考|参见|參見|见|見|详见|詳見|引自|据"
    r"|source|see)(?![）)])[^（）()\n]{1,40}[）)]"
    r"|[（(]全?文?完[）)]|\^?\[[A-Z]\](?![(A-Za-z0-9])"
    r"|[\[【](?:资料|資料|图片|圖片)?(?:来源|來源|出处|出處|引自|source)"
    r"[ ]?[:：][^\[\]【】\n]{1,60}[\]】]"
    r"|[（(]\[[^\[\]\n]{1,40}\]\([^()\s]{1,200}\)[）)]"
    r"|\[(?:来源|來源|出处|出處|原文|链接|鏈接|source|link)[^\[\]\n]{0,20}\]\([^()\s]{1,200}\)"
)
# What stays with the sentence on its left, after the terminator.
TAIL: Final = re.compile(
    rf"(?:[{re.escape(CLOSERS)}]+|[{EMOJI}～~]+|[ \t](?![✓✔✅☑➤▶►])[{EMOJI}]+|[*_]{{1,3}}|`"
    rf"|[ \t]{{0,4}}{CITATION}|[ \t]{{0,4}}(?:{_NOTE}))*",
    re.IGNORECASE,
)
TAIL_START: Final = re.compile(rf"[{re.escape(CLOSERS)}{EMOJI}～~*_`\[【（(^<¹²³⁰⁴-⁹ \t]")


def either(*words: str) -> str:
    """A regular expression group that matches any of the words.

    Args:
        words: Alternatives, each argument may hold several, separated by white space.
    """
    return "(?:" + "|".join(" ".join(words).split()) + ")"


def word_set(*words: str) -> frozenset[str]:
    """The words as a set; each argument may hold several, separated by white space.

    Args:
        words: Words.
    """
    return frozenset(" ".join(words).split())
