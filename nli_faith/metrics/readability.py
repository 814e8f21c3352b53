"""Is the answer easy to read, and does it come to the point? From sentence lengths alone.

Lengths are in characters as a Chinese reader counts them: an ideograph is 1, a number 1, a Latin
word 1.5 (a text has about one and a half times as many ideographs as its English translation has
words); punctuation and white space are nothing. Headings, table rows and code are no sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from nli_faith.datamodels import Block, Record, Segment, SegmentKind
from nli_faith.metrics.base import MetricValue, nothing
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.support import absent, char_pairs
from nli_faith.text import extract, fold

#: A sentence of up to this many characters has full marks; a convention of ours.
EASY_CHARS: Final = 40
#: A sentence of this many characters or more has none; a convention of ours.
HARD_CHARS: Final = 100
#: (mean sentence length below which the band holds, its name); see `published_band`.
BANDS: Final = ((10.0, "simple"), (100 / 6, "primary"), (float("inf"), "intermediate_or_difficult"))
#: A sentence that repeats this share of its character pairs from earlier ones adds nothing; a
#: convention of ours.
REPEATED_SHARE: Final = 0.8
#: An answer may be so many times as long as the reference, and in any case one easy sentence
#: long, at no cost; a convention of ours.
ROOM: Final = 2.0
LATIN_WORD: Final = 1.5

_UNIT: Final = re.compile(
    r"(?P<number>\d+(?:[.,:/-]\d+)*%?)|(?P<word>[A-Za-zÀ-ɏ]+(?:['’-][A-Za-zÀ-ɏ]+)*)|(?P<char>[^\W\d_])"
)
_NO_SENTENCE = frozenset({Block.HEADING, Block.TABLE_ROW, Block.CODE})


class Readability:
    """Mean over sentences of ``clamp((100 - length) / (100 - 40), 0, 1)``.

    Sentences of up to 40 characters are 1, of 100 and more 0, linear between; range [0, 1],
    higher is better. The two limits are a convention of ours, set where ordinary Chinese prose
    begins to be called long. The one published scale found for Chinese is given beside it in
    ``details``: sentences per 100 words, read here as characters (``ans``), more than 10 simple, 6
    to 10 primary, under 6 intermediate or difficult. It is not used for the value, because
    almost everything written for adults stands in its last band. Source: the criteria for the
    average number of sentences (ANS) as tabled in BMJ Open by a study of printed education
    materials for patients with lupus.

    Nothing here judges words or order. NaN without an answer, or where it has no sentence.
    """

    name: ClassVar[str] = "readability"
    required: ClassVar[tuple[str, ...]] = ("answer",)
    higher_is_better: ClassVar[bool] = True

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record; no model is asked.

        Args:
            record: Needs ``answer``.
            engine: Not used.
        """
        lacking = absent(record, self.required)
        if lacking is not None:
            return lacking
        sentences = _sentences(record)
        lengths = [n for n in (length(s.text) for s in sentences) if n]
        if not lengths:
            return nothing("the answer has no sentence")
        scores = [_ease(n) for n in lengths]
        mean = sum(lengths) / len(lengths)
        details: dict[str, Any] = {
            "sentences": len(lengths),
            "mean_length": round(mean, 2),
            "longest": max(lengths),
            "ans": round(100 / mean, 2),
            "published_band": published_band(mean),
            "long_sentences": [s.text for s in sentences if length(s.text) > EASY_CHARS],
        }
        return MetricValue(sum(scores) / len(scores), details=details)


class Conciseness:
    """How much of the answer's length asserts something, once.

    ``(claims - repetition) / all``, in characters of sentences, times ``min(1, max(40, 2 *
    reference) / all)`` where there is a reference. ``all`` is the length of the whole answer with
    headings and tables but without code; greetings, lead-ins, questions and offers of help are no
    claims; a claim of whose character pairs at least 80% stand in one earlier claim is repetition.
    Range [0, 1], higher is better. All limits are conventions of ours; there is no published scale.
    An answer that only declines has no value (status ``nothing_to_measure``).
    """

    name: ClassVar[str] = "conciseness"
    required: ClassVar[tuple[str, ...]] = ("answer",)
    higher_is_better: ClassVar[bool] = True

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record; no model is asked.

        Args:
            record: Needs ``answer``; ``question`` and ``reference`` help.
            engine: Not used.
        """
        lacking = absent(record, self.required)
        if lacking is not None:
            return lacking
        parts = [
            s
            for s in extract(record.answer, question=record.question)
            if s.kind is not SegmentKind.CODE and s.block is not Block.CODE
        ]
        claims = [s for s in parts if s.kind is SegmentKind.CLAIM]
        total = sum(length(s.text) for s in parts)
        if not claims or not total:
            return nothing("the answer asserts nothing")
        repeated = _repeated(claims)
        told = sum(length(s.text) for s in claims)
        again = sum(length(s.text) for s in repeated)
        fit, reference = 1.0, length(record.reference or "")
        if reference:
            fit = min(1.0, max(EASY_CHARS, ROOM * reference) / total)
        details: dict[str, Any] = {
            "length": total,
            "claims": told,
            "repetition": again,
            "reference": reference or None,
            "length_factor": round(fit, 6),
            "filler": [s.text for s in parts if s.kind is not SegmentKind.CLAIM],
            "repeated": [s.text for s in repeated],
        }
        return MetricValue((told - again) / total * fit, details=details)


def length(text: str) -> float:
    """Length of a text in characters as a Chinese reader counts them.

    Args:
        text: Any text. An ideograph or other letter is 1, a number 1, a Latin word 1.5.
    """
    return sum(
        LATIN_WORD if found.lastgroup == "word" else 1.0 for found in _UNIT.finditer(fold(text))
    )


def published_band(mean_length: float) -> str:
    """Band of a mean sentence length: ``simple``, ``primary``, ``intermediate_or_difficult``.

    More than 10 sentences per 100 characters, 6 to 10, and fewer; source see `Readability`.

    Args:
        mean_length: In characters, above 0.
    """
    return next(
        name
        for limit, name in BANDS
        if mean_length < limit or (name == "primary" and mean_length == limit)
    )


def _sentences(record: Record) -> list[Segment]:
    return [
        s
        for s in extract(record.answer, question=record.question)
        if s.block not in _NO_SENTENCE and s.kind not in (SegmentKind.CODE, SegmentKind.HEADING)
    ]


def _ease(chars: float) -> float:
    return min(1.0, max(0.0, (HARD_CHARS - chars) / (HARD_CHARS - EASY_CHARS)))


def _repeated(claims: Sequence[Segment]) -> list[Segment]:
    """The claims that say again what one claim before them says."""
    earlier: list[frozenset[str]] = []
    repeated: list[Segment] = []
    for claim in claims:
        pairs = char_pairs(claim.text)
        if pairs and any(len(pairs & other) >= REPEATED_SHARE * len(pairs) for other in earlier):
            repeated.append(claim)
        else:
            earlier.append(pairs)
    return repeated
