"""Does the prefilter change verdicts? Labels and pairs against the run over every window.

    python benchmarks/prefilter.py [--records 120] [--claims 60]

Two kinds of records: UHGEval articles in two chunks, and records of 20 chunks made from
zh_rag_claims by adding the contexts of other records. The exhaustive run fills a pair cache, from
which every filtered run is then read, so only the filter differs.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from common import DEV, read_jsonl, table

from nli_faith import FaithfulnessScorer, PairCache, Record, RunStats, ScorerConfig
from nli_faith.results import FaithfulnessResult

CHUNKS = 20


def articles(limit: int) -> list[Record]:
    rows = read_jsonl(DEV / "zh_uhgeval_half.jsonl")[:limit]
    return [Record(id=r["id"], answer=r["answer"], contexts=tuple(r["contexts"])) for r in rows]


def twenty_chunks(limit: int) -> list[Record]:
    """Every n-th labelled claim against its own contexts and those of the records behind it."""
    rows = read_jsonl(DEV / "zh_rag_claims.jsonl")
    claims = [
        (i, c["text"])
        for i, r in enumerate(rows)
        for c in r["claims"]
        if c["label"] != "not_a_claim"
    ]
    out = []
    for n, (i, text) in enumerate(claims[:: max(1, len(claims) // limit)]):
        chunks: list[str] = []
        while len(chunks) < CHUNKS:
            chunks += rows[i % len(rows)]["contexts"]
            i += 1
        out.append(Record(id=str(n), answer=text, contexts=tuple(chunks[:CHUNKS])))
    return out


def compare(a: list[FaithfulnessResult], b: list[FaithfulnessResult]) -> tuple[int, int, int]:
    """Equal labels, equal supported-or-not, and claims in all."""
    pairs = [
        (c, d) for x, y in zip(a, b, strict=True) for c, d in zip(x.claims, y.claims, strict=True)
    ]
    same = sum(c.label is d.label for c, d in pairs)
    binary = sum((c.label == "supported") == (d.label == "supported") for c, d in pairs)
    return same, binary, len(pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=120)
    parser.add_argument("--claims", type=int, default=60)
    parser.add_argument("--top-k", type=int, nargs="*", default=[2, 3, 4, 6, 8])
    args = parser.parse_args()
    cache = PairCache(":memory:")
    exhaustive = FaithfulnessScorer.from_pretrained("bundled", cache=cache, prefilter=False)
    rows = []
    for name, records in (
        (f"UHGEval, {args.records} articles", articles(args.records)),
        (f"20 chunks, {args.claims} claims", twenty_chunks(args.claims)),
    ):
        stats = RunStats()
        full = list(exhaustive.score_records(records, stats=stats))
        settings = [(f"top_k={k}", {"top_k": k}) for k in args.top_k] + [("fast", {"mode": "fast"})]
        for label, options in settings:
            scorer = FaithfulnessScorer(
                exhaustive.backend,
                thresholds=exhaustive.thresholds,
                config=replace(ScorerConfig(), **options),
                cache=cache,
            )
            part = RunStats()
            some = list(scorer.score_records(records, stats=part))
            same, binary, total = compare(some, full)
            rows.append((name, label, f"{same / total:.1%}", f"{binary / total:.1%}",
                         f"{stats.pairs_requested / part.pairs_requested:.1f}x"))  # fmt: skip
    print(table(["records", "filter", "labels unchanged", "supported or not unchanged",
                 "fewer pairs"], rows))  # fmt: skip


if __name__ == "__main__":
    main()
