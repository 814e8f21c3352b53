"""Records on their way into the scorer: read, and gathered into chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from nli_faith.datamodels import Record
from nli_faith.errors import RecordError
from nli_faith.io.fields import coerce_record

RecordLike = Record | Mapping[str, Any]
Item = TypeVar("Item")


def as_record(item: object, *, default_id: str) -> Record:
    """A record, or a mapping with known field names made into one.

    Raises:
        RecordError: It is neither, lacks a field, or one has a wrong type.
    """
    if isinstance(item, Record):
        return item
    if not isinstance(item, Mapping):
        raise RecordError(f"a record is a Record or a mapping, not {item!r:.60}")
    return coerce_record(item, default_id=default_id)


def record_chars(record: Record) -> int:
    """What a record counts towards the characters of a chunk: answer and contexts."""
    return len(record.answer) + sum(map(len, record.contexts))


def chunked(
    items: Iterable[Item], *, most: int, chars: int, size: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """Runs of items; when ``items`` raises, what it gave before comes first.

    Args:
        items: Any number.
        most: Items in a chunk, at most.
        chars: A chunk ends with the item that brings its size to this.
        size: Size of an item.
    """
    failure: Exception | None = None
    chunk: list[Item] = []
    total = 0
    stream = iter(items)
    while True:
        try:
            item = next(stream)
        except StopIteration:
            break
        except Exception as error:
            failure = error
            break
        chunk.append(item)
        total += size(item)
        if len(chunk) >= most or total >= chars:
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk
    if failure is not None:
        raise failure
