"""Four forms of a text: cleaned, simplified, folded for matching, and as the model reads it."""

from __future__ import annotations

import html
import re
import threading
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .chars import CITATION_RE, HAS_ALNUM, HAS_HAN

if TYPE_CHECKING:
    from opencc import OpenCC


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Where each code point of a cleaned text stood in the original.

    Only the places where the distance changes are kept: code points from ``starts[i]`` up to
    ``starts[i + 1]`` stood at the same position plus ``shifts[i]``.

    Attributes:
        starts: Positions in the cleaned text, ascending, the first one 0.
        shifts: Distance to the original, in code points, from that position on.
        wide: Cleaned positions whose code point replaces two (a joined surrogate pair).
    """

    starts: tuple[int, ...]
    shifts: tuple[int, ...]
    wide: frozenset[int] = frozenset()

    def position(self, index: int) -> int:
        """Original position of the cleaned code point ``index``."""
        return index + self.shifts[bisect_right(self.starts, index) - 1]

    def end(self, index: int) -> int:
        """Original position just behind the cleaned code point ``index - 1``."""
        if index == 0:
            return 0
        return self.position(index - 1) + (2 if index - 1 in self.wide else 1)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text and the way back.

    Attributes:
        text: Text with line feeds as the only line breaks and no BOM, ZWSP, NUL or surrogate.
        offsets: Map to the original, or ``None`` where positions are the same.
    """

    text: str
    offsets: OffsetMap | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original span of the cleaned span ``[start, end)``.

        Args:
            start: First code point in :attr:`text`.
            end: Behind the last one.
        """
        if self.offsets is None:
            return start, end
        return self.offsets.position(start), self.offsets.end(end)


_DIRTY: Final = re.compile(
    "\r\n|[\r\x0b\x0c\x85\u2028\u2029]|[\x00\u200b\ufeff]+"
    "|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]"
)


def _replacement(found: str) -> str:
    if found == "\r\n" or found in "\r\x0b\x0c\x85\u2028\u2029":
        return "\n"
    if found[0] in "\x00\u200b\ufeff":
        return ""
    if len(found) == 2:
        return found.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    return "\ufffd"


def clean(text: str) -> Cleaned:
    """Normalise line breaks, drop BOM, ZWSP and NUL, replace lone surrogates.

    Line breaks are CRLF, CR, VT, FF, NEL and the Unicode line and paragraph separators. A high
    and a low surrogate side by side become the code point that they encode; any other surrogate
    becomes U+FFFD.

    Args:
        text: Any string.

    Returns:
        The cleaned text; ``offsets`` is ``None`` unless some position moved.
    """
    first = _DIRTY.search(text)
    if first is None:
        return Cleaned(text)
    parts: list[str] = []
    starts, shifts, wide = [0], [0], []
    done = length = 0
    for match in _DIRTY.finditer(text, first.start()):
        start, end = match.span()
        found = match.group()
        new = _replacement(found)
        parts.append(text[done:start])
        parts.append(new)
        length += start - done
        if len(new) != end - start:
            if found != "\r\n" and new:
                wide.append(length)
            length += len(new)
            if starts[-1] == length:
                shifts[-1] = end - length
            else:
                starts.append(length)
                shifts.append(end - length)
        else:
            length += len(new)
        done = end
    parts.append(text[done:])
    cleaned = "".join(parts)
    if len(cleaned) == len(text):
        return Cleaned(cleaned)
    return Cleaned(cleaned, OffsetMap(tuple(starts), tuple(shifts), frozenset(wide)))


_converter: OpenCC | None = None
_converter_lock: Final = threading.Lock()


def _t2s() -> OpenCC:
    """The one converter of the process; loading its dictionaries takes a few milliseconds."""
    global _converter
    if _converter is None:
        with _converter_lock:
            if _converter is None:
                from opencc import OpenCC

                _converter = OpenCC("t2s")
    return _converter


def to_simplified(text: str) -> str:
    """Traditional Chinese to Simplified (OpenCC ``t2s``); anything else is left as it is.

    Thread-safe. OpenCC runs at tens of millions of characters a second, so no attempt is made
    to guess whether a text is Traditional: only texts without any ideograph are skipped.

    Args:
        text: Any string; lone surrogates become U+FFFD.
    """
    if text.isascii() or HAS_HAN.search(text) is None:
        return text
    try:
        converted: str = _t2s().convert(text)
    except UnicodeEncodeError:
        converted = _t2s().convert(clean(text).text)
    return converted


_FOLD_TABLE: Final = {
    **{0xFF10 + i: chr(0x30 + i) for i in range(10)},
    **{0xFF21 + i: chr(0x41 + i) for i in range(26)},
    **{0xFF41 + i: chr(0x61 + i) for i in range(26)},
    ord("％"): "%",
    ord("．"): ".",
    ord("－"): "-",
    ord("／"): "/",
}
_FULL_WIDTH: Final = re.compile("[０-９Ａ-Ｚａ-ｚ％．－／]")


def fold(text: str) -> str:
    """The form in which words and numbers are compared.

    Simplified, case-folded, full-width digits, letters and ``％．－／`` as ASCII. Other
    punctuation stays, because ``，`` and ``,`` do not mean the same beside digits.

    Args:
        text: Any string.
    """
    text = to_simplified(text)
    if _FULL_WIDTH.search(text) is not None:
        text = text.translate(_FOLD_TABLE)
    return text.casefold()


_MARKUP_HINT: Final = re.compile(
    r"[*_`\[【<^~&¹²³⁰⁴-⁹#>]|[（(](?:来源|來源|资料|資料|出处|出處|引用|参考|參考|文档|文檔|材料|片段"
    r"|citation|source|doc|ref)",
    re.I,
)
_FENCE_LINE: Final = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n]{0,40}$", re.M)
_IMAGE_OR_LINK: Final = re.compile(
    r"!?\[([^\[\]\n]{0,300})\]"
    r"\((?:[^()\s]|\([^()\s]{0,100}\)){0,500}(?:[ ]\"[^\"\n]{0,100}\")?\)"
)
_INLINE_TAG: Final = re.compile(
    r"</?(?:b|i|u|s|em|strong|span|sub|sup|mark|font|a|code|small|big|del|ins)"
    r"(?:[ ][^<>\n]{0,300})?>",
    re.I,
)
_BLOCK_TAG: Final = re.compile(
    r"</?(?:p|br|hr|div|li|ul|ol|h[1-6]|t[dhr]|table|tbody|thead|pre|center|img)"
    r"(?:[ /][^<>\n]{0,300})?>",
    re.I,
)
# Single * and _ count as emphasis only in pairs with a word border outside: 长*宽*高, snake_case.
_STRONG: Final = re.compile(r"\*{2,}|~~|`+")
_EMPHASIS: Final = re.compile(
    r"(?<!\w)(?:\*(?=\S)([^*\n]{1,200})(?<=\S)\*|__?(?=\S)([^_\n]{1,200})(?<=\S)__?(?!\w))"
)
_HEAD_MARK: Final = re.compile(r"^[ \t]*#{1,6}[ \t]+|^[ \t]*>+[ \t]?", re.M)
_ENTITY: Final = re.compile(r"&(?:[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});", re.I)
_SPACE: Final = re.compile(r"\s+")
_SPACE_BEFORE_STOP: Final = re.compile(r" (?=[。，、；：！？）】》”’」』])")


def model_text(text: str) -> str:
    """The text as the NLI model reads it.

    Markdown emphasis, backticks, the address part of links, simple HTML tags and citation
    markers (``[1]``, ``[2][3]``, ``【3】``, ``^1^``, ``[^1]``, ``（来源1）``) are removed, the
    rest is simplified and its white space collapsed.

    Args:
        text: A segment's text or any other string.

    Returns:
        The readable text. It has a letter, ideograph or digit if ``text`` has one: where
        removing markup would leave nothing (a bare ``[1]``), the markup stays.
    """
    plain = clean(text).text
    if _MARKUP_HINT.search(plain) is not None:
        stripped = _strip_markup(plain)
        if HAS_ALNUM.search(stripped) is not None or HAS_ALNUM.search(plain) is None:
            plain = stripped
    return _SPACE.sub(" ", to_simplified(plain)).strip()


def _strip_markup(text: str) -> str:
    text = _FENCE_LINE.sub("", text)
    if "<" in text:
        text = CITATION_RE.sub("", text)
        text = _BLOCK_TAG.sub(" ", _INLINE_TAG.sub("", text))
    if "](" in text:
        text = _IMAGE_OR_LINK.sub(r"\1", text)
    text = CITATION_RE.sub("", text)
    if "#" in text or ">" in text:
        text = _HEAD_MARK.sub("", text)
    text = _STRONG.sub("", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(lambda m: m.group(1) or m.group(2), text)
    if "&" in text:
        text = _ENTITY.sub(lambda m: html.unescape(m.group()), text)
    return _SPACE_BEFORE_STOP.sub("", text)
