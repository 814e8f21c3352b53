"""How well are questions cut into points? Hand-made cases, and real questions to look through.

Prints the share of the cases in tests/metrics/point_cases.jsonl whose points come out exactly, and
precision and recall of single points, for the half that the rules were written on and the half
held out (49 of 51 exact when first tried; the rules behind the two others were mended later, and
both halves have one author). Then, for the real questions, how many points they have, how fast they are cut, and a
sample of those that were cut into several, to be judged by eye.

    python benchmarks/question_points.py [--limit N] [--show N]

Reads data/train of the folder `shared` beside the repository.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from common import ROOT, SHARED, read_jsonl, table

from nli_faith.metrics.points import split_question
from nli_faith.text import fold

CASES = ROOT / "tests" / "metrics" / "point_cases.jsonl"
SETS = ("zh_rag_dureader2_demo", "zh_qa_drcd_simplified")


def cases() -> list[list[object]]:
    rows: list[list[object]] = []
    for part in ("dev", "held_out"):
        chosen = [c for c in read_jsonl(CASES) if c["set"] == part]
        exact = hits = found = wanted = 0
        for case in chosen:
            got = [fold(p.text) for p in split_question(case["question"])]
            want = [fold(p) for p in case["points"]]
            exact += got == want
            hits += len(set(got) & set(want))
            found += len(got)
            wanted += len(want)
        rows.append([part, len(chosen), f"{exact / len(chosen):.3f}", f"{hits / found:.3f}",
                     f"{hits / wanted:.3f}"])  # fmt: skip
    return rows


def real(name: str, limit: int, show: int) -> list[object]:
    rows = read_jsonl(SHARED / "data" / "train" / f"{name}.jsonl")
    questions = list(dict.fromkeys(r["question"] for r in rows))[:limit]
    began = time.perf_counter()
    cut = {q: [p.text for p in split_question(q)] for q in questions}
    seconds = time.perf_counter() - began
    several = {q: points for q, points in cut.items() if len(points) > 1}
    for question, points in list(several.items())[:: max(1, len(several) // show)][:show]:
        print(f"  {question}  ->  {' | '.join(points)}")
    counts = Counter(min(len(points), 5) for points in cut.values())
    return [name, len(questions), *(counts[n] for n in range(6)), f"{len(questions) / seconds:.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=10_000, help="questions of each set")
    parser.add_argument("--show", type=int, default=15, help="cut questions shown of each set")
    args = parser.parse_args()
    print(table(["cases", "n", "exact", "precision", "recall"], cases()), "\n")
    rows = [real(name, args.limit, args.show) for name in SETS]
    header = ["set", "questions", "0", "1", "2", "3", "4", "5+", "questions/s"]
    print("\n" + table(header, rows))


if __name__ == "__main__":
    main()
