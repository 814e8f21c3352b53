"""Who runs in deberta_speed.py: the pairs, our exports, and the baselines."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import common
import numpy as np
import onnxruntime as ort
from common import DEV, read_jsonl

from nli_faith import Record, ScorerConfig
from nli_faith.backends import PairIds, TokenBatch, collate, make_batches
from nli_faith.backends.ort import OrtBackend
from nli_faith.backends.session import session_options
from nli_faith.inference import TokenStore
from nli_faith.preparation import Preparer
from nli_faith.rounds import pair_texts
from scripts.make_random_model import make


@dataclass(frozen=True, slots=True)
class Sample:
    """The pairs that every contender scores.

    Attributes:
        batches: As the scorer makes them: one length each, no padding.
        texts: The same pairs as text, in the order of the batches.
    """

    batches: list[TokenBatch]
    texts: list[tuple[str, str]]

    @property
    def tokens(self) -> int:
        """Tokens of all pairs."""
        return sum(b.input_ids.size for b in self.batches)


def draw(backend: OrtBackend, count: int, budget: int) -> Sample:
    """Batches evenly spaced over all those that zh_rag_claims makes, of about ``count`` pairs."""
    preparer, tokens = Preparer(ScorerConfig()), TokenStore(backend)
    texts: list[tuple[str, str]] = []
    for row in read_jsonl(DEV / "zh_rag_claims.jsonl"):
        answer = "".join(claim["text"] for claim in row["claims"])
        prepared = preparer.split(
            Record(id=row["id"], answer=answer, contexts=tuple(row["contexts"]))
        )
        tokens.add(prepared.texts())
        preparer.plan(prepared, tokens.count)
        for plan in prepared.plans:
            texts += [("".join(parts), claim) for parts, claim in pair_texts(prepared, plan)]
    firsts, seconds = backend.encode([t[0] for t in texts]), backend.encode([t[1] for t in texts])
    pairs = [PairIds(a, b) for a, b in zip(firsts, seconds, strict=True)]
    lengths = [backend.template.length(pair) for pair in pairs]
    groups = make_batches(lengths, budget, max_length=backend.max_length)
    mean = len(pairs) / len(groups)
    picks = np.linspace(0, len(groups) - 1, max(round(count / mean), 2)).round().astype(int)
    chosen = [groups[i] for i in dict.fromkeys(picks.tolist())]
    print(f"{len(pairs):,} pairs of {np.median(lengths):.0f} tokens (median) in {len(groups)} "
          f"batches; {sum(map(len, chosen))} pairs in {len(chosen)} of them are scored")  # fmt: skip
    batches = [collate([pairs[i] for i in group], backend.template) for group in chosen]
    return Sample(batches, [texts[i] for group in chosen for i in group])


def models(folder: Path) -> dict[str, Path]:
    """Source, our exports and the plain one; what is there already is kept."""
    from nli_faith.export.generic import traced_graph
    from nli_faith.export.model import export_model

    paths = {name: folder / name for name in ("src", "fp32", "int8")}
    if not paths["src"].exists():
        make("mdeberta-base", paths["src"])
    for precision in ("fp32", "int8"):
        if not paths[precision].exists():
            export_model(paths["src"], paths[precision], precision=precision, name="mdeberta")
    paths["plain"] = folder / "plain.onnx"
    if not paths["plain"].exists():
        paths["plain"].write_bytes(traced_graph(paths["src"])[0])
    return paths


def session(path: Path, threads: int) -> Callable[[Sample], np.ndarray]:
    """A graph in ONNX Runtime, fed the batches."""
    loaded = ort.InferenceSession(
        str(path), session_options(threads), providers=["CPUExecutionProvider"]
    )
    names = [item.name for item in loaded.get_inputs()]

    def run(sample: Sample) -> np.ndarray:
        feeds = ({n: getattr(batch, n) for n in names} for batch in sample.batches)
        return np.concatenate([loaded.run(None, feed)[0] for feed in feeds])

    return run


def eager(source: Path) -> Callable[[Sample], np.ndarray]:
    """The transformers model, fed the same batches."""
    import torch
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(
        source, attn_implementation="eager", dtype=torch.float32
    ).eval()

    def run(sample: Sample) -> np.ndarray:
        out = []
        with torch.inference_mode():
            for batch in sample.batches:
                ids, mask = (torch.from_numpy(x) for x in (batch.input_ids, batch.attention_mask))
                out.append(model(input_ids=ids, attention_mask=mask).logits.numpy())
        return np.concatenate(out)

    return run


def cross_encoder(source: Path, folder: Path) -> Callable[[Sample], np.ndarray] | None:
    """sentence_transformers as its users call it: texts, batches of 32; None where it is absent."""
    model = common.cross_encoder(source, folder, "cpu")
    if model is None:
        return None
    return lambda sample: np.asarray(
        model.predict(sample.texts, batch_size=32, show_progress_bar=False)
    )


def operators(path: Path, sample: Sample) -> list[list[str]]:
    """Kernel time by operator, one thread."""
    with tempfile.TemporaryDirectory() as folder:
        options = session_options(1)
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "profile")
        loaded = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        names = [item.name for item in loaded.get_inputs()]
        for batch in sample.batches[:: max(len(sample.batches) // 3, 1)]:
            loaded.run(None, {n: getattr(batch, n) for n in names})
        found = common.operator_times(loaded.end_profiling())[:14]
    return [[name, f"{us / 1000:.0f} ms", f"{share:.1%}"] for name, us, share in found]
