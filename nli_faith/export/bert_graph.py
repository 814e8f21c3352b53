"""The graph of a BERT sequence classifier, written by hand for ONNX Runtime.

Why by hand: a traced export splits attention, layer normalisation and GELU into dozens of small
operators and leaves their fusion to a pattern matcher, and it cannot know that only the first
token's output is used. Here

- biases of output projections live in the residual stream: the layer normalisation before adds
  them to its beta, and the layers that read its output subtract them from their own bias;
- tokens are one 2-D matrix throughout, so that row-wise quantisation is a plain row operation;
- attention and bias + GELU are single operators; residual and layer normalisation are two,
  because ONNX Runtime's fused SkipLayerNormalization is not vectorised on a CPU: measured at 1.96
  ms against 0.25 ms for 1,024 x 384 values;
- the last layer computes queries, and everything behind them, for the first tokens only: exact,
  and it saves most of one layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .graph_builder import MS, OPSET, GraphBuilder
from .linear import Activation, Linear, linear_for, word_rows
from .quantize import Neurons, Smoothing
from .weights import BertConfig, FloatArray, Weights, take

if TYPE_CHECKING:
    from onnx import ModelProto

#: Tokens a pair keeps in the last layer. One would do, but two keep every float product of a
#: one-pair batch away from the matrix-vector kernel, which rounds differently from the
#: matrix-matrix kernel: a pair scored alone equals itself in a batch, bit for bit.
KEPT = 2


class _BertWriter:
    """Writes one graph. Sites such as ``l3/wide`` name the inputs of layers."""

    def __init__(
        self,
        weights: Weights,
        config: BertConfig,
        linear: Linear,
        *,
        int8: bool,
        padding: bool,
        types: bool,
        smoothing: Smoothing | None = None,
        float_neurons: Neurons | None = None,
        taps: bool = False,
        opset: int = OPSET,
    ) -> None:
        self.g = GraphBuilder(opset)
        self.w = weights
        self.c = config
        self.linear = linear
        self.int8 = int8
        self.padding = padding
        self.types = types
        self.smoothing = smoothing or {}
        self.float_neurons = float_neurons or {}
        self.taps = taps
        self._dims = ""

    def take(self, key: str, *shape: int) -> FloatArray:
        """A tensor, checked."""
        return take(self.w, key, shape)

    def weight(self, prefix: str, inputs: int, outputs: int) -> FloatArray:
        """A dense layer's weight as (inputs, outputs)."""
        return np.ascontiguousarray(self.take(f"{prefix}.weight", outputs, inputs).T)

    def bias(self, prefix: str, weight: FloatArray, shift: FloatArray) -> FloatArray:
        """A dense layer's bias, less what ``shift`` in its input adds."""
        bias = self.take(f"{prefix}.bias", weight.shape[1]).astype(np.float64)
        moved = shift.astype(np.float64) @ self.linear.effective(weight).astype(np.float64)
        return (bias - moved).astype(np.float32)

    def smooth(self, site: str, width: int) -> FloatArray:
        """Factor of each input channel at ``site``; ones where nothing is smoothed."""
        factor = self.smoothing.get(site)
        return np.ones(width, np.float32) if factor is None else factor

    def prepare(self, x: str, site: str, *, gelu: bool = False) -> Activation:
        """Makes a layer input ready, and taps it when calibrating."""
        if self.taps:
            size = self.g.node("Abs", [x], f"{site}/tap/abs")
            top = self.g.node("ReduceMax", [size], f"tap/{site}", axes=[0], keepdims=0)
            self.g.output(top, "float", ["channels"])
        return self.linear.prepare(self.g, x, f"{site}/in", gelu=gelu)

    def output_shift(self, prefix: str) -> FloatArray:
        """Bias of an output projection, to be carried by the residual stream."""
        return self.take(f"{prefix}.output.dense.bias", self.c.hidden)

    def norm(self, x: str, prefix: str, shift: FloatArray, site: str, name: str) -> str:
        """Layer normalisation of ``x``, plus ``shift``, smoothed for the layer at ``site``."""
        g, h = self.g, self.c.hidden
        factor = self.smooth(site, h)
        gamma = g.const(f"{name}/gamma", self.take(f"{prefix}.weight", h) * factor)
        beta = g.const(f"{name}/beta", (self.take(f"{prefix}.bias", h) + shift) * factor)
        return g.node("LayerNormalization", [x, gamma, beta], name, axis=-1, epsilon=self.c.eps)

    def residual(self, x: str, site: str, name: str) -> str:
        """The residual stream behind `norm`: its output without the smoothing."""
        if site not in self.smoothing:
            return x
        back = self.g.const(f"{name}/unsmooth", 1.0 / self.smoothing[site])
        return self.g.node("Mul", [x, back], f"{name}/residual")

    def flat(self, x: str, width: int, name: str) -> str:
        """A value as a matrix of ``width`` columns."""
        shape = self.g.shared(f"shape/flat{width}", [-1, width], np.int64)
        return self.g.node("Reshape", [x, shape], name)

    def words(self) -> str:
        """Word embeddings: (batch, seq, hidden)."""
        table = self.take("bert.embeddings.word_embeddings.weight", self.c.vocab, self.c.hidden)
        return word_rows(self.g, table, int8=self.int8)

    def embeddings(self) -> str:
        """Word, position and type embeddings, normalised: (batch * seq, hidden)."""
        g, h, p = self.g, self.c.hidden, "bert.embeddings"
        positions = self.take(f"{p}.position_embeddings.weight", self.c.positions, h)
        types = self.take(f"{p}.token_type_embeddings.weight", self.c.types, h)
        if not self.types:  # every token is of type 0: its vector goes into the positions
            positions = positions + types[0]
        start, end = g.const("ids/one", [1], np.int64), g.const("ids/two", [2], np.int64)
        length = g.node("Slice", [self.dims(), start, end], "ids/length")
        zero = g.const("positions/start", [0], np.int64)
        rows = g.node("Slice", [g.const("positions", positions), zero, length], "positions/rows")
        summed = g.node("Add", [self.words(), rows], "embeddings/sum")
        if self.types:
            typed = g.node("Gather", [g.const("types", types), "token_type_ids"], "types/rows")
            summed = g.node("Add", [summed, typed], "embeddings/typed")
        shift = self.output_shift("bert.encoder.layer.0.attention")
        flat = self.flat(summed, h, "embeddings/flat")
        return self.norm(flat, f"{p}.LayerNorm", shift, "l0/attention", "embed")

    def dims(self) -> str:
        """Shape of the input, (batch, seq)."""
        self._dims = self._dims or self.g.node("Shape", ["input_ids"], "ids/shape")
        return self._dims

    def first_tokens(self, x: str, name: str) -> str:
        """The first `KEPT` tokens of each pair: (batch * kept, hidden)."""
        g, h = self.g, self.c.hidden
        spread = g.node("Reshape", [x, self.sequence_shape(h)], f"{name}/spread")
        cut = g.node(
            "Slice",
            [
                spread,
                g.shared("cut/start", [0], np.int64),
                g.shared("cut/end", [KEPT], np.int64),
                g.shared("cut/axis", [1], np.int64),
            ],
            f"{name}/cut",
        )
        return self.flat(cut, h, name)

    def sequence_shape(self, width: int) -> str:
        """Shape (batch, seq, width)."""
        width_name = self.g.shared(f"shape/width{width}", [width], np.int64)
        return self.g.shared_node("Concat", [self.dims(), width_name], "shape/spread", axis=0)

    def attention(self, x: str, layer: int, *, last: bool) -> str:
        """Self-attention without its output projection: (rows, hidden)."""
        g, h, p = self.g, self.c.hidden, f"bert.encoder.layer.{layer}.attention"
        n = f"l{layer}/attention"
        undo = 1.0 / self.smooth(n, h)[:, None]
        source = asking = self.prepare(x, n)
        if last:
            asking = self.linear.prepare(g, self.first_tokens(x, f"{n}/first"), f"{n}/in_first")
        projected, biases = [], []
        for part in ("query", "key", "value"):
            weight = self.weight(f"{p}.self.{part}", h, h) * undo
            bias = self.bias(f"{p}.self.{part}", weight, self.output_shift(p) / undo[:, 0])
            if part == "value":  # smooths the output projection's input, at no cost
                factor = self.smooth(f"l{layer}/mixed", h)
                weight, bias = weight * factor, bias * factor
            biases.append(bias)
            own = asking if part == "query" else source
            flat = self.linear.matmul(g, own, weight, f"{n}/{part}")
            if part == "query" and last:
                shape = g.const(f"{n}/shape", [-1, KEPT, h], np.int64)
            else:
                shape = self.sequence_shape(h)
            projected.append(g.node("Reshape", [flat, shape], f"{n}/{part}/spread"))
        inputs = [*projected, g.const(f"{n}/bias", np.concatenate(biases))]
        if self.padding:
            inputs.append(g.shared_node("Cast", ["attention_mask"], "mask", to=6))
        mixed = g.node(
            "MultiHeadAttention", inputs, f"{n}/mixed", domain=MS, num_heads=self.c.heads
        )
        return self.flat(mixed, h, f"{n}/flat")

    def layer(self, x: str, layer: int) -> str:
        """One layer: attention, then feed-forward."""
        g, h, p = self.g, self.c.hidden, f"bert.encoder.layer.{layer}"
        n, last = f"l{layer}", layer == self.c.layers - 1
        mixed = self.prepare(self.attention(x, layer, last=last), f"{n}/mixed")
        weight = self.weight(f"{p}.attention.output.dense", h, h)
        weight = weight / self.smooth(f"{n}/mixed", h)[:, None]
        out = self.linear.matmul(g, mixed, weight, f"{n}/attended/out")
        skip = self.first_tokens(x, f"{n}/skip") if last else x
        skip = self.residual(skip, f"{n}/attention", f"{n}/attended")
        summed = g.node("Add", [out, skip], f"{n}/attended/sum")
        shift = self.output_shift(p)
        prefix = f"{p}.attention.output.LayerNorm"
        attended = self.norm(summed, prefix, shift, f"{n}/wide", f"{n}/attended")
        summed = self.feed_forward(attended, layer, shift)
        if last:
            shift, site = np.zeros(h, np.float32), ""
        else:
            shift = self.output_shift(f"bert.encoder.layer.{layer + 1}.attention")
            site = f"l{layer + 1}/attention"
        return self.norm(summed, f"{p}.output.LayerNorm", shift, site, f"{n}/norm")

    def feed_forward(self, x: str, layer: int, shift: FloatArray) -> str:
        """Feed-forward plus residual of a normalised value that carries ``shift``."""
        g, h, wide = self.g, self.c.hidden, self.c.intermediate
        p, n = f"bert.encoder.layer.{layer}", f"l{layer}"
        factor = self.smooth(f"{n}/wide", h)
        weight = self.weight(f"{p}.intermediate.dense", h, wide) / factor[:, None]
        bias = self.bias(f"{p}.intermediate.dense", weight, shift * factor)
        apart = self.float_neurons.get(f"{n}/narrow", np.empty(0, dtype=np.int64))
        aside, aside_bias = weight[:, apart], self.take(f"{p}.intermediate.dense.bias", wide)[apart]
        aside_bias = aside_bias - (shift * factor) @ aside
        weight[:, apart], bias[apart] = 0.0, 0.0
        up = self.linear.matmul(g, self.prepare(x, f"{n}/wide"), weight, f"{n}/up")
        # In int8 the tanh form: its error of at most 0.0005 is far below the rounding's.
        gelu = "FastGelu" if self.int8 else "BiasGelu"
        active = g.node(gelu, [up, g.const(f"{n}/up/bias", bias)], f"{n}/gelu", domain=MS)
        weight = self.weight(f"{p}.output.dense", wide, h)
        down = self.prepare(active, f"{n}/narrow", gelu=True)
        out = self.linear.matmul(g, down, weight, f"{n}/down")
        if len(apart):
            side = (aside, aside_bias, weight[apart])
            out = g.node("Add", [out, self.aside(x, side, f"{n}/aside")], f"{n}/aside/sum")
        return g.node("Add", [out, self.residual(x, f"{n}/wide", n)], f"{n}/sum")

    def aside(self, x: str, side: tuple[FloatArray, FloatArray, FloatArray], name: str) -> str:
        """What a few neurons of a feed-forward add, in float.

        Some neurons of a trained model are a hundred times as active as all others; in int8 they
        alone would set the scale of their rows.
        """
        g = self.g
        up, bias, down = side
        wide = g.node("MatMul", [x, g.const(f"{name}/up", np.ascontiguousarray(up))], f"{name}/in")
        inputs = [wide, g.const(f"{name}/bias", bias)]
        active = g.node("BiasGelu", inputs, f"{name}/gelu", domain=MS)
        return g.node("MatMul", [active, g.const(f"{name}/down", down)], f"{name}/out")

    def head(self, x: str) -> None:
        """Pooler and classifier, in float, on the first token: ``logits`` (batch, labels)."""
        g, h, k = self.g, self.c.hidden, self.c.labels
        weight = g.const("pooler/weight", self.weight("bert.pooler.dense", h, h))
        bias = g.const("pooler/bias", self.take("bert.pooler.dense.bias", h))
        pooled = g.node("Add", [g.node("MatMul", [x, weight], "pooler/out"), bias], "pooler/sum")
        pooled = g.node("Tanh", [pooled], "pooler/tanh")
        weight = g.const("classifier/weight", self.weight("classifier", h, k))
        bias = g.const("classifier/bias", self.take("classifier.bias", k))
        scores = g.node("Add", [g.node("MatMul", [pooled, weight], "scores/out"), bias], "scores")
        shape = g.const("scores/shape", [-1, KEPT, k], np.int64)
        scores = g.node("Reshape", [scores, shape], "scores/spread")
        g.node("Gather", [scores, g.const("scores/first", 0, np.int64)], "logits", axis=1)
        g.output("logits", "float", ["batch", k])

    def write(self, metadata: dict[str, str]) -> ModelProto:
        """Writes the whole graph."""
        shape: list[str | int] = ["batch", "sequence"]
        self.g.input("input_ids", "int64", shape)
        if self.padding:
            self.g.input("attention_mask", "int64", shape)
        if self.types:
            self.g.input("token_type_ids", "int64", shape)
        x = self.embeddings()
        for layer in range(self.c.layers):
            x = self.layer(x, layer)
        self.head(x)
        return self.g.build("bert_sequence_classifier", metadata)


