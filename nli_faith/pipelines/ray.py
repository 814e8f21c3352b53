"""Ray Data (extra ``ray``): an actor that loads its model once, for ``map_batches``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nli_faith.pipelines.columns import frozen, shared_scorer

if TYPE_CHECKING:
    import pyarrow


class RayScorer:
    """A class for ``Dataset.map_batches``.

    Example:
        >>> scored = dataset.map_batches(  # doctest: +SKIP
        ...     RayScorer, batch_format="pyarrow", batch_size=256, concurrency=4, num_cpus=1,
        ...     fn_constructor_kwargs={"mode": "fast"},
        ... )
    """

    def __init__(
        self,
        model: str = "bundled",
        *,
        columns: Mapping[str, str] | None = None,
        prefix: str = "nf_",
        threads: int = 1,
        **options: Any,
    ) -> None:
        """Load the model, once an actor.

        Args:
            model: As for `FaithfulnessScorer.from_pretrained`.
            columns: Field -> column where the detected names do not do.
            prefix: Of the output columns.
            threads: Threads of the model; give the actor as many CPUs.
            **options: Further plain arguments of `from_pretrained`; with GPUs
                ``device="cuda"``.

        Raises:
            ConfigError: An option is no plain value.
        """
        self.columns, self.prefix = columns, prefix
        self.scorer = shared_scorer(model, frozen({"threads": threads, **options}))

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        """A block with the output columns.

        Args:
            table: The block, as ``batch_format="pyarrow"`` gives it.
        """
        from nli_faith.pipelines.arrow import score_table

        return score_table(table, self.scorer, columns=self.columns, prefix=self.prefix)
