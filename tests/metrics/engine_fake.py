"""An engine whose verdicts are written down: what a text entails is said sentence by sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Label, Record, Segment, Status, Thresholds
from nli_faith.preparation import Preparer
from nli_faith.results import FaithfulnessResult
from nli_faith.verdicts import ClaimResult, Evidence

Verdict = tuple[float, float] | tuple[float, float, bool]


class TableEngine:
    """P(entailment), P(contradiction) by (claim, part of the material); nothing else is entailed.

    The material's parts are its sentences, found by substring. A third item in a verdict is
    whether the quantity check capped it. Thresholds are 0.5.
    """

    def __init__(self, table: Mapping[tuple[str, str], Verdict] | None = None) -> None:
        self.table = dict(table or {})
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self._preparer = Preparer(ScorerConfig())

    def check(self, text: str, material: Sequence[str]) -> FaithfulnessResult:
        self.asked.append((text, tuple(material)))
        prepared = self._preparer.split(Record(id="0", answer=text, contexts=tuple(material)))
        if prepared.status is not Status.SCORED:
            return FaithfulnessResult("0", prepared.status)
        claims = tuple(self._judge(c, material) for c in prepared.claims)
        return FaithfulnessResult("0", Status.SCORED, claims, thresholds=Thresholds(0.5, 0.5))

    def _judge(self, claim: Segment, material: Sequence[str]) -> ClaimResult:
        best: tuple[float, float, bool, Evidence | None] = (0.0, 0.0, False, None)
        against = 0.0
        for (text, part), verdict in self.table.items():
            for i, context in enumerate(material):
                at = context.find(part)
                if text != claim.text or at < 0:
                    continue
                support, contradiction, capped = (*verdict, False)[:3]
                against = max(against, contradiction)
                if best[3] is None or support > best[0]:
                    probs = (support, math.nan, contradiction)
                    evidence = Evidence(i, at, at + len(part), part, probs)
                    best = (support, contradiction, bool(capped), evidence)
        support, _, capped, evidence = best
        shown = min(support, 0.25) if capped else support
        label = (
            Label.SUPPORTED if shown >= 0.5
            else Label.CONTRADICTED if against >= 0.5 else Label.UNSUPPORTED
        )  # fmt: skip
        return ClaimResult(
            claim.text, claim.start, claim.end, label, support, against, 0.0, shown, support,
            capped=capped, evidence=evidence,
        )  # fmt: skip

    def claims(self, text: str) -> list[Segment]:
        return self._preparer.split(Record(id="0", answer=text)).claims

    def is_refusal(self, text: str) -> bool:
        return self._preparer.split(Record(id="0", answer=text)).status is Status.REFUSAL
