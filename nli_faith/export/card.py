"""The model card: README.md of a model directory, written from its manifest alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..manifest import MANIFEST, read_json

_INTRO = """# {name} {version}

{description}

Written by `scripts/export_bundled.py` from `manifest.json`; change the facts there, not here.

## What it is

BERT classifier: {layers} layers, {hidden} wide, {heads} heads, {intermediate} feed-forward, vocabulary {vocab:,}, at most {max_length} tokens a pair. Labels in column order: {labels}. Precision: {precision}. Size of `model.onnx`: {megabytes:.1f} MB.

Input: {inputs} (int64, pairs x tokens), all pairs of a batch of one length, no padding and no mask. Output: `logits` (float, pairs x {classes}). Pairs are assembled as `tokenizer.json` says, premise first. `nli_faith.backends` does all this.

## How the graph is made

Built by hand by `nli_faith.export` from the safetensors file. In int8, weights are quantised symmetrically, one scale an output column, and activations at run time, one scale a token, so that no token depends on another and a score does not depend on its batch mates. Word embeddings are int8 with one scale a row. Channel outliers of attention and feed-forward inputs are moved into the weights first (SmoothQuant, Xiao et al. 2023), calibrated on claims of `models/data/contrastive`. Attention, softmax, layer normalisation, pooler, classifier and the most active feed-forward neurons of each layer stay in float. On x86 processors without VNNI, ONNX Runtime's u8 x s8 kernel saturates at 16 bits; the backend finds that out when it loads and sets `session.x64quantprecision`, which selects the exact kernel. Anyone who loads `model.onnx` in another way must do so too.
"""  # noqa: E501


def render_card(data: Mapping[str, Any]) -> str:
    """The text of a model card.

    Args:
        data: A manifest as JSON.

    Returns:
        Markdown.
    """
    shape = data["shape"]
    intro = _INTRO.format(
        name=data["name"],
        version=data["version"],
        description=data["description"],
        max_length=data["max_length"],
        labels=", ".join(data["labels"]),
        classes=len(data["labels"]),
        inputs=" and ".join(f"`{name}`" for name in data.get("inputs", ("input_ids",))),
        precision=data["precision"],
        megabytes=data["files"]["model.onnx"]["size"] / 1e6,
        **{key: shape[key] for key in ("layers", "hidden", "heads", "intermediate", "vocab")},
    )
    parts = [intro, _pairs("Where the weights come from", data["source"])]
    parts += [_training(data["training"]), _pairs("Licence", data["licence"])]
    parts += [
        _thresholds(data["thresholds"]),
        _combiners(data.get("combiners", {})),
        _pairs("What the export costs", data["parity"]),
    ]
    parts.append("## Limits\n\n" + "\n".join(f"- {limit}" for limit in data["limits"]) + "\n")
    return "\n".join(part for part in parts if part)


def write_card(directory: Path) -> None:
    """Writes README.md of a model directory from its manifest.

    Raises:
        ModelFormatError: The manifest is missing or unreadable.
    """
    text = render_card(read_json(directory / MANIFEST))
    (directory / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _pairs(title: str, values: Mapping[str, Any]) -> str:
    if not values:
        return ""
    lines = [f"## {title}\n"]
    for key, value in values.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        lines.append(f"- {key.replace('_', ' ')}: {shown}")
    return "\n".join(lines) + "\n"


def _training(rows: list[Mapping[str, Any]]) -> str:
    lines = [
        "## Training data\n",
        "| set | licence as stated | share of pairs seen | what |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        share = f"{100 * row['share']:.1f}%"
        lines.append(f"| {row['set']} | {row['licence']} | {share} | {row.get('what', '')} |")
    return "\n".join(lines) + "\n"


def _combiners(combiners: Mapping[str, Any]) -> str:
    if not combiners:
        return ""
    lines = []
    for mode, made in combiners.items():
        weights = ", ".join(f"{name} {weight:+.2f}" for name, weight in made["weights"].items())
        lines.append(
            f"- {mode}: bias {made['bias']:+.2f}, {weights}; fitted on {made['fitted_on']}"
        )
    text = "Log-odds of support, from the signals that `nli_faith.combiner` describes.\n\n"
    return "## Combiner\n\n" + text + "\n".join(lines) + "\n"


def _thresholds(limits: Mapping[str, Any]) -> str:
    where = limits.get("calibrated_on")
    origin = f"calibrated on {where}" if where else "not calibrated yet"
    return (
        "## Thresholds\n\n"
        f"Support {limits['support']}, contradiction {limits['contradiction']}: {origin}.\n"
    )
