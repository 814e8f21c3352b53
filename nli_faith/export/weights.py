"""Reads a Hugging Face model directory: config.json and safetensors, with numpy alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import MissingExtraError, ModelFormatError, ModelNotFoundError
from ..manifest import read_json

FloatArray: TypeAlias = npt.NDArray[np.float32]
Weights: TypeAlias = dict[str, FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderConfig:
    """The sizes that every encoder with a classifier has.

    Attributes:
        hidden: Width of the residual stream.
        layers: Number of transformer layers.
        heads: Attention heads per layer.
        intermediate: Width of the feed-forward layer.
        vocab: Number of token ids.
        positions: Most tokens of a pair.
        types: Number of token types; 0 for none.
        eps: Epsilon of layer normalisation.
        id2label: Column index to class name, as written in the config.
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

    @property
    def labels(self) -> int:
        """Number of columns."""
        return len(self.id2label)

    @property
    def head(self) -> int:
        """Width of one attention head."""
        return self.hidden // self.heads


@dataclass(frozen=True, slots=True, kw_only=True)
class BertConfig(EncoderConfig):
    """The sizes of a BERT classifier.

    Attributes:
        pad_id: Token id of padding.
    """

    pad_id: int


def require_values(path: Path, data: Mapping[str, Any], wanted: Mapping[str, Any],
                   defaults: Mapping[str, Any]) -> None:  # fmt: skip
    """Refuses a config that asks for what a graph does not implement.

    Args:
        path: The config, for the message.
        data: What it says.
        wanted: Field to the value that is built.
        defaults: Field to what its absence means.

    Raises:
        ModelFormatError: A field has another value.
    """
    for key, value in wanted.items():
        if data.get(key, defaults.get(key)) != value:
            raise ModelFormatError(
                f"{path}: {key} is {data.get(key)!r}; this exporter builds {value!r} only"
            )


def encoder_sizes(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `EncoderConfig`, from a config.json.

    Raises:
        KeyError: One is missing; TypeError, ValueError or AttributeError: it is garbled.
    """
    return {
        "hidden": data["hidden_size"],
        "layers": data["num_hidden_layers"],
        "heads": data["num_attention_heads"],
        "intermediate": data["intermediate_size"],
        "vocab": data["vocab_size"],
        "positions": data["max_position_embeddings"],
        "types": data["type_vocab_size"],
        "eps": float(data["layer_norm_eps"]),
        "id2label": {str(k): str(v) for k, v in data["id2label"].items()},
    }


def check_heads(path: Path, config: EncoderConfig) -> None:
    """Refuses a width that cannot be shared out among the heads.

    Raises:
        ModelFormatError: It cannot.
    """
    if config.hidden % config.heads:
        raise ModelFormatError(
            f"{path}: width {config.hidden} is no multiple of {config.heads} heads"
        )


def read_config(directory: Path) -> BertConfig:
    """Reads config.json of a BERT classifier.

    Raises:
        ModelFormatError: The file is missing, of another architecture, or uses an option that
            the graph does not implement.
    """
    path = directory / "config.json"
    data = read_json(path)
    defaults = {"position_embedding_type": "absolute"}
    require_values(path, data, {"model_type": "bert", "hidden_act": "gelu", **defaults}, defaults)
    try:
        config = BertConfig(**encoder_sizes(data), pad_id=data.get("pad_token_id") or 0)
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise ModelFormatError(f"{path} lacks or garbles {exc}") from exc
    check_heads(path, config)
    return config


def read_weights(directory: Path) -> Weights:
    """Reads all tensors as float32.

    From ``model.safetensors``, else the shards that ``model.safetensors.index.json`` lists, else
    ``pytorch_model.bin`` (extra ``torch``; tensors alone are unpickled, no code).

    Raises:
        MissingExtraError: ``safetensors``, or PyTorch for a ``.bin``, is not installed.
        ModelNotFoundError: There is no such file, or a listed shard is missing.
        ModelFormatError: A file is broken, or the index garbled.
    """
    if (directory / "model.safetensors").is_file():
        return _read_safetensors(directory / "model.safetensors")
    index = directory / "model.safetensors.index.json"
    if index.is_file():
        return _read_shards(index)
    if (directory / "pytorch_model.bin").is_file():
        return _read_pickle(directory / "pytorch_model.bin")
    raise ModelNotFoundError(
        f"{directory} has no model.safetensors, model.safetensors.index.json or pytorch_model.bin"
    )


def _read_shards(index: Path) -> Weights:
    places = read_json(index).get("weight_map")
    if not isinstance(places, Mapping) or not places:
        raise ModelFormatError(f"{index} has no weight_map")
    out: Weights = {}
    for name in sorted(set(places.values())):
        # A shard lies beside its index; a path elsewhere is not followed.
        shard = index.parent / Path(str(name)).name
        if not shard.is_file():
            raise ModelNotFoundError(f"{index} lists {name!r}, which is not there")
        out.update(_read_safetensors(shard))
    missing = sorted(set(places) - set(out))
    if missing:
        raise ModelFormatError(f"{index} lists {missing[0]!r}, which no shard holds")
    return out


def _read_pickle(path: Path) -> Weights:
    try:
        import torch
    except ImportError as exc:
        raise MissingExtraError("torch", "torch") from exc
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        return {str(name): tensor.float().numpy() for name, tensor in state.items()}
    except Exception as exc:  # a broken pickle raises whatever its bytes say
        raise ModelFormatError(f"{path} is no readable file of tensors: {exc}") from exc


def _read_safetensors(path: Path) -> Weights:
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as exc:  # pragma: no cover - depends on the environment
        raise MissingExtraError("safetensors", "export") from exc
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
