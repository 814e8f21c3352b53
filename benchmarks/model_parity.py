"""What the int8 export of the bundled model costs and what it brings, in one run.

    python benchmarks/model_parity.py ../shared/model-v0 [--write] [--plain]

Accuracy on OCNLI dev and equal labels, float graph against int8; rates of both, of ONNX Runtime's
usual dynamic int8 and, with --plain, of a plain ``torch.onnx.export``, interleaved, on pairs of
realistic length; agreement with transformers; time by operator. ``--write`` puts the figures into
the model's manifest and card.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from common import DEV, operator_times, read_jsonl, table
from numpy.typing import NDArray

from nli_faith.backends import EXACT, PADDED, EntailmentBackend, PairIds, collate, make_batches
from nli_faith.backends.ort import OrtBackend
from nli_faith.backends.session import available_threads, session_options
from nli_faith.export.bert_graph import build_bert
from nli_faith.export.card import write_card
from nli_faith.export.weights import read_config, read_weights
from nli_faith.labels import NLILabel
from nli_faith.manifest import update_manifest
from nli_faith.model_hub import resolve

BATCH_TOKENS = 1024
LENGTHS = (8, 33, 128, 511)
LABELS = [str(label) for label in NLILabel]
Logits = NDArray[np.float32]


class Graph:
    """A graph and the batches it takes: of one length, or padded and masked."""

    def __init__(self, name: str, path: Path, threads: int, *, profile: str = "") -> None:
        options = session_options(threads)
        if profile:
            options.enable_profiling = True
            options.profile_file_prefix = profile
        self.name = name
        self.session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.inputs = [item.name for item in self.session.get_inputs()]
        self.steps = PADDED if "attention_mask" in self.inputs else EXACT

    def run(self, backend: EntailmentBackend, pairs: list[PairIds], budget: int) -> Logits:
        """Logits in input order; the tokenizer and template are the backend's."""
        out = np.empty((len(pairs), len(LABELS)), np.float32)
        lengths = [backend.template.length(pair) for pair in pairs]
        for index in make_batches(lengths, budget, steps=self.steps):
            batch = collate([pairs[i] for i in index], backend.template, steps=self.steps)
            feed = {name: getattr(batch, name) for name in self.inputs}
            out[index] = self.session.run(None, feed)[0]
        return out


def realistic_pairs(backend: EntailmentBackend, count: int) -> list[PairIds]:
    """Premises of about 100 tokens and claims of about 30, cut from zh_rag_claims."""
    rows = read_jsonl(DEV / "zh_rag_claims.jsonl")
    rng = np.random.default_rng(0)
    premises = backend.encode([" ".join(row["contexts"]) for row in rows])
    claims = [backend.encode([claim["text"] for claim in row["claims"]]) for row in rows]
    pairs = []
    for _ in range(count):
        i = int(rng.integers(len(rows)))
        size = int(np.clip(rng.lognormal(np.log(95), 0.45), 12, 380))
        start = int(rng.integers(max(len(premises[i]) - size, 1)))
        claim = claims[i][int(rng.integers(len(claims[i])))]
        pairs.append(PairIds(premises[i][start : start + size], claim))
    return pairs


def ocnli(backend: EntailmentBackend, path: Path) -> tuple[list[PairIds], NDArray[np.int64]]:
    """OCNLI dev as ids, and the columns of its labels."""
    rows = read_jsonl(path)
    premises = backend.encode([row["premise"] for row in rows])
    hypotheses = backend.encode([row["hypothesis"] for row in rows])
    pairs = [PairIds(a, b) for a, b in zip(premises, hypotheses, strict=True)]
    return pairs, np.array([LABELS.index(row["label"]) for row in rows])


def rates(
    graphs: list[Graph],
    backend: EntailmentBackend,
    pairs: list[PairIds],
    budgets: list[int],
    repeats: int,
    clock: Callable[[], float],
) -> dict[tuple[str, int], float]:
    """Pairs a second by ``clock``, the best of interleaved repeats."""
    best: dict[tuple[str, int], float] = {}
    for _ in range(repeats):
        for budget in budgets:
            for graph in graphs:
                start = clock()
                graph.run(backend, pairs, budget)
                rate = len(pairs) / (clock() - start)
                key = (graph.name, budget)
                best[key] = max(rate, best.get(key, 0.0))
    return best


