"""Triage: which records pass, which a judge reads, which a person; and their verdicts back.

:func:`triage` sorts a scored file, :func:`merge` brings verdicts back, :func:`decide` is the rule
for one result.
"""

from nli_faith.triage.agreement import Agreement
from nli_faith.triage.merge import MergeReport, merge
from nli_faith.triage.prompts import Template, default_template, load_template
from nli_faith.triage.rules import Band, ClaimDecision, Decision, TriageRules, decide
from nli_faith.triage.run import TriageSummary, triage
from nli_faith.triage.verdicts import ClaimVerdict, read_verdicts

__all__ = [
    "Agreement",
    "Band",
    "ClaimDecision",
    "ClaimVerdict",
    "Decision",
    "MergeReport",
    "Template",
    "TriageRules",
    "TriageSummary",
    "decide",
    "default_template",
    "load_template",
    "merge",
    "read_verdicts",
    "triage",
]
