"""The verdict on one claim: probabilities, evidence, and the label that follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nli_faith.datamodels import Label, Thresholds


def json_number(value: float) -> float | None:
    """A value for JSON: six decimals, None for NaN."""
    return None if math.isnan(value) else round(value, 6)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A stretch of a context that speaks for or against a claim.

    Attributes:
        context: 0-based index of the context.
        start: Offset of the first code point in that context.
        end: Offset behind the last one.
        text: What stands there.
        probs: (entailment, neutral, contradiction) of the pair that decided; of the joined
            premise when ``spans`` is set.
        spans: ``(context, start, end)`` of every segment of a joined premise, else empty.
    """

    context: int
    start: int
    end: int
    text: str
    probs: tuple[float, float, float]
    spans: tuple[tuple[int, int, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; ``spans`` only where there are any."""
        out: dict[str, Any] = {
            "context": self.context,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "probs": [json_number(p) for p in self.probs],
        }
        if self.spans:
            out["spans"] = [list(s) for s in self.spans]
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Evidence:
        """Inverse of `to_dict`."""
        e, n, c = (math.nan if p is None else float(p) for p in data["probs"])
        spans = tuple((int(a), int(b), int(z)) for a, b, z in data.get("spans", ()))
        return cls(data["context"], data["start"], data["end"], data["text"], (e, n, c), spans)


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """One claim with its verdict.

    Attributes:
        text: The claim.
        start: Offset in the answer.
        end: Offset behind the claim.
        label: The verdict under the thresholds in force.
        nli_support: Highest P(entailment) over the premises scored, in [0, 1].
        contradiction: Highest P(contradiction) over the related premises, in [0, 1]; NaN
            (null in JSON) for a model without that class.
        overlap: Share of the claim's n-grams that its best window holds, in [0, 1].
        support: ``combined``, or less where a rule caps it.
        combined: The model's combiner over all signals, in [0, 1]; ``nli_support`` where there
            is none.
        signals: What each signal adds to the log-odds of ``combined``; empty without a
            combiner.
        capped: A rule forbids support: a quantity that no related window states, or a hedge told
            as a certainty.
        conflict: Supported, but contradicted as surely or more so.
        flags: Why a verdict was touched: ``quantity_mismatch:500元!=800元`` and the like.
        evidence: What the verdict rests on.
        counter_evidence: The strongest stretch for the other side, if it is another one.
        model: The second model of a cascade, where it judged the claim; else empty.
        thresholds: Its thresholds, by which the claim was judged; else None.
    """

    text: str
    start: int
    end: int
    label: Label
    nli_support: float
    contradiction: float
    overlap: float
    support: float
    combined: float = math.nan
    signals: Mapping[str, float] = field(default_factory=dict)
    capped: bool = False
    conflict: bool = False
    flags: tuple[str, ...] = ()
    evidence: Evidence | None = None
    counter_evidence: Evidence | None = None
    model: str = ""
    thresholds: Thresholds | None = None

    def __post_init__(self) -> None:
        if math.isnan(self.combined):
            object.__setattr__(self, "combined", self.nli_support)

    def rethreshold(self, thresholds: Thresholds) -> ClaimResult:
        """The same probabilities judged by other thresholds."""
        verdict = judge(self.combined, self.contradiction, self.capped, thresholds)
        supporting, opposing = self._by_side()
        first, second = supporting, opposing
        if verdict.label is Label.CONTRADICTED:
            first, second = opposing or supporting, supporting
        return replace(
            self,
            label=verdict.label,
            support=verdict.support,
            conflict=verdict.conflict,
            evidence=first,
            counter_evidence=None if second is first else second,
            thresholds=self.thresholds and thresholds,
        )

    def _by_side(self) -> tuple[Evidence | None, Evidence | None]:
        if self.label is Label.CONTRADICTED:
            return self.counter_evidence or self.evidence, self.evidence
        return self.evidence, self.counter_evidence

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of a claim; ``model`` and ``thresholds`` only in a cascade."""
        out: dict[str, Any] = {
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "label": self.label.value,
            "support": round(self.support, 6),
            "contradiction": json_number(self.contradiction),
            "nli_support": round(self.nli_support, 6),
            "combined": round(self.combined, 6),
            "overlap": round(self.overlap, 6),
            "evidence": self.evidence.to_dict() if self.evidence else None,
            "counter_evidence": self.counter_evidence.to_dict() if self.counter_evidence else None,
            "flags": list(self.flags),
            "capped": self.capped,
            "conflict": self.conflict,
            "signals": {k: round(v, 4) for k, v in self.signals.items()},
        }
        if self.model:
            out["model"] = self.model
        if self.thresholds is not None:
            out["thresholds"] = self.thresholds.to_dict()
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClaimResult:
        """Inverse of `to_dict`."""
        evidence, counter = data.get("evidence"), data.get("counter_evidence")
        return cls(
            text=data["text"],
            start=data["start"],
            end=data["end"],
            label=Label(data["label"]),
            nli_support=data["nli_support"],
            contradiction=math.nan if data["contradiction"] is None else data["contradiction"],
            overlap=data["overlap"],
            support=data["support"],
            combined=data.get("combined", data["nli_support"]),
            signals=dict(data.get("signals", {})),
            capped=data["capped"],
            conflict=data["conflict"],
            flags=tuple(data["flags"]),
            evidence=Evidence.from_dict(evidence) if evidence else None,
            counter_evidence=Evidence.from_dict(counter) if counter else None,
            model=data.get("model", ""),
            thresholds=Thresholds(**data["thresholds"]) if data.get("thresholds") else None,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `judge` says of one claim."""

    label: Label
    support: float
    conflict: bool


def judge(combined: float, contradiction: float, capped: bool, thresholds: Thresholds) -> Verdict:
    """Turn a claim's probabilities into a verdict.

    Contradiction is checked before it is forgiven: a claim that some window supports stays
    supported, since more context may never turn a supported claim into a hallucination, but
    ``conflict`` says that another window speaks against it, and no less surely.

    Args:
        combined: Probability of support before the quantity check, in [0, 1].
        contradiction: Highest P(contradiction) over related premises, in [0, 1].
        capped: Whether the quantity check forbids support.
        thresholds: The thresholds in force.

    Returns:
        Label, support after the cap (half the threshold at most), and conflict.
    """
    support = min(combined, thresholds.support / 2) if capped else combined
    supported = support >= thresholds.support
    contradicted = contradiction >= thresholds.contradiction
    if supported:
        return Verdict(Label.SUPPORTED, support, contradicted and contradiction >= support)
    label = Label.CONTRADICTED if contradicted else Label.UNSUPPORTED
    return Verdict(label, support, False)
