"""A backend whose numbers can be worked out by hand."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from nli_faith.backends import EntailmentBackend, PairTemplate, TokenBatch
from nli_faith.datamodels import Thresholds

PAD, BOS, SEP = 0, 1, 2


class CharBackend(EntailmentBackend):
    """Tokens are code points. P(entailment) is the share of the claim's characters that the
    premise holds; a premise with 不 or 未 where the claim has neither, or the other way round,
    contradicts to the same degree."""

    name = "char"
    sha256 = "c" * 64
    precision = "exact"
    provider = "test"
    threads = 1
    two_class = False
    concat_safe = True
    template = PairTemplate(
        prefix=(BOS,), middle=(SEP,), suffix=(SEP,), pad_id=PAD,
        prefix_types=(0,), middle_types=(0,), suffix_types=(0,),
    )  # fmt: skip
    thresholds = Thresholds(0.8, 0.6)

    def __init__(self, max_length: int = 512, concat_safe: bool = True) -> None:
        self._max_length = max_length
        self.concat_safe = concat_safe
        self.encoded: list[str] = []
        self.batches: list[tuple[int, int]] = []
        self._lock = threading.Lock()

    @property
    def max_length(self) -> int:
        return self._max_length

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        with self._lock:
            self.encoded.extend(texts)
        return [np.array([ord(c) for c in t if not c.isspace()], dtype=np.int32) for t in texts]

    def predict_proba(self, batch: TokenBatch) -> np.ndarray:
        with self._lock:
            self.batches.append(batch.input_ids.shape)
        return np.array([self._row(ids[ids != PAD]) for ids in batch.input_ids], dtype=np.float32)

    def _row(self, ids: np.ndarray) -> tuple[float, float, float]:
        cut = int(np.flatnonzero(ids == SEP)[0])
        premise, claim = set(ids[1:cut]), [int(i) for i in ids[cut + 1 : -1]]
        held = sum(i in premise for i in claim) / max(1, len(claim))
        negative = [bool({ord("不"), ord("未")} & side) for side in (premise, set(claim))]
        if negative[0] != negative[1]:
            return (0.0, 1 - held, held)
        return (held, 1 - held, 0.0)
