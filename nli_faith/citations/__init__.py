"""Citation markers: put behind supported claims, and checked where an answer has its own.

>>> from nli_faith.citations import cite
>>> cited = cite(result, record, style="[n]", scorer=scorer)
>>> cited.text, cited.check.counts()
"""

from nli_faith.citations.check import check_citations
from nli_faith.citations.cite import Cited, Placed, cite
from nli_faith.citations.findings import (
    CheckedMarker,
    CitationCheck,
    MarkerVerdict,
    MissingMarker,
)
from nli_faith.citations.markers import Marker, find_markers
from nli_faith.citations.support import EvidenceSupport, ScoredSupport, Support

__all__ = [
    "CheckedMarker",
    "CitationCheck",
    "Cited",
    "EvidenceSupport",
    "Marker",
    "MarkerVerdict",
    "MissingMarker",
    "Placed",
    "ScoredSupport",
    "Support",
    "check_citations",
    "cite",
    "find_markers",
]
