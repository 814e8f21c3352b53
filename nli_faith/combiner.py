"""A small calibrated combiner: from a claim's signals to one probability of support.

Logistic regression over a handful of named features, fitted by `scripts/fit_combiner.py` on
labelled claims that no model was trained on, and shipped in the model's manifest. The model's
probabilities say what a premise says; overlap says whether the material speaks of the matter at
all, which small models are bad at; the joined premise and the best window fail differently.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Probabilities are cut here before their log-odds are taken, so that no feature is infinite.
_EDGE = 1e-4


#: Overlap from which on material is not called apart from a claim: in the held-out contrastive
#: sets 95 in a hundred claims have 0.06 or less with another document, and 75 in a hundred
#: supported ones 0.11 or more with their own.
_APART = 0.15

#: Names of `claim_features`.
FEATURES = (
    "joined", "best", "against", "overlap", "window_overlap", "apart", "covered", "length",
    "stated", "clash", "unstated", "turned", "shifted",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextSignals:
    """What the checks of quantities and wording found, where they do not decide.

    Attributes:
        stated: The claim has quantities and the material states every one of them.
        clash: For some quantity the material has another value of the same kind.
        unstated: Some quantity is neither there nor derivable.
        turned: A hedge, plan, scope or the like of the nearest sentence became another one.
        shifted: A weaker sign of that kind: an opposite, a dropped negation, an added hedge.
    """

    stated: bool = False
    clash: bool = False
    unstated: bool = False
    turned: bool = False
    shifted: bool = False


NO_SIGNALS = TextSignals()


def log_odds(p: float) -> float:
    """Log-odds of a probability, cut to the range that (0.0001, 0.9999) gives."""
    p = min(max(p, _EDGE), 1.0 - _EDGE)
    return math.log(p / (1.0 - p))


def claim_features(
    probs: NDArray[np.floating[Any]],
    *,
    overlap: float,
    window_overlap: float,
    joined: int,
    claim_chars: int,
    comparable: bool = True,
    gain: float = 0.0,
    text: TextSignals = NO_SIGNALS,
) -> dict[str, float]:
    """The signals of one claim.

    Args:
        probs: (premises, 3) entailment, neutral, contradiction; NaN for a class that a model
            does not have.
        overlap: Share of the claim's n-grams in the joined premise, in [0, 1].
        window_overlap: The same of the premise that holds most of them.
        joined: Index of the joined premise.
        claim_chars: Characters of the claim.
        comparable: Whether overlap can speak of the claim (`pairing.ClaimPlan`).
        gain: Log-odds that premises which were not scored are taken to add to the best one.
        text: What the checks of quantities and wording found.

    Returns:
        ``joined`` and ``best``: log-odds of entailment by the joined premise and by the premise
        that entails most; ``against``: log-odds of contradiction by the joined premise;
        ``overlap`` and ``window_overlap`` as given; ``apart``: 1 where no premise shares an n-gram
        with the claim, falling to 0 at an overlap of 0.15, and 0 where overlap cannot be
        compared; ``covered``: 1 where the joined premise
        holds nearly every n-gram; ``length``: log of characters over 30; ``stated``,
        ``clash``, ``unstated``, ``turned`` and ``shifted``: see `TextSignals`.
    """
    entailment = probs[:, 0]
    opposing = float(np.nan_to_num(probs[joined, 2], nan=0.0))
    return {
        "joined": log_odds(float(entailment[joined])),
        "best": log_odds(float(entailment.max())) + gain,
        "against": log_odds(opposing),
        "overlap": overlap,
        "window_overlap": window_overlap,
        "apart": max(0.0, 1.0 - window_overlap / _APART) if comparable else 0.0,
        "covered": float(overlap >= 0.95),
        "length": math.log(max(claim_chars, 1) / 30.0),
        **{f.name: float(getattr(text, f.name)) for f in fields(text)},
    }


@dataclass(frozen=True, slots=True)
class Combiner:
    """Weights of the features.

    Attributes:
        weights: Feature name to weight.
        bias: Constant term.
        fitted_on: The labelled sets.
    """

    weights: Mapping[str, float]
    bias: float
    fitted_on: str

    def __call__(self, features: Mapping[str, float]) -> float:
        """Probability of support, in (0, 1).

        Args:
            features: From `claim_features`.
        """
        z = self.bias + sum(w * features[name] for name, w in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, z))))

    def parts(self, features: Mapping[str, float]) -> dict[str, float]:
        """What each feature adds to the log-odds, for explanations."""
        return {name: w * features[name] for name, w in self.weights.items()}

    def to_dict(self) -> dict[str, Any]:
        """The manifest's form."""
        return {"weights": dict(self.weights), "bias": self.bias, "fitted_on": self.fitted_on}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Combiner:
        """Inverse of `to_dict`.

        Raises:
            KeyError: A field is missing.
            ValueError: A weight is no finite number, or a feature is unknown.
        """
        weights = {str(k): float(v) for k, v in data["weights"].items()}
        known = set(FEATURES)
        if not set(weights) <= known:
            raise ValueError(f"unknown features {sorted(set(weights) - known)}")
        numbers = [*weights.values(), float(data["bias"])]
        if not all(map(math.isfinite, numbers)):
            raise ValueError("a weight is not finite")
        return cls(weights, float(data["bias"]), str(data["fitted_on"]))


