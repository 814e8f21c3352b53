"""A local registry of runs: what was scored when, by which model, and what changed since."""

from nli_faith.runs.changepoint import ChangePoint, change_point
from nli_faith.runs.compare import Comparison, RecordDiff, compare_runs
from nli_faith.runs.location import default_path
from nli_faith.runs.registry import Registry, Run
from nli_faith.runs.trend import Trend, TrendPoint, trend_of

__all__ = [
    "ChangePoint",
    "Comparison",
    "RecordDiff",
    "Registry",
    "Run",
    "Trend",
    "TrendPoint",
    "change_point",
    "compare_runs",
    "default_path",
    "trend_of",
]
