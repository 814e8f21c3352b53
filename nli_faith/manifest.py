"""What a model directory must hold, and what its ``manifest.json`` says.

A model is a directory with ``model.onnx``, ``tokenizer.json`` and ``config.json``, and, if this
package made it, ``manifest.json`` with hashes, label order, licence and thresholds.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .combiner import Combiner
from .datamodels import Thresholds
from .errors import ModelFormatError, ModelIntegrityError

MANIFEST = "manifest.json"
#: Files every model directory has.
REQUIRED_FILES = ("model.onnx", "tokenizer.json", "config.json")

_WHAT_TO_DO = {
    "tokenizer.json": (
        "save the fast tokenizer there: "
        "transformers.AutoTokenizer.from_pretrained(SOURCE).save_pretrained(DIR); "
        "a spm.model, vocab.txt or merges.txt alone is not read"
    ),
    "model.onnx": "export the model to ONNX first (nli-faith models export), under this name",
    "model.safetensors": "pass a directory saved by transformers' save_pretrained",
    "config.json": "copy it from the model's source; it states the label order",
}


@dataclass(frozen=True, slots=True)
class FileFact:
    """Size and hash of one file of a model."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a model's ``manifest.json`` says.

    Attributes:
        name: Model name.
        version: Version of these weights.
        architecture: Such as ``bert``.
        precision: Such as ``int8``.
        labels: Class names in column order.
        max_length: Most tokens of a pair, special tokens included.
        thresholds: Verdict thresholds.
        files: File name to size and sha256.
        source: Where the weights come from.
        licence: Licence facts.
        training: The data sets it was trained on, with licences.
        parity: Measured cost of the export (accuracy, equal labels).
        description: One line for lists.
        combiners: Mode to its combiner; empty where the model's entailment stands alone.
    """

    name: str
    version: str
    architecture: str
    precision: str
    labels: tuple[str, ...]
    max_length: int
    thresholds: Thresholds
    files: Mapping[str, FileFact]
    source: Mapping[str, Any] = field(default_factory=dict)
    licence: Mapping[str, Any] = field(default_factory=dict)
    training: tuple[Mapping[str, Any], ...] = ()
    parity: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    combiners: Mapping[str, Combiner] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Hash of ``model.onnx``, lower-case hexadecimal."""
        return self.files["model.onnx"].sha256


@dataclass(frozen=True, slots=True)
class FileCheck:
    """Outcome of hashing one file."""

    name: str
    expected: str
    actual: str

    @property
    def ok(self) -> bool:
        """Whether the hash is the stated one."""
        return self.expected == self.actual


def require_files(directory: Path, weights: Sequence[str] = ("model.onnx",)) -> Path:
    """Checks that a model directory is complete.

    Args:
        directory: The model's directory.
        weights: Names that the weights file may have, the preferred one first.

    Returns:
        The weights file.

    Raises:
        ModelFormatError: A file is missing or empty; the message names it and says what to do.
    """
    found = next((name for name in weights if (directory / name).is_file()), weights[0])
    for name in (found, *(n for n in REQUIRED_FILES if n != "model.onnx")):
        path = directory / name
        if not path.is_file():
            raise ModelFormatError(f"{directory} has no {name}: {_WHAT_TO_DO[name]}")
        if path.stat().st_size == 0:
            raise ModelFormatError(f"{path} is empty: {_WHAT_TO_DO[name]}")
    return directory / found


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON object of a model directory.

    Raises:
        ModelFormatError: It is missing, unreadable, or no object.
    """
    try:
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError as exc:
        raise ModelFormatError(f"{path.parent} has no {path.name}") from exc
    except (OSError, ValueError, RecursionError) as exc:
        raise ModelFormatError(f"{path} cannot be read as JSON: {exc}") from exc
    if not isinstance(data, dict):
        raise ModelFormatError(f"{path} holds {type(data).__name__}, not a JSON object")
    return data


def load_manifest(directory: str | os.PathLike[str]) -> Manifest:
    """Reads and checks ``manifest.json``.

    Raises:
        ModelFormatError: It is missing, unreadable, lacks a field, or a field is wrong.
    """
    path = Path(directory) / MANIFEST
    data = read_json(path)
    try:
        return _parse_manifest(data)
    except KeyError as exc:
        raise ModelFormatError(f"{path} lacks the field {exc}") from exc
    except (TypeError, ValueError, AttributeError) as exc:
        raise ModelFormatError(f"{path} has a wrong value: {exc}") from exc


def _parse_manifest(data: Mapping[str, Any]) -> Manifest:
    files = {
        str(name): FileFact(str(fact["sha256"]).lower(), int(fact["size"]))
        for name, fact in data["files"].items()
    }
    for name, fact in files.items():
        if len(fact.sha256) != 64 or set(fact.sha256) - set("0123456789abcdef"):
            raise ValueError(f"sha256 of {name} is {fact.sha256!r}")
    if "model.onnx" not in files:
        raise ValueError("files does not list model.onnx")
    max_length = data["max_length"]
    if not isinstance(max_length, int) or max_length < 8:
        raise ValueError(f"max_length is {max_length!r}")
    limits = data["thresholds"]
    return Manifest(
        name=str(data["name"]),
        version=str(data["version"]),
        architecture=str(data["architecture"]),
        precision=str(data["precision"]),
        labels=tuple(str(label) for label in data["labels"]),
        max_length=max_length,
        thresholds=Thresholds(
            limits["support"], limits["contradiction"], limits.get("calibrated_on")
        ),
        files=files,
        source=dict(data.get("source", {})),
        licence=dict(data.get("licence", {})),
        training=tuple(dict(item) for item in data.get("training", ())),
        parity=dict(data.get("parity", {})),
        description=str(data.get("description", "")),
        combiners={
            str(mode): Combiner.from_dict(c) for mode, c in data.get("combiners", {}).items()
        },
    )


def sha256_file(path: Path) -> str:
    """SHA-256 of a file, lower-case hexadecimal.

    Raises:
        ModelFormatError: The file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as exc:
        raise ModelFormatError(f"{path} cannot be read: {exc}") from exc
    return digest.hexdigest()


