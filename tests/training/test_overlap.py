"""Shared strings of 20 characters are found, shorter ones are not."""

from __future__ import annotations

import json

import pytest

from nli_faith.errors import ConfigError
from nli_faith.training.overlap import (
    OverlapIndex,
    count_overlap,
    index_of,
    read_rows,
    shingles,
    texts_of,
)

LONG = "北桥市水务局昨日通报，三号泵站将于月底前完成检修并恢复供水"


def test_a_shared_string_is_found_whatever_the_punctuation():
    index = OverlapIndex({"dev": ["前文无关。" + LONG]})
    assert index.matches(["另一篇：" + LONG.replace("，", " , ")]) == ["dev"]


def test_nineteen_characters_are_not_enough():
    signs = "春江潮水连海平海上明月共潮生滟滟随波千万里"
    index = OverlapIndex({"dev": [signs[:20]]})
    assert index.matches([signs]) == ["dev"]
    assert not index.matches([signs[:19] + "何处"])


def test_stock_phrases_of_letters_do_not_count():
    index = OverlapIndex({"dev": ["According to the World Health Organization, masks help."]})
    assert not index.matches(["According to the World Health Organization, hands matter."])
    assert len(shingles("a" * 59)) == 0
    assert len(shingles("abcdefghij" * 6)) == 1


def test_texts_of_every_format():
    row = {
        "contexts": ["甲"], "pairs": [{"supported": "乙", "edited": "丙", "label": "contradicted"}],
        "extra": [{"text": "丁"}], "id": "x", "hypothesis": "戊",
    }  # fmt: skip
    assert sorted(texts_of(row)) == sorted("甲乙丙丁戊")


def test_rows_are_counted_by_set(tmp_path):
    dev, train = tmp_path / "held.jsonl", tmp_path / "train.jsonl"
    dev.write_text(json.dumps({"premise": LONG}) + "\n", encoding="utf-8")
    rows = [{"contexts": [LONG], "answer": "乙"}, {"premise": "短句", "hypothesis": "短句"}]
    train.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert count_overlap(train, index_of([dev])) == (2, {"held": 1})


def test_unreadable_files_are_named(tmp_path):
    with pytest.raises(ConfigError, match="missing"):
        list(read_rows(tmp_path / "missing.jsonl"))
