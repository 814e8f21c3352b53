"""What the benchmarks share: data by path, and a few statistics."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
DEV = SHARED / "data" / "dev"
CONTRASTIVE = ROOT / "models" / "data" / "contrastive"


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSONL file; ends the program with a clear word where it is absent."""
    if not path.exists():
        sys.exit(f"{path.name} is not here: this benchmark reads data/dev of the folder `shared` "
                 "beside the repository")  # fmt: skip
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Area under the ROC curve by ranks, ties counted half (Mann-Whitney U / n0 n1)."""
    values, truth = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    ranks = _mid_ranks(values)
    n1, n0 = int(truth.sum()), int((~truth).sum())
    return float((ranks[truth].sum() - n1 * (n1 + 1) / 2) / (n1 * n0))


def _mid_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mid: NDArray[np.float64] = (last - (counts - 1) / 2)[inverse]
    return mid


def balanced_accuracy(predicted: Sequence[bool], positive: Sequence[bool]) -> float:
    """Mean of the two recalls."""
    guess, truth = np.asarray(predicted, dtype=bool), np.asarray(positive, dtype=bool)
    return float((guess[truth].mean() + (~guess[~truth]).mean()) / 2)


def best_balanced_accuracy(
    scores: Sequence[float], positive: Sequence[bool]
) -> tuple[float, float]:
    """The best balanced accuracy that any threshold gives on these very scores, and it."""
    values = np.asarray(scores, dtype=float)
    best = max((balanced_accuracy(values >= t, positive), -float(t)) for t in np.unique(values))
    return best[0], -best[1]


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)
