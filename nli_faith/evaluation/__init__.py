"""Runs many metrics over many records: evaluate, aggregate with intervals, lint golden sets.

Names are loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nli_faith.evaluation.aggregate import Aggregator, MetricSummary
    from nli_faith.evaluation.evaluator import Evaluator, RecordEvaluation
    from nli_faith.evaluation.golden import read_golden
    from nli_faith.evaluation.lint import Finding, LintReport, lint_references
    from nli_faith.evaluation.output import EvaluationWriter

_HOMES = {
    "Aggregator": "aggregate",
    "EvaluationWriter": "output",
    "Evaluator": "evaluator",
    "Finding": "lint",
    "LintReport": "lint",
    "MetricSummary": "aggregate",
    "RecordEvaluation": "evaluator",
    "lint_references": "lint",
    "read_golden": "golden",
}

__all__ = [
    "Aggregator",
    "EvaluationWriter",
    "Evaluator",
    "Finding",
    "LintReport",
    "MetricSummary",
    "RecordEvaluation",
    "lint_references",
    "read_golden",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
