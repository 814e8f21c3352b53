"""Puts a page together: template, styles and scripts of the package, and data, in one file.

User data is in the page only as JSON inside ``<script type="application/json">``, with every
character escaped that HTML or JavaScript could read as more than text; scripts put it on the page
as text nodes. A Content-Security-Policy allows the package's own script and styles by their hash,
and no connection to anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

from nli_faith.io import dumps, loads

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_UNSAFE = {
    b"<": b"\\u003c",
    b">": b"\\u003e",
    b"&": b"\\u0026",
    b"\xe2\x80\xa8": b"\\u2028",
    b"\xe2\x80\xa9": b"\\u2029",
}
_UNSAFE_PATTERN = re.compile(b"|".join(map(re.escape, _UNSAFE)))


def asset(package: str, name: str) -> str:
    """A text file of the package.

    Args:
        package: ``nli_faith.report`` or ``nli_faith.review``.
        name: File name under its ``assets``.
    """
    return resources.files(package).joinpath("assets").joinpath(name).read_text(encoding="utf-8")


def safe_json(value: Any) -> str:
    """JSON that may stand inside an HTML script element, whatever text it holds.

    Args:
        value: Anything `nli_faith.io.dumps` takes; lone surrogates come out as escapes.
    """
    data = _UNSAFE_PATTERN.sub(lambda m: _UNSAFE[m.group()], dumps(value))
    return data.decode("utf-8")


def data_block(name: str, value: Any) -> str:
    """A script element that holds data and is never run.

    Args:
        name: Its id: letters, digits and hyphens.
        value: The data.
    """
    return f'<script type="application/json" id="{name}">{safe_json(value)}</script>\n'


def words(package: str) -> dict[str, dict[str, str]]:
    """Interface words by language: the common ones and the package's own.

    Args:
        package: See `asset`.
    """
    common = loads(asset("nli_faith.report", "words.common.json").encode())
    own = loads(asset(package, "words.json").encode())
    return {lang: {**common[lang], **own[lang]} for lang in ("zh", "en")}


def assemble(package: str, *, title: str, lang: str, blocks: Iterable[str],
             connect: str = "'none'") -> bytes:  # fmt: skip
    """The page.

    Args:
        package: Whose ``page.html``, ``page.css`` and scripts to use.
        title: Its title, any text.
        lang: Language to begin with: ``zh``, ``en``, or ``auto`` for the browser's.
        blocks: Data blocks.
        connect: What the page may connect to, for the policy.
    """
    names = loads(asset(package, "scripts.json").encode())
    style = asset("nli_faith.report", "common.css") + asset(package, "page.css")
    script = "".join(
        asset("nli_faith.report" if name.startswith("common") else package, name) for name in names
    )
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        f"connect-src {connect}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    slots: Mapping[str, str] = {
        "policy": html.escape(policy, quote=True),
        "title": html.escape(title),
        "lang": {"zh": "zh-CN", "en": "en"}.get(lang, "zh-CN"),
        "start": html.escape(lang),
        "style": style,
        "script": script,
        "data": "".join([data_block("words", words(package)), *blocks]),
    }
    page = _SLOT.sub(lambda m: slots[m.group(1)], asset(package, "page.html"))
    return page.encode("utf-8", "replace")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
