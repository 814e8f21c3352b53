"""The training loop: bf16 on a CPU or one GPU, checkpoints, resumable to the same result."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import AutoModelForSequenceClassification

from nli_faith.backends.tokenization import load_tokenizer
from nli_faith.errors import ConfigError
from nli_faith.training.config import TrainConfig
from nli_faith.training.data import NOT_ENTAILED, Example, make_batches

_TINY = 1e-6


class Tokens:
    """Examples as token ids with the model's own pair template, premises cut to fit."""

    def __init__(self, directory: Path, max_length: int) -> None:
        """Load the tokenizer.

        Args:
            directory: Where tokenizer.json is.
            max_length: Tokens of a pair.
        """
        self._tokenizer = load_tokenizer(directory / "tokenizer.json")
        self._tokenizer.enable_truncation(max_length, strategy="only_first")
        self.pad_id = json.loads((directory / "config.json").read_text())["pad_token_id"]

    def encode(self, examples: Sequence[Example]) -> list[list[int]]:
        """Token ids of each example."""
        pairs = [(e.premise, e.hypothesis) for e in examples]
        return [e.ids for e in self._tokenizer.encode_batch(pairs)]

    def batch(self, rows: Sequence[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Padded ids and attention mask."""
        width = max(map(len, rows))
        ids = torch.full((len(rows), width), self.pad_id)
        mask = torch.zeros((len(rows), width), dtype=torch.long)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = torch.tensor(row)
            mask[i, : len(row)] = 1
        return ids, mask


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
        self.init = base / config.init
        out.mkdir(parents=True, exist_ok=True)
        self.tokens = Tokens(self.init, config.max_length)
        self.model = AutoModelForSequenceClassification.from_pretrained(
            self.init, dtype=torch.float32, num_labels=3
        ).to(device)
        self.optimizer = torch.optim.AdamW(
            _decay_groups(self.model, config.weight_decay), lr=config.learning_rate
        )

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
                examples, [len(r) for r in rows], batch_size=self.config.batch_size,
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
            if (step + 1) % 20 == 0:
                rate = (step + 1 - done) / (time.monotonic() - started)
                log(f"step {step + 1}/{len(steps)} loss {np.mean(losses[-20:]):.4f} "
                    f"{rate * self.config.batch_size:.1f} pairs/s")  # fmt: skip
            if time.monotonic() - saved > self.config.checkpoint_minutes * 60:
                self._save(step + 1, schedule)
                saved = time.monotonic()
        return self._finish()

    def _step(self, examples: Sequence[Example], rows: Sequence[list[int]]) -> float:
        ids, mask = (t.to(self.device) for t in self.tokens.batch(rows))
        with torch.autocast(self.device, dtype=torch.bfloat16):
            logits = self.model(input_ids=ids, attention_mask=mask).logits
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

    @property
    def _checkpoint(self) -> Path:
        return self.out / "checkpoint.pt"

    def _save(self, step: int, schedule: Any) -> None:
        state = {
            "digest": self.config.digest, "step": step, "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(), "schedule": schedule.state_dict(),
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
        return int(state["step"])

    def _finish(self) -> Path:
        final = self.out / "final"
        self.model.save_pretrained(final)
        (final / "tokenizer.json").write_bytes((self.init / "tokenizer.json").read_bytes())
        self._checkpoint.unlink(missing_ok=True)
        return final


def _decay_groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    """Weight decay on matrices only, as is usual for biases and layer norms."""
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    others = [p for p in model.parameters() if p.ndim < 2]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


def _slope(config: TrainConfig, steps: int) -> Callable[[int], float]:
    warm = max(1, int(config.warmup * steps))

    def factor(step: int) -> float:
        if step < warm:
            return (step + 1) / warm
        return max(0.0, (steps - step) / max(1, steps - warm))

    return factor
