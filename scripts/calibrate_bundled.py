"""Choose the bundled model's thresholds on held-out contrastive claims and write them down.

    python scripts/calibrate_bundled.py models/data/contrastive/{e06,e12,e18,e24}.jsonl

Support: the threshold with the best balanced accuracy of supported against not. Contradiction:
among claims below it, the one with the best balanced accuracy of contradicted against not
mentioned. Each is the median over bootstrap samples of documents, which does not chase the last
claim. Prints what the thresholds give; with --write puts them into the manifest.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nli_faith import FaithfulnessScorer, Record
from nli_faith.datamodels import Thresholds
from nli_faith.export.card import write_card
from nli_faith.manifest import update_thresholds
from nli_faith.model_hub import bundled_dir

SUPPORTED, NOT_MENTIONED, CONTRADICTED = 0, 1, 2
LABELS = {"supported": SUPPORTED, "not_mentioned": NOT_MENTIONED, "contradicted": CONTRADICTED}
# The grid on which thresholds are tried; finer would only fit noise.
GRID = np.round(np.arange(0.05, 0.96, 0.01), 2)


def read_claims(paths: list[Path], every: int) -> list[tuple[str, tuple[str, ...], str, int]]:
    """(document, contexts, claim, label) of every n-th document."""
    out = []
    for path in paths:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row in rows[::every]:
            claims = [(p["supported"], "supported") for p in row["pairs"]]
            claims += [(p["edited"], p["label"]) for p in row["pairs"]]
            claims += [(x["text"], x["label"]) for x in row["extra"]]
            out += [(row["id"], tuple(row["contexts"]), text, LABELS[y]) for text, y in claims]
    return out


def best_threshold(values: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """The grid point with the best balanced accuracy; the middle one of equals."""
    above = values[None, :] >= GRID[:, None]
    scores = (above[:, positive].mean(axis=1) + (~above[:, ~positive]).mean(axis=1)) / 2
    best = np.flatnonzero(scores >= scores.max() - 1e-12)
    return float(GRID[best[len(best) // 2]])


def bootstrap_threshold(
    values: NDArray[np.float64], positive: NDArray[np.bool_], documents: NDArray[np.int64]
) -> float:
    """Median of the best threshold over 200 samples of documents, with a fixed seed."""
    rng = np.random.default_rng(0)
    groups = [np.flatnonzero(documents == d) for d in np.unique(documents)]
    found = []
    for _ in range(200):
        index = np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))])
        if positive[index].any() and not positive[index].all():
            found.append(best_threshold(values[index], positive[index]))
    return float(np.median(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take every n-th document")
    parser.add_argument("--write", action="store_true", help="put them into the manifest")
    args = parser.parse_args()
    claims = read_claims(args.sets, args.every)
    scorer = FaithfulnessScorer.from_pretrained("bundled")
    records = [Record(id=str(i), answer=c[2], contexts=c[1]) for i, c in enumerate(claims)]
    results = list(scorer.score_records(records))
    support = np.array(
        [min((0.0 if c.capped else c.combined for c in r.claims), default=0.0) for r in results]
    )
    against = np.array([max((c.contradiction for c in r.claims), default=0.0) for r in results])
    labels = np.array([c[3] for c in claims])
    _, documents = np.unique([c[0] for c in claims], return_inverse=True)

    t_support = bootstrap_threshold(support, labels == SUPPORTED, documents)
    rest = (support < t_support) & (labels != SUPPORTED)
    t_against = bootstrap_threshold(against[rest], labels[rest] == CONTRADICTED, documents[rest])
    said = support >= t_support
    true = labels == SUPPORTED
    print(f"{len(claims)} claims of {documents.max() + 1} documents")
    print(f"support {t_support:.2f}: supported kept {said[true].mean():.3f}, "
          f"not supported caught {(~said[~true]).mean():.3f}")  # fmt: skip
    called = against[rest] >= t_against
    is_contradicted = labels[rest] == CONTRADICTED
    named, others = called[is_contradicted].mean(), called[~is_contradicted].mean()
    print(f"contradiction {t_against:.2f}: said of {named:.3f} of contradicted claims, "
          f"of {others:.3f} of not mentioned ones")  # fmt: skip
    if args.write:
        names = "+".join(p.stem for p in args.sets)
        thresholds = Thresholds(t_support, t_against, f"contrastive {names}")
        update_thresholds(bundled_dir(), thresholds)
        write_card(bundled_dir())
        print("written to", bundled_dir().name)


if __name__ == "__main__":
    main()