def torch_parity(source: Path, graph: Graph) -> dict[int, float] | None:
    """Largest logit difference between transformers and the float graph, by length."""
    try:
        import torch
        from transformers import AutoModelForSequenceClassification
    except ImportError:
        return None
    model = AutoModelForSequenceClassification.from_pretrained(source, dtype=torch.float32).eval()
    rng = np.random.default_rng(0)
    out = {}
    for length in LENGTHS:
        ids = rng.integers(4, model.config.vocab_size - 1, (3, length))
        ids[:, 0] = 0
        with torch.no_grad():
            typed = "token_type_ids" in graph.inputs
            types = ids % model.config.type_vocab_size if typed else np.zeros_like(ids)
            wanted = model(
                input_ids=torch.from_numpy(ids), token_type_ids=torch.from_numpy(types)
            ).logits.numpy()
        feed = {"input_ids": ids, "token_type_ids": types}
        got = graph.session.run(None, {name: feed[name] for name in graph.inputs})[0]
        out[length] = float(np.abs(wanted - got).max())
    return out


def plain_export(source: Path, path: Path) -> None:
    """What most people run: torch.onnx.export with dynamic axes."""
    import torch
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(source, dtype=torch.float32).eval()
    ids = torch.randint(4, 1000, (2, 16))
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("sequence")}
    torch.onnx.export(
        model, (ids, torch.ones_like(ids)), str(path), dynamo=True, external_data=False,
        input_names=["input_ids", "attention_mask"],
        dynamic_shapes={"input_ids": axes, "attention_mask": axes},
    )  # fmt: skip


