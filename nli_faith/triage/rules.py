"""Which record may pass, which goes to the LLM judge, which to a person.

A claim's band, first rule that fits:

====================================================================  ========  ==================
what the scorer says                                                  band      reason
====================================================================  ========  ==================
supported, but another passage contradicts it                         judge     conflict
supported, support at least ``accept`` of the way from threshold to 1  accept    clear_support
supported, less than that                                             judge     near_threshold
the model supports it, the quantity check forbids it                  judge     quantity_mismatch
contradicted and a quantity differs too                               human     contradicted
contradicted with evidence, ``human`` of the way from threshold to 1  human     contradicted
contradicted, less than that or without evidence                      judge     weak_contradiction
not supported, a quantity differs                                     judge     quantity_mismatch
not supported                                                         judge     unsupported
====================================================================  ========  ==================

A record's band is the strictest of its claims' (human over judge over accept); one in which a
claim was cut to fit the model goes to the judge at least, all its claims with it. Records without
a score have a band by status.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from nli_faith.datamodels import Label, Status, Thresholds
from nli_faith.errors import ConfigError
from nli_faith.results import FaithfulnessResult
from nli_faith.verdicts import ClaimResult


class Band(str, Enum):
    """Where a record goes."""

    ACCEPT = "accept"
    JUDGE = "judge"
    HUMAN = "human"

    def __str__(self) -> str:
        return self.value


_STRICTNESS = {Band.ACCEPT: 0, Band.JUDGE: 1, Band.HUMAN: 2}
STATUS_BANDS: Mapping[Status, Band] = MappingProxyType(
    {
        # Nothing is asserted, so nothing can be false.
        Status.REFUSAL: Band.ACCEPT,
        Status.NO_CLAIMS: Band.ACCEPT,
        # A judge has nothing to read: the answer or the material is missing.
        Status.EMPTY_ANSWER: Band.HUMAN,
        Status.NO_CONTEXT: Band.HUMAN,
        Status.ERROR: Band.HUMAN,
    }
)
"""Bands of records without a score."""


@dataclass(frozen=True, slots=True)
class TriageRules:
    """Parameters of the rules; see the module for the rules themselves.

    Margins are shares of the way from a threshold to 1, so that they mean the same for every
    model and profile: with a threshold of 0.6, ``accept=0.25`` asks for 0.7.

    Attributes:
        accept: In [0, 1]. 0 accepts all that is supported; 1 only certain ones. The default
            0.25 leaves out the claims right above the threshold, where a calibrated model is
            wrong nearly as often as right.
        human: In [0, 1]. 0 sends every contradiction to a person; the default 0.5 only those
            the model is sure of, since a person's minute costs more than a judge's call.
        statuses: Band of each status but ``scored``.
    """

    accept: float = 0.25
    human: float = 0.5
    statuses: Mapping[Status, Band] = field(default_factory=lambda: STATUS_BANDS)

    def __post_init__(self) -> None:
        for name in ("accept", "human"):
            value = getattr(self, name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not 0 <= value <= 1:
                raise ConfigError(f"triage margin {name!r} must be in [0, 1], not {value!r}")
        object.__setattr__(self, "statuses", {**STATUS_BANDS, **self.statuses})


@dataclass(frozen=True, slots=True)
class ClaimDecision:
    """The band of one claim and why.

    Attributes:
        index: 0-based index among the record's claims.
        band: Where it goes.
        reason: See the module.
    """

    index: int
    band: Band
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The band of one record.

    Attributes:
        band: Where it goes.
        claims: One decision a claim; empty where there is no score.
        reasons: Why it is not accepted, each once; the status where there is no score.
    """

    band: Band
    claims: tuple[ClaimDecision, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def doubtful(self) -> tuple[ClaimDecision, ...]:
        """Claims that somebody has to look at."""
        return tuple(c for c in self.claims if c.band is not Band.ACCEPT)


def decide(result: FaithfulnessResult, rules: TriageRules | None = None) -> Decision:
    """The band of a record.

    Args:
        result: A result of ``score``.
        rules: Parameters; the defaults when None.

    Raises:
        ConfigError: A scored result comes without thresholds.
    """
    rules = rules or TriageRules()
    if result.status is not Status.SCORED:
        return Decision(rules.statuses[result.status], reasons=(result.status.value,))
    if result.thresholds is None:
        raise ConfigError(f"result {result.id!r} comes without thresholds: score it again")
    claims = tuple(
        ClaimDecision(i, *_claim(claim, result.thresholds, rules))
        for i, claim in enumerate(result.claims)
    )
    if result.truncated:
        # Which claim was cut is not known; a judge reads all of them whole.
        claims = tuple(
            ClaimDecision(c.index, Band.JUDGE, "truncated") if c.band is Band.ACCEPT else c
            for c in claims
        )
    band = max((c.band for c in claims), key=_STRICTNESS.__getitem__, default=Band.ACCEPT)
    reasons = dict.fromkeys(c.reason for c in claims if c.band is not Band.ACCEPT)
    return Decision(band, claims, tuple(reasons))


def _claim(claim: ClaimResult, limits: Thresholds, rules: TriageRules) -> tuple[Band, str]:
    if claim.label is Label.SUPPORTED:
        if claim.conflict:
            return Band.JUDGE, "conflict"
        if claim.support >= limits.support + rules.accept * (1 - limits.support):
            return Band.ACCEPT, "clear_support"
        return Band.JUDGE, "near_threshold"
    if claim.capped and claim.combined >= limits.support:
        return Band.JUDGE, "quantity_mismatch"
    if claim.label is Label.CONTRADICTED:
        sure = limits.contradiction + rules.human * (1 - limits.contradiction)
        if claim.evidence is not None and (claim.capped or claim.contradiction >= sure):
            return Band.HUMAN, "contradicted"
        return Band.JUDGE, "weak_contradiction"
    return Band.JUDGE, "quantity_mismatch" if claim.capped else "unsupported"
