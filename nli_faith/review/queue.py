"""What there is to review: the doubtful claims of a triage queue, or all of a scored file."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError
from nli_faith.io import read_records
from nli_faith.redaction import redact_row
from nli_faith.report import fits, is_masked, mask_record
from nli_faith.results import FaithfulnessResult
from nli_faith.triage.files import results
from nli_faith.triage.run import record_key

HUMAN = "human.jsonl"
UNREDACTED = ("id", "status", "scorer", "thresholds", "aggregation", "triage")


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One record of a queue.

    Attributes:
        key: By which ``triage-merge`` finds it.
        row: The row as written.
        result: The same, read.
        asked: 0-based numbers of the claims to review.
        reasons: Why, for those the triage gave a reason for.
        record: The record that was scored, where it is known.
    """

    key: str
    row: Mapping[str, Any]
    result: FaithfulnessResult
    asked: tuple[int, ...]
    reasons: Mapping[int, str]
    record: Record | None = None


@dataclass(slots=True)
class ReviewQueue:
    """A queue in memory.

    Attributes:
        name: File name, for people.
        rows: Its records with at least one claim.
        items: (place in ``rows``, 0-based claim) of everything to review, in order.
        empty: Records without a claim, which cannot be reviewed here.
        problems: Lines that could not be used, ``line N: why``.
    """

    name: str
    rows: list[QueueRow] = field(default_factory=list)
    items: list[tuple[int, int]] = field(default_factory=list)
    empty: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """16 hex digits that tell this queue's claims from another's."""
        text = "\n".join(f"{self.rows[r].key} {c}" for r, c in self.items)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def place_of(self, key: str, number: int) -> int | None:
        """Place in ``items`` of a claim by its record's key and 1-based number."""
        return self._places().get((key, number))

    def _places(self) -> dict[tuple[str, int], int]:
        if len(self._index) != len(self.items):
            self._index = {
                (self.rows[r].key, c + 1): place for place, (r, c) in enumerate(self.items)
            }
        return self._index

    _index: dict[tuple[str, int], int] = field(default_factory=dict, repr=False)


def load_queue(
    source: str | os.PathLike[str],
    *,
    records: str | os.PathLike[str] | None = None,
    mapping: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    redact: bool = False,
) -> ReviewQueue:
    """Read a queue.

    Args:
        source: A queue of ``triage`` (``human.jsonl``, ``judge.jsonl``, or the folder, which
            means the former), or what ``score`` wrote; then every claim is asked for.
        records: The records that were scored, for their questions and contexts.
        mapping: Field -> column of the records.
        format: Of the records; by name or content when None.
        encoding: Of the records.
        redact: Mask private numbers and addresses in what is shown and exported.

    Raises:
        ConfigError: There is no claim to review.
        InputError: A file cannot be read.
    """
    path = Path(source)
    path = path / HUMAN if path.is_dir() else path
    queue = ReviewQueue(path.name)
    seen: Counter[str] = Counter()
    nth: list[int] = []
    for line in results(path):
        row = _row(line.number, line.row) if line.row is not None else line.problem
        if not isinstance(row, QueueRow):
            queue.problems.append(f"line {line.number}: {row}")
            continue
        seen[row.result.id] += 1
        if not row.asked:
            queue.empty += 1
            continue
        queue.rows.append(row)
        nth.append(seen[row.result.id])
    if not queue.rows:
        why = f": {queue.problems[0]}" if queue.problems else ""
        raise ConfigError(f"{path}: holds no claim to review{why}")
    if records is not None:
        _join(queue, nth, read_records(records, mapping=mapping, format=format,
                                       encoding=encoding, on_reject=lambda _: None))  # fmt: skip
    _mask(queue, redact)
    queue.items = [(r, c) for r, row in enumerate(queue.rows) for c in row.asked]
    return queue


def _row(number: int, row: Mapping[str, Any]) -> QueueRow | str:
    try:
        result = FaithfulnessResult.from_dict(row)
        triage = row.get("triage") or {}
        key = str(triage.get("key") or record_key(number, row))
        reasons = {int(c["claim"]): str(c["reason"]) for c in triage.get("claims", ())}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return f"is no result row: {error!r:.80}"
    asked = sorted(i for i in reasons if 0 <= i < len(result.claims))
    return QueueRow(key, row, result, tuple(asked or range(len(result.claims))), reasons)


def _join(queue: ReviewQueue, nth: list[int], records: Any) -> None:
    wanted = {row.result.id for row in queue.rows}
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.id in wanted:
            found.setdefault(record.id, []).append(record)
    for place, (row, number) in enumerate(zip(queue.rows, nth, strict=True)):
        have = found.get(row.result.id, ())
        # A queue is a part of the scored file: of several records with one id, the one that
        # fits is looked for from this row's turn on.
        record = next((r for r in have[number - 1 :] if fits(row.result, r)), None)
        record = record or next((r for r in have if fits(row.result, r)), None)
        if record is not None:
            queue.rows[place] = replace(row, record=record)


def _mask(queue: ReviewQueue, redact: bool) -> None:
    """Mask everything where asked, or where the queue is masked and the records are not."""
    if not redact and not any(
        row.record is not None and is_masked(row.result, row.record) for row in queue.rows
    ):
        return
    for place, row in enumerate(queue.rows):
        masked = redact_row(row.row, keep=UNREDACTED)
        queue.rows[place] = replace(
            row,
            row=masked,
            result=FaithfulnessResult.from_dict(masked),
            record=mask_record(row.record) if row.record else None,
        )
