"""Do the answer, retrieval and number metrics move the way they must on real records?

Each line is a change whose direction is known: the own passage taken away, the answer of another
question put in, a number altered. Data: ``zh_rag_dureader2_demo`` and ``zh_qa_drcd_simplified`` of
``shared/data/train``.

    python benchmarks/answer_metrics.py [--limit 200]
"""

from __future__ import annotations

import argparse
import math
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from common import SHARED, read_jsonl, table

from nli_faith.datamodels import Record
from nli_faith.evaluation import Aggregator, Evaluator
from nli_faith.metrics.base import Metric
from nli_faith.metrics.engine import ScorerEngine
from nli_faith.metrics.registry import resolve
from nli_faith.quantities import parse_quantities
from nli_faith.scorer import FaithfulnessScorer

TRAIN = SHARED / "data" / "train"
Variant = tuple[str, str, Callable[[Record, Record], Record]]


def drcd(limit: int, random_: random.Random) -> list[Record]:
    """Span answers; the own passage stands among three others, at a random rank."""
    rows = random_.sample(read_jsonl(TRAIN / "zh_qa_drcd_simplified.jsonl"), limit + 3)
    records = []
    for i, row in enumerate(rows[:limit]):
        passages = [(f"p{j}", rows[j]["contexts"][0]) for j in range(i, i + 4)]
        random_.shuffle(passages)
        records.append(
            Record(
                id=f"p{i}", question=row["question"], answer=row["answer"], reference=row["answer"],
                contexts=tuple(text for _, text in passages), relevant_ids=(f"p{i}",),
                meta={"context_ids": [name for name, _ in passages]},
            )
        )  # fmt: skip
    return records


def dureader(limit: int) -> list[Record]:
    """Long answers over several retrieved passages; the answer serves as the reference too."""
    rows = read_jsonl(TRAIN / "zh_rag_dureader2_demo.jsonl")
    # The set has several answers to a question; the next record must be about something else.
    first = {row["question"]: row for row in reversed(rows) if row["answer"] and row["contexts"]}
    rows = list(reversed(first.values()))[:limit]
    return [
        Record(
            id=f"d{i}", question=row["question"], answer=row["answer"], reference=row["answer"],
            contexts=tuple(row["contexts"]),
        )
        for i, row in enumerate(rows)
    ]  # fmt: skip


def without_own(record: Record, _: Record) -> Record:
    keep = [i for i, name in enumerate(record.meta["context_ids"]) if name != record.id]
    return replace(
        record, contexts=tuple(record.contexts[i] for i in keep),
        meta={"context_ids": [record.meta["context_ids"][i] for i in keep]},
    )  # fmt: skip


def own_at(rank: int) -> Callable[[Record, Record], Record]:
    def change(record: Record, _: Record) -> Record:
        pairs = list(zip(record.meta["context_ids"], record.contexts, strict=True))
        own = next(p for p in pairs if p[0] == record.id)
        pairs.remove(own)
        pairs.insert(rank, own)
        return replace(record, contexts=tuple(t for _, t in pairs),
                       meta={"context_ids": [n for n, _ in pairs]})  # fmt: skip

    return change


def other_answer(record: Record, other: Record) -> Record:
    return replace(record, answer=other.answer)


def other_contexts(record: Record, other: Record) -> Record:
    return replace(record, contexts=other.contexts)


def first_half(record: Record, _: Record) -> Record:
    """The answer without its second half, cut behind a sentence."""
    ends = [m.end() for m in re.finditer(r"[。！？；\n]", record.answer)]
    middle = [e for e in ends if e <= len(record.answer) / 2] or ends[:1] or [len(record.answer)]
    return replace(record, answer=record.answer[: middle[-1]])


def numbers_times(factor: float) -> Callable[[Record, Record], Record]:
    """Every plain number of a physical kind, multiplied."""

    def change(record: Record, _: Record) -> Record:
        text = record.answer
        for q in reversed(parse_quantities(text)):
            digits = re.search(r"\d+(?:\.\d+)?", q.text)
            if digits is None or q.type in ("date", "period", "time", "ordinal"):
                continue
            shown = f"{float(digits[0]) * factor:.4f}".rstrip("0").rstrip(".")
            at = q.start + digits.start()
            text = text[:at] + shown + text[at + len(digits[0]) :]
        return replace(record, answer=text)

    return change


def unchanged(record: Record, _: Record) -> Record:
    return record


DRCD: list[Variant] = [
    ("DRCD, own passage first", "own passage found, at rank 1", own_at(0)),
    ("DRCD, own passage fourth", "precision, mrr and ndcg fall", own_at(3)),
    ("DRCD, own passage missing", "recall, hits and precision fall", without_own),
]
DUREADER: list[Variant] = [
    ("DuReader, as it is", "correctness, numbers, similarity 1", unchanged),
    ("DuReader, first half of the answer", "correctness and numbers fall", first_half),
    ("DuReader, another answer", "all near 0", other_answer),
    ("DuReader, other contexts", "faithfulness and recall near 0", other_contexts),
    ("DuReader, numbers x 1.03", "numeric_exact falls, numeric_accuracy does not",
     numbers_times(1.03)),
    ("DuReader, numbers x 1.5", "both numeric metrics fall", numbers_times(1.5)),
]  # fmt: skip


def measure(
    title: str, variants: Sequence[Variant], records: Sequence[Record], metrics: list[Metric],
    engine: ScorerEngine,
) -> None:  # fmt: skip
    evaluator = Evaluator(engine, metrics)
    rows, seconds = [], []
    for name, wanted, change in variants:
        totals = Aggregator()
        shifted = [*records[1:], records[0]]
        started = time.perf_counter()
        for record, other in zip(records, shifted, strict=True):
            totals.add(evaluator.evaluate_one(change(record, other)))
        seconds.append(time.perf_counter() - started)
        found = totals.summaries()
        cells = ["—" if math.isnan(s.mean) else f"{s.mean:.3f} ({s.measured})"
                 for s in found.values()]  # fmt: skip
        rows.append([name, wanted, *cells])
    print(f"\n## {title}: {len(records)} records, mean (measured)\n")
    print(table(["records", "what must be seen", *evaluator.names], rows))
    print(f"\n{len(records) / np.mean(seconds):.1f} records/s, one by one")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=200, help="records of each set")
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    scorer = FaithfulnessScorer.from_pretrained("bundled", threads=options.threads)
    engine = ScorerEngine(scorer)
    found = drcd(options.limit, random.Random(0))
    names = "context_recall,context_precision,recall_at_k,recall@1,mrr,ndcg"
    measure("Retrieval", DRCD, found, resolve(names), engine)
    found = dureader(options.limit)
    names = (
        "faithfulness,context_recall,context_precision,answer_correctness,answer_similarity,"
        "numeric_exact,numeric_accuracy,readability,conciseness"
    )
    measure("Answers", DUREADER, found, resolve(names), engine)


if __name__ == "__main__":
    main()
