"""What an export costs: its logits beside those of transformers, over all lengths."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..backends.batching import collate
from ..backends.bench import random_pairs
from ..backends.directory import DirectoryBackend
from ..errors import ModelFormatError

LENGTHS = (8, 12, 17, 32, 63, 64, 65, 100, 128, 200, 256, 384, 511, 512)
#: Largest difference of a logit that an fp32 export may have.
FLOAT_TOLERANCE = 1e-4
#: Smallest cosine between the logits of an int8 export and those of the source.
INT8_COSINE = 0.999


@dataclass(frozen=True, slots=True)
class Parity:
    """How near an export is to its source on random pairs.

    Attributes:
        pairs: Pairs compared.
        max_difference: Largest absolute difference of a logit.
        cosine: Cosine between all logits of both.
        equal_labels: Share of pairs with the same highest column, in [0, 1].
    """

    pairs: int
    max_difference: float
    cosine: float
    equal_labels: float

    def to_dict(self) -> dict[str, Any]:
        """The manifest's form."""
        return {k: round(v, 8) if isinstance(v, float) else v for k, v in asdict(self).items()}


def measure(
    exported: DirectoryBackend, source: DirectoryBackend, *, per_length: int = 4, seed: int = 0
) -> Parity:
    """Compares two backends of one model on pairs of random ids.

    Args:
        exported: The export.
        source: What it was made from.
        per_length: Pairs of each length.
        seed: Of the ids.
    """
    rng = np.random.default_rng(seed)
    mine, theirs = [], []
    for length in (n for n in LENGTHS if n <= exported.max_length):
        pairs = random_pairs(exported, length, per_length, rng=rng, ids=(4, exported.vocabulary))
        batch = collate(pairs, exported.template, exported.max_length)
        mine.append(exported.logits(batch))
        theirs.append(source.logits(batch))
    a, b = (np.concatenate(x).astype(np.float64) for x in (mine, theirs))
    cosine = float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))
    same = float((a.argmax(axis=1) == b.argmax(axis=1)).mean())
    return Parity(len(a), float(np.abs(a - b).max()), cosine, same)


def check(parity: Parity, precision: str, directory: Path) -> None:
    """Refuses an export that is too far from its source.

    Raises:
        ModelFormatError: It is; the figures are quoted.
    """
    if precision == "fp32" and not parity.max_difference <= FLOAT_TOLERANCE:
        raise ModelFormatError(
            f"{directory}: logits differ from transformers by up to {parity.max_difference:.2g} "
            f"(at most {FLOAT_TOLERANCE:g})"
        )
    if precision == "int8" and not parity.cosine >= INT8_COSINE:
        raise ModelFormatError(
            f"{directory}: int8 logits have a cosine of {parity.cosine:.4f} to transformers' "
            f"(at least {INT8_COSINE})"
        )
