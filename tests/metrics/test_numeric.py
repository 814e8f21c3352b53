"""numeric_accuracy and numeric_exact by hand."""

from __future__ import annotations

import math
import time

import pytest

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError
from nli_faith.metrics.base import MetricStatus
from nli_faith.metrics.numeric import NumericAccuracy, NumericExact, match_numbers, numbers_of
from nli_faith.quantities import parse_quantities
from tests.metrics.engine_fake import TableEngine

ENGINE = TableEngine()


def both(answer: str, reference: str, tolerance: float = 0.05) -> tuple[float, float]:
    """Exact share and share within the tolerance."""
    record = Record(id="r", answer=answer, reference=reference)
    near = NumericAccuracy(tolerance=tolerance).compute(record, ENGINE)
    exact = NumericExact(tolerance=tolerance).compute(record, ENGINE)
    assert near.details["exact"] == pytest.approx(exact.value, abs=1e-6)
    assert near.details["within"] == pytest.approx(near.value, abs=1e-6)
    return exact.value, near.value


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("共有12000人。", "共有1.2万人。"),
        ("共有12000。", "共有1.2万人。"),
        ("保修24个月。", "保修两年。"),
        ("比例为百分之八十。", "比例为80%。"),
        ("上限是五百元。", "上限是500元。"),
        ("于2023-03-05生效。", "2023年3月5日生效。"),
        ("营收1.2亿元。", "营收12000万元。"),
        ("打八折。", "优惠20%。"),
        ("在15至20天内。", "在15到20天内。"),
        ("500元", "每晚不超过500元。"),
    ],
)
def test_the_same_in_another_dress_is_exact(answer, reference):
    assert both(answer, reference) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("answer", "reference", "within"),
    [
        ("营收104万元。", "营收100万元。", 1.0),
        ("营收105万元。", "营收100万元。", 1.0),  # exactly 5%
        ("营收106万元。", "营收100万元。", 0.0),
        ("营收95万元。", "营收100万元。", 1.0),
        ("营收100万美元。", "营收100万元。", 0.0),  # another unit
        ("费用12公里。", "费用12元。", 0.0),
        ("2023年3月6日生效。", "2023年3月5日生效。", 0.0),  # dates by equality only
        ("2023年3月生效。", "2023年3月5日生效。", 0.0),
        ("同比下降5%。", "同比增长5%。", 0.0),
        ("同比下降5.1%。", "同比增长5%。", 0.0),
        ("环比增长5%。", "同比增长5%。", 0.0),
        ("提高2%。", "提高2个百分点。", 0.0),
        ("超过40万元。", "40万元。", 1.0),  # near, but not the same statement
        ("在15到21天内。", "在15到20天内。", 1.0),
        ("在15到30天内。", "在15到20天内。", 0.0),
        ("至多3天。", "至少3天。", 0.0),
        ("没有数字。", "上限是500元。", 0.0),
    ],
)
def test_near_is_never_exact(answer, reference, within):
    assert both(answer, reference) == (0.0, within)


def test_the_tolerance_is_stated():
    assert both("营收101万元。", "营收100万元。", 0.0) == (0.0, 0.0)
    assert both("营收101万元。", "营收100万元。", 0.01) == (0.0, 1.0)
    assert both("营收120万元。", "营收100万元。", 0.2) == (0.0, 1.0)
    assert both("超过40万元。", "40万元。", 0.0) == (0.0, 0.0)


def test_shares_and_pairs():
    record = Record(
        id="r", answer="上限500元，比例82%，另收15元。", reference="上限500元，比例80%，期限90天。"
    )
    value = NumericAccuracy().compute(record, ENGINE)
    assert value.value == pytest.approx(2 / 3)
    d = value.details
    assert (d["numbers"], d["exact"], d["within"]) == (3, 0.333333, 0.666667)
    assert [p["match"] for p in d["pairs"]] == ["exact", "within", "missing"]
    assert d["pairs"][1]["error"] == pytest.approx(0.025)
    assert d["extra"] == ["15元"]


def test_one_number_serves_one_number():
    assert both("甲收100元，乙收100元。", "甲收100元，乙收105元。") == (0.5, 0.5)


def test_a_number_said_twice_counts_once():
    assert both("收100元。", "收100元，确实是100元。") == (1.0, 1.0)


def test_equal_ones_are_paired_first():
    pairs = match_numbers(parse_quantities("100元和102元"), parse_quantities("102元和104元"), 0.05)
    assert [(p.answer.text, p.exact) for p in pairs] == [("104元", False), ("102元", True)]


def test_zero_in_the_reference_needs_zero():
    assert both("误差1元。", "误差0元。") == (0.0, 0.0)
    assert both("误差0元。", "误差0元。") == (1.0, 1.0)


def test_counts_in_passing_are_left_out_where_there_are_others():
    assert [q.text for q in numbers_of("第一，一个窗口收500元。")] == ["500元"]
    assert [q.text for q in numbers_of("共三个部门。")] == ["三个"]
    assert [q.text for q in numbers_of("3")] == ["3"]
    assert numbers_of("1 进入设置 2 点击登录 3 输入密码") == []


@pytest.mark.parametrize(
    ("answer", "reference", "status"),
    [
        ("500元。", None, MetricStatus.MISSING_FIELD),
        ("", "500元。", MetricStatus.MISSING_FIELD),
        ("500元。", "没有数字。", MetricStatus.NOTHING_TO_MEASURE),
    ],
)
def test_no_value(answer, reference, status):
    record = Record(id="r", answer=answer, reference=reference)
    value = NumericAccuracy().compute(record, ENGINE)
    assert math.isnan(value.value)
    assert value.status is status


def test_a_refusal_has_no_number_right():
    record = Record(id="r", answer="无法确定。", reference="上限500元。")
    value = NumericExact().compute(record, ENGINE)
    assert (value.value, value.status) == (0.0, MetricStatus.REFUSAL)


@pytest.mark.parametrize("tolerance", [-0.1, 1.0, True, "5%", math.nan])
def test_tolerance_out_of_range(tolerance):
    with pytest.raises(ConfigError, match="tolerance"):
        NumericAccuracy(tolerance=tolerance)


def test_a_table_of_numbers_stays_quick():
    text = "，".join(f"收{i * 7}元" for i in range(11, 1000))
    assert both(text, text) == (1.0, 1.0)
    other = "，".join(f"收{i * 7}公里" for i in range(11, 1000))
    started = time.perf_counter()
    assert both(other, text) == (0.0, 0.0)
    assert time.perf_counter() - started < 10
