"""Labelled units: what the model said of a claim or an answer, and what people say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from nli_faith.calibration.statistics import Bools, Floats, Ints
from nli_faith.datamodels import Label, Thresholds

Unit = Literal["claim", "answer"]


@dataclass(frozen=True, slots=True)
class Sample:
    """One labelled claim, or one labelled answer as its weakest claim.

    Attributes:
        group: What never falls on both sides of a split: the record, or a wider group.
        support: The claim's ``combined``, which the support threshold is held against, before
            the quantity check's cap; in [0, 1].
        contradiction: Highest P(contradiction), in [0, 1]; NaN where the model has none.
        capped: The quantity check forbids support.
        gold: The label. Where a set knows no ``contradicted``, ``unsupported`` means any
            hallucination.
    """

    group: str
    support: float
    contradiction: float
    capped: bool
    gold: Label


@dataclass(frozen=True, slots=True)
class Arrays:
    """Samples as columns.

    Attributes:
        support: Support with the cap's effect: 0 for a capped claim, which no threshold lets
            pass.
        contradiction: P(contradiction).
        capped: Whether the quantity check caps.
        supported: The truth.
        contradicted: The truth.
        groups: Number of each sample's group, 0 to n - 1 in sorted order of names.
    """

    support: Floats
    contradiction: Floats
    capped: Bools
    supported: Bools
    contradicted: Bools
    groups: Ints

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> Arrays:
        """Columns of samples."""
        rows = list(samples)
        names = {name: i for i, name in enumerate(sorted({s.group for s in rows}))}
        capped = np.array([s.capped for s in rows], dtype=bool)
        support = np.array([s.support for s in rows], dtype=np.float64)
        return cls(
            support=np.where(capped, 0.0, support),
            contradiction=np.array([s.contradiction for s in rows], dtype=np.float64),
            capped=capped,
            supported=np.array([s.gold is Label.SUPPORTED for s in rows], dtype=bool),
            contradicted=np.array([s.gold is Label.CONTRADICTED for s in rows], dtype=bool),
            groups=np.array([names[s.group] for s in rows], dtype=np.intp),
        )

    def weakest(self) -> Arrays:
        """One row for each group: its least support; supported when all of it is."""
        n = int(self.groups.max()) + 1 if len(self.groups) else 0
        support, against = np.ones(n), np.zeros(n)
        np.minimum.at(support, self.groups, self.support)
        np.maximum.at(against, self.groups, np.nan_to_num(self.contradiction))
        flags = {}
        for name in ("capped", "contradicted"):
            flags[name] = np.bincount(self.groups, getattr(self, name), n) > 0
        supported = np.bincount(self.groups, ~self.supported, n) == 0
        return Arrays(support, against, flags["capped"], supported, flags["contradicted"],
                      np.arange(n, dtype=np.intp))  # fmt: skip


@dataclass(slots=True)
class LabelledSet:
    """Everything a calibration rests on.

    Attributes:
        samples: The labelled units.
        unit: What was labelled.
        model: Name of the model.
        model_sha256: Its hash.
        thresholds: The thresholds the model was scored with.
        config: The pipeline's options that change a score; None where the scored file does not
            tell.
        name: Name of the set, for the profile.
        skipped: Reason -> labelled units left out.
        problems: Rows that could not be used, as ``file:line: reason``.
    """

    samples: list[Sample] = field(default_factory=list)
    unit: Unit = "claim"
    model: str = ""
    model_sha256: str = ""
    thresholds: Thresholds | None = None
    config: Mapping[str, Any] | None = None
    name: str = "rows"
    skipped: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def skip(self, reason: str, n: int = 1) -> None:
        """Count labelled units that are left out."""
        if n:
            self.skipped[reason] = self.skipped.get(reason, 0) + n

    @property
    def sha256(self) -> str:
        """Hash over the samples in their order: the same data give the same."""
        digest = hashlib.sha256()
        for s in self.samples:
            line = f"{s.group}\t{s.support:.6f}\t{s.contradiction:.6f}\t{s.capped}\t{s.gold}\n"
            digest.update(line.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()
