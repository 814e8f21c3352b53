"""Comparison and the check: relations, derivations, caps and abstentions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nli_faith.quantities import (
    QuantityContext,
    Relation,
    check_quantities,
    parse_quantities,
    relation,
)

HERE = Path(__file__).parent
PAIRS = Path(__file__).resolve().parents[2] / ".." / "shared" / "cases" / "pair.jsonl"
# Pairs that turn on a quantity: what the check by itself must say.
MUST_CAP = {"fp03", "fp14", "fp17", "fp22", "fp28", "fp33", "fp36", "fp40", "fp52"}


def rows(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def index(*contexts: str) -> QuantityContext:
    return QuantityContext([parse_quantities(c, names=True) for c in contexts])


@pytest.mark.skipif(not PAIRS.exists(), reason="../shared/cases is not there")
def test_shared_pairs() -> None:
    capped = set()
    for case in rows(PAIRS):
        contexts = case["input"]["context"]
        result = check_quantities(case["input"]["answer"], [], index(*contexts))
        if result.caps:
            capped.add(case["id"])
            assert case["expected"] == "unsupported", case["id"]
    assert capped >= MUST_CAP


@pytest.mark.parametrize("case", rows(HERE / "claims.jsonl"), ids=lambda c: c["claim"])
def test_claims(case: dict[str, Any]) -> None:
    result = check_quantities(case["claim"], [], index(case["context"]))
    assert result.caps is case["caps"], result.findings
    assert bool([f for f in result.flags if not f.startswith("quantity_derived")]) is result.caps


@pytest.mark.parametrize(
    ("claim", "context", "want"),
    [
        ("12%", "百分之十二", "equal"), ("1.2亿元", "12000万元", "equal"),
        ("1.2亿元", "120,000,000元", "equal"), ("2023-01-01", "2023年1月1日", "equal"),
        ("24个月", "两年", "equal"), ("24 months", "两年", "equal"), ("14天", "两周", "equal"),
        ("90分钟", "一个半小时", "equal"), ("30天", "1个月", "incomparable"),
        ("5个工作日", "5天", "incomparable"), ("2%", "2个百分点", "incomparable"),
        ("25个基点", "0.25个百分点", "equal"), ("打八折", "优惠20%", "equal"),
        ("打八折", "优惠30%", "conflict"), ("三分之一", "33.3%", "compatible"),
        ("一半", "50%", "compatible"), ("40万人", "超过40万人", "conflict"),
        ("超过30万人", "40万人", "compatible"), ("超过50万人", "40万人", "conflict"),
        ("不超过30天", "30天以内", "equal"), ("不超过30天", "30天以上", "conflict"),
        ("同比增长12%", "环比增长12%", "conflict"), ("增长12%", "下降12%", "conflict"),
        ("3月15日", "2023年3月15日", "compatible"), ("2023年", "2023年10月3日", "compatible"),
        ("2023年10月3日", "2023年", "incomparable"), ("2022年3月15日", "2023年3月15日", "conflict"),
        ("约1.2亿元", "1.1987亿元", "compatible"), ("1.2亿元", "1.1487亿元", "conflict"),
        ("1.2亿元", "1.1987亿元", "compatible"), ("约1200人", "1,187人", "compatible"),
        ("约1200人", "1,260人", "conflict"), ("300余家", "326家", "compatible"),
        ("300余家", "290家", "conflict"), ("第二", "第三", "conflict"), ("晚上九点", "21:00", "equal"),
        ("9点", "21:00", "compatible"), ("9点", "20:00", "conflict"), ("1GB", "1024MB", "compatible"),
        ("12公里", "12000米", "equal"), ("500元/晚", "500元", "compatible"),
        ("500元/晚", "500元/月", "incomparable"), ("100美元", "100元", "incomparable"),
        ("100元", "100元至200元", "compatible"), ("150元", "100元至200元", "incomparable"),
        ("800人", "800人次", "incomparable"), ("年初", "年底", None), ("2023年初", "2023年底", "conflict"),
        ("15亩", "10000平方米", "equal"), ("37℃", "98.6°F", "compatible"),
        ("上限500元", "下限500元", "conflict"), ("上限500元/晚", "每晚不超过500元", "equal"),
        ("上限500元", "不超过800元", "conflict"), ("不超过800元", "上限500元", "conflict"),
        ("上限800元", "500元", "conflict"), ("封顶90元", "至多90元", "equal"),
        ("30元起步", "至少30元", "equal"), ("最低60分", "最高60分", "conflict"),
        ("500元/晚", "500元/人/晚", "compatible"), ("每晚每人90元", "每人每晚90元", "equal"),
        ("500元/人/天", "500元/人/月", "incomparable"), ("下午3点", "凌晨3点", "conflict"),
        ("21:00", "9:00", "conflict"), ("3点", "凌晨3点", "equal"), ("3点", "下午3点", "compatible"),
        ("3 p.m.", "3 a.m.", "conflict"), ("15点", "凌晨3点", "conflict"),
        ("2岁", "24个月", "compatible"), ("上半年", "1至6月", "equal"), ("Q3", "7—9月", "equal"),
    ],
)  # fmt: skip
def test_relations(claim: str, context: str, want: str | None) -> None:
    a, b = parse_quantities(claim), parse_quantities(context)
    if want is None:
        assert a == b == []
        return
    assert relation(a[0], b[0]).value == want


@pytest.mark.parametrize(
    ("claim", "context"),
    [
        ("两线合计50万人次。", "甲线30万人次，乙线20万人次。"),
        ("甲线比乙线多10万人次。", "甲线30万人次，乙线20万人次。"),
        ("甲线是乙线的1.5倍。", "甲线30万人次，乙线20万人次。"),
        ("涨幅为20%。", "价格由100元涨到120元。"),
        ("平均每站5万人次。", "全线30万人次，共设6站。"),
        ("用时20天。", "3月1日开工，3月21日完工。"),
        ("比例提高了5个百分点。", "比例由30%升至35%。"),
        ("其余占38%。", "甲类占62%。"),
        ("三项总计60元。", "餐费10元，车费20元，房费30元。"),
        ("五天共500元。", "每天100元，住5天。"),
    ],
)
def test_derived_values_are_not_capped(claim: str, context: str) -> None:
    result = check_quantities(claim, [], index(context))
    assert not result.caps
    assert "derived" in {f.verdict for f in result.findings}
    assert any(flag.startswith("quantity_derived:") for flag in result.flags)


def test_flag_names_both_values() -> None:
    evidence = parse_quantities("一线城市住宿上限为500元/晚。", names=True)
    result = check_quantities("一线城市住宿上限为800元/晚。", [evidence], [evidence])
    assert result.caps
    assert result.flags == ("quantity_mismatch:800元/晚!=500元/晚",)


def test_no_figures_in_the_context() -> None:
    result = check_quantities("占比为37%。", [], index("占比未公布。"))
    assert result.caps
    assert result.flags == ("quantity_missing:37%",)


def test_parsed_claim_gives_the_same() -> None:
    claim, context = "失业率为3.4%。", index("失业率为3.2%。")
    whole = check_quantities(claim, [], context)
    assert whole.caps
    assert check_quantities(parse_quantities(claim), [], context, claim_text=claim) == whole


def test_strict_caps_what_is_neither_stated_nor_derivable() -> None:
    context = index("全市共有图书馆37座，藏书812万册，去年到馆人次1,943万。")
    claim = "游泳馆的年卡售价为2,680元。"
    assert not check_quantities(claim, [], context).caps
    assert check_quantities(claim, [], context, strict=True).caps


def test_no_quantities_nothing_to_say() -> None:
    result = check_quantities("他很高兴。", [], index("共3人。"))
    assert (result.findings, result.caps, result.flags) == ((), False, ())


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=150, deadline=None)
def test_any_text(claim: str, context: str) -> None:
    check_quantities(claim, [], index(context), claim_text=claim)


@given(
    st.text(st.sampled_from("0123456789.%年月日元个万亿一二三约超过以上"), max_size=14),
    st.text(st.sampled_from("0123456789.%年月日元个万亿一二三约超过以上"), max_size=14),
)
@settings(max_examples=300, deadline=None)
def test_relation_is_reflexive_and_total(a: str, b: str) -> None:
    for x in parse_quantities(a):
        assert relation(x, x) in (Relation.EQUAL, Relation.COMPATIBLE)
        for y in parse_quantities(b):
            assert isinstance(relation(x, y), Relation)


@given(st.text(st.sampled_from("共有0123456789.%年月元人万，。增长比"), min_size=4, max_size=30))
@settings(max_examples=150, deadline=None)
def test_a_claim_that_is_its_context_is_never_capped(text: str) -> None:
    assert not check_quantities(text, [], index(text)).caps


def test_more_context_never_adds_a_cap_for_a_stated_value() -> None:
    claim = "失业率为3.2%。"
    assert not check_quantities(claim, [], index("失业率为3.2%。")).caps
    assert not check_quantities(
        claim, [], index("失业率为3.2%。", "失业率为3.4%。", "失业率为9%。")
    ).caps


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("净利润同比下降5%。", "match"),
        ("净利润同比增长5%。", "mismatch"),
        ("净利润同比-5%。", "match"),
    ],
)
def test_a_negative_change_in_a_table_is_a_fall(claim, verdict):
    context = [parse_quantities("指标：净利润（亿元）；2024年Q3：1.8；同比：-5%", names=True)]
    found = check_quantities(parse_quantities(claim), context, context, claim_text=claim)
    assert [f.verdict for f in found.findings] == [verdict]
