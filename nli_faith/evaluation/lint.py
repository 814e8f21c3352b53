"""Is a golden set fit to measure with? Checks of references, and of the set as a whole.

Every check is a hint from the texts alone; none asks a model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from nli_faith.datamodels import Record, SegmentKind
from nli_faith.metrics.support import char_pairs
from nli_faith.quantities import Quantity, parse_quantities
from nli_faith.text import SentenceSplitter, extract, fold, is_refusal

#: How many records a golden set should have; the advice of the published recipe.
FEWEST: Final = 50
MOST: Final = 200
#: A kind of question seen less often than this says nothing about the kind.
FEWEST_OF_KIND: Final = 5
ERROR, WARNING, NOTE = "error", "warning", "note"

_EXCEPTION: Final = re.compile(
    "除外|另有规定|另有约定|另行规定|例外|但书|不在此限|不适用|不包括|不含|特殊情况|但是?[^，。；]{0,12}"
    "(?:除外|不受|不得|无需|可以不)"
    # 除定制商品外，… is an exception; 除此之外，还… is an addition.
    "|(?<![排消删扣去剔免解])除[^，。；]{1,20}外[，,](?![^。；]{0,20}[还也另])"
    r"|\bexcept\b|\bunless\b|\bexcluding\b|does not apply"
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_NUMERIC: Final = re.compile(
    "多少|几[个次天年月日岁元家名位项种条期倍成折]|多[大高长久远重快]|金额|价格|费用|比例|比率|[率额]是|标准是|上限|下限|限额"
    r"|\bhow (?:many|much|long|far|old|large)\b|\bwhat (?:percentage|amount|price|number)\b"
)
_PARTS: Final = re.compile(
    "分别|各是|各为|以及|对比|相比|区别|差异|哪些|[^、]{1,12}、[^、]{1,12}|和[^平谐气睦]|与[^会其]"
    r"|\band\b|\bboth\b|\bversus\b|\bvs\b|\brespectively\b|\bcompare\b"
)
_TIME: Final = re.compile(
    "何时|什么时候|哪[年月天日]|几[年月日号]|多久|期限|期间|时限|截止|截至|至今|季度|上半年|下半年|年度"
    "|近[一二三四五两几0-9]+[年月天]|[0-9一二三四五六七八九十]+[年月日](?:[到至以—-])|Q[1-4]"
    r"|\bwhen\b|\bsince\b|\bbetween\b|\bdeadline\b|\bquarter\b|\bduring\b",
    re.IGNORECASE,
)
KINDS: Final[dict[str, Callable[[str], bool]]] = {
    "numeric": lambda q: _NUMERIC.search(q) is not None,
    "multi_part": lambda q: _PARTS.search(q) is not None or len(re.findall(r"[？?]", q)) > 1,
    "time_range": lambda q: _TIME.search(q) is not None,
}
"""Kinds of questions that a golden set should cover, each with how it is told."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend.

    Attributes:
        check: ``no_reference``, ``no_question``, ``no_claims``, ``declines``,
            ``number_without_unit``, ``exception_not_stated``, ``duplicate``,
            ``conflicting_duplicate``, ``too_few``, ``many`` or ``kind_missing``.
        severity: ``error`` (cannot measure with it), ``warning`` or ``note``.
        message: What is wrong, with the text that shows it.
        id: The record; None for the set.
        source: ``file:line`` of the record, if known.
        field: The field to mend, if it is one.
    """

    check: str
    severity: str
    message: str
    id: str | None = None
    source: str | None = None
    field: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "check": self.check,
            "severity": self.severity,
            "id": self.id,
            "source": self.source,
            "field": self.field,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class LintReport:
    """What was found in a golden set.

    Attributes:
        records: Records read.
        findings: In the order of the records, those about the set last.
        kinds: Questions by kind; one may be of several.
        rejected: Rows that could not be read; filled in by the caller.
    """

    records: int
    findings: tuple[Finding, ...]
    kinds: dict[str, int] = field(default_factory=dict)
    rejected: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """Findings by check, most frequent first."""
        return dict(Counter(f.check for f in self.findings).most_common())

    @property
    def errors(self) -> int:
        """Findings that make a record useless for measuring."""
        return sum(f.severity == ERROR for f in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "records": self.records,
            "rejected": self.rejected,
            "errors": self.errors,
            "counts": self.counts,
            "kinds": dict(self.kinds),
            "findings": [f.to_dict() for f in self.findings],
        }


def lint_references(records: Iterable[Record]) -> LintReport:
    """Check a golden set.

    Per record: a reference and a question are there; the reference makes a claim (or declines:
    noted); a number in it has its unit; an exception that the best matching sentence of the
    contexts states (除外, 另有规定, …) is in it; no other record asks the same after folding and
    without punctuation (an error if the references differ). For the set: 50 to 200 records;
    numeric, multi-part and time-range questions among them.

    Args:
        records: The golden records.
    """
    findings: list[Finding] = []
    kinds: Counter[str] = Counter()
    seen: dict[str, Record] = {}
    n = 0
    for record in records:
        n += 1
        findings += _reference(record)
        findings += _question(record, seen)
        asked = fold(record.question or "")
        kinds.update(kind for kind, told in KINDS.items() if told(asked))
    counted = {kind: kinds[kind] for kind in KINDS}
    return LintReport(n, (*findings, *_whole(n, counted)), counted)


def _finding(record: Record, check: str, severity: str, message: str, field: str) -> Finding:
    return Finding(check, severity, message, record.id, record.source, field)


def _reference(record: Record) -> list[Finding]:
    text = record.reference or ""
    if not text.strip():
        return [_finding(record, "no_reference", ERROR, "there is no reference", "reference")]
    if not any(s.kind is SegmentKind.CLAIM for s in extract(text, question=record.question)):
        if is_refusal(text):
            message = "the reference declines: fine for an unanswerable question"
            return [_finding(record, "declines", NOTE, message, "reference")]
        message = f"the reference makes no claim: {text.strip()!r:.80}"
        return [_finding(record, "no_claims", ERROR, message, "reference")]
    found = [
        _finding(
            record, "number_without_unit", WARNING,
            f"{q.text!r} is a number without a unit", "reference",
        )
        for q in parse_quantities(text)
        if _bare(q)
    ]  # fmt: skip
    exception = _unstated_exception(text, record.contexts)
    if exception is not None:
        message = (
            f"the contexts state an exception that the reference leaves out: {exception!r:.120}"
        )
        found.append(_finding(record, "exception_not_stated", WARNING, message, "reference"))
    return found


def _bare(q: Quantity) -> bool:
    return q.type == "number" and not q.unit and not _YEAR.fullmatch(q.value)


def _unstated_exception(reference: str, contexts: Iterable[str]) -> str | None:
    """The sentence with an exception that follows, or is, what the reference was taken from."""
    if _EXCEPTION.search(fold(reference)):
        return None
    wanted = char_pairs(reference)
    best: tuple[float, str | None] = (0.0, None)
    splitter = SentenceSplitter()
    for context in contexts:
        sentences = [s.text for s in splitter.split(context)]
        for i, sentence in enumerate(sentences):
            share = len(wanted & char_pairs(sentence)) / len(wanted) if wanted else 0.0
            here = sentences[i : i + 2]  # 但…除外 often is the next sentence
            stated = next((s for s in here if _EXCEPTION.search(fold(s))), None)
            if share > best[0]:
                best = (share, stated)
    return best[1] if best[0] >= 0.3 else None


def _question(record: Record, seen: dict[str, Record]) -> list[Finding]:
    key = _key(record.question or "")
    if not key:
        return [_finding(record, "no_question", WARNING, "there is no question", "question")]
    first = seen.setdefault(key, record)
    if first is record:
        return []
    if _key(first.reference or "") == _key(record.reference or ""):
        message = f"asks the same as {first.id!r}"
        return [_finding(record, "duplicate", WARNING, message, "question")]
    message = f"asks the same as {first.id!r}, with another reference"
    return [_finding(record, "conflicting_duplicate", ERROR, message, "question")]


def _key(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum())


def _whole(records: int, kinds: dict[str, int]) -> list[Finding]:
    found: list[Finding] = []
    if records < FEWEST:
        message = (
            f"{records} records: too few for a mean one can trust; {FEWEST} to {MOST} are advised"
        )
        found.append(Finding("too_few", WARNING, message))
    elif records > MOST:
        message = f"{records} records: more than the {MOST} advised; all have to be kept right"
        found.append(Finding("many", NOTE, message))
    for kind, n in kinds.items():
        if n < FEWEST_OF_KIND:
            severity = NOTE if n else WARNING
            message = (
                f"{n} {kind.replace('_', '-')} questions; at least {FEWEST_OF_KIND} are advised"
            )
            found.append(Finding("kind_missing", severity, message))
    return found
