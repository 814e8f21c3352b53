"""A small builder over ``onnx.helper``: names, constants and nodes, nothing model-specific."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import ConfigError, MissingExtraError

try:
    # With `as`, for other modules here to import: the error below is then written once.
    import onnx as onnx
    from onnx import TensorProto, helper
    from onnx import numpy_helper as numpy_helper
except ImportError as exc:  # pragma: no cover - depends on the environment
    raise MissingExtraError("onnx", "export") from exc

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

#: ONNX opset: 17 has LayerNormalization and everything else used here, and every onnxruntime
#: that is still supported reads it.
OPSET = 17
#: The newest opset that the graphs here are written for.
NEWEST_OPSET = 21
#: Domain of ONNX Runtime's fused operators.
MS = "com.microsoft"

_DTYPES = {"float": TensorProto.FLOAT, "int64": TensorProto.INT64}


def check_opset(opset: int) -> int:
    """The opset, if graphs can be written for it.

    Raises:
        ConfigError: They cannot.
    """
    if not OPSET <= opset <= NEWEST_OPSET:
        raise ConfigError(f"opset must lie in {OPSET} to {NEWEST_OPSET}, not {opset!r}")
    return opset


class GraphBuilder:
    """Collects nodes and constants, and makes a checked model of them."""

    def __init__(self, opset: int = OPSET) -> None:
        """Starts an empty graph.

        Args:
            opset: ONNX opset, from `OPSET` to `NEWEST_OPSET`.

        Raises:
            ConfigError: It lies outside.
        """
        self.opset = check_opset(opset)
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._taken: set[str] = set()

    def _name(self, wanted: str) -> str:
        name, n = wanted, 1
        while name in self._taken:
            n += 1
            name = f"{wanted}_{n}"
        self._taken.add(name)
        return name

    def input(self, name: str, dtype: str, shape: list[str | int]) -> str:
        """Declares a graph input; strings in ``shape`` are dynamic axes."""
        self._inputs.append(helper.make_tensor_value_info(name, _DTYPES[dtype], shape))
        self._taken.add(name)
        return name

    def output(self, name: str, dtype: str, shape: list[str | int]) -> None:
        """Declares an existing value as a graph output."""
        self._outputs.append(helper.make_tensor_value_info(name, _DTYPES[dtype], shape))

    def const(self, name: str, value: npt.ArrayLike, dtype: Any = None) -> str:
        """Stores a constant and returns its name."""
        array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
        if np.ndim(value) == 0:
            array = array.reshape(())  # ascontiguousarray makes scalars one-dimensional
        unique = self._name(name)
        self._constants[unique] = numpy_helper.from_array(array, unique)
        return unique

    def shared(self, name: str, value: npt.ArrayLike, dtype: Any = None) -> str:
        """Like `const`, but a constant of this name that exists already is used again."""
        return name if name in self._constants else self.const(name, value, dtype)

    def node(
        self, op: str, inputs: list[str], name: str, *, domain: str = "", **attributes: Any
    ) -> str:
        """Adds a node with one output.

        Args:
            op: Operator type.
            inputs: Value names; an empty string leaves an optional input out.
            name: Wanted name of node and output.
            domain: Operator domain, `MS` for ONNX Runtime's own.
            **attributes: Operator attributes.

        Returns:
            The output's name.
        """
        output = self._name(name)
        made = helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes)
        self._nodes.append(made)
        return output

    def shared_node(self, op: str, inputs: list[str], name: str, **attributes: Any) -> str:
        """Like `node`, but a node of this name that exists already is used again."""
        return name if name in self._taken else self.node(op, inputs, name, **attributes)

    def row_max(self, x: str, axis: int, name: str) -> str:
        """Largest value along an axis, which stays with size 1."""
        if self.opset < 18:  # from then on axes are an input
            return self.node("ReduceMax", [x], name, axes=[axis])
        return self.node("ReduceMax", [x, self.shared(f"ints/axis{axis}", [axis], np.int64)], name)

    def keep(self, node: NodeProto) -> None:
        """Takes a node of another graph over as it is; its names must have been reserved."""
        self._nodes.append(node)

    def reserve(self, names: Iterable[str]) -> None:
        """Keeps names from being given to new nodes and constants."""
        self._taken.update(names)

    def rename(self, value: str, name: str) -> None:
        """Gives a value a second, reserved name, for nodes that know it by that."""
        self._nodes.append(helper.make_node("Identity", [value], [name], name=f"{value}/as"))

    def start_from(self, graph: Any, without: set[str]) -> None:
        """Takes over inputs, outputs and constants of another graph.

        Args:
            graph: A ``GraphProto``.
            without: Constants to leave out.
        """
        self._inputs += list(graph.input)
        self._outputs += list(graph.output)
        kept = [item for item in graph.initializer if item.name not in without]
        self._constants.update({item.name: item for item in kept})
        self._taken.update(item.name for item in (*graph.input, *graph.initializer))

    def build(self, name: str, metadata: dict[str, str]) -> ModelProto:
        """Makes the model.

        Args:
            name: Name of the graph.
            metadata: Free key-value pairs stored in the file.

        Returns:
            The model, passed through the ONNX checker.
        """
        graph = helper.make_graph(
            self._nodes, name, self._inputs, self._outputs, list(self._constants.values())
        )
        model = helper.make_model(
            graph,
            producer_name="nli_faith",
            opset_imports=[helper.make_opsetid("", self.opset), helper.make_opsetid(MS, 1)],
            ir_version=8 if self.opset < 19 else 10,
        )
        helper.set_model_props(model, metadata)
        onnx.checker.check_model(model)
        return model
