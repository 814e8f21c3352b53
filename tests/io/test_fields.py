"""Names, precedence and types of one row."""

from __future__ import annotations

import uuid
from typing import Any

import numpy as np
import pytest

from nli_faith.errors import ConfigError, RecordError
from nli_faith.io import FieldMap, coerce_record, parse_mapping

Q, A, C = "试用期多长？", "试用期三个月。", ["员工手册：试用期为三个月。"]


def record(row: dict[str, Any], **options: Any) -> Any:
    return coerce_record(row, default_id="row-1", **options)


@pytest.mark.parametrize(
    "row",
    [
        {"user_input": Q, "response": A, "retrieved_contexts": C, "reference": "三个月"},
        {"question": Q, "answer": A, "contexts": C, "ground_truth": "三个月"},
        {"question": Q, "answer": A, "contexts": C, "ground_truths": ["三个月"]},
        {"input": Q, "actual_output": A, "retrieval_context": C, "expected_output": "三个月"},
        {"input": Q, "actualOutput": A, "retrievalContext": C, "expectedOutput": "三个月"},
        {"query": Q, "response": A, "context": C[0], "reference_answer": "三个月"},
        {"query": Q, "response": A, "retrieved_context": C, "reference_answer": "三个月"},
        {"Question": Q, "Answer": A, "Retrieved Contexts": C, "Ground-Truth": "三个月"},
        {"问题": Q, "回答": A, "上下文": C, "参考答案": "三个月"},
        {"query": Q, "answer": A, "documents": C, "reference": "三个月"},
        {"query": Q, "answer": A, "chunks": C, "reference": "三个月"},
        {"query": Q, "answer": A, "passages": C, "reference": "三个月"},
        {"\ufeffquery": Q, "answer": A, "docs": C, "reference": "三个月"},
    ],
)
def test_known_namings(row: dict[str, Any]) -> None:
    found = record(row)
    assert (found.question, found.answer, found.contexts) == (Q, A, tuple(C))
    assert found.reference == "三个月"
    assert found.meta == {}
    assert found.id == "row-1"


@pytest.mark.parametrize(
    ("row", "answer", "contexts", "meta"),
    [
        # DeepEval: context is the ideal one
        (
            {"input": Q, "actual_output": A, "retrieval_context": C, "context": ["理想"]},
            A, C, {"context": ["理想"]},
        ),
        # Ragas new, with the gold contexts and an old answer column left over
        (
            {"response": A, "answer": "旧", "retrieved_contexts": C, "reference_contexts": ["金"]},
            A, C, {"answer": "旧", "reference_contexts": ["金"]},
        ),
        # a name that says "generated" is the model's, the plain one the data set's
        ({"answer": "金", "generated_answer": A, "context": C}, A, C, {"answer": "金"}),
        ({"output": "x", "answer": A, "context": C}, A, C, {"output": "x"}),
        ({"answer": A, "retrieved_docs": C, "contexts": ["金"]}, A, C, {"contexts": ["金"]}),
        # the plain spelling wins over its dressed-up double
        ({"Answer": "甲", "answer": A, "contexts": C}, A, C, {"Answer": "甲"}),
    ],
)  # fmt: skip
def test_precedence(row: dict[str, Any], answer: str, contexts: list[str], meta: Any) -> None:
    found = record(row)
    assert (found.answer, list(found.contexts), dict(found.meta)) == (answer, contexts, meta)


@pytest.mark.parametrize(
    ("row", "field", "names"),
    [
        ({"answer": A, "response": "b", "contexts": C}, "answer", ["'answer'", "'response'"]),
        # by the names alone: a null in one of them does not decide
        ({"answer": "金", "response": None, "contexts": C}, "answer", ["'answer'", "'response'"]),
        ({"answer": A, "contexts": C, "documents": C}, "contexts", ["'contexts'", "'documents'"]),
        (
            {"answer": A, "retrieved_contexts": C, "retrieved_docs": C},
            "contexts",
            ["retrieved_contexts", "retrieved_docs", "--map contexts="],
        ),
    ],
)
def test_ambiguity_is_an_error(row: dict[str, Any], field: str, names: list[str]) -> None:
    with pytest.raises(RecordError) as caught:
        record(row, source="a.jsonl", line=4)
    assert caught.value.field == field
    assert (caught.value.source, caught.value.line) == ("a.jsonl", 4)
    for name in names:
        assert name in str(caught.value)


