"""Local, Chinese-first faithfulness scoring for RAG answers, without an LLM judge.

    >>> from nli_faith import score
    >>> result = score(answer, contexts)
    >>> result.score, [(c.text, c.label, c.evidence) for c in result.claims]

Names are loaded on first use, so that ``import nli_faith`` stays quick and loads no model
runtime.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from nli_faith._version import __version__

if TYPE_CHECKING:
    from nli_faith.cache import PairCache
    from nli_faith.config import ScorerConfig
    from nli_faith.datamodels import (
        Block,
        Label,
        Record,
        Segment,
        SegmentKind,
        Status,
        Thresholds,
    )
    from nli_faith.errors import NliFaithError
    from nli_faith.inference import RunStats
    from nli_faith.io import read_records
    from nli_faith.quantities import Quantity, parse_quantities
    from nli_faith.quick import score
    from nli_faith.results import FaithfulnessResult, ScorerInfo
    from nli_faith.scorer import FaithfulnessScorer
    from nli_faith.summary import RunSummary
    from nli_faith.text import SentenceSplitter
    from nli_faith.verdicts import ClaimResult, Evidence

_HOMES = {
    "Block": "datamodels",
    "ClaimResult": "verdicts",
    "Evidence": "verdicts",
    "FaithfulnessResult": "results",
    "FaithfulnessScorer": "scorer",
    "Label": "datamodels",
    "NliFaithError": "errors",
    "PairCache": "cache",
    "Quantity": "quantities",
    "Record": "datamodels",
    "RunStats": "inference",
    "RunSummary": "summary",
    "ScorerConfig": "config",
    "ScorerInfo": "results",
    "Segment": "datamodels",
    "SegmentKind": "datamodels",
    "SentenceSplitter": "text",
    "Status": "datamodels",
    "Thresholds": "datamodels",
    "parse_quantities": "quantities",
    "read_records": "io",
    "score": "quick",
}

__all__ = [
    "Block",
    "ClaimResult",
    "Evidence",
    "FaithfulnessResult",
    "FaithfulnessScorer",
    "Label",
    "NliFaithError",
    "PairCache",
    "Quantity",
    "Record",
    "RunStats",
    "RunSummary",
    "ScorerConfig",
    "ScorerInfo",
    "Segment",
    "SegmentKind",
    "SentenceSplitter",
    "Status",
    "Thresholds",
    "__version__",
    "parse_quantities",
    "read_records",
    "score",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
