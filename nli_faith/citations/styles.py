"""How markers look, and the list of sources that goes with raised ones."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from nli_faith.errors import ConfigError
from nli_faith.text.chars import HAS_HAN

StyleName = Literal["[n]", "【n】", "footnote", "html"]
_QUOTE_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class Source:
    """A cited context, for the list of sources.

    Attributes:
        number: Its number in markers.
        name: What it is called.
        quote: The evidence in it.
    """

    number: int
    name: str
    quote: str


@dataclass(frozen=True, slots=True)
class Style:
    """A way to write markers.

    Attributes:
        name: Its name.
        raised: Whether markers are raised.
        mark: The marker of some contexts, by their numbers.
        text: What becomes of the answer's own text.
        sources: The list of sources, put behind the answer; empty for none.
    """

    name: StyleName
    raised: bool
    mark: Callable[[Sequence[int]], str]
    text: Callable[[str], str]
    sources: Callable[[Sequence[Source]], str]


def style_named(name: str, prefix: str = "nf") -> Style:
    """A style by its name.

    Args:
        name: ``[n]``, ``【n】``, ``footnote`` (Markdown) or ``html``.
        prefix: For ids in HTML, so that several answers fit on one page.

    Raises:
        ConfigError: There is none of this name, or the prefix is no id.
    """
    if not prefix.isascii() or not prefix.replace("-", "").replace("_", "").isalnum():
        raise ConfigError(f"prefix must be letters, digits, - and _, not {prefix!r:.40}")
    styles = {
        "[n]": Style("[n]", False, lambda n: "".join(f"[{i}]" for i in n), str, _nothing),
        "【n】": Style("【n】", False, lambda n: "".join(f"【{i}】" for i in n), str, _nothing),
        "footnote": Style(
            "footnote", True, lambda n: "".join(f"[^{i}]" for i in n), str, _footnotes
        ),
        "html": Style("html", True, _html_mark(prefix), _html_text, _html_sources(prefix)),
    }
    if name not in styles:
        raise ConfigError(f"style must be one of {', '.join(styles)}, not {name!r}")
    return styles[name]


def default_name(number: int, *, chinese: bool) -> str:
    """What a context is called that has no name: ``材料1``, ``Source 1``.

    Args:
        number: Its number in markers.
        chinese: Whether the answer is Chinese.
    """
    return f"材料{number}" if chinese else f"Source {number}"


def _nothing(sources: Sequence[Source]) -> str:
    return ""


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTE_CHARS else line[: _QUOTE_CHARS - 1] + "…"


def _described(source: Source) -> str:
    name, quote = _one_line(source.name), _one_line(source.quote)
    if not quote:
        return name
    return f"{name}：“{quote}”" if HAS_HAN.search(quote) else f'{name}: "{quote}"'


def _footnotes(sources: Sequence[Source]) -> str:
    lines = [f"[^{s.number}]: {_described(s)}" for s in sources]
    return "\n".join(lines) + "\n" if lines else ""


def _html_mark(prefix: str) -> Callable[[Sequence[int]], str]:
    def mark(numbers: Sequence[int]) -> str:
        links = "".join(f'<a href="#{prefix}-source-{n}">[{n}]</a>' for n in numbers)
        return f'<sup class="{prefix}-cite">{links}</sup>'

    return mark


def _html_text(text: str) -> str:
    """The answer's text as HTML: escaped, line breaks kept; lone surrogates replaced."""
    safe = text.encode("utf-8", "replace").decode("utf-8")
    return html.escape(safe).replace("\n", "<br>\n")


def _html_sources(prefix: str) -> Callable[[Sequence[Source]], str]:
    def sources(cited: Sequence[Source]) -> str:
        items = [
            f'<li id="{prefix}-source-{s.number}" value="{s.number}">'
            f"{_html_text(_described(s))}</li>"
            for s in cited
        ]
        body = "\n".join(items)
        return f'\n<ol class="{prefix}-sources">\n{body}\n</ol>\n' if items else ""

    return sources
