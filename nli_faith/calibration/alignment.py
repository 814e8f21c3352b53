"""Which scored claims a labelled stretch of the answer is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nli_faith.verdicts import ClaimResult

#: A scored claim belongs to the labelled stretch that holds more than half of it.
SHARE = 0.5


def labelled_spans(items: Sequence[Mapping[str, Any]], answer: str) -> list[tuple[int, int] | None]:
    """Where each labelled claim stands in the answer; None where it does not.

    Given offsets are taken when they are right; else the text is looked for behind the one
    before, then anywhere.

    Args:
        items: Objects with ``text`` and perhaps ``start`` and ``end``.
        answer: The answer.
    """
    spans: list[tuple[int, int] | None] = []
    cursor = 0
    for item in items:
        text = str(item.get("text") or "").strip()
        start, end = item.get("start"), item.get("end")
        if isinstance(start, int) and isinstance(end, int) and answer[start:end].strip() == text:
            spans.append((start, end))
            cursor = end
            continue
        found = answer.find(text, cursor) if text else -1
        if found < 0 and text:
            found = answer.find(text)
        if found < 0:
            spans.append(None)
            continue
        spans.append((found, found + len(text)))
        cursor = found + len(text)
    return spans


def within(claims: Sequence[ClaimResult], span: tuple[int, int]) -> list[ClaimResult]:
    """The scored claims that lie in a labelled stretch.

    Args:
        claims: Scored claims of the answer.
        span: Offsets of the labelled stretch. A stretch inside one long claim matches too.
    """
    start, end = span
    found = []
    for claim in claims:
        shared = min(end, claim.end) - max(start, claim.start)
        length = min(claim.end - claim.start, end - start)
        if shared > SHARE * length:
            found.append(claim)
    return found


def by_text(claims: Sequence[ClaimResult], text: str) -> list[ClaimResult]:
    """The scored claims that a labelled text holds, or that hold it.

    For scored files, which keep no answer.

    Args:
        claims: Scored claims of the answer.
        text: The labelled text.
    """
    wanted = _plain(text)
    if not wanted:
        return []
    found = []
    for claim in claims:
        have = _plain(claim.text)
        if have and (have in wanted or wanted in have):
            found.append(claim)
    return found


def _plain(text: str) -> str:
    return "".join(c for c in text if not c.isspace() and c not in "*_`#")
