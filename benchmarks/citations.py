"""What checking citations by scoring again costs, as a ratio to scoring alone.

Run: python benchmarks/citations.py [--limit N]
"""

from __future__ import annotations

import argparse
import io
import time

from nli_faith import FaithfulnessScorer
from nli_faith.citations import cite
from nli_faith.examples.golden import golden_bytes
from nli_faith.io import read_records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=66)
    parser.add_argument("--threads", type=int, default=None)
    args = parser.parse_args()
    records = list(read_records(io.BytesIO(golden_bytes())))[: args.limit]
    scorer = FaithfulnessScorer.from_pretrained("bundled", threads=args.threads)
    scorer.score(records[0])
    clock = time.perf_counter()
    results = list(scorer.score_records(records))
    scoring = time.perf_counter() - clock
    pairs = list(zip(results, records, strict=True))
    print(f"{len(records)} records, {sum(len(r.claims) for r in results)} claims")
    print(f"scoring                         {scoring:6.2f} s   1.00")
    for name, verifier in (("cite, evidence only", None), ("cite, verified", scorer)):
        clock = time.perf_counter()
        cited = [cite(result, record, scorer=verifier) for result, record in pairs]
        took = time.perf_counter() - clock
        placed = sum(len(c.placed) for c in cited)
        print(f"{name:<30}  {took:6.2f} s   {took / scoring:4.2f}   {placed} markers")


if __name__ == "__main__":
    main()
