"""Rows of ``score`` and of ``evaluate`` seen alike: an id, named values, and why some are absent.

A scored row has ``score`` and ``claims``; an evaluated row has ``metrics``, each with ``value``,
``status`` and ``details``. Both become a `MeasuredRow`, so that the gate, the diagnosis and the
registry of runs read either.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nli_faith.datamodels import Label, Status
from nli_faith.errors import InputError, RecordError
from nli_faith.io import loads, manifest_path
from nli_faith.io.formats import PARQUET_MAGIC
from nli_faith.io.jsontext import JsonTextError, brief
from nli_faith.io.rows import iter_lines
from nli_faith.io.sources import check_path, open_source

FAITHFULNESS = "faithfulness"
CONTRADICTION_RATE = "contradiction_rate"
#: Measures of which less is better; every other one is better when it is higher.
LOWER_IS_BETTER = frozenset({CONTRADICTION_RATE})

_LABELS = tuple(label.value for label in Label)
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """One record's measures.

    Attributes:
        id: The record's id.
        values: Measure -> value in [0, 1]; only what was measured. A row with labelled claims
            also has ``contradiction_rate``, contradicted claims / claims.
        absent: Measure -> why it has no value.
        label_counts: Claims by label; empty where the row does not say.
        claims: The judged claims as written, where the row has them.
        details: Measure -> its details, as evaluated.
        meta: The record's meta.
        scorer: Model, hashes and version, where the row has them.
        source: ``file:line``.
    """

    id: str
    values: Mapping[str, float]
    absent: Mapping[str, str] = field(default_factory=dict)
    label_counts: Mapping[str, int] = field(default_factory=dict)
    claims: tuple[Mapping[str, Any], ...] = ()
    details: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    scorer: Mapping[str, Any] | None = None
    source: str = ""

    @property
    def status(self) -> str:
        """``scored``, or why faithfulness has no value."""
        if FAITHFULNESS in self.values:
            return Status.SCORED.value
        return self.absent.get(FAITHFULNESS, "not_measured")


def read_measured(
    path: str | os.PathLike[str], *, on_reject: Callable[[RecordError], None] | None = None
) -> Iterator[MeasuredRow]:
    """Rows that ``score`` or ``evaluate`` wrote as JSON lines, plain or compressed.

    Args:
        path: The file; one without any row gives none.
        on_reject: Called for each row that cannot be used. By default the first ends it: a
            verdict on half a file would be a guess.

    Raises:
        InputError: The file cannot be read, or is Parquet.
        RecordError: A row is no such row; it names file, line and field.
    """
    check_path(path)
    if os.path.getsize(path) == 0:
        return
    name = os.fspath(path)
    with open_source(path) as source:
        if source.head.startswith(PARQUET_MAGIC):
            raise InputError(f"{name}: is Parquet: give the JSON lines of score or evaluate")
        for number, line in enumerate(iter_lines(source.chunks), 1):
            if number == 1 and line.startswith(_BOM):
                line = line[len(_BOM) :]
            if not line or line.isspace():
                continue
            try:
                yield measured_row(_object(line), source=name, line=number)
            except RecordError as error:
                error.source, error.line = name, number
                if on_reject is None:
                    raise
                on_reject(error)


def measured_row(
    row: Mapping[str, Any], *, source: str | None = None, line: int | None = None
) -> MeasuredRow:
    """One row of either kind.

    Args:
        row: A scored row (``score``) or an evaluated one (``metrics``).
        source: File name, for messages.
        line: Its line, for messages.

    Raises:
        RecordError: It is neither, or a value is no number in [0, 1].
    """
    identity = row.get("id")
    if not isinstance(identity, str) or not identity:
        raise RecordError(f"expected a string, got {brief(identity)}", field="id")
    meta = row.get("meta") or {}
    if not isinstance(meta, Mapping):
        raise RecordError(f"expected an object, got {brief(meta)}", field="meta")
    origin = f"{source}:{line}" if source else ""
    if "metrics" in row:
        return _evaluated(row, identity, meta, origin)
    if "score" in row and "status" in row:
        return _scored(row, identity, meta, origin)
    raise RecordError(
        "has neither metrics (evaluate) nor status and score (score); it has "
        + ", ".join(map(repr, list(row)[:12]))
    )


def lookup(meta: Mapping[str, Any], path: str) -> Any:
    """A value by a dotted path, with or without ``meta.`` in front; None if there is none.

    Args:
        meta: A record's meta.
        path: ``meta.version``, ``version``, ``meta.user.channel``.
    """
    value: Any = meta
    for part in path.removeprefix("meta.").split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def group_name(meta: Mapping[str, Any], path: str) -> str:
    """The group a record belongs to: the value under a path as text, ``(none)`` if it has none."""
    value = lookup(meta, path)
    if value is None or value == "":
        return "(none)"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def read_manifest(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """The run manifest beside an output; empty where there is none or it cannot be read.

    Args:
        path: The output, not the manifest.
    """
    try:
        found = loads(Path(manifest_path(path)).read_bytes())
    except (OSError, JsonTextError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, Mapping) else {}


def rejected_rows(manifest: Mapping[str, Any]) -> int:
    """How many input rows a run could not read, by its manifest; 0 where it does not say."""
    summary = manifest.get("summary")
    count = summary.get("rejected") if isinstance(summary, Mapping) else None
    return count if isinstance(count, int) and count > 0 else 0


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        value = loads(line)
    except JsonTextError as error:
        raise RecordError(f"{error}; JSON lines of score or evaluate are expected") from None
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8 (byte {error.start} of the line)") from None
    if not isinstance(value, Mapping):
        raise RecordError(f"expected an object, got {brief(value)}")
    return value


def _scored(
    row: Mapping[str, Any], identity: str, meta: Mapping[str, Any], origin: str
) -> MeasuredRow:
    score = _number(row["score"], "score")
    counts = _counts(row.get("label_counts"))
    scorer = row.get("scorer")
    values: dict[str, float] = {}
    absent: dict[str, str] = {}
    if math.isnan(score):
        absent[FAITHFULNESS] = str(row["status"])
        counts = {}
    else:
        values[FAITHFULNESS] = score
    _add_rate(values, counts)
    return MeasuredRow(
        identity, values, absent, counts, _claims(row.get("claims")), {}, meta,
        scorer if isinstance(scorer, Mapping) else None, origin,
    )  # fmt: skip


def _evaluated(
    row: Mapping[str, Any], identity: str, meta: Mapping[str, Any], origin: str
) -> MeasuredRow:
    metrics = row["metrics"]
    if not isinstance(metrics, Mapping):
        raise RecordError(f"expected an object, got {brief(metrics)}", field="metrics")
    values: dict[str, float] = {}
    absent: dict[str, str] = {}
    details: dict[str, Mapping[str, Any]] = {}
    for name, metric in metrics.items():
        if not isinstance(metric, Mapping):
            metric = {"value": metric}
        number = _number(metric.get("value"), f"metrics.{name}")
        if math.isnan(number):
            absent[name] = str(metric.get("status") or metric.get("reason") or "not_measured")
        else:
            values[name] = number
        if isinstance(metric.get("details"), Mapping):
            details[name] = metric["details"]
    faithful = details.get(FAITHFULNESS, {})
    claims = _claims(faithful.get("verdicts")) or _claims(faithful.get("claims"))
    counts = _counts(faithful.get("label_counts") or faithful)
    if not counts and claims:
        counts = {name: sum(c.get("label") == name for c in claims) for name in _LABELS}
    if FAITHFULNESS not in values:
        counts = {}
    _add_rate(values, counts)
    scorer = row.get("scorer")
    return MeasuredRow(
        identity, values, absent, counts, claims, details, meta,
        scorer if isinstance(scorer, Mapping) else None, origin,
    )  # fmt: skip


def _number(value: Any, name: str) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RecordError(f"expected a number in [0, 1] or null, got {brief(value)}", field=name)
    if not math.isnan(value) and not 0 <= value <= 1:
        raise RecordError(f"expected a number in [0, 1] or null, got {value!r}", field=name)
    return float(value)


def _counts(value: Any) -> dict[str, int]:
    if not isinstance(value, Mapping):
        return {}
    found = {name: value[name] for name in _LABELS if isinstance(value.get(name), int)}
    return found if len(found) == len(_LABELS) else {}


def _claims(value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, Mapping))


def _add_rate(values: dict[str, float], counts: Mapping[str, int]) -> None:
    total = sum(counts.values())
    if total and CONTRADICTION_RATE not in values:
        values[CONTRADICTION_RATE] = counts[Label.CONTRADICTED.value] / total
