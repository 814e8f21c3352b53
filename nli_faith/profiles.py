"""Calibration profiles: thresholds and probabilities that fit one model and one kind of data.

A profile is a JSON file without a date, so that the same labels give the same file. It belongs
to one model: another one's probabilities mean something else.
"""

from __future__ import annotations

import bisect
import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from nli_faith.datamodels import Thresholds
from nli_faith.errors import ConfigError, InputError, ModelIntegrityError, OutputExistsError
from nli_faith.io.jsontext import JsonTextError, dumps, loads
from nli_faith.io.manifest import write_atomic
from nli_faith.results import FaithfulnessResult

Method = Literal["none", "platt", "isotonic"]
METHODS: tuple[Method, ...] = get_args(Method)
KIND = "nli_faith.profile"
FORMAT = 1
# Probabilities are kept this far from 0 and 1 before the logarithm.
CLIP = 1e-6
#: Options of the scorer that change a probability; a profile made under others fits less well.
SCORE_OPTIONS = (
    "mode", "granularity", "top_k", "prefilter", "combine", "quantities", "wording", "max_window",
    "window_tokens", "joined_chars", "max_chars", "newline",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Profile:
    """Thresholds and a map to probabilities, calibrated on labels.

    Attributes:
        name: Name of the labelled set.
        model: Name of the model.
        model_sha256: Its hash.
        support: Support threshold, in (0, 1].
        contradiction: Contradiction threshold, in (0, 1].
        target: What the support threshold was chosen for.
        method: ``none``, ``platt`` or ``isotonic``.
        parameters: Of the method. Platt: ``a``, ``b``. Isotonic: ``x``, ``y``. Both:
            ``capped``, P(supported) of a claim that the quantity check caps.
        config: Options of the scorer it was made under; empty when unknown.
        calibrated_on: Name, hash and counts of the labelled set.
        figures: What was measured on the held-out part.
    """

    name: str
    model: str
    model_sha256: str
    support: float
    contradiction: float
    target: str = "balanced"
    method: Method = "none"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    calibrated_on: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Thresholds(self.support, self.contradiction)  # checks the ranges
        if self.method not in METHODS:
            raise ConfigError(f"method must be one of {', '.join(METHODS)}, not {self.method!r}")
        _check_parameters(self.method, self.parameters)

    @property
    def id(self) -> str:
        """``NAME@HASH``, the hash over everything in it; what results name."""
        return f"{self.name}@{hashlib.sha256(dumps(self.to_dict())).hexdigest()[:12]}"

    def thresholds(self) -> Thresholds:
        """Its thresholds; ``calibrated_on`` is ``profile NAME@HASH``."""
        return Thresholds(self.support, self.contradiction, f"profile {self.id}")

    def check_model(self, model: str, sha256: str) -> None:
        """Refuse another model.

        Args:
            model: Name of the model in use.
            sha256: Its hash.

        Raises:
            ModelIntegrityError: It is another one; the message names both hashes.
        """
        if sha256 != self.model_sha256:
            raise ModelIntegrityError(
                f"profile {self.id} was calibrated for model {self.model!r} with sha256 "
                f"{self.model_sha256}, but the model in use is {model!r} with sha256 {sha256}: "
                "calibrate anew, or score with that model"
            )

    def differences(self, config: Mapping[str, Any]) -> list[str]:
        """Options that change probabilities and are not those of the calibration.

        Args:
            config: The scorer's options, as `dataclasses.asdict` gives them.

        Returns:
            One ``name: then -> now`` each; empty when all are equal or the profile knows none.
        """
        return [
            f"{name}: {self.config[name]!r} -> {config[name]!r}"
            for name in SCORE_OPTIONS
            if name in self.config and name in config and self.config[name] != config[name]
        ]

    def apply(self, result: FaithfulnessResult) -> FaithfulnessResult:
        """A result judged anew by the profile's thresholds; no inference.

        Raises:
            ModelIntegrityError: The result is of another model, or of an unknown one.
        """
        info = result.scorer
        self.check_model(info.model if info else "unknown", info.model_sha256 if info else "none")
        if result.thresholds is None:
            return result
        judged = result.rethreshold(support=self.support, contradiction=self.contradiction)
        return replace(judged, thresholds=self.thresholds())

    def probability(self, support: float, capped: bool = False) -> float:
        """P(the claim is supported), calibrated, in [0, 1].

        Args:
            support: The claim's ``combined``: its support before the quantity check.
            capped: Whether the quantity check caps it.

        Returns:
            The support itself for method ``none`` (0 when capped).
        """
        if math.isnan(support):
            return math.nan
        if self.method == "none":
            return 0.0 if capped else support
        if capped:
            return float(self.parameters["capped"])
        if self.method == "platt":
            return sigmoid(self.parameters["a"] * logit(support) + self.parameters["b"])
        return _interpolate(support, self.parameters["x"], self.parameters["y"])

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "kind": KIND,
            "format": FORMAT,
            "name": self.name,
            "model": self.model,
            "model_sha256": self.model_sha256,
            "thresholds": {"support": self.support, "contradiction": self.contradiction},
            "target": self.target,
            "method": self.method,
            "parameters": dict(self.parameters),
            "config": dict(self.config),
            "calibrated_on": dict(self.calibrated_on),
            "figures": dict(self.figures),
        }

    @classmethod
    def from_dict(cls, data: Any, origin: str = "profile") -> Profile:
        """Inverse of `to_dict`.

        Args:
            data: The JSON value.
            origin: Where it is from, for messages.

        Raises:
            InputError: It is no profile, or one of a newer kind.
            ConfigError: A value is out of range.
        """
        if not isinstance(data, Mapping) or data.get("kind") != KIND:
            raise InputError(f'{origin}: is no calibration profile (no "kind": "{KIND}")')
        if data.get("format") != FORMAT:
            raise InputError(f"{origin}: profile format {data.get('format')!r} is not {FORMAT}")
        thresholds = data.get("thresholds")
        if not isinstance(thresholds, Mapping):
            raise InputError(f"{origin}: field 'thresholds': {thresholds!r:.60} is no object")
        for name in ("name", "model", "model_sha256", "target", "method"):
            if not isinstance(data.get(name), str) or not data[name]:
                raise InputError(f"{origin}: field {name!r}: {data.get(name)!r:.60} is no text")
        for name in ("parameters", "config", "calibrated_on", "figures"):
            if not isinstance(data.get(name, {}), Mapping):
                raise InputError(f"{origin}: field {name!r}: {data[name]!r:.60} is no object")
        try:
            return cls(
                data["name"], data["model"], data["model_sha256"],
                thresholds.get("support"), thresholds.get("contradiction"),  # type: ignore[arg-type]
                data["target"], data["method"], data.get("parameters", {}),
                data.get("config", {}), data.get("calibrated_on", {}), data.get("figures", {}),
            )  # fmt: skip
        except ConfigError as error:
            raise ConfigError(f"{origin}: {error}") from error


