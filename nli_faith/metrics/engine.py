"""What metrics ask of the scorer: claims of a text, verdicts against material, entailment."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Protocol

from nli_faith.datamodels import Record, Segment, Status
from nli_faith.preparation import Preparer
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer


class EntailmentEngine(Protocol):
    """The scorer as metrics see it; tests inject a fake."""

    def check(self, text: str, material: Sequence[str]) -> FaithfulnessResult:
        """Verdict on every claim of ``text`` against ``material``.

        Args:
            text: An answer, a reference, or a single statement.
            material: Texts that may support it.
        """
        ...

    def claims(self, text: str) -> list[Segment]:
        """The claims of a text (questions, headings, courtesies and refusals left out)."""
        ...

    def is_refusal(self, text: str) -> bool:
        """Whether a text only declines to answer."""
        ...


class ScorerEngine:
    """An `EntailmentEngine` on a `FaithfulnessScorer`.

    Metrics of one record ask for the same verdicts (faithfulness, correctness and coverage all
    check the answer), so the latest verdicts are kept. Thread-safe.
    """

    def __init__(self, scorer: FaithfulnessScorer, *, keep: int = 256) -> None:
        """Wrap a scorer.

        Args:
            scorer: Any scorer.
            keep: How many of the latest verdicts are kept.
        """
        self.scorer = scorer
        self._preparer = Preparer(scorer.config)
        self._keep = keep
        self._kept: OrderedDict[tuple[str, tuple[str, ...]], FaithfulnessResult] = OrderedDict()
        self._lock = Lock()

    def check(self, text: str, material: Sequence[str]) -> FaithfulnessResult:
        """See `EntailmentEngine.check`."""
        key = (text, tuple(material))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        result = self.scorer.score(Record(id="0", answer=text, contexts=key[1]))
        with self._lock:
            self._kept[key] = result
            while len(self._kept) > self._keep:
                self._kept.popitem(last=False)
        return result

    def claims(self, text: str) -> list[Segment]:
        """See `EntailmentEngine.claims`."""
        return self._preparer.split(Record(id="0", answer=text)).claims

    def is_refusal(self, text: str) -> bool:
        """See `EntailmentEngine.is_refusal`."""
        return self._preparer.split(Record(id="0", answer=text)).status is Status.REFUSAL
