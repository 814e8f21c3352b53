"""Brings verdicts back to a triage: keeps all, and says how far model, judge and people agree."""

from __future__ import annotations

import heapq
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nli_faith.datamodels import Label
from nli_faith.errors import InputError
from nli_faith.triage.agreement import Agreement, agreements
from nli_faith.triage.files import OutputFiles, read_lines
from nli_faith.triage.rules import Band
from nli_faith.triage.verdicts import (
    RECORD,
    UNSURE,
    BadVerdict,
    ClaimVerdict,
    read_verdicts,
)

REJECTS_SUFFIX = ".rejects.jsonl"
PAIRS = (("local", "judge"), ("local", "human"), ("human", "judge"))
_Unit = dict[str, str]


@dataclass(slots=True)
class MergeReport:
    """What came back.

    The agreement is over claims that were sent out because they are doubtful, so it is lower
    than it would be over all claims.

    Attributes:
        records: Records in the triage.
        asked: Doubtful claims of the judge's and the people's queues.
        verdicts: Claims with a verdict, by rater.
        unsure: Of these, those the rater could not decide; they are not in the tables.
        open: Claims of a queue without a verdict by anyone.
        superseded: Verdicts that a later one of the same rater replaced.
        bad: What could not be used.
        tables: Agreement of local model, judge and people; three labels.
    """

    records: int = 0
    asked: int = 0
    verdicts: dict[str, int] = field(default_factory=lambda: {"judge": 0, "human": 0})
    unsure: dict[str, int] = field(default_factory=lambda: {"judge": 0, "human": 0})
    open: int = 0
    superseded: int = 0
    bad: list[BadVerdict] = field(default_factory=list)
    tables: list[Agreement] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "records": self.records,
            "asked": self.asked,
            "verdicts": dict(self.verdicts),
            "unsure": dict(self.unsure),
            "open": self.open,
            "superseded": self.superseded,
            "bad": [b.to_dict() for b in self.bad],
            "agreement": [
                {"labels": t.to_dict(), "supported_or_not": t.two_way().to_dict()}
                for t in self.tables
            ],
        }


