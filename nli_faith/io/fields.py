"""One row of any known shape -> one :class:`~nli_faith.datamodels.Record`.

Names and their precedence are in :mod:`nli_faith.io.names`, contexts in
:mod:`nli_faith.io.contexts`. Values:

* ``answer``: a string; null (also NaN) is an empty answer, which pipelines do produce; an absent
  column is an error, and so is any other type.
* ``contexts``: see :func:`~nli_faith.io.contexts.coerce_contexts`; null and ``[]`` are no
  context, an absent column is an error.
* ``question``, ``reference``: a string or null; ``ground_truths``, a list, is joined by newlines.
* ``id``: a string or number (``17.0`` is ``"17"``), or MongoDB's ``{"$oid": …}``; null and blank
  get the default.
* ``variants``: a list of objects, or of strings (then ``{"question": …}``); ``relevant_ids``: a
  list of strings or numbers. Both may be JSON text, as in a CSV cell.
* ``meta``: an object is merged, other columns are put beside its keys; where a column has the
  name of one of them it is kept as ``column.NAME``.
"""

from __future__ import annotations

import numbers
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from nli_faith.datamodels import Record
from nli_faith.errors import InputError, RecordError
from nli_faith.io.contexts import coerce_contexts, is_null
from nli_faith.io.jsontext import brief
from nli_faith.io.names import Path, Plan, check_mapping, make_plan, show_keys

_MISSING: Any = object()
_MAX_PLANS = 512  # rows of one file have few different sets of keys; no more are remembered


class FieldMap:
    """Reads rows: knows which column is which field, and remembers it for each set of columns.

    Args:
        mapping: Field -> column, over the detected names. A column may be a dotted path into
            nested objects and lists: ``meta.answer``, ``choices.0.message.content``.

    Raises:
        ConfigError: The mapping names an unknown field.
    """

    def __init__(self, mapping: Mapping[str, str] | None = None) -> None:
        self.mapping = check_mapping(mapping)
        self._plans: dict[tuple[Any, ...], Plan] = {}

    def plan(self, row: Mapping[str, Any]) -> Plan:
        """Which column of this row is which field.

        Raises:
            RecordError: A required or mapped column is absent, or two could be meant.
        """
        keys = tuple(row)
        plan = self._plans.get(keys)
        if plan is None:
            if not all(isinstance(key, str) for key in keys):
                bad = next(key for key in keys if not isinstance(key, str))
                raise RecordError(f"keys must be strings, got {brief(bad)}")
            plan = make_plan(keys, self.mapping)
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()
            self._plans[keys] = plan
        return plan

    def check_columns(self, columns: Sequence[str], source: str) -> None:
        """Check the columns of a table once, so that not every row is rejected for them.

        Raises:
            InputError: A required or mapped column is absent, or two could be meant.
        """
        try:
            make_plan(tuple(columns), self.mapping)
        except RecordError as error:
            raise InputError(f"{source}: {error}") from error

    def record(
        self,
        row: Mapping[str, Any],
        *,
        default_id: str,
        source: str | None = None,
        line: int | None = None,
    ) -> Record:
        """One row as a record; see :func:`coerce_record`."""
        try:
            return _build(row, self.plan(row), default_id, _origin(source, line))
        except RecordError as error:
            if source is not None or line is not None:
                error.source, error.line = source, line
            raise


def coerce_record(
    row: Mapping[str, Any],
    *,
    mapping: Mapping[str, str] | None = None,
    default_id: str,
    source: str | None = None,
    line: int | None = None,
) -> Record:
    """Read one row of any known shape.

    For many rows, one :class:`FieldMap` and its :meth:`~FieldMap.record` are faster.

    Args:
        row: Column -> value.
        mapping: Field -> column where the detected names do not do.
        default_id: Id for a row without one.
        source: File name for messages and :attr:`Record.source`.
        line: 1-based line or row number in ``source``.

    Raises:
        RecordError: A column is missing, ambiguous or of a wrong type; it names the field.
        ConfigError: The mapping names an unknown field.
    """
    return FieldMap(mapping).record(row, default_id=default_id, source=source, line=line)


