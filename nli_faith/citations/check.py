"""Checks the citation markers that an answer carries: right, wrong, missing.

A marker belongs to the claim that it stands in or right behind. It is right when the context it
names backs that claim alone, or when all contexts cited for the claim back it together and would
not without this one. Shares are those of citation precision and recall as usually defined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from nli_faith.citations.findings import (
    CheckedMarker,
    CitationCheck,
    MarkerVerdict,
    MissingMarker,
)
from nli_faith.citations.markers import Marker, begins_line, closes_after, find_markers, within
from nli_faith.citations.support import (
    EvidenceSupport,
    Support,
    backing,
    read_together,
)
from nli_faith.datamodels import Label, Record, Status
from nli_faith.errors import ConfigError, RecordError
from nli_faith.results import FaithfulnessResult
from nli_faith.text.chars import HAS_ALNUM
from nli_faith.verdicts import ClaimResult

Scope = Literal["sentence", "paragraph"]
SCOPES = ("sentence", "paragraph")


def check_citations(
    result: FaithfulnessResult,
    record: Record,
    *,
    support: Support | None = None,
    numbers: Sequence[int] | None = None,
    scope: Scope = "sentence",
) -> CitationCheck:
    """Check the markers of an answer against its verdict.

    Args:
        result: The verdict on the record.
        record: The record: its answer, and its contexts as they were scored.
        support: Says which contexts back a claim. By default the verdict's evidence, which
            leaves markers of other contexts ``unconfirmed``; `ScoredSupport` settles them.
        numbers: The number of each context in the answer's markers; 1, 2, 3, … by default.
        scope: ``sentence``, or ``paragraph``: a claim without markers shares those of the next
            claim on its line.

    Raises:
        RecordError: The answer is not the one that was scored.
        ConfigError: ``numbers`` or ``scope`` cannot be.
    """
    names = context_numbers(record, numbers)
    if scope not in SCOPES:
        raise ConfigError(f"scope must be one of {', '.join(SCOPES)}, not {scope!r}")
    check_answer(result, record.answer)
    if result.status is not Status.SCORED:
        return CitationCheck((), (), 0, 0)
    found = find_markers(record.answer)
    open_claims = citable(result, record.answer, found)
    cited = attach(result, record.answer, found, open_claims, scope)
    by_number = {number: i for i, number in enumerate(names)}
    judge = _Judge(result, support or EvidenceSupport(), by_number, names)
    judge.prepare(cited)
    verdicts = {claim: judge.markers(claim, cited[claim]) for claim in open_claims}
    backed = sum(judge.backed(claim, cited[claim]) for claim in open_claims)
    missing = judge.missing(verdicts)
    markers = [m for some in verdicts.values() for m in some]
    markers.sort(key=lambda m: (m.marker.start, m.claim))
    used = {m.start for some in cited.values() for m in some}
    stray = tuple(m for m in found if m.start not in used and not begins_line(record.answer, m))
    return CitationCheck(tuple(markers), missing, len(open_claims), backed, stray)


class _Judge:
    """Turns what is cited into verdicts."""

    def __init__(self, result: FaithfulnessResult, support: Support,
                 by_number: dict[int, int], names: Sequence[int]) -> None:  # fmt: skip
        self._claims, self._support = result.claims, support
        self._by_number, self._names = by_number, names

    def _contexts(self, markers: Sequence[Marker]) -> frozenset[int]:
        named = (self._by_number.get(n) for m in markers for n in m.numbers)
        return frozenset(c for c in named if c is not None)

    def prepare(self, cited: dict[int, list[Marker]]) -> None:
        """All cited sets and single contexts are asked for at once."""
        sets = [
            self._contexts(markers)
            for claim, markers in cited.items()
            if self._claims[claim].label is Label.SUPPORTED
        ]
        self._support.prepare([*sets, *(frozenset({c}) for some in sets for c in some)])

    def markers(self, claim: int, markers: Sequence[Marker]) -> list[CheckedMarker]:
        """The verdict on every number."""
        everything = self._contexts(markers)
        out = []
        for marker in markers:
            for number in marker.numbers:
                context = self._by_number.get(number)
                verdict = self._verdict(claim, context, everything)
                out.append(CheckedMarker(marker, number, context, claim, verdict))
        return out

    def _verdict(
        self, claim: int, context: int | None, everything: frozenset[int]
    ) -> MarkerVerdict:
        if context is None:
            return MarkerVerdict.UNKNOWN
        stands = self._support.backs(self._claims[claim], frozenset({context}))
        if stands is None:
            return MarkerVerdict.UNCONFIRMED
        if (
            not stands
            and len(everything) > 1
            and self._support.backs(self._claims[claim], everything)
        ):
            stands = self._support.backs(self._claims[claim], everything - {context}) is False
        return MarkerVerdict.RIGHT if stands else MarkerVerdict.WRONG

    def backed(self, claim: int, markers: Sequence[Marker]) -> bool:
        """Whether all that is cited for a claim backs it."""
        return self._support.backs(self._claims[claim], self._contexts(markers)) is True

    def missing(self, verdicts: Mapping[int, Sequence[CheckedMarker]]) -> tuple[MissingMarker, ...]:
        """What should be cited and is not."""
        good = (MarkerVerdict.RIGHT, MarkerVerdict.UNCONFIRMED)
        lacking = [
            (i, self._claims[i])
            for i, found in verdicts.items()
            if self._claims[i].label is Label.SUPPORTED
            and not any(v.verdict in good for v in found)
        ]
        self._support.prepare(
            frozenset({context}) for _, claim in lacking for context in read_together(claim)
        )
        out = []
        for i, claim in lacking:
            contexts = backing(claim, self._support)
            if contexts:
                numbers = tuple(self._names[c] for c in contexts)
                out.append(MissingMarker(i, contexts, numbers))
        return tuple(out)


def context_numbers(record: Record, numbers: Sequence[int] | None) -> tuple[int, ...]:
    """The number of each context in markers.

    Args:
        record: The record.
        numbers: As given by the user; 1, 2, 3, … when None.

    Raises:
        ConfigError: There are more or fewer than contexts, or one comes twice.
    """
    count = len(record.contexts)
    names = tuple(range(1, count + 1)) if numbers is None else tuple(numbers)
    if len(names) != count or len(set(names)) != count:
        raise ConfigError(
            f"numbers must hold a different number for each of {count} contexts, not {names!r:.80}"
        )
    return names


def check_answer(result: FaithfulnessResult, answer: str) -> None:
    """Refuse an answer that is not the one of a result.

    Args:
        result: A verdict.
        answer: The answer that it should be on.

    Raises:
        RecordError: The claims do not stand in it.
    """
    for claim in result.claims:
        there = {c for c in answer[claim.start : claim.end] if c.isalnum()}
        # A readable form of a table row or of a clause holds more than what stands there.
        if claim.end > len(answer) or not there or len(there - set(claim.text)) * 2 > len(there):
            raise RecordError(
                f"is not the one scored: claim {claim.text!r:.60} does not stand at "
                f"[{claim.start}:{claim.end}]", field="answer",
            )  # fmt: skip


def citable(result: FaithfulnessResult, answer: str, markers: Sequence[Marker]) -> list[int]:
    """Indices of the claims that can carry markers: not the entries of a list of sources.

    Args:
        result: A verdict.
        answer: Its answer.
        markers: The answer's markers.
    """
    labels = [m for m in markers if begins_line(answer, m)]
    return [i for i, c in enumerate(result.claims) if not _is_entry(c, answer, labels)]


def _is_entry(claim: ClaimResult, answer: str, labels: Sequence[Marker]) -> bool:
    """Whether a claim stands on a line that a marker is the label of."""
    if not labels:
        return False
    line = answer.rfind("\n", 0, claim.start + 1) + 1
    if within(labels, line, claim.start + 1):
        return True
    return any(
        HAS_ALNUM.search(answer, claim.start, m.start) is None
        for m in within(labels, claim.start, claim.end)
    )


def attach(result: FaithfulnessResult, answer: str, markers: Sequence[Marker],
           claims: Sequence[int], scope: Scope) -> dict[int, list[Marker]]:  # fmt: skip
    """The markers of each claim.

    Args:
        result: A verdict.
        answer: Its answer.
        markers: The answer's markers.
        claims: Claims that can carry markers.
        scope: See `check_citations`.
    """
    out: dict[int, list[Marker]] = {}
    for i in claims:
        claim = result.claims[i]
        inside = list(within(markers, claim.start, claim.end))
        out[i] = inside + closes_after(answer, markers, claim.end)
    if scope == "paragraph":
        following: list[Marker] = []
        below = len(answer)
        for i in reversed(claims):
            end = result.claims[i].end
            following = out[i] or ([] if "\n" in answer[end:below] else following)
            out[i], below = following, result.claims[i].start
    return out
