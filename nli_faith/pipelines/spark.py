"""Spark (extra ``spark``): functions for ``mapInArrow`` and ``mapInPandas``, and their schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nli_faith.errors import MissingExtraError
from nli_faith.pipelines.columns import OUTPUT, frozen, refuse_taken, shared_scorer

if TYPE_CHECKING:
    import pandas
    import pyarrow


def output_schema(schema: Any, prefix: str = "nf_") -> Any:
    """A frame's schema with the output columns.

    Args:
        schema: ``frame.schema``.
        prefix: Of the output columns.

    Raises:
        ConfigError: An output column is there already.
        MissingExtraError: pyspark is not installed.
    """
    try:
        from pyspark.sql import types
    except ImportError as exc:
        raise MissingExtraError("pyspark", "spark") from exc
    refuse_taken(schema.names, prefix)
    kinds = {"float64": types.DoubleType, "int64": types.LongType, "string": types.StringType}
    added = [types.StructField(prefix + n, kinds[kind](), True) for n, kind in OUTPUT.items()]
    return types.StructType([*schema.fields, *added])


def arrow_mapper(
    model: str = "bundled",
    *,
    columns: Mapping[str, str] | None = None,
    prefix: str = "nf_",
    threads: int = 1,
    **options: Any,
) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """A function for ``frame.mapInArrow``; a Python worker loads the model once.

    Args:
        model: ``bundled``, or a directory that every executor has (``SparkContext.addFile`` or
            ``spark.archives``). Nothing is downloaded.
        columns: Field -> column where the detected names do not do.
        prefix: Of the output columns.
        threads: Threads of the model in each task; 1 unless ``spark.task.cpus`` is more.
        **options: Further plain arguments of `FaithfulnessScorer.from_pretrained`.

    Raises:
        ConfigError: An option is no plain value.

    Example:
        >>> scored = frame.mapInArrow(arrow_mapper(mode="fast"), output_schema(frame.schema))
        ... # doctest: +SKIP
    """
    settings = frozen({"threads": threads, **options})

    def score(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        from nli_faith.pipelines.arrow import score_batches

        scorer = shared_scorer(model, settings)
        yield from score_batches(batches, scorer, columns=columns, prefix=prefix)

    return score


def pandas_mapper(
    model: str = "bundled",
    *,
    columns: Mapping[str, str] | None = None,
    prefix: str = "nf_",
    threads: int = 1,
    **options: Any,
) -> Callable[[Iterator[pandas.DataFrame]], Iterator[pandas.DataFrame]]:
    """As `arrow_mapper`, for ``frame.mapInPandas``."""
    settings = frozen({"threads": threads, **options})

    def score(frames: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        from nli_faith.pipelines.frames import score_frame

        scorer = shared_scorer(model, settings)
        for frame in frames:
            yield score_frame(frame, scorer, columns=columns, prefix=prefix)

    return score
