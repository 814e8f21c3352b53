"""Checks of golden sets."""

from __future__ import annotations

import json

import pytest

from nli_faith.datamodels import Record
from nli_faith.errors import InputError, RecordError
from nli_faith.evaluation import lint_references, read_golden


def record(id="r", question="整机保修多久？", reference="整机保修两年。", contexts=()):
    return Record(id=id, answer="", question=question, reference=reference, contexts=contexts)


def checks(*records: Record) -> list[str]:
    return [f.check for f in lint_references(records).findings if f.id is not None]


def test_a_good_record_has_no_finding():
    assert checks(record()) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"reference": None}, ["no_reference"]),
        ({"reference": " \n"}, ["no_reference"]),
        ({"reference": "您好！"}, ["no_claims"]),
        ({"reference": "材料中没有相关信息。"}, ["declines"]),
        ({"question": None}, ["no_question"]),
        ({"question": "？？"}, ["no_question"]),
        ({"reference": "上限是500。"}, ["number_without_unit"]),
        ({"reference": "上限是500元。"}, []),
        ({"reference": "比例为80%，期限90天，2023年起。"}, []),
        ({"reference": "一共有800。另收300。"}, ["number_without_unit", "number_without_unit"]),
    ],
)
def test_one_record(fields, expected):
    assert checks(record(**fields)) == expected


@pytest.mark.parametrize(
    ("reference", "context", "found"),
    [
        ("商品七天内可以退货。", "商品七天内可以退货，定制商品除外。", True),
        ("商品七天内可以退货。", "商品七天内可以退货。但定制商品除外。", True),
        ("商品七天内可以退货。", "法律另有规定的除外。今天下雨。商品七天内可以退货。", False),
        ("商品七天内可以退货，定制商品除外。", "商品七天内可以退货，定制商品除外。", False),
        ("商品七天内可以退货。", "除定制商品外，商品七天内可以退货。", True),
        ("商品七天内可以退货。", "除此之外，商品七天内也可以退货。", False),
        ("商品七天内可以退货。", "商品七天内可以退货。", False),
        ("门店九点开门。", "商品七天内可以退货，定制商品除外。", False),
        ("商品七天內可以退貨。", "商品七天内可以退货，定制商品除外。", True),
        ("Goods can be returned within 7 days.",
         "Goods can be returned within 7 days, unless they were made to order.", True),
    ],
)  # fmt: skip
def test_exceptions_that_the_contexts_state(reference, context, found):
    made = record(question="能退吗？", reference=reference, contexts=("无关。", context))
    assert ("exception_not_stated" in checks(made)) is found


def test_duplicates_after_folding():
    found = lint_references([
        record("a"), record("b", "整機保修多久"), record("c", "整机保修多久?", "整机保修三年。"),
        record("d", "电池保修多久？"),
    ])  # fmt: skip
    pairs = [(f.id, f.check, f.severity) for f in found.findings if f.id]
    assert pairs == [
        ("b", "duplicate", "warning"), ("c", "conflicting_duplicate", "error"),
    ]  # fmt: skip
    assert "'a'" in found.findings[0].message
    assert found.errors == 1


@pytest.mark.parametrize(("n", "check"), [(49, "too_few"), (50, None), (200, None), (201, "many")])
def test_how_many(n, check):
    found = lint_references(record(str(i), f"问题{i}号设备保修多久？") for i in range(n))
    whole = [f.check for f in found.findings if f.id is None and f.check != "kind_missing"]
    assert whole == ([check] if check else [])
    assert found.records == n


def test_kinds_of_questions():
    asked = ["一共收多少钱？", "对比A和B的做法和性能。", "截止日期是哪天？", "为什么会这样？"]
    found = lint_references(record(str(i), q) for i, q in enumerate(asked))
    assert found.kinds["numeric"] == 1
    assert found.kinds["multi_part"] == 1
    assert found.kinds["time_range"] == 1
    severities = {
        f.message.split()[1]: f.severity for f in found.findings if f.check == "kind_missing"
    }
    assert severities == {"numeric": "note", "multi-part": "note", "time-range": "note"}
    none = lint_references([record(question="为什么会这样？")])
    assert {f.severity for f in none.findings if f.check == "kind_missing"} == {"warning"}


def test_the_report_as_json():
    report = lint_references([record(reference=None)])
    table = json.loads(json.dumps(report.to_dict()))
    assert table["errors"] == 1
    assert table["counts"]["no_reference"] == 1
    assert table["findings"][0]["field"] == "reference"


def test_golden_sets_need_neither_answer_nor_contexts(tmp_path):
    path = tmp_path / "golden.jsonl"
    rows = [
        {"id": "a", "question": "保修多久？", "reference": "两年。"},
        {"id": "b", "question": "x？", "reference": "y。", "contexts": ["z"]},
        {"id": "c", "user_input": "x？", "ground_truth": "y。", "response": "w", "extra": 1},
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    found = list(read_golden(path))
    assert [(r.id, r.answer, r.contexts, r.reference) for r in found] == [
        ("a", "", (), "两年。"), ("b", "", ("z",), "y。"), ("c", "w", (), "y。"),
    ]  # fmt: skip
    assert found[2].meta == {"extra": 1}
    assert found[0].source.endswith("golden.jsonl:1")


def test_golden_sets_in_csv(tmp_path):
    path = tmp_path / "golden.csv"
    path.write_text("﻿问题,标准答案\n保修多久？,两年。\n", encoding="utf-8")
    (made,) = read_golden(path)
    assert (made.question, made.reference, made.contexts) == ("保修多久？", "两年。", ())


def test_golden_sets_in_parquet(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"question": ["保修多久？"], "reference": ["两年。"]})
    parquet.write_table(table, tmp_path / "golden.parquet")
    (made,) = read_golden(tmp_path / "golden.parquet")
    assert made.reference == "两年。"


def test_bad_rows_of_a_golden_set(tmp_path):
    path = tmp_path / "golden.jsonl"
    path.write_text('{"question": 5}\n[1]\n{"question": "x？", "answer": "a", "response": "b"}\n')
    rejected = []
    assert list(read_golden(path, on_reject=rejected.append)) == []
    assert [(r.line, r.field) for r in rejected] == [(1, "question"), (2, None), (3, "answer")]
    with pytest.raises(RecordError, match="question"):
        list(read_golden(path))
    with pytest.raises(InputError):
        list(read_golden(tmp_path / "gone.jsonl"))
