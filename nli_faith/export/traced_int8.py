"""int8 for graphs that PyTorch's exporter wrote: the same scheme as in graphs of our own.

Every product of an activation with a constant matrix becomes an integer product with one
activation scale a row and one weight scale a column, and the word table gets one scale a row (see
`linear`). Products of two activations, as in attention, and ``Gemm``, as in classifiers, stay in
float. A pair's score then depends on the pair alone, as with all int8 here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelFormatError
from .graph_builder import GraphBuilder, numpy_helper
from .linear import Activation, RowInt8Linear, word_rows

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

#: The word table is read by these ids.
_IDS = "input_ids"


def quantise_traced(model: ModelProto, *, opset: int, metadata: dict[str, str]) -> ModelProto:
    """Rewrites a float graph in int8.

    Args:
        model: A traced classifier.
        opset: The opset it was traced for.
        metadata: Key-value pairs to store in the file.

    Returns:
        A graph with the same inputs and outputs.

    Raises:
        ConfigError: The opset is none that graphs are written for.
        ModelFormatError: The graph has no product with a constant matrix.
    """
    graph = model.graph
    matrices = _matrices(graph)
    products = [n for n in graph.node if n.op_type == "MatMul" and n.input[1] in matrices]
    if not products:
        raise ModelFormatError(
            "the traced graph has no product with a constant matrix, so nothing to put in int8: "
            "export it in fp32"
        )
    words = _word_lookups(graph, matrices)
    replaced = {n.output[0] for n in (*products, *words)}
    still_read = {i for n in graph.node if n.output[0] not in replaced for i in n.input}
    mine = {n.input[1] for n in products} | {n.input[0] for n in words}
    builder = GraphBuilder(opset)
    builder.start_from(graph, without=mine - still_read)
    # Names of the old graph are its own; a new node must take none of them.
    builder.reserve(name for n in graph.node for name in (*n.output, n.name))
    _rewrite(builder, graph, matrices, replaced)
    return builder.build(graph.name, metadata)


def _matrices(graph: Any) -> dict[str, Any]:
    """Constant float matrices by name."""
    floats = 1  # TensorProto.FLOAT
    return {t.name: t for t in graph.initializer if len(t.dims) == 2 and t.data_type == floats}


def _word_lookups(graph: Any, matrices: dict[str, Any]) -> list[NodeProto]:
    """Nodes that look ids up in the word table."""
    return [
        n for n in graph.node
        if n.op_type == "Gather" and n.input[0] in matrices and n.input[1] == _IDS
        and all(a.name != "axis" or a.i == 0 for a in n.attribute)
    ]  # fmt: skip


def _rewrite(
    builder: GraphBuilder, graph: Any, matrices: dict[str, Any], replaced: set[str]
) -> None:
    """Adds the old nodes in their order, with int8 in place of those in ``replaced``."""
    linear = RowInt8Linear(axis=-1)
    # Query, key and value read one activation: it is quantised once.
    ready: dict[str, Activation] = {}
    for number, node in enumerate(graph.node):
        output = node.output[0] if node.output else ""
        if output not in replaced:
            builder.keep(node)
            continue
        name = f"int8/{number}"
        if node.op_type == "Gather":
            table = np.asarray(numpy_helper.to_array(matrices[node.input[0]]), np.float32)
            made = word_rows(builder, table, int8=True)
        else:
            x = node.input[0]
            if x not in ready:
                ready[x] = linear.prepare(builder, x, f"{name}/x")
            weight = np.asarray(numpy_helper.to_array(matrices[node.input[1]]), np.float32)
            made = linear.matmul(builder, ready[x], weight, name)
        builder.rename(made, output)