def test_an_ambiguity_is_solved_by_the_mapping() -> None:
    row = {"answer": "金", "response": A, "contexts": C, "documents": ["x"]}
    found = record(row, mapping={"answer": "response", "contexts": "contexts"})
    assert (found.answer, list(found.contexts)) == (A, C)
    assert found.meta == {"answer": "金", "documents": ["x"]}


@pytest.mark.parametrize(
    ("row", "field", "said"),
    [
        ({"contexts": C, "anser": A}, "answer", ["missing", "'anser'", "actual_output"]),
        ({"answer": A, "ctx": C}, "contexts", ["missing", "'ctx'", "retrieved_contexts"]),
        ({}, "answer", ["no keys at all"]),
        ({"answer": 42, "contexts": C}, "answer", ["int", "42"]),
        ({"answer": [A], "contexts": C}, "answer", ["list", "试用期"]),
        ({"answer": True, "contexts": C}, "answer", ["bool"]),
        ({"answer": A, "contexts": 5}, "contexts", ["int", "5"]),
        ({"answer": A, "contexts": True}, "contexts", ["bool"]),
        ({"answer": A, "contexts": {"title": "t"}}, "contexts", ["'title'", "page_content"]),
        ({"answer": A, "contexts": C, "question": ["q"]}, "question", ["list", "'q'"]),
        ({"answer": A, "contexts": C, "reference": {"a": 1}}, "reference", ["dict"]),
        ({"answer": A, "contexts": C, "id": ["x"]}, "id", ["list"]),
        ({"answer": A, "contexts": C, "id": False}, "id", ["bool"]),
        ({"answer": A, "contexts": C, "variants": "q"}, "variants", ["str"]),
        ({"answer": A, "contexts": C, "variants": [3]}, "variants", ["int"]),
        ({"answer": A, "contexts": C, "relevant_ids": [{"a": 1}]}, "relevant_ids", ["dict"]),
        ({"answer": A, "contexts": C, "relevant_ids": 3}, "relevant_ids", ["int"]),
    ],
)
def test_errors_name_field_type_and_keys(row: dict[str, Any], field: str, said: list[str]) -> None:
    with pytest.raises(RecordError) as caught:
        record(row)
    assert caught.value.field == field
    for words in said:
        assert words in str(caught.value)


def test_messages_stay_short() -> None:
    row = {f"column_{i}": "x" for i in range(500)} | {"answer": "长" * 100_000}
    with pytest.raises(RecordError) as caught:
        record(row)
    assert len(str(caught.value)) < 1500
    assert "and 481 more" in str(caught.value)
    with pytest.raises(RecordError) as caught:
        record({"answer": ["长" * 100_000] * 9, "contexts": []})
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("null", [None, float("nan"), np.float64("nan"), np.float32("nan")])
def test_null_answers_and_contexts_are_states_not_errors(null: Any) -> None:
    found = record({"answer": null, "contexts": null, "question": null, "id": null})
    assert (found.answer, found.contexts, found.question) == ("", (), None)
    assert found.dropped_contexts == 0
    assert found.id == "row-1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (17, "17"), (17.0, "17"), (1.5, "1.5"), (0, "0"), ("", "row-1"), ("  ", "row-1"),
        (np.int64(5), "5"), (np.float32(2.0), "2"), (10**25, "1" + "0" * 25), ("零一", "零一"),
        ({"$oid": "65f0"}, "65f0"), (uuid.UUID(int=3), "00000000-0000-0000-0000-000000000003"),
    ],
)  # fmt: skip
def test_ids(value: Any, text: str) -> None:
    assert record({"_id": value, "answer": A, "contexts": C}).id == text


@pytest.mark.parametrize("name", ["id", "_id", "record_id", "qid", "uuid", "question_id", "编号"])
def test_id_names(name: str) -> None:
    assert record({name: "x7", "answer": A, "contexts": C}).id == "x7"


def test_of_two_ids_the_first_name_wins_and_the_other_is_kept() -> None:
    found = record({"qid": 2, "id": 1, "answer": A, "contexts": C})
    assert (found.id, found.meta) == ("1", {"qid": 2})


def test_mapping_paths() -> None:
    row = {
        "run": {"choices": [{"message": {"content": A}}], "docs.v2": {"top": C}},
        "a.b": "编",
        "cell": '{"q": "试用期多长？"}',
        "contexts": ["不是这个"],
    }
    mapping = {
        "answer": "run.choices.0.message.content",
        "contexts": "run.docs.v2.top",
        "id": "a.b",
        "question": "cell.q",
    }
    found = record(row, mapping=mapping)
    assert (found.answer, list(found.contexts), found.id) == (A, C, "编")
    assert found.question == Q
    assert found.meta["contexts"] == ["不是这个"]
    assert found.meta["run"] == row["run"]


