"""The value of a contexts column, however a pipeline wrote it, as a tuple of texts."""

from __future__ import annotations

import ast
import numbers
import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from nli_faith.errors import RecordError
from nli_faith.io.jsontext import brief

TEXT_KEYS = (
    "page_content", "text", "content", "context", "chunk", "passage", "document", "body", "snippet",
)  # fmt: skip
"""Keys under which a chunk given as an object keeps its text, in this order."""

_WRAPPERS = ("node", "text_resource", "kwargs", "document", "segment", "payload")
_MAX_WRAPPING = 4
_REPR_ITEM = re.compile(
    r"\s*(?:(?P<text>'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\")"
    r"|(?P<null>None|nan))(?P<end>\s*[,\]]|\s+)",
    re.DOTALL,
)


def is_null(value: Any) -> bool:
    """Whether a value means "nothing here": ``None``, NaN, pandas' ``NA`` and ``NaT``."""
    if value is None:
        return True
    if isinstance(value, numbers.Real):  # numpy's floats as well
        return bool(value != value)
    return type(value).__name__ in ("NAType", "NaTType")


def coerce_contexts(value: Any) -> tuple[tuple[str, ...], int]:
    """Texts of a contexts value, and how many chunks were dropped.

    One string is one document. A string that is, as a whole, a JSON list or a Python or numpy
    repr of a list of strings (what CSV cells hold) is that list. Chunks may be strings, objects
    with their text under one of :data:`TEXT_KEYS` (LangChain and LlamaIndex dumps, also nested
    under ``node`` or ``kwargs``), or objects with such an attribute. ``None``, blank and other
    chunks are dropped and counted.

    Raises:
        RecordError: The value is of no such kind (``field`` is ``contexts``).
    """
    if type(value) is not list:
        if is_null(value):
            return (), 0
        value = _as_list(value)
    texts: list[str] = []
    dropped = 0
    for item in value:
        text = item if isinstance(item, str) else _chunk_text(item)
        # isspace() looks at white space only: strip() would copy a long chunk.
        if text and not text.isspace():
            texts.append(text)
        else:
            dropped += 1
    return tuple(texts), dropped


def encoded_list(text: str) -> list[Any] | None:
    """The list that ``text`` encodes as a whole (JSON, Python repr, numpy repr), or ``None``.

    Only lists that could hold chunks count: of strings, nulls and objects, at least one of them
    no null. So ``[1]`` and ``[1] 参见…`` are text.
    """
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        return None
    try:
        items = orjson.loads(stripped)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        items = _repr_list(stripped)
    if not isinstance(items, list):
        return None
    if items and not any(isinstance(item, (str, Mapping)) for item in items):
        return None
    if not all(item is None or isinstance(item, (str, Mapping)) for item in items):
        return None
    return items


def _as_list(value: Any) -> Iterable[Any]:
    if isinstance(value, str):
        items = encoded_list(value)
        return [value] if items is None else items
    if isinstance(value, tuple):
        return value
    if isinstance(value, Mapping):
        columns = next((value[k] for k in TEXT_KEYS if isinstance(value.get(k), list)), None)
        if columns is not None:  # a Hugging Face Sequence of features: {"text": [...], "id": [...]}
            return list(columns)
        text = _chunk_text(value)
        if text is not None:
            return [text]
        keys = ", ".join(map(repr, list(value)[:10]))
        raise RecordError(
            f"an object without text: looked for {', '.join(TEXT_KEYS)}; it has {keys or 'no key'}",
            field="contexts",
        )
    if hasattr(value, "tolist"):  # numpy arrays, as pandas and Parquet readers give them
        listed = value.tolist()
        if isinstance(listed, list):
            return listed
    text = _chunk_text(value)
    if text is not None:
        return [text]
    raise RecordError(
        f"expected a list of strings, a string or null, got {brief(value)}", field="contexts"
    )


def _chunk_text(item: Any, depth: int = 0) -> str | None:
    """The text of a chunk that is not a string, or ``None``."""
    if item is None or isinstance(item, (bool, int, float, bytes, list, tuple)):
        return None
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping):
        for key in TEXT_KEYS:
            text = item.get(key)
            if isinstance(text, str) and text and not text.isspace():
                return text
        if depth < _MAX_WRAPPING:
            for key in _WRAPPERS:
                inner = item.get(key)
                if isinstance(inner, Mapping):
                    return _chunk_text(inner, depth + 1)
        return None
    for key in ("page_content", "text", "content"):
        text = getattr(item, key, None)
        if isinstance(text, str):
            return text
    inner = getattr(item, "node", None)  # LlamaIndex NodeWithScore
    return _chunk_text(inner, depth + 1) if inner is not None and depth < _MAX_WRAPPING else None


def _repr_list(text: str) -> list[Any] | None:
    """``['a', "b"]`` or numpy's ``['a' 'b']``; pandas' ``to_csv`` writes list columns so.

    Read item by item and not by ``ast.literal_eval`` as a whole, which would join numpy's
    items, having no comma between them, into one string.
    """
    position = 1
    items: list[Any] = []
    while position < len(text):
        match = _REPR_ITEM.match(text, position)
        if match is None:
            return items if items and text[position:].strip() == "]" else None
        literal = match["text"]
        try:
            items.append(None if literal is None else _unquote(literal))
        except (ValueError, SyntaxError, MemoryError):
            return None
        position = match.end()
        if match["end"].endswith("]"):
            return items if position == len(text) else None
    return None


def _unquote(literal: str) -> Any:
    """The string that a literal stands for; line breaks in it may be raw, as numpy prints them."""
    if "\\" not in literal:
        return literal[1:-1]
    for raw, escaped in (("\n", "\\n"), ("\r", "\\r"), ("\0", "\\x00")):
        literal = literal.replace(raw, escaped)
    return ast.literal_eval(literal)
