"""What is a claim and what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nli_faith.datamodels import Block, SegmentKind
from nli_faith.text import SentenceSplitter, classify, extract, is_refusal, split

HERE = Path(__file__).resolve().parent
DEV = HERE.parents[1] / ".." / "shared" / "data" / "dev" / "zh_rag_claims.jsonl"


def cases() -> list[tuple[str, str]]:
    lines = (HERE / "claim_cases.txt").read_text(encoding="utf-8").splitlines()
    found = [line.split("\t") for line in lines if line and not line.startswith("# ")]
    return [(kind, text) for kind, text in found]


@pytest.mark.parametrize(("kind", "text"), cases())
def test_kind(kind: str, text: str) -> None:
    assert {str(segment.kind) for segment in extract(text)} == {kind}


@pytest.mark.parametrize(("kind", "text"), cases())
def test_refusals_and_nothing_else(kind: str, text: str) -> None:
    assert is_refusal(text) is (kind == "refusal")


@pytest.mark.skipif(not DEV.exists(), reason="the folder of shared data is absent")
def test_labelled_answers() -> None:
    wrong: list[str] = []
    hits = 0
    for line in DEV.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        labels = {claim["text"]: claim["label"] for claim in row["claims"]}
        for segment in extract(row["answer"], question=row["question"]):
            if segment.text not in labels:
                continue
            other = labels[segment.text] == "not_a_claim"
            hits += other and segment.kind is not SegmentKind.CLAIM
            if other is (segment.kind is SegmentKind.CLAIM):
                wrong.append(segment.text)
    assert not wrong
    assert hits == 12


def test_an_answer_in_full() -> None:
    answer = (
        "您好！根据材料，主要规定如下：\n\n## 退款\n"
        "- **时限**：七天内可退[1]。\n- 材料未说明运费。\n\n"
        "是否收手续费？不收。\n\n```\ncode\n```\n希望以上信息对您有帮助！"
    )
    kinds = [(segment.text, str(segment.kind)) for segment in extract(answer)]
    assert kinds == [
        ("您好！", "greeting"),
        ("根据材料，主要规定如下：", "lead_in"),
        ("退款", "heading"),
        ("**时限**：七天内可退[1]。", "claim"),
        ("材料未说明运费。", "refusal"),
        ("是否收手续费？", "question"),
        ("不收。", "claim"),
        ("```\ncode\n```", "code"),
        ("希望以上信息对您有帮助！", "greeting"),
    ]


def test_the_question_decides_on_assent_and_repetition() -> None:
    given = "当然可以。凭身份证办理。"
    assert extract(given)[0].kind is SegmentKind.GREETING
    assert extract(given, question="可以代办吗？")[0].kind is SegmentKind.CLAIM
    repeated = extract("退款时限\n七天。", question="退款时限？")
    assert [segment.kind for segment in repeated] == [SegmentKind.QUESTION, SegmentKind.CLAIM]


def test_advice_is_no_claim_only_behind_a_refusal() -> None:
    kinds = [segment.kind for segment in extract("材料未提供电话。建议您联系前台确认。")]
    assert kinds == [SegmentKind.REFUSAL, SegmentKind.REFUSAL]
    assert extract("建议您联系前台确认。")[0].kind is SegmentKind.CLAIM


def test_a_refusal_beside_a_claim_does_not_make_the_answer_one() -> None:
    assert not is_refusal("材料未提供价格。保修期为两年。")
    assert is_refusal("您好！材料未提供价格。如有其他问题，请随时提问。")
    assert not is_refusal("")


def test_table_rows_are_claims_and_nothing_but_kind_changes() -> None:
    segments = split("| 名 | 值 |\n|---|---|\n| 甲 | 未知 |\n\n谢谢！")
    classified = classify(segments)
    assert [s.kind for s in classified] == [SegmentKind.CLAIM, SegmentKind.GREETING]
    assert classified[0].block is Block.TABLE_ROW
    assert [(s.text, s.start, s.end, s.block) for s in classified] == [
        (s.text, s.start, s.end, s.block) for s in segments
    ]


def test_extract_takes_a_splitter() -> None:
    splitter = SentenceSplitter(granularity="clause")
    found = extract("酒店提供早餐，不提供晚餐。", splitter=splitter)
    assert [segment.text for segment in found] == ["酒店提供早餐", "酒店不提供晚餐。"]
