"""Which contexts back a claim: read off the verdict, or asked of the scorer.

A verdict names one piece of evidence, but another context may say the same. So without a scorer
a marker that names another context can be neither confirmed nor refused; with one the answer is
scored against the cited contexts alone, by the scorer itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from nli_faith.datamodels import Label, Record, Status
from nli_faith.errors import BackendError
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer
from nli_faith.verdicts import ClaimResult

Contexts = frozenset[int]


class Support(Protocol):
    """Says whether some of the contexts back a claim."""

    def backs(self, claim: ClaimResult, contexts: Contexts) -> bool | None:
        """True, False, or None where it cannot be known.

        Args:
            claim: A claim of the result.
            contexts: 0-based indices of contexts.
        """
        ...

    def prepare(self, wanted: Iterable[Contexts]) -> None:
        """Gets ready for questions about these sets, all in one go.

        Args:
            wanted: Sets of context indices.
        """
        ...


class EvidenceSupport:
    """Support as far as the verdict tells: the context that its evidence stands in."""

    def backs(self, claim: ClaimResult, contexts: Contexts) -> bool | None:
        """See `Support.backs`; None for a supported claim and other contexts than its evidence's.

        Args:
            claim: See `Support.backs`.
            contexts: See `Support.backs`.
        """
        if claim.label is not Label.SUPPORTED or not contexts:
            return False
        return True if claim.evidence and claim.evidence.context in contexts else None

    def prepare(self, wanted: Iterable[Contexts]) -> None:
        """Nothing to do."""


class ScoredSupport:
    """Support by scoring the answer against the contexts in question alone.

    Each set of contexts costs one scoring of the answer; the sets wanted together are scored
    together. The verdicts are the scorer's, under the thresholds of the result at hand.
    """

    def __init__(
        self, record: Record, result: FaithfulnessResult, scorer: FaithfulnessScorer
    ) -> None:
        """Sets up; scores nothing yet.

        Args:
            record: The record that was scored.
            result: Its verdict.
            scorer: The scorer that made it.
        """
        self._record, self._result, self._scorer = record, result, scorer
        everything = frozenset(range(len(record.contexts)))
        self._known: dict[Contexts, set[tuple[int, int, str]]] = {everything: _supported(result)}

    def backs(self, claim: ClaimResult, contexts: Contexts) -> bool | None:
        """See `Support.backs`; never None.

        Args:
            claim: See `Support.backs`.
            contexts: See `Support.backs`.
        """
        # What all contexts together do not back, none of them does: the verdict stands.
        if claim.label is not Label.SUPPORTED or not contexts:
            return False
        self.prepare([contexts])
        return _key(claim) in self._known[contexts]

    def prepare(self, wanted: Iterable[Contexts]) -> None:
        """See `Support.prepare`.

        Args:
            wanted: See `Support.prepare`.

        Raises:
            BackendError: Scoring failed.
        """
        new = [s for s in dict.fromkeys(wanted) if s and s not in self._known]
        record = self._record
        records = [
            Record(str(n), record.answer, tuple(record.contexts[i] for i in sorted(some)),
                   record.question)
            for n, some in enumerate(new)
        ]  # fmt: skip
        for some, result in zip(new, self._scorer.score_records(records), strict=True):
            self._known[some] = _supported(self._same_thresholds(result))

    def _same_thresholds(self, result: FaithfulnessResult) -> FaithfulnessResult:
        wanted = self._result.thresholds
        if wanted is None or wanted == result.thresholds:
            return result
        return result.rethreshold(support=wanted.support, contradiction=wanted.contradiction)


def backing(claim: ClaimResult, support: Support) -> tuple[int, ...]:
    """The contexts to cite for a supported claim: as few as carry it.

    The context of its evidence if that alone backs the claim, else another one that was read
    together with it, else those of them that it needs.

    Args:
        claim: A supported claim.
        support: What says so.

    Returns:
        0-based indices, ascending; empty without evidence.
    """
    together = read_together(claim)
    if not together or isinstance(support, EvidenceSupport):
        return together[:1]
    support.prepare([frozenset({context}) for context in together])
    for context in together:
        if support.backs(claim, frozenset({context})):
            return (context,)
    if not support.backs(claim, frozenset(together)):
        return together[:1]
    needed = list(together)
    for context in reversed(together):
        fewer = [c for c in needed if c != context]
        if support.backs(claim, frozenset(fewer)):
            needed = fewer
    return tuple(sorted(needed))


def read_together(claim: ClaimResult) -> tuple[int, ...]:
    """The contexts that a claim's evidence comes from, the one that decided first.

    Args:
        claim: A claim.

    Returns:
        0-based indices; empty without evidence.
    """
    if claim.evidence is None:
        return ()
    spans = (context for context, _, _ in claim.evidence.spans)
    return tuple(dict.fromkeys((claim.evidence.context, *spans)))


def _supported(result: FaithfulnessResult) -> set[tuple[int, int, str]]:
    if result.status is Status.ERROR:
        raise BackendError(f"the answer could not be scored: {result.error}")
    if result.status is not Status.SCORED:
        return set()
    return {_key(c) for c in result.claims if c.label is Label.SUPPORTED}


def _key(claim: ClaimResult) -> tuple[int, int, str]:
    return claim.start, claim.end, claim.text
