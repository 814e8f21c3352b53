"""Do coverage and relevancy tell right answers from answers to other questions?

Every record is scored with its own answer, with the answer of the record half the set away (a
fixed rotation, so runs repeat; an answer equal to its own is passed over), and with a copied
sentence: of its own material the first that does not hold the answer. Reported are AUROC of the
own answer against either, and the three means, for each set, with the material and without it.

With the material the short answers of DRCD are an easy case: a shuffled one does not stand there.
A copied sentence may happen to answer in DuReader, whose material repeats itself.

    python benchmarks/coverage_sanity.py [--limit N]

Reads data/train of the folder `shared` beside the repository.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from common import SHARED, auroc, read_jsonl, table

from nli_faith import FaithfulnessScorer, Record
from nli_faith.metrics.coverage import Coverage
from nli_faith.metrics.engine import ScorerEngine
from nli_faith.metrics.relevancy import AnswerRelevancy
from nli_faith.text import fold, split

SETS = ("zh_rag_dureader2_demo", "zh_qa_drcd_simplified")


def load(name: str, limit: int) -> list[Record]:
    rows = read_jsonl(SHARED / "data" / "train" / f"{name}.jsonl")
    step = max(1, len(rows) // limit)  # spread over the file: neighbours share a passage
    rows = rows[::step][:limit]
    return [
        Record(str(i), r["answer"], tuple(r["contexts"]), question=r["question"])
        for i, r in enumerate(rows)
    ]


def shuffled(records: list[Record]) -> list[Record]:
    """Each record with the answer of another one."""
    out = []
    for i, record in enumerate(records):
        for step in range(len(records)):
            other = records[(i + len(records) // 2 + step) % len(records)]
            if other.answer != record.answer and other.question != record.question:
                out.append(replace(record, answer=other.answer))
                break
    return out


def copied(records: list[Record]) -> list[Record]:
    """Each record with a sentence of its own material that does not hold the answer."""
    out = []
    for record in records:
        sentences = [s for c in record.contexts for s in split(c) if len(s.text) >= 10]
        wanted = letters(record.answer)
        for sentence in sentences:
            text = letters(sentence.text)
            if wanted not in text and text not in wanted:
                out.append(replace(record, answer=sentence.text))
                break
    return out


def letters(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum())


def measure(name: str, limit: int, engine: ScorerEngine) -> list[list[object]]:
    records = load(name, limit)
    sides = (records, shuffled(records), copied(records))
    rows: list[list[object]] = []
    for material in (True, False):
        for metric in (Coverage(), AnswerRelevancy()):
            right, *wrong = [values(metric, side, engine, material) for side in sides]
            aurocs = [auroc(right + w, [True] * len(right) + [False] * len(w)) for w in wrong]
            means = [sum(v) / len(v) for v in (right, *wrong)]
            rows.append(
                [name, metric.name, "yes" if material else "no", len(right),
                 *(f"{x:.3f}" for x in (*aurocs, *means))]
            )  # fmt: skip
    return rows


def values(
    metric: Coverage | AnswerRelevancy, side: list[Record], engine: ScorerEngine, material: bool
) -> list[float]:
    used = side if material else [replace(r, contexts=()) for r in side]
    found = [metric.compute(r, engine) for r in used]
    return [v.value for v in found if v.measured]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=400, help="records of each set")
    args = parser.parse_args()
    engine = ScorerEngine(FaithfulnessScorer.from_pretrained())
    began = time.perf_counter()
    rows = [row for name in SETS for row in measure(name, args.limit, engine)]
    header = ["set", "metric", "material", "n", "AUROC shuffled", "AUROC copied",
              "mean right", "mean shuffled", "mean copied"]  # fmt: skip
    print(table(header, rows))
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