def check_sizes(directory: Path, manifest: Manifest) -> None:
    """Compares file sizes with the manifest: cheap, and it catches a cut-off copy.

    Raises:
        ModelFormatError: A listed file is missing.
        ModelIntegrityError: A file has another size.
    """
    for name, fact in manifest.files.items():
        path = directory / name
        if not path.is_file():
            raise ModelFormatError(f"{directory} has no {name}, which its manifest lists")
        if (size := path.stat().st_size) != fact.size:
            raise ModelIntegrityError(
                f"{path} has {size} bytes, its manifest says {fact.size}: the file is incomplete "
                "or was changed; copy the model again"
            )


def check_hashes(directory: Path) -> list[FileCheck]:
    """Hashes every file that a model's manifest lists.

    Args:
        directory: The model's directory.

    Returns:
        One outcome a file, all of them equal to the manifest.

    Raises:
        ModelIntegrityError: A hash differs; the message names the file and both hashes.
        ModelFormatError: The manifest or a file is missing or unreadable.
    """
    manifest = load_manifest(directory)
    checks = [
        FileCheck(name, fact.sha256, sha256_file(directory / name))
        for name, fact in manifest.files.items()
    ]
    for check in checks:
        if not check.ok:
            raise ModelIntegrityError(
                f"{directory / check.name} has sha256 {check.actual}, its manifest says "
                f"{check.expected}: the file was changed or damaged; copy the model again"
            )
    return checks


def update_manifest(directory: str | os.PathLike[str], changes: Mapping[str, Any]) -> Manifest:
    """Replaces top-level fields of a manifest, atomically, after checking the result.

    Args:
        directory: The model's directory.
        changes: Field name to new value, such as ``{"parity": {...}}``.

    Returns:
        The new manifest.

    Raises:
        ModelFormatError: The manifest is unreadable, or would be wrong afterwards.
    """
    path = Path(directory) / MANIFEST
    data = {**read_json(path), **changes}
    try:
        manifest = _parse_manifest(data)
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise ModelFormatError(f"{path} would become invalid: {exc!r}") from exc
    write_json(path, data)
    return manifest


def update_thresholds(directory: str | os.PathLike[str], thresholds: Thresholds) -> Manifest:
    """Writes calibrated thresholds into a manifest; see `update_manifest`."""
    return update_manifest(
        directory,
        {
            "thresholds": {
                "support": thresholds.support,
                "contradiction": thresholds.contradiction,
                "calibrated_on": thresholds.calibrated_on,
            }
        },
    )


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Writes JSON so that a reader sees the old file or the new one, never half of one."""
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
