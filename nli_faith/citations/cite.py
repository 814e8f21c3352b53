"""Puts markers of the backing contexts behind the supported claims of an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nli_faith.citations.check import Scope, check_citations, context_numbers
from nli_faith.citations.findings import CheckedMarker, CitationCheck, MarkerVerdict
from nli_faith.citations.markers import Marker, find_markers, within
from nli_faith.citations.placement import (
    POSITIONS,
    Position,
    goes_after_stop,
    insertion_point,
    needs_space,
)
from nli_faith.citations.styles import Source, Style, StyleName, default_name, style_named
from nli_faith.citations.support import EvidenceSupport, ScoredSupport
from nli_faith.datamodels import Record, Status
from nli_faith.errors import ConfigError
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer
from nli_faith.text.chars import HAS_HAN

Existing = Literal["fix", "keep"]
EXISTING = ("fix", "keep")
_GOOD = (MarkerVerdict.RIGHT, MarkerVerdict.UNCONFIRMED)


@dataclass(frozen=True, slots=True)
class Placed:
    """A marker that was written.

    Attributes:
        start: Offset in the cited text.
        end: Offset behind it.
        text: The marker.
        claims: 0-based indices of the claims it stands for.
        contexts: 0-based indices of the contexts it names.
        added: False where it stands in place of a marker that the answer had.
    """

    start: int
    end: int
    text: str
    claims: tuple[int, ...]
    contexts: tuple[int, ...]
    added: bool

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "start": self.start, "end": self.end, "text": self.text, "added": self.added,
            "claims": list(self.claims), "contexts": list(self.contexts),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer with its markers.

    Attributes:
        text: The answer with markers, and a list of sources where the style has one.
        placed: The markers written, in order.
        removed: Markers of the answer that were taken out: wrong or of no context.
        check: What the answer's own markers were worth.
    """

    text: str
    placed: tuple[Placed, ...]
    removed: tuple[Marker, ...]
    check: CitationCheck

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "text": self.text,
            "placed": [p.to_dict() for p in self.placed],
            "removed": [{"text": m.text, "start": m.start, "end": m.end} for m in self.removed],
            "check": self.check.to_dict(),
        }


@dataclass(slots=True)
class _Edit:
    """A stretch of the answer and what stands there afterwards."""

    start: int
    end: int
    claims: list[int]
    contexts: list[int]
    space: bool = False


def cite(
    result: FaithfulnessResult,
    record: Record,
    style: StyleName = "[n]",
    *,
    scorer: FaithfulnessScorer | None = None,
    existing: Existing = "fix",
    position: Position = "auto",
    scope: Scope = "sentence",
    numbers: Sequence[int] | None = None,
    names: Sequence[str] | None = None,
    prefix: str = "nf",
) -> Cited:
    """Write citation markers into an answer, and check those that it has.

    Claims that the material does not back get none. The answer's text stays as it is, apart from
    markers and the space before one that goes.

    Args:
        result: The verdict on the record.
        record: The record: its answer, and its contexts as they were scored.
        style: ``[n]``, ``【n】``, ``footnote`` (Markdown, with a list of sources) or ``html`` (a
            fragment, everything escaped, with links to a list of sources).
        scorer: The scorer that made the result; it is asked which contexts back a claim on
            their own, at the cost of some more scoring. Without it the context of the evidence
            is cited, and the answer's markers of other contexts stay, unconfirmed.
        existing: What becomes of the answer's own markers: ``fix`` takes wrong ones out, writes
            right ones in the style at hand, and adds what is missing; ``keep`` only adds.
        position: ``auto``: before the stop in Chinese, and in English where markers are not
            raised; ``before``; ``after``.
        scope: See `check_citations`.
        numbers: The number of each context; 1, 2, 3, … by default.
        names: What each context is called in a list of sources.
        prefix: For ids and classes in HTML.

    Raises:
        RecordError: The answer is not the one that was scored.
        ConfigError: An option has a value that cannot be.
        BackendError: Scoring again failed.
    """
    look = style_named(style, prefix)
    used = context_numbers(record, numbers)
    if existing not in EXISTING:
        raise ConfigError(f"existing must be one of {', '.join(EXISTING)}, not {existing!r}")
    if position not in POSITIONS:
        raise ConfigError(f"position must be one of {', '.join(POSITIONS)}, not {position!r}")
    if names is not None and len(names) != len(record.contexts):
        raise ConfigError(f"names must be {len(record.contexts)}, one a context, not {len(names)}")
    scored = result.status is Status.SCORED
    support = ScoredSupport(record, result, scorer) if scorer and scored else EvidenceSupport()
    check = check_citations(result, record, support=support, numbers=numbers, scope=scope)
    edits, removed = _fixes(check, record.answer) if existing == "fix" else ([], [])
    edits += _additions(check, result, record.answer, look, position, removed)
    edits = _merged(edits)
    text, placed = _apply(record.answer, edits, look, used)
    sources = _sources(edits, result, record, used, names, look)
    notes = look.sources(sources)
    if notes and look.name == "footnote":  # behind one blank line
        notes = "\n" * (2 - min(2, len(text) - len(text.rstrip("\n")))) + notes
    return Cited(text + notes, placed, tuple(removed), check)


