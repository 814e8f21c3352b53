"""How ONNX Runtime is set up: options, threads, and the int8 kernel of this processor."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ConfigError, MissingExtraError, ModelFormatError

if TYPE_CHECKING:
    import onnxruntime

#: An ONNX model of one node, ``y = MatMulInteger(a: uint8, b: int8)``, opset 13. A test builds it
#: anew and compares.
INT8_PRODUCT = (
    "CAg6YgoYCgFhCgFiEgF5Ig1NYXRNdWxJbnRlZ2VyEgFwWhUKAWESEAoOCAISCgoDEgFtCgMSAWtaFQoBYhIQCg4IAxIK"
    "CgMSAWsKAxIBbmIVCgF5EhAKDggGEgoKAxIBbQoDEgFuQgQKABAN"
)


def available_threads() -> int:
    """CPUs this process may use: affinity, and the container's quota where there is one."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # pragma: no cover - not Linux
        count = os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        if quota != "max":
            count = min(count, max(int(quota) // int(period), 1))
    except (OSError, ValueError):
        pass
    return max(count, 1)


@lru_cache(maxsize=1)
def u8s8_saturates() -> bool:
    """Whether this processor's u8 x s8 matrix kernel clips sums at 16 bits.

    x86 without VNNI does. ONNX Runtime can avoid it (``session.x64quantprecision``), but its own
    test also answers yes on processors with VNNI, and int8 is then half as fast for nothing. So
    the kernel itself is asked, once a process, with the largest product there is.
    """
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    probe = ort.InferenceSession(
        base64.b64decode(INT8_PRODUCT), options, providers=["CPUExecutionProvider"]
    )
    depth = 64
    feed = {"a": np.full((8, depth), 255, np.uint8), "b": np.full((depth, 32), 127, np.int8)}
    return bool((np.asarray(probe.run(None, feed)[0]) != 255 * 127 * depth).any())


def session_options(threads: int) -> onnxruntime.SessionOptions:
    """Options for a model that sees many shapes and must give the same numbers each time.

    Args:
        threads: Threads that one call uses.

    Raises:
        MissingExtraError: ``onnxruntime`` is not installed.
    """
    try:
        import onnxruntime as ort
    except ImportError as exc:  # pragma: no cover - a base dependency
        raise MissingExtraError("onnxruntime", "all") from exc
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    # Plans memory for one shape; ours vary, and it would keep a plan for each.
    options.enable_mem_pattern = False
    if u8s8_saturates():
        options.add_session_config_entry("session.x64quantprecision", "1")
    return options


def open_session(
    path: Path, providers: Sequence[str | tuple[str, dict[str, Any]]], threads: int
) -> onnxruntime.InferenceSession:
    """Loads an ONNX file.

    Args:
        path: The file.
        providers: ONNX Runtime execution providers, best first.
        threads: Threads that one call uses.

    Raises:
        ConfigError: The first provider cannot work here.
        ModelFormatError: It cannot be read, is truncated, or is no model this version can load.
    """
    options = session_options(threads)
    import onnxruntime as ort

    try:
        # Bytes, not the path: some builds cannot open a non-ASCII path on Windows. A model with
        # external data needs the path, to find it.
        external = any(path.parent.glob(f"{path.name}?data*"))
        source: bytes | str = str(path) if external else path.read_bytes()
        session = ort.InferenceSession(source, options, providers=list(providers))
    except OSError as exc:
        raise ModelFormatError(f"{path} cannot be read: {exc}") from exc
    except Exception as exc:  # the library's exceptions share no public base
        raise ModelFormatError(
            f"{path} is no ONNX model that onnxruntime {ort.__version__} can load "
            f"(truncated, or of a newer format?): {exc}"
        ) from exc
    first = providers[0] if isinstance(providers[0], str) else providers[0][0]
    # ONNX Runtime only warns and goes on without a provider whose libraries are missing.
    if first not in session.get_providers():
        raise ConfigError(
            f"{first} could not start (are its CUDA libraries installed?); there is: "
            f"{', '.join(session.get_providers())}"
        )
    return session
