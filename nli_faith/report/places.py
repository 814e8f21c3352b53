"""Offsets for a browser, and whether a record is the one that a result was made from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from nli_faith.datamodels import Record
from nli_faith.redaction import redact_value
from nli_faith.results import FaithfulnessResult

_MATCH = 0.8
_MASK = "*"


class Units:
    """Turns code point offsets of a text into UTF-16 ones, which are those of JavaScript.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._size = len(text)
        wide = [i for i, ch in enumerate(text) if ch > "\uffff"] if not text.isascii() else []
        self._wide = wide

    def __call__(self, offset: int) -> int:
        """The offset in UTF-16 units; one beyond the text becomes its end."""
        offset = max(0, min(offset, self._size))
        if not self._wide:
            return offset
        return offset + bisect_left(self._wide, offset)


def fits(result: FaithfulnessResult, record: Record) -> bool:
    """Whether the offsets of a result are offsets into this record's texts.

    Each claim must hold the letters and digits that stand at its place in the answer (it may hold
    more: a table row carries its header, a clause its subject), and so must each evidence.

    Args:
        result: The result.
        record: The record with its id.
    """
    for text, source, start, end in _pieces(result, record):
        if source is None or not 0 <= start <= end <= len(source):
            return False
        there = [ch for ch in source[start:end] if ch.isalnum()]
        # One that is masked is the same text still: masks keep the length.
        known = set(text)
        if _MASK in known and len(text) == end - start:
            continue
        if there and sum(ch in known for ch in there) < _MATCH * len(there):
            return False
    return True


def is_masked(result: FaithfulnessResult, record: Record) -> bool:
    """Whether the result was redacted and the record was not: a mask stands for a letter or digit.

    Args:
        result: The result.
        record: The record it was made from.
    """
    for text, source, start, end in _pieces(result, record):
        if source is None or _MASK not in text:
            continue
        there = source[start:end]
        if there.count(_MASK) < text.count(_MASK):
            return True
    return False


def mask_record(record: Record) -> Record:
    """A record with what is private masked, offsets kept; only what a page shows is kept.

    Args:
        record: The record.
    """
    return Record(
        id=record.id,
        answer=redact_value(record.answer),
        contexts=tuple(redact_value(c) for c in record.contexts),
        question=redact_value(record.question),
        reference=redact_value(record.reference),
    )


def _pieces(
    result: FaithfulnessResult, record: Record
) -> Iterator[tuple[str, str | None, int, int]]:
    """Text, where it is said to come from, and its offsets there."""
    for judged in result.claims:
        yield judged.text, record.answer, judged.start, judged.end
    for segment in result.non_claims:
        yield segment.text, record.answer, segment.start, segment.end
    for claim in result.claims:
        for evidence in (claim.evidence, claim.counter_evidence):
            if evidence is None:
                continue
            inside = 0 <= evidence.context < len(record.contexts)
            source = record.contexts[evidence.context] if inside else None
            yield evidence.text, source, evidence.start, evidence.end
