"""Backends under test: the bundled model, and tiny random ones: ONNX in float and int8, torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from nli_faith.backends import EntailmentBackend, PairIds
from nli_faith.backends.directory import DirectoryBackend
from nli_faith.backends.ort import OrtBackend
from nli_faith.model_hub import bundled_dir
from tests.backends.tiny import write_checkpoint, write_transformers

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


def open_model(directory: str | Path, threads: int) -> DirectoryBackend:
    """The backend for what a directory holds, without the self-test that random weights fail."""
    if (Path(directory) / "model.onnx").is_file():
        return OrtBackend(directory, threads=threads)
    from nli_faith.backends.torch_backend import TorchBackend

    return TorchBackend(directory, device="cpu", threads=threads)


@pytest.fixture(scope="session")
def torch_bert(checkpoint: Path) -> Path:
    return checkpoint


def _torch_fixture(architecture: str):
    @pytest.fixture(scope="session", name=f"torch_{architecture}")
    def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
        return write_transformers(architecture, tmp_path_factory.mktemp("torch") / architecture)

    return made


torch_deberta = _torch_fixture("deberta")
torch_roberta = _torch_fixture("roberta")
torch_xlmr = _torch_fixture("xlmr")
torch_modernbert = _torch_fixture("modernbert")

MODELS = [
    "bundled", "tiny_fp32", "tiny_int8", "tiny_match",
    "torch_bert", "torch_deberta", "torch_roberta", "torch_xlmr", "torch_modernbert",
]  # fmt: skip


@pytest.fixture(scope="session", params=MODELS)
def model_dir(request: pytest.FixtureRequest) -> Path:
    """Directory of `backend`."""
    if request.param == "bundled":
        return bundled_dir()
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def backend(model_dir: Path) -> EntailmentBackend:
    return open_model(model_dir, 1)


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
