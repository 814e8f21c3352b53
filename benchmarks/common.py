"""What the benchmarks share: data by path, and a few statistics."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from nli_faith.statistics import auroc, balanced_accuracy, best_balanced_accuracy

__all__ = ["auroc", "balanced_accuracy", "best_balanced_accuracy", "read_jsonl", "table"]

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


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)