def _fixes(check: CitationCheck, answer: str) -> tuple[list[_Edit], list[Marker]]:
    """Edits of the markers that the answer has, and the markers that go."""
    groups: dict[int, list[CheckedMarker]] = defaultdict(list)
    for item in check.markers:
        groups[item.marker.start].append(item)
    edits, removed = [], []
    for items in groups.values():
        marker = items[0].marker
        good = [i for i in items if i.verdict in _GOOD and i.context is not None]
        start = marker.start
        if not good:
            removed.append(marker)
            start = _with_space(answer, marker)
        contexts = list(dict.fromkeys(i.context for i in good if i.context is not None))
        claims = list(dict.fromkeys(i.claim for i in good))
        edits.append(_Edit(start, marker.end, claims, contexts))
    return edits, removed


def _with_space(answer: str, marker: Marker) -> int:
    """Where the space before a marker that goes begins, if it goes too."""
    behind = answer[marker.end : marker.end + 1]
    if behind.isalnum() or behind in ("(", "（"):
        return marker.start
    return len(answer[: marker.start].rstrip(" "))


def _additions(check: CitationCheck, result: FaithfulnessResult, answer: str, look: Style,
               position: Position, removed: Sequence[Marker]) -> list[_Edit]:  # fmt: skip
    """Edits that add missing markers."""
    markers = find_markers(answer)
    kept = {m.end for m in markers} - {m.end for m in removed}
    edits = []
    for lacking in check.missing:
        claim = result.claims[lacking.claim]
        span = answer[claim.start : claim.end]
        behind = goes_after_stop(span, position, raised=look.raised)
        at = insertion_point(
            answer, claim.start, claim.end, within(markers, claim.start, claim.end),
            after_stop=behind,
        )  # fmt: skip
        chinese = HAS_HAN.search(span) is not None
        space = at not in kept and needs_space(answer, at, chinese=chinese, raised=look.raised)
        edits.append(_Edit(at, at, [lacking.claim], list(lacking.contexts), space))
    return edits


def _merged(edits: list[_Edit]) -> list[_Edit]:
    """In order; additions at one place become one marker."""
    out: list[_Edit] = []
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        last = out[-1] if out else None
        added = edit.start == edit.end
        if added and last is not None and last.start == last.end == edit.start:
            last.claims = list(dict.fromkeys(last.claims + edit.claims))
            last.contexts = sorted({*last.contexts, *edit.contexts})
            continue
        out.append(edit)
    return out


def _apply(answer: str, edits: Sequence[_Edit], look: Style,
           numbers: Sequence[int]) -> tuple[str, tuple[Placed, ...]]:  # fmt: skip
    parts: list[str] = []
    placed: list[Placed] = []
    done = length = 0

    def put(part: str) -> int:
        nonlocal length
        parts.append(part)
        length += len(part)
        return length

    for edit in edits:
        # A marker may go together with the space before it, where another one was added.
        put(look.text(answer[done : max(done, edit.start)]))
        if edit.contexts:
            start = put(" " if edit.space else "")
            mark = look.mark([numbers[c] for c in edit.contexts])
            # A bracket right behind would make a Markdown link of it.
            link = not look.raised and answer[edit.end : edit.end + 1] == "("
            end = put(mark)
            put(" " if link else "")
            placed.append(
                Placed(start, end, mark, tuple(edit.claims), tuple(edit.contexts),
                       edit.start == edit.end)
            )  # fmt: skip
        done = max(done, edit.end)
    put(look.text(answer[done:]))
    return "".join(parts), tuple(placed)


def _sources(edits: Sequence[_Edit], result: FaithfulnessResult, record: Record,
             numbers: Sequence[int], names: Sequence[str] | None,
             look: Style) -> list[Source]:  # fmt: skip
    """The contexts cited, by number, each with the first evidence that stands in it."""
    quotes: dict[int, str] = {}
    for edit in edits:
        for context in edit.contexts:
            quotes.setdefault(context, "")
            for i in edit.claims:
                evidence = result.claims[i].evidence
                if evidence is not None and evidence.context == context and not quotes[context]:
                    quotes[context] = evidence.text
    chinese = HAS_HAN.search(record.answer) is not None
    out = []
    for context in sorted(quotes, key=lambda c: numbers[c]):
        number = numbers[context]
        if look.name == "footnote" and f"\n[^{number}]:" in f"\n{record.answer}":
            continue  # the answer has this note already
        name = names[context] if names else default_name(number, chinese=chinese)
        out.append(Source(number, name, quotes[context]))
    return out
