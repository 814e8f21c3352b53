"""Makes models/bundled from a fine-tuned checkpoint: graph, tokenizer, manifest, model card.

    python scripts/export_bundled.py ../shared/model-v0 --facts models/facts/model-v0.json

Then measure what the export costs, which also fills the parity figures in:

    python benchmarks/model_parity.py ../shared/model-v0 --write
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from nli_faith.backends.batching import PairIds, PairTemplate
from nli_faith.backends.tokenization import assemble, encode_texts, load_tokenizer, read_template
from nli_faith.export.bundle import write_bundle
from nli_faith.manifest import read_json

ROOT = Path(__file__).resolve().parents[1]
#: Characters of a calibration premise, as long as the scorer's joined premise.
PREMISE_CHARS = 220


def calibration_pairs(directory: Path, per_file: int) -> Iterator[tuple[str, str]]:
    """(premise, claim) of the first documents of each file, both claims of a twin."""
    for path in sorted(directory.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for _, line in zip(range(per_file), lines, strict=False):
                row = json.loads(line)
                premise = " ".join(row["contexts"])[:PREMISE_CHARS]
                for pair in row["pairs"][:1]:
                    yield premise, pair["supported"]
                    yield premise, pair["edited"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="directory with model.safetensors")
    parser.add_argument("--out", type=Path, default=ROOT / "models" / "bundled")
    parser.add_argument("--facts", type=Path, default=ROOT / "models" / "facts" / "model-v0.json",
                        help="JSON of what the manifest and the card state")  # fmt: skip
    parser.add_argument("--precision", choices=("int8", "fp32"), default="int8")
    parser.add_argument("--smoothing", type=float, default=0.5,
                        help="0 none, 1 all; see nli_faith.export.quantize")  # fmt: skip
    parser.add_argument("--outliers", type=int, default=8,
                        help="feed-forward neurons a layer kept in float")  # fmt: skip
    parser.add_argument("--calibration", type=Path,
                        default=ROOT / "models" / "data" / "contrastive")  # fmt: skip
    parser.add_argument("--per-file", type=int, default=2, help="documents of each file")
    args = parser.parse_args()

    tokenizer = load_tokenizer(args.source / "tokenizer.json")
    config = read_json(args.source / "config.json")
    template: PairTemplate = read_template(
        tokenizer, config.get("pad_token_id") or 0, config.get("match_types")
    )
    batches = []
    for pair in calibration_pairs(args.calibration, args.per_file):
        ids, types = assemble(PairIds(*encode_texts(tokenizer, pair)), template)
        batches.append((np.array([ids], dtype=np.int64), np.array([types], dtype=np.int64)))
    manifest = write_bundle(
        args.source,
        args.out,
        read_json(args.facts),
        batches,
        precision=args.precision,
        token_types=template.uses_types,
        smoothing=args.smoothing,
        outliers=args.outliers,
    )
    size = manifest.files["model.onnx"].size / 1e6
    print(f"{args.out}: {manifest.name} {manifest.version}, {manifest.precision}, {size:.1f} MB, "
          f"calibrated on {len(batches)} pairs, sha256 {manifest.sha256}")  # fmt: skip


if __name__ == "__main__":
    main()
