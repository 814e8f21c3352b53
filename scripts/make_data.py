"""Make contrastive claims by program from a corpus of documents.

python scripts/make_data.py ../shared/data/corpus -o OUT.jsonl --documents 4000 --seed 13
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from nli_faith.training.overlap import index_of
from nli_faith.training.perturb.corpus import Made, make


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--dev", type=Path, default=None, help="folder of held-out sets")
    parser.add_argument("--target", type=float, default=0.545, help="hypothesis-only accuracy")
    args = parser.parse_args()
    dev = args.dev or args.corpus.parent / "dev"
    index = index_of(sorted(dev.glob("*.jsonl")))
    made = make(args.corpus, count=args.documents, seed=args.seed, dev=index, target=args.target)
    with args.out.open("w", encoding="utf-8") as file:
        for row in made.rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    show(made)


def show(made: Made) -> None:
    print(f"documents {len(made.rows)}, claims {sum(made.counts.values())}")
    print(
        f"skipped: {made.overlapping} that share 20 characters with a dev set, "
        f"{made.barren} with too few claims"
    )
    if made.report is not None:
        r = made.report
        print(f"hypothesis-only balanced accuracy {r.before:.3f} -> {r.after:.3f}, "
              f"kept {r.kept} of {r.total} claims in {r.rounds} rounds")  # fmt: skip
    for name, count in sorted(made.counts.items()):
        print(f"{count:7d} {name}")


if __name__ == "__main__":
    main()
