"""Rows of a training stage that share a 20-character string with a dev set.

python scripts/check_overlap.py models/training/claims.json --dev ../shared/data/dev
"""

from __future__ import annotations

import argparse
from pathlib import Path

from nli_faith.training.config import load_config
from nli_faith.training.overlap import count_overlap, index_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path, help="a stage config, or a JSONL file")
    parser.add_argument("--dev", type=Path, default=Path("../shared/data/dev"))
    args = parser.parse_args()
    index = index_of(sorted(args.dev.glob("*.jsonl")))
    for path in training_files(args.config):
        total, found = count_overlap(path, index)
        shared = ", ".join(f"{count} with {name}" for name, count in sorted(found.items()))
        print(f"{path.name}: {total} rows; {shared or 'none shared'}", flush=True)


def training_files(config: Path) -> list[Path]:
    if config.suffix == ".jsonl":
        return [config]
    base = config.resolve().parent
    return list(dict.fromkeys(base / source.path for source in load_config(config).sources))


if __name__ == "__main__":
    main()
