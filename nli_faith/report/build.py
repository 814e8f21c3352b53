"""A scored file in, one HTML file out."""

from __future__ import annotations

import heapq
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from nli_faith._version import __version__
from nli_faith.datamodels import Record, Status
from nli_faith.errors import ConfigError
from nli_faith.io import read_records
from nli_faith.measures import group_name, read_manifest, rejected_rows
from nli_faith.redaction import redact_row
from nli_faith.report.figures import Figures, Grouping, flag_kind
from nli_faith.report.page import assemble, data_block
from nli_faith.report.payload import head_of, record_payload
from nli_faith.report.places import is_masked, mask_record
from nli_faith.results import FaithfulnessResult
from nli_faith.triage.files import OutputFiles, results

PACKAGE = "nli_faith.report"
KEPT = 5000
"""Records that can be opened in a report, unless told otherwise; figures are over all."""
BLOCK = 100
"""Records of one data block: what the page parses at once."""
UNREDACTED = ("id", "status", "scorer", "thresholds", "aggregation")


@dataclass(slots=True)
class ReportSummary:
    """What a report holds.

    Attributes:
        records: Records its figures are over.
        kept: Records that can be opened, the worst of them.
        joined: Of these, those with their answer and contexts.
        mismatched: Of these, those whose record under this id is another one.
        rejected: Lines that are no result.
        problem: Why, of the first one.
        size: Bytes of the page.
    """

    records: int = 0
    kept: int = 0
    joined: int = 0
    mismatched: int = 0
    rejected: int = 0
    problem: str | None = None
    size: int = 0


class _Item(NamedTuple):
    number: int  # line of the scored file
    nth: int  # which of the results with this id, from 1 on
    result: FaithfulnessResult


def build_report(
    scored: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    records: str | os.PathLike[str] | None = None,
    mapping: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    by: tuple[str, ...] = (),
    title: str | None = None,
    lang: str = "auto",
    keep: int = KEPT,
    redact: bool = False,
    overwrite: bool = False,
) -> ReportSummary:
    """Write a report of what ``score`` wrote.

    Memory grows with ``keep``, not with the file, which is read twice.

    Args:
        scored: Result rows, JSON lines, plain or compressed.
        output: The HTML file.
        records: The records that were scored: for questions, whole answers and contexts, which
            result rows do not keep. Joined by id, and of several with one id in their order.
        mapping: Field -> column of the records.
        format: Of the records; by name or content when None.
        encoding: Of the records.
        by: Paths of the meta to group by; fields with few values when empty.
        title: The page's title; the scored file's name when None.
        lang: ``zh``, ``en``, or ``auto`` for that of the reader's browser.
        keep: How many records can be opened: those that are worst. At least 1.
        redact: Mask private numbers and addresses; done in any case where the scored file was.
        overwrite: Replace the output.

    Raises:
        ConfigError: The scored file holds no result row, or ``keep`` is below 1.
        InputError: A file cannot be read.
        OutputError: The output is there already, or cannot be written.
    """
    if keep < 1:
        raise ConfigError(f"keep must be at least 1, not {keep}")
    name, target = os.fspath(scored), Path(output)
    if os.path.realpath(name) == os.path.realpath(target):
        raise ConfigError(f"{name}: is the input: name another output")
    with OutputFiles([target], overwrite=overwrite) as files:
        found = _Found(keep, by)
        found.read(name)
        if not found.summary.records:
            why = f": {found.summary.problem}" if found.summary.problem else ""
            raise ConfigError(f"{name}: holds no result row of `score`{why}")
        joined = _records(records, mapping, format, encoding, found.ids()) if records else {}
        pack = _Pack(found, joined, redact)
        blocks = list(pack.blocks())
        head = {
            "source": os.path.basename(name),
            "title": title,
            "created": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "version": __version__,
            "kept": found.summary.kept,
            "block": BLOCK,
            "records_given": records is not None,
            "figures": found.figures.to_dict(),
            "index": pack.index,
        }
        page = assemble(PACKAGE, title=title or os.path.basename(name), lang=lang,
                        blocks=[data_block("head", head), *blocks])  # fmt: skip
        files.write(target, page)
        found.summary.size = len(page)
    return found.summary


