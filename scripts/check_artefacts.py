"""How well claims alone give their labels away, per file and for all files together.

python scripts/check_artefacts.py models/data/contrastive/e0*.jsonl [--words 25]

Files are in the contrastive format (documents with `pairs` and `extra`) or hold one claim a line
(`hypothesis` or `answer`, `label`). 0.50 is chance; the mix should stay below 0.55.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from nli_faith.training.artefacts import cross_validated, leaning
from nli_faith.training.overlap import read_rows
from nli_faith.training.perturb.corpus import flat

SUPPORTED = ("supported", "entailment")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--words", type=int, default=25, help="n-grams shown, 0 for none")
    parser.add_argument("--folds", type=int, default=5)
    args = parser.parse_args()
    everything: list[tuple[str, bool, str, str]] = []
    for path in args.files:
        claims = read_claims(path)
        everything += [(text, good, f"{path.stem}/{doc}", unit) for text, good, doc, unit in claims]
        if len(args.files) > 1:
            show(path.stem, claims, args.folds)
    show("all", everything, args.folds)
    if args.words:
        print("\nn-gram  supported  unsupported  log-odds of unsupported")
        texts, labels = [c[0] for c in everything], [c[1] for c in everything]
        for gram, good, bad, odds in leaning(texts, labels, top=args.words):
            print(f"{gram}\t{good:6d}\t{bad:6d}\t{odds:+.2f}")


def read_claims(path: Path) -> list[tuple[str, bool, str, str]]:
    rows = list(read_rows(path))
    if rows and "pairs" in rows[0]:
        return flat(rows)
    return [plain(row, i) for i, row in enumerate(rows)]


def plain(row: dict[str, Any], number: int) -> tuple[str, bool, str, str]:
    premise = row.get("premise") or "\n".join(row.get("contexts", ()))
    text = row.get("hypothesis") or row["answer"]
    return text, row["label"] in SUPPORTED, premise[:200], str(number)


def show(name: str, claims: list[tuple[str, bool, str, str]], folds: int) -> None:
    texts, labels, groups, _ = zip(*claims, strict=True)
    accuracy = cross_validated(texts, labels, groups, folds=folds)
    share = sum(labels) / len(labels)
    print(f"{name}: {len(claims)} claims, {share:.0%} supported, "
          f"hypothesis-only balanced accuracy {accuracy:.3f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
