"""int8 quantisation of weights, with numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .weights import FloatArray

Int8Array: TypeAlias = npt.NDArray[np.int8]

#: Site of a layer input, such as ``l3/wide``, to a factor for each of its channels.
Smoothing: TypeAlias = Mapping[str, FloatArray]

#: Site of a layer input, such as ``l3/narrow``, to indices of its channels.
Neurons: TypeAlias = Mapping[str, npt.NDArray[np.int64]]

#: Smallest scale, so that an all-zero row or column does not divide by zero.
_TINY = 1e-12


def quantize_columns(weight: FloatArray) -> tuple[Int8Array, FloatArray]:
    """Quantises a weight matrix symmetrically, one scale a column.

    Args:
        weight: Shape (inputs, outputs).

    Returns:
        int8 weights in [-127, 127] of the same shape, and scales of shape (outputs,), so that
        ``weight`` is about ``int8 * scales``.
    """
    scales = np.maximum(np.abs(weight).max(axis=0), _TINY) / 127.0
    return np.rint(weight / scales).astype(np.int8), scales.astype(np.float32)


def quantize_rows(table: FloatArray) -> tuple[Int8Array, FloatArray]:
    """Quantises an embedding table symmetrically, one scale a row.

    Args:
        table: Shape (ids, width).

    Returns:
        int8 table of the same shape and scales of shape (ids, 1).
    """
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), _TINY) / 127.0
    return np.rint(table / scales).astype(np.int8), scales.astype(np.float32)


def smoothing_factor(activation: FloatArray, weight: FloatArray, strength: float) -> FloatArray:
    """Moves the difficulty of outlier channels from activations into weights.

    The input is multiplied by the factor and the weight divided by it, which changes nothing in
    exact arithmetic but evens out the channels that set a row's int8 scale (SmoothQuant, Xiao et
    al. 2023, equation 4).

    Args:
        activation: Largest magnitude of each input channel, from calibration.
        weight: Largest magnitude of each input channel's weights.
        strength: 0 leaves activations as they are, 1 makes all their channels alike.

    Returns:
        A positive factor for each channel, 1 at the median.
    """
    floor = 1e-4
    size = np.maximum(activation, floor) ** strength
    factor = np.maximum(weight, floor) ** (1.0 - strength) / size
    return (factor / np.median(factor)).astype(np.float32)
