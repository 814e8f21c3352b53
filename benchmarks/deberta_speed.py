"""How fast the DeBERTa graph is: every target of its table, as ratios within one run.

    python benchmarks/deberta_speed.py [--models DIR] [--bundled-source CHECKPOINT] [--profile]

Random weights of mDeBERTa-v3-base's size (speed does not depend on their values), on pairs that
the scorer builds from zh_rag_claims, in the batches it makes of them. Ours and the baselines take
turns, round by round; a ratio is the median over rounds of two times of the same round. DIR keeps
source and exports for a second run; CHECKPOINT is the bundled model's float checkpoint, for the
labels that int8 changes. `--profile` adds ONNX Runtime's time by operator, ours and the plain
graph's. On 2 free cores about 8 minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from common import DEV, ROOT, table
from model_parity import BATCH_TOKENS, Graph, ocnli

sys.path.insert(0, str(ROOT))

from deberta_contenders import Sample, cross_encoder, draw, eager, models, operators, session

from nli_faith.backends.batching import DEFAULT_TOKEN_BUDGET
from nli_faith.backends.bench import gemm_gflops, measure, pair_flops, read_config
from nli_faith.backends.ort import OrtBackend
from nli_faith.backends.session import available_threads
from nli_faith.model_hub import bundled_dir, resolve

OURS, INT8, PLAIN, EAGER, CROSS = (
    "our fp32", "our int8", "torch.onnx.export, fp32", "transformers eager, fp32",
    "CrossEncoder.predict",
)  # fmt: skip
#: Faster, slower, least ratio of their rates.
TARGETS = (
    (OURS, EAGER, 3.5), (OURS, PLAIN, 1.3), (INT8, OURS, 1.7), (INT8, CROSS, 6.0), (OURS, CROSS, 3.5),
)  # fmt: skip
SHARE_LENGTHS, SHARE_TARGET = (64, 96, 128), 0.70
LABELS_TARGET, LOAD_TARGET = 0.99, 1.0
FIRST_SCORE = """
import time
start = time.perf_counter()
from nli_faith import FaithfulnessScorer
scorer = FaithfulnessScorer.from_pretrained("bundled")
result = scorer.score({"id": "1", "answer": "门店有18家。", "contexts": ["公司有18家门店。"]})
assert result.score is not None
print(time.perf_counter() - start)
"""


def take_turns(
    runs: dict[str, Callable[[Sample], np.ndarray]],
    sample: Sample,
    rounds: int,
    clock: Callable[[], float],
) -> tuple[dict[str, list[float]], dict[str, np.ndarray]]:
    """Seconds of every contender in every round, and what it answered."""
    few = Sample(sample.batches[-1:], sample.texts[-2:])
    for run in runs.values():
        run(few)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    answers = {}
    for _ in range(rounds):
        for name, run in runs.items():
            start = clock()
            answers[name] = run(sample)
            seconds[name].append(clock() - start)
    return seconds, answers


def shares(backend: OrtBackend, directory: Path, seconds: float) -> dict[int, tuple[float, float]]:
    """Share of the bare product's rate by length: of the model's arithmetic, and of what is done.

    Of the last layer our graph computes keys and values for all tokens and the rest for two; the
    second figure counts only what it does compute.
    """
    config = read_config(directory)
    hidden, wide = config["hidden_size"], config["intermediate_size"]
    out = {}
    for length in SHARE_LENGTHS:
        # The ceiling just before and just after, since a machine's rate drifts.
        before = gemm_gflops("fp32", backend.threads, seconds)
        (row,) = measure(backend, [length], [DEFAULT_TOKEN_BUDGET], ceiling=None, config=config,
                         seconds=seconds)  # fmt: skip
        ceiling = (before + gemm_gflops("fp32", backend.threads, seconds)) / 2
        whole = pair_flops(config, length)
        assert whole is not None
        skipped = 2 * (length - 2) * (2 * hidden * hidden + 2 * hidden * wide)
        skipped += 8 * (length - 2) * length * hidden
        rate = row.pairs_per_s / 1e9 / ceiling
        out[length] = (whole * rate, (whole - skipped) * rate)
    return out


def labels_equal(source: Path, threads: int, limit: int) -> float:
    """Share of OCNLI dev on which the bundled int8 model has the float graph's label."""
    from nli_faith.export.bert_graph import build_bert
    from nli_faith.export.weights import read_config as read_bert
    from nli_faith.export.weights import read_weights

    backend = OrtBackend(bundled_dir(), threads=threads)
    pairs, _ = ocnli(backend, DEV / "zh_ocnli_dev.jsonl")
    pairs = pairs[:limit]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fp32.onnx"
        model = build_bert(read_weights(source), read_bert(source),
                           token_types=backend.template.uses_types)  # fmt: skip
        path.write_bytes(model.SerializeToString())
        wanted = Graph("float", path, threads).run(backend, pairs, BATCH_TOKENS)
    got = Graph("int8", bundled_dir() / "model.onnx", threads).run(backend, pairs, BATCH_TOKENS)
    return float((got.argmax(1) == wanted.argmax(1)).mean())


