"""What a guard does, and what it hands back."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any

from nli_faith.datamodels import Label, Status
from nli_faith.errors import ConfigError
from nli_faith.results import FaithfulnessResult
from nli_faith.verdicts import ClaimResult

_HAN = re.compile(r"[\u4e00-\u9fff]")
_TEXTS = {
    "refuse": ("根据现有材料，暂时无法给出有依据的回答。",
               "The available material does not support an answer to this."),
    "human": ("这个问题需要人工核实，我们会尽快答复您。",
              "This needs to be checked by a person; we will get back to you."),
}  # fmt: skip


class Action(str, Enum):
    """What became of an answer."""

    PASS = "pass"  # unchanged
    STRIP = "strip"  # some sentences were taken out
    REFUSE = "refuse"  # a refusal is given instead
    HUMAN = "human"  # a person has to answer

    def __str__(self) -> str:
        return self.value


UNSCORED: Mapping[Status, Action] = MappingProxyType(
    {
        Status.REFUSAL: Action.PASS,
        Status.NO_CLAIMS: Action.PASS,
        Status.NO_CONTEXT: Action.REFUSE,
        Status.EMPTY_ANSWER: Action.REFUSE,
        Status.ERROR: Action.HUMAN,
    }
)
"""What is done with an answer that has no score: nothing asserted passes; nothing to check it by,
or an error, never does."""


@dataclass(frozen=True, slots=True)
class GuardPolicy:
    """When sentences are taken out, and when the answer is not given at all.

    Attributes:
        remove: Labels of claims that may not stand; never ``supported``.
        max_removed: Up to this share of the claims, in [0, 1], is taken out; beyond it
            ``beyond`` happens. 0: any unsupported claim is beyond. When no claim is left,
            ``beyond`` happens whatever this says.
        max_contradicted: More contradicted claims than this are beyond too; None for no limit.
        beyond: ``refuse`` or ``human``.
        unscored: What is done by status where there is no score.
        refuse_text: Given instead of a refused answer; by default a sentence in the answer's
            language.
        human_text: The same where a person has to answer.
    """

    remove: Collection[Label] = frozenset({Label.CONTRADICTED, Label.UNSUPPORTED})
    max_removed: float = 0.5
    max_contradicted: int | None = None
    beyond: Action = Action.REFUSE
    unscored: Mapping[Status, Action] = field(default_factory=lambda: UNSCORED)
    refuse_text: str | None = None
    human_text: str | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "remove", frozenset(Label(label) for label in self.remove))
            object.__setattr__(self, "beyond", Action(self.beyond))
        except ValueError as error:
            raise ConfigError(f"guard policy: {error}") from error
        if Label.SUPPORTED in self.remove:
            raise ConfigError("guard policy: supported claims are not removed")
        share = self.max_removed
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise ConfigError(f"max_removed must be in [0, 1], not {share!r}")
        if self.max_contradicted is not None and self.max_contradicted < 0:
            raise ConfigError(f"max_contradicted must be 0 or more, not {self.max_contradicted!r}")
        if self.beyond not in (Action.REFUSE, Action.HUMAN):
            raise ConfigError(f"beyond must be refuse or human, not {self.beyond.value!r}")
        object.__setattr__(self, "unscored", {**UNSCORED, **self.unscored})

    def decide(self, claims: int, removed: Collection[ClaimResult]) -> Action:
        """What is done with a scored answer.

        Args:
            claims: Claims in it.
            removed: Those that may not stand.
        """
        if not removed:
            return Action.PASS
        contradicted = sum(c.label is Label.CONTRADICTED for c in removed)
        over = self.max_contradicted is not None and contradicted > self.max_contradicted
        if over or len(removed) >= claims or len(removed) > self.max_removed * claims:
            return self.beyond
        return Action.STRIP

    def replacement(self, action: Action, answer: str) -> str:
        """The text given instead of an answer.

        Args:
            action: ``refuse`` or ``human``.
            answer: The answer, for its language.
        """
        own = self.refuse_text if action is Action.REFUSE else self.human_text
        if own is not None:
            return own
        chinese = _HAN.search(answer) is not None or not answer.strip()
        return _TEXTS[action.value][0 if chinese else 1]


@dataclass(frozen=True, slots=True)
class Guarded:
    """What a guard hands back.

    Attributes:
        text: What may be shown.
        removed: The claims that may not stand, with their verdicts and evidence; also where
            the whole answer is withheld because of them.
        action: What was done.
        result: The verdict on the whole answer.
        reason: Why, in one sentence; empty for ``pass``.
        orphans: Headings and lead-ins that went because nothing under them was left.
    """

    text: str
    removed: tuple[ClaimResult, ...]
    action: Action
    result: FaithfulnessResult
    reason: str = ""
    orphans: tuple[str, ...] = ()

    @property
    def removed_share(self) -> float:
        """Removed claims / claims, in [0, 1]; NaN without claims."""
        total = len(self.result.claims)
        return len(self.removed) / total if total else math.nan

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "id": self.result.id,
            "action": self.action.value,
            "text": self.text,
            "reason": self.reason,
            "removed": [c.to_dict() for c in self.removed],
            "orphans": list(self.orphans),
            "result": self.result.to_dict(),
        }
