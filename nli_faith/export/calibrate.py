"""Calibration: which input channels of each layer are large, on real pairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import MissingExtraError, ModelFormatError
from .bert_graph import build_bert
from .quantize import Neurons, Smoothing, smoothing_factor
from .weights import BertConfig, FloatArray, Weights, take

#: Token ids and token types of assembled pairs, each int64 of shape (pairs, length).
TypedIds: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

#: The published default, and as good as any other value between 0.4 and 0.8 here.
STRENGTH = 0.5
#: Neurons a layer kept in float. They cost under 2% of the rate.
OUTLIERS = 8


def channel_maxima(
    weights: Weights,
    config: BertConfig,
    batches: Iterable[TypedIds],
    *,
    token_types: bool = False,
    threads: int = 1,
) -> dict[str, FloatArray]:
    """Largest magnitude of every layer-input channel over some pairs.

    Args:
        weights: The float weights.
        config: Sizes.
        batches: Token ids and types of assembled pairs, each of shape (pairs, length), without
            padding.
        token_types: Whether the model reads the types.
        threads: Threads to run with.

    Returns:
        Site to array of channel maxima.

    Raises:
        MissingExtraError: ``onnxruntime`` is not installed.
        ModelFormatError: There were no batches.
    """
    try:
        import onnxruntime as ort
    except ImportError as exc:  # pragma: no cover - a base dependency
        raise MissingExtraError("onnxruntime", "all") from exc
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    model = build_bert(weights, config, taps=True, token_types=token_types).SerializeToString()
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [item.name for item in session.get_outputs() if item.name.startswith("tap/")]
    maxima: dict[str, FloatArray] = {}
    for ids, types in batches:
        feed = {"input_ids": ids, "token_type_ids": types} if token_types else {"input_ids": ids}
        for name, top in zip(names, session.run(names, feed), strict=True):
            site = name.removeprefix("tap/")
            maxima[site] = np.maximum(maxima[site], top) if site in maxima else top
    if not maxima:
        raise ModelFormatError("calibration needs at least one pair")
    return maxima


def smoothing_factors(
    weights: Weights,
    config: BertConfig,
    maxima: dict[str, FloatArray],
    strength: float = STRENGTH,
) -> Smoothing:
    """Smoothing factors for every layer input that can be smoothed without an extra pass.

    The input of the second feed-forward layer comes out of GELU, through which no factor can be
    moved; it is left as it is.

    Args:
        weights: The float weights.
        config: Sizes.
        maxima: From `channel_maxima`.
        strength: See `quantize.smoothing_factor`.

    Returns:
        Factors for the sites ``l<layer>/attention``, ``l<layer>/mixed`` and ``l<layer>/wide``.
    """
    h, wide = config.hidden, config.intermediate
    factors: dict[str, FloatArray] = {}
    for layer in range(config.layers):
        p = f"bert.encoder.layer.{layer}"
        readers = {
            "attention": [(f"{p}.attention.self.{part}", h) for part in ("query", "key", "value")],
            "mixed": [(f"{p}.attention.output.dense", h)],
            "wide": [(f"{p}.intermediate.dense", wide)],
        }
        for site, layers in readers.items():
            stacked = np.concatenate([take(weights, f"{k}.weight", (n, h)) for k, n in layers])
            reach = np.abs(stacked).max(axis=0)
            name = f"l{layer}/{site}"
            factors[name] = smoothing_factor(maxima[name], reach, strength)
    return factors


def outlier_neurons(
    config: BertConfig, maxima: dict[str, FloatArray], count: int = OUTLIERS
) -> Neurons:
    """The most active feed-forward neurons of every layer, to be kept in float.

    Args:
        config: Sizes.
        maxima: From `channel_maxima`.
        count: Neurons a layer; none when 0.
    """
    if not count:
        return {}
    sites = [f"l{layer}/narrow" for layer in range(config.layers)]
    return {site: np.sort(np.argsort(-maxima[site], kind="stable")[:count]) for site in sites}
