"""One record as the page reads it: texts, and where in them each claim and its evidence stands.

All offsets are UTF-16 units into the text beside them, as JavaScript counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.report.places import Units, fits
from nli_faith.results import FaithfulnessResult
from nli_faith.verdicts import ClaimResult, Evidence, json_number

_HEAD = 120
_LINES = ("heading", "code")


def record_payload(
    result: FaithfulnessResult, record: Record | None, question: str | None = None
) -> dict[str, Any]:
    """A result, with its record where there is one, as JSON for the page.

    Args:
        result: The result.
        record: The record it was made from. One that does not fit its offsets is not used.
        question: Shown where there is no record.

    Returns:
        ``answer`` with ``parts`` (start, end, number of the claim or -1, kind), ``claims``,
        ``contexts`` (None where they are unknown), ``mismatch`` where a record was refused.
    """
    used = record if record is not None and fits(result, record) else None
    answer, parts = _whole(result, used.answer) if used else _rebuilt(result)
    places = [Units(c) for c in used.contexts] if used else None
    return {
        "question": used.question if used else question,
        "answer": answer,
        "parts": parts,
        "claims": [_claim(c, places) for c in result.claims],
        "contexts": list(used.contexts) if used else None,
        "reference": used.reference if used else None,
        "mismatch": record is not None and used is None,
        "rebuilt": used is None,
        "thresholds": result.thresholds.to_dict() if result.thresholds else None,
        "truncated": result.truncated,
        "dropped_contexts": result.dropped_contexts,
        "error": result.error,
        "meta": dict(result.meta),
        "model": result.scorer.model if result.scorer else None,
    }


def head_of(result: FaithfulnessResult, record: Record | None) -> str:
    """A line to know a record by: its question, else how its answer begins."""
    text = (record.question if record else None) or _rebuilt(result)[0]
    return " ".join(text[: 2 * _HEAD].split())[:_HEAD]


def _whole(result: FaithfulnessResult, answer: str) -> tuple[str, list[list[Any]]]:
    """The answer as it was, and where its segments are; none overlaps the one before."""
    at = Units(answer)
    parts: list[list[Any]] = []
    last = 0
    for start, end, number, kind in _segments(result):
        start = max(start, last)
        if end > start:
            parts.append([at(start), at(end), number, kind])
            last = end
    return answer, parts


def _rebuilt(result: FaithfulnessResult) -> tuple[str, list[list[Any]]]:
    """The answer put together from its segments: only what stood between them is lost."""
    text: list[str] = []
    size, last, before = 0, 0, ""
    parts: list[list[Any]] = []
    for start, end, number, kind in _segments(result):
        piece = result.claims[number].text if number >= 0 else _other(result, start, end)
        gap = start - last
        if text and (gap > 0 or before in _LINES):
            text.append("\n" if gap > 1 or before in _LINES else " ")
            size += 1
        wide = Units(piece)(len(piece))
        parts.append([size, size + wide, number, kind])
        text.append(piece)
        size, last, before = size + wide, max(last, end), kind
    return "".join(text), parts


def _segments(result: FaithfulnessResult) -> list[tuple[int, int, int, str]]:
    """Start, end, number of the claim (-1 for none) and kind, in the answer's order."""
    claims = [(c.start, c.end, i, "claim") for i, c in enumerate(result.claims)]
    others = [(s.start, s.end, -1, s.kind.value) for s in result.non_claims]
    return sorted([*claims, *others], key=lambda s: (s[0], s[1]))


def _other(result: FaithfulnessResult, start: int, end: int) -> str:
    return next(s.text for s in result.non_claims if (s.start, s.end) == (start, end))


def _claim(claim: ClaimResult, places: Sequence[Units] | None) -> dict[str, Any]:
    out: dict[str, Any] = {
        "text": claim.text,
        "label": claim.label.value,
        "support": json_number(claim.support),
        "combined": json_number(claim.combined),
        "contradiction": json_number(claim.contradiction),
        "overlap": json_number(claim.overlap),
        "flags": list(claim.flags),
        "capped": claim.capped,
        "conflict": claim.conflict,
        "signals": {k: round(v, 2) for k, v in claim.signals.items() if abs(v) >= 0.005},
        "evidence": _evidence(claim.evidence, places),
        "counter": _evidence(claim.counter_evidence, places),
    }
    if claim.model:
        out["model"] = claim.model
    if claim.thresholds is not None:
        out["thresholds"] = claim.thresholds.to_dict()
    return out


def _evidence(evidence: Evidence | None, places: Sequence[Units] | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    out: dict[str, Any] = {
        "context": evidence.context,
        "text": evidence.text,
        "probs": [json_number(p) for p in evidence.probs],
        "joined": len(evidence.spans),
    }
    if places is not None:
        at = places[evidence.context]
        out["start"], out["end"] = at(evidence.start), at(evidence.end)
        out["spans"] = [
            [c, places[c](a), places[c](z)] for c, a, z in evidence.spans if 0 <= c < len(places)
        ]
    return out
