"""How fast, as ratios within one run: the ladder from the exhaustive run to the default.

    python benchmarks/speed.py --float-model DIR [--records 60] [--recipe CHECKPOINT]

DIR is the float export of the bundled model (`scripts/export_bundled.py --precision fp32`), so
that every rung runs in the same runtime. Each rung adds one thing to the rung above it. The
rungs are interleaved over several rounds and their times added, since the machine may be noisy.
`--recipe` also times the published recipe, a transformers pipeline called for every answer
sentence x context sentence, on a few records of the same sample.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from common import DEV, read_jsonl, table

from nli_faith import FaithfulnessScorer, PairCache, Record, RunStats, ScorerConfig
from nli_faith.backends import PairIds, load_backend
from nli_faith.backends.ort import OrtBackend
from nli_faith.inference import TokenStore
from nli_faith.preparation import Preparer
from nli_faith.rounds import pair_texts


@dataclass
class Rung:
    """One way to score, with what it took."""

    name: str
    run: Callable[[list[Record]], None]
    seconds: float = 0.0
    records: int = 0

    @property
    def rate(self) -> float:
        """Records a second."""
        return self.records / self.seconds


def uhgeval(limit: int | None) -> list[Record]:
    rows = read_jsonl(DEV / "zh_uhgeval_half.jsonl")[:limit]
    return [
        Record(
            id=r["id"], answer=r["answer"], contexts=tuple(r["contexts"]), question=r["question"]
        )
        for r in rows
    ]


def exhaustive_pairs(backend, records: list[Record]) -> Iterator[list[tuple[str, str]]]:
    """The (premise, claim) texts of each record: all windows and the joined premise."""
    preparer = Preparer(ScorerConfig(prefilter=False))
    for record in records:
        prepared = preparer.split(record)
        tokens = TokenStore(backend)
        tokens.add(prepared.texts())
        preparer.plan(prepared, tokens.count)
        texts = (text for plan in prepared.plans for text in pair_texts(prepared, plan))
        yield [(" ".join(premise), claim) for premise, claim in texts]


def one_by_one(backend, *, tokenise_once: bool, dedupe: bool) -> Callable[[list[Record]], None]:
    """One pair a call."""

    def run(records: list[Record]) -> None:
        seen: dict[tuple[str, str], np.ndarray] = {}
        ids: dict[str, np.ndarray] = {}
        for pairs in exhaustive_pairs(backend, records):
            for pair in pairs:
                if dedupe and pair in seen:
                    continue
                if tokenise_once:
                    for text in pair:
                        if text not in ids:
                            ids[text] = backend.encode([text])[0]
                    premise, claim = ids[pair[0]], ids[pair[1]]
                else:
                    premise, claim = backend.encode([pair[0]])[0], backend.encode([pair[1]])[0]
                seen[pair] = backend.predict_pairs([PairIds(premise, claim)])

    return run


def scorer_of(backend, small, cache: PairCache | None = None, **options) -> FaithfulnessScorer:
    """The package's own scorer on a backend, with the bundled thresholds and combiner."""
    config = ScorerConfig(**options)
    scorer = FaithfulnessScorer(backend, thresholds=small.thresholds, config=config, cache=cache)
    scorer.combiner = small.combiners.get(config.mode)
    return scorer


def pipeline(backend, small, **options) -> Callable[[list[Record]], None]:
    """Scoring under some options."""
    scorer = scorer_of(backend, small, **options)
    return lambda records: sum(1 for _ in scorer.score_records(records)) and None


def recipe(checkpoint: str) -> Callable[[list[Record]], None]:
    """Transformers pipeline, one call for every answer sentence x context sentence."""
    from transformers import pipeline as hf_pipeline

    from nli_faith.text import extract

    classify = hf_pipeline("text-classification", model=checkpoint, top_k=None)

    def run(records: list[Record]) -> None:
        for record in records:
            sentences = [s.text for c in record.contexts for s in extract(c)]
            for claim in extract(record.answer):
                for sentence in sentences:
                    classify({"text": sentence, "text_pair": claim.text}, truncation=True)

    return run