def merge(
    folder: str | os.PathLike[str],
    verdicts: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> MergeReport:
    """Put verdicts beside the model's own, in the order of the scored file.

    Every record of the triage is written. A claim with verdicts gets ``judge`` and
    ``judge_reason``, ``human`` and ``human_note``, and ``final``: the person's verdict, else the
    judge's, else the model's (``unsure`` decides nothing). The model's ``label`` stays. Of two
    verdicts by one rater the later counts, the earlier is kept in ``superseded``. A record gets
    ``merged``: the share of claims whose ``final`` is supported, and how many are judged.

    Args:
        folder: What ``triage`` wrote.
        verdicts: Files, see `read_verdicts`; later ones win.
        output: The merged JSON lines. What could not be used goes to ``<output>.rejects.jsonl``.
        overwrite: Replace files that are there.

    Raises:
        InputError: A file cannot be read, or the folder is no triage.
        OutputError: The output is there already, or cannot be written.
    """
    report = MergeReport()
    found = _Verdicts(report)
    for path in verdicts:
        found.read(path)
    target = Path(output)
    rejects = target.with_name(target.name + REJECTS_SUFFIX)
    units: list[_Unit] = []
    with OutputFiles([target, rejects], overwrite=overwrite) as files:
        files.open(target)
        for row in _rows(Path(folder)):
            report.records += 1
            units += _put(row, found, report)
            files.write_row(target, row)
        found.unknown()
        for bad in report.bad:
            files.write_row(rejects, bad.to_dict())
    report.tables = [t for t in agreements(units, PAIRS) if t.n]
    return report


class _Verdicts:
    """All verdicts, by record and claim."""

    def __init__(self, report: MergeReport) -> None:
        self.report = report
        self._by_key: dict[str, dict[int, list[ClaimVerdict]]] = {}

    def read(self, path: str | os.PathLike[str]) -> None:
        """Take the verdicts of a file."""
        for item in read_verdicts(path):
            if isinstance(item, BadVerdict):
                self.report.bad.append(item)
            else:
                self._by_key.setdefault(item.key, {}).setdefault(item.number, []).append(item)

    def take(self, key: str, claims: int) -> Mapping[int, Sequence[ClaimVerdict]]:
        """The verdicts on a record, which are then done with."""
        by_number = self._by_key.pop(key, {})
        for number in [n for n in by_number if n > claims]:
            for item in by_number.pop(number):
                self._bad(item, f"record {key} has {claims} claims, no number {number}")
        return by_number

    def unknown(self) -> None:
        """List verdicts on records that are not in the triage."""
        for key, by_number in self._by_key.items():
            for items in by_number.values():
                for item in items:
                    self._bad(item, f"no record with key {key!r} is in this triage")

    def _bad(self, item: ClaimVerdict, reason: str) -> None:
        raw = f"{item.key} {item.number} {item.rater} {item.verdict} {item.reason}".rstrip()
        self.report.bad.append(BadVerdict(item.origin, reason, raw))


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    """All records of a triage, in the order of the scored file."""
    paths = [folder / f"{band}.jsonl" for band in Band]
    missing = [p.name for p in paths if not p.is_file()]
    if missing:
        raise InputError(f"{folder}: is no triage: there is no {', '.join(missing)}")
    # Keys begin with the zero-padded place in the scored file.
    streams = [_keyed(path) for path in paths]
    for _, row in heapq.merge(*streams, key=lambda pair: pair[0]):
        yield row


def _keyed(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in read_lines(path):
        triage = line.row.get("triage") if line.row is not None else None
        if line.row is None or not isinstance(triage, dict) or "key" not in triage:
            raise InputError(f"{path}:{line.number}: {line.problem or 'has no triage key'}")
        yield str(triage["key"]), line.row


def _put(row: dict[str, Any], found: _Verdicts, report: MergeReport) -> list[_Unit]:
    """Put the verdicts into a row; returns who said what of each judged claim."""
    triage, claims = row["triage"], row["claims"]
    asked = {c["claim"] for c in triage["claims"]}
    report.asked += len(asked)
    verdicts = found.take(triage["key"], len(claims))
    units: list[_Unit] = []
    for i, claim in enumerate(claims):
        said = _latest(claim, verdicts.get(i + 1, ()), report)
        if not said:
            report.open += i in asked
            claim["final"] = claim["label"]
            continue
        known = {rater: label for rater, label in said.items() if label != UNSURE}
        claim["final"] = known.get("human") or known.get("judge") or claim["label"]
        units.append({"local": claim["label"], **known})
    if RECORD in verdicts:
        _latest(row, verdicts[RECORD], report)
    final = [c["final"] == Label.SUPPORTED.value for c in claims]
    scored = row["status"] == "scored" and final
    row["merged"] = {
        "score": round(sum(final) / len(final), 6) if scored else None,
        "claims": len(claims),
        "judged": len(units),
    }
    return units


def _latest(
    target: dict[str, Any], items: Sequence[ClaimVerdict], report: MergeReport
) -> dict[str, str]:
    """Write the latest verdict of each rater; earlier ones are kept beside."""
    said: dict[str, ClaimVerdict] = {}
    for item in items:
        if item.rater in said:
            old = said[item.rater]
            report.superseded += 1
            target.setdefault("superseded", []).append(
                {"rater": old.rater, "verdict": old.verdict, "reason": old.reason,
                 "origin": old.origin}
            )  # fmt: skip
        said[item.rater] = item
    for rater, item in said.items():
        target[rater] = item.verdict
        if item.reason:
            target["judge_reason" if rater == "judge" else "human_note"] = item.reason
        report.verdicts[rater] += 1
        report.unsure[rater] += item.verdict == UNSURE
    return {rater: item.verdict for rater, item in said.items()}


def kappa_text(value: float) -> str:
    """Kappa for people: two decimals, a dash where it is not defined."""
    return "—" if math.isnan(value) else f"{value:.2f}"
