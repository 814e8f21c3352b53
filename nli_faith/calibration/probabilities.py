"""From a model's support to P(supported): Platt scaling and isotonic regression.

Fitted with scikit-learn (extra ``calibration``); what is fitted is a few numbers, so a profile
is used without it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nli_faith.calibration.samples import Arrays
from nli_faith.calibration.statistics import Floats
from nli_faith.errors import ConfigError, MissingExtraError
from nli_faith.profiles import CLIP, METHODS, Method, Profile

EXTRA = "calibration"
#: scikit-learn advises against isotonic regression on "too few" samples, less than about this
#: (user guide, section Probability calibration).
ISOTONIC_ADVISED = 1000


def fit(method: Method, data: Arrays) -> dict[str, Any]:
    """Parameters of a calibration method.

    Platt: p = 1 / (1 + exp(-(a logit(s) + b))), a and b by maximum likelihood, next to no
    regularisation (Platt 1999, on log-odds). Isotonic: the non-decreasing step function with
    the least squared error (Zadrozny & Elkan 2002). Claims that the quantity check caps are a
    group of their own: (supported + 1) / (n + 2), since their support says little.

    Args:
        method: ``none``, ``platt`` or ``isotonic``.
        data: The labelled units; both sides are among those that are not capped.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        ConfigError: The method is unknown, only one side is left, or support does not rise with
            being supported.
    """
    if method == "none":
        return {}
    if method not in METHODS:
        raise ConfigError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    free = ~data.capped
    support, truth = data.support[free], data.supported[free]
    if truth.all() or not truth.any():
        raise ConfigError(
            f"method {method}: of {int(free.sum())} units without a quantity mismatch "
            f"{int(truth.sum())} are supported: both sides are needed"
        )
    capped = data.supported[data.capped]
    parameters: dict[str, Any] = {"capped": (int(capped.sum()) + 1) / (len(capped) + 2)}
    return parameters | (_platt if method == "platt" else _isotonic)(support, truth)


def predict(profile: Profile, data: Arrays) -> Floats:
    """P(supported) of every unit under a profile.

    Args:
        profile: With a method and its parameters.
        data: The units.
    """
    pairs = zip(data.support.tolist(), data.capped.tolist(), strict=True)
    return np.array([profile.probability(s, c) for s, c in pairs], dtype=np.float64)


def _platt(support: Floats, truth: Any) -> dict[str, Any]:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("scikit-learn", EXTRA) from error
    clipped = np.clip(support, CLIP, 1 - CLIP)
    features = np.log(clipped / (1 - clipped))[:, None]
    model = LogisticRegression(C=1e6, max_iter=1000).fit(features, truth)
    a, b = float(model.coef_[0, 0]), float(model.intercept_[0])
    if a <= 0:
        raise ConfigError(
            f"method platt: the slope is {a:.3f}: support does not rise with being supported, so "
            "no calibration can help; look at the labels"
        )
    return {"a": round(a, 8), "b": round(b, 8)}


def _isotonic(support: Floats, truth: Any) -> dict[str, Any]:
    try:
        from sklearn.isotonic import IsotonicRegression
    except ImportError as error:
        raise MissingExtraError("scikit-learn", EXTRA) from error
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    model.fit(support, truth.astype(np.float64))
    ys = [round(float(y), 8) for y in model.y_thresholds_]
    if ys[0] == ys[-1]:
        raise ConfigError(
            f"method isotonic: the best non-decreasing function is constant ({ys[0]:.3f}): support "
            "does not rise with being supported; look at the labels"
        )
    return {"x": [float(x) for x in model.X_thresholds_], "y": ys}
