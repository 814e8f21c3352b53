"""Backends run NLI models; `load_backend` makes one by name or path."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..errors import ConfigError
from .base import EntailmentBackend, Probabilities, SelfTest
from .batching import (
    DEFAULT_TOKEN_BUDGET,
    EXACT,
    PADDED,
    BucketSteps,
    PairIds,
    PairTemplate,
    TokenBatch,
    TokenIds,
    bucket_length,
    collate,
    make_batches,
)

__all__ = [
    "DEFAULT_TOKEN_BUDGET",
    "EXACT",
    "PADDED",
    "BucketSteps",
    "EntailmentBackend",
    "PairIds",
    "PairTemplate",
    "Probabilities",
    "SelfTest",
    "TokenBatch",
    "TokenIds",
    "bucket_length",
    "collate",
    "load_backend",
    "make_batches",
]

_BACKENDS = ("auto", "onnx")


def load_backend(
    model: str | os.PathLike[str] = "bundled",
    *,
    backend: str = "auto",
    device: str = "cpu",
    threads: int | None = None,
    label_map: Mapping[object, object] | None = None,
    verify: bool = False,
) -> EntailmentBackend:
    """Loads a model by name or path. Makes no network call.

    Args:
        model: ``"bundled"``, a local directory, or a hub id in the local cache; see
            `model_hub.resolve`.
        backend: ``"auto"`` or ``"onnx"``.
        device: ``"cpu"``.
        threads: Threads one call uses; by default all CPUs the process may use.
        label_map: The user's label order, for a model that does not state it; see
            `labels.resolve_label_order`.
        verify: Hash all files against the manifest first.

    Returns:
        The backend. A model that answers three plain pairs all wrong brings a warning.

    Raises:
        ConfigError: An option has an unknown value.
        ModelNotFoundError: No such model.
        ModelError: It cannot be read or trusted; the subclass says why.
    """
    if backend not in _BACKENDS:
        raise ConfigError(f"backend must be one of {', '.join(_BACKENDS)}, not {backend!r}")
    # Imported here, so that importing the package loads no inference library.
    from ..model_hub import resolve
    from .ort import OrtBackend, warn_if_senseless

    loaded = OrtBackend(
        resolve(model), device=device, threads=threads, label_map=label_map, verify_hash=verify
    )
    warn_if_senseless(loaded)
    return loaded
