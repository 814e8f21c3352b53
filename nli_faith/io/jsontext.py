r"""JSON text in and out: orjson on the fast path, the standard library where orjson refuses.

Reading accepts what real pipelines write although RFC 8259 forbids it: ``NaN`` and ``Infinity``
(read as null), raw control characters inside strings, lone surrogates (``\ud800``). Writing
turns NaN and infinities into null and escapes lone surrogates, so that every string that can be
read can be written again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, cast

import orjson

MAX_DEPTH = 200
"""Nesting levels kept by the slow path of :func:`dumps`; deeper parts become a placeholder."""

_FAST = orjson.OPT_SERIALIZE_NUMPY
_FAST_LINE = _FAST | orjson.OPT_APPEND_NEWLINE
_FAST_PRETTY = _FAST_LINE | orjson.OPT_INDENT_2


class JsonTextError(ValueError):
    """Text is not JSON.

    Attributes:
        reason: What is wrong, without the place.
        line: 1-based line within the text.
        column: 1-based column in characters within that line.
    """

    def __init__(self, reason: str, line: int, column: int) -> None:
        self.reason = reason
        self.line = line
        self.column = column
        super().__init__(f"invalid JSON at column {column}: {reason}")


def loads(data: bytes) -> Any:
    """Parse one JSON value from UTF-8 bytes (no byte order mark).

    Args:
        data: The text.

    Returns:
        The value. ``NaN`` and ``±Infinity`` become ``None``; of duplicate keys the last wins
        (see :func:`duplicate_keys`); integers beyond 64 bits become floats.

    Raises:
        JsonTextError: The text is not JSON, even leniently read.
        UnicodeDecodeError: The bytes are not UTF-8.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return loads_lenient(data)


def loads_lenient(data: bytes, *, pairs_hook: Any = None) -> Any:
    """Parse as :func:`loads` does, always on the slow path: exact integers of any size.

    Args:
        data: The text, UTF-8; surrogates encoded one by one (CESU-8, "modified UTF-8") pass.
        pairs_hook: ``object_pairs_hook`` of the standard library's parser.

    Raises:
        JsonTextError: The text is not JSON.
        UnicodeDecodeError: The bytes are not UTF-8.
    """
    text = _decode(data)
    try:
        return json.loads(
            text, strict=False, parse_constant=_no_constant, object_pairs_hook=pairs_hook
        )
    except json.JSONDecodeError as error:
        raise JsonTextError(_explain(text, error), error.lineno, error.colno) from None
    except RecursionError:
        raise JsonTextError("nested too deeply", 1, 1) from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise JsonTextError(str(error).split(";")[0], 1, 1) from None


def duplicate_keys(data: bytes) -> dict[str, list[Any]]:
    """Keys of the outermost object that appear more than once, with their values in order."""
    outermost: list[tuple[str, Any]] = []

    def hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal outermost
        outermost = pairs  # objects are closed inside out: the last call is the outermost
        return dict(pairs)

    loads_lenient(data, pairs_hook=hook)
    values: dict[str, list[Any]] = {}
    for key, value in outermost:
        values.setdefault(key, []).append(value)
    return {key: found for key, found in values.items() if len(found) > 1}


def dumps(value: Any, *, newline: bool = False, pretty: bool = False) -> bytes:
    r"""Serialise to UTF-8 JSON that any strict parser accepts.

    NaN and infinities become null, numpy scalars and arrays numbers and lists, dates ISO 8601,
    ``Decimal`` and other unknown objects strings, sets lists. A value with lone surrogates,
    non-string keys or integers beyond 64 bits takes the slow path and comes out as pure ASCII.
    (Two lone surrogates that happen to stand side by side as high and low read back as the
    character they form: JSON cannot tell them apart.)

    Args:
        value: What to write.
        newline: Append ``\n``.
        pretty: Indent by two spaces and append ``\n``.
    """
    option = _FAST_PRETTY if pretty else _FAST_LINE if newline else _FAST
    try:
        return orjson.dumps(value, default=_default, option=option)
    except TypeError:
        text = json.dumps(
            _plain(value, 0, set()),
            allow_nan=False,
            indent=2 if pretty else None,
            separators=None if pretty else (",", ":"),
        )
        return (text + "\n" if newline or pretty else text).encode("ascii")


def shorten(text: str, limit: int) -> str:
    """Cut ``text`` to ``limit`` characters and say how many are left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}…(+{len(text) - limit} characters)"


def brief(value: Any, limit: int = 60) -> str:
    """``type (repr)`` of a value for messages, at most about ``limit`` characters of repr."""
    if isinstance(value, str):
        shown = repr(value[: limit + 1])
    elif isinstance(value, (list, tuple)):
        shown = repr(value[:4]) if len(value) <= 4 else f"{repr(value[:4])[:-1]}, …]"
    else:
        shown = repr(value)
    shown = shown if len(shown) <= limit else shown[: limit - 1] + "…"
    return f"{type(value).__name__} ({shown})"


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as strict:
        try:
            text = data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise strict from None
        # CESU-8 writes 😀 as two surrogates: join what forms a pair, keep what stands alone.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _no_constant(_name: str) -> None:
    """``NaN``, ``Infinity`` and ``-Infinity`` are read as null."""


def _explain(text: str, error: json.JSONDecodeError) -> str:
    reason = error.msg[:1].lower() + error.msg[1:]
    reason = reason.removesuffix(" at").removesuffix(" starting")
    if error.msg.startswith("Unterminated string") or not text[error.pos :].strip():
        return f"{reason} (the text ends too early: cut off?)"
    if text[error.pos : error.pos + 1] == "'":
        return f"{reason} (single quotes: a Python repr, not JSON?)"
    return reason


def _default(value: Any) -> Any:
    """What orjson does not know: numpy leftovers, sets, bytes, Decimal, anything else."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "backslashreplace")
    if hasattr(value, "tolist"):  # numpy arrays that are not contiguous, numpy.float128, …
        listed = value.tolist()
        return listed if not hasattr(listed, "tolist") else str(listed)
    return str(value)


def _plain(value: Any, depth: int, ancestors: set[int]) -> Any:
    """A copy made of what ``json.dumps`` writes strictly."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth >= MAX_DEPTH or id(value) in ancestors:
        return f"<nested deeper than {MAX_DEPTH} levels>"
    ancestors.add(id(value))
    try:
        if isinstance(value, Mapping):
            return {_key(k): _plain(v, depth + 1, ancestors) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [_plain(v, depth + 1, ancestors) for v in value]
        return _plain(_scalar(value), depth + 1, ancestors)
    finally:
        ancestors.discard(id(value))


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    return str(key)


def _scalar(value: Any) -> Any:
    """Dates, UUIDs, enums, dataclasses and numpy values as orjson writes them."""
    try:
        return cast(Any, orjson.loads(orjson.dumps(value, option=_FAST)))
    except TypeError:
        return _default(value)
