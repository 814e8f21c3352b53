"""Rows for people's spreadsheets: CSV that Excel reads as UTF-8 and does not execute."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from nli_faith.results import FaithfulnessResult
from nli_faith.triage.rules import Decision
from nli_faith.verdicts import ClaimResult, Evidence

BOM = b"\xef\xbb\xbf"
COLUMNS = (
    "key", "n", "id", "band", "reason", "question", "claim", "label", "support",
    "contradiction", "evidence", "counter_evidence", "flags", "verdict", "note",
)  # fmt: skip
_CHINESE = (
    "记录键", "论断号", "编号", "去向", "原因", "问题", "论断", "模型判定", "支持", "矛盾",
    "依据", "相反材料", "数字核对", "判定", "备注",
)  # fmt: skip
HEADERS: Mapping[str, tuple[str, ...]] = {"en": COLUMNS, "zh": _CHINESE}
"""Column titles by language; `column_of` reads both."""
_NAMES = {**dict(zip(_CHINESE, COLUMNS, strict=True)), **{name: name for name in COLUMNS}}
# What a spreadsheet takes for a formula at the head of a cell (OWASP, "CSV Injection"), the full
# width forms that some versions fold included; the apostrophe, so that it can be undone.
_FORMULA = frozenset("=+-@\t\r\n＝＋－＠'")


def column_of(title: str) -> str:
    """A column's name by its title in either language; the title itself when unknown."""
    plain = title.strip().lstrip("\ufeff").strip()
    return _NAMES.get(plain, _NAMES.get(plain.lower(), plain))


def escape(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe is put before it.

    Args:
        cell: Any text.
    """
    head = cell.lstrip(" \u3000\xa0")[:1]
    return "'" + cell if cell[:1] in _FORMULA or (head and head in _FORMULA) else cell


def unescape(cell: str) -> str:
    """Inverse of `escape`."""
    return cell[1:] if cell.startswith("'") else cell


def header(lang: str) -> bytes:
    """Byte order mark and column titles.

    Args:
        lang: ``zh`` or ``en``.
    """
    return BOM + csv_row(HEADERS[lang])


def csv_row(cells: Sequence[object]) -> bytes:
    """One CSV row after RFC 4180; lone surrogates, which UTF-8 cannot hold, become escapes."""
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue().encode("utf-8", "backslashreplace")


def sheet_rows(
    key: str, result: FaithfulnessResult, decision: Decision, question: str | None
) -> list[list[object]]:
    """Rows of one record: its doubtful claims; all of them, or one bare row, where none is.

    Args:
        key: The record's key.
        result: The result.
        decision: Its triage.
        question: The user's question, if known.
    """
    shown = decision.doubtful or decision.claims
    head = [escape(result.id), decision.band.value]
    if not shown:
        reason = "; ".join(decision.reasons)
        text = escape(result.error or "")
        empty: list[object] = [""] * (len(COLUMNS) - 7)
        return [[key, "", *head, reason, escape(question or ""), text, *empty]]
    return [
        [key, c.index + 1, head[0], c.band.value, c.reason, escape(question or ""),
         *_claim(result.claims[c.index]), "", ""]
        for c in shown
    ]  # fmt: skip


def _claim(claim: ClaimResult) -> list[object]:
    contradiction: Any = (
        "" if claim.contradiction != claim.contradiction else f"{claim.contradiction:.3f}"
    )
    return [
        escape(claim.text), claim.label.value, f"{claim.support:.3f}", contradiction,
        _text(claim.evidence), _text(claim.counter_evidence), escape("; ".join(claim.flags)),
    ]  # fmt: skip


def _text(evidence: Evidence | None) -> str:
    return escape(evidence.text) if evidence is not None else ""
