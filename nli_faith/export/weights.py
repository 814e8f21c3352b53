"""Reads a Hugging Face model directory: config.json and safetensors, with numpy alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import MissingExtraError, ModelFormatError, ModelNotFoundError
from ..manifest import read_json

FloatArray: TypeAlias = npt.NDArray[np.float32]
Weights: TypeAlias = dict[str, FloatArray]


@dataclass(frozen=True, slots=True)
class BertConfig:
    """The sizes of a BERT classifier.

    Attributes:
        hidden: Width of the residual stream.
        layers: Number of transformer layers.
        heads: Attention heads per layer.
        intermediate: Width of the feed-forward layer.
        vocab: Number of token ids.
        positions: Most tokens the position table has.
        types: Number of token types.
        eps: Epsilon of layer normalisation.
        id2label: Column index to class name, as written in the config.
        pad_id: Token id of padding.
    """

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocab: int
    positions: int
    types: int
    eps: float
    id2label: dict[str, str]
    pad_id: int

    @property
    def labels(self) -> int:
        """Number of classes."""
        return len(self.id2label)


def read_config(directory: Path) -> BertConfig:
    """Reads config.json of a BERT classifier.

    Raises:
        ModelFormatError: The file is missing, of another architecture, or uses an option that
            the graph does not implement.
    """
    data = read_json(directory / "config.json")
    wanted: dict[str, Any] = {"model_type": "bert", "hidden_act": "gelu"}
    defaults = {"position_embedding_type": "absolute"}
    for key, value in {**wanted, **defaults}.items():
        if data.get(key, defaults.get(key)) != value:
            raise ModelFormatError(
                f"{directory / 'config.json'}: {key} is {data.get(key)!r}; "
                f"this exporter builds {value!r} only"
            )
    try:
        config = BertConfig(
            hidden=data["hidden_size"],
            layers=data["num_hidden_layers"],
            heads=data["num_attention_heads"],
            intermediate=data["intermediate_size"],
            vocab=data["vocab_size"],
            positions=data["max_position_embeddings"],
            types=data["type_vocab_size"],
            eps=float(data["layer_norm_eps"]),
            id2label={str(k): str(v) for k, v in data["id2label"].items()},
            pad_id=data.get("pad_token_id") or 0,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise ModelFormatError(f"{directory / 'config.json'} lacks or garbles {exc}") from exc
    if config.hidden % config.heads:
        raise ModelFormatError(
            f"{directory / 'config.json'}: width {config.hidden} is no multiple of "
            f"{config.heads} heads"
        )
    return config


def read_weights(directory: Path) -> Weights:
    """Reads ``model.safetensors`` as float32.

    Raises:
        MissingExtraError: ``safetensors`` is not installed.
        ModelNotFoundError: There is no such file.
        ModelFormatError: The file is broken.
    """
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as exc:  # pragma: no cover - depends on the environment
        raise MissingExtraError("safetensors", "export") from exc
    path = directory / "model.safetensors"
    if not path.is_file():
        raise ModelNotFoundError(f"{directory} has no model.safetensors")
    try:
        with safe_open(path, framework="numpy") as file:
            names = file.keys()
            return {name: np.asarray(file.get_tensor(name)).astype(np.float32) for name in names}
    except SafetensorError as exc:
        raise ModelFormatError(f"{path} is no readable safetensors file: {exc}") from exc


def take(weights: Weights, key: str, shape: tuple[int, ...]) -> FloatArray:
    """Fetches one tensor and checks its shape.

    Raises:
        ModelFormatError: It is missing, of another shape, or not finite.
    """
    value = weights.get(key)
    if value is None:
        raise ModelFormatError(f"the weights lack {key!r}")
    if value.shape != shape:
        raise ModelFormatError(f"{key!r} has shape {value.shape}, the config says {shape}")
    if not np.isfinite(value).all():
        raise ModelFormatError(f"{key!r} holds values that are not finite")
    return value
