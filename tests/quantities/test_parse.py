"""Parsing: the shared hard cases, neighbours of our own, and properties."""

from __future__ import annotations

import json
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nli_faith.quantities import Quantity, parse_quantities

HERE = Path(__file__).parent
SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "cases" / "norm.jsonl"


def rows(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def agrees(expected: list[dict[str, Any]], got: list[Quantity]) -> bool:
    """Same number, same order, equal on every key that is given."""
    seen = [
        {**q.to_dict(), "mode": q.mode, "basis": q.basis, "direction": q.direction} for q in got
    ]
    return len(expected) == len(seen) and all(
        all(found.get(key) == value for key, value in want.items())
        for want, found in zip(expected, seen, strict=True)
    )


@pytest.mark.skipif(not SHARED.exists(), reason="../shared/cases is not there")
def test_shared_cases() -> None:
    cases = rows(SHARED)
    assert cases
    wrong = [c["id"] for c in cases if not agrees(c["expected"], parse_quantities(c["input"]))]
    assert wrong == []


@pytest.mark.parametrize("case", rows(HERE / "neighbours.jsonl"), ids=lambda c: c["input"][:30])
def test_neighbours(case: dict[str, Any]) -> None:
    got = parse_quantities(case["input"])
    assert agrees(case["expected"], got), [q.to_dict() for q in got]


@pytest.mark.parametrize(
    "text",
    [
        "统一", "万一", "之一", "一定", "一些", "一下", "一直", "进一步", "第一时间", "三心二意",
        "十分高兴", "v1.2.3", "MySQL 5.7", "S1", "5G网络", "A100", "iPhone 15", "13812345678",
        "a.b+c1@d2.com", "https://x.cn/2023/5?p=12", "[1]", "【2】", "①", "1. 安装", "（3）", "3、安装",
        "周三", "星期六", "三亚", "二十大", "GB/T 19001-2016", "COVID-19", "2023年2月30日",
    ],
)  # fmt: skip
def test_not_quantities(text: str) -> None:
    assert parse_quantities(text) == []


def test_offsets_survive_folding() -> None:
    text = "😀共１,２００萬元（見[3]），於２０２３年５月"
    money, period = parse_quantities(text)
    assert (money.value, money.text) == ("12000000", "１,２００萬元")
    assert text[money.start : money.end] == money.text
    assert period.value == "2023-05..2023-05"
    assert text[period.start : period.end] == "２０２３年５月"


def test_names_are_given_only_on_request() -> None:
    assert parse_quantities("iPhone 15") == []
    (name,) = parse_quantities("iPhone 15", names=True)
    assert (name.type, name.value) == ("name", "15")


def test_values_as_numbers() -> None:
    (third,) = parse_quantities("三分之一")
    assert third.number is not None
    assert third.number * 3 == 1
    (percent,) = parse_quantities("百分之一点五七")
    assert percent.decimal == Decimal("1.57")
    (span,) = parse_quantities("3%~5%")
    assert span.is_range
    assert span.number is None
    assert span.bounds == (3, 5)


def test_day_first_dates() -> None:
    assert parse_quantities("5/6/24")[0].value == "2024-05-06"
    assert parse_quantities("5/6/24", month_first=False)[0].value == "2024-06-05"
    assert parse_quantities("25/6/24")[0].value == "2024-06-25"


def test_to_dict_has_all_keys() -> None:
    (q,) = parse_quantities("约1.2亿元")
    assert q.to_dict() == {
        "type": "money", "value": "120000000", "unit": "CNY", "op": "=", "approx": True,
        "start": 1, "end": 6,
    }  # fmt: skip


ALPHABET = st.one_of(
    st.characters(),
    st.sampled_from("0123456789.,:/-%~一二三四十百千万亿两半几点年月日时元个第零下至到约多倍折成"),
)


@given(st.text(ALPHABET, max_size=60), st.booleans())
@settings(max_examples=600, deadline=None)
def test_any_text(text: str, names: bool) -> None:
    end = 0
    for q in parse_quantities(text, names=names):
        assert end <= q.start < q.end <= len(text)
        assert text[q.start : q.end] == q.text
        assert q.value
        end = q.end


@given(st.decimals(0, 10**9, places=2, allow_nan=False), st.sampled_from(["元", "%", "公里", "吨"]))
@settings(max_examples=200, deadline=None)
def test_formatted_values_come_back(value: Decimal, unit: str) -> None:
    factor = {"元": 1, "%": 1, "公里": 1000, "吨": 1000}[unit]
    for shown in (f"{value:f}", f"{value:,f}"):
        (q,) = parse_quantities(f"共{shown}{unit}。")
        assert q.decimal == value * factor


def chinese(n: int) -> str:
    """Textbook Chinese numeral of 0 < n < 10^8; written for this test."""
    digits, units = "零一二三四五六七八九", ("", "十", "百", "千")
    high, low = divmod(n, 10000)
    if high:
        rest = ("零" if low < 1000 else "") + chinese(low) if low else ""
        return chinese(high) + "万" + rest
    out, gap = "", False
    for power in (3, 2, 1, 0):
        digit = n // 10**power % 10
        if digit:
            out += ("零" if gap and out else "") + digits[digit] + units[power]
            gap = False
        else:
            gap = True
    return out


@given(st.integers(1, 10**8 - 1))
@settings(max_examples=300, deadline=None)
def test_chinese_numerals_come_back(n: int) -> None:
    (q,) = parse_quantities(f"共{chinese(n)}元")
    assert q.decimal == n


@given(st.integers(1900, 2099), st.integers(1, 12), st.integers(1, 28))
@settings(max_examples=100, deadline=None)
def test_dates_come_back(year: int, month: int, day: int) -> None:
    want = f"{year:04d}-{month:02d}-{day:02d}"
    for shown in (
        f"{year}年{month}月{day}日",
        f"{year}-{month}-{day}",
        f"{year}/{month:02d}/{day:02d}",
    ):
        (q,) = parse_quantities(f"于{shown}发布")
        assert (q.type, q.value) == ("date", want)


@pytest.mark.parametrize(
    "unit",
    ["1", "一", "1,", "1.", "1-", "1:", "a@", "[1", "（1）", "one ", "1 000 ", "每", "至", "百分之", "年",
     "零下", "1月", "$1", "单位：", "（", "半"],
)  # fmt: skip
def test_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    parse_quantities(text)
    assert time.process_time() - started < 2.0
