"""The data that flows through the pipeline: plain, frozen, typed.

Offsets are 0-based Unicode code points into the text they came from; ``end`` is exclusive.
Probabilities are floats in [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from nli_faith.errors import ConfigError, RecordError

#: How the splitter reads a single line break.
Newline = Literal["auto", "hard", "soft"]
#: What counts as one claim.
Granularity = Literal["sentence", "clause"]


class _StrEnum(str, Enum):
    """A string enum that prints as its value (``enum.StrEnum`` needs Python 3.11)."""

    def __str__(self) -> str:
        return str(self.value)


class Block(_StrEnum):
    """What a segment is, by layout."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"


class SegmentKind(_StrEnum):
    """What a segment does in an answer. Only ``CLAIM`` is scored."""

    CLAIM = "claim"
    QUESTION = "question"
    GREETING = "greeting"  # greetings, thanks, sign-offs, offers of further help
    HEADING = "heading"
    LEAD_IN = "lead_in"  # 根据材料， / 主要包括：
    REFUSAL = "refusal"  # 材料未提供… / 无法确定
    CODE = "code"


class Label(_StrEnum):
    """Verdict on a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"  # neither supported nor contradicted


class Status(_StrEnum):
    """Whether a record has a score, and if not, why."""

    SCORED = "scored"
    NO_CLAIMS = "no_claims"
    NO_CONTEXT = "no_context"
    EMPTY_ANSWER = "empty_answer"
    REFUSAL = "refusal"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Record:
    """One RAG turn.

    Attributes:
        id: Identifier, unique within a run where the user made it so.
        answer: The generated answer.
        contexts: Retrieved chunks in rank order; blanks are dropped before they get here.
        question: The user's question, if known.
        reference: A reference answer, if known.
        variants: Rephrased questions with their answers and contexts, as given.
        relevant_ids: Ids of the relevant chunks, as given.
        meta: Everything else the row carried.
        dropped_contexts: How many ``None``, blank or non-string chunks were dropped.
        source: ``file:line`` or another origin, for messages.
    """

    id: str
    answer: str
    contexts: tuple[str, ...] = ()
    question: str | None = None
    reference: str | None = None
    variants: tuple[Mapping[str, Any], ...] = ()
    relevant_ids: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    dropped_contexts: int = 0
    source: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.answer, str):
            raise RecordError(f"must be a string, not {self.answer!r:.60}", field="answer")
        # A bare string is one context, never a sequence of characters.
        contexts = (self.contexts,) if isinstance(self.contexts, str) else tuple(self.contexts)
        for context in contexts:
            if not isinstance(context, str):
                raise RecordError(f"must hold strings, not {context!r:.60}", field="contexts")
        object.__setattr__(self, "contexts", contexts)


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence-like span of a text.

    Attributes:
        text: What is read. Equal to ``original[start:end]``, except for a table row (its
            readable form ``表头：单元格；…``) and for joined lines.
        start: Offset of the first code point in the original.
        end: Offset behind the last code point in the original.
        block: Layout role.
        kind: Role in an answer; the splitter sets what layout alone tells, ``text.claims``
            the rest.
        heading: The heading the segment stands under, if any.
    """

    text: str
    start: int
    end: int
    block: Block = Block.PARAGRAPH
    kind: SegmentKind = SegmentKind.CLAIM
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Decision thresholds on probabilities, each in (0, 1].

    They come from the model's manifest (calibrated on a named set) or from the user.

    Attributes:
        support: A claim is supported from this P(entailment) on.
        contradiction: A claim that is not supported is contradicted from this
            P(contradiction) on.
        calibrated_on: The labelled set they were chosen on; None where the user set them.
    """

    support: float
    contradiction: float
    calibrated_on: str | None = None

    def __post_init__(self) -> None:
        for name in ("support", "contradiction"):
            value = getattr(self, name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not 0.0 < value <= 1.0:
                raise ConfigError(f"threshold {name!r} must be in (0, 1], not {value!r}")

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "support": self.support,
            "contradiction": self.contradiction,
            "calibrated_on": self.calibrated_on,
        }

    def override(self, support: float | None, contradiction: float | None) -> Thresholds:
        """These thresholds with some set by the user; unchanged for None, None."""
        if support is None and contradiction is None:
            return self
        return Thresholds(
            self.support if support is None else support,
            self.contradiction if contradiction is None else contradiction,
        )
