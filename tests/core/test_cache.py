"""The pair cache gives back what was put in, to the same model only."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from nli_faith.cache import PairCache
from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Record
from nli_faith.errors import CacheError
from nli_faith.inference import RunStats
from nli_faith.scorer import FaithfulnessScorer

from .fakes import CharBackend

ROWS = [Record(id="1", answer="电池保修一年。", contexts=("整机保修两年。电池保修一年。",))]


def run(path, backend=None):
    backend = backend or CharBackend()
    stats = RunStats()
    with PairCache(path) as cache:
        scorer = FaithfulnessScorer(
            backend, thresholds=backend.thresholds, config=ScorerConfig(), cache=cache
        )
        return [r.to_dict() for r in scorer.score_records(ROWS, stats=stats)], stats


def test_second_run_asks_the_model_nothing(tmp_path):
    first, stats = run(tmp_path / "pairs.sqlite")
    assert stats.pairs_run == stats.pairs_unique > 0
    again, stats = run(tmp_path / "pairs.sqlite")
    assert stats.pairs_run == 0
    assert stats.pairs_cached == stats.pairs_unique
    assert again == first


def test_another_model_shares_nothing(tmp_path):
    run(tmp_path / "pairs.sqlite")
    other = CharBackend()
    other.sha256 = "d" * 64
    _, stats = run(tmp_path / "pairs.sqlite", other)
    assert stats.pairs_cached == 0


def test_keys_tell_premise_from_hypothesis():
    a, b = np.array([1, 2], dtype=np.int32), np.array([3], dtype=np.int32)
    keys = {PairCache.key("m", a, b), PairCache.key("m", b, a), PairCache.key("n", a, b),
            PairCache.key("m", np.array([1], dtype=np.int32), np.array([2, 3], dtype=np.int32))}  # fmt: skip
    assert len(keys) == 4


def test_a_file_that_is_no_cache_is_named(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("这不是数据库" * 100, encoding="utf-8")
    with pytest.raises(CacheError, match=r"notes\.txt"):
        PairCache(path)


def test_many_keys(tmp_path):
    keys = [PairCache.key("m", np.array([i], dtype=np.int32), np.array([0], dtype=np.int32)) for i in range(2000)]  # fmt: skip
    probs = np.random.default_rng(0).random((2000, 3)).astype(np.float32)
    with PairCache(tmp_path / "c.sqlite") as cache:
        cache.put(keys, probs)
        found = cache.get([*keys, b"x" * 16])
    assert len(found) == 2000
    assert all(np.array_equal(found[k], p) for k, p in zip(keys, probs, strict=True))


@pytest.mark.parametrize(
    "blob", [b"x", np.array([np.nan, 0.5, 0.5], dtype="<f4").tobytes(), "text", None]
)
def test_a_damaged_row_is_no_verdict(tmp_path, blob):
    path = tmp_path / "c.sqlite"
    run(path)
    db = sqlite3.connect(path)
    db.execute("UPDATE pair SET probs = ?", (blob,))
    db.commit()
    db.close()
    with pytest.raises(CacheError, match=r"c\.sqlite is damaged"):
        run(path)


def test_a_foreign_table_is_named(tmp_path):
    path = tmp_path / "other.sqlite"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE pair (a, b)")
    db.commit()
    db.close()
    with pytest.raises(CacheError, match=r"other\.sqlite"):
        run(path)