@pytest.mark.parametrize("column", ["outputs", "run.answer", "run.choices.7", "nowhere.at.all"])
def test_a_mapped_column_that_is_absent_is_an_error(column: str) -> None:
    row = {"answer": A, "contexts": C, "run": {"choices": ["x"]}}
    with pytest.raises(RecordError, match=r"mapped to '.*', which the row lacks; it has") as caught:
        record(row, mapping={"answer": column})
    assert caught.value.field == "answer"
    with pytest.raises(RecordError, match="mapped to"):
        record(row, mapping={"question": column})


def test_mapping_speaks_every_name() -> None:
    found = record({"a": A, "c": C}, mapping={"response": "a", "retrievalContext": "c"})
    assert (found.answer, list(found.contexts)) == (A, C)


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"answr": "x"}, "no field 'answr'"),
        ({"answer": "x", "response": "y"}, "two columns for 'answer'"),
        ({"answer": ""}, "not a name"),
    ],
)
def test_bad_mappings(mapping: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        FieldMap(mapping)


def test_parse_mapping() -> None:
    assert parse_mapping(["answer=a b", " contexts = m.c=d "]) == {
        "answer": "a b", "contexts": "m.c=d",
    }  # fmt: skip
    for bad in ("answer", "=x", "answer="):
        with pytest.raises(ConfigError, match="FIELD=COLUMN"):
            parse_mapping([bad])
    with pytest.raises(ConfigError, match="twice"):
        parse_mapping(["answer=a", "answer=b"])


def test_meta_is_merged_and_nothing_is_lost() -> None:
    found = record(
        {"answer": A, "contexts": C, "meta": {"lang": "zh", "n": 1}, "lang": "en", "tag": [1]}
    )
    assert found.meta == {"lang": "zh", "n": 1, "column.lang": "en", "tag": [1]}
    assert record({"answer": A, "contexts": C, "meta": '{"a": 1}'}).meta == {"a": 1}
    assert record({"answer": A, "contexts": C, "meta": "自由文本"}).meta == {"meta": "自由文本"}
    assert record({"answer": A, "contexts": C, "meta": None}).meta == {}


def test_variants_and_relevant_ids() -> None:
    row = {
        "answer": A, "contexts": C,
        "variants": [{"question": "多久？", "answer": A}, "试用期几个月？"],
        "relevant_ids": ["d1", 2, 3.0, None],
    }  # fmt: skip
    found = record(row)
    assert found.variants == ({"question": "多久？", "answer": A}, {"question": "试用期几个月？"})
    assert found.relevant_ids == ("d1", "2", "3")
    cells = {"answer": A, "contexts": C, "variants": '["多久？"]', "relevant_ids": '["d1", 2]'}
    found = record(cells)
    assert found.variants == ({"question": "多久？"},)
    assert found.relevant_ids == ("d1", "2")
    assert record({**cells, "variants": "", "relevant_ids": "d9"}).relevant_ids == ("d9",)


def test_reference_lists_are_joined() -> None:
    row = {"answer": A, "contexts": C, "ground_truths": ["三个月", " ", "九十天"]}
    assert record(row).reference == "三个月\n九十天"
    assert record({**row, "ground_truths": []}).reference is None


def test_the_row_is_not_changed_and_plans_are_per_shape() -> None:
    fields = FieldMap()
    rows = [
        {"answer": A, "contexts": C, "x": 1},
        {"response": A, "retrieved_contexts": C},
        {"answer": A, "contexts": C, "x": 1},
    ]
    copies = [dict(row) for row in rows]
    found = [fields.record(row, default_id=str(i)) for i, row in enumerate(rows)]
    assert rows == copies
    assert [r.meta for r in found] == [{"x": 1}, {}, {"x": 1}]
    for i in range(2000):  # the memory of shapes is bounded
        fields.record({"answer": A, "contexts": C, f"k{i}": 1}, default_id="0")
    assert len(fields._plans) <= 512


def test_keys_that_are_not_strings() -> None:
    with pytest.raises(RecordError, match="keys must be strings"):
        record({1: "x", "answer": A, "contexts": C})  # type: ignore[dict-item]
