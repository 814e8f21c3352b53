"""What is masked, what stays, and that offsets hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nli_faith.errors import ConfigError
from nli_faith.redaction import find_private, redact, redact_row, redact_value

ROOT = Path(__file__).parents[2]
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}

MASKED = [
    ("请拨打13812345678联系", "请拨打***********联系", "mobile"),
    ("手机：138-1234-5678。", "手机：***-****-****。", "mobile"),
    ("+86 199 1234 5678", "+** *** **** ****", "mobile"),
    ("8613812345678", "*************", "mobile"),
    ("TEL13812345678", "TEL***********", "mobile"),
    ("13812345678张先生", "***********张先生", "mobile"),
    ("手机号13812345678万一打不通", "手机号***********万一打不通", "mobile"),
    ("电话：010-62345678转123", "电话：***-********转***", "landline"),
    ("(021)62345678", "(***)********", "landline"),
    ("传真0755 8888 8888", "传真**** **** ****", "landline"),
    ("0512-6234567", "****-*******", "landline"),
    ("客服400-820-8820", "客服***-***-****", "landline"),
    ("联系电话：62345678", "联系电话：********", "landline"),
    ("热线 4008208820", "热线 **********", "landline"),
    ("邮箱 zhang.san+a@mail.example.com。", "邮箱 *****.***+*@****.*******.***。", "email"),
    ("身份证110101199003071233", "身份证******************", "id"),
    ("44030519850412002X", "******************", "id"),
    ("110101 19900307 1233", "****** ******** ****", "id"),
    ("身份证号码：110101199003071234", "身份证号码：******************", "id"),
    ("身份证：110101900307123", "身份证：***************", "id"),
    ("6222020200012345670", "*******************", "card"),
    ("6228 4804 0256 4890 018", "**** **** **** **** ***", "card"),
    ("4111-1111-1111-1111", "****-****-****-****", "card"),
    ("3782 822463 10005", "**** ****** *****", "card"),
    ("收款账号：621700123456", "收款账号：************", "card"),
    ("卡号6222020200012345", "卡号****************", "card"),
    ("护照E12345678", "护照*********", "passport"),
    ("EA1234567", "*********", "passport"),
    ("护照号码：D1234567", "护照号码：********", "passport"),
    ("港澳通行证H12345678", "港澳通行证*********", "passport"),
    ("138.1234.5678", "***.****.****", "mobile"),
    ("138 12345678", "*** ********", "mobile"),
    ("手机1381234 5678", "手机******* ****", "mobile"),
    ("1381 234 5678", "**** *** ****", "mobile"),
    ("138\u200b1234\u200b5678", "***\u200b****\u200b****", "mobile"),
    ("客服热线400 820 8820", "客服热线*** *** ****", "landline"),
    ("+852 9123 4567", "+*** **** ****", "landline"),
    ("+1 (415) 555-2671", "+* (***) ***-****", "landline"),
    ("客服请拨4008208820", "客服请拨**********", "landline"),
    ("400 820 8820", "*** *** ****", "landline"),
    ("咨询8008108888转2", "咨询**********转*", "landline"),
    ("卡号：622202 1234567890123", "卡号：****** *************", "card"),
]


@pytest.mark.parametrize(("text", "masked", "kind"), MASKED)
def test_masks(text, masked, kind):
    assert redact(text) == masked
    assert [p.kind for p in find_private(text)] == [kind]


@pytest.mark.parametrize(("text", "masked", "kind"), MASKED)
def test_masks_full_width(text, masked, kind):
    wide = text.translate(WIDE).replace(" ", "\u3000")
    assert [p.kind for p in find_private(wide)] == [kind]
    found = redact(wide)
    assert len(found) == len(wide)
    assert not set(found) & set("０１２３４５６７８９")


FIGURES = [
    "营收13800000000元", "13800000000 元", "资产约13812345678美元", "¥13812345678", "USD 13812345678",
    "共13812345678人次", "13812345678股", "占13.812345678%", "3.14159265358979", "2023-01-01 12:30:45",
    "2023年1月1日至2024年12月31日", "1,380,000,000", "13,812,345,678", "2023-2024", "1380-1390",
    "版本13.0.12345678", "订单号20230101123456789", "时间戳1700000000000", "ISBN 9787111213826",
    "型号E12345678", "批号：G12345678", "D1234567", "010-2345", "123456789012345678", "110101199013071233",
    "6222020200012345671", "第13812条", "a@b", "用户@张三", "0.13812345678",
    "v13812345678", "a1b2c3d4e5f613812345678", "IPv4 192.168.100.200:8080", "12345678 字节",
    "电话量13812345678人次", "同比+1234567890元", "1+2345678901=3", "票数 1234 5678 9012", "2023 2024 2025",
    "4008208820元", "订单号4008208820", "4000000000", "4208208820", "24008208820", "4008208820.5",
    "下载量4008208820 字节", "139.123.4567", "H12345678", "电话量 1234 5678 人次",
]  # fmt: skip


@pytest.mark.parametrize("text", FIGURES)
def test_figures_stay(text):
    assert redact(text) == text
    assert redact(text.translate(WIDE)) == text.translate(WIDE)


def test_several_in_one_text_keep_their_places():
    text = "张三13812345678，李四13912345678/13712345678,13612345678；a@b.cn、010-62345678"
    assert redact(text) == (
        "张三***********，李四***********/***********,***********；*@*.**、***-********"
    )
    spans = [text[p.start : p.end] for p in find_private(text)]
    assert spans[0] == "13812345678"
    assert spans[-1] == "010-62345678"
    assert len(spans) == 6


def test_one_right_behind_another():
    assert redact("86130 0000 0000(010)1000000") == "***** **** ****(***)*******"


def test_a_wrong_check_digit_is_no_id_without_a_cue():
    assert redact("编码110101199003071234") == "编码110101199003071234"


@pytest.mark.parametrize("mask", ["", "**", "x", "0", "密"])
def test_mask_is_one_sign(mask):
    with pytest.raises(ConfigError):
        redact("13812345678", mask=mask)


def test_other_mask():
    assert redact("13812345678", mask="•") == "•" * 11


def test_values_and_rows():
    row = {
        "id": "13812345678",
        "answer": "拨打13812345678",
        "claims": [{"text": "a@b.cn", "start": 0, "support": 0.25}],
        "meta": {"phone": 13812345678, "13812345678": True, "none": None, "ts": 1700000000000},
    }
    assert redact_row(row) == {
        "id": "13812345678",
        "answer": "拨打***********",
        "claims": [{"text": "*@*.**", "start": 0, "support": 0.25}],
        "meta": {"phone": "*" * 11, "*" * 11: True, "none": None, "ts": 1700000000000},
    }
    assert redact_value(("13812345678", 1.5)) == ["*" * 11, 1.5]


PIECES = st.lists(
    st.one_of(
        st.text(alphabet="0123456789-+() .,@Xx张电话卡号：元E", max_size=24),
        st.sampled_from([m[0] for m in MASKED] + FIGURES),
    ),
    max_size=6,
).map("".join)


@given(PIECES)
def test_length_and_idempotence(text):
    once = redact(text)
    assert len(once) == len(text)
    assert redact(once) == once


def test_long_texts_take_linear_time():
    for unit in (
        "1",
        "138-",
        "a.",
        "@",
        "(021)",
        "0755 ",
        "62 ",
        "电话",
        "电话13812345678，",
        "a@b.cn ",
    ):
        redact(unit * (200_000 // len(unit)))


def test_real_material_is_hardly_touched():
    """Reports, laws and encyclopaedia articles hold figures in plenty, and nothing private."""
    path = ROOT.parent / "shared/data/dev/zh_rag_claims.jsonl"
    if not path.exists():
        pytest.skip("../shared/data/dev/zh_rag_claims.jsonl is not here")
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for _, line in zip(range(300), lines, strict=False)]
    texts = [v for row in rows for v in row.values() if isinstance(v, str)]
    texts += [c for row in rows for c in row.get("contexts") or []]
    assert len(texts) > 300
    hits = [t[p.start : p.end] for t in texts for p in find_private(t)]
    assert len(hits) <= 3, hits
