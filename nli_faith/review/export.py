"""Reviewed rows as JSON lines that ``calibrate`` and ``triage-merge`` read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nli_faith.review.queue import QueueRow, ReviewQueue
from nli_faith.review.raters import settle
from nli_faith.review.store import UNSURE, Verdict, VerdictStore
from nli_faith.triage.files import OutputFiles


@dataclass(slots=True)
class ExportSummary:
    """What an export holds.

    Attributes:
        records: Records with a verdict.
        claims: Claims with one.
        unsure: Of these, those nobody could decide, or on which as many say this as that.
        disputed: Claims on which two reviewers differ.
        strangers: Verdicts in the database on claims that are not in the queue.
    """

    records: int = 0
    claims: int = 0
    unsure: int = 0
    disputed: int = 0
    strangers: int = 0


def export_verdicts(
    queue: ReviewQueue,
    store: VerdictStore,
    output: str | os.PathLike[str],
    *,
    reviewer: str | None = None,
    overwrite: bool = False,
) -> ExportSummary:
    """Write the reviewed rows of a queue.

    A row is the queue's, and each reviewed claim has ``human`` (which ``calibrate`` reads),
    ``verdict`` and ``note`` (which ``triage-merge`` reads) and ``reviews``, who said what. Where
    several reviewed a claim, the word of most counts; a tie is ``unsure``, which both commands
    leave out.

    Args:
        queue: The queue.
        store: Its verdicts.
        output: The JSON lines.
        reviewer: Only the verdicts of this one.
        overwrite: Replace the output.

    Raises:
        OutputError: The output is there already, or cannot be written.
    """
    summary = ExportSummary()
    target = Path(output)
    with OutputFiles([target], overwrite=overwrite) as files:
        files.open(target)
        for row in reviewed_rows(queue, store, reviewer, summary):
            files.write_row(target, row)
    return summary


def reviewed_rows(
    queue: ReviewQueue,
    store: VerdictStore,
    reviewer: str | None = None,
    summary: ExportSummary | None = None,
) -> Iterator[dict[str, Any]]:
    """The rows that `export_verdicts` writes.

    Args:
        queue: The queue.
        store: Its verdicts.
        reviewer: Only the verdicts of this one.
        summary: Counts are added to it.
    """
    summary = summary if summary is not None else ExportSummary()
    by_key: dict[str, dict[int, list[Verdict]]] = {}
    for verdict in store.current(reviewer):
        if queue.place_of(verdict.record, verdict.n) is None:
            summary.strangers += 1
        else:
            by_key.setdefault(verdict.record, {}).setdefault(verdict.n, []).append(verdict)
    for row in queue.rows:
        if row.key in by_key:
            summary.records += 1
            yield _put(row, by_key[row.key], summary)


def _put(
    row: QueueRow, verdicts: dict[int, list[Verdict]], summary: ExportSummary
) -> dict[str, Any]:
    claims = [dict(claim) for claim in row.row["claims"]]
    for number, said in sorted(verdicts.items()):
        final = settle(v.verdict for v in said)
        claim = claims[number - 1]
        claim["human"] = claim["verdict"] = final
        claim["note"] = "; ".join(dict.fromkeys(v.note for v in said if v.note))
        claim["reviews"] = [
            {"reviewer": v.reviewer, "verdict": v.verdict, "note": v.note, "at": v.at} for v in said
        ]
        summary.claims += 1
        summary.unsure += final == UNSURE
        summary.disputed += len({v.verdict for v in said} - {UNSURE}) > 1
    triage = dict(row.row.get("triage") or {})
    return {**row.row, "claims": claims, "triage": {**triage, "key": row.key}}
