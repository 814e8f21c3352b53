"""Planted defects of the golden set against what the diagnosis says of them.

Each planted defect has rows of the table and rules of the map that would be a right answer; the
share that gets one is printed, with the whole table of defects by findings.

    python benchmarks/diagnosis_golden.py [--limit N] [--mode fast]
"""

from __future__ import annotations

import argparse
import io
from collections import Counter, defaultdict

from nli_faith.diagnosis import diagnose, facts_of
from nli_faith.examples.golden import golden_bytes
from nli_faith.io import read_records
from nli_faith.measures import measured_row
from nli_faith.metrics.engine import ScorerEngine
from nli_faith.metrics.registry import resolve
from nli_faith.scorer import FaithfulnessScorer

METRICS = ["faithfulness", "context_recall", "context_precision", "answer_correctness",
           "completeness", "answer_relevancy"]  # fmt: skip
# What a good diagnosis may say of each defect.
RIGHT = {
    "none": {"healthy"},
    "hallucination": {"generation_invented", "both", "faithfulness_low"},
    "wrong_number": {"generation_invented", "both", "faithfulness_low"},
    "contradiction": {"generation_invented", "both", "faithfulness_low"},
    "from_memory": {"from_memory", "both"},
    "stale_material": {"material_wrong", "retrieval_missed", "inaccurate_though_faithful"},
    "missing_point": {"incomplete", "material_wrong"},
    "copied_not_answering": {"irrelevant", "retrieval_missed", "inaccurate_though_faithful"},
    "refusal": {"refused_with_material"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--mode", default="full", choices=["full", "fast"])
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    records = list(read_records(io.BytesIO(golden_bytes()), format="jsonl"))
    if options.limit:  # spread over the file, so that every domain is met
        records = records[:: max(1, len(records) // options.limit)][: options.limit]
    scorer = FaithfulnessScorer.from_pretrained(
        "bundled", mode=options.mode, threads=options.threads
    )
    engine = ScorerEngine(scorer)
    metrics = resolve(METRICS)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    right: Counter[str] = Counter()
    for record in records:
        values = {m.name: m.compute(record, engine).to_dict() for m in metrics}
        row = measured_row({"id": record.id, "metrics": values, "meta": dict(record.meta)})
        codes = {f.code for f in diagnose(row.values, facts_of(row, record), lang="en")}
        planted = record.meta["planted"]
        found[planted].update(codes)
        found[planted]["(records)"] += 1
        right[planted] += bool(codes & RIGHT[planted])
    total = sum(c["(records)"] for c in found.values())
    print(f"{total} records, mode {options.mode}")
    for planted, codes in sorted(found.items(), key=lambda kv: -kv[1]["(records)"]):
        n = codes.pop("(records)")
        print(f"\n{planted}: {right[planted]} of {n} diagnosed rightly")
        for code, count in codes.most_common():
            print(f"  {code:<28} {count}")
    print(f"\nall: {sum(right.values())} of {total} = {sum(right.values()) / total:.1%}")


if __name__ == "__main__":
    main()
