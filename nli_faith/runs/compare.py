"""Two runs side by side: means with their noise, and what changed record by record."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nli_faith.bootstrap import Difference, paired_difference
from nli_faith.errors import InputError
from nli_faith.io import loads
from nli_faith.measures import FAITHFULNESS, LOWER_IS_BETTER
from nli_faith.runs.registry import Registry, Run

CONFIDENCE = 0.95
# Told which index to take: by itself SQLite looks through the whole second run for each record.
_JOIN = """
SELECT a.record, a.grp, a.status, b.status, a.measures, b.measures, a.claims, b.claims,
       a.texts, b.texts
FROM records AS a JOIN records AS b INDEXED BY records_by_id
     ON b.run = ? AND b.record = a.record
WHERE a.run = ? AND a.record NOT IN (
    SELECT record FROM records WHERE run IN (?, ?) GROUP BY run, record HAVING count(*) > 1)
ORDER BY a.ordinal
"""


@dataclass(frozen=True, slots=True)
class Flip:
    """One claim, the same words in both runs, with another label.

    Attributes:
        before: Its label in the first run.
        after: Its label in the second.
        text: The claim, where the registry keeps texts.
    """

    before: str
    after: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RecordDiff:
    """What changed in one record.

    Attributes:
        id: The record's id as registered.
        group: Its group in the first run; empty without one.
        status: Statuses in both.
        measures: Measure -> values in both, where they differ; None where not measured.
        flips: Claims that stayed and changed their label.
        claims_gone: Claims of the first run that the second does not have.
        claims_new: The other way round.
    """

    id: str
    group: str
    status: tuple[str, str]
    measures: Mapping[str, tuple[float | None, float | None]]
    flips: tuple[Flip, ...] = ()
    claims_gone: int = 0
    claims_new: int = 0

    @property
    def changed(self) -> bool:
        """Whether anything did; other words with the same verdicts do not count."""
        return self.status[0] != self.status[1] or bool(self.measures) or bool(self.flips)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "id": self.id, "group": self.group, "status": list(self.status),
            "measures": {name: list(pair) for name, pair in self.measures.items()},
            "flips": [
                {"from": f.before, "to": f.after, **({"text": f.text} if f.text else {})}
                for f in self.flips
            ],
            "claims_gone": self.claims_gone, "claims_new": self.claims_new,
        }  # fmt: skip


@dataclass(slots=True)
class Comparison:
    """Two runs side by side.

    Attributes:
        first: The run compared with.
        second: The run compared.
        matched: Records in both, told apart by an id that comes once in each.
        only_first: Records without a partner in the second run, or with an id that comes twice.
        only_second: The other way round.
        better: Matched records whose main measure is better in the second.
        worse: Likewise worse.
        same: Likewise equal.
        flips: (label before, label after) -> claims.
        statuses: (status before, status after) -> records, where they differ.
        differences: Measure -> second minus first over records that have both, with a two-sided
            95% interval from a paired bootstrap.
        main: The measure that better and worse are about.
    """

    first: Run
    second: Run
    main: str = FAITHFULNESS
    matched: int = 0
    only_first: int = 0
    only_second: int = 0
    better: int = 0
    worse: int = 0
    same: int = 0
    flips: dict[tuple[str, str], int] = field(default_factory=dict)
    statuses: dict[tuple[str, str], int] = field(default_factory=dict)
    differences: dict[str, Difference] = field(default_factory=dict)

    @property
    def same_scorer(self) -> bool:
        """Whether model and configuration were the same; if not, a change may be theirs."""
        a, b = self.first, self.second
        return (a.model_sha256, a.config_hash) == (b.model_sha256, b.config_hash)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "first": self.first.id, "second": self.second.id, "same_scorer": self.same_scorer,
            "matched": self.matched, "only_first": self.only_first,
            "only_second": self.only_second, "main": self.main, "better": self.better,
            "worse": self.worse, "same": self.same,
            "flips": [
                {"from": a, "to": b, "claims": n} for (a, b), n in sorted(self.flips.items())
            ],
            "statuses": [
                {"from": a, "to": b, "records": n} for (a, b), n in sorted(self.statuses.items())
            ],
            "differences": {
                name: {
                    "difference": round(d.value, 6), "low": round(d.low, 6),
                    "high": round(d.high, 6), "pairs": d.n,
                }
                for name, d in sorted(self.differences.items())
            },
        }  # fmt: skip


def compare_runs(
    registry: Registry, first: str, second: str, *, measure: str = FAITHFULNESS, seed: int = 0,
    on_diff: Callable[[RecordDiff], None] | None = None,
) -> Comparison:  # fmt: skip
    """Compare two runs record by record.

    Args:
        registry: Where they are.
        first: The run to compare with: its number or name.
        second: The run to compare.
        measure: What better and worse are about.
        seed: Of the bootstrap.
        on_diff: Called for each record in which something changed, in the first run's order.

    Raises:
        InputError: A run is unknown, both are one, or neither has the measure.
    """
    a, b = registry.get(first), registry.get(second)
    if a.id == b.id:
        raise InputError(f"{first!r} and {second!r} are the same run, {a.id}")
    if a.mean(measure) is None and b.mean(measure) is None:
        known = sorted({m for _, m in (*a.means, *b.means)})
        raise InputError(f"no run has the measure {measure!r}; there are {', '.join(known)}")
    result = Comparison(a, b, measure)
    columns: dict[str, tuple[array[float], array[float]]] = {}
    for diff, values in _pairs(registry, a, b):
        result.matched += 1
        _count(result, diff, values)
        for name, (before, after) in values.items():
            if before is not None and after is not None:
                pair = columns.setdefault(name, (array("d"), array("d")))
                pair[0].append(before)
                pair[1].append(after)
        if on_diff is not None and diff.changed:
            on_diff(diff)
    result.only_first, result.only_second = a.rows - result.matched, b.rows - result.matched
    for name, (before_all, after_all) in columns.items():
        result.differences[name] = paired_difference(
            np.array(after_all), np.array(before_all), confidence=(1 + CONFIDENCE) / 2, seed=seed
        )
    return result


_Values = dict[str, tuple[float | None, float | None]]


def _pairs(registry: Registry, a: Run, b: Run) -> Iterator[tuple[RecordDiff, _Values]]:
    for row in registry.db.execute(_JOIN, (b.id, a.id, a.id, b.id)):
        record, group, status_a, status_b, measures_a, measures_b, claims_a, claims_b, *texts = row
        before, after = loads(measures_a.encode()), loads(measures_b.encode())
        values = {name: (before.get(name), after.get(name)) for name in {**before, **after}}
        flips, gone, new = _flips(
            loads(claims_a.encode()), loads(claims_b.encode()),
            [loads(t.encode()) if t else None for t in texts],
        )  # fmt: skip
        changed = {name: pair for name, pair in values.items() if pair[0] != pair[1]}
        yield RecordDiff(record, group, (status_a, status_b), changed, flips, gone, new), values


def _flips(
    before: list[Any], after: list[Any], texts: list[list[str] | None]
) -> tuple[tuple[Flip, ...], int, int]:
    """Claims matched by their hashes, equal ones in their order."""
    waiting: dict[str, list[int]] = {}
    for i, (key, _, _) in enumerate(before):
        waiting.setdefault(key, []).append(i)
    flips: list[Flip] = []
    new = 0
    for j, (key, label, _) in enumerate(after):
        if not waiting.get(key):
            new += 1
            continue
        i = waiting[key].pop(0)
        if before[i][1] != label:
            said = texts[1][j] if texts[1] else texts[0][i] if texts[0] else None
            flips.append(Flip(before[i][1], label, said))
    return tuple(flips), sum(map(len, waiting.values())), new


def _count(result: Comparison, diff: RecordDiff, values: _Values) -> None:
    for flip in diff.flips:
        key = (flip.before, flip.after)
        result.flips[key] = result.flips.get(key, 0) + 1
    if diff.status[0] != diff.status[1]:
        result.statuses[diff.status] = result.statuses.get(diff.status, 0) + 1
    before, after = values.get(result.main, (None, None))
    if before is None or after is None:
        return
    gain = before - after if result.main in LOWER_IS_BETTER else after - before
    result.better += gain > 0
    result.worse += gain < 0
    result.same += gain == 0
