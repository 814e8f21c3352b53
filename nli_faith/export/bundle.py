"""Writes a model directory: ONNX graph, tokenizer, config, manifest and model card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ModelFormatError
from ..manifest import (
    MANIFEST,
    REQUIRED_FILES,
    Manifest,
    load_manifest,
    read_json,
    sha256_file,
    write_json,
)
from .bert_graph import build_bert
from .calibrate import (
    OUTLIERS,
    STRENGTH,
    TypedIds,
    channel_maxima,
    outlier_neurons,
    smoothing_factors,
)
from .card import write_card
from .tokenizer import clean_tokenizer
from .weights import read_config, read_weights

#: Manifest fields that a facts file may fill.
_FACTS = ("name", "version", "description", "source", "licence", "training", "limits")
#: Written where nothing was calibrated; `manifest.update_thresholds` replaces them.
UNCALIBRATED = {"support": 0.5, "contradiction": 0.5, "calibrated_on": None}


def write_bundle(
    source: Path,
    out: Path,
    facts: Mapping[str, Any],
    calibration: Sequence[TypedIds],
    *,
    precision: str = "int8",
    token_types: bool = False,
    smoothing: float = STRENGTH,
    outliers: int = OUTLIERS,
) -> Manifest:
    """Exports a BERT classifier into a self-contained model directory.

    Args:
        source: Hugging Face directory with config.json, model.safetensors, tokenizer.json.
        out: Directory to write; made if need be.
        facts: Name, version, description, source, licence, training and limits, for manifest
            and card.
        calibration: Token ids and types of assembled pairs, (pairs, length) each; with none,
            nothing is smoothed.
        precision: ``"int8"`` or ``"fp32"``.
        token_types: Whether the tokenizer gives pairs token types.
        smoothing: Strength, see `quantize.smoothing_factor`.
        outliers: Feed-forward neurons a layer that stay in float.

    Returns:
        The manifest. Thresholds and parity figures of a manifest that is there already are kept
        if the model file comes out the same, else reset.

    Raises:
        ModelFormatError: The source is incomplete, or a fact is missing.
    """
    missing = [key for key in _FACTS if key not in facts]
    if missing:
        raise ModelFormatError(f"the facts lack {', '.join(missing)}")
    config, weights = read_config(source), read_weights(source)
    factors = neurons = None
    if len(calibration) and precision == "int8":
        maxima = channel_maxima(weights, config, calibration, token_types=token_types)
        factors = smoothing_factors(weights, config, maxima, smoothing)
        neurons = outlier_neurons(config, maxima, outliers)
    model = build_bert(
        weights,
        config,
        precision=precision,
        token_types=token_types,
        smoothing=factors,
        float_neurons=neurons,
        metadata={"name": str(facts["name"]), "version": str(facts["version"])},
    )
    tokenizer = clean_tokenizer(source / "tokenizer.json")
    out.mkdir(parents=True, exist_ok=True)
    (out / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (out / "tokenizer.json").write_text(tokenizer, encoding="utf-8", newline="\n")
    write_json(out / "config.json", read_json(source / "config.json"))
    labels = [config.id2label[str(i)] for i in range(config.labels)]
    data = {
        **{key: facts[key] for key in _FACTS},
        "architecture": "bert",
        "inputs": ["input_ids", *(["token_type_ids"] if token_types else [])],
        "precision": precision,
        "labels": labels,
        "max_length": config.positions,
        "shape": {
            "layers": config.layers,
            "hidden": config.hidden,
            "heads": config.heads,
            "intermediate": config.intermediate,
            "vocab": config.vocab,
        },
        "files": {name: file_fact(out / name) for name in REQUIRED_FILES},
        "thresholds": dict(UNCALIBRATED),
        "parity": {},
    }
    _keep_measured(out, data)
    write_json(out / MANIFEST, data)
    write_card(out)
    return load_manifest(out)


def file_fact(path: Path) -> dict[str, Any]:
    """Hash and size of a file, for a manifest."""
    return {"sha256": sha256_file(path), "size": path.stat().st_size}


def _keep_measured(out: Path, data: dict[str, Any]) -> None:
    """Carries thresholds and parity over from a manifest of the same model file."""
    if not (out / MANIFEST).is_file():
        return
    old = read_json(out / MANIFEST)
    same = old.get("files", {}).get("model.onnx", {}).get("sha256")
    if same == data["files"]["model.onnx"]["sha256"]:
        for key in ("thresholds", "parity", "combiners"):
            if key in old:
                data[key] = old[key]
