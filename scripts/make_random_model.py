"""Make a random sequence classifier of a real architecture and size, always the same.

    python scripts/make_random_model.py mdeberta-base -o DIR [--seed 0] [--spread 0.02]

For checks of loading, export, parity and speed where the real weights cannot be had. Its answers
mean nothing. The tokenizer is the bundled model's, whose ids every listed vocabulary holds.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from nli_faith.model_hub import bundled_dir

LABELS = ("entailment", "neutral", "contradiction")
_DEBERTA = {
    "relative_attention": True, "position_buckets": 256, "max_relative_positions": -1,
    "pos_att_type": ["p2c", "c2p"], "share_att_key": True, "norm_rel_ebd": "layer_norm",
    "position_biased_input": False, "type_vocab_size": 0, "max_position_embeddings": 512,
    "layer_norm_eps": 1e-7,
}  # fmt: skip
SIZES: dict[str, tuple[str, dict[str, Any]]] = {
    "mdeberta-base": ("DebertaV2Config", {
        "vocab_size": 251000, "hidden_size": 768, "num_hidden_layers": 12,
        "num_attention_heads": 12, "intermediate_size": 3072, **_DEBERTA}),
    "deberta-small": ("DebertaV2Config", {
        "vocab_size": 50000, "hidden_size": 256, "num_hidden_layers": 4,
        "num_attention_heads": 4, "intermediate_size": 1024, **_DEBERTA}),
    "xlmr-base": ("XLMRobertaConfig", {
        "vocab_size": 250002, "hidden_size": 768, "num_hidden_layers": 12,
        "num_attention_heads": 12, "intermediate_size": 3072, "type_vocab_size": 1,
        "max_position_embeddings": 514}),
}  # fmt: skip


def make(size: str, out: Path, seed: int = 0, spread: float = 0.02) -> Path:
    """Writes the model.

    Args:
        size: A key of `SIZES`.
        out: Directory to write.
        seed: Of the weights.
        spread: Their standard deviation. At transformers' 0.02 attention is nearly flat, so that
            an error in it hardly shows; at 0.06 it is not.
    """
    import torch
    import transformers

    kind, values = SIZES[size]
    config = getattr(transformers, kind)(
        **values, initializer_range=spread, pad_token_id=1, id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)},
    )  # fmt: skip
    torch.manual_seed(seed)
    model = transformers.AutoModelForSequenceClassification.from_config(config)
    model.eval().save_pretrained(out)
    shutil.copy(bundled_dir() / "tokenizer.json", out / "tokenizer.json")
    # The bundled tokenizer's token types would be read by no model here.
    (out / "README.md").write_text(
        f"Random weights of {size}, seed {seed}, spread {spread}: for checks of speed and "
        "parity alone.\n"
    )
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("size", choices=sorted(SIZES))
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--spread", type=float, default=0.02, help="standard deviation of weights")
    args = parser.parse_args()
    path = make(args.size, args.out, args.seed, args.spread)
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    print(f"{path}: {config['model_type']}, {config['num_hidden_layers']} layers of "
          f"{config['hidden_size']}, seed {args.seed}")  # fmt: skip


if __name__ == "__main__":
    main()
