"""pandas and Polars frames (extras ``pandas`` and ``polars``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from nli_faith.errors import ConfigError
from nli_faith.pipelines.columns import (
    Row,
    by_column,
    read_columns,
    refuse_taken,
    score_rows,
    shared_scorer,
)
from nli_faith.scorer import FaithfulnessScorer

Frame = TypeVar("Frame")


def score_frame(
    frame: Frame,
    scorer: FaithfulnessScorer | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    prefix: str = "nf_",
    progress: bool = False,
) -> Frame:
    """A copy of a frame with score, status, counts and a JSON claims column.

    Args:
        frame: A pandas or Polars frame with an answer and contexts under any known names;
            contexts are lists, or JSON text of one.
        scorer: By default the bundled model's.
        columns: Field -> column where the detected names do not do.
        prefix: Of the output columns.
        progress: Whether a bar is shown on stderr.

    Returns:
        A frame of the same kind; index, order and dtypes of its own columns are kept.

    Raises:
        ConfigError: It is no frame, an output column is there already, or ``columns`` names an
            unknown field.
        InputError: A required column is absent.
    """
    library = type(frame).__module__.split(".")[0]
    if library not in ("pandas", "polars"):
        raise ConfigError(f"a pandas or Polars frame is expected, not {type(frame).__name__}")
    scorer = scorer or shared_scorer("bundled", ())
    df: Any = frame
    refuse_taken([str(c) for c in df.columns], prefix)
    read = read_columns([c for c in df.columns if isinstance(c, str)], columns)
    chosen = df[read]
    rows = chosen.iter_rows(named=True) if library == "polars" else _pandas_rows(chosen)
    scored = score_rows(scorer, rows, columns=columns, prefix=prefix)
    found = by_column(list(_shown(scored, len(df), progress)), prefix)
    made: Frame = _polars(df, found, prefix) if library == "polars" else _pandas(df, found)
    return made


def _pandas_rows(df: Any) -> Iterator[dict[str, Any]]:
    names = [str(name) for name in df.columns]
    for values in df.itertuples(index=False, name=None):
        yield {name: _plain(value) for name, value in zip(names, values, strict=True)}


def _plain(value: Any) -> Any:
    """A cell as the readers know it: NumPy's own types and missing values are pandas' business."""
    if isinstance(value, float) and value != value:
        return None
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return value.tolist() if hasattr(value, "tolist") and not isinstance(value, str) else value


def _pandas(df: Any, found: Mapping[str, list[Any]]) -> Any:
    import pandas as pd

    kinds = {"score": "float64", "supported": "int64", "contradicted": "int64",
             "unsupported": "int64"}  # fmt: skip
    made = {
        name: pd.Series(
            values,
            index=df.index,
            dtype=kinds.get(next((k for k in kinds if name.endswith(k)), ""), object),
        )
        for name, values in found.items()
    }
    return df.assign(**made)


def _polars(df: Any, found: Mapping[str, list[Any]], prefix: str) -> Any:
    import polars as pl

    from nli_faith.pipelines.columns import OUTPUT

    kinds = {"float64": pl.Float64, "int64": pl.Int64, "string": pl.String}
    made = [
        pl.Series(prefix + name, found[prefix + name], dtype=kinds[kind])
        for name, kind in OUTPUT.items()
    ]
    return df.with_columns(made)


def _shown(rows: Iterable[Row], total: int, progress: bool) -> Iterable[Row]:
    if not progress:
        return rows
    from rich.console import Console
    from rich.progress import track

    return track(rows, "faithfulness", total=total, console=Console(stderr=True))
