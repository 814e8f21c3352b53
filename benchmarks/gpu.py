"""The torch backend on a GPU: rate against CrossEncoder.predict, parity with the CPU, no NaN.

    python benchmarks/gpu.py                 # at most 8 minutes; says so where there is no GPU
    python benchmarks/gpu.py --device cpu --sizes deberta-small --pairs 32 --nan-pairs 64
                                             # the same steps on a CPU, to check the script

Random weights of the bundled model's shape and of mDeBERTa's: speed, rounding and overflow are
the same as of trained ones of that shape or worse, accuracy means nothing. Labels are compared by
the largest class; pairs whose two best classes lie within 1e-3 in fp32 are counted apart, since
no precision can keep a tie.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import DEV, cross_encoder, table
from nli_faith.model_hub import bundled_dir
from scripts.make_random_model import make

LIMIT_S = 8 * 60
TARGETS = {"times CrossEncoder": 2.0, "labels equal": 0.999}
TIE = 1e-3


def bundled_shape(out: Path) -> Path:
    """Random weights in the bundled model's shape and with its tokenizer."""
    import shutil

    import torch
    import transformers

    config = transformers.BertConfig.from_pretrained(bundled_dir())
    # CrossEncoder knows nothing of match types; both then read the tokenizer's plain ones.
    if hasattr(config, "match_types"):
        del config.match_types
    torch.manual_seed(0)
    model = transformers.AutoModelForSequenceClassification.from_config(config)
    model.eval().save_pretrained(out)
    shutil.copy(bundled_dir() / "tokenizer.json", out / "tokenizer.json")
    return out


def read_pairs(count: int) -> list[tuple[str, str]]:
    """(premise, claim) texts of real lengths; invented Chinese ones where the data is absent."""
    path = DEV / "zh_rag_claims.jsonl"
    found: list[tuple[str, str]] = []
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            contexts = row["contexts"] if isinstance(row["contexts"], list) else [row["contexts"]]
            for claim in row.get("claims", ()):
                text = claim["text"] if isinstance(claim, dict) else str(claim)
                found += [(context[:220], text[:100]) for context in contexts]
    if not found:
        print("data/dev/zh_rag_claims.jsonl is not here: invented pairs of 40 to 260 characters")
        rng = np.random.default_rng(0)
        found = [
            (
                "公司本年营业收入增长，门店数量增加。" * int(rng.integers(2, 13)),
                "门店数量有所增加。",
            )
            for _ in range(500)
        ]
    rng = np.random.default_rng(0)
    return [found[int(i)] for i in rng.integers(0, len(found), count)]


def open_backend(path: Path, device: str, precision: str) -> Any:
    from nli_faith.backends.torch_backend import TorchBackend

    return TorchBackend(path, device=device, precision=precision)


def rate(call: Any, count: int) -> float:
    """Pairs a second of the better of two timed calls, after one that warms up."""
    call()
    times = []
    for _ in range(2):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return count / min(times)


def cross_encoder_rate(path: Path, device: str, pairs: list[tuple[str, str]]) -> float | None:
    """Rate of CrossEncoder.predict as its users call it (fp32, batches of 32)."""
    model = cross_encoder(path, path / "st", device)
    if model is None:
        return None
    return rate(lambda: model.predict(pairs, batch_size=32, show_progress_bar=False), len(pairs))


def equal_labels(got: np.ndarray, exact: np.ndarray) -> tuple[float, int]:
    """Share of labels equal outside ties, and how many ties there are."""
    ordered = np.sort(exact, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > TIE
    same = got.argmax(1) == exact.argmax(1)
    return float(same[clear].mean()) if clear.any() else float("nan"), int((~clear).sum())


def one(size: str, args: argparse.Namespace, directory: Path, end: float) -> list[dict[str, Any]]:
    path = directory / size
    bundled_shape(path) if size == "bundled" else make(size, path)
    pairs = read_pairs(args.pairs)
    few = pairs[: args.parity_pairs]
    exact = open_backend(path, "cpu", "fp32").predict_texts(few)
    theirs = cross_encoder_rate(path, args.device, pairs)
    out = []
    for precision in args.precisions:
        backend = open_backend(path, args.device, precision)
        ours = rate(lambda b=backend: predict(b, pairs, args.batch_tokens), len(pairs))
        share, ties = equal_labels(backend.predict_texts(few), exact)
        finite = nan_check(backend, args, end)
        out.append({
            "model": size, "precision": precision, "pairs/s": ours, "CrossEncoder pairs/s": theirs,
            "times CrossEncoder": None if theirs is None else ours / theirs,
            "labels equal": share, "ties": ties, "finite pairs": finite,
        })  # fmt: skip
    return out


def predict(backend: Any, pairs: list[tuple[str, str]], batch_tokens: int) -> Any:
    from nli_faith.backends import PairIds

    texts = list(dict.fromkeys(t for pair in pairs for t in pair))
    ids = dict(zip(texts, backend.encode(texts), strict=True))
    return backend.predict_pairs([PairIds(ids[a], ids[b]) for a, b in pairs], batch_tokens)


def nan_check(backend: Any, args: argparse.Namespace, end: float) -> str:
    """Scores pairs of random ids and lengths; a value that is not finite ends it with its error."""
    from nli_faith.backends import PairIds
    from nli_faith.errors import BackendError

    rng = np.random.default_rng(1)
    done = 0
    while done < args.nan_pairs and time.monotonic() < end:
        block = []
        for _ in range(min(2000, args.nan_pairs - done)):
            room = int(rng.integers(16, 256)) - backend.pair_overhead
            ids = rng.integers(4, backend.vocabulary, room).astype(np.int32)
            block.append(PairIds(ids[room // 4 :], ids[: room // 4]))
        try:
            backend.predict_pairs(block, args.batch_tokens)
        except BackendError as error:
            return f"FAILED after {done}: {error}"
        done += len(block)
    return f"{done}" if done >= args.nan_pairs else f"{done} of {args.nan_pairs} (out of time)"


def show(rows: list[dict[str, Any]]) -> None:
    header = list(rows[0])
    shown = [
        ["—" if v is None else f"{v:.4g}" if isinstance(v, float) else v for v in row.values()]
        for row in rows
    ]
    print(table(header, shown))
    for row in rows:
        for name, least in TARGETS.items():
            value = row[name]
            if value is not None and not value >= least:
                print(f"MISSED: {row['model']} {row['precision']}: {name} {value:.4g} < {least}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--sizes", nargs="+", default=["bundled", "mdeberta-base"])
    parser.add_argument("--precisions", nargs="+", default=["bf16", "fp16"])
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--parity-pairs", type=int, default=1000)
    parser.add_argument("--nan-pairs", type=int, default=50_000)
    parser.add_argument("--batch-tokens", type=int, default=65_536)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    import torch

    if args.device.startswith("cuda") and not torch.cuda.is_available():
        sys.exit("there is no GPU that this torch can use: nothing was measured")
    on_gpu = args.device.startswith("cuda")
    where = torch.cuda.get_device_name(0) if on_gpu else platform.processor()
    print(f"{where}, torch {torch.__version__}, {args.pairs} pairs")
    end = time.monotonic() + LIMIT_S
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in args.sizes:
            rows += one(size, args, Path(directory), end)
    show(rows)
    if args.json:
        args.json.write_text(json.dumps({"device": where, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
