"""Sampling by hash: whether a record is in depends on its id and the seed, and on nothing else.

So a sample is the same on every machine and in every order, a record keeps its place when others
come and go, and the sample at 5% is part of the one at 10%. Within every group the share kept is
the rate in expectation (stratified, with proportional allocation); ``min_per_group`` makes sure
that no group is lost.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError
from nli_faith.io import POSITIONAL_ID
from nli_faith.measures import group_name

ALL = "(all)"


@dataclass(slots=True)
class SampleReport:
    """What was seen and kept.

    Attributes:
        seen: Group -> records.
        kept: Group -> records kept.
        filled: Group -> those of the kept that the rate alone would not have kept.
        without_id: Records that had no id of their own and were told apart by their text.
    """

    seen: dict[str, int] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)
    filled: dict[str, int] = field(default_factory=dict)
    without_id: int = 0

    @property
    def total_seen(self) -> int:
        """Records in all groups."""
        return sum(self.seen.values())

    @property
    def total_kept(self) -> int:
        """Records kept in all groups."""
        return sum(self.kept.values())


class Sampler:
    """Decides record by record; memory grows with the number of groups only.

    Args:
        rate: Share to keep, in (0, 1].
        by: Dotted path into ``meta`` that names a record's group, ``meta.channel``; None for
            one group.
        seed: Another seed keeps other records.
        min_per_group: Keep at least so many of every group, those with the lowest hashes; 0 for
            none. They come at the end, for a group is known to be short only then.

    Raises:
        ConfigError: The rate or the minimum is out of range.
    """

    def __init__(
        self, rate: float, *, by: str | None = None, seed: int = 0, min_per_group: int = 0
    ) -> None:
        if not 0 < rate <= 1:
            raise ConfigError(f"rate must be in (0, 1], not {rate!r}")
        if min_per_group < 0:
            raise ConfigError(f"min_per_group must be 0 or more, not {min_per_group!r}")
        self.rate, self.by, self.seed, self.min_per_group = rate, by, seed, min_per_group
        self.report = SampleReport()
        # The lowest hashes passed over, of groups that may yet fall short: (-share, -age, record).
        self._spare: dict[str, list[tuple[float, int, Record]]] = {}

    def run(self, records: Iterable[Record]) -> Iterator[Record]:
        """The kept records: in input order, then those that fill up small groups.

        Args:
            records: Records, as a stream.
        """
        for age, record in enumerate(records):
            group = ALL if self.by is None else group_name(record.meta, self.by)
            self.report.seen[group] = self.report.seen.get(group, 0) + 1
            share = share_of(self._key(record), self.seed)
            if share < self.rate:
                self._keep(group)
                yield record
            elif self.report.kept.get(group, 0) < self.min_per_group:
                self._set_aside(group, share, age, record)
        yield from self._fill()

    def _key(self, record: Record) -> str:
        if not record.id.startswith(POSITIONAL_ID):
            return record.id
        # A row number changes when a row is put in before it; the text does not.
        self.report.without_id += 1
        return f"{record.question or ''}\x1f{record.answer}"

    def _keep(self, group: str) -> None:
        kept = self.report.kept[group] = self.report.kept.get(group, 0) + 1
        if kept >= self.min_per_group:
            self._spare.pop(group, None)

    def _set_aside(self, group: str, share: float, age: int, record: Record) -> None:
        heap = self._spare.setdefault(group, [])
        entry = (-share, -age, record)
        if len(heap) < self.min_per_group:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)

    def _fill(self) -> Iterator[Record]:
        chosen: list[tuple[int, str, Record]] = []
        for group, heap in self._spare.items():
            short = self.min_per_group - self.report.kept.get(group, 0)
            lowest = sorted(heap, key=lambda entry: (-entry[0], -entry[1]))[: max(0, short)]
            chosen += [(-age, group, record) for _, age, record in lowest]
        for _, group, record in sorted(chosen, key=lambda entry: entry[0]):
            self.report.kept[group] = self.report.kept.get(group, 0) + 1
            self.report.filled[group] = self.report.filled.get(group, 0) + 1
            yield record


def sample_records(
    records: Iterable[Record], rate: float, *, by: str | None = None, seed: int = 0,
    min_per_group: int = 0,
) -> list[Record]:  # fmt: skip
    """The sample as a list; see `Sampler` for arguments and errors."""
    return list(Sampler(rate, by=by, seed=seed, min_per_group=min_per_group).run(records))


def share_of(key: str, seed: int = 0) -> float:
    """A number in [0, 1) that is uniform over keys: 64 bits of BLAKE2b keyed with the seed.

    Args:
        key: An id.
        seed: Any integer of up to 64 bytes.
    """
    hashed = blake2b(
        key.encode("utf-8", "surrogatepass"), digest_size=8, key=str(seed).encode()[:64]
    )
    return int.from_bytes(hashed.digest(), "big") / 2**64


def record_dict(record: Record) -> dict[str, Any]:
    """A record as a row that `read_records` reads back as it was; absent fields are left out.

    Args:
        record: The record.
    """
    row: dict[str, Any] = {"id": record.id}
    if record.question is not None:
        row["question"] = record.question
    row |= {"contexts": list(record.contexts), "answer": record.answer}
    if record.reference is not None:
        row["reference"] = record.reference
    if record.variants:
        row["variants"] = [dict(v) for v in record.variants]
    if record.relevant_ids:
        row["relevant_ids"] = list(record.relevant_ids)
    if record.meta:
        row["meta"] = dict(record.meta)
    return row
