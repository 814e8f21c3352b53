"""Labelled rows -> labelled units: scores the answers, or reads what was scored already."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from nli_faith.calibration.alignment import by_text, labelled_spans, within
from nli_faith.calibration.labels import LabelReader
from nli_faith.calibration.rows import Row, is_scored, read_rows, scored_config
from nli_faith.calibration.samples import LabelledSet, Sample
from nli_faith.datamodels import Label, Record, Status
from nli_faith.errors import ConfigError
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer
from nli_faith.verdicts import ClaimResult

Source = str | os.PathLike[str] | Iterable[Mapping[str, Any]]
ScorerSource = FaithfulnessScorer | Callable[[], FaithfulnessScorer] | None
ANSWER_FIELDS = (
    "label", "faithful", "is_faithful", "faithfulness_label", "supported", "gold", "gold_label",
    "human_label", "标签",
)  # fmt: skip
"""Where an answer's label is looked for when no field is named."""
CLAIM_FIELDS = ("human", "gold", "gold_label", "human_label")
"""Where the label of a scored claim is looked for; its ``label`` is the model's own."""
DEFAULT_MODEL = "bundled"


@dataclass(slots=True)
class _Labelled:
    """One row with what people say of it."""

    row: Row
    group: str
    claims: list[tuple[Mapping[str, Any], Label]]
    answer: Label | None


def collect(
    source: Source,
    *,
    scorer: ScorerSource = None,
    label_field: str | None = None,
    label_map: Mapping[str, str] | None = None,
    group_field: str | None = None,
    mapping: Mapping[str, str] | None = None,
) -> LabelledSet:
    """Read labels, score what has no score yet, and put both together.

    Three shapes are read: records with ``claims`` (objects with ``text`` and ``label``); records
    with one label for the answer; and rows that ``score``, or ``triage-merge`` wrote, with a
    label in the claims (``human``, ``gold``), in ``meta.claims`` or in ``meta``.

    A labelled claim is looked up in its answer and takes the least support and the highest
    contradiction of the scored claims it covers; one that is not part of the answer is scored
    alone. An answer takes those of its weakest claim.

    Args:
        source: A path, or rows in memory.
        scorer: Scores rows that are not scored yet, or makes the scorer that does; the bundled
            model when None.
        label_field: Name of the label, in claims or in the row; looked for when None.
        label_map: Value -> ``supported``, ``contradicted``, ``unsupported`` or ``skip``.
        group_field: Field whose equal values never fall on both sides of a split (a document,
            say); by default each record is its own group.
        mapping: Field -> column, as for ``score``.

    Raises:
        ConfigError: No label field is found, or it holds unknown values (they are shown).
        InputError: The source cannot be read.
    """
    found = LabelledSet(name=_name(source))
    rows = list(read_rows(source, mapping, found.problems))
    if not rows:
        raise ConfigError(f"{found.name}: holds no row with labels" + _first(found.problems))
    reader = _Reader(rows, label_field, label_map, group_field, found)
    labelled = reader.labelled()
    found.unit = "claim" if reader.by_claim else "answer"
    if is_scored(rows[0]):
        _from_scored(labelled, found)
        found.config = scored_config(source)
    else:
        _from_scorer(labelled, found, _scorer(scorer))
    return found


def _scorer(source: ScorerSource) -> FaithfulnessScorer:
    if isinstance(source, FaithfulnessScorer):
        return source
    return source() if source else FaithfulnessScorer.from_pretrained(DEFAULT_MODEL)


