"""How a linear layer is written into the graph: in float, or in int8 with per-row scales.

The int8 form, for an activation row ``x`` and a weight matrix ``W`` (K x N):

    s  = max|x| / 127                    one scale a row, so no row depends on another
    q  = round(x / s) + 128              uint8, zero point 128
    c  = max|W[:, n]| / 127              one scale a column, known at export
    y  = ((q - 128) @ Wq) * c * s        integer sums are exact: no order, no batch effect

Plain dynamic quantisation takes one ``s`` for the whole batch, which lets batch mates move a
score. Here they cannot, not even in the last bit.

Outputs of GELU lie above -0.17, so half of the symmetric range would go unused. They take a zero
point of 16 and the scale ``max(max(x) / 239, 0.17 / 16)``: nearly twice as fine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .graph_builder import MS, GraphBuilder
from .quantize import quantize_columns, quantize_rows
from .weights import FloatArray

#: Lower bound of GELU: its minimum is -0.16997 near x = -0.7518.
GELU_MIN = 0.17


@dataclass(frozen=True, slots=True)
class Activation:
    """An input made ready for one or more matrix products.

    Attributes:
        value: Name of the value that is multiplied.
        scale: Name of the per-row scale (rows, 1), or empty in float.
        zero: Zero point of the quantised value.
    """

    value: str
    scale: str = ""
    zero: int = 0


class Linear(Protocol):
    """Writes products with constant weights into a graph. Bias is the caller's."""

    def prepare(self, graph: GraphBuilder, x: str, name: str, *, gelu: bool = False) -> Activation:
        """Makes the float value ``x`` ready for multiplication.

        Args:
            graph: Where nodes go.
            x: Name of the value.
            name: Prefix for names.
            gelu: Whether ``x`` is an output of GELU, and so is bounded from below.
        """
        ...

    def matmul(self, graph: GraphBuilder, x: Activation, weight: FloatArray, name: str) -> str:
        """Adds ``x @ weight`` and returns the float result's name."""
        ...

    def effective(self, weight: FloatArray) -> FloatArray:
        """The weight that `matmul` really multiplies with, as float."""
        ...


class FloatLinear:
    """Products in float32."""

    def prepare(self, graph: GraphBuilder, x: str, name: str, *, gelu: bool = False) -> Activation:
        """Passes the value on."""
        return Activation(x)

    def matmul(self, graph: GraphBuilder, x: Activation, weight: FloatArray, name: str) -> str:
        """Adds a float MatMul."""
        return graph.node("MatMul", [x.value, graph.const(f"{name}/weight", weight)], name)

    def effective(self, weight: FloatArray) -> FloatArray:
        """The weight itself."""
        return weight


@dataclass(frozen=True, slots=True)
class RowInt8Linear:
    """Products in int8 with one activation scale a row; see the module's text.

    Attributes:
        axis: Of the channels: 1 for rows in two dimensions, -1 for any number of them.
    """

    axis: int = 1

    def prepare(self, graph: GraphBuilder, x: str, name: str, *, gelu: bool = False) -> Activation:
        """Adds the quantisation of ``x``."""
        zero, steps = (16, 239.0) if gelu else (128, 127.0)
        # The floor keeps a row of zeros from dividing by zero, and GELU's lower tail in range.
        floor = GELU_MIN / zero * steps if gelu else 1e-6
        magnitude = x if gelu else graph.node("Abs", [x], f"{name}/abs")
        top = graph.row_max(magnitude, self.axis, f"{name}/max")
        top = graph.node(
            "Max", [top, graph.shared(f"q/floor{zero}", np.float32(floor))], f"{name}/top"
        )
        inverse = graph.node(
            "Div", [graph.shared(f"q/steps{zero}", np.float32(steps)), top], f"{name}/inverse"
        )
        # Two passes, because QuantizeLinear with a scale a row runs on one thread only.
        scaled = graph.node("Mul", [x, inverse], f"{name}/scaled")
        one = graph.shared("q/one", np.float32(1.0))
        zero_name = graph.shared(f"q/zero{zero}", np.uint8(zero))
        quantised = graph.node("QuantizeLinear", [scaled, one, zero_name], f"{name}/u8")
        step = graph.shared(f"q/step{zero}", np.float32(1.0 / steps))
        scale = graph.node("Mul", [top, step], f"{name}/scale")
        return Activation(quantised, scale, zero)

    def matmul(self, graph: GraphBuilder, x: Activation, weight: FloatArray, name: str) -> str:
        """Adds the integer product and its rescaling."""
        q, columns = quantize_columns(weight)
        inputs = [
            x.value,
            graph.const(f"{name}/weight", q),
            graph.shared("q/one", np.float32(1.0)),
            graph.const(f"{name}/columns", columns),
            graph.shared(f"q/zero{x.zero}", np.uint8(x.zero)),
        ]
        product = graph.node("MatMulIntegerToFloat", inputs, f"{name}/product", domain=MS)
        return graph.node("Mul", [product, x.scale], name)

    def effective(self, weight: FloatArray) -> FloatArray:
        """The weight after rounding to int8."""
        q, columns = quantize_columns(weight)
        return q.astype(np.float32) * columns


def linear_for(precision: str) -> Linear:
    """How the layers of a graph of this precision are written.

    Raises:
        ValueError: It is neither ``"fp32"`` nor ``"int8"``.
    """
    if precision not in ("fp32", "int8"):
        raise ValueError(f"precision must be 'fp32' or 'int8', not {precision!r}")
    return RowInt8Linear() if precision == "int8" else FloatLinear()


def word_rows(graph: GraphBuilder, table: FloatArray, *, int8: bool) -> str:
    """Word embeddings of ``input_ids``: (batch, seq, hidden).

    Args:
        graph: Where nodes go.
        table: (ids, hidden).
        int8: Whether the table is stored in int8, with one scale a row.
    """
    if not int8:
        return graph.node("Gather", [graph.const("words", table), "input_ids"], "words/value")
    rows, scales = quantize_rows(table)
    ints = graph.node("Gather", [graph.const("words", rows), "input_ids"], "words/rows")
    scale = graph.node("Gather", [graph.const("words/scales", scales), "input_ids"], "words/scale")
    floats = graph.node("Cast", [ints], "words/float", to=1)
    return graph.node("Mul", [floats, scale], "words/value")
