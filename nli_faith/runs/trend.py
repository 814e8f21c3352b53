"""A measure over time, by day, week or month, with a note where its level changed."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from nli_faith.errors import ConfigError, MissingExtraError, OutputError
from nli_faith.io.manifest import write_atomic
from nli_faith.measures import FAITHFULNESS
from nli_faith.runs.changepoint import SHORTEST, ChangePoint, change_point
from nli_faith.runs.registry import Run

Period = Literal["day", "week", "month"]
PERIODS: tuple[Period, ...] = ("day", "week", "month")
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One period.

    Attributes:
        period: ``2024-05-06``, ``2024-W19`` (ISO 8601) or ``2024-05``, in UTC.
        mean: Over the measured records of all its runs.
        n: Those records.
        runs: Numbers of its runs.
        scorers: Distinct (model, configuration) hashes of its runs.
    """

    period: str
    mean: float
    n: int
    runs: tuple[int, ...]
    scorers: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Trend:
    """A measure over time.

    Attributes:
        measure: Its name.
        group: The group, empty for all records.
        by: ``day``, ``week`` or ``month``.
        points: In order of time; periods without a run are left out.
        change: The most likely change of level, None for a series that is short or flat.
    """

    measure: str
    group: str
    by: Period
    points: tuple[TrendPoint, ...]
    change: ChangePoint | None

    @property
    def significant(self) -> bool:
        """Whether the change has a p-value below 0.05."""
        return self.change is not None and self.change.p_value < SIGNIFICANT

    @property
    def notes(self) -> list[str]:
        """What a reader should know of the change, and of changes of the scorer."""
        notes = []
        if len(self.points) < SHORTEST:
            notes.append(f"{len(self.points)} periods: a change point needs {SHORTEST}")
        elif self.change is None:
            notes.append("the series is flat")
        else:
            c = self.change
            verdict = "level changed at" if self.significant else "no clear change; likeliest at"
            notes.append(
                f"{verdict} {self.points[c.index].period}: {c.before:.4f} -> {c.after:.4f} "
                f"(p={c.p_value:.4f}, permutation test)"
            )
        for before, after in zip(self.points, self.points[1:], strict=False):
            if before.scorers != after.scorers:
                notes.append(
                    f"model or configuration changed at {after.period}: "
                    "levels before and after cannot be compared"
                )
        return notes

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        c = self.change
        return {
            "measure": self.measure, "group": self.group, "by": self.by,
            "points": [
                {"period": p.period, "mean": round(p.mean, 6), "n": p.n, "runs": list(p.runs)}
                for p in self.points
            ],
            "change": None if c is None else {
                "period": self.points[c.index].period, "before": round(c.before, 6),
                "after": round(c.after, 6), "p_value": round(c.p_value, 6),
                "significant": self.significant,
            },
            "notes": self.notes,
        }  # fmt: skip


def trend_of(
    runs: Iterable[Run], *, by: Period = "week", measure: str = FAITHFULNESS, group: str = "",
    seed: int = 0,
) -> Trend:  # fmt: skip
    """The trend of a measure over runs.

    Args:
        runs: Runs; those without the measure are left out.
        by: The period.
        measure: The measure.
        group: One group of the runs, all records when empty.
        seed: Of the permutation test.

    Raises:
        ConfigError: The period is unknown, or no run has the measure.
    """
    if by not in PERIODS:
        raise ConfigError(f"by must be one of {', '.join(PERIODS)}, not {by!r}")
    buckets: dict[str, list[tuple[Run, int, float]]] = {}
    for run in sorted(runs, key=lambda r: (r.at, r.id)):
        found = run.means.get((group, measure))
        if found is not None:
            buckets.setdefault(_period(run.at, by), []).append((run, found[0], found[2]))
    if not buckets:
        where = f" in group {group!r}" if group else ""
        raise ConfigError(f"no run has the measure {measure!r}{where}")
    points = tuple(_point(period, items) for period, items in buckets.items())
    return Trend(measure, group, by, points, change_point([p.mean for p in points], seed=seed))


def _point(period: str, items: list[tuple[Run, int, float]]) -> TrendPoint:
    n = sum(count for _, count, _ in items)
    return TrendPoint(
        period, sum(count * mean for _, count, mean in items) / n, n,
        tuple(run.id for run, _, _ in items),
        frozenset((run.model_sha256 or "", run.config_hash or "") for run, _, _ in items),
    )  # fmt: skip


def _period(at: datetime, by: Period) -> str:
    if by == "day":
        return at.strftime("%Y-%m-%d")
    if by == "month":
        return at.strftime("%Y-%m")
    year, week, _ = at.isocalendar()
    return f"{year}-W{week:02d}"


def write_png(trend: Trend, path: str | Path) -> None:
    """Draw a trend as a PNG; labels are English, so that no font for Chinese is needed.

    Args:
        trend: The trend.
        path: Where to.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OutputError: The file cannot be written.
    """
    try:
        drawing = importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise MissingExtraError("matplotlib", "calibration") from error
    figure = drawing.Figure(figsize=(max(6.0, 0.45 * len(trend.points)), 3.6), layout="constrained")
    axes = figure.subplots()
    places = range(len(trend.points))
    axes.plot(places, [p.mean for p in trend.points], marker="o", color="#1f6f8b")
    axes.set_xticks(list(places), [p.period for p in trend.points], rotation=60, ha="right")
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel(f"mean {trend.measure}")
    axes.grid(axis="y", alpha=0.3)
    if trend.significant and trend.change is not None:
        c = trend.change
        axes.axvline(c.index - 0.5, color="#c0392b", linestyle="--")
        axes.set_title(
            f"level changed at {trend.points[c.index].period}: {c.before:.3f} -> {c.after:.3f} "
            f"(p={c.p_value:.3f})", fontsize=9,
        )  # fmt: skip
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120, metadata={"Software": None})
    target = Path(path)
    if not target.parent.is_dir():
        raise OutputError(f"{target}: the directory {target.parent} does not exist")
    write_atomic(target, buffer.getvalue())
