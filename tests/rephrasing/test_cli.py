"""``nli-faith rephrase``: variants out, answers joined, errors with their place."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from nli_faith.cli.rephrase import rephrase
from nli_faith.errors import InputError, OutputExistsError, OutputPathError
from nli_faith.io import read_records

RECORDS = [
    {"id": "r1", "question": "公司2023年第三季度的营收是多少？", "answer": "12亿元。",
     "contexts": ["营收12亿元。"], "reference": "12亿元。", "version": "a"},
    {"id": "r2", "question": "谁发明了电话？", "answer": "贝尔。", "contexts": ["贝尔发明了电话。"]},
]  # fmt: skip


def write(path, rows):
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
    path.write_text(text, encoding="utf-8")
    return path


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def records(tmp_path):
    return write(tmp_path / "records.jsonl", RECORDS)


def call(*args):
    return CliRunner().invoke(rephrase, [str(a) for a in args])


def test_variants_are_written(tmp_path, records):
    out = tmp_path / "variants.jsonl"
    done = call(records, "-o", out, "--per-question", 4)
    assert done.exit_code == 0
    assert "8 variants of 2 questions" in done.output
    rows = read(out)
    assert [r["id"] for r in rows[:4]] == ["r1#v1", "r1#v2", "r1#v3", "r1#v4"]
    assert {r["variant_of"] for r in rows} == {"r1", "r2"}
    assert all(r["rules"] and set(r) == {"id", "variant_of", "question", "rules"} for r in rows)


def test_the_same_seed_writes_the_same_file(tmp_path, records):
    for name in ("a.jsonl", "b.jsonl"):
        call(records, "-o", tmp_path / name, "--seed", 5)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.txt", "\ufeff谁发明了电话？\n\n公司在哪里？\n"),
        ("q.csv", "编号,问题\n1,谁发明了电话？\n2,公司在哪里？\n"),
        ("q.jsonl", '"谁发明了电话？"\n{"user_input": "公司在哪里？"}\n'),
    ],
)
def test_files_with_questions_only(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    out = tmp_path / "out.jsonl"
    assert call(path, "-o", out, "--per-question", 1).exit_code == 0
    ids = {".txt": ["row-1", "row-3"], ".csv": ["1", "2"], ".jsonl": ["row-1", "row-2"]}
    assert [r["variant_of"] for r in read(out)] == ids[path.suffix]


def test_bad_rows_are_told_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": ""}\n{oops\n{"id": 7, "question": "谁发明了电话？"}\n', "utf-8")
    out = tmp_path / "out.jsonl"
    done = call(path, "-o", out)
    assert done.exit_code == 3
    assert "q.jsonl:1: field 'question'" in done.output
    assert "q.jsonl:2" in done.output
    assert {r["variant_of"] for r in read(out)} == {"7"}


def test_an_input_without_questions(tmp_path):
    path = write(tmp_path / "q.jsonl", [{"text": "x"}])
    done = call(path, "-o", tmp_path / "out.jsonl")
    assert isinstance(done.exception, InputError)
    assert not (tmp_path / "out.jsonl").exists()


def test_outputs_are_safe(tmp_path, records):
    out = write(tmp_path / "out.jsonl", [{"id": 1}])
    assert isinstance(call(records, "-o", out).exception, OutputExistsError)
    assert read(out) == [{"id": 1}]
    assert call(records, "-o", out, "--overwrite").exit_code == 0
    assert isinstance(call(records, "-o", records, "--overwrite").exception, OutputPathError)


def test_chosen_rules_and_synonyms(tmp_path, records):
    synonyms = tmp_path / "ours.csv"
    synonyms.write_text("电话,电话机\n", encoding="utf-8")
    out = tmp_path / "out.jsonl"
    call(records, "-o", out, "--rules", "synonym", "--synonyms", synonyms, "--per-question", 9)
    assert "谁发明了电话机？" in {r["question"] for r in read(out)}
    assert {tuple(r["rules"]) for r in read(out)} == {("synonym",)}


def answered(rows):
    return [{**r, "answer": "12亿元。", "contexts": ["营收12亿元。"]} for r in rows]


def test_answers_are_joined(tmp_path, records):
    variants, answers, out = (tmp_path / n for n in ("v.jsonl", "a.jsonl", "o.jsonl"))
    call(records, "-o", variants, "--per-question", 2)
    write(answers, answered(read(variants)))
    done = call(records, "--join", answers, "-o", out)
    assert done.exit_code == 0
    assert "4 answered variants for 2 of 2 records" in done.output
    first, second = read_records(out)
    assert [v["id"] for v in first.variants] == ["r1#v1", "r1#v2"]
    assert first.variants[0]["rules"]
    assert first.variants[0]["answer"] == "12亿元。"
    assert (first.reference, first.meta["version"]) == ("12亿元。", "a")
    assert len(second.variants) == 2


def test_joining_again_replaces_by_id(tmp_path, records):
    row = {"id": "r1#v1", "variant_of": "r1", "question": "营收？", "contexts": []}
    one = write(tmp_path / "one.jsonl", [{**row, "answer": "旧"}])
    two = write(tmp_path / "two.jsonl", [{**row, "answer": "新"}])
    call(records, "--join", one, "-o", tmp_path / "1.jsonl")
    call(tmp_path / "1.jsonl", "--join", two, "-o", tmp_path / "2.jsonl")
    (variant,) = next(iter(read_records(tmp_path / "2.jsonl"))).variants
    assert variant["answer"] == "新"


def test_answers_that_belong_nowhere(tmp_path, records):
    row = {"id": "x", "question": "营收？", "answer": "12亿元。", "contexts": []}
    answers = write(
        tmp_path / "a.jsonl",
        [row, {**row, "variant_of": "r9"}, {**row, "id": "y", "variant_of": "r1"},
         {**row, "id": "y", "variant_of": "r1"}],
    )  # fmt: skip
    out = tmp_path / "o.jsonl"
    done = call(records, "--join", answers, "-o", out)
    assert done.exit_code == 3
    assert "a.jsonl:1: field 'variant_of'" in done.output
    assert "a.jsonl:4: field 'id'" in done.output
    assert "'r9'" in done.output
    assert len(read(out)) == 2


def test_options_that_do_not_go_together(tmp_path, records):
    done = call(records, "--join", records, "-o", tmp_path / "o.jsonl", "--seed", 3)
    assert done.exit_code == 2
    assert "--seed" in done.output
