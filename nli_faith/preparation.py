"""A record made ready for scoring: claims, context segments and premises."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Block, Record, Segment, SegmentKind, Status
from nli_faith.pairing import ClaimPlan, ContextSegment, PairPlanner, enumerate_windows
from nli_faith.prefilter import NgramPrefilter, NoPrefilter, Prefilter
from nli_faith.quantities import Quantity, QuantityContext, parse_quantities
from nli_faith.text import SentenceSplitter, classify, fold, model_text

CountTokens = Callable[[str], int]


@dataclass(slots=True)
class Prepared:
    """A record on its way through the pipeline.

    Attributes:
        record: The record.
        status: ``SCORED`` when there is something to score.
        claims: What the answer asserts.
        non_claims: What it says besides.
        segments: The contexts' segments, in order.
        plans: Premises for each claim, filled in by `Preparer.plan`.
        possible: Pairs without the prefilter.
    """

    record: Record
    status: Status
    claims: list[Segment] = field(default_factory=list)
    non_claims: list[Segment] = field(default_factory=list)
    segments: list[ContextSegment] = field(default_factory=list)
    plans: list[ClaimPlan] = field(default_factory=list)
    possible: int = 0
    _quantities: tuple[list[list[Quantity]], QuantityContext] | None = None

    def texts(self) -> list[str]:
        """Every text that the model will read a part of."""
        out = [model_text(c.text) for c in self.claims]
        for segment in self.segments:
            out.append(segment.model_text)
            if segment.heading:
                out.append(segment.heading)
        return out

    def quantities(self) -> tuple[list[list[Quantity]], QuantityContext]:
        """Quantities of each context segment, and the index of all; parsed on first use."""
        if self._quantities is None:
            # With names: a number inside one ("MoE 60.1") may support a claim's number, but
            # cannot contradict it.
            found = [parse_quantities(s.segment.text, names=True) for s in self.segments]
            self._quantities = found, QuantityContext(found)
        return self._quantities


class Preparer:
    """Splits records and chooses premises, under one configuration. Thread-safe."""

    def __init__(self, config: ScorerConfig) -> None:
        """Set up the stages.

        Args:
            config: The run's options.
        """
        self._config = config
        self._answers = SentenceSplitter(
            max_chars=config.max_chars, newline=config.newline, granularity=config.granularity
        )
        self._contexts = SentenceSplitter(max_chars=config.max_chars, newline=config.newline)
        self._prefilter: Prefilter = (
            NgramPrefilter(config.top_k) if config.prefilter else NoPrefilter()
        )

    def split(self, record: Record) -> Prepared:
        """Cut a record into claims and context segments, and find its status."""
        if not record.answer.strip():
            return Prepared(record, Status.EMPTY_ANSWER)
        parts = classify(self._answers.split(record.answer), question=record.question)
        claims = [s for s in parts if s.kind is SegmentKind.CLAIM]
        prepared = Prepared(
            record,
            Status.SCORED,
            claims=claims,
            non_claims=[s for s in parts if s.kind is not SegmentKind.CLAIM],
        )
        if not claims:
            refused = any(s.kind is SegmentKind.REFUSAL for s in parts)
            prepared.status = Status.REFUSAL if refused else Status.NO_CLAIMS
            return prepared
        prepared.segments = self._context_segments(record.contexts)
        if not prepared.segments:
            prepared.status = Status.NO_CONTEXT
        return prepared

    def _context_segments(self, contexts: Sequence[str]) -> list[ContextSegment]:
        out: list[ContextSegment] = []
        for i, context in enumerate(contexts):
            for segment in self._contexts.split(context):
                heading = segment.heading if segment.block is not Block.HEADING else None
                out.append(
                    ContextSegment(
                        context=i,
                        segment=segment,
                        model_text=model_text(segment.text),
                        folded=fold(segment.text),
                        heading=_heading_text(heading) if heading else "",
                    )
                )
        return out

    def plan(self, prepared: Prepared, count_tokens: CountTokens) -> None:
        """Choose the premises of every claim.

        Args:
            prepared: A record with status ``SCORED`` or ``NO_CONTEXT``.
            count_tokens: Tokens of a text that `Prepared.texts` named.
        """
        segments = prepared.segments
        windows = enumerate_windows(
            segments,
            [count_tokens(s.model_text) for s in segments],
            max_window=self._config.max_window,
            window_tokens=self._config.window_tokens,
        )
        planner = PairPlanner(
            segments,
            windows,
            prefilter=self._prefilter,
            mode=self._config.mode,
            joined_chars=self._config.joined_chars,
        )
        prepared.plans = [
            planner.plan(claim, model_text=model_text(claim.text), folded=fold(claim.text))
            for claim in prepared.claims
        ]
        prepared.possible = planner.possible * len(prepared.plans)


@functools.lru_cache(maxsize=1024)
def _heading_text(heading: str) -> str:
    # Every segment of a section asks for the same heading.
    return model_text(heading)
