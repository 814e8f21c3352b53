"""Scores texts pairwise: tokenise once, dedupe, look up, batch by length, run, scatter back."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nli_faith.backends.base import EntailmentBackend
from nli_faith.backends.batching import PairIds
from nli_faith.cache import PairCache
from nli_faith.pairing import TokenIds, fit_ids

# Premise texts in order, and the claim.
PairTexts = tuple[tuple[str, ...], str]
_ENTAILMENT, _CONTRADICTION = 0, 2


@dataclass(slots=True)
class RunStats:
    """What a run did, for summaries and benchmarks. Times in seconds.

    Attributes:
        pairs_requested: Pairs asked for by the planner.
        pairs_unique: Different pairs among them.
        pairs_cached: Different pairs that the cache knew.
        pairs_run: Pairs that went through the model.
        tokens_run: Tokens in those.
        seconds: Time by stage: split, tokenise, plan, model, judge.
        second: The same of the second model of a cascade.
    """

    pairs_requested: int = 0
    pairs_unique: int = 0
    pairs_cached: int = 0
    pairs_run: int = 0
    tokens_run: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    second: RunStats | None = None

    def lap(self, stage: str, since: float) -> float:
        """Book the time since ``since`` (``time.perf_counter``) and return now."""
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - since
        return now

    def add(self, other: RunStats) -> None:
        """Count another part of the same run in."""
        for name in ("requested", "unique", "cached", "run"):
            key = f"pairs_{name}"
            setattr(self, key, getattr(self, key) + getattr(other, key))
        self.tokens_run += other.tokens_run
        for stage, seconds in other.seconds.items():
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds
        if other.second is not None:
            self.second = self.second or RunStats()
            self.second.add(other.second)


class TokenStore:
    """Token ids of texts, each text tokenised once. Not shared between threads."""

    def __init__(self, backend: EntailmentBackend) -> None:
        """Start empty.

        Args:
            backend: Whose tokenizer to use.
        """
        self._backend = backend
        self._ids: dict[str, TokenIds] = {}

    def add(self, texts: Iterable[str]) -> None:
        """Tokenise the texts that are new, in one call."""
        new = [t for t in dict.fromkeys(texts) if t not in self._ids]
        if new:
            self._ids.update(zip(new, self._backend.encode(new), strict=True))

    def __getitem__(self, text: str) -> TokenIds:
        return self._ids[text]

    def count(self, text: str) -> int:
        """Tokens of a text added before."""
        return len(self._ids[text])

    def premise_parts(self, texts: tuple[str, ...]) -> list[TokenIds]:
        """Ids of a premise's texts; of their join, where this tokenizer needs it whole."""
        if len(texts) > 1 and not self._backend.concat_safe:
            whole = " ".join(texts)
            self.add((whole,))
            return [self._ids[whole]]
        return [self._ids[t] for t in texts]


class PairScorer:
    """Runs (premise, hypothesis) pairs through a backend. Thread-safe."""

    def __init__(
        self, backend: EntailmentBackend, *, batch_tokens: int, cache: PairCache | None = None
    ) -> None:
        """Wrap a backend.

        Args:
            backend: The entailment model.
            batch_tokens: Padded tokens in one model call.
            cache: Pair probabilities of earlier runs.
        """
        self._backend = backend
        self._batch_tokens = batch_tokens
        self._cache = cache

    def score(
        self, pairs: Sequence[PairTexts], tokens: TokenStore, stats: RunStats
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Probabilities of pairs, in the order given.

        Args:
            pairs: Premise texts and claim; all texts are in ``tokens``.
            tokens: Their ids.
            stats: Counted up.

        Returns:
            (n, 3) probabilities (entailment, neutral, contradiction), and (n,) whether the
            claim had to be cut to fit the model.
        """
        unique = {pair: i for i, pair in enumerate(dict.fromkeys(pairs))}
        where = np.fromiter((unique[p] for p in pairs), dtype=np.int64, count=len(pairs))
        stats.pairs_requested += len(pairs)
        stats.pairs_unique += len(unique)
        room = self._backend.max_length - self._backend.template.overhead
        ids: list[PairIds] = []
        owner: list[int] = []
        cut = np.zeros(len(unique), dtype=bool)
        for (premise, claim), i in unique.items():
            parts = tokens.premise_parts(premise)
            pieces, hypothesis, cut[i] = fit_ids(parts, tokens[claim], room=room)
            ids.extend(PairIds(piece, hypothesis) for piece in pieces)
            owner.extend([i] * len(pieces))
        probs = _most_decided(self._lookup(ids, stats), owner, len(unique))
        return probs[where], cut[where]

    def _lookup(self, ids: Sequence[PairIds], stats: RunStats) -> NDArray[np.float32]:
        if self._cache is None:
            return self._run(ids, stats)
        parts = (self._backend.sha256, self._backend.precision, self._backend.variant)
        model = ":".join(part for part in parts if part)
        keys = [PairCache.key(model, p.premise_ids, p.hypothesis_ids) for p in ids]
        known = self._cache.get(keys)
        probs = np.empty((len(ids), 3), dtype=np.float32)
        missing = [i for i, key in enumerate(keys) if key not in known]
        for i, key in enumerate(keys):
            if key in known:
                probs[i] = known[key]
        stats.pairs_cached += len(ids) - len(missing)
        if missing:
            probs[missing] = self._run([ids[i] for i in missing], stats)
            self._cache.put([keys[i] for i in missing], probs[missing])
        return probs

    def _run(self, ids: Sequence[PairIds], stats: RunStats) -> NDArray[np.float32]:
        stats.pairs_run += len(ids)
        stats.tokens_run += sum(self._backend.template.length(p) for p in ids)
        return self._backend.predict_pairs(ids, self._batch_tokens)


def _most_decided(probs: NDArray[np.float32], owner: Sequence[int], n: int) -> NDArray[np.float32]:
    """One row for each pair: of a premise read in pieces, the piece that says most."""
    if len(owner) == n:
        return probs
    out = np.empty((n, 3), dtype=np.float32)
    strength = np.full(n, -1.0)
    for row, i in zip(probs, owner, strict=True):
        said = max(float(row[_ENTAILMENT]), float(row[_CONTRADICTION]))
        if said > strength[i]:
            strength[i] = said
            out[i] = row
    return out
