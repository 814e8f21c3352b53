"""The language of a report."""

from __future__ import annotations

from typing import Literal

from nli_faith.cli.render import words


def resolve(lang: str) -> Literal["zh", "en"]:
    """``zh`` or ``en``.

    Args:
        lang: ``zh``, ``en``, or ``auto`` for the locale's.
    """
    return "zh" if words(lang) is words("zh") else "en"
