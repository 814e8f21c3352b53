"""Every figure of the model card, float and int8, in one table beside the bars.

    python scripts/evaluate_model.py CHECKPOINT [--sets ...] [--precision int8 fp32]
    python scripts/evaluate_model.py models/bundled

CHECKPOINT is a training output (config.json, model.safetensors, tokenizer.json), which is
exported to both precisions first, or an exported model directory. Thresholds and combiner are
those of the bundled model's manifest unless the directory has its own. Sentence-level figures go
through the whole pipeline: splitter, windows, quantities, combiner.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from nli_faith import FaithfulnessScorer
from nli_faith.backends import PairIds
from nli_faith.backends.base import EntailmentBackend
from nli_faith.manifest import update_manifest
from nli_faith.model_hub import bundled_dir
from nli_faith.statistics import auroc, balanced_accuracy, best_balanced_accuracy
from nli_faith.text import model_text
from nli_faith.training import evalsets
from nli_faith.training.evalsets import Labelled

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
PROBES = ROOT / "models" / "data" / "probes"
CONTRASTIVE = ROOT / "models" / "data" / "contrastive"
CLASSES = {"entailment": 0, "neutral": 1, "contradiction": 2}
#: Share of real continuations that may be flagged.
UHGEVAL_BUDGET = 0.20

Row = tuple[str, str, str]  # set, figure, bar


def supports(scorer: FaithfulnessScorer, examples: Sequence[Labelled]) -> list[float]:
    """Support of each text: of its weakest claim, 0 where no claim was recognised."""
    results = scorer.score_records(e.record for e in examples)
    return [min((c.support for c in r.claims), default=0.0) for r in results]


def separated(name: str, examples: Sequence[Labelled], bar: str) -> Callable[..., list[Row]]:
    """AUROC, and balanced accuracy at the shipped threshold and at the set's best."""

    def run(scorer: FaithfulnessScorer) -> list[Row]:
        values, truth = supports(scorer, examples), [e.supported for e in examples]
        shipped = balanced_accuracy([v >= scorer.thresholds.support for v in values], truth)
        best, _ = best_balanced_accuracy(values, truth)
        area = auroc(values, truth)
        return [(name, f"AUROC {area:.3f}, BA {shipped:.3f} (best {best:.3f})", bar)]

    return run


def probes(scorer: FaithfulnessScorer) -> list[Row]:
    """Accuracy on each kind of small edit, supported twins counting as much."""
    out = []
    for path in sorted(PROBES.glob("*.jsonl")):
        examples = evalsets.contrastive(path)
        values = np.array(supports(scorer, examples))
        truth = np.array([e.supported for e in examples])
        said = values >= scorer.thresholds.support
        kept, caught = said[truth].mean(), (~said[~truth]).mean()
        twins = (values[0::2] > values[1::2]).mean()
        out.append((f"probe {path.stem} ({len(examples)})",
                    f"{(kept + caught) / 2:.3f} (kept {kept:.2f}, caught {caught:.2f}, "
                    f"twin right {twins:.2f})", ">= 0.88"))  # fmt: skip
    return out


def uhgeval(scorer: FaithfulnessScorer) -> list[Row]:
    """Hallucinated continuations flagged, when at most a fifth of the real ones are."""
    examples = evalsets.uhgeval(DATA / "dev")
    values = np.array(supports(scorer, examples))
    real = np.array([e.supported for e in examples])
    # The highest threshold that flags no more than the budget of real continuations.
    threshold = np.quantile(values[real], UHGEVAL_BUDGET, method="lower")
    caught, flagged = (values[~real] < threshold).mean(), (values[real] < threshold).mean()
    at = scorer.thresholds.support
    shipped = (
        f"shipped threshold: {(values[~real] < at).mean():.3f} at {(values[real] < at).mean():.3f}"
    )
    return [("UHGEval half", f"{caught:.3f} flagged at {flagged:.3f} of real ({shipped})",
             ">= 0.70 at <= 0.20")]  # fmt: skip


