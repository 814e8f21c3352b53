"""The training loop: bf16 on a CPU or one GPU, checkpoints, resumable to the same result."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from transformers import AutoModelForSequenceClassification

from nli_faith.backends.matching import N_TYPES, SCHEME, MatchTyper
from nli_faith.backends.tokenization import load_tokenizer
from nli_faith.errors import ConfigError
from nli_faith.training.config import TrainConfig
from nli_faith.training.data import NOT_ENTAILED, Example, make_batches

if TYPE_CHECKING:
    from tokenizers import Encoding

_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """One example as the model takes it: token ids and their types."""

    ids: list[int]
    types: list[int]


class Tokens:
    """Examples as token ids with the model's own pair template, premises cut to fit."""

    def __init__(self, directory: Path, max_length: int, *, match_types: bool) -> None:
        """Load the tokenizer.

        Args:
            directory: Where tokenizer.json is.
            max_length: Tokens of a pair.
            match_types: Whether types mark shared words; zeros if not.
        """
        self._tokenizer = load_tokenizer(directory / "tokenizer.json")
        self._tokenizer.enable_truncation(max_length, strategy="only_first")
        self.pad_id = json.loads((directory / "config.json").read_text())["pad_token_id"]
        self._typer = MatchTyper(self._tokenizer.id_to_token) if match_types else None

    def encode(self, examples: Sequence[Example]) -> list[EncodedPair]:
        """Each example as ids and types."""
        pairs = [(e.premise, e.hypothesis) for e in examples]
        return [self._typed(e) for e in self._tokenizer.encode_batch(pairs)]

    def _typed(self, encoding: Encoding) -> EncodedPair:
        ids, types = encoding.ids, [0] * len(encoding.ids)
        if self._typer is not None:
            sides = np.array([-1 if s is None else s for s in encoding.sequence_ids])
            row = np.array(ids)
            typed = np.zeros(len(ids), dtype=np.int64)
            typed[sides == 0], typed[sides == 1] = self._typer(row[sides == 0], row[sides == 1])
            types = typed.tolist()
        return EncodedPair(ids, types)

    def batch(self, rows: Sequence[EncodedPair]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Padded ids, attention mask and types."""
        width = max(len(row.ids) for row in rows)
        ids = torch.full((len(rows), width), self.pad_id)
        mask = torch.zeros((len(rows), width), dtype=torch.long)
        types = torch.zeros((len(rows), width), dtype=torch.long)
        for i, row in enumerate(rows):
            ids[i, : len(row.ids)] = torch.tensor(row.ids)
            types[i, : len(row.ids)] = torch.tensor(row.types)
            mask[i, : len(row.ids)] = 1
        return ids, mask, types


def pair_loss(
    logits: torch.Tensor, labels: torch.Tensor, twins: torch.Tensor, *,
    smoothing: float, margin_weight: float,
) -> torch.Tensor:  # fmt: skip
    """Cross-entropy, binary where a set is binary, and the twin term.

    Args:
        logits: (n, 3).
        labels: (n,) 0 to 3, see `Example.label`.
        twins: (n,) twin numbers, -1 for none.
        smoothing: Label smoothing.
        margin_weight: Weight of the twin term.
    """
    logits = logits.float()
    three = labels != NOT_ENTAILED
    log_p = torch.log_softmax(logits, dim=-1)
    loss = logits.new_zeros(())
    if three.any():
        loss = loss + three.float().mean() * nn.functional.cross_entropy(
            logits[three], labels[three], label_smoothing=smoothing
        )
    if (~three).any():
        p = log_p[~three, 0].exp()
        loss = loss - (~three).float().mean() * torch.log1p(-p * (1 - _TINY)).mean()
    # Log-odds of entailment: what the scorer's threshold looks at.
    odds = log_p[:, 0] - torch.log1p(-log_p[:, 0].exp() * (1 - _TINY))
    terms = [
        nn.functional.softplus(odds[pair[labels[pair] != 0]] - odds[pair[labels[pair] == 0]])
        for t in sorted(set(twins[twins >= 0].tolist()))
        if len(pair := (twins == t).nonzero().flatten()) == 2 and (labels[pair] == 0).sum() == 1
    ]
    if terms and margin_weight:
        loss = loss + margin_weight * torch.cat(terms).mean()
    return loss


class Trainer:
    """Runs one stage; call `run` again after an interruption to go on."""

    def __init__(self, config: TrainConfig, base: Path, out: Path, *, device: str = "cpu") -> None:
        """Set up model, optimiser and checkpoint folder.

        Args:
            config: The stage.
            base: Folder of the config file.
            out: Folder for checkpoint and final weights.
            device: ``cpu`` or ``cuda``.
        """
        torch.manual_seed(config.seed)
        self.config, self.out, self.device = config, out, device
        self.init = _init_directory(config.init, base, out)
        out.mkdir(parents=True, exist_ok=True)
        self.tokens = Tokens(self.init, config.max_length, match_types=config.match_types)
        self.model = load_model(
            self.init, match_types=config.match_types, dropout=config.dropout
        ).to(device)
        self.optimizer = torch.optim.AdamW(
            _groups(self.model, config), lr=config.learning_rate, fused=True
        )
        self._average: dict[str, torch.Tensor] = {}
        self._averaged = 0

    def run(self, examples: Sequence[Example], log: Callable[[str], None] = print) -> Path:
        """Train over all batches and write the final weights.

        Args:
            examples: The stage's examples.
            log: Takes progress lines.

        Returns:
            Folder with config.json, model.safetensors and tokenizer.json.
        """
        rows = self.tokens.encode(examples)
        steps = [
            batch
            for epoch in range(self.config.epochs)
            for batch in make_batches(
                examples, [len(r.ids) for r in rows], batch_size=self.config.batch_size,
                seed=self.config.seed + epoch,
            )
        ]  # fmt: skip
        schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, _slope(self.config, len(steps))
        )
        done = self._restore(schedule)
        log(f"{len(examples)} examples, {len(steps)} steps, starting at {done}")
        self.model.train()
        saved = started = time.monotonic()
        losses: list[float] = []
        for step in range(done, len(steps)):
            # Dropout of a step is the same whether or not the run was interrupted before it.
            torch.manual_seed(self.config.seed * 1_000_003 + step)
            losses.append(self._step([examples[i] for i in steps[step]],
                                     [rows[i] for i in steps[step]]))  # fmt: skip
            schedule.step()
            if step >= len(steps) * (1 - self.config.average_last):
                self._add_to_average()
            if (step + 1) % 20 == 0:
                rate = (step + 1 - done) / (time.monotonic() - started)
                log(f"step {step + 1}/{len(steps)} loss {np.mean(losses[-20:]):.4f} "
                    f"{rate * self.config.batch_size:.1f} pairs/s")  # fmt: skip
            if time.monotonic() - saved > self.config.checkpoint_minutes * 60:
                self._save(step + 1, schedule)
                saved = time.monotonic()
        return self._finish()

    def _step(self, examples: Sequence[Example], rows: Sequence[EncodedPair]) -> float:
        ids, mask, types = (t.to(self.device) for t in self.tokens.batch(rows))
        with torch.autocast(self.device, dtype=torch.bfloat16):
            logits = self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
        loss = pair_loss(
            logits,
            torch.tensor([e.label for e in examples], device=self.device),
            torch.tensor([e.twin for e in examples], device=self.device),
            smoothing=self.config.label_smoothing,
            margin_weight=self.config.margin_weight,
        )
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return float(loss.detach())

    def _add_to_average(self) -> None:
        self._averaged += 1
        for name, value in self.model.state_dict().items():
            mean = self._average.setdefault(name, torch.zeros_like(value))
            mean += (value - mean) / self._averaged

    @property
    def _checkpoint(self) -> Path:
        return self.out / "checkpoint.pt"

    def _save(self, step: int, schedule: Any) -> None:
        state = {
            "digest": self.config.digest, "step": step, "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(), "schedule": schedule.state_dict(),
            "average": self._average, "averaged": self._averaged,
        }  # fmt: skip
        temporary = self._checkpoint.with_suffix(".tmp")
        torch.save(state, temporary)
        os.replace(temporary, self._checkpoint)

    def _restore(self, schedule: Any) -> int:
        if not self._checkpoint.exists():
            return 0
        state = torch.load(self._checkpoint, map_location=self.device)
        if state["digest"] != self.config.digest:
            raise ConfigError(
                f"{self._checkpoint} belongs to another config ({state['digest']}, this one is "
                f"{self.config.digest}): use another output folder"
            )
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        self._average, self._averaged = state["average"], state["averaged"]
        return int(state["step"])

    def _finish(self) -> Path:
        if self._averaged:
            self.model.load_state_dict(self._average)
        final = self.out / "final"
        self.model.save_pretrained(final)
        (final / "tokenizer.json").write_bytes((self.init / "tokenizer.json").read_bytes())
        self._checkpoint.unlink(missing_ok=True)
        return final


def _init_directory(init: str, base: Path, out: Path) -> Path:
    stage = init.removeprefix("stage:")
    directory = out.parent / stage / "final" if stage != init else base / init
    if not (directory / "model.safetensors").is_file():
        raise ConfigError(f"starting weights {init!r}: {directory} has no model.safetensors")
    return directory


def load_model(directory: Path, *, match_types: bool, dropout: float) -> Any:
    """A classifier ready for training; the type embedding is widened where it is too narrow.

    Attention runs as plain products: PyTorch's fused kernel takes three times as long backwards
    on a CPU in bf16, which was 63% of a step.

    Args:
        directory: Checkpoint.
        match_types: Whether token types mark shared words.
        dropout: Of hidden states.
    """
    model = AutoModelForSequenceClassification.from_pretrained(
        directory, dtype=torch.float32, num_labels=3, attn_implementation="eager",
        hidden_dropout_prob=dropout, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    if match_types and getattr(model.config, "match_types", None) != SCHEME:
        old = model.bert.embeddings.token_type_embeddings
        # All rows as type 0, which every token had: the model starts as the one it was.
        rows = old.weight.detach()[:1].repeat(N_TYPES, 1)
        wider = nn.Embedding(N_TYPES, rows.shape[1])
        wider.weight.data.copy_(rows)
        model.bert.embeddings.token_type_embeddings = wider
        model.config.type_vocab_size = N_TYPES
        model.config.match_types = SCHEME
    return model


def _groups(model: nn.Module, config: TrainConfig) -> list[dict[str, Any]]:
    """Weight decay on matrices only, as is usual; types learn faster, as they start equal."""
    named = list(model.named_parameters())
    types = [p for n, p in named if "token_type" in n]
    matrices = [p for n, p in named if p.ndim >= 2 and "token_type" not in n]
    others = [p for _, p in named if p.ndim < 2]
    return [
        {"params": matrices, "weight_decay": config.weight_decay},
        {"params": others, "weight_decay": 0.0},
        {"params": types, "weight_decay": 0.0, "lr": config.learning_rate * config.types_rate},
    ]


def _slope(config: TrainConfig, steps: int) -> Callable[[int], float]:
    warm = max(1, int(config.warmup * steps))

    def factor(step: int) -> float:
        if step < warm:
            return (step + 1) / warm
        return max(0.0, (steps - step) / max(1, steps - warm))

    return factor
