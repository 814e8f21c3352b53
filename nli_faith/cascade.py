"""A strong model asked about the claims alone that a cheap one is unsure of."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Status, Thresholds
from nli_faith.errors import ConfigError
from nli_faith.results import FaithfulnessResult, ScorerInfo
from nli_faith.verdicts import ClaimResult

#: Start and end of a claim in its answer.
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Band:
    """Supports that the first model is not trusted with.

    Attributes:
        low: Below it a claim stays as the first model judged it, in [0, 1].
        high: The same from it on; above ``low``.
    """

    low: float = 0.2
    high: float = 0.8

    def __post_init__(self) -> None:
        if not 0.0 <= self.low < self.high <= 1.0:
            raise ConfigError(
                f"a band is two numbers with 0 <= low < high <= 1, not {self.low!r},{self.high!r}"
            )

    @classmethod
    def parse(cls, text: str) -> Band:
        """Read ``0.2,0.8``.

        Raises:
            ConfigError: It is no band.
        """
        try:
            low, high = (float(part) for part in text.split(","))
        except ValueError as error:
            raise ConfigError(f"a band is LOW,HIGH such as 0.2,0.8, not {text!r}") from error
        return cls(low, high)

    def holds(self, claim: ClaimResult) -> bool:
        """Whether a claim goes to the second model.

        What the combiner or the model said counts, not what the quantity check made of it: a
        claim that it caps stays capped with any model.
        """
        return not claim.capped and self.low <= claim.combined < self.high


def cascade_info(
    first: ScorerInfo,
    first_config: ScorerConfig,
    second: ScorerInfo,
    second_config: ScorerConfig,
    band: Band,
) -> ScorerInfo:
    """What results say of a cascade: both models, and a hash over all that decides.

    Raises:
        ConfigError: The two scorers cut answers differently, or the second is a cascade itself.
    """
    if second.then:
        raise ConfigError("the second model of a cascade cannot be a cascade")
    for name in ("granularity", "max_chars", "newline"):
        mine, theirs = getattr(first_config, name), getattr(second_config, name)
        if mine != theirs:
            raise ConfigError(
                f"both models of a cascade must cut answers alike: {name} is {mine!r} "
                f"and {theirs!r}"
            )
    parts = (first.config_hash, second.config_hash, second.model_sha256, band.low, band.high)
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    return replace(first, config_hash=digest, then=f"{second.model}@{second.model_sha256[:12]}")


def doubtful(result: FaithfulnessResult, band: Band) -> set[Span]:
    """Spans of a result's claims that go to the second model."""
    if result.status is not Status.SCORED:
        return set()
    return {(c.start, c.end) for c in result.claims if band.holds(c)}


def merged(
    first: FaithfulnessResult,
    second: FaithfulnessResult,
    *,
    model: str,
    thresholds: Thresholds,
) -> FaithfulnessResult:
    """The first model's result with the claims that the second one judged.

    Args:
        first: Of all claims.
        second: Of the doubtful ones.
        model: Name of the second model.
        thresholds: Its thresholds; those claims keep them.
    """
    if second.status is not Status.SCORED:
        # What the strong model could not do must not undo what the first one did.
        return replace(first, error=second.error)
    new = {(c.start, c.end): replace(c, model=model, thresholds=thresholds) for c in second.claims}
    claims: Sequence[ClaimResult] = [new.get((c.start, c.end), c) for c in first.claims]
    return replace(
        first,
        claims=tuple(claims),
        truncated=first.truncated or second.truncated,
        pairs_second=second.pairs_scored,
    )