def first_score() -> float:
    """Seconds from the import to the first score in a fresh process, the median of three."""
    done = [
        subprocess.run([sys.executable, "-c", FIRST_SCORE], cwd=ROOT, check=True,
                       capture_output=True, text=True)
        for _ in range(3)
    ]  # fmt: skip
    return float(np.median([float(d.stdout.split()[-1]) for d in done]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, help="keeps source and exports for a second run")
    parser.add_argument("--bundled-source", type=Path, help="the bundled model's float checkpoint")
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--label-pairs", type=int, default=1000)
    parser.add_argument("--batch-tokens", type=int, default=DEFAULT_TOKEN_BUDGET)
    parser.add_argument("--threads", type=int, default=available_threads())
    parser.add_argument("--cpu", action="store_true",
                        help="times by processor time, for a busy machine; with --threads 1")  # fmt: skip
    parser.add_argument("--profile", action="store_true", help="also time by operator")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = run(args, Path(folder))
    if args.json:
        args.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def run(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Measures and prints everything; returns the table."""
    import torch

    torch.set_num_threads(args.threads)
    keep = args.models or folder / "models"
    keep.mkdir(parents=True, exist_ok=True)
    paths = models(keep)
    backend = OrtBackend(paths["fp32"], threads=args.threads)
    sample = draw(backend, args.pairs, args.batch_tokens)
    (folder / "st").mkdir()
    contenders = {
        EAGER: eager(paths["src"]),
        PLAIN: session(paths["plain"], args.threads),
        OURS: session(paths["fp32"] / "model.onnx", args.threads),
        INT8: session(paths["int8"] / "model.onnx", args.threads),
        CROSS: cross_encoder(paths["src"], folder / "st"),
    }
    runs = {name: call for name, call in contenders.items() if call is not None}
    clock = time.process_time if args.cpu else time.perf_counter
    seconds, answers = take_turns(runs, sample, args.rounds, clock)
    rates = [
        [name, f"{len(sample.texts) / np.median(s):.2f}", f"{min(s):.2f} to {max(s):.2f} s"]
        for name, s in seconds.items()
    ]
    print(f"\n{args.threads} threads, {args.rounds} rounds, onnxruntime {ort.__version__}, "
          f"torch {torch.__version__}\n")  # fmt: skip
    print(table(["contender", "pairs/s", "a round took"], rates), "\n")
    for name in (PLAIN, OURS, INT8):
        moved = np.abs(answers[name] - answers[EAGER]).max()
        print(f"{name}: logits differ from transformers by at most {moved:.1e}")
    rows = report_rows(args, seconds, backend, paths["fp32"])
    shown = [[what, got, want, {True: "yes", False: "**no**"}.get(met, "—")]
             for what, got, want, met in rows]  # fmt: skip
    print("\n" + table(["what", "measured", "target", "met"], shown))
    if args.profile:
        for name, path in ((OURS, paths["fp32"] / "model.onnx"), (PLAIN, paths["plain"]),
                           (INT8, paths["int8"] / "model.onnx")):  # fmt: skip
            print(f"\n{name}, kernel time on one thread\n")
            print(table(["operator", "time", "share"], operators(path, sample)))
    keys = ("what", "measured", "target", "met")
    return {
        "seconds": seconds,
        "pairs": len(sample.texts),
        "tokens": sample.tokens,
        "rows": [dict(zip(keys, row, strict=True)) for row in rows],
    }


def report_rows(
    args: argparse.Namespace, seconds: dict[str, list[float]], backend: OrtBackend, fp32: Path
) -> list[tuple[str, str, str, bool | None]]:
    """The table: what, measured, target, and whether it was met (None: not measured)."""
    rows: list[tuple[str, str, str, bool | None]] = []
    for fast, slow, least in TARGETS:
        if slow not in seconds:
            rows.append((f"{fast} against {slow}", "not measured", f">= {least}x", None))
            continue
        each = [b / a for a, b in zip(seconds[fast], seconds[slow], strict=True)]
        ratio = float(np.median(each))
        spread = f"{ratio:.2f}x ({min(each):.2f} to {max(each):.2f})"
        rows.append((f"{fast} against {slow}", spread, f">= {least}x", ratio >= least))
    if args.bundled_source:
        equal = labels_equal(resolve_source(args.bundled_source), args.threads, args.label_pairs)
        rows.append(("bundled: labels of int8 as of float", f"{equal:.2%}",
                     f">= {LABELS_TARGET:.0%}", equal >= LABELS_TARGET))  # fmt: skip
    else:
        stored = json.loads((resolve("bundled") / "manifest.json").read_text(encoding="utf-8"))
        figure = stored["parity"].get("OCNLI_dev_labels_equal_percent", "unknown")
        rows.append(("bundled: labels of int8 as of float", f"{figure}% by its manifest; not "
                     "measured in this run", f">= {LABELS_TARGET:.0%}", None))  # fmt: skip
    found = shares(backend, fp32, 1.5)
    whole = ", ".join(f"{n}: {100 * share:.0f}%" for n, (share, _) in found.items())
    done = ", ".join(f"{n}: {100 * share:.0f}%" for n, (_, share) in found.items())
    least = min(share for share, _ in found.values())
    rows.append(("our fp32, share of the bare product's rate by tokens",
                 f"{whole}; of what is computed {done}", f">= {SHARE_TARGET:.0%}",
                 least >= SHARE_TARGET))  # fmt: skip
    first = first_score()
    rows.append(("bundled: import to first score", f"{first:.2f} s", f"< {LOAD_TARGET} s",
                 first < LOAD_TARGET))  # fmt: skip
    return rows


def resolve_source(path: Path) -> Path:
    """The checkpoint, or an end with a clear word."""
    if not (path / "model.safetensors").is_file():
        sys.exit(f"{path} holds no model.safetensors")
    return path


if __name__ == "__main__":
    main()
