"""Properties that hold for any text."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from nli_faith.datamodels import Block
from nli_faith.text import SentenceSplitter, clean, extract, fold, model_text, split, to_simplified

# What the splitter meets and what it decides on, without table markup (rows are rewritten).
_SIGNS = (
    "。！？!?.．…，、；：,;:“”‘’\"'「」『』（）()[]【】《》*_`~#>-—•·①一二十第条章 \n\r\u3000\t"
)
_LETTERS = "中文字體说道abcAIé１2３0%％😀\u200d\u0301\u200b\ud800"
_mixed = st.text(alphabet=st.sampled_from(_SIGNS + _LETTERS), max_size=80)
_any = st.text(max_size=60)
_MARKER = re.compile(
    r"[（(]?\s*(?:[0-9０-９]{1,3}(?:[.．][0-9]{1,2}){0,3}|[零〇一二三四五六七八九十百两]{1,4}"
    r"|[A-Za-z]|[ivxIVX]{2,5}|[①-⑳㉑-㉟㊱-㊿⑴-⒛❶-❿➀-➓㈠-㈩⒜-⒵Ⓐ-ⓩⅠ-Ⅻⅰ-ⅻ])\s*"
    r"[)）.．、]{0,2}|\[[ xX]\]"
)

# The line of a fence that is never closed.
_FENCE = re.compile(r"(?:`{3,}|~{3,})[ \t]*[A-Za-z0-9_+#.-]*[ \t]*$", re.MULTILINE)


def _uncovered(text: str, spans: list[tuple[int, int]]) -> list[str]:
    gaps, at = [], 0
    for start, end in spans:
        gaps.append(text[at:start])
        at = end
    return [*gaps, text[at:]]


@settings(max_examples=400, deadline=None)
@given(st.one_of(_mixed, _any))
def test_nothing_with_a_letter_is_lost(text: str) -> None:
    text = text.replace("|", "").replace("<", "")
    spans = [(segment.start, segment.end) for segment in split(text)]
    for gap in _uncovered(text, spans):
        left = _MARKER.sub("", _FENCE.sub("", gap))
        assert not any(char.isalnum() for char in left), (gap, spans)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("中a1|<>-:\n \\tablerdh/。"), max_size=80))
def test_tables_lose_no_cell(text: str) -> None:
    read = "".join(segment.text for segment in split(text))
    spans = [(segment.start, segment.end) for segment in split(text)]
    for gap in _uncovered(text, spans):
        for char in re.sub(r"<[^<>]*>|[a1]\s*[.)、]", "", gap):
            assert not char.isalnum() or char in read


@settings(max_examples=300, deadline=None)
@given(st.one_of(_mixed, _any), st.sampled_from([8, 13, 400]))
def test_spans_are_ordered_exact_and_bounded(text: str, limit: int) -> None:
    at = 0
    for segment in split(text, max_chars=limit):
        assert at <= segment.start < segment.end <= len(text)
        at = segment.end
        if segment.block is Block.CODE:
            continue
        assert len(segment.text) <= limit
        source = text[segment.start : segment.end]
        if segment.block is not Block.TABLE_ROW and not re.search(
            r"[\n\r\x0b\x0c\x85\u2028\u2029]", source
        ):
            assert segment.text == clean(source).text


@settings(max_examples=300, deadline=None)
@given(st.one_of(_mixed, _any))
def test_a_sentence_splits_into_itself(text: str) -> None:
    for segment in split(text):
        if segment.block is not Block.PARAGRAPH or re.match(r"[#>\-*_`~|<]", segment.text):
            continue
        again = split(segment.text)
        assert [found.text for found in again] == [segment.text]


@settings(max_examples=200, deadline=None)
@given(st.one_of(_mixed, _any))
def test_forms_never_fail_and_keep_letters(text: str) -> None:
    cleaned = clean(text)
    assert not re.search("[\r\x00\u200b\ufeff\ud800-\udfff]", cleaned.text)
    for start in range(0, len(cleaned.text), 7):
        low, high = cleaned.span(start, min(start + 5, len(cleaned.text)))
        assert 0 <= low < high <= len(text)
    assert clean(cleaned.text).text == cleaned.text
    assert to_simplified(to_simplified(text)) == to_simplified(text)
    assert fold(fold(text)) == fold(text)
    if any(char.isalnum() for char in cleaned.text):
        assert any(char.isalnum() for char in model_text(text))


@settings(max_examples=150, deadline=None)
@given(st.one_of(_mixed, _any))
def test_classifying_keeps_every_segment(text: str) -> None:
    before = split(text)
    after = extract(text)
    assert [(s.text, s.start, s.end) for s in before] == [(s.text, s.start, s.end) for s in after]


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet=st.sampled_from("公司成立于年，；。并且表示“”（）说增长12%的 a,"), max_size=60)
)
def test_clauses_are_ordered_and_lose_nothing(text: str) -> None:
    spans = []
    at = 0
    for segment in SentenceSplitter(granularity="clause").split(text):
        assert at <= segment.start < segment.end
        at = segment.end
        spans.append((segment.start, segment.end))
        assert segment.text[-1] == text[segment.end - 1]
    for gap in _uncovered(text, spans):
        assert not any(char.isalnum() for char in _MARKER.sub("", gap))
