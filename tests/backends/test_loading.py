"""Loading a model: what is refused, and with which words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from nli_faith import FaithfulnessScorer
from nli_faith.backends import load_backend
from nli_faith.backends.ort import OrtBackend
from nli_faith.datamodels import Thresholds
from nli_faith.errors import (
    BackendError,
    ConfigError,
    LabelMapError,
    ModelFormatError,
    ModelIntegrityError,
    ModelNotFoundError,
)
from nli_faith.manifest import MANIFEST, update_manifest
from nli_faith.results import FaithfulnessResult
from tests.backends.conftest import export, random_pairs
from tests.backends.tiny import write_checkpoint


@pytest.fixture
def copy(tiny_int8: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_int8, tmp_path / "模型 copy"))


def edit_config(directory: Path, **changes: object) -> None:
    """Changes config.json as a user would, and drops the manifest that no longer fits."""
    path = directory / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config.update(changes)
    path.write_text(json.dumps(config), encoding="utf-8")
    (directory / MANIFEST).unlink(missing_ok=True)


def test_bundled_loads_by_name_and_passes_its_self_test() -> None:
    backend = load_backend("bundled", threads=1)
    assert backend.self_test().correct == 3
    assert backend.precision == "int8"


def test_non_ascii_path(copy: Path) -> None:
    assert OrtBackend(copy, threads=1).name == "tiny"


def test_without_manifest_the_hash_is_computed(copy: Path) -> None:
    stated = OrtBackend(copy, threads=1).sha256
    (copy / MANIFEST).unlink()
    backend = OrtBackend(copy, threads=1)
    assert backend.sha256 == stated
    assert backend.name == copy.name
    assert backend.precision == "int8"
    assert backend.thresholds is None
    assert backend.max_length == 512
    with pytest.raises(ModelFormatError, match=MANIFEST):
        OrtBackend(copy, verify_hash=True)


@pytest.mark.parametrize("name", ["tokenizer.json", "model.onnx", "config.json"])
def test_missing_and_empty_files_are_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    (copy / "spm.model").write_bytes(b"x")
    with pytest.raises(ModelFormatError, match=f"has no {name}: "):
        load_backend(copy)
    (copy / name).touch()
    with pytest.raises(ModelFormatError, match=f"{name} is empty"):
        load_backend(copy)


def test_missing_tokenizer_says_what_to_do(copy: Path) -> None:
    (copy / "tokenizer.json").unlink()
    with pytest.raises(ModelFormatError, match=r"tokenizer\.json.*save_pretrained"):
        load_backend(copy)


@pytest.mark.parametrize("keep", [1, 1000, -1000])
def test_truncated_onnx(copy: Path, keep: int) -> None:
    whole = (copy / "model.onnx").read_bytes()
    (copy / "model.onnx").write_bytes(whole[:keep])
    with pytest.raises(ModelIntegrityError, match=r"model\.onnx has \d+ bytes"):
        load_backend(copy)
    (copy / MANIFEST).unlink()
    with pytest.raises(ModelFormatError, match=r"model\.onnx is no ONNX model"):
        load_backend(copy)


def test_changed_bytes_are_found_when_verified(copy: Path) -> None:
    data = bytearray((copy / "model.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    (copy / "model.onnx").write_bytes(data)
    with pytest.raises(ModelIntegrityError, match=r"model\.onnx has sha256"):
        load_backend(copy, verify=True)


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json"])
@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff\xfe\x00", b"[" * 100_000])
def test_garbage_json(copy: Path, name: str, content: bytes) -> None:
    (copy / MANIFEST).unlink()
    (copy / name).write_bytes(content)
    with pytest.raises(ModelFormatError, match=name):
        load_backend(copy)


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", '{"name": 1}', '{"files": 3}', '{"files": {"model.onnx": {}}}']
)
def test_garbage_manifest(copy: Path, content: str) -> None:
    (copy / MANIFEST).write_text(content, encoding="utf-8")
    with pytest.raises(ModelFormatError, match=MANIFEST):
        load_backend(copy)


def test_placeholder_labels_are_refused_unless_mapped(copy: Path) -> None:
    plain = OrtBackend(copy, threads=1)
    pairs = random_pairs(plain, [12, 30])
    wanted = plain.predict_pairs(pairs)
    edit_config(copy, id2label={"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"})
    with pytest.raises(LabelMapError, match="needs an explicit label map"):
        load_backend(copy)
    true_order = {0: "contradiction", 1: "entailment", 2: "neutral"}
    mapped = OrtBackend(copy, threads=1, label_map=true_order)
    np.testing.assert_array_equal(mapped.predict_pairs(pairs), wanted)


def test_columns_follow_the_stated_order(copy: Path) -> None:
    before = OrtBackend(copy, threads=1)
    pairs = random_pairs(before, [12, 30])
    wanted = before.predict_pairs(pairs)
    edit_config(copy, id2label={"0": "entailment", "1": "neutral", "2": "contradiction"})
    got = OrtBackend(copy, threads=1).predict_pairs(pairs)
    # Columns of the model are contradiction, entailment, neutral.
    np.testing.assert_array_equal(got, wanted[:, [2, 0, 1]])


def test_number_of_classes_must_fit_the_graph(copy: Path) -> None:
    edit_config(copy, id2label={"0": "entailment", "1": "not_entailment"})
    two = {"0": "entailment", "1": "not_entailment"}
    with pytest.raises(ModelFormatError, match="3 values a pair"):
        OrtBackend(copy, label_map=two)


def test_two_class_model(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "two", labels=("not_entailment", "entailment"))
    path = export(source, tmp_path / "out", "fp32")
    with pytest.raises(LabelMapError, match="two-class"):
        OrtBackend(path)
    both = {"entailment": "entailment", "not_entailment": "not_entailment"}
    backend = OrtBackend(path, threads=1, label_map=both)
    got = backend.predict_pairs(random_pairs(backend, [10, 40]))
    assert backend.two_class
    assert np.isnan(got[:, 2]).all()
    record = {"answer": "保修期两年。", "contexts": ["整机保修两年。"]}
    said = FaithfulnessScorer(backend, thresholds=Thresholds(0.5, 0.5)).score(record).to_dict()
    assert said["claims"][0]["contradiction"] is None
    assert said["scorer"]["note"].startswith("contradiction is null: the model has two classes")
    assert FaithfulnessResult.from_dict(said).scorer.note == said["scorer"]["note"]
    np.testing.assert_allclose(got[:, :2].sum(axis=1), 1.0, atol=1e-6)


def test_overflow_is_an_error_not_a_score(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "hot", overflow=True)
    backend = OrtBackend(export(source, tmp_path / "out", "fp32"), threads=1)
    with pytest.raises(BackendError, match="NaN or infinity for"):
        backend.predict_pairs(random_pairs(backend, [16]))


def test_model_that_gets_everything_wrong_brings_a_warning(tmp_path: Path) -> None:
    bundled = load_backend("bundled", threads=1)
    assert isinstance(bundled, OrtBackend)
    from nli_faith.model_hub import bundled_dir

    path = Path(shutil.copytree(bundled_dir(), tmp_path / "wrong"))
    # Rotated, so that each of the three answers is wrong.
    edit_config(path, id2label={"0": "neutral", "1": "contradiction", "2": "entailment"})
    with pytest.warns(UserWarning, match="all wrong"):
        load_backend(path, threads=1)


def test_manifest_max_length_rules(copy: Path) -> None:
    update_manifest(copy, {"max_length": 64})
    backend = OrtBackend(copy, threads=1)
    assert backend.max_length == 64
    with pytest.raises(BackendError, match="65 tokens"):
        backend.predict_pairs(random_pairs(backend, [65]))


@pytest.mark.parametrize(
    "kwargs",
    [
        {"backend": "tf"},
        {"device": "cuda"},
        {"device": "gpu"},
        {"precision": "fp16"},
        {"threads": 0},
        {"threads": -1},
        {"threads": True},
    ],
)
def test_options_that_cannot_work(copy: Path, kwargs: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        load_backend(copy, **kwargs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no such model", "no known name"),
        ("acme/not-in-the-cache", "hf download acme/not-in-the-cache"),
        ("", "no known name"),
        ("../../etc", "no known name"),
    ],
)
def test_unknown_models(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelNotFoundError, match=words):
        load_backend(name)


def test_a_file_is_no_model(copy: Path) -> None:
    with pytest.raises(ModelNotFoundError, match="directory"):
        load_backend(copy / "model.onnx")


def test_a_hub_id_in_the_cache(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "hub" / "models--acme--tiny-nli"
    (root / "refs").mkdir(parents=True)
    (root / "refs" / "main").write_text("abc123\n")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    snapshot = root / "snapshots" / "abc123"
    snapshot.mkdir(parents=True)
    with pytest.raises(ModelNotFoundError, match=r"without a model\.onnx"):
        load_backend("acme/tiny-nli")
    snapshot.rmdir()
    shutil.copytree(copy, snapshot)
    monkeypatch.setattr("nli_faith.backends.base.warn_if_senseless", lambda backend: None)
    assert load_backend("acme/tiny-nli", threads=1).name == "tiny"
