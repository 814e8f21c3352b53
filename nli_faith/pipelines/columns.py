"""The columns that every engine gets, and how rows become them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, RecordError
from nli_faith.io import FieldMap, dumps
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer

#: Column -> kind. ``score`` is null unless ``status`` is ``scored``; ``claims`` is JSON text.
OUTPUT: Mapping[str, str] = {
    "score": "float64",
    "status": "string",
    "supported": "int64",
    "contradicted": "int64",
    "unsupported": "int64",
    "claims": "string",
    "error": "string",
}

Row = dict[str, Any]


def names(prefix: str) -> list[str]:
    """Names of the output columns.

    Args:
        prefix: Put before each.
    """
    return [prefix + name for name in OUTPUT]


def refuse_taken(columns: Iterable[str], prefix: str) -> None:
    """Refuse to write over a column of the input.

    Raises:
        ConfigError: A column is there already.
    """
    taken = sorted(set(columns) & set(names(prefix)))
    if taken:
        raise ConfigError(
            f"columns {taken} are there already: choose another prefix than {prefix!r}"
        )


def read_columns(names: Iterable[str], columns: Mapping[str, str] | None) -> list[str]:
    """The columns that scoring reads; no other is turned into Python objects.

    Args:
        names: Columns of the table.
        columns: Field -> column where the detected names do not do.

    Raises:
        ConfigError: ``columns`` names an unknown field.
        InputError: A required column is absent or two could be meant. Said here once, and not
            in a message on every row of a job that has no answer to score.
    """
    present = list(names)
    fields = FieldMap(columns)
    fields.check_columns(present, "table")
    rest = set(fields.plan(dict.fromkeys(present)).rest)
    return [name for name in present if name not in rest]


def result_row(result: FaithfulnessResult, prefix: str) -> Row:
    """A result as a row of the output columns."""
    score = result.score
    values = {
        "score": None if math.isnan(score) else score,
        "status": result.status.value,
        **result.label_counts,
        "claims": dumps([c.to_dict() for c in result.claims]).decode(),
        "error": result.error,
    }
    return {prefix + name: values[name] for name in OUTPUT}


def _failed(reason: str, prefix: str) -> Row:
    empty: Row = {name: 0 if kind == "int64" else None for name, kind in OUTPUT.items()}
    empty |= {"status": "error", "claims": "[]", "error": reason}
    return {prefix + name: value for name, value in empty.items()}


def score_rows(
    scorer: FaithfulnessScorer,
    rows: Iterable[Mapping[str, Any] | Exception],
    *,
    columns: Mapping[str, str] | None = None,
    prefix: str = "nf_",
) -> Iterator[Row]:
    """Output columns of rows, in order, in bounded memory.

    Args:
        scorer: The scorer.
        rows: Column -> value each; an exception says why a row could not be decoded.
        columns: Field -> column where the detected names do not do.
        prefix: Of the output columns.

    Yields:
        One row for each that came in; unreadable ones have the status ``error``.

    Raises:
        ConfigError: ``columns`` names an unknown field.
    """
    fields = FieldMap(columns)
    failures: dict[int, str] = {}

    def records() -> Iterator[Record]:
        for n, row in enumerate(rows):
            try:
                if isinstance(row, Exception):
                    raise row
                yield fields.record(row, default_id=str(n))
            # Whatever is wrong with a row is its own affair, never the job's.
            except Exception as error:
                own = isinstance(error, RecordError)
                failures[n] = str(error) if own else f"{type(error).__name__}: {error}"
                # Holds the row's place; what it scores to is not looked at.
                yield Record(id=str(n), answer="", contexts=())

    for n, result in enumerate(scorer.score_records(records())):
        reason = failures.pop(n, None)
        yield result_row(result, prefix) if reason is None else _failed(reason, prefix)


def shared_scorer(model: str, options: tuple[tuple[str, Any], ...]) -> FaithfulnessScorer:
    """One scorer a process for given options: a Python worker loads its model once.

    Args:
        model: As for `FaithfulnessScorer.from_pretrained`.
        options: Its other arguments, sorted.
    """
    # By process id: the threads of an inherited session stay behind when a process forks, as
    # datasets does for num_proc, and a call to it would wait for them for ever.
    return _loaded(model, options, os.getpid())


@lru_cache(maxsize=4)
def _loaded(model: str, options: tuple[tuple[str, Any], ...], _process: int) -> FaithfulnessScorer:
    return FaithfulnessScorer.from_pretrained(model, **dict(options))


def frozen(options: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Options as a key for `shared_scorer`.

    Raises:
        ConfigError: A value cannot be sent to workers as it stands.
    """
    for name, value in options.items():
        if not isinstance(value, (str, int, float, bool, type(None))):
            raise ConfigError(f"option {name!r} must be a plain value, not {value!r:.60}")
    return tuple(sorted(options.items()))


def by_column(rows: Sequence[Row], prefix: str) -> dict[str, list[Any]]:
    """Rows turned into columns; every output column is there, even of no rows."""
    return {name: [row[name] for row in rows] for name in names(prefix)}