@dataclass(slots=True)
class _Found:
    """Figures of a scored file, and its worst results."""

    keep: int
    by: tuple[str, ...]
    summary: ReportSummary = field(default_factory=ReportSummary)
    items: list[_Item] = field(default_factory=list)
    figures: Figures = field(init=False)

    def __post_init__(self) -> None:
        self.figures = Figures(self.by)

    def read(self, name: str) -> None:
        """One pass over the file."""
        worst: list[tuple[float, int, _Item]] = []  # the best of them on top, to be pushed out
        seen: Counter[str] = Counter()
        for line in results(name):
            try:
                result = None if line.row is None else FaithfulnessResult.from_dict(line.row)
                problem = line.problem
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                result, problem = None, f"is no result row: {error!r:.80}"
            if result is None:
                self.summary.rejected += 1
                self.summary.problem = self.summary.problem or f"line {line.number}: {problem}"
                continue
            seen[result.id] += 1
            self.figures.add(result)
            item = _Item(line.number, seen[result.id], result)
            entry = (-_goodness(result), -line.number, item)
            if len(worst) < self.keep:
                heapq.heappush(worst, entry)
            else:
                heapq.heappushpop(worst, entry)
        self.figures.summary.rejected = rejected_rows(read_manifest(name))
        self.items = sorted((item for _, _, item in worst), key=lambda item: item.number)
        self.summary.records = self.figures.summary.records
        self.summary.kept = len(self.items)

    def ids(self) -> set[str]:
        """Ids of the results that can be opened."""
        return {item.result.id for item in self.items}


def _goodness(result: FaithfulnessResult) -> float:
    """Errors first, then low scores; what has no score by its nature is least worth a look."""
    if result.status is Status.ERROR:
        return -1.0
    return result.score if result.status is Status.SCORED else 2.0


def _records(
    source: str | os.PathLike[str],
    mapping: Mapping[str, str] | None,
    format: str | None,
    encoding: str,
    ids: set[str],
) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in read_records(source, mapping=mapping, format=format, encoding=encoding,
                               on_reject=lambda _: None):  # fmt: skip
        if record.id in ids:
            found.setdefault(record.id, []).append(record)
    return found


class _Pack:
    """Turns results into the page's data."""

    def __init__(self, found: _Found, joined: Mapping[str, list[Record]], redact: bool) -> None:
        self._items = found.items
        self._joined = joined
        self._summary = found.summary
        self._groupings: list[Grouping] = found.figures.shown_groupings()
        pairs = ((item, self._record(item)) for item in self._items)
        # Masked results beside plain records would undo the masking.
        self._redact = redact or any(r is not None and is_masked(i.result, r) for i, r in pairs)
        self.index: list[dict[str, Any]] = []

    def blocks(self) -> Iterator[str]:
        """The data blocks, `BLOCK` records each; fills the index on the way."""
        for start in range(0, len(self._items), BLOCK):
            shared: dict[str, int] = {}
            rows = [self._row(item, shared) for item in self._items[start : start + BLOCK]]
            number = start // BLOCK
            yield data_block(f"block-{number}", {"contexts": list(shared), "records": rows})

    def _record(self, item: _Item) -> Record | None:
        records = self._joined.get(item.result.id, ())
        return records[item.nth - 1] if item.nth <= len(records) else None

    def _row(self, item: _Item, shared: dict[str, int]) -> dict[str, Any]:
        result, record = item.result, self._record(item)
        if self._redact:
            masked = redact_row(result.to_dict(), keep=UNREDACTED)
            result = FaithfulnessResult.from_dict(masked)
            record = mask_record(record) if record else None
        row = record_payload(result, record)
        if row["contexts"] is not None:
            self._summary.joined += 1
            # The same chunk is retrieved for many questions: it is written once a block.
            row["contexts"] = [shared.setdefault(c, len(shared)) for c in row["contexts"]]
        self._summary.mismatched += row["mismatch"]
        self.index.append(self._entry(item, result, record, row["mismatch"]))
        return row

    def _entry(self, item: _Item, result: FaithfulnessResult, record: Record | None,
               mismatch: bool) -> dict[str, Any]:  # fmt: skip
        counts = result.label_counts
        scored = result.status is Status.SCORED
        return {
            "id": result.id,
            "nth": item.nth,
            "row": item.number,
            "status": result.status.value,
            "score": round(result.score, 4) if scored else None,
            "counts": list(counts.values()),
            "conflict": any(c.conflict for c in result.claims),
            "flags": sorted({flag_kind(f) for c in result.claims for f in c.flags}),
            "groups": [group_name(result.meta, g.path) for g in self._groupings],
            "head": head_of(result, None if mismatch else record),
        }
