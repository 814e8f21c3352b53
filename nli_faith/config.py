"""Options of a run. Those that can change a verdict go into the config hash."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Literal, get_args

from nli_faith.combiner import Combiner
from nli_faith.datamodels import Granularity, Newline, Thresholds
from nli_faith.errors import ConfigError
from nli_faith.results import check_aggregation

Mode = Literal["full", "fast"]
MODES: tuple[Mode, ...] = get_args(Mode)
GRANULARITIES: tuple[Granularity, ...] = get_args(Granularity)
NEWLINES: tuple[Newline, ...] = get_args(Newline)
# Raised whenever the same options and model would give another verdict than before, so that
# `--resume` refuses to mix the two.
PIPELINE_REVISION = 3
# Change speed and memory, never a verdict.
_RESOURCE_FIELDS = frozenset({"batch_tokens", "chunk_chars", "chunk_records"})


@dataclass(frozen=True, slots=True)
class ScorerConfig:
    """How records are cut, paired, scored and judged.

    Attributes:
        mode: ``full`` scores windows and the joined premise; ``fast`` the joined premise
            alone, one pair a claim.
        granularity: ``sentence`` or ``clause``.
        top_k: Windows kept for each claim by the prefilter, at least 1.
        early_exit: Whether the windows of a claim that its joined premise settles are left out
            (`nli_faith.early_exit`). ``contradiction`` of such a claim is a lower bound and its
            ``support`` another, or an estimate where it is low; about one label in a hundred
            changes. Off for exact values.
        prefilter: Off means every window is scored.
        combine: Whether the model's combiner, if it has one, weighs entailment with overlap.
        quantities: Whether numbers, dates and units are checked by rule.
        wording: Whether hedges, plans, scope words and the like are compared by rule. What is
            found is flagged and, by a combiner that knows of it, weighed.
        aggregation: ``mean``, ``min`` or ``length``.
        support_threshold: Overrides the model's calibrated threshold, in (0, 1].
        contradiction_threshold: The same for contradiction.
        max_window: Segments in the largest window, 1 to 3.
        window_tokens: A window of several segments has at most this many tokens.
        joined_chars: Length of the joined premise in characters, about.
        max_chars: Longest segment in characters; longer ones are cut at punctuation.
        newline: How the splitter reads a single line break.
        batch_tokens: Padded tokens in one model call. Never changes a score.
        chunk_records: Records scored together, at most; a crash loses no more than these.
            Never changes a score.
        chunk_chars: The same in characters of answers and contexts.
    """

    mode: Mode = "full"
    granularity: Granularity = "sentence"
    top_k: int = 3
    early_exit: bool = True
    prefilter: bool = True
    combine: bool = True
    quantities: bool = True
    wording: bool = True
    aggregation: str = "mean"
    support_threshold: float | None = None
    contradiction_threshold: float | None = None
    max_window: int = 3
    window_tokens: int = 256
    joined_chars: int = 220
    max_chars: int = 400
    newline: Newline = "auto"
    batch_tokens: int = 2048
    chunk_records: int = 128
    chunk_chars: int = 400_000

    def __post_init__(self) -> None:
        _one_of("mode", self.mode, MODES)
        _one_of("granularity", self.granularity, GRANULARITIES)
        _one_of("newline", self.newline, NEWLINES)
        check_aggregation(self.aggregation)
        for name in ("early_exit", "prefilter", "combine", "quantities", "wording"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name} must be True or False, not {getattr(self, name)!r}")
        for name, low, high in (
            ("top_k", 1, 1000),
            ("max_window", 1, 3),
            ("window_tokens", 32, 4096),
            ("joined_chars", 20, 4000),
            ("max_chars", 20, 4000),
            ("batch_tokens", 64, 1_000_000),
            ("chunk_chars", 1, 1_000_000_000),
            ("chunk_records", 1, 100_000),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ConfigError(f"{name} must be an integer in [{low}, {high}], not {value!r}")
        # Thresholds checks the range.
        Thresholds(
            1.0 if self.support_threshold is None else self.support_threshold,
            1.0 if self.contradiction_threshold is None else self.contradiction_threshold,
        )

    def thresholds(self, default: Thresholds) -> Thresholds:
        """The model's thresholds with this run's overrides."""
        return default.override(self.support_threshold, self.contradiction_threshold)

    def hash(
        self, thresholds: Thresholds, combiner: Combiner | None = None, variant: str = ""
    ) -> str:
        """16 hex digits over everything that can change a verdict.

        Args:
            thresholds: The thresholds in force.
            combiner: The combiner in force.
            variant: The backend's; plain runs, which have none, keep their hash.
        """
        names = [f.name for f in fields(self) if f.name not in _RESOURCE_FIELDS]
        payload = {name: getattr(self, name) for name in names}
        payload |= {
            "thresholds": [thresholds.support, thresholds.contradiction],
            "combiner": combiner.to_dict() if combiner else None,
            "revision": PIPELINE_REVISION,
        }
        if variant:
            payload["variant"] = variant
        text = json.dumps(payload, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
