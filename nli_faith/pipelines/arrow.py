"""Arrow tables (extra ``parquet``): the common ground of the other engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nli_faith.errors import MissingExtraError
from nli_faith.pipelines.columns import (
    OUTPUT,
    by_column,
    read_columns,
    refuse_taken,
    score_rows,
    shared_scorer,
)
from nli_faith.scorer import FaithfulnessScorer

if TYPE_CHECKING:
    import pyarrow

#: Rows turned into Python objects at a time.
ROWS = 512


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError as exc:
        raise MissingExtraError("pyarrow", "parquet") from exc
    return pyarrow


def output_schema(prefix: str = "nf_") -> pyarrow.Schema:
    """The declared schema of the output columns.

    Args:
        prefix: Of the column names.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    arrow = _arrow()
    kinds = {"float64": arrow.float64(), "int64": arrow.int64(), "string": arrow.string()}
    return arrow.schema([(prefix + name, kinds[kind]) for name, kind in OUTPUT.items()])


def score_batches(
    batches: Iterator[pyarrow.RecordBatch],
    scorer: FaithfulnessScorer,
    *,
    columns: Mapping[str, str] | None = None,
    prefix: str = "nf_",
) -> Iterator[pyarrow.RecordBatch]:
    """Record batches with the output columns behind their own.

    Args:
        batches: Any number of batches.
        scorer: The scorer.
        columns: Field -> column where the detected names do not do.
        prefix: Of the output columns.

    Yields:
        A batch for each, with the same rows in the same order.

    Raises:
        ConfigError: An output column is there already, or ``columns`` names an unknown field.
        InputError: A required column is absent.
    """
    arrow = _arrow()
    schema = output_schema(prefix)
    for batch in batches:
        refuse_taken(batch.schema.names, prefix)
        rows = iter_rows(batch.select(read_columns(batch.schema.names, columns)))
        found = by_column(list(score_rows(scorer, rows, columns=columns, prefix=prefix)), prefix)
        arrays = [arrow.array(found[field.name], field.type) for field in schema]
        yield arrow.RecordBatch.from_arrays(
            [*batch.columns, *arrays], schema=_joined(arrow, batch.schema, schema)
        )


def iter_rows(batch: pyarrow.RecordBatch) -> Iterator[dict[str, Any] | Exception]:
    """Rows of a batch; an exception in the place of one that cannot be decoded.

    Args:
        batch: Any number of rows, of which `ROWS` are Python objects at a time.
    """
    for start in range(0, batch.num_rows, ROWS):
        part = batch.slice(start, ROWS)
        try:
            yield from part.to_pylist()
        except ValueError:  # Arrow does not check that a string column holds UTF-8
            yield from (_decoded(part.slice(n, 1)) for n in range(part.num_rows))


def _decoded(row: pyarrow.RecordBatch) -> dict[str, Any] | Exception:
    try:
        return dict(row.to_pylist()[0])
    except ValueError as error:
        return error


def _joined(arrow: Any, own: pyarrow.Schema, output: pyarrow.Schema) -> pyarrow.Schema:
    return arrow.schema([*own, *output], metadata=own.metadata)


def score_table(
    table: pyarrow.Table,
    scorer: FaithfulnessScorer | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    prefix: str = "nf_",
) -> pyarrow.Table:
    """A table with the output columns of `output_schema` behind its own.

    Args:
        table: Rows with an answer and contexts under any known names.
        scorer: By default the bundled model's.
        columns: Field -> column where the detected names do not do.
        prefix: Of the output columns.

    Raises:
        ConfigError: An output column is there already, or ``columns`` names an unknown field.
        InputError: A required column is absent.
        MissingExtraError: pyarrow is not installed.
    """
    arrow = _arrow()
    scorer = scorer or shared_scorer("bundled", ())
    refuse_taken(table.schema.names, prefix)
    read_columns(table.schema.names, columns)  # a table of no rows is checked as well
    batches = score_batches(iter(table.to_batches()), scorer, columns=columns, prefix=prefix)
    return arrow.Table.from_batches(
        list(batches), schema=_joined(arrow, table.schema, output_schema(prefix))
    )
