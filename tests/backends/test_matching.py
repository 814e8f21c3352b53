"""Token types that mark what premise and hypothesis share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nli_faith.backends import PairIds
from nli_faith.backends.matching import SCHEME, MatchType, MatchTyper
from nli_faith.backends.ort import OrtBackend
from nli_faith.backends.tokenization import encode_texts, load_tokenizer, read_template
from nli_faith.errors import ModelFormatError
from nli_faith.model_hub import bundled_dir

M = MatchType


@pytest.fixture(scope="module")
def tokenizer():
    return load_tokenizer(bundled_dir() / "tokenizer.json")


def words(tokenizer, premise: str, hypothesis: str) -> tuple[dict[str, int], dict[str, int]]:
    """Piece to type, on both sides."""
    left, right = encode_texts(tokenizer, [premise, hypothesis])
    types = MatchTyper(tokenizer.id_to_token)(left, right)
    sides = zip((left, right), types, strict=True)
    return tuple(
        {tokenizer.id_to_token(int(i)).strip("▁"): t for i, t in zip(ids, side, strict=True)}
        for ids, side in sides
    )


def test_one_changed_digit_is_marked_on_both_sides(tokenizer):
    premise, claim = words(tokenizer, "营收增长12%。", "营收增长120%。")
    assert premise["12"] == M.PREMISE_NUMBER_ABSENT
    assert claim["120"] == M.HYPOTHESIS_NUMBER_ABSENT
    assert claim["增长"] == M.HYPOTHESIS_SHARED


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        ("净利润1,200万元", "净利润1200万元"),
        ("2031年05月6日", "2031年5月6日"),
        ("共350人", "350人"),
    ],
)
def test_a_number_matches_in_another_spelling(tokenizer, premise, claim):
    _, types = words(tokenizer, premise, claim)
    assert M.HYPOTHESIS_NUMBER_ABSENT not in types.values()
    assert M.HYPOTHESIS_NUMBER_SHARED in types.values()


def test_matching_does_not_hang_on_where_words_are_cut_or_on_the_script(tokenizer):
    _, types = words(tokenizer, "由部門負責人審批", "部门负责人")
    assert set(types.values()) - {M.OTHER} == {M.HYPOTHESIS_SHARED}


def test_punctuation_and_special_tokens_are_of_no_kind(tokenizer):
    premise, claim = words(tokenizer, "标准。", "办法。")
    assert premise["。"] == claim["。"] == M.OTHER


def test_types_reach_the_model(tiny_match: Path):
    backend = OrtBackend(tiny_match, threads=1)
    assert backend.template.uses_types
    a, b = backend.encode(["营收增长12%。", "营收增长12%。"])
    shared = backend.template.types(PairIds(a, b))
    assert set(shared[0]) | set(shared[1]) != {0}
    # The same ids with the types of another pair give another score.
    other = backend.encode(["天气"])[0]
    padded = PairIds(np.resize(other, len(a)), b)
    assert backend.template.types(padded) != shared


def test_an_unknown_scheme_is_refused(tokenizer):
    with pytest.raises(ModelFormatError, match="lexical-match-9"):
        read_template(tokenizer, 1, "lexical-match-9")
    assert read_template(tokenizer, 1, SCHEME).typer is not None
