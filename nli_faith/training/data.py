"""From data sets to (premise, hypothesis, label) examples, premises built as the scorer does."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Record, Segment
from nli_faith.errors import ConfigError
from nli_faith.pairing import PairPlanner, enumerate_windows
from nli_faith.prefilter import NgramPrefilter
from nli_faith.preparation import Preparer
from nli_faith.text import fold, model_text
from nli_faith.training.config import Source, TrainConfig
from nli_faith.training.evalsets import read_rows, row_hash, split_held_out

# Label of an example whose set only says that it is not supported: such a row trains
# P(entailment) alone.
NOT_ENTAILED = 3
LABELS: Mapping[str, int] = {
    "supported": 0, "entailment": 0, "not_mentioned": 1, "neutral": 1, "contradicted": 2,
    "contradiction": 2, "unsupported": NOT_ENTAILED, "not_entailment": NOT_ENTAILED,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Example:
    """One training pair.

    Attributes:
        premise: Premise text.
        hypothesis: Claim text.
        label: 0 entailment, 1 neutral, 2 contradiction, 3 not entailed.
        twin: Examples with the same non-negative number are a supported claim and its edited
            twin, and stay in one batch; -1 for none.
    """

    premise: str
    hypothesis: str
    label: int
    twin: int = -1


def load_examples(config: TrainConfig, base: Path) -> list[Example]:
    """All examples of a stage, in a fixed order.

    Args:
        config: The stage.
        base: Folder that the sources' paths are relative to.

    Raises:
        ConfigError: A source is missing or a row has an unknown label.
    """
    out: list[Example] = []
    for source in config.sources:
        rows = _chosen(read_rows(base / source.path), source)
        if source.kind == "contrastive":
            builder = PremiseBuilder(config.joined_chars)
            chance = random.Random(config.seed)
            for before, row in zip([rows[-1], *rows], rows, strict=False):
                out.extend(_contrastive(row, builder, source, chance, len(out)))
                out.extend(_foreign(row, before, builder, source, chance))
        else:
            out.extend(_plain(row) for row in rows)
    return out


def _chosen(rows: list[dict[str, Any]], source: Source) -> list[dict[str, Any]]:
    if source.question is not None:
        rows = [r for r in rows if re.search(source.question, r["question"])]
    if source.max_chars is not None:
        rows = [r for r in rows if len(_premise(r)) <= source.max_chars]
    if source.held_out:
        rows, _ = split_held_out(rows, source.held_out)
    if not source.skip and (source.limit is None or len(rows) <= source.limit):
        return rows
    stop = None if source.limit is None else source.skip + source.limit
    return sorted(rows, key=row_hash)[source.skip : stop]


def _plain(row: Mapping[str, Any]) -> Example:
    hypothesis = row.get("hypothesis") or row["answer"]
    return Example(model_text(_premise(row)), model_text(hypothesis), _label(row["label"]))


def _premise(row: Mapping[str, Any]) -> str:
    return row.get("premise") or "\n".join(row["contexts"])


def _label(name: str) -> int:
    if name not in LABELS:
        raise ConfigError(f"unknown label {name!r}; known are {', '.join(LABELS)}")
    return LABELS[name]


class PremiseBuilder:
    """Builds premises through the scorer's own stages."""

    def __init__(self, joined_chars: int) -> None:
        """Set the length.

        Args:
            joined_chars: Length of the joined premise in characters.
        """
        self._joined_chars = joined_chars
        self._preparer = Preparer(ScorerConfig(joined_chars=joined_chars))

    def planner(self, contexts: Sequence[str]) -> tuple[PairPlanner, list[Any]]:
        """A planner over the contexts' segments, and the segments."""
        record = Record(id="", answer="这是一条用来占位的论断。", contexts=tuple(contexts))
        segments = self._preparer.split(record).segments
        windows = enumerate_windows(
            segments, [len(s.model_text) for s in segments], max_window=3, window_tokens=300
        )
        planner = PairPlanner(
            segments, windows, prefilter=NgramPrefilter(1), mode="full",
            joined_chars=self._joined_chars,
        )  # fmt: skip
        return planner, segments


def _contrastive(
    row: Mapping[str, Any],
    builder: PremiseBuilder,
    source: Source,
    chance: random.Random,
    first_twin: int,
) -> Iterator[Example]:
    planner, segments = builder.planner(row["contexts"])

    def example(text: str, label: str, joined: bool, twin: int = -1) -> Example:
        claim = Segment(text, 0, len(text))
        hypothesis = model_text(text)
        plan = planner.plan(claim, model_text=hypothesis, folded=fold(text))
        premise = plan.premises[-1] if joined else plan.premises[0]
        return Example(" ".join(premise.texts(segments)), hypothesis, _label(label), twin)

    for i, pair in enumerate(row["pairs"]):
        # Twins get the same kind of premise, so that its kind tells nothing.
        joined = chance.random() < source.joined_share
        yield example(pair["supported"], "supported", joined, first_twin + i)
        yield example(pair["edited"], pair["label"], joined, first_twin + i)
    for extra in row["extra"]:
        joined = chance.random() < source.joined_share
        yield example(extra["text"], extra["label"], joined)


def _foreign(
    row: Mapping[str, Any],
    other: Mapping[str, Any],
    builder: PremiseBuilder,
    source: Source,
    chance: random.Random,
) -> Iterator[Example]:
    """Supported claims against another document."""
    texts = [p["supported"] for p in row["pairs"] if chance.random() < source.foreign_share]
    if not texts:
        return
    planner, segments = builder.planner(other["contexts"])
    for text in texts:
        claim = Segment(text, 0, len(text))
        plan = planner.plan(claim, model_text=model_text(text), folded=fold(text))
        premise = plan.premises[-1]
        yield Example(" ".join(premise.texts(segments)), model_text(text), _label("neutral"))


def make_batches(
    examples: Sequence[Example], lengths: Sequence[int], *, batch_size: int, seed: int
) -> list[list[int]]:
    """Batches of like lengths with twins together, shuffled by a seed.

    Args:
        examples: All examples.
        lengths: Tokens of each.
        batch_size: Examples in a batch; one more where a twin would be parted.
        seed: Decides the order.
    """
    rng = np.random.default_rng(seed)
    groups: dict[int, list[int]] = {}
    for i, example in enumerate(examples):
        groups.setdefault(example.twin if example.twin >= 0 else -1 - i, []).append(i)
    units = list(groups.values())
    # Noise keeps the same neighbours from meeting in every epoch.
    noise = rng.uniform(0.9, 1.1, len(units))
    order = np.argsort([max(lengths[i] for i in u) * n for u, n in zip(units, noise, strict=True)])
    batches: list[list[int]] = [[]]
    for k in order:
        if len(batches[-1]) >= batch_size:
            batches.append([])
        batches[-1].extend(units[k])
    return [batches[i] for i in rng.permutation(len(batches)) if batches[i]]