def fit(
    features: Sequence[Mapping[str, float]],
    supported: Sequence[bool],
    names: Sequence[str],
    *,
    sample_weights: Sequence[float] | None = None,
    ridge: float = 1.0,
    nonnegative: Sequence[str] = (
        "joined",
        "best",
        "overlap",
        "window_overlap",
        "covered",
        "stated",
    ),
    nonpositive: Sequence[str] = ("against", "apart", "clash", "unstated"),
    fitted_on: str = "",
) -> Combiner:
    """Logistic regression by Newton's method, with the signs that make sense.

    More entailment or more overlap may never make a claim less supported, nor more contradiction
    make it more so: a feature whose weight comes out with the wrong sign is dropped and the rest
    fitted again.

    Args:
        features: From `claim_features`, one a claim.
        supported: Truth.
        names: The features to use.
        sample_weights: Weight of each claim; equal when None.
        ridge: L2 penalty on weights of standardised features, not on the bias.
        nonnegative: Features that may only raise support.
        nonpositive: Features that may only lower it.
        fitted_on: Kept in the result.
    """
    names = list(names)
    y = np.asarray(supported, dtype=float)
    share = np.ones(len(y)) if sample_weights is None else np.asarray(sample_weights, dtype=float)
    while True:
        x = np.array([[f[n] for n in names] for f in features])
        mean, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-9)
        w = _newton((x - mean) / scale, y, share, ridge)
        weights = dict(zip(names, (w[1:] / scale).tolist(), strict=True))
        signs = {n: 1 if n in nonnegative else -1 if n in nonpositive else 0 for n in names}
        wrong = [n for n in names if weights[n] * signs[n] < 0]
        if not wrong:
            bias = float(w[0] - (w[1:] / scale) @ mean)
            return Combiner(weights, bias, fitted_on)
        names.remove(min(wrong, key=lambda n: weights[n] * signs[n]))


def _newton(
    x: NDArray[np.float64], y: NDArray[np.float64], share: NDArray[np.float64], ridge: float
) -> NDArray[np.float64]:
    design = np.column_stack([np.ones(len(x)), x])
    penalty = np.diag([0.0] + [ridge] * x.shape[1])
    w = np.zeros(design.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-np.clip(design @ w, -60, 60)))
        slope = design.T @ (share * (p - y)) + penalty @ w
        curve = (design * (share * p * (1 - p))[:, None]).T @ design + penalty
        step = np.linalg.solve(curve + 1e-9 * np.eye(len(w)), slope)
        w = w - step
        if np.abs(step).max() < 1e-9:
            break
    return w