def _name(source: Source) -> str:
    return os.path.basename(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else "rows"


def _first(problems: Sequence[str]) -> str:
    return f"; the first problem: {problems[0]}" if problems else ""


class _Reader:
    """Finds the labels of rows."""

    def __init__(self, rows: Sequence[Row], field: str | None, mapping: Mapping[str, str] | None,
                 group_field: str | None, found: LabelledSet) -> None:  # fmt: skip
        self.rows = rows
        self.found = found
        self.group_field = group_field
        self.scored = is_scored(rows[0])
        self.by_claim, self.field = self._find(field)
        self.reader = LabelReader(self.field, mapping)

    def labelled(self) -> list[_Labelled]:
        """All rows with their labels.

        Raises:
            ConfigError: The label field holds unknown values.
        """
        out = []
        for row in self.rows:
            claims = [(item, self.reader.read(item.get(self.field))) for item in self._items(row)]
            known = [(item, label) for item, label in claims if label is not None]
            answer = None
            if self.by_claim:
                self.found.skip("no label or not a claim", len(claims) - len(known))
            else:
                answer = self.reader.read(row.field(self.field))
                self.found.skip("no label", answer is None)
            out.append(_Labelled(row, self._group(row), known, answer))
        self.reader.check()
        return out

    def _items(self, row: Row) -> Sequence[Mapping[str, Any]]:
        return row.claims(own=self.own) if self.by_claim else ()

    def _group(self, row: Row) -> str:
        if self.group_field is None:
            return row.id
        value = row.field(self.group_field)
        if value is None:
            raise ConfigError(f"{row.origin}: has no group field {self.group_field!r}")
        return str(value)

    def _find(self, field: str | None) -> tuple[bool, str]:
        """Whether claims are labelled, and the field's name."""
        names = (field,) if field else (*CLAIM_FIELDS,)
        self.own = False
        if self.scored:  # labels put beside the model's, by people or by triage-merge
            for name in names:
                if name == "label":
                    continue  # of a scored claim that is the model's own
                if any(name in c for row in self.rows for c in row.claims(own=True)):
                    self.own = True
                    return True, name
        name = field or "label"
        if any(name in c for row in self.rows for c in row.claims(own=False)):
            return True, name
        candidates = (field,) if field else ANSWER_FIELDS
        present = [n for n in candidates if any(r.field(n) is not None for r in self.rows)]
        if len(present) == 1:
            return False, present[0]
        seen = sorted({name for row in self.rows[:100] for name in row.names()})
        problem = (
            f"fields {', '.join(map(repr, present))} could all be the label"
            if present
            else f"no label field {field!r}" if field else "no label field is found"
        )  # fmt: skip
        raise ConfigError(
            f"{self.found.name}: {problem}: name one with --label-field; there are "
            f"{', '.join(map(repr, seen)) or 'no fields'}"
        )


def _from_scored(labelled: Sequence[_Labelled], found: LabelledSet) -> None:
    models: dict[tuple[str, str], int] = {}
    for item in labelled:
        result = FaithfulnessResult.from_dict(item.row.raw)
        if result.scorer is not None:
            key = (result.scorer.model, result.scorer.model_sha256)
            models[key] = models.get(key, 0) + 1
        found.thresholds = found.thresholds or result.thresholds
        if result.status is not Status.SCORED:
            found.skip(f"record with status {result.status}", max(1, len(item.claims)))
        elif item.answer is not None:
            _add(found, item.group, result.claims, item.answer)
        else:
            for claim, label in item.claims:
                own = "nli_support" in claim
                matched = (
                    [ClaimResult.from_dict(claim)]
                    if own
                    else by_text(result.claims, str(claim.get("text") or ""))
                )
                _add(found, item.group, matched, label)
    if len(models) != 1:
        names = ", ".join(f"{m} {sha[:12]} ({n} rows)" for (m, sha), n in sorted(models.items()))
        raise ConfigError(
            f"{found.name}: rows of one model are needed, there are {names or 'none'}"
        )
    found.model, found.model_sha256 = next(iter(models))


def _from_scorer(
    labelled: Sequence[_Labelled], found: LabelledSet, scorer: FaithfulnessScorer
) -> None:
    found.model, found.model_sha256 = scorer.info.model, scorer.info.model_sha256
    found.thresholds, found.config = scorer.thresholds, asdict(scorer.config)
    alone: list[tuple[Record, str, Label]] = []
    records = [cast(Record, item.row.record) for item in labelled]
    for item, result in zip(labelled, scorer.score_records(records), strict=True):
        record = cast(Record, item.row.record)
        if item.answer is not None:
            if result.status is Status.SCORED:
                _add(found, item.group, result.claims, item.answer)
            else:
                found.skip(f"record with status {result.status}")
            continue
        spans = labelled_spans([claim for claim, _ in item.claims], record.answer)
        for (claim, label), span in zip(item.claims, spans, strict=True):
            text = str(claim.get("text") or "").strip()
            if span is None and text:
                alone.append((_alone(record, text), item.group, label))
            elif result.status is not Status.SCORED:
                found.skip(f"record with status {result.status}")
            else:
                _add(found, item.group, within(result.claims, span) if span else [], label)
    results = scorer.score_records(record for record, _, _ in alone)
    for (_, group, label), result in zip(alone, results, strict=True):
        scored = result.status is Status.SCORED
        _add(found, group, result.claims if scored else (), label)


def _alone(record: Record, text: str) -> Record:
    return Record(id=record.id, answer=text, contexts=record.contexts, question=record.question)


def _add(found: LabelledSet, group: str, claims: Sequence[ClaimResult], label: Label) -> None:
    if not claims:
        found.skip("not a claim to the pipeline")
        return
    # The weakest claim decides, and of claims that are capped and not, a capped one.
    weakest = min(claims, key=lambda c: (not c.capped, c.combined))
    contradiction = max((c.contradiction for c in claims), key=lambda v: (v == v, v))
    found.samples.append(Sample(group, weakest.combined, contradiction, weakest.capped, label))
