"""Backends under test: the bundled model, and a tiny random BERT in float and in int8."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from nli_faith.backends import EntailmentBackend, PairIds
from nli_faith.backends.ort import OrtBackend
from nli_faith.model_hub import bundled_dir
from tests.backends.tiny import write_checkpoint

FACTS = {
    "name": "tiny", "version": "0", "description": "random weights", "source": {"kind": "random"},
    "licence": {"weights": "none"}, "training": [], "limits": ["means nothing"],
}  # fmt: skip


def export(source: Path, out: Path, precision: str) -> Path:
    """Exports a checkpoint, calibrated on a few pairs of random ids."""
    pytest.importorskip("onnx", reason="exporting needs the extra nli_faith[export]")
    from nli_faith.export.bundle import write_bundle

    rng = np.random.default_rng(1)
    rows = [rng.integers(5, 60, (1, length)) for length in (9, 20, 31)]
    pairs = [(row, row % 2) for row in rows]
    write_bundle(source, out, FACTS, pairs, precision=precision, token_types=True)
    return out


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture(scope="session")
def tiny_fp32(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(checkpoint, tmp_path_factory.mktemp("tiny") / "fp32", "fp32")


@pytest.fixture(scope="session")
def tiny_int8(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(checkpoint, tmp_path_factory.mktemp("tiny") / "int8", "int8")


@pytest.fixture(scope="session")
def tiny_match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose token types mark shared words."""
    source = write_checkpoint(tmp_path_factory.mktemp("match"), match=True)
    return export(source, tmp_path_factory.mktemp("tiny") / "match", "int8")


@pytest.fixture(scope="session")
def bundled() -> OrtBackend:
    return OrtBackend(bundled_dir(), threads=1)


@pytest.fixture(scope="session", params=["bundled", "tiny_fp32", "tiny_int8", "tiny_match"])
def backend(request: pytest.FixtureRequest) -> EntailmentBackend:
    if request.param == "bundled":
        return request.getfixturevalue("bundled")
    return OrtBackend(request.getfixturevalue(request.param), threads=1)


@pytest.fixture(scope="session")
def model_dir(backend: EntailmentBackend, request: pytest.FixtureRequest) -> Path:
    """Directory of `backend`."""
    if backend.template.typer is not None and backend.name == "tiny":
        return request.getfixturevalue("tiny_match")
    if backend.name == "tiny":
        return request.getfixturevalue(f"tiny_{backend.precision}")
    return bundled_dir()


def random_pairs(
    backend: EntailmentBackend, lengths: Sequence[int], seed: int = 0
) -> list[PairIds]:
    """Pairs of ordinary ids whose assembled lengths are as given."""
    rng = np.random.default_rng(seed)
    pairs = []
    for length in lengths:
        room = length - backend.pair_overhead
        claim = min(max(room // 4, 1), 40)
        ids = rng.integers(5, 60, room).astype(np.int32)
        pairs.append(PairIds(ids[claim:], ids[:claim]))
    return pairs
