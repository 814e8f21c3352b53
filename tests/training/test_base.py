"""Reading the packed encoder: a tiny file in the same format, written here byte by byte."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from nli_faith.errors import ModelFormatError
from nli_faith.training.base import E5File, bert_tensors, kept_rows

H, LAYERS, HEADS, WIDE, POSITIONS, TYPES = 32, 1, 2, 64, 8, 2
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "公司", "增长", "x", "[MASK]"]


def pack(values: np.ndarray) -> tuple[bytes, np.ndarray]:
    """Q4_0 bytes of a matrix, and what they stand for."""
    blocks = values.reshape(-1, 32)
    scale = (np.abs(blocks).max(axis=1, keepdims=True) / 7).astype(np.float16)
    q = np.clip(np.rint(blocks / scale.astype(np.float32)), -8, 7).astype(np.int8)
    nibbles = (q + 8).astype(np.uint8)
    raw = np.concatenate([scale.view(np.uint8), nibbles[:, :16] | nibbles[:, 16:] << 4], axis=1)
    return raw.tobytes(), (q * scale.astype(np.float32)).reshape(values.shape)


@pytest.fixture
def packed(tmp_path: Path) -> tuple[Path, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {
        "emb.word": (len(PIECES), H), "emb.pos": (POSITIONS, H), "emb.type": (TYPES, H),
        "emb.ln.w": (H,), "emb.ln.b": (H,),
    }  # fmt: skip
    for name in ("q", "k", "v", "ao"):
        shapes |= {f"l0.{name}.w": (H, H), f"l0.{name}.b": (H,)}
    shapes |= {"l0.fi.w": (WIDE, H), "l0.fi.b": (WIDE,), "l0.fo.w": (H, WIDE), "l0.fo.b": (H,)}
    shapes |= {f"l0.{n}.{p}": (H,) for n in ("aln", "oln") for p in "wb"}
    stored, truth = {}, {}
    for name, shape in shapes.items():
        values = rng.normal(size=shape).astype(np.float32)
        if name == "emb.word" or (name.startswith("l0") and len(shape) == 2):
            stored[name], truth[name] = pack(values)
        else:
            stored[name], truth[name] = values.tobytes(), values
    blob = "".join(PIECES).encode()
    ends = np.cumsum([0, *(len(p.encode()) for p in PIECES)]).astype(np.uint32)
    head = b"E5S1" + struct.pack("<I7i", 1, H, LAYERS, HEADS, WIDE, len(PIECES), POSITIONS, TYPES)
    head += struct.pack("<fi", 1e-12, 32) + struct.pack("<5i", len(PIECES), 0, 2, 1, 3)
    head += struct.pack("<Q", len(blob)) + ends.tobytes()
    head += np.zeros(len(PIECES), np.float32).tobytes() + blob
    head += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 0x3000, 1, 0x20)
    head += struct.pack("<i", len(stored))
    entry = sum(2 + len(n) + 21 for n in stored)
    at, directory, body = len(head) + entry, b"", b""
    for name, data in stored.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", 0, 0, at + len(body), len(data))
        body += data
    path = tmp_path / "packed.bin"
    path.write_bytes(head + directory + body)
    return path, truth


def test_tensors_come_back_under_their_bert_names(packed):
    path, truth = packed
    file = E5File(path)
    assert (file.hidden, file.layers, file.wide, file.positions) == (H, LAYERS, WIDE, POSITIONS)
    found = bert_tensors(file)
    for name, key in (
        ("emb.word", "embeddings.word_embeddings.weight"),
        ("l0.q.w", "encoder.layer.0.attention.self.query.weight"),
        ("l0.fo.w", "encoder.layer.0.output.dense.weight"),
        ("l0.oln.b", "encoder.layer.0.output.LayerNorm.bias"),
    ):
        np.testing.assert_allclose(found[key], truth[name], rtol=1e-3, atol=1e-6)


def test_a_trimmed_vocabulary_finds_its_rows(packed, tmp_path):
    vocab = [["<s>", 0], ["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["增长", -1.0], ["<mask>", 0]]
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text(json.dumps({"model": {"vocab": vocab}}), encoding="utf-8")
    rows = kept_rows(E5File(packed[0]), tokenizer)
    assert rows.tolist() == [0, 1, 2, 3, PIECES.index("增长"), len(PIECES) - 1]
    vocab.append(["没有", -1.0])
    tokenizer.write_text(json.dumps({"model": {"vocab": vocab}}), encoding="utf-8")
    with pytest.raises(ModelFormatError, match="没有"):
        kept_rows(E5File(packed[0]), tokenizer)


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "other.bin"
    path.write_bytes(b"GGUF" + bytes(64))
    with pytest.raises(ModelFormatError, match="GGUF"):
        E5File(path)
