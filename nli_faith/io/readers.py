"""One reader for every input: files, standard input and rows in memory, in any known format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, cast

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, InputError, RecordError
from nli_faith.io import delimited, encodings, folders, parquet
from nli_faith.io.fields import FieldMap
from nli_faith.io.formats import PARQUET_MAGIC, Format, check_format, detect_format
from nli_faith.io.jsonarray import read_json
from nli_faith.io.jsonl import read_jsonl
from nli_faith.io.jsontext import brief, duplicate_keys, loads_lenient
from nli_faith.io.names import REQUIRED, Plan
from nli_faith.io.rejects import RAW_LIMIT, Reject, raw_text
from nli_faith.io.rows import RawRow, line_separator
from nli_faith.io.sources import ByteSource, check_path, open_source

Source = str | os.PathLike[str] | BinaryIO | Iterable[Mapping[str, Any] | Record]
OnReject = Callable[[Reject], None]

ROWS = "<rows>"
#: Begins the id of a row that has none of its own; its position follows.
POSITIONAL_ID = "row-"


def read_records(
    source: Source,
    *,
    format: str | None = None,
    mapping: Mapping[str, str] | FieldMap | None = None,
    encoding: str = "utf-8",
    on_reject: OnReject | None = None,
) -> Iterator[Record]:
    """Read RAG records as a stream.

    JSON lines, JSON (an array, or objects one after the other), CSV, TSV and Parquet; gzip,
    Zstandard, bzip2 and xz are recognised by content. Memory is bounded by the longest row (and
    for Parquet by a batch of rows); Parquet that comes through a pipe is put into a temporary
    file first.

    Args:
        source: A path, ``-`` for standard input, an open binary file, or rows in memory. A path
            may have a protocol (``s3://``; extra ``remote``) and may be a folder of Parquet
            files, whose ``key=value`` folders become columns.
        format: ``jsonl``, ``json``, ``csv``, ``tsv`` or ``parquet``; by default from the name and
            the content.
        mapping: Field -> column where the detected names do not do (see
            :mod:`nli_faith.io.names`), or a `FieldMap` of one's own.
        encoding: Of text; a UTF-8 byte order mark is passed over.
        on_reject: Called for each row that cannot be used, and the run goes on. By default the
            first such row ends it.

    Yields:
        Records in input order. A row without an id gets ``row-N``: the N-th line of JSON lines,
        the N-th row elsewhere.

    Raises:
        ConfigError: An unknown format, encoding or field.
        InputError: The input is missing, a directory, empty, binary, damaged, or (CSV, Parquet)
            lacks a required column.
        InputEncodingError: It is not in the stated encoding.
        RecordError: A row cannot be used and ``on_reject`` is ``None``.
        MissingExtraError: Parquet without ``pyarrow``, Zstandard without ``zstandard``.
    """
    chosen = check_format(format)
    codec = encodings.canonical(encoding)
    fields = mapping if isinstance(mapping, FieldMap) else FieldMap(mapping)
    if isinstance(source, (str, os.PathLike)):
        if os.fspath(source) != "-":
            files = folders.parquet_files(source)
            if files is not None:
                if chosen not in (None, "parquet"):
                    raise ConfigError(f"{os.fspath(source)}: a folder holds Parquet, not {chosen}")
                return _from_folder(files, fields, on_reject)
            check_path(source)
        return _from_bytes(source, chosen, codec, fields, on_reject)
    if hasattr(source, "read"):
        return _from_bytes(cast(BinaryIO, source), chosen, codec, fields, on_reject)
    if isinstance(source, (Mapping, bytes)) or not isinstance(source, Iterable):
        raise InputError(f"cannot read records from {brief(source)}: give a path or an iterable")
    return _from_rows(source, fields, on_reject)


def _from_rows(
    rows: Iterable[Mapping[str, Any] | Record], fields: FieldMap, on_reject: OnReject | None
) -> Iterator[Record]:
    for number, row in enumerate(rows, 1):
        if isinstance(row, Record):
            yield row
            continue
        found = RawRow(number, number, row, None, row)
        record = _record(found, fields, ROWS, on_reject, raw_limit=None, is_json=False)
        if record is not None:
            yield record


def _from_bytes(
    source: str | os.PathLike[str] | BinaryIO,
    format: Format | None,
    encoding: str,
    fields: FieldMap,
    on_reject: OnReject | None,
) -> Iterator[Record]:
    with open_source(source) as opened:
        rows, is_json = _rows(opened, format, encoding, fields)
        # What came through a pipe cannot be looked up again: its rejects keep the whole row.
        raw_limit = RAW_LIMIT if opened.path is not None else None
        for row in rows:
            record = _record(row, fields, opened.name, on_reject, raw_limit, is_json)
            if record is not None:
                yield record


def _from_folder(
    files: Iterable[tuple[str, dict[str, str | None]]],
    fields: FieldMap,
    on_reject: OnReject | None,
) -> Iterator[Record]:
    """Rows of many Parquet files, numbered on from file to file, with what their paths state."""
    before = 0
    for path, partition in files:
        with open_source(path) as opened:
            rows, _ = _rows(opened, "parquet", "utf-8", fields, also=partition)
            for count, row in enumerate(rows, before + 1):
                value = {**row.value, **partition}
                whole = row._replace(ordinal=count, value=value, raw=value)
                record = _record(whole, fields, opened.name, on_reject, RAW_LIMIT, False)
                before = count
                if record is not None:
                    yield record


def _rows(
    source: ByteSource,
    format: Format | None,
    encoding: str,
    fields: FieldMap,
    also: Iterable[str] = (),
) -> tuple[Iterator[RawRow], bool]:
    """The rows of an opened input, and whether their raw form is JSON text."""
    if source.head.startswith(PARQUET_MAGIC) and format in (None, "parquet"):
        plain = source.path if source.path is not None and source.compression is None else None
        rows = parquet.read_parquet(
            plain or source.chunks, name=source.name, fields=fields, also=also
        )
        return rows, False
    encodings.check(source.head, encoding, source.name, complete=source.complete)
    if format == "parquet":
        raise InputError(f"{source.name}: is not a Parquet file: it does not begin with PAR1")
    head = b"".join(
        encodings.to_utf8([source.head], encoding, source.name, complete=source.complete)
    )
    if source.complete and not head.strip():
        raise InputError(f"{source.name}: is empty: only blank lines")
    if format is None or (format == "json" and not head.lstrip().startswith(b"[")):
        found = detect_format(head, source.suffix, source.name, columns=fields.mapping.values())
        format = found if format is None or found == "jsonl" else format
    chunks = encodings.to_utf8(source.chunks, encoding, source.name)
    separator = line_separator(head)
    if format == "json":
        return read_json(chunks, name=source.name, encoding=encoding), True
    if format == "jsonl":
        return read_jsonl(chunks, encoding=encoding, separator=separator), True
    delimiter = (
        "\t" if format == "tsv" else delimited.guess_delimiter(head, fields.mapping.values())[0]
    )
    rows = delimited.read_delimited(
        chunks,
        name=source.name,
        delimiter=delimiter,
        fields=fields,
        encoding=encoding,
        separator=separator,
    )
    return rows, False


def _record(
    row: RawRow,
    fields: FieldMap,
    source: str,
    on_reject: OnReject | None,
    raw_limit: int | None,
    is_json: bool,
) -> Record | None:
    """The row as a record; ``None`` when it was rejected."""
    ordinal, line, value, problem, raw = row
    field = None
    if problem is None:
        try:
            if not isinstance(value, Mapping):
                raise RecordError(f"expected an object with fields, got {brief(value)}")
            if is_json:
                value = _strict(value, raw, fields.plan(value))
            return fields.record(
                value, default_id=f"{POSITIONAL_ID}{ordinal}", source=source, line=line
            )
        except RecordError as error:
            problem, field = error.reason + _shape_hint(value, error.field), error.field
    if on_reject is None:
        raise RecordError(problem, source=source, line=line, field=field)
    on_reject(Reject(source, line, field, problem, raw_text(raw, limit=raw_limit)))
    return None


def _shape_hint(value: Any, field: str | None) -> str:
    """What to do about one object that holds many rows."""
    if not isinstance(value, Mapping) or field not in REQUIRED:
        return ""
    for key, inner in value.items():
        if isinstance(inner, list) and len(inner) > 1 and isinstance(inner[0], Mapping):
            return f"; if the rows are those in {key!r}, give that list alone"
    lists = [inner for inner in value.values() if isinstance(inner, list)]
    if len(lists) > 1 and len({len(inner) for inner in lists}) == 1 and len(lists) == len(value):
        return "; this looks like columns: give one object for each row"
    return ""


def _strict(row: Mapping[str, Any], raw: bytes, plan: Plan) -> Mapping[str, Any]:
    """Look for what the fast JSON parser passes over in the columns that matter.

    A key given twice with different values (the parser keeps the last), and an id beyond 64 bits
    (it comes as a float that has lost digits).

    Raises:
        RecordError: A required column or the id is given twice and differs.
    """
    for quoted in plan.watched:
        if raw.count(quoted) > 1:  # perhaps in a nested object or a text: look properly
            for key, values in duplicate_keys(raw).items():
                if f'"{key}"'.encode("utf-8", "surrogatepass") in plan.watched and any(
                    value != values[0] for value in values
                ):
                    raise RecordError("given twice, with different values", field=key)
            break
    if plan.id is not None and type(row.get(plan.id[0])) is float:
        exact: Mapping[str, Any] = loads_lenient(raw)
        return exact
    return row
