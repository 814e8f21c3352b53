"""Hugging Face datasets (extra ``datasets``): a batched ``map`` function with its features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nli_faith.errors import MissingExtraError
from nli_faith.pipelines.columns import (
    OUTPUT,
    by_column,
    frozen,
    read_columns,
    score_rows,
    shared_scorer,
)


class BatchScorer:
    """For ``dataset.map(BatchScorer(), batched=True)``; the model is loaded once a process.

    Example:
        >>> scored = dataset.map(BatchScorer(), batched=True)  # doctest: +SKIP
    """

    def __init__(
        self,
        model: str = "bundled",
        *,
        columns: Mapping[str, str] | None = None,
        prefix: str = "nf_",
        **options: Any,
    ) -> None:
        """Say what to score with; nothing is loaded yet, so it can be sent to workers.

        Args:
            model: As for `FaithfulnessScorer.from_pretrained`.
            columns: Field -> column where the detected names do not do.
            prefix: Of the output columns.
            **options: Further plain arguments of `from_pretrained`.

        Raises:
            ConfigError: An option is no plain value.
        """
        self.model, self.columns, self.prefix = model, columns, prefix
        self.options = frozen(options)

    def __call__(self, batch: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        """Output columns of a batch.

        Args:
            batch: Column -> values.
        """
        size = len(next(iter(batch.values()), []))
        read = read_columns(batch, self.columns)
        rows = [{name: batch[name][i] for name in read} for i in range(size)]
        scorer = shared_scorer(self.model, self.options)
        found = score_rows(scorer, rows, columns=self.columns, prefix=self.prefix)
        return by_column(list(found), self.prefix)


def output_features(features: Any, prefix: str = "nf_") -> Any:
    """A dataset's features with the output columns, for ``map(features=...)``.

    Args:
        features: ``dataset.features``.
        prefix: Of the output columns.

    Raises:
        MissingExtraError: datasets is not installed.
    """
    try:
        from datasets import Features, Value
    except ImportError as exc:
        raise MissingExtraError("datasets", "datasets") from exc
    added = {prefix + name: Value(kind) for name, kind in OUTPUT.items()}
    return Features({**features, **added})
