"""How many hallucinated answers are caught when a share of them goes to the judge.

    python benchmarks/triage_curve.py [--limit N] [--mode full|fast] [--threads N] [--model bundled]

1. zh_rag_claims, sentences: lowest support first.
2. zh_rag_claims, answers: nearly every answer has a hallucination, so each is taken twice, as it is
   and with its hallucinated sentences cut out (then it is clean by the labels).
3. zh_uhgeval_half: every answer holds a hallucination, so there is no curve of its own. Beside each
   stands a sentence of the same news as a clean answer. It is copied word for word: an easy
   contrast, so this is an upper bound.
4. Bands of the default triage rules, on all three, and what they let pass.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from common import DEV, read_jsonl, table

from nli_faith import FaithfulnessScorer, Record
from nli_faith.calibration.collect import collect
from nli_faith.calibration.samples import Arrays
from nli_faith.calibration.statistics import auroc, caught_at, triage_curve
from nli_faith.results import FaithfulnessResult
from nli_faith.text import SentenceSplitter
from nli_faith.triage import Band, decide

SENT = (0.1, 0.2, 0.4, 0.6, 0.8)


def risk(result: FaithfulnessResult) -> float:
    """Support of the weakest claim; 0 for a capped one, 1 where nothing is asserted."""
    return min((0.0 if c.capped else c.combined for c in result.claims), default=1.0)


def answers(rows: Sequence[dict[str, Any]]) -> list[tuple[Record, bool]]:
    """Each answer as it is, and without its hallucinated sentences; (record, clean)."""
    out = []
    for row in rows:
        wrong = [
            c["text"] for c in row["claims"] if c["label"] in ("contradicted", "not_mentioned")
        ]
        clean = row["answer"]
        for text in wrong:
            clean = clean.replace(text, "")
        contexts = tuple(row["contexts"])
        if wrong:
            out.append((Record(row["id"], row["answer"], contexts, row["question"]), False))
        if clean.strip():
            out.append((Record(row["id"] + "+", clean, contexts, row["question"]), True))
    return out


def continuations(rows: Sequence[dict[str, Any]]) -> list[tuple[Record, bool]]:
    """Hallucinated continuations, and a true sentence of the same news each."""
    split = SentenceSplitter().split
    out = []
    for row in rows:
        contexts = tuple(row["contexts"])
        out.append((Record(row["id"], row["answer"], contexts), False))
        true = [s.text for s in split(contexts[-1]) if 15 <= len(s.text) <= 80]
        if true:
            out.append((Record(row["id"] + "+", true[len(true) // 2], contexts), True))
    return out


def curve_row(name: str, support: Iterable[float], clean: Sequence[bool]) -> list[object]:
    scores, truth = np.array(list(support)), np.array(clean, dtype=bool)
    curve = triage_curve(scores, truth)
    shares = [f"{caught_at(curve, s):.1%}" for s in SENT]
    return [name, len(truth), int((~truth).sum()), f"{auroc(scores, truth):.3f}", *shares]


def band_rows(name: str, results: Sequence[FaithfulnessResult], clean: Sequence[bool]) -> Any:
    counts: Counter[tuple[Band, bool]] = Counter(
        (decide(r).band, ok) for r, ok in zip(results, clean, strict=True)
    )
    for kind, ok in (("hallucinated", False), ("clean", True)):
        total = sum(counts[b, ok] for b in Band)
        if total:
            yield [name, kind, total, *(f"{counts[b, ok] / total:.1%}" for b in Band)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="only so many records of each set")
    parser.add_argument("--mode", choices=["full", "fast"], default="full")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--model", default="bundled")
    args = parser.parse_args()
    scorer = FaithfulnessScorer.from_pretrained(args.model, mode=args.mode, threads=args.threads)
    rag = read_jsonl(DEV / "zh_rag_claims.jsonl")[: args.limit]
    news = read_jsonl(DEV / "zh_uhgeval_half.jsonl")[: args.limit]
    data = Arrays.of(collect(rag, scorer=scorer).samples)
    curves = [curve_row("zh_rag_claims sentences", data.support, list(data.supported))]
    bands: list[Any] = []
    for name, cases in (("zh_rag_claims answers", answers(rag)),
                        ("zh_uhgeval_half + true sentences", continuations(news))):  # fmt: skip
        results = list(scorer.score_records(record for record, _ in cases))
        clean = [ok for _, ok in cases]
        curves.append(curve_row(name, map(risk, results), clean))
        bands += band_rows(name, results, clean)
    print("Share of hallucinations caught, by share sent to the judge, lowest support first\n")
    print(table(["set", "n", "hallucinated", "AUROC", *(f"{s:.0%}" for s in SENT)], curves))
    print("\nBands of the default rules\n")
    print(table(["set", "", "n", *(b.value for b in Band)], bands))


if __name__ == "__main__":
    main()
