"""A measured row as the registry keeps it: measures and claim hashes, texts only on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from nli_faith.datamodels import Label
from nli_faith.io import dumps
from nli_faith.measures import MeasuredRow, group_name
from nli_faith.redaction import find_private, redact

_LABELS = tuple(label.value for label in Label)


@dataclass(slots=True)
class Tally:
    """Counts and sums of one run, added up row by row.

    Attributes:
        rows: Rows seen.
        scored: Rows with faithfulness.
        statuses: Status -> rows.
        label_counts: Label -> claims.
        scorer: Model, hashes and version of the first row that names them.
        mixed: Rows came from more than one model or configuration.
    """

    rows: int = 0
    scored: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    label_counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_LABELS, 0))
    scorer: Mapping[str, Any] = field(default_factory=dict)
    mixed: bool = False
    _sums: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)

    def add(self, row: MeasuredRow, group: str | None) -> None:
        """Count a row, for the run and for its group."""
        self.rows += 1
        self.scored += row.status == "scored"
        self.statuses[row.status] = self.statuses.get(row.status, 0) + 1
        for label, n in row.label_counts.items():
            self.label_counts[label] += n
        if row.scorer:
            self.mixed |= bool(self.scorer) and self.scorer != row.scorer
            self.scorer = self.scorer or row.scorer
        for part in ("",) if group is None else ("", group):
            self._sizes[part] = self._sizes.get(part, 0) + 1
            for measure, value in row.values.items():
                total, n = self._sums.get((part, measure), (0.0, 0))
                self._sums[part, measure] = (total + value, n + 1)

    def means(self) -> list[tuple[str, str, int, int, float]]:
        """(group, measure, measured, rows, mean), the whole run as group ``''``."""
        return [
            (group, measure, n, self._sizes[group], total / n)
            for (group, measure), (total, n) in self._sums.items()
        ]


@dataclass(frozen=True, slots=True)
class Keeper:
    """How rows are kept.

    Attributes:
        group_by: Dotted path of the group, or None.
        redacted: Mask private data in ids, groups and texts.
        texts: Keep the claims' texts.
        salt: Keys the pseudonyms of ids that hold private data.
    """

    group_by: str | None
    redacted: bool
    texts: bool
    salt: bytes

    def group(self, row: MeasuredRow) -> str | None:
        """A row's group, masked where asked."""
        if self.group_by is None:
            return None
        name = group_name(row.meta, self.group_by)
        return redact(name) if self.redacted else name

    def columns(self, row: MeasuredRow, group: str | None) -> tuple[Any, ...]:
        """(record, grp, status, measures, claims, texts) of the table ``records``."""
        claims = [
            [
                claim_hash(str(c.get("text", "")), self.salt),
                str(c.get("label", "")),
                c.get("support"),
            ]
            for c in row.claims
        ]
        texts = None
        if self.texts:
            found = [str(c.get("text", "")) for c in row.claims]
            texts = dumps([redact(t) for t in found] if self.redacted else found).decode()
        return (
            self.identity(row.id), group or "", row.status, dumps(dict(row.values)).decode(),
            dumps(claims).decode(), texts,
        )  # fmt: skip

    def identity(self, record: str) -> str:
        """The id, or a pseudonym for one that holds private data.

        Masked ids of one length would all be one; a keyed hash keeps them apart, and the same in
        every run of this registry.
        """
        if not self.redacted or not find_private(record):
            return record
        key = blake2b(record.encode("utf-8", "surrogatepass"), digest_size=8, key=self.salt)
        return f"id-{key.hexdigest()}"


def claim_hash(text: str, salt: bytes) -> str:
    """Recognises a claim in another run without keeping its text.

    Keyed with the registry's secret: without it a short claim could be guessed from its hash.

    Args:
        text: The claim; white space is not looked at.
        salt: The registry's secret.
    """
    data = "".join(text.split()).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=8, key=salt).hexdigest()
