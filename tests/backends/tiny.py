"""A tiny random BERT with a tokenizer of its own, made on the spot and always the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from nli_faith.backends.matching import N_TYPES, SCHEME

HIDDEN, LAYERS, HEADS, WIDE, POSITIONS, TYPES = 32, 3, 4, 64, 512, 2
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
CHARACTERS = "一二三公司年营收增长标准为元每晚保修期两由部门负责人审批猫在沙发上睡觉。，0123456789%abcdefghijklmnopqrstuvwxyz"


def tokenizer() -> Tokenizer:
    """A BERT tokenizer over single characters, with token types 0 and 1, set to cut at 24."""
    vocab = {token: i for i, token in enumerate([*SPECIAL, *dict.fromkeys(CHARACTERS)])}
    made = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]", continuing_subword_prefix=""))
    made.add_special_tokens(SPECIAL)
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    made.enable_truncation(24, strategy="only_first")
    made.enable_padding(length=24)
    return made


THREE = ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")


def write_checkpoint(
    directory: Path,
    *,
    labels: tuple[str, ...] = THREE,
    seed: int = 0,
    overflow: bool = False,
    match: bool = False,
) -> Path:
    """Writes config.json, model.safetensors and tokenizer.json as transformers would.

    With ``overflow``, all weights are finite but the logits are not; with ``match``, token types
    mark shared words.
    """
    directory.mkdir(parents=True, exist_ok=True)
    made = tokenizer()
    made.save(str(directory / "tokenizer.json"))
    vocab = made.get_vocab_size()
    config = {
        "model_type": "bert", "architectures": ["BertForSequenceClassification"],
        "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "intermediate_size": WIDE, "vocab_size": vocab, "max_position_embeddings": POSITIONS,
        "type_vocab_size": N_TYPES if match else TYPES, "layer_norm_eps": 1e-12, "hidden_act": "gelu",
        "pad_token_id": 0, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
        "id2label": {str(i): name for i, name in enumerate(labels)},
        "label2id": {name: i for i, name in enumerate(labels)},
    }  # fmt: skip
    if match:
        config["match_types"] = SCHEME
    (directory / "config.json").write_text(json.dumps(config), encoding="utf-8")
    weights = _weights(vocab, len(labels), N_TYPES if match else TYPES, seed)
    if overflow:
        weights["bert.pooler.dense.bias"][:] = 50
        weights["classifier.weight"][:] = 3e37
    save_file(weights, directory / "model.safetensors")
    return directory


def _weights(vocab: int, labels: int, types: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    out: dict[str, np.ndarray] = {}

    def normal(name: str, *shape: int, scale: float) -> None:
        out[name] = rng.normal(0, scale, shape).astype(np.float32)

    def dense(name: str, inputs: int, outputs: int) -> None:
        normal(f"{name}.weight", outputs, inputs, scale=1.5 / np.sqrt(inputs))
        normal(f"{name}.bias", outputs, scale=0.2)

    def norm(name: str) -> None:
        out[f"{name}.weight"] = rng.uniform(0.5, 1.5, HIDDEN).astype(np.float32)
        normal(f"{name}.bias", HIDDEN, scale=0.2)

    for name, rows in (("word", vocab), ("position", POSITIONS), ("token_type", types)):
        normal(f"bert.embeddings.{name}_embeddings.weight", rows, HIDDEN, scale=1.0)
    norm("bert.embeddings.LayerNorm")
    for layer in range(LAYERS):
        p = f"bert.encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            dense(f"{p}.attention.self.{part}", HIDDEN, HIDDEN)
        dense(f"{p}.attention.output.dense", HIDDEN, HIDDEN)
        norm(f"{p}.attention.output.LayerNorm")
        dense(f"{p}.intermediate.dense", HIDDEN, WIDE)
        dense(f"{p}.output.dense", WIDE, HIDDEN)
        norm(f"{p}.output.LayerNorm")
    dense("bert.pooler.dense", HIDDEN, HIDDEN)
    dense("classifier", HIDDEN, labels)
    return out


def write_transformers(
    architecture: str,
    directory: Path,
    *,
    labels: tuple[str, ...] = THREE,
    seed: int = 0,
    spread: float = 0.5,
) -> Path:
    """A random model of an architecture, as transformers saves it, with the tiny tokenizer.

    Args:
        architecture: ``deberta``, ``roberta``, ``xlmr`` or ``modernbert``.
        directory: Where to.
        labels: Class names in column order.
        seed: Of the weights.
        spread: Their standard deviation; ``0.5`` makes int8 and attention hard.
    """
    import torch
    import transformers

    size = {
        "vocab_size": tokenizer().get_vocab_size(), "hidden_size": HIDDEN, "num_hidden_layers": 2,
        "num_attention_heads": HEADS, "intermediate_size": WIDE, "pad_token_id": 0,
        "id2label": dict(enumerate(labels)), "label2id": {n: i for i, n in enumerate(labels)},
        "initializer_range": spread,
    }  # fmt: skip
    if architecture == "deberta":
        config = transformers.DebertaV2Config(
            **size, relative_attention=True, position_buckets=16, max_relative_positions=-1,
            pos_att_type=["c2p", "p2c"], share_att_key=True, norm_rel_ebd="layer_norm",
            position_biased_input=False, type_vocab_size=0, max_position_embeddings=POSITIONS,
        )  # fmt: skip
    elif architecture in ("roberta", "xlmr"):
        kind = "RobertaConfig" if architecture == "roberta" else "XLMRobertaConfig"
        config = getattr(transformers, kind)(
            **size, max_position_embeddings=POSITIONS + 2, type_vocab_size=1
        )
    else:
        config = transformers.ModernBertConfig(
            **size, max_position_embeddings=POSITIONS, cls_token_id=2, sep_token_id=3,
            bos_token_id=2, eos_token_id=3, local_attention=16, attention_dropout=0.0,
        )  # fmt: skip
    torch.manual_seed(seed)
    model = transformers.AutoModelForSequenceClassification.from_config(config)
    model.eval().save_pretrained(directory)
    tokenizer().save(str(directory / "tokenizer.json"))
    return directory
