"""What the benchmarks share: data by path, and a few statistics."""

from __future__ import annotations

import json
import sys
from collections import Counter
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


def operator_times(profile: str) -> list[tuple[str, int, float]]:
    """Operator, microseconds and share of all kernel time, from a profile of ONNX Runtime."""
    spent: Counter[str] = Counter()
    for event in json.loads(Path(profile).read_text(encoding="utf-8")):
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            spent[event["args"]["op_name"]] += event["dur"]
    total = spent.total()
    return [(name, us, us / total) for name, us in spent.most_common()]


def cross_encoder(source: Path, folder: Path, device: str) -> Any:
    """A model directory as sentence_transformers loads it; None, said, where it is absent."""
    try:
        from sentence_transformers import CrossEncoder
    except ImportError:
        print("sentence-transformers is not installed: no comparison with CrossEncoder")
        return None
    from transformers import PreTrainedTokenizerFast

    # It looks for a tokenizer as transformers saves one.
    PreTrainedTokenizerFast(
        tokenizer_file=str(source / "tokenizer.json"), pad_token="<pad>", model_max_length=512
    ).save_pretrained(folder)
    for name in ("config.json", "model.safetensors"):
        (folder / name).symlink_to((source / name).resolve())
    return CrossEncoder(str(folder), device=device, max_length=512)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)
