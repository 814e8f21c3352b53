"""Sentence-level figures: what overlap, NLI and the quantity check each tell apart.

    python benchmarks/accuracy.py [--mode full|fast] [--model bundled]

Every labelled sentence is scored as an answer of its own against its record's contexts, through
the whole pipeline, so a sentence that the splitter drops or cuts counts as the pipeline left it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from common import DEV, auroc, balanced_accuracy, best_balanced_accuracy, read_jsonl, table

from nli_faith import FaithfulnessScorer, PairCache, Record
from nli_faith.prefilter import OverlapIndex
from nli_faith.results import FaithfulnessResult
from nli_faith.text import fold


@dataclass(frozen=True)
class Example:
    """A sentence with its contexts and whether they back it."""

    text: str
    contexts: tuple[str, ...]
    supported: bool
    question: str | None = None


def rag_claims() -> list[Example]:
    """The hand-labelled answers, without sentences that assert nothing."""
    return [
        Example(c["text"], tuple(r["contexts"]), c["label"] == "supported", r["question"])
        for r in read_jsonl(DEV / "zh_rag_claims.jsonl")
        for c in r["claims"]
        if c["label"] != "not_a_claim"
    ]


def citecheck() -> list[Example]:
    """Statements with the document they cite."""
    return [
        Example(r["hypothesis"], (r["premise"],), r["label"] == "supported", r.get("question"))
        for r in read_jsonl(DEV / "zh_citecheck_dev.jsonl")
    ]


def uhgeval() -> list[Example]:
    """Hallucinated continuations, and as many true sentences taken from the articles.

    The true ones stand word for word in the contexts, which favours overlap.
    """
    from nli_faith.text import extract

    out = []
    for r in read_jsonl(DEV / "zh_uhgeval_half.jsonl"):
        contexts = tuple(r["contexts"])
        out.append(Example(r["answer"], contexts, False))
        sentences = [s.text for s in extract(contexts[-1]) if len(s.text) >= 20]
        if sentences:
            out.append(Example(sentences[len(sentences) // 2], contexts, True))
    return out


SETS: dict[str, Callable[[], list[Example]]] = {
    "zh_rag_claims": rag_claims,
    "zh_citecheck_dev": citecheck,
    "zh_uhgeval_half": uhgeval,
}


def overlap(example: Example) -> float:
    """Share of the sentence's character 2-grams that the contexts hold."""
    grams = {example.text[i : i + 2] for i in range(len(example.text) - 1)}
    text = "\n".join(example.contexts)
    return sum(g in text for g in grams) / max(1, len(grams))


def weighted_overlap(example: Example) -> float:
    """The prefilter's own score of the best joined premise: all contexts at once."""
    index = OverlapIndex([fold("\n".join(example.contexts))])
    return float(index.view(fold(example.text)).segment_scores()[0])


def supports(results: list[FaithfulnessResult]) -> list[float]:
    """Support of each sentence: of its weakest claim, 0 where nothing was recognised."""
    return [min((c.support for c in r.claims), default=0.0) for r in results]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="bundled")
    parser.add_argument("--mode", default="full", choices=["full", "fast"])
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--top-k", type=int, default=None)
    args = parser.parse_args()
    options = {"mode": args.mode} | ({"top_k": args.top_k} if args.top_k else {})
    # The same pairs serve all three. Without early exit, so that the first two see every window.
    cache = PairCache(":memory:")
    full = FaithfulnessScorer.from_pretrained(args.model, cache=cache, **options)
    parts = {
        "NLI alone": {"quantities": False, "combine": False},
        "NLI + quantities": {"combine": False},
        "NLI + quantities + combiner (as shipped)": {},
    }
    scorers = {
        name: FaithfulnessScorer(
            full.backend, thresholds=full.thresholds, cache=cache,
            config=type(full.config)(**options, early_exit=False, **part),
        )
        for name, part in parts.items()
    }  # fmt: skip
    rows = []
    for name in args.sets:
        examples = SETS[name]()
        truth = [e.supported for e in examples]
        records = [
            Record(id=str(i), answer=e.text, contexts=e.contexts, question=e.question)
            for i, e in enumerate(examples)
        ]
        found = {label: list(s.score_records(records)) for label, s in scorers.items()}
        missed = sum(not r.claims for r in found["NLI alone"])
        threshold = full.thresholds.support
        for label, values, shipped in (
            ("2-gram overlap alone", [overlap(e) for e in examples], None),
            ("weighted overlap alone", [weighted_overlap(e) for e in examples], None),
            # The threshold is calibrated for what ships, not for its parts.
            *((n, supports(r), threshold if s.combiner else None)
              for (n, r), s in zip(found.items(), scorers.values(), strict=True)),
        ):  # fmt: skip
            best, at = best_balanced_accuracy(values, truth)
            at_shipped = (
                "" if shipped is None
                else f"{balanced_accuracy([v >= shipped for v in values], truth):.3f}"
            )  # fmt: skip
            rows.append((name, f"{sum(truth)}+{len(truth) - sum(truth)}", label,
                         f"{auroc(values, truth):.3f}", at_shipped, f"{best:.3f} (at {at:.3f})"))  # fmt: skip
        print(f"{name}: {missed} of {len(examples)} sentences not recognised as claims")
    print(f"\nmodel {full.info.model}, mode {args.mode}, threshold {threshold}\n")
    print(table(["set", "supported + not", "method", "AUROC", "balanced accuracy (shipped threshold)",
                 "best on this set"], rows))  # fmt: skip


if __name__ == "__main__":
    main()
