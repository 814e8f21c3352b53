"""Which stage broke - material, retrieval or generation - and what to do about it."""

from nli_faith.diagnosis.conditions import Figure
from nli_faith.diagnosis.diagnose import Diagnosis, Finding, Skipped, diagnose, examine
from nli_faith.diagnosis.facts import Facts, facts_of
from nli_faith.diagnosis.overall import SetDiagnosis, diagnose_set
from nli_faith.diagnosis.rules import Rule, Rules, default_rules, load_rules, parse_rules

__all__ = [
    "Diagnosis",
    "Facts",
    "Figure",
    "Finding",
    "Rule",
    "Rules",
    "SetDiagnosis",
    "Skipped",
    "default_rules",
    "diagnose",
    "diagnose_set",
    "examine",
    "facts_of",
    "load_rules",
    "parse_rules",
]
