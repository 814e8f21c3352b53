"""Retrieval measured by ids: which of the relevant chunks came back, and at which rank.

The relevant ids are ``Record.relevant_ids``, or ``meta.reference_context_ids`` (Ragas). The
retrieved ids are in rank order under one of `RETRIEVED_KEYS` in ``meta``, where the reader puts
every column it has no field for: a list of strings or numbers, or its JSON text (a CSV cell). An id
that comes twice counts at its first rank. Relevance is yes or no.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError
from nli_faith.metrics.base import MetricStatus, MetricValue, missing, nothing
from nli_faith.metrics.engine import EntailmentEngine

RETRIEVED_KEYS: Final = ("context_ids", "retrieved_ids", "retrieved_context_ids")
"""Keys of ``meta`` that may hold the retrieved ids; the first one present is taken."""

RELEVANT_KEY: Final = "reference_context_ids"
"""Key of ``meta`` read where the record has no ``relevant_ids``: Ragas' name."""


class _RankMetric(ABC):
    """Ids in, one number out; see the subclasses for the formulas."""

    name: ClassVar[str] = ""
    required: ClassVar[tuple[str, ...]] = ("relevant_ids",)
    higher_is_better: ClassVar[bool] = True
    default_k: ClassVar[int | None] = None

    def __init__(self, k: int | None = None) -> None:
        """Choose the cut-off.

        Args:
            k: Ranks looked at, at least 1; all that were retrieved when None.

        Raises:
            ConfigError: ``k`` is no positive integer.
        """
        k = self.default_k if k is None else k
        if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
            raise ConfigError(f"{self.name}: k must be a positive integer, not {k!r}")
        self.k = k

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record; no model is asked.

        Args:
            record: Needs ``relevant_ids`` and, in ``meta``, the retrieved ids.
            engine: Not used.
        """
        try:
            relevant = relevant_ids(record)
            retrieved = retrieved_ids(record)
        except ValueError as error:
            return MetricValue(math.nan, MetricStatus.ERROR, str(error))
        if not relevant:
            return missing("relevant_ids")
        if retrieved is None:
            return missing(f"retrieved ids (meta.{', meta.'.join(RETRIEVED_KEYS)})")
        top = retrieved if self.k is None else retrieved[: self.k]
        hits = [i in relevant for i in top]
        details = {
            "k": self.k,
            "retrieved": len(retrieved),
            "relevant": len(relevant),
            "hits": [rank for rank, hit in enumerate(hits, 1) if hit],
            "missed": sorted(relevant - set(top)),
        }
        if not top and self.k is None and isinstance(self, PrecisionAtK):
            return nothing("nothing was retrieved", **details)
        return MetricValue(self._value(hits, len(relevant)), details=details)

    @abstractmethod
    def _value(self, hits: Sequence[bool], relevant: int) -> float:
        """The figure, from which of the top chunks are relevant and how many are in all."""


class RecallAtK(_RankMetric):
    """Share of the relevant chunks among the first k: ``hits / relevant``.

    Range [0, 1], higher is better. NaN without relevant or retrieved ids.
    """

    name: ClassVar[str] = "recall_at_k"

    def _value(self, hits: Sequence[bool], relevant: int) -> float:
        return sum(hits) / relevant


class PrecisionAtK(_RankMetric):
    """Share of relevant chunks among the first k: ``hits / k``.

    With a stated k, fewer than k retrieved chunks count as misses (as trec_eval has it); without
    one the number retrieved is the divisor. Range [0, 1], higher is better. NaN without relevant
    or retrieved ids.
    """

    name: ClassVar[str] = "precision_at_k"

    def _value(self, hits: Sequence[bool], relevant: int) -> float:
        return sum(hits) / (self.k or len(hits))


class MRR(_RankMetric):
    """Reciprocal rank of the first relevant chunk: ``1 / rank``, 0 if none is in the first k.

    Range [0, 1], higher is better; its mean over records is the mean reciprocal rank.
    """

    name: ClassVar[str] = "mrr"

    def _value(self, hits: Sequence[bool], relevant: int) -> float:
        return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)


class HitRate(_RankMetric):
    """1 if any relevant chunk is among the first k, else 0. Higher is better."""

    name: ClassVar[str] = "hit_rate"

    def _value(self, hits: Sequence[bool], relevant: int) -> float:
        return float(any(hits))


class NDCG(_RankMetric):
    """Normalised discounted cumulative gain with gains of 0 and 1.

    ``sum_hits 1 / log2(rank + 1)`` divided by the same sum over the best possible ranking of
    ``min(relevant, k)`` chunks (Järvelin and Kekäläinen 2002). Range [0, 1], higher is better.
    Without k the best ranking may have all relevant chunks, also those that were not retrieved.
    """

    name: ClassVar[str] = "ndcg"

    def _value(self, hits: Sequence[bool], relevant: int) -> float:
        best = relevant if self.k is None else min(relevant, self.k)
        gain = sum(_discount(rank) for rank, hit in enumerate(hits, 1) if hit)
        # Sums of the same terms in another order may differ in the last bit.
        return min(1.0, gain / sum(_discount(rank) for rank in range(1, best + 1)))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def retrieved_ids(record: Record) -> list[str] | None:
    """Ids of the retrieved chunks in rank order, each once; None where ``meta`` has none.

    Raises:
        ValueError: What stands there is no list of ids.
    """
    for key in RETRIEVED_KEYS:
        if record.meta.get(key) is not None:
            return _ids(record.meta[key], f"meta.{key}")
    return None


def relevant_ids(record: Record) -> set[str]:
    """Ids of the relevant chunks.

    Raises:
        ValueError: ``meta.reference_context_ids`` is no list of ids.
    """
    if record.relevant_ids:
        return {_id(i) or str(i) for i in record.relevant_ids}
    given = record.meta.get(RELEVANT_KEY)
    return set() if given is None else set(_ids(given, f"meta.{RELEVANT_KEY}"))


def _ids(value: Any, place: str) -> list[str]:
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                value = json.loads(text)
            except json.JSONDecodeError:
                raise ValueError(f"{place} is no list of ids: {text!r:.60}") from None
        else:
            value = [text] if text else []
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, Sequence) or isinstance(value, (bytes, Mapping)):
        raise ValueError(f"{place} is no list of ids: {value!r:.60}")
    ids = [_id(item) for item in value]
    for item, found in zip(value, ids, strict=True):
        if found is None:
            raise ValueError(f"{place} holds {item!r:.60}, which is no id")
    return list(dict.fromkeys(i for i in ids if i))


def _id(value: Any) -> str | None:
    """An id as the reader writes ``relevant_ids``: 17 and 17.0 are ``"17"``."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, float) or not math.isfinite(value):
        return None
    return str(int(value)) if value.is_integer() else repr(value)
