"""Does a build pass? Limits on measures, held against their noise, failing closed."""

from nli_faith.gate.checks import Check, GateReport, GateRules, run_gate
from nli_faith.gate.report import junit_xml, markdown
from nli_faith.gate.table import MeasureTable

__all__ = [
    "Check",
    "GateReport",
    "GateRules",
    "MeasureTable",
    "junit_xml",
    "markdown",
    "run_gate",
]
