"""One number out of many: weights over what was measured, and rules that no average softens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from nli_faith.errors import ConfigError
from nli_faith.metrics.base import MetricStatus, MetricValue
from nli_faith.metrics.registry import canonical
from nli_faith.metrics.tables import read_table
from nli_faith.metrics.veto import Veto

DEFAULT_WEIGHTS: Final[Mapping[str, float]] = {
    "faithfulness": 0.30,
    "answer_correctness": 0.25,
    "completeness": 0.20,
    "answer_relevancy": 0.15,
    "readability": 0.10,
}
"""Weights where the user gives none."""


@dataclass(frozen=True)
class Composite:
    """Weighted mean of metrics, with vetoes.

    ``sum(w_i * v_i) / sum(w_i)`` over the metrics that were measured; ``details.share`` says what
    part of the whole weight that was. A veto that fires caps the result (``cap:0.5``) or sets it to
    0 (``fail``), with status ``measured`` and the rule as the reason. Range [0, 1], higher is
    better. NaN where less than ``min_share`` of the weight was measured, unless a veto fails it.

    A veto about something that was not measured cannot be decided: it does not fire and is listed
    under ``undecided``.

    Attributes:
        weights: Metric name (or alias) -> weight, 0 or more, some above 0; any scale.
        vetoes: Rules, see `Veto.parse`.
        min_share: Share of the weight that has to be measured, in [0, 1]; any at all by default.
    """

    name: ClassVar[str] = "composite"

    weights: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))
    vetoes: Sequence[Veto] = ()
    min_share: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _checked(self.weights))
        object.__setattr__(self, "vetoes", tuple(self.vetoes))
        share = self.min_share
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise ConfigError(f"composite: min_share must be in [0, 1], not {share!r}")

    @classmethod
    def load(cls, path: str | Path, extra: Sequence[Veto] = ()) -> Composite:
        """Read weights and vetoes from a TOML or JSON file.

        Keys: ``weights`` (table: metric -> weight; the defaults if absent), ``veto`` (list of
        tables with ``when`` and ``action``, or of strings ``RULE => ACTION``), ``min_share``. A
        flat table of metric -> weight will do as well.

        Args:
            path: The file.
            extra: Vetoes on top of those in the file.

        Raises:
            InputError: The file cannot be read or parsed.
            ConfigError: It holds something else, or a value is out of range.
        """
        table = read_table(path)
        if not set(table) & {"weights", "veto", "vetoes", "min_share"}:
            table = {"weights": table}
        unknown = sorted(set(table) - {"weights", "veto", "vetoes", "min_share"})
        if unknown:
            raise ConfigError(
                f"{path}: unknown key {unknown[0]!r}; there are weights, veto, min_share"
            )
        try:
            vetoes = [_veto(item) for key in ("veto", "vetoes") for item in table.get(key, [])]
            return cls(
                table.get("weights", dict(DEFAULT_WEIGHTS)),
                [*vetoes, *extra],
                table.get("min_share", 0.0),
            )
        except (ConfigError, TypeError) as error:
            raise ConfigError(f"{path}: {error}") from error

    def needs(self) -> list[str]:
        """Names of the metrics that the weights and the vetoes speak of."""
        from_vetoes = [name for veto in self.vetoes for name in veto.metrics()]
        return list(dict.fromkeys([*self.weights, *from_vetoes]))

    def combine(self, values: Mapping[str, MetricValue], meta: Mapping[str, Any]) -> MetricValue:
        """The composite of one record.

        Args:
            values: Metric values by name.
            meta: The record's meta, for rules about ``meta.…``.
        """
        measured = {
            name: values[name].value
            for name, weight in self.weights.items()
            if weight > 0 and name in values and values[name].measured
        }
        total = math.fsum(self.weights.values())
        weight = math.fsum(self.weights[name] for name in measured)
        share = weight / total
        verdicts = [(veto, veto.decide(values, meta)) for veto in self.vetoes]
        fired = [veto for veto, verdict in verdicts if verdict is True]
        details: dict[str, Any] = {
            "share": round(share, 6),
            "parts": {
                name: {"value": round(v, 6), "weight": round(self.weights[name] / weight, 6)}
                for name, v in measured.items()
            },
            "unmeasured": [n for n, w in self.weights.items() if w > 0 and n not in measured],
            "vetoes": [str(veto) for veto in fired],
            "undecided": [str(veto) for veto, verdict in verdicts if verdict is None],
        }
        if any(veto.cap == 0.0 for veto in fired):
            return MetricValue(0.0, reason=_because(fired), details=details)
        if not measured or share < self.min_share:
            reason = f"only {share:.0%} of the weight was measured"
            return MetricValue(math.nan, MetricStatus.NOTHING_TO_MEASURE, reason, details)
        value = math.fsum(self.weights[n] * v for n, v in measured.items()) / weight
        details["unvetoed"] = round(value, 6)
        capped = min([value, *(veto.cap for veto in fired)])
        return MetricValue(min(1.0, max(0.0, capped)), reason=_because(fired), details=details)


def _because(fired: Sequence[Veto]) -> str:
    return "vetoed: " + "; ".join(map(str, fired)) if fired else ""


def _veto(item: Any) -> Veto:
    if isinstance(item, str):
        return Veto.parse(item)
    if isinstance(item, Mapping) and set(item) <= {"when", "action"} and "when" in item:
        return Veto.parse(f"{item['when']} => {item.get('action', 'fail')}")
    raise ConfigError(f"a veto is a string or a table with when and action, not {item!r:.80}")


def _checked(weights: Any) -> dict[str, float]:
    if not isinstance(weights, Mapping) or not weights:
        raise ConfigError(f"composite: weights must be metric -> number, not {weights!r:.80}")
    out: dict[str, float] = {}
    for name, weight in weights.items():
        number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not number or not math.isfinite(weight) or weight < 0:
            raise ConfigError(
                f"composite: the weight of {name!r} must be 0 or more, not {weight!r}"
            )
        known = canonical(str(name))
        if known in out:
            raise ConfigError(f"composite: two weights for {known!r}")
        out[known] = float(weight)
    if not any(out.values()):
        raise ConfigError("composite: all weights are 0")
    return out