def nli_accuracy(name: str, rows: Sequence[dict[str, str]], bar: str) -> Callable[..., list[Row]]:
    """Three-class accuracy on plain pairs."""
    rows = [r for r in rows if r["label"] in CLASSES]

    def run(scorer: FaithfulnessScorer) -> list[Row]:
        backend: EntailmentBackend = scorer.backend
        premises = backend.encode([model_text(r["premise"]) for r in rows])
        hypotheses = backend.encode([model_text(r["hypothesis"]) for r in rows])
        pairs = [PairIds(p, h) for p, h in zip(premises, hypotheses, strict=True)]
        guess = backend.predict_pairs(pairs).argmax(axis=1)
        right = np.mean(guess == [CLASSES[r["label"]] for r in rows])
        return [(f"{name} ({len(rows)})", f"accuracy {100 * right:.2f}", bar)]

    return run


def all_sets() -> dict[str, Callable[[], Callable[[FaithfulnessScorer], list[Row]]]]:
    """Name to a function that reads the set and gives its measurement."""
    dev = DATA / "dev"
    held = [CONTRASTIVE / f"{n}.jsonl" for n in ("e06", "e12", "e18", "e24")]

    def held_out() -> Callable[[FaithfulnessScorer], list[Row]]:
        rows = [e for p in held for e in evalsets.contrastive(p)]
        return separated("held-out contrastive", rows, "")

    return {
        "rag": lambda: separated("zh_rag_claims", evalsets.rag_claims(dev), "0.78 / 0.72"),
        "ocnli": lambda: nli_accuracy(
            "OCNLI dev", evalsets.read_rows(dev / "zh_ocnli_dev.jsonl"), ">= 69"),
        "cmnli": lambda: nli_accuracy(
            "CMNLI held out",
            evalsets.split_held_out(evalsets.read_rows(DATA / "train" / "zh_cmnli_dev.jsonl"))[1],
            ">= 70"),
        "probes": lambda: probes,
        "uhgeval": lambda: uhgeval,
        "citecheck": lambda: separated("CiteCheck dev", evalsets.citecheck(dev), ">= 0.96"),
        "wice": lambda: separated("WiCE oracle", evalsets.wice(dev), ">= 0.72"),
        "held_out": held_out,
    }  # fmt: skip


def exported(checkpoint: Path, precision: str, folder: Path) -> Path:
    """The checkpoint as a model directory, with the bundled thresholds and combiners."""
    import subprocess
    import sys

    out = folder / precision
    subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "export_bundled.py"), str(checkpoint), "--out",
         str(out), "--precision", precision], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    bundled = json.loads((bundled_dir() / "manifest.json").read_text(encoding="utf-8"))
    update_manifest(out, {k: bundled[k] for k in ("thresholds", "combiners") if k in bundled})
    return out


def main() -> None:
    sets = all_sets()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--sets", nargs="*", default=list(sets), choices=list(sets))
    parser.add_argument("--precision", nargs="*", default=["int8", "fp32"])
    parser.add_argument("--mode", default="full", choices=["full", "fast"])
    parser.add_argument("--top-k", type=int, default=None)
    parser.add_argument("--no-combine", action="store_true")
    parser.add_argument("--no-quantities", action="store_true")
    args = parser.parse_args()
    options = {"mode": args.mode, "combine": not args.no_combine,
               "quantities": not args.no_quantities}  # fmt: skip
    if args.top_k:
        options["top_k"] = args.top_k
    measures = [sets[name]() for name in args.sets]
    with tempfile.TemporaryDirectory() as folder:
        if (args.model / "model.onnx").is_file():
            models = [args.model]
        else:
            models = [exported(args.model, p, Path(folder)) for p in args.precision]
        for model in models:
            scorer = FaithfulnessScorer.from_pretrained(model, **options)
            limits = scorer.thresholds
            print(f"\n{scorer.info.model} {scorer.backend.precision}, "
                  f"thresholds {limits.support} / {limits.contradiction}\n")  # fmt: skip
            print("| set | figure | bar |\n| --- | --- | --- |")
            for measure in measures:
                for name, figure, bar in measure(scorer):
                    print(f"| {name} | {figure} | {bar} |", flush=True)


if __name__ == "__main__":
    main()
