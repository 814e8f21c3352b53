"""What a record tells besides its measures: how many chunks, where the evidence sat, the prompt."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.measures import MeasuredRow, lookup

#: With fewer chunks than these there is no middle to speak of.
MIDDLE_FROM = 5
_ID_KEYS = ("context_ids", "retrieved_ids", "retrieved_context_ids")


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that rules may ask for; None where unknown.

    Attributes:
        contexts: Number of retrieved chunks.
        evidence: 0-based rank of the chunk that each claim's evidence is in.
        prompt: The prompt, from ``meta.prompt``.
        temperature: From ``meta.temperature``.
        latency_ms: From ``meta.latency_ms``.
        refusal: Whether the answer declines.
    """

    contexts: int | None = None
    evidence: tuple[int, ...] = ()
    prompt: str | None = None
    temperature: float | None = None
    latency_ms: float | None = None
    refusal: bool | None = None

    def values(self, constraints: Iterable[re.Pattern[str]]) -> dict[str, float]:
        """The facts as numbers under the names of the rules; unknown ones are left out.

        Args:
            constraints: What counts as a hard constraint in a prompt.
        """
        found: dict[str, float | None] = {
            "contexts": self.contexts,
            "mid_evidence": mid_share(self.evidence, self.contexts),
            "temperature": self.temperature,
            "latency_ms": self.latency_ms,
            "refusal": None if self.refusal is None else float(self.refusal),
        }
        if self.prompt is not None:
            found["prompt_constraint"] = float(any(p.search(self.prompt) for p in constraints))
        return {name: float(value) for name, value in found.items() if value is not None}


def mid_share(evidence: Iterable[int], contexts: int | None) -> float | None:
    """Share of the evidence that sits in the middle third of the chunks.

    Rank i of n is in the middle when n/3 <= i + 0.5 < 2n/3. Models overlook what stands in the
    middle of a long prompt (Liu et al. 2023, "Lost in the Middle", arXiv:2307.03172); the third is
    a convention of ours.

    Args:
        evidence: 0-based ranks.
        contexts: How many chunks there were.

    Returns:
        A share in [0, 1]; 0 for fewer than `MIDDLE_FROM` chunks, None where nothing is known.
    """
    ranks = tuple(evidence)
    if contexts is None:
        return None
    if contexts < MIDDLE_FROM:
        return 0.0
    if not ranks:
        return None
    middle = sum(contexts / 3 <= rank + 0.5 < 2 * contexts / 3 for rank in ranks)
    return middle / len(ranks)


def facts_of(row: MeasuredRow, record: Record | None = None) -> Facts:
    """The facts of one evaluated row, with the record it came from where that is at hand.

    The evidence is that of the reference's claims where ``context_recall`` was measured, which
    tells where the answer's material was, else that of the answer's claims.

    Args:
        row: An evaluated or scored row.
        record: The input record: gives the number of chunks exactly.
    """
    meta: Mapping[str, Any] = row.meta if record is None else {**record.meta, **row.meta}
    prompt = lookup(meta, "prompt")
    return Facts(
        contexts=_contexts(meta, record),
        evidence=_evidence(row),
        prompt=prompt if isinstance(prompt, str) and prompt.strip() else None,
        temperature=_number(lookup(meta, "temperature")),
        latency_ms=_number(lookup(meta, "latency_ms")),
        refusal=True if row.status == "refusal" else False if row.status == "scored" else None,
    )


def _contexts(meta: Mapping[str, Any], record: Record | None) -> int | None:
    if record is not None:
        return len(record.contexts)
    for key in _ID_KEYS:
        ids = lookup(meta, key)
        if isinstance(ids, (list, tuple)):
            return len(ids)
    return None


def _evidence(row: MeasuredRow) -> tuple[int, ...]:
    verdicts = row.details.get("context_recall", {}).get("verdicts")
    sources = [verdicts] if isinstance(verdicts, list) else []
    for claims in (*sources, row.claims):
        ranks = [rank for claim in claims if (rank := _rank(claim)) is not None]
        if ranks:
            return tuple(ranks)
    return ()


def _rank(claim: Any) -> int | None:
    evidence = claim.get("evidence") if isinstance(claim, Mapping) else None
    rank = evidence.get("context") if isinstance(evidence, Mapping) else None
    return rank if isinstance(rank, int) and not isinstance(rank, bool) else None


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        return None
    return float(value)
