"""Peak memory over a long stream: does it stay bounded?

    python benchmarks/memory.py [--records 100000]

Synthetic records are read from a file, scored by the bundled model and written, as the command
line does it. Prints the resident size after 10,000 records, at the end, and its peak.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from pathlib import Path

import psutil

from nli_faith import FaithfulnessScorer, read_records
from nli_faith.io import ResultWriter

CITIES = ["云州", "桐城", "澜江", "岚山", "栎阳", "青禾", "临溪", "松原", "海晏", "白沙"]
THINGS = ["保修期", "退款时限", "配送时间", "质保期", "试用期", "审批时限", "开放时间", "有效期"]


def write_records(path: Path, n: int) -> None:
    """Short records, no two alike."""
    chance = random.Random(3)
    with path.open("w", encoding="utf-8") as out:
        for i in range(n):
            city, thing, days = chance.choice(CITIES), chance.choice(THINGS), chance.randint(2, 99)
            said = days if chance.random() < 0.5 else days + 1
            row = {
                "id": f"r{i}",
                "answer": f"{city}{i}号店的{thing}为{said}天。",
                "contexts": [f"{city}{i}号店的{thing}为{days}天，以收据为准。"],
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--mode", default="fast", choices=["fast", "full"])
    args = parser.parse_args()
    process = psutil.Process()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        write_records(source, args.records)
        scorer = FaithfulnessScorer.from_pretrained("bundled", mode=args.mode)
        start = time.perf_counter()
        early = 0
        with ResultWriter(target) as writer:
            for n, result in enumerate(scorer.score_records(read_records(source)), start=1):
                writer.write(result.to_dict())
                if n == args.records // 10:
                    early = process.memory_info().rss
        seconds = time.perf_counter() - start
        late = process.memory_info().rss
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{args.records} records in {seconds:.0f} s, mode {args.mode}")
    print(f"resident after {args.records // 10}: {early / 1e6:.0f} MB, "
          f"at the end: {late / 1e6:.0f} MB ({late / early - 1:+.1%}), peak: {peak / 1e6:.0f} MB")  # fmt: skip


if __name__ == "__main__":
    main()
