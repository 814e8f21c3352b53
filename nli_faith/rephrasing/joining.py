"""From questions to variant rows, and from answered variants back into their records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.errors import RecordError
from nli_faith.rephrasing.maker import Rephraser
from nli_faith.rephrasing.questions import Question

VARIANT_OF = "variant_of"
RULES_KEY = "rules"


def variant_rows(
    questions: Iterable[Question], rephraser: Rephraser, *, count: int
) -> Iterator[list[dict[str, Any]]]:
    """The rows to send through the user's own RAG, one list a question.

    Args:
        questions: The questions.
        rephraser: Makes the variants.
        count: Variants of each question.

    Yields:
        Rows of ``id`` (``ID#v1``), ``variant_of``, ``question`` and ``rules``; an empty list for
        a question that no rule reaches.
    """
    for question in questions:
        yield [
            {
                "id": f"{question.id}#v{number}",
                VARIANT_OF: question.id,
                "question": variant.question,
                RULES_KEY: list(variant.rules),
            }
            for number, variant in enumerate(rephraser.variants(question.text, count), 1)
        ]


@dataclass(slots=True)
class Joined:
    """Answered variants, waiting for their records.

    Attributes:
        by_record: Record id -> variants in the order of the answers.
        used: Ids of the records that took theirs.
    """

    by_record: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    _ids: set[str] = field(default_factory=set)

    def add(self, answer: Record) -> None:
        """Take one answered variant.

        Args:
            answer: A row of the answers; its ``meta`` holds ``variant_of``.

        Raises:
            RecordError: It does not say whose variant it is, has no question, or its id came
                before.
        """
        owner = answer.meta.get(VARIANT_OF)
        if isinstance(owner, bool) or not isinstance(owner, (str, int)) or not str(owner).strip():
            raise _error(answer, f"expected the id of a record, got {owner!r:.60}", VARIANT_OF)
        if not (answer.question or "").strip():
            raise _error(answer, "a variant needs its question", "question")
        if answer.id in self._ids:
            raise _error(answer, f"the variant {answer.id!r} is there twice", "id")
        self._ids.add(answer.id)
        self.by_record.setdefault(str(owner), []).append(_variant(answer))

    def unused(self) -> list[str]:
        """Ids that variants name and no record has."""
        return [owner for owner in self.by_record if owner not in self.used]


def _error(answer: Record, reason: str, name: str) -> RecordError:
    source, _, line = (answer.source or "").rpartition(":")
    number = int(line) if line.isdigit() else None
    return RecordError(reason, source=source or None, line=number, field=name)


def _variant(answer: Record) -> dict[str, Any]:
    out: dict[str, Any] = {
        "id": answer.id,
        "question": answer.question,
        "answer": answer.answer,
        "contexts": list(answer.contexts),
    }
    rules = answer.meta.get(RULES_KEY)
    if rules:
        out[RULES_KEY] = rules
    return out


def join_variants(records: Iterable[Record], joined: Joined) -> Iterator[dict[str, Any]]:
    """Every record as a row, with its answered variants under ``variants``.

    Variants that the record had already stay, unless one of the same id is joined now.

    Args:
        records: The originals.
        joined: The answers.

    Yields:
        Rows in the records' order, as the record reader takes them.
    """
    for record in records:
        new = joined.by_record.get(record.id, [])
        if new:
            joined.used.add(record.id)
        taken = {v["id"] for v in new}
        old = [dict(v) for v in record.variants if _id_of(v) not in taken]
        yield _row(record, [*old, *new])


def _id_of(variant: Mapping[str, Any]) -> Any:
    return variant.get("id")


def _row(record: Record, variants: list[dict[str, Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": record.id,
        "question": record.question,
        "contexts": list(record.contexts),
        "answer": record.answer,
    }
    if record.reference is not None:
        row["reference"] = record.reference
    if variants:
        row["variants"] = variants
    if record.relevant_ids:
        row["relevant_ids"] = list(record.relevant_ids)
    if record.meta:
        row["meta"] = dict(record.meta)
    return row
