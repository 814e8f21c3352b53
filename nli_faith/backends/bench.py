"""How fast a model is here, and how far that is from what this machine can do at all.

Every figure is measured in one run: pairs a second by length, and the rate of a bare matrix
product in the same runtime, with the same number of threads, as the ceiling. Random token ids are
as good as text: the work depends on lengths alone.
"""

from __future__ import annotations

import base64
import functools
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ConfigError
from .base import EntailmentBackend
from .batching import PairIds
from .session import INT8_PRODUCT, session_options

#: Assembled lengths that are measured by default.
LENGTHS = (16, 32, 64, 128, 256, 512)
#: Rows, depth and columns of the product that stands for the ceiling.
GEMM = (1024, 768, 3072)
#: ``y = MatMul(a: float, b: float)``, opset 13; a test builds it anew and compares.
_FLOAT_GRAPH = (
    "CAg6XgoRCgFhCgFiEgF5IgZNYXRNdWwSBGdlbW1aFQoBYRIQCg4IARIKCgMSAW0KAxIBa1oVCgFiEhAKDggBEgoKAxIB"
    "awoDEgFuYhUKAXkSEAoOCAESCgoDEgFtCgMSAW5CBAoAEA0="
)


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement.

    Attributes:
        threads: Threads of a call.
        batch_tokens: Padded tokens of a call, at most.
        length: Tokens of every pair.
        batch: Pairs of a call.
        pairs_per_s: Median over repeats.
        gflops: The encoder's arithmetic at that rate, in 10^9 operations a second; None for a
            config that does not state its sizes.
        share: ``gflops`` over the ceiling at the same number of threads, in [0, 1]; likewise.
    """

    threads: int
    batch_tokens: int
    length: int
    batch: int
    pairs_per_s: float
    gflops: float | None
    share: float | None


def pair_flops(config: dict[str, Any], length: int) -> float | None:
    """Operations (a multiply and an add are two) of an encoder for one pair.

    Counts matrix products alone: projections, feed-forward, attention, and for DeBERTa the two
    products with relative positions. Embeddings, norms and the head are left out, so that the
    share of the ceiling is a little too low rather than too high.

    Args:
        config: The model's config.
        length: Tokens of the pair.

    Returns:
        None where the config lacks a size.
    """
    try:
        layers, hidden = int(config["num_hidden_layers"]), int(config["hidden_size"])
        wide = int(config["intermediate_size"])
    except (KeyError, TypeError, ValueError):
        return None
    # ModernBERT's feed-forward is gated: one more matrix of that size.
    feed = 3 if config.get("model_type") == "modernbert" else 2
    dense = 2 * length * (4 * hidden * hidden + feed * hidden * wide)
    relative = bool(config.get("relative_attention"))
    attention = (4 + 4 * relative) * length * length * hidden
    return float(layers * (dense + attention))


def median_seconds(call: Callable[[], object], seconds: float) -> float:
    """Median time of a call, in seconds, after one call that is not counted.

    Args:
        call: What is measured; at least three times.
        seconds: About how long to go on.
    """
    call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def gemm_gflops(kind: str, threads: int, seconds: float) -> float:
    """Rate of a bare matrix product in ONNX Runtime, in 10^9 operations a second.

    Args:
        kind: ``int8`` (uint8 by int8, summed in int32) or ``fp32``.
        threads: Threads of the product.
        seconds: About how long to measure.
    """
    import onnxruntime as ort

    graph = INT8_PRODUCT if kind == "int8" else _FLOAT_GRAPH
    session = ort.InferenceSession(
        base64.b64decode(graph), session_options(threads), providers=["CPUExecutionProvider"]
    )
    rows, depth, columns = GEMM
    rng = np.random.default_rng(0)
    if kind == "int8":
        a: npt.NDArray[Any] = rng.integers(0, 255, (rows, depth)).astype(np.uint8)
        b: npt.NDArray[Any] = rng.integers(-127, 127, (depth, columns)).astype(np.int8)
    else:
        a = rng.standard_normal((rows, depth)).astype(np.float32)
        b = rng.standard_normal((depth, columns)).astype(np.float32)
    took = median_seconds(lambda: session.run(None, {"a": a, "b": b}), seconds)
    return 2 * rows * depth * columns / took / 1e9


def random_pairs(
    backend: EntailmentBackend,
    length: int,
    count: int,
    *,
    rng: np.random.Generator | None = None,
    ids: tuple[int, int] = (10, 1000),
) -> list[PairIds]:
    """Pairs of random ids whose assembled length is ``length``, a quarter of it the claim.

    Args:
        backend: Whose template is used.
        length: Tokens of a pair, special tokens included.
        count: Number of pairs.
        rng: Gives the ids; by default one seeded with the length.
        ids: Smallest id, and the one behind the largest.

    Raises:
        ConfigError: The length leaves no room for premise and claim.
    """
    room = length - backend.pair_overhead
    if room < 2:
        raise ConfigError(f"a pair needs at least {backend.pair_overhead + 2} tokens, not {length}")
    claim = max(room // 4, 1)
    rng = rng or np.random.default_rng(length)
    rows = rng.integers(*ids, (count, room)).astype(np.int32)
    return [PairIds(row[claim:], row[:claim]) for row in rows]


def measure(
    backend: EntailmentBackend,
    lengths: Sequence[int],
    batch_tokens: Sequence[int],
    *,
    ceiling: float | None,
    config: dict[str, Any],
    seconds: float = 1.0,
) -> list[Row]:
    """Pairs a second at each length and batch size.

    Args:
        backend: The model.
        lengths: Tokens of the pairs; those above the model's length are left out.
        batch_tokens: Padded tokens of a call.
        ceiling: Rate of the bare product at the same threads, 10^9 operations a second.
        config: The model's config, for its sizes.
        seconds: About how long each row takes.
    """
    out = []
    for budget in batch_tokens:
        for length in (n for n in lengths if n <= backend.max_length):
            batch = max(budget // length, 1)
            pairs = random_pairs(backend, length, batch * backend.lanes.count)
            run = functools.partial(backend.predict_pairs, pairs, budget)
            rate = len(pairs) / median_seconds(run, seconds)
            work = pair_flops(config, length)
            gflops = None if work is None else work * rate / 1e9
            share = None if gflops is None or not ceiling else gflops / ceiling
            out.append(Row(backend.threads, budget, length, batch, rate, gflops, share))
    return out


def report(
    backend: EntailmentBackend, rows: Sequence[Row], ceilings: dict[int, float | None]
) -> dict[str, Any]:
    """Everything measured, as JSON takes it.

    Args:
        backend: The model.
        rows: The measurements.
        ceilings: Threads to the bare product's rate; None where there is none to compare with.
    """
    return {
        "model": backend.name,
        "model_sha256": backend.sha256,
        "precision": backend.precision,
        "provider": backend.provider,
        "gemm": {
            "shape": list(GEMM),
            "gflops_by_threads": {str(k): v for k, v in ceilings.items()},
        },
        "rows": [asdict(row) for row in rows],
    }


def read_config(directory: Path) -> dict[str, Any]:
    """A model directory's config.json."""
    data = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    return dict(data)
