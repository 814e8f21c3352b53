"""JSON text in and out."""

from __future__ import annotations

import datetime
import decimal
import json
import math
import time
import uuid
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nli_faith.io import dumps, loads
from nli_faith.io.jsontext import JsonTextError, brief, duplicate_keys, shorten

TEXT = st.text(st.characters())  # lone surrogates included
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=20,
)


def joined(value: Any) -> Any:
    """The value with adjacent surrogate halves joined, as JSON must read them."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if isinstance(value, list):
        return [joined(v) for v in value]
    if isinstance(value, dict):
        return {joined(k): joined(v) for k, v in value.items()}
    return value


@given(JSON)
@settings(max_examples=150, deadline=None)
def test_what_is_written_is_read_back(value: Any) -> None:
    raw = dumps(value)
    assert loads(raw) == joined(value)
    assert json.loads(raw) == joined(value)  # any strict parser can
    raw.decode("utf-8")
    assert b"\n" not in raw
    assert loads(dumps(value, pretty=True)) == joined(value)


@dataclass
class Point:
    x: float


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "null"),
        ([float("inf"), -float("inf"), 1.5], "[null,null,1.5]"),
        (
            {"s": "\ud800", "n": float("nan"), "f": np.float32(0.5)},
            r'{"s":"\ud800","n":null,"f":0.5}',
        ),
        ({"\udfff": "好"}, r'{"\udfff":"\u597d"}'),
        (["\ud800", np.float64("nan"), np.int64(3), np.bool_(True)], r'["\ud800",null,3,true]'),
        ({"a": np.array([1.0, np.nan]), "b": np.array([[1, 2]])}, '{"a":[1.0,null],"b":[[1,2]]}'),
        (np.arange(6).reshape(2, 3)[:, ::2], "[[0,2],[3,5]]"),
        (10**30, "1" + "0" * 30),
        ({1: "a", None: "b", False: "c", 2.5: "d"}, '{"1":"a","null":"b","false":"c","2.5":"d"}'),
        ((1, (2,)), "[1,[2]]"),
        (MappingProxyType({"a": 1}), '{"a":1}'),
        ({"s": "\ud800", "m": MappingProxyType({"a": 1})}, r'{"s":"\ud800","m":{"a":1}}'),
        ({"d": datetime.date(2024, 5, 1)}, '{"d":"2024-05-01"}'),
        ({"s": "\ud800", "d": datetime.date(2024, 5, 1)}, r'{"s":"\ud800","d":"2024-05-01"}'),
        (decimal.Decimal("1.20"), '"1.20"'),
        (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (b"a\xff", r'"a\\xff"'),
        ({3}, "[3]"),
        (Point(1.0), '{"x":1.0}'),
        ({"s": "\ud800", "p": Point(1.0)}, r'{"s":"\ud800","p":{"x":1.0}}'),
        ("a\0b", r'"a\u0000b"'),
    ],
)
def test_values_beyond_json(value: Any, text: str) -> None:
    assert dumps(value).decode() == text


def test_newline_and_pretty() -> None:
    assert dumps({"a": "\ud800"}, newline=True) == b'{"a":"\\ud800"}\n'
    assert dumps({"a": 1}, pretty=True) == b'{\n  "a": 1\n}\n'
    assert dumps({"a": "\ud800"}, pretty=True) == b'{\n  "a": "\\ud800"\n}\n'


def test_deep_and_circular_values_do_not_fail() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    assert b"nested deeper" in dumps({"meta": deep})
    row: dict[str, Any] = {"id": "a"}
    row["self"] = [row, row]
    start = time.process_time()
    assert json.loads(dumps(row))["id"] == "a"
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a": NaN, "b": Infinity, "c": -Infinity}', {"a": None, "b": None, "c": None}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (rb'"\ud83d"', "\ud83d"),
        (rb'"\ud83d\ude00"', "😀"),
        (b'"\xed\xa0\xbd"', "\ud83d"),
        (b'"\xed\xa0\xbd\xed\xb8\x80"', "😀"),
        (b'"a\x00\x01\tb"', "a\0\1\tb"),
        (b" 1 ", 1),
    ],
)
def test_lenient_reading(raw: bytes, value: Any) -> None:
    assert loads(raw) == value


@pytest.mark.parametrize(
    ("raw", "line", "column", "words"),
    [
        (b'{"a": }', 1, 7, "expecting value"),
        ('{"答": "甲" "乙"}'.encode(), 1, 11, "',' delimiter"),  # columns are characters
        (b'{"a": 1,\n "b" 2}', 2, 6, "':' delimiter"),
        (b'{"a": "xyz', 1, 7, "cut off?"),
        (b'{"a": [1,', 1, 10, "cut off?"),
        (b"", 1, 1, "cut off?"),
        (b"{'a': 1}", 1, 2, "single quotes"),
        (b"1 2", 1, 3, "extra data"),
        (b"[" * 100_000, 1, 1, "deeply"),
    ],
)
def test_errors_say_where(raw: bytes, line: int, column: int, words: str) -> None:
    with pytest.raises(JsonTextError) as caught:
        loads(raw)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"invalid JSON at column {column}: ")


def test_bytes_that_are_no_utf_8() -> None:
    with pytest.raises(UnicodeDecodeError):
        loads(b'"\xff"')


def test_duplicate_keys_of_the_outermost_object() -> None:
    assert duplicate_keys(b'{"a": 1, "b": {"c": 1, "c": 2}, "a": [3]}') == {"a": [1, [3]]}
    assert duplicate_keys(b'{"a": 1}') == {}


def test_short_forms() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcdef…(+1 characters)"
    assert brief("x" * 10**6) == f"str ({'x' * 10**6!r:.59}…)"
    assert brief([1, 2, 3, 4, 5]) == "list ([1, 2, 3, 4, …])"
    assert brief(math.nan) == "float (nan)"