def load_profile(path: str | os.PathLike[str]) -> Profile:
    """Read a profile.

    Raises:
        InputError: The file cannot be read or is no profile.
        ConfigError: A value in it is out of range.
    """
    name = os.fspath(path)
    try:
        data = loads(Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error
    except JsonTextError as error:
        raise InputError(f"{name}: invalid JSON at line {error.line}: {error.reason}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not UTF-8 (byte {error.start})") from error
    return Profile.from_dict(data, name)


def save_profile(
    profile: Profile, path: str | os.PathLike[str], *, overwrite: bool = False
) -> None:
    """Write a profile as indented JSON, whole or not at all.

    Args:
        profile: The profile.
        path: Where to.
        overwrite: Replace a file that is there.

    Raises:
        OutputExistsError: The file is there, with content, and is not to be replaced.
        OutputError: It cannot be written.
    """
    target = Path(path)
    if target.exists() and target.stat().st_size and not overwrite:
        raise OutputExistsError(f"{target}: exists already: pass --overwrite, or name another")
    write_atomic(target, dumps(profile.to_dict(), pretty=True))


def logit(probability: float) -> float:
    """log(p / (1 - p)), p kept `CLIP` away from 0 and 1."""
    p = min(max(probability, CLIP), 1 - CLIP)
    return math.log(p / (1 - p))


def sigmoid(value: float) -> float:
    """1 / (1 + exp(-x)), safe for large x."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    power = math.exp(value)
    return power / (1 + power)


def _interpolate(value: float, xs: Sequence[float], ys: Sequence[float]) -> float:
    at = bisect.bisect_left(xs, value)
    if at == 0:
        return float(ys[0])
    if at == len(xs):
        return float(ys[-1])
    share = (value - xs[at - 1]) / (xs[at] - xs[at - 1])
    return float(ys[at - 1] + (ys[at] - ys[at - 1]) * share)


def _check_parameters(method: Method, parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that would only fail at the first claim.

    Raises:
        ConfigError: One is absent or of a wrong kind; the message quotes it.
    """
    if method == "none":
        return
    for name in ("capped", "a", "b") if method == "platt" else ("capped",):
        if not _is_number(parameters.get(name)):
            raise ConfigError(f"parameter {name!r} of {method} is {parameters.get(name)!r:.60}")
    if not 0 <= parameters["capped"] <= 1:
        raise ConfigError(f"parameter 'capped' must be in [0, 1], not {parameters['capped']!r}")
    if method == "isotonic":
        xs, ys = _numbers(parameters, "x"), _numbers(parameters, "y")
        if len(xs) != len(ys):
            raise ConfigError(f"parameters 'x' and 'y' of isotonic: {len(xs)} and {len(ys)} long")
        if xs != sorted(set(xs)) or ys != sorted(ys) or ys[0] < 0 or ys[-1] > 1:
            raise ConfigError("parameters 'x' and 'y' of isotonic must rise, y within [0, 1]")


def _numbers(parameters: Mapping[str, Any], name: str) -> list[float]:
    values = parameters.get(name)
    if not isinstance(values, list) or not values or not all(map(_is_number, values)):
        raise ConfigError(f"parameter {name!r} of isotonic is no list of numbers: {values!r:.60}")
    return values


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
