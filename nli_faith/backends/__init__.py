"""Backends run NLI models; `load_backend` makes one by name or path."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

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
    "BACKENDS",
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

#: Names of backends; ``auto`` takes what the directory holds, ONNX first.
BACKENDS = ("auto", "onnx", "torch")


def load_backend(
    model: str | os.PathLike[str] = "bundled",
    *,
    backend: str = "auto",
    device: str = "cpu",
    precision: str = "auto",
    threads: int | None = None,
    label_map: Mapping[object, object] | None = None,
    compile: bool = False,
    verify: bool = False,
) -> EntailmentBackend:
    """Loads a model by name or path. Makes no network call.

    Args:
        model: ``"bundled"``, a local directory, or a hub id in the local cache; see
            `model_hub.resolve`.
        backend: ``"onnx"``, ``"torch"``, or ``"auto"``: ONNX where the directory has a
            model.onnx.
        device: ``"cpu"``, ``"auto"``, ``"cuda"``, ``"cuda:N"``, ``"tensorrt"`` (ONNX) or
            ``"mps"`` (torch).
        precision: ``"fp32"``, ``"bf16"`` or ``"fp16"``, for torch alone: an ONNX file has the
            precision that it was exported with.
        threads: Threads one call uses; by default all CPUs the process may use.
        label_map: The user's label order, for a model that does not state it; see
            `labels.resolve_label_order`.
        compile: Whether torch compiles the model.
        verify: Hash all files against the manifest first.

    Returns:
        The backend. A model that answers three plain pairs all wrong brings a warning.

    Raises:
        ConfigError: An option has an unknown value, or the device is not there.
        MissingExtraError: The torch backend without PyTorch.
        ModelNotFoundError: No such model.
        ModelError: It cannot be read or trusted; the subclass says why.
    """
    if backend not in BACKENDS:
        raise ConfigError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
    # Imported here, so that importing the package loads no inference library.
    from ..model_hub import TORCH_FILES, resolve
    from .base import warn_if_senseless

    directory = resolve(model, weights="torch" if backend == "torch" else "any")
    has_onnx = (directory / "model.onnx").is_file()
    has_torch = any((directory / name).is_file() for name in TORCH_FILES)
    if backend == "torch" or (backend == "auto" and not has_onnx and has_torch):
        loaded = _torch_backend(directory, device, precision, threads, label_map, compile, verify)
    elif precision != "auto" or compile:
        what = "compile" if compile else f"precision {precision!r}"
        raise ConfigError(
            f"{what} is for the torch backend: an ONNX file has the precision it was exported with"
        )
    else:
        from .ort import OrtBackend

        loaded = OrtBackend(
            directory, device=device, threads=threads, label_map=label_map, verify_hash=verify
        )
    warn_if_senseless(loaded)
    return loaded


def _torch_backend(
    directory: Path,
    device: str,
    precision: str,
    threads: int | None,
    label_map: Mapping[object, object] | None,
    compile: bool,
    verify: bool,
) -> EntailmentBackend:
    from .torch_backend import TorchBackend

    return TorchBackend(
        directory, device=device, precision=precision, threads=threads, label_map=label_map,
        compile=compile, verify_hash=verify,
    )  # fmt: skip
