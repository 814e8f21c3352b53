"""Sizes of a DeBERTa-v2 or v3 classifier, read from its config.json."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelFormatError
from ..manifest import read_json
from .weights import EncoderConfig, check_heads, encoder_sizes, require_values


@dataclass(frozen=True, slots=True, kw_only=True)
class DebertaConfig(EncoderConfig):
    """The sizes of a DeBERTa classifier.

    Attributes:
        max_relative: Largest distance that is told apart.
        buckets: Buckets of distances; 0 or less for one a distance.
        c2p: Whether queries look at relative positions.
        p2c: Whether keys do.
        share_key: Whether positions go through the projections of the content.
        norm_relative: Whether the position table is normalised.
        biased_input: Whether absolute positions are added to the words.
    """

    max_relative: int
    buckets: int
    c2p: bool
    p2c: bool
    share_key: bool
    norm_relative: bool
    biased_input: bool

    @property
    def span(self) -> int:
        """Half the rows of the position table."""
        return self.buckets if self.buckets > 0 else self.max_relative


# What the graph implements; a config that says otherwise is refused.
_FIXED: dict[str, Any] = {
    "model_type": "deberta-v2",
    "hidden_act": "gelu",
    "pooler_hidden_act": "gelu",
    "relative_attention": True,
    "conv_kernel_size": 0,
}
_DEFAULTS = {"hidden_act": "gelu", "pooler_hidden_act": "gelu", "conv_kernel_size": 0}


def read_deberta_config(directory: Path) -> DebertaConfig:
    """Reads config.json of a DeBERTa-v2 or v3 classifier.

    Raises:
        ModelFormatError: The file is missing, of another architecture, or uses an option that
            the graph does not implement.
    """
    path = directory / "config.json"
    data = read_json(path)
    require_values(path, data, _FIXED, _DEFAULTS)
    if data.get("embedding_size", data.get("hidden_size")) != data.get("hidden_size"):
        raise ModelFormatError(f"{path}: embedding_size differs from hidden_size")
    try:
        relative = data.get("pos_att_type") or []
        kinds = relative.split("|") if isinstance(relative, str) else list(relative)
        positions = data["max_position_embeddings"]
        longest = data.get("max_relative_positions", -1)
        config = DebertaConfig(
            **encoder_sizes({"type_vocab_size": 0, **data}),
            max_relative=longest if longest >= 1 else positions,
            buckets=data.get("position_buckets", -1),
            c2p="c2p" in kinds,
            p2c="p2c" in kinds,
            share_key=bool(data.get("share_att_key", False)),
            norm_relative="layer_norm" in str(data.get("norm_rel_ebd", "none")),
            biased_input=bool(data.get("position_biased_input", True)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise ModelFormatError(f"{path} lacks or garbles {exc}") from exc
    check_heads(path, config)
    return config