def build_bert(
    weights: Weights,
    config: BertConfig,
    *,
    precision: str = "fp32",
    padding: bool = False,
    token_types: bool = False,
    smoothing: Smoothing | None = None,
    float_neurons: Neurons | None = None,
    taps: bool = False,
    opset: int = OPSET,
    metadata: dict[str, str] | None = None,
) -> ModelProto:
    """Builds the ONNX model of a BERT sequence classifier.

    Args:
        weights: Tensors under their Hugging Face names.
        config: Sizes.
        precision: ``"fp32"``, or ``"int8"`` for per-row dynamic activation scales.
        padding: Whether batches may be padded. Without, the graph has no ``attention_mask``
            input, a batch holds pairs of one length, and ONNX Runtime uses its faster attention
            kernel.
        token_types: Whether the model's pairs carry token types; if not, type 0 is folded into
            the position table and the graph has no ``token_type_ids`` input.
        smoothing: Factor for each input channel of a layer, from `calibrate.smoothing_factors`.
        float_neurons: Feed-forward neurons kept in float, from `calibrate.outlier_neurons`.
        taps: Whether to output, for every layer input, the largest magnitude of each channel
            (``tap/<site>``), which calibration reads.
        opset: ONNX opset.
        metadata: Key-value pairs to store in the file.

    Returns:
        A model with the int64 input ``input_ids`` (batch x sequence) and, where asked for,
        ``attention_mask`` and ``token_type_ids``; output ``logits`` (float, batch x labels).
        Sequences have at least 2 tokens.

    Raises:
        ModelFormatError: A tensor is missing, misshapen or not finite.
        ValueError: ``precision`` is neither of the two.
    """
    linear = linear_for(precision)
    writer = _BertWriter(
        weights,
        config,
        linear,
        int8=precision == "int8",
        padding=padding,
        types=token_types,
        smoothing=smoothing,
        float_neurons=float_neurons,
        taps=taps,
        opset=opset,
    )
    return writer.write({"precision": precision, **(metadata or {})})
