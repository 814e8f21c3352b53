"""Metrics by name, loaded when asked for.

A name may carry a cut-off where the metric has one: ``recall_at_5`` (or ``recall@5``),
``precision_at_3``, ``mrr_at_10``, ``hit_rate_at_3``, ``ndcg_at_10``.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from nli_faith.errors import ConfigError
from nli_faith.metrics.base import Metric

_HOMES: Final[dict[str, str]] = {
    "faithfulness": "faithfulness:Faithfulness",
    "context_recall": "context:ContextRecall",
    "context_precision": "context:ContextPrecision",
    "answer_correctness": "correctness:AnswerCorrectness",
    "numeric_accuracy": "numeric:NumericAccuracy",
    "numeric_exact": "numeric:NumericExact",
    "answer_similarity": "similarity:AnswerSimilarity",
    "coverage": "coverage:Coverage",
    "completeness": "coverage:Completeness",
    "answer_relevancy": "relevancy:AnswerRelevancy",
    "robustness": "robustness:Robustness",
    "readability": "readability:Readability",
    "conciseness": "readability:Conciseness",
    "recall_at_k": "retrieval:RecallAtK",
    "precision_at_k": "retrieval:PrecisionAtK",
    "mrr": "retrieval:MRR",
    "hit_rate": "retrieval:HitRate",
    "ndcg": "retrieval:NDCG",
}
RETRIEVAL: Final = ("recall_at_k", "precision_at_k", "mrr", "hit_rate", "ndcg")
"""Metrics that take a cut-off ``k``."""

ALIASES: Final[Mapping[str, str]] = {
    "accuracy": "answer_correctness",
    "correctness": "answer_correctness",
    "relevance": "answer_relevancy",
    "relevancy": "answer_relevancy",
    "similarity": "answer_similarity",
    "semantic_similarity": "answer_similarity",
    "numbers": "numeric_accuracy",
}
"""Other names that people use -> ours."""

_WITH_K: Final = re.compile(r"(recall|precision|mrr|hit_rate|ndcg)(?:_at_|@)(\d+)")


class _Metrics(Mapping[str, type[Metric]]):
    """Name -> class; a class is imported when it is looked up."""

    def __getitem__(self, name: str) -> type[Metric]:
        module, _, attribute = _HOMES[name].partition(":")
        loaded = importlib.import_module(f"nli_faith.metrics.{module}")
        return cast("type[Metric]", getattr(loaded, attribute))

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)

    def __contains__(self, name: object) -> bool:
        return name in _HOMES


METRICS: Final[Mapping[str, type[Metric]]] = _Metrics()
"""Name -> class of every metric."""


def canonical(name: str) -> str:
    """The name under which a metric reports: aliases resolved, ``recall@5`` as ``recall_at_5``.

    Args:
        name: A name, an alias, or a name with a cut-off.

    Raises:
        ConfigError: There is no such metric; the message lists those there are.
    """
    plain = name.strip().lower().replace("-", "_")
    plain = ALIASES.get(plain, plain)
    if plain in METRICS:
        return plain
    cut = _WITH_K.fullmatch(plain)
    if cut is not None and int(cut[2]) > 0:
        return f"{cut[1]}_at_{int(cut[2])}"
    near = difflib.get_close_matches(plain, [*METRICS, *ALIASES], n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ConfigError(f"no metric {name!r}{hint}; there are {', '.join(METRICS)}")


def resolve(
    names: Iterable[str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Metric]:
    """Metrics by name, in the order given, each once.

    Args:
        names: Names, aliases and names with a cut-off; every metric when None.
        options: Constructor arguments by metric name, as ``{"numeric_accuracy": {"tolerance":
            0.01}}``; those of metrics not asked for are passed over.

    Raises:
        ConfigError: A name is unknown, none is given, or an option is out of range.
    """
    if isinstance(names, str):
        names = names.split(",")
    wanted = list(METRICS) if names is None else [canonical(n) for n in names if n.strip()]
    if not wanted:
        raise ConfigError(f"no metric is named; there are {', '.join(METRICS)}")
    given = {canonical(name): values for name, values in (options or {}).items()}
    return [_make(name, given.get(name, {})) for name in dict.fromkeys(wanted)]


def _make(name: str, options: Mapping[str, Any]) -> Metric:
    kind = METRICS[name] if name in METRICS else _with_k(name)
    try:
        return kind(**options)
    except TypeError as error:
        raise ConfigError(f"metric {name!r}: {error}") from error


def _with_k(name: str) -> type[Metric]:
    """A retrieval metric under a name that says its cut-off, so that several go side by side."""
    stem, _, k = name.rpartition("_at_")
    base: Any = METRICS[stem if stem in METRICS else f"{stem}_at_k"]
    return cast("type[Metric]", type(base.__name__, (base,), {"name": name, "default_k": int(k)}))
