"""How alike two retrieved lists are: as sets, and as rankings."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Final, TypeVar

from nli_faith.errors import ConfigError

T = TypeVar("T", bound=Hashable)

#: Persistence: each further rank matters 0.9 times as much as the one before it, so the first ten
#: ranks carry 86% of the weight (Webber et al. 2010, section 4.3).
PERSISTENCE: Final = 0.9


def jaccard(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    """``|A ∩ B| / |A ∪ B|``, in [0, 1]; higher is more alike. NaN for two empty lists.

    Source: Jaccard 1901.

    Args:
        a: One list; order and repeats play no part.
        b: The other.
    """
    union = set(a) | set(b)
    return len(set(a) & set(b)) / len(union) if union else math.nan


def rank_biased_overlap(
    a: Sequence[T], b: Sequence[T], *, persistence: float = PERSISTENCE
) -> float:
    """Rank-biased overlap, extrapolated (RBO_ext), in [0, 1]; higher is more alike.

    For lists of lengths s <= l, with X_d the overlap of their first d items::

        (1-p)/p * (sum_{d=1..l} X_d/d p^d + sum_{d=s+1..l} X_s (d-s)/(s d) p^d)
        + ((X_l - X_s)/l + X_s/s) p^l

    Source: Webber, Moffat & Zobel 2010, "A Similarity Measure for Indefinite Rankings", ACM TOIS
    28(4), equation 32. It needs no equal length, weighs the top most, and is 1 for equal lists and
    0 for disjoint ones.

    Args:
        a: One ranking, best first; of a repeated item the first counts.
        b: The other.
        persistence: p, in (0, 1).

    Returns:
        NaN for two empty lists, 0 where only one is empty.

    Raises:
        ConfigError: ``persistence`` is not in (0, 1).
    """
    if not 0.0 < persistence < 1.0:
        raise ConfigError(f"persistence must be in (0, 1), not {persistence!r}")
    short, long = sorted((list(dict.fromkeys(a)), list(dict.fromkeys(b))), key=len)
    s, n, p = len(short), len(long), persistence
    if not n:
        return math.nan
    if not s:
        return 0.0
    overlap = [0]
    for depth in range(1, n + 1):
        overlap.append(len(set(short[:depth]) & set(long[:depth])))
    agreed = sum(overlap[d] / d * p**d for d in range(1, n + 1))
    beyond = sum(overlap[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    rest = ((overlap[n] - overlap[s]) / n + overlap[s] / s) * p**n
    return min(1.0, (1 - p) / p * (agreed + beyond) + rest)
