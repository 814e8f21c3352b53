"""How long the guard takes for one answer, and how long until a stream shows its first sentence.

    python benchmarks/guard_latency.py [--limit N] [--mode full|fast] [--threads 1] [--model bundled]

Answers of zh_rag_claims, one at a time, as a service would see them, warm. `whole` is
`guard(answer, contexts)`; `stream` feeds the answer four characters at a time and measures what
one sentence costs (feed calls that judge), on top of what the generating model takes.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np
from common import DEV, read_jsonl, table

from nli_faith import FaithfulnessScorer
from nli_faith.guard import GuardPolicy, StreamGuard, guard

CHUNK = 4
JUDGED = 0.0005  # seconds; a feed call below this has judged nothing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="only so many answers")
    parser.add_argument("--mode", choices=["full", "fast"], default="full")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--model", default="bundled")
    args = parser.parse_args()
    rows = read_jsonl(DEV / "zh_rag_claims.jsonl")[: args.limit]
    scorer = FaithfulnessScorer.from_pretrained(args.model, mode=args.mode, threads=args.threads)
    policy = GuardPolicy(max_removed=1)
    guard(rows[0]["answer"], rows[0]["contexts"], scorer=scorer)  # warm
    whole, sentence, finish, actions = [], [], [], Counter()
    for row in rows:
        clock = time.perf_counter()
        done = guard(row["answer"], row["contexts"], question=row["question"], scorer=scorer)
        whole.append(time.perf_counter() - clock)
        actions[done.action.value] += 1
        stream = StreamGuard(row["contexts"], row["question"], policy, scorer)
        for at in range(0, len(row["answer"]), CHUNK):
            seen, clock = stream.claims, time.perf_counter()
            stream.feed(row["answer"][at : at + CHUNK])
            spent = time.perf_counter() - clock
            if stream.claims > seen and spent > JUDGED:
                sentence.append(spent)
        clock = time.perf_counter()
        stream.finish()
        finish.append(time.perf_counter() - clock)
    chars = np.median([len(r["answer"]) for r in rows])
    print(f"{len(rows)} answers, {chars:.0f} characters in the median; mode {args.mode}, "
          f"threads {scorer.backend.threads}")  # fmt: skip
    figures = [("whole answer", whole), ("stream, a sentence", sentence), ("stream, end", finish)]
    print(table(["", "n", "p50 ms", "p95 ms", "max ms"], [_row(n, v) for n, v in figures]))
    print("actions:", ", ".join(f"{a} {n}" for a, n in sorted(actions.items())))


def _row(name: str, seconds: list[float]) -> list[object]:
    ms = np.array(seconds) * 1000
    return [name, len(ms), *(f"{v:.0f}" for v in (*np.quantile(ms, [0.5, 0.95]), ms.max()))]


if __name__ == "__main__":
    main()