def _build(row: Mapping[str, Any], plan: Plan, default_id: str, origin: str | None) -> Record:
    answer = _get(row, plan.answer, "answer")
    if type(answer) is not str:
        answer = _text(answer, "answer") or ""
    contexts, dropped = coerce_contexts(_get(row, plan.contexts, "contexts"))
    question = reference = None
    if plan.question is not None:
        question = _text(_get(row, plan.question, "question"), "question")
    if plan.reference is not None:
        reference = _text(_get(row, plan.reference, "reference"), "reference", joined=True)
    record_id = default_id
    if plan.id is not None:
        record_id = _id(_get(row, plan.id, "id")) or default_id
    variants: tuple[Mapping[str, Any], ...] = ()
    if plan.variants is not None:
        variants = _variants(_get(row, plan.variants, "variants"))
    relevant: tuple[str, ...] = ()
    if plan.relevant_ids is not None:
        relevant = _relevant_ids(_get(row, plan.relevant_ids, "relevant_ids"))
    return Record(
        record_id, answer, contexts, question, reference, variants, relevant,
        _meta(row, plan), dropped, origin,
    )  # fmt: skip


def _origin(source: str | None, line: int | None) -> str | None:
    return source if line is None else f"{source or '<rows>'}:{line}"


def _get(row: Mapping[str, Any], path: Path, field: str) -> Any:
    if len(path) == 1:
        return row[path[0]]
    value = _dig(row, path)
    if value is _MISSING:
        raise RecordError(
            f"mapped to {'.'.join(path)!r}, which the row lacks; {show_keys(row)}", field=field
        )
    return value


def _dig(value: Any, parts: tuple[str, ...]) -> Any:
    """Follow a dotted path; a key may itself hold dots, and a string JSON text (a CSV cell)."""
    if not parts:
        return value
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, Mapping):
        for size in range(len(parts), 0, -1):
            key = ".".join(parts[:size])
            if key in value:
                return _dig(value[key], parts[size:])
    elif isinstance(value, (list, tuple)) and parts[0].isdecimal() and int(parts[0]) < len(value):
        return _dig(value[int(parts[0])], parts[1:])
    return _MISSING


def _decoded(value: str) -> Any:
    """JSON text of an object or list as that, else the string itself."""
    if value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return orjson.loads(value)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return value


def _text(value: Any, field: str, *, joined: bool = False) -> str | None:
    if isinstance(value, str) or value is None:
        return value
    if is_null(value):
        return None
    if joined and hasattr(value, "tolist"):
        value = value.tolist()
    if joined and isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value):
        return "\n".join(v for v in value if v.strip()) or None
    raise RecordError(f"expected a string or null, got {brief(value)}", field=field)


def _id(value: Any) -> str:
    """An id as text; empty where the row has none."""
    if isinstance(value, str):
        return value if value.strip() else ""
    if is_null(value):
        return ""
    if isinstance(value, Mapping) and isinstance(value.get("$oid"), str):
        return str(value["$oid"])
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        number = float(value)  # a pandas integer column with a gap comes as 17.0
        return str(int(number)) if number.is_integer() else repr(number)
    raise RecordError(f"expected a string or a number, got {brief(value)}", field="id")


def _sequence(value: Any, field: str) -> list[Any]:
    if isinstance(value, str):
        value = _decoded(value) if value.strip() else []
    if hasattr(value, "tolist"):
        value = value.tolist()
    if is_null(value):
        return []
    if isinstance(value, (list, tuple)):
        return list(value)
    raise RecordError(f"expected a list, got {brief(value)}", field=field)


def _variants(value: Any) -> tuple[Mapping[str, Any], ...]:
    if isinstance(value, Mapping):
        value = [value]
    variants = []
    for item in _sequence(value, "variants"):
        if isinstance(item, str):
            item = {"question": item}
        if not isinstance(item, Mapping):
            raise RecordError(
                f"expected objects or strings in the list, got {brief(item)}", field="variants"
            )
        variants.append(item)
    return tuple(variants)


def _relevant_ids(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) and value.strip() and not isinstance(_decoded(value), list):
        value = [value]  # one id
    try:
        ids = [_id(item) for item in _sequence(value, "relevant_ids")]
    except RecordError as error:
        error.field = "relevant_ids"
        raise
    return tuple(found for found in ids if found)


def _meta(row: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    rest = {key: row[key] for key in plan.rest}
    if plan.meta is None:
        return rest
    value = _get(row, plan.meta, "meta")
    if isinstance(value, str):
        value = _decoded(value)
    if not isinstance(value, Mapping):
        if not is_null(value) and value != "":
            rest["meta"] = value
        return rest
    meta = dict(value)
    for key, column in rest.items():
        meta[key if key not in meta else f"column.{key}"] = column
    return meta
