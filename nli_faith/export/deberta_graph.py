"""The graph of a DeBERTa-v2 or v3 sequence classifier, written by hand for ONNX Runtime.

DeBERTa adds two terms to each attention score, for query ``i`` and key ``j``:

    score(i, j) = (q_i . k_j + q_i . P[b(i - j)] + k_j . R[b(i - j)]) / sqrt(3 d)

``P`` and ``R`` are the relative-position embeddings through the key and the query projection, and
``b`` puts distances into buckets. A traced export recomputes ``P`` and ``R`` in every layer of
every call and gathers the terms through an int64 index of (batch, heads, length, length). Here

- ``P`` and ``R`` are constants of the file;
- their rows are brought into the order of distances, 2L - 1 small rows a call, so that what was a
  gather is a *skew*: row ``i`` of a (L, 2L - 1) product moved by ``i`` places, which a slice and a
  reshape of the flat values do (Transformer-XL, Dai et al. 2019, appendix B);
- scores, softmax and values are one operator that takes the two terms as its bias;
- the last layer computes queries, and everything behind them, for the first tokens only.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .bert_graph import KEPT
from .deberta_weights import DebertaConfig
from .graph_builder import MS, OPSET, GraphBuilder
from .linear import Activation, Linear, linear_for, word_rows
from .weights import FloatArray, Weights, take

if TYPE_CHECKING:
    from onnx import ModelProto


def distance_buckets(config: DebertaConfig) -> npt.NDArray[np.int64]:
    """Row of the position table for every distance.

    Args:
        config: Sizes.

    Returns:
        (2 * positions - 1,) rows for the distances ``j - i`` = -(positions - 1) ... positions - 1,
        so that entry ``k`` belongs to ``i - j = positions - 1 - k``.
    """
    distance = np.arange(config.positions - 1, -config.positions, -1, dtype=np.int64)
    if config.buckets > 0:
        middle = config.buckets // 2
        size = np.where(np.abs(distance) < middle, middle - 1, np.abs(distance))
        # As transformers computes it, in single precision.
        ratio = np.log((size / middle).astype(np.float32)) / np.float32(
            np.log(np.float32((config.max_relative - 1) / middle))
        )
        far = (np.ceil(ratio * np.float32(middle - 1)) + middle) * np.sign(distance)
        distance = np.where(np.abs(distance) <= middle, distance, far.astype(np.int64))
    rows: npt.NDArray[np.int64] = np.clip(distance + config.span, 0, 2 * config.span - 1)
    return rows


class _DebertaWriter:
    """Writes one graph."""

    def __init__(
        self, weights: Weights, config: DebertaConfig, linear: Linear, *, int8: bool, opset: int
    ) -> None:
        self.g = GraphBuilder(opset)
        self.w, self.c, self.linear, self.int8 = weights, config, linear, int8
        self.scale = 1.0 / math.sqrt(config.head * (1 + config.c2p + config.p2c))

    def take(self, key: str, *shape: int) -> FloatArray:
        """A tensor, checked."""
        return take(self.w, f"deberta.{key}", shape)

    def dense(self, prefix: str, inputs: int, outputs: int) -> tuple[FloatArray, FloatArray]:
        """Weight as (inputs, outputs), and bias."""
        weight = self.take(f"{prefix}.weight", outputs, inputs).T
        return np.ascontiguousarray(weight), self.take(f"{prefix}.bias", outputs)

    def ints(self, name: str, values: list[int]) -> str:
        """A shared constant vector of integers."""
        return self.g.shared(f"ints/{name}", values, np.int64)

    def norm(self, x: str, prefix: str, name: str) -> str:
        """Layer normalisation."""
        g, h = self.g, self.c.hidden
        gamma = g.const(f"{name}/gamma", self.take(f"{prefix}.weight", h))
        beta = g.const(f"{name}/beta", self.take(f"{prefix}.bias", h))
        return g.node("LayerNormalization", [x, gamma, beta], name, axis=-1, epsilon=self.c.eps)

    def lengths(self) -> None:
        """Values that depend on the batch's length alone, computed once a call."""
        g = self.g
        one, two = self.ints("one", [1]), self.ints("two", [2])
        self.dims = g.node("Shape", ["input_ids"], "ids/shape")
        self.length = g.node("Slice", [self.dims, one, two], "ids/length")
        last = g.node("Sub", [self.length, one], "ids/last")
        double = g.node("Mul", [last, two], "ids/double")
        # Distances -(L - 1) ... L - 1 of all that the model has.
        start = g.node("Sub", [self.ints("positions", [self.c.positions]), self.length], "d/start")
        end = g.node("Add", [g.node("Add", [start, double], "d/middle"), one], "d/end")
        table = g.const("buckets", distance_buckets(self.c))
        self.rows = g.node("Slice", [table, start, end], "d/rows")
        self.skew_start = last
        size = g.node("Mul", [self.length, double], "skew/size")
        self.skew_end = g.node("Add", [last, size], "skew/end")
        heads = self.ints("flat_heads", [0, self.c.heads, -1])
        self.flat_shape = heads
        front = self.ints("front", [0, self.c.heads])
        self.skew_shape = g.node("Concat", [front, self.length, double], "skew/shape", axis=0)
        self.zero, self.three = self.ints("zero", [0]), self.ints("three", [3])
        self.axis2 = self.ints("axis2", [2])
        self.kept = self.ints("kept", [KEPT])

    def embeddings(self) -> str:
        """Word (and position) embeddings, normalised: (batch * length, hidden)."""
        g, c = self.g, self.c
        table = self.take("embeddings.word_embeddings.weight", c.vocab, c.hidden)
        words = word_rows(g, table, int8=self.int8)
        if c.biased_input:
            positions = self.take("embeddings.position_embeddings.weight", c.positions, c.hidden)
            cut = [g.const("positions", positions), self.zero, self.length]
            words = g.node("Add", [words, g.node("Slice", cut, "positions/rows")], "words/placed")
        if c.types:
            types = self.take("embeddings.token_type_embeddings.weight", c.types, c.hidden)
            typed = g.node("Gather", [g.const("types", types), "token_type_ids"], "types/rows")
            words = g.node("Add", [words, typed], "words/typed")
        flat = g.node("Reshape", [words, self.ints("rows", [-1, c.hidden])], "words/flat")
        return self.norm(flat, "embeddings.LayerNorm", "embed")

    def tables(self, layer: int) -> tuple[str, str]:
        """``P`` and ``R`` of a layer in the order of distances, scaled: (1, heads, d, 2L - 1)."""
        c, p = self.c, f"encoder.layer.{layer}.attention.self"
        embedded = self.take("encoder.rel_embeddings.weight", 2 * c.span, c.hidden)
        if c.norm_relative:
            embedded = self._normed(embedded, "encoder.LayerNorm")
        names = ("key_proj", "query_proj") if c.share_key else ("pos_key_proj", "pos_query_proj")
        out = []
        for name in names:
            weight, bias = self.dense(f"{p}.{name}", c.hidden, c.hidden)
            projected = (embedded.astype(np.float64) @ weight + bias) * self.scale
            by_head = projected.reshape(2 * c.span, c.heads, c.head).transpose(1, 2, 0)
            table = self.g.const(f"l{layer}/{name}/table", by_head[None].astype(np.float32))
            chosen = self.g.node("Gather", [table, self.rows], f"l{layer}/{name}/rows", axis=3)
            out.append(chosen)
        return out[0], out[1]

    def _normed(self, rows: FloatArray, prefix: str) -> FloatArray:
        values = rows.astype(np.float64)
        centred = values - values.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + self.c.eps)
        gamma = self.take(f"{prefix}.weight", self.c.hidden)
        normed = centred / spread * gamma + self.take(f"{prefix}.bias", self.c.hidden)
        return np.asarray(normed, dtype=np.float32)

    def skewed(self, x: str, name: str) -> str:
        """(b, heads, L, 2L - 1) to (b, heads, L, L): row ``i`` moved left by ``L - 1 - i``."""
        g = self.g
        flat = g.node("Reshape", [x, self.flat_shape], f"{name}/flat")
        cut = [flat, self.skew_start, self.skew_end, self.axis2]
        cut_flat = g.node("Slice", cut, f"{name}/cut")
        wide = g.node("Reshape", [cut_flat, self.skew_shape], f"{name}/wide")
        return g.node("Slice", [wide, self.zero, self.length, self.three], name)

    def by_head(self, x: str, name: str) -> str:
        """(batch, length, hidden) to (batch, heads, length, head)."""
        shape = self.ints("by_head", [0, 0, self.c.heads, self.c.head])
        spread = self.g.node("Reshape", [x, shape], f"{name}/spread")
        return self.g.node("Transpose", [spread], name, perm=[0, 2, 1, 3])

    def bias(self, query: str, key: str, layer: int, *, last: bool) -> str:
        """What relative positions add to the scaled scores: (batch, heads, queries, L)."""
        g, n = self.g, f"l{layer}/bias"
        to_key, to_query = self.tables(layer)
        terms = []
        if self.c.c2p:
            near = g.node("MatMul", [self.by_head(query, f"{n}/q"), to_key], f"{n}/c2p/all")
            terms.append(self._first_rows(near, n) if last else self.skewed(near, f"{n}/c2p"))
        if self.c.p2c:
            # Here the key is the row, and the distance runs the other way.
            backward = g.node("MatMul", [self.by_head(key, f"{n}/k"), self._reversed(to_query, n)],
                              f"{n}/p2c/all")  # fmt: skip
            turned = self.skewed(backward, f"{n}/p2c/turned")
            if last:
                cut = [turned, self.zero, self.kept, self.three]
                turned = g.node("Slice", cut, f"{n}/p2c/first")
            terms.append(g.node("Transpose", [turned], f"{n}/p2c", perm=[0, 1, 3, 2]))
        return terms[0] if len(terms) == 1 else g.node("Add", terms, n)

    def _reversed(self, table: str, name: str) -> str:
        far = self.ints("far", [-(1 << 40)])
        step, minus = self.ints("minus_one", [-1]), self.ints("minus", [-1])
        cut = [table, minus, far, self.three, step]
        return self.g.node("Slice", cut, f"{name}/reversed")

    def _first_rows(self, x: str, name: str) -> str:
        """The skew of the first two queries: (b, heads, 2, 2L - 1) to (b, heads, 2, L)."""
        g, one = self.g, self.ints("one", [1])
        rows = []
        for i in range(KEPT):
            low, high = self.ints(f"row{i}", [i]), self.ints(f"row{i + 1}", [i + 1])
            row = g.node("Slice", [x, low, high, self.axis2], f"{name}/row{i}")
            start = self.skew_start if i == 0 else g.shared_node(
                "Sub", [self.skew_start, one], "skew/start1")  # fmt: skip
            end = g.node("Add", [start, self.length], f"{name}/end{i}")
            rows.append(g.node("Slice", [row, start, end, self.three], f"{name}/first{i}"))
        return g.node("Concat", rows, f"{name}/first", axis=2)

    def attention(self, x: str, layer: int, *, last: bool) -> str:
        """Self-attention without its output projection: (rows, hidden)."""
        g, h, p = self.g, self.c.hidden, f"encoder.layer.{layer}.attention.self"
        n = f"l{layer}/attention"
        spread = g.shared_node(
            "Concat", [self.dims, self.ints("hidden", [h])], "shape/spread", axis=0
        )
        source = self.linear.prepare(g, x, f"{n}/in")
        asking = source
        if last:
            asking = self.linear.prepare(g, self.first_tokens(x, f"{n}/first"), f"{n}/in_first")
        values: dict[str, str] = {}
        for part in ("query", "key", "value"):
            weight, bias = self.dense(f"{p}.{part}_proj", h, h)
            own = asking if part == "query" else source
            flat = self.project(own, weight, bias, f"{n}/{part}")
            few = part == "query" and last
            shape = self.ints("kept_rows", [-1, KEPT, h]) if few else spread
            values[part] = g.node("Reshape", [flat, shape], f"{n}/{part}/spread")
        inputs = [values["query"], values["key"], values["value"]]
        if self.c.c2p or self.c.p2c:
            extra = self.bias(values["query"], values["key"], layer, last=last)
            inputs += ["", "", extra]
        mixed = g.node("MultiHeadAttention", inputs, f"{n}/mixed", domain=MS,
                       num_heads=self.c.heads, scale=self.scale)  # fmt: skip
        return g.node("Reshape", [mixed, self.ints("rows", [-1, h])], f"{n}/flat")

    def project(self, x: Activation, weight: FloatArray, bias: FloatArray, name: str) -> str:
        """A dense layer."""
        out = self.linear.matmul(self.g, x, weight, name)
        return self.g.node("Add", [out, self.g.const(f"{name}/bias", bias)], f"{name}/sum")

    def first_tokens(self, x: str, name: str) -> str:
        """The first `KEPT` tokens of each pair: (batch * kept, hidden)."""
        g, h = self.g, self.c.hidden
        spread = g.shared_node(
            "Concat", [self.dims, self.ints("hidden", [h])], "shape/spread", axis=0
        )
        wide = g.node("Reshape", [x, spread], f"{name}/spread")
        cut = g.node("Slice", [wide, self.zero, self.kept, self.ints("one", [1])], f"{name}/cut")
        return g.node("Reshape", [cut, self.ints("rows", [-1, h])], name)

    def layer(self, x: str, layer: int) -> str:
        """One layer: attention, then feed-forward."""
        g, h, wide = self.g, self.c.hidden, self.c.intermediate
        p, n, last = f"encoder.layer.{layer}", f"l{layer}", layer == self.c.layers - 1
        mixed = self.linear.prepare(g, self.attention(x, layer, last=last), f"{n}/mixed")
        out = self.project(mixed, *self.dense(f"{p}.attention.output.dense", h, h), f"{n}/out")
        skip = self.first_tokens(x, f"{n}/skip") if last else x
        summed = g.node("Add", [out, skip], f"{n}/attended/sum")
        attended = self.norm(summed, f"{p}.attention.output.LayerNorm", f"{n}/attended")
        weight, bias = self.dense(f"{p}.intermediate.dense", h, wide)
        up = self.linear.matmul(g, self.linear.prepare(g, attended, f"{n}/wide"), weight, f"{n}/up")
        inputs = [up, g.const(f"{n}/up/bias", bias)]
        active = g.node("BiasGelu", inputs, f"{n}/gelu", domain=MS)
        down = self.linear.prepare(g, active, f"{n}/narrow", gelu=True)
        out = self.project(down, *self.dense(f"{p}.output.dense", wide, h), f"{n}/down")
        summed = g.node("Add", [out, attended], f"{n}/sum")
        return self.norm(summed, f"{p}.output.LayerNorm", f"{n}/norm")

    def head(self, x: str) -> None:
        """Pooler and classifier, in float, on the first token: ``logits`` (batch, labels)."""
        g, h, k = self.g, self.c.hidden, self.c.labels
        weight = np.ascontiguousarray(take(self.w, "pooler.dense.weight", (h, h)).T)
        bias = take(self.w, "pooler.dense.bias", (h,))
        pooled = g.node("MatMul", [x, g.const("pooler/weight", weight)], "pooler/out")
        inputs = [pooled, g.const("pooler/bias", bias)]
        pooled = g.node("BiasGelu", inputs, "pooler/gelu", domain=MS)
        weight = np.ascontiguousarray(take(self.w, "classifier.weight", (k, h)).T)
        bias = take(self.w, "classifier.bias", (k,))
        scores = g.node("MatMul", [pooled, g.const("classifier/weight", weight)], "scores/out")
        scores = g.node("Add", [scores, g.const("classifier/bias", bias)], "scores")
        spread = g.node("Reshape", [scores, self.ints("scores", [-1, KEPT, k])], "scores/spread")
        g.node("Gather", [spread, g.const("scores/first", 0, np.int64)], "logits", axis=1)
        g.output("logits", "float", ["batch", k])

    def write(self, metadata: dict[str, str]) -> ModelProto:
        """Writes the whole graph."""
        self.g.input("input_ids", "int64", ["batch", "sequence"])
        if self.c.types:
            self.g.input("token_type_ids", "int64", ["batch", "sequence"])
        self.lengths()
        x = self.embeddings()
        for layer in range(self.c.layers):
            x = self.layer(x, layer)
        self.head(x)
        return self.g.build("deberta_sequence_classifier", metadata)


def build_deberta(
    weights: Weights,
    config: DebertaConfig,
    *,
    precision: str = "fp32",
    opset: int = OPSET,
    metadata: dict[str, str] | None = None,
) -> ModelProto:
    """Builds the ONNX model of a DeBERTa-v2 or v3 sequence classifier.

    Args:
        weights: Tensors under their Hugging Face names.
        config: Sizes.
        precision: ``"fp32"``, or ``"int8"`` for per-row dynamic activation scales.
        opset: ONNX opset.
        metadata: Key-value pairs to store in the file.

    Returns:
        A model with the int64 input ``input_ids`` (batch x sequence), ``token_type_ids`` where
        the model has types, and the output ``logits`` (float, batch x labels). A batch holds
        pairs of one length of at least 3 tokens, without padding.

    Raises:
        ModelFormatError: A tensor is missing, misshapen or not finite.
        ConfigError: The graph cannot be written for the opset.
        ValueError: ``precision`` is neither of the two.
    """
    int8 = precision == "int8"
    writer = _DebertaWriter(weights, config, linear_for(precision), int8=int8, opset=opset)
    return writer.write({"precision": precision, **(metadata or {})})