def agreement(
    a: FaithfulnessScorer, b: FaithfulnessScorer, records: list[Record]
) -> tuple[int, int]:
    """Claims with the same label under both scorers, and all claims."""
    same = total = 0
    for x, y in zip(a.score_records(records), b.score_records(records), strict=True):
        for c, d in zip(x.claims, y.claims, strict=True):
            same += c.label is d.label
            total += 1
    return same, total


def stages(scorer: FaithfulnessScorer, records: list[Record]) -> dict[str, float]:
    """Share of each stage in the wall time."""
    stats = RunStats()
    for _ in scorer.score_records(records, stats=stats):
        pass
    total = sum(stats.seconds.values())
    return {name: seconds / total for name, seconds in stats.seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--float-model", required=True)
    parser.add_argument("--recipe", metavar="CHECKPOINT")
    parser.add_argument("--records", type=int, default=60, help="for the slow rungs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--agreement", type=int, default=484, help="records to compare labels on")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()

    exact = load_backend(args.float_model, threads=args.threads)
    # One pair a call leaves threads idle unless they share the call.
    single = OrtBackend(args.float_model, threads=args.threads, wide=True)
    small = load_backend("bundled", threads=args.threads)
    everything = uhgeval(None)
    ladder = [
        Rung("exhaustive, float, one pair a call", one_by_one(single, tokenise_once=False, dedupe=False)),
        Rung("+ tokenise once", one_by_one(single, tokenise_once=True, dedupe=False)),
        Rung("+ dedupe", one_by_one(single, tokenise_once=True, dedupe=True)),
        Rung("+ batches by length", pipeline(exact, small, prefilter=False, early_exit=False)),
        Rung("+ prefilter", pipeline(exact, small, early_exit=False)),
        Rung("+ early exit", pipeline(exact, small)),
        Rung("+ int8 = default", pipeline(small, small)),
        Rung('mode="fast"', pipeline(small, small, mode="fast")),
    ]  # fmt: skip
    if args.recipe:
        ladder.insert(0, Rung("published recipe (transformers pipeline)", recipe(args.recipe)))
    for r in range(args.rounds):
        for rung in ladder:
            # Every round has its own records; slow rungs see a few, fast ones more of the same.
            size = max(1, args.records // args.rounds)
            if rung.name.startswith("published"):
                size = max(1, size // 4)
            part = everything[r * size : (r + 1) * size]
            start = time.perf_counter()
            rung.run(part)
            rung.seconds += time.perf_counter() - start
            rung.records += len(part)
    base = next(r for r in ladder if r.name.startswith("exhaustive"))
    rows = []
    last = base
    for rung in ladder:
        step = "" if rung.name.startswith("published") else f"{rung.rate / last.rate:.2f}x"
        rows.append((rung.name, f"{rung.rate:.2f}", step, f"{rung.rate / base.rate:.1f}x"))
        if not rung.name.startswith("published"):
            last = rung
    print(table(["rung", "records/s", "against the rung above", "against exhaustive"], rows))

    # The second comparison reads from the cache what the first one ran.
    reference = scorer_of(exact, small, PairCache(":memory:"), prefilter=False, early_exit=False)
    print()
    for name, options in (("default", {}), ("fast", {"mode": "fast"})):
        scorer = scorer_of(small, small, **options)
        same, total = agreement(scorer, reference, everything[: args.agreement])
        print(
            f"{name}: {same} of {total} labels ({same / total:.1%}) as in the exhaustive float run"
        )
    scorer = scorer_of(small, small)
    shares = stages(scorer, everything)
    print("\nshare of the wall time by stage, default mode: "
          + ", ".join(f"{name} {share:.1%}" for name, share in shares.items()))  # fmt: skip
    before = sum(shares[s] for s in ("split", "tokenise", "plan"))
    print(f"splitting, tokenising and prefilter together: {before:.1%}")


if __name__ == "__main__":
    main()
