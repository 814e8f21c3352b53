"""The same question asked another way, by rule: variants for measuring robustness."""

from nli_faith.rephrasing.joining import Joined, join_variants, variant_rows
from nli_faith.rephrasing.maker import Rephraser, Variant
from nli_faith.rephrasing.questions import Question, read_questions
from nli_faith.rephrasing.rules import RULES

__all__ = [
    "RULES",
    "Joined",
    "Question",
    "Rephraser",
    "Variant",
    "join_variants",
    "read_questions",
    "variant_rows",
]