def operators(path: Path, backend: EntailmentBackend, pairs: list[PairIds]) -> list[list[str]]:
    """Share of kernel time by operator, on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        graph = Graph("profiled", path, 1, profile=f"{folder}/profile")
        graph.run(backend, pairs, BATCH_TOKENS)
        found = operator_times(graph.session.end_profiling())[:10]
    return [[name, f"{share:.1%}"] for name, _, share in found]


def quality(name: str, logits: Logits, wanted: Logits, gold: NDArray[np.int64]) -> dict[str, Any]:
    """Accuracy and closeness to the float graph."""
    labels = logits.argmax(axis=1)
    return {
        "name": name,
        "accuracy": 100 * float((labels == gold).mean()),
        "equal": 100 * float((labels == wanted.argmax(axis=1)).mean()),
        "moved": float(np.abs(logits - wanted).mean()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="the float checkpoint the model was made from")
    parser.add_argument("--model", default="bundled")
    parser.add_argument("--ocnli", type=Path, default=DEV / "zh_ocnli_dev.jsonl")
    parser.add_argument("--pairs", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=available_threads())
    parser.add_argument("--cpu", action="store_true",
                        help="rates by processor time, for a busy machine; with --threads 1")  # fmt: skip
    parser.add_argument("--budgets", default="1,512,1024,2048,4096")
    parser.add_argument("--plain", action="store_true", help="also time torch.onnx.export")
    parser.add_argument("--write", action="store_true", help="put figures into manifest and card")
    args = parser.parse_args()
    directory = resolve(args.model)
    backend = OrtBackend(directory, threads=args.threads)
    with tempfile.TemporaryDirectory() as folder:
        parity = measure(args, directory, backend, Path(folder))
    if args.write:
        update_manifest(directory, {"parity": parity})
        write_card(directory)


def measure(
    args: argparse.Namespace, directory: Path, backend: OrtBackend, folder: Path
) -> dict[str, Any]:
    """Prints all tables; returns what goes into the manifest."""
    config, weights = read_config(args.source), read_weights(args.source)
    paths = {"float, our graph": folder / "fp32.onnx", "int8, per row": directory / "model.onnx"}
    typed = backend.template.uses_types
    model = build_bert(weights, config, token_types=typed)
    paths["float, our graph"].write_bytes(model.SerializeToString())
    padded = folder / "padded.onnx"
    padded.write_bytes(
        build_bert(weights, config, padding=True, token_types=typed).SerializeToString()
    )
    paths["float, our graph, padded and masked"] = padded
    dynamic = folder / "dynamic.onnx"
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(str(padded), str(dynamic), per_channel=True,
                     extra_options={"DefaultTensorType": 1})  # fmt: skip
    paths["int8, ONNX Runtime's dynamic, padded"] = dynamic
    if args.plain:
        paths["float, torch.onnx.export, padded"] = folder / "plain.onnx"
        plain_export(args.source, folder / "plain.onnx")
    graphs = {name: Graph(name, path, args.threads) for name, path in paths.items()}

    pairs, gold = ocnli(backend, args.ocnli)
    float_graph, int8_graph = graphs["float, our graph"], graphs["int8, per row"]
    wanted = float_graph.run(backend, pairs, BATCH_TOKENS)
    kinds = ("float, our graph", "int8, per row", "int8, ONNX Runtime's dynamic, padded")
    rows = [quality(k, graphs[k].run(backend, pairs, BATCH_TOKENS), wanted, gold) for k in kinds]
    print(f"OCNLI dev, {len(gold):,} pairs\n")
    cells = [
        [r["name"], f"{r['accuracy']:.2f}", f"{r['equal']:.2f}", f"{r['moved']:.4f}"] for r in rows
    ]
    print(table(["graph", "accuracy", "% labels as float", "mean abs logit change"], cells), "\n")

    diffs = torch_parity(args.source, float_graph)
    if diffs:
        cells = [[n, f"{d:.1e}"] for n, d in diffs.items()]
        print(table(["tokens", "max abs logit difference to transformers, float"], cells), "\n")

    real = realistic_pairs(backend, args.pairs)
    mean = np.mean([backend.template.length(pair) for pair in real])
    second = "second of processor time" if args.cpu else "second"
    print(f"Pairs a {second}, {args.pairs} pairs of {mean:.0f} tokens, {args.threads} threads, "
          f"best of {args.repeats} interleaved; by batch tokens (1: a pair a call)\n")  # fmt: skip
    budgets = [int(b) for b in args.budgets.split(",")]
    clock = time.process_time if args.cpu else time.perf_counter
    speed = rates(list(graphs.values()), backend, real, budgets, args.repeats, clock)
    base = max(speed["float, our graph", b] for b in budgets)
    cells = []
    for name in graphs:
        mine = [speed[name, b] for b in budgets]
        cells.append([name, *(f"{rate:.1f}" for rate in mine), f"{max(mine) / base:.2f}"])
    print(table(["graph", *map(str, budgets), "best, as multiple of float"], cells), "\n")

    real_float = float_graph.run(backend, real, BATCH_TOKENS)
    alone, together = (int8_graph.run(backend, real, b) for b in (1, 4096))
    moved = float(np.abs(alone - together).max())
    equal = 100 * float((real_float.argmax(1) == together.argmax(1)).mean())
    print(f"int8, a pair a call against full batches: largest logit change {moved:.1e}; labels as "
          f"float on these pairs {equal:.2f}%\n")  # fmt: skip
    print("Kernel time of int8, one thread\n")
    print(table(["operator", "share"], operators(directory / "model.onnx", backend, real[:96])))
    best = max(speed["int8, per row", b] for b in budgets)
    return {
        "OCNLI_dev_accuracy_float": round(rows[0]["accuracy"], 2),
        "OCNLI_dev_accuracy_int8": round(rows[1]["accuracy"], 2),
        "OCNLI_dev_labels_equal_percent": round(rows[1]["equal"], 2),
        "float_graph_max_logit_difference_to_transformers": (
            f"{max(diffs.values()):.1e}" if diffs else "not measured"
        ),
        "largest_logit_change_by_batch_mates": moved,
        "rate_as_multiple_of_float": round(best / base, 2),
    }


if __name__ == "__main__":
    main()
