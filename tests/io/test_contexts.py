"""Contexts in every dress."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nli_faith.io import coerce_contexts


@dataclass
class Document:
    page_content: str


@dataclass
class NodeWithScore:
    node: Any
    score: float = 0.5


@pytest.mark.parametrize(
    ("value", "texts", "dropped"),
    [
        ("房价为300元。", ["房价为300元。"], 0),  # one document, not seven characters
        (["甲", "乙"], ["甲", "乙"], 0),
        (("甲", "乙"), ["甲", "乙"], 0),
        (np.array(["甲", "乙"], dtype=object), ["甲", "乙"], 0),
        (None, [], 0),
        ([], [], 0),
        ("", [], 1),
        (" \n\u3000", [], 1),
        ([None, "", "  ", "\u3000\n", "甲", 3, 2.5, True, ["乙"], float("nan")], ["甲"], 9),
        ("  前后有空白  ", ["  前后有空白  "], 0),  # offsets are the user's: nothing is stripped
        ([{"page_content": "甲", "metadata": {}}, {"text": "乙"}, {"content": "丙"}], "甲乙丙", 0),
        ([{"chunk": "甲"}, {"passage": "乙"}, {"title": "无正文"}], "甲乙", 1),
        ([{"text": ""}, {"text": None}], [], 2),
        ([{"text": " ", "content": "甲"}], ["甲"], 0),
        ([{"segment": {"content": "甲"}, "score": 1}, {"snippet": "乙"}], ["甲", "乙"], 0),
        ([{"node": {"text": "甲"}, "score": 0.8}], ["甲"], 0),
        ([{"node": {"text_resource": {"text": "甲"}}}], ["甲"], 0),
        ([{"lc": 1, "type": "constructor", "kwargs": {"page_content": "甲"}}], ["甲"], 0),
        ({"page_content": "甲"}, ["甲"], 0),
        ({"text": ["甲", "乙"], "id": [1, 2]}, ["甲", "乙"], 0),
        ([Document("甲"), NodeWithScore(Document("乙"))], ["甲", "乙"], 0),
        (Document("甲"), ["甲"], 0),
        # cells
        ('["甲", "乙\\n"]', ["甲", "乙\n"], 0),
        ('[{"text": "甲"}, null]', ["甲"], 1),
        ("['甲', \"it's\", 'a\\'b']", ["甲", "it's", "a'b"], 0),
        ("['甲' '乙'\n '丙']", ["甲", "乙", "丙"], 0),  # numpy's repr
        ("['甲', None, nan]", ["甲"], 2),
        ("['a\\nb']", ["a\nb"], 0),
        ("['甲',]", ["甲"], 0),
        ("[]", [], 0),
        # text that only looks like a list
        ("[1] 参见附录。", ["[1] 参见附录。"], 0),
        ("[1, 2, 3]", ["[1, 2, 3]"], 0),
        ("[注]", ["[注]"], 0),
        ("['甲', 乙]", ["['甲', 乙]"], 0),
        ("['甲'", ["['甲'"], 0),
        ("['甲'] 与 ['乙']", ["['甲'] 与 ['乙']"], 0),
        ("[null]", ["[null]"], 0),
        ("['\\x']", ["['\\x']"], 0),
        ('{"text": "甲"}', ['{"text": "甲"}'], 0),
    ],
)
def test_contexts(value: Any, texts: Any, dropped: int) -> None:
    assert coerce_contexts(value) == (tuple(texts), dropped)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)))
def test_lists_in_cells_come_back(chunks: list[str]) -> None:
    kept = tuple(chunk for chunk in chunks if chunk.strip())
    assert coerce_contexts(json.dumps(chunks, ensure_ascii=False))[0] == kept
    assert coerce_contexts(repr(chunks))[0] == kept


@given(st.text())
def test_any_string_is_read_without_failing(text: str) -> None:
    texts, dropped = coerce_contexts(text)
    assert len(texts) + dropped >= 1 or text.strip() == "[]"


@pytest.mark.parametrize(
    "text",
    ["[" * 1_000_000, "['" + "a" * 1_000_000, "['" + "\\'" * 500_000 + "]", "['a' " * 200_000 + "]",
     "[\"" + "\\\\" * 500_000 + "\"]", "[" + " " * 1_000_000 + "]", "['a'" + " " * 1_000_000 + "x]",
     "[{" * 500_000 + "]", "['" + "' '" * 300_000 + "']"],
)  # fmt: skip
def test_long_cells_take_linear_time(text: str) -> None:
    start = time.process_time()
    coerce_contexts(text)
    assert time.process_time() - start < 2
