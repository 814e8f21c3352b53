"""One JSON file names data, starting weights and steps of a training stage."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from nli_faith.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Source:
    """A data set of a stage.

    Attributes:
        path: JSONL file, relative to the config file.
        kind: ``contrastive`` (documents with claims), ``nli`` (premise, hypothesis, three
            labels) or ``binary`` (contexts or premise, hypothesis or answer, supported or not).
        limit: Rows taken, those with the smallest hashes; all when None.
        skip: Rows left out before `limit` counts, those with the smallest hashes: what an
            earlier stage took.
        held_out: Rows left out for evaluation, those with the largest hashes.
        joined_share: For ``contrastive``: share of claims held against the joined premise, the
            others against the best window.
        foreign_share: For ``contrastive``: share of supported claims that are also held against
            another document, which neither supports nor contradicts them.
        question: Regular expression; rows whose question does not match are left out. Chooses
            multiple-choice questions whose options are statements.
        max_chars: Rows with longer premises are left out.
    """

    path: str
    kind: str
    limit: int | None = None
    skip: int = 0
    held_out: int = 0
    joined_share: float = 0.8
    foreign_share: float = 0.0
    question: str | None = None
    max_chars: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("contrastive", "nli", "binary"):
            raise ConfigError(f"source {self.path!r}: kind {self.kind!r} is unknown")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """A training stage.

    Attributes:
        name: Names the checkpoint folder.
        init: Directory with the starting weights, relative to the config file; or
            ``stage:NAME``, the final weights of an earlier stage in the same output folder.
        sources: What is trained on.
        epochs: Passes over the sources.
        batch_size: Pairs a step.
        learning_rate: Peak; linear warm-up over ``warmup`` of the steps, then linear decay.
        warmup: Share of the steps.
        weight_decay: AdamW's.
        label_smoothing: Share of the target spread over the other labels.
        margin_weight: Weight of the twin term: softplus of how much surer the edited claim's
            entailment is than its supported twin's (0 turns it off).
        match_types: Whether the model gets token types that mark shared words
            (`nli_faith.backends.matching`). They are added to weights that lack them.
        types_rate: Learning rate of the type embedding, as a multiple; its rows start equal.
        dropout: Of hidden states; attention has none. 0 suits a single pass over new claims,
            and on a CPU drawing the masks takes a quarter of a step.
        average_last: Share of the steps, at the end, whose weights are averaged (0: none).
        max_length: Tokens of a pair; longer premises are cut here, in training only.
        joined_chars: Length of the joined premise in characters, as in the scorer.
        seed: Of everything random.
        checkpoint_minutes: Minutes between checkpoints.
    """

    name: str
    init: str
    sources: tuple[Source, ...]
    epochs: int = 1
    batch_size: int = 32
    learning_rate: float = 6e-5
    warmup: float = 0.06
    weight_decay: float = 0.01
    label_smoothing: float = 0.05
    margin_weight: float = 0.3
    match_types: bool = True
    types_rate: float = 10.0
    dropout: float = 0.0
    average_last: float = 0.0
    max_length: int = 288
    joined_chars: int = 220
    seed: int = 13
    checkpoint_minutes: float = 4.0

    @property
    def digest(self) -> str:
        """12 hex digits over the config; a checkpoint of another one is refused."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def load_config(path: Path) -> TrainConfig:
    """Read a stage's config.

    Raises:
        ConfigError: The file is unreadable, or a field is unknown, missing or wrong.
    """
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        data["sources"] = tuple(Source(**s) for s in data["sources"])
        known = {f.name for f in fields(TrainConfig)}
        unknown = set(data) - known
        if unknown:
            raise ConfigError(f"{path}: unknown fields {sorted(unknown)}")
        return TrainConfig(**data)
    except (OSError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise ConfigError(f"{path}: {error!r}") from error


def without_sources(config: TrainConfig, names: Sequence[str]) -> TrainConfig:
    """The stage without some data sets, for licences that do not suit.

    Args:
        config: The stage.
        names: File names of sources without ``.jsonl``.

    Raises:
        ConfigError: The stage has no such source, or none is left.
    """
    known = {Path(s.path).stem for s in config.sources}
    unknown = sorted(set(names) - known)
    if unknown:
        raise ConfigError(f"no source named {', '.join(unknown)}; there are {sorted(known)}")
    kept = tuple(s for s in config.sources if Path(s.path).stem not in names)
    if not kept:
        raise ConfigError("nothing is left to train on")
    return replace(config, sources=kept)
