"""Cleaning, simplifying, folding, and the text that the model reads."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from nli_faith.text import clean, fold, model_text, to_simplified


def test_clean_text_comes_back_without_a_map() -> None:
    given = "甲。\n乙。"
    cleaned = clean(given)
    assert cleaned.text is given
    assert cleaned.offsets is None
    assert cleaned.span(1, 3) == (1, 3)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a\r\nb\rc\u2028d\x85e\x0bf\x0cg", "a\nb\nc\nd\ne\nf\ng"),
        ("\ufeffa\u200bb\x00\x00c", "abc"),
        ("a\ud800b\udfffc", "a\ufffdb\ufffdc"),
        ("\ud83c\udf89!", "🎉!"),
        ("e\u0301\u200d", "e\u0301\u200d"),
    ],
)
def test_clean(given: str, expected: str) -> None:
    assert clean(given).text == expected


def test_a_map_is_kept_only_when_positions_move() -> None:
    assert clean("a\rb\ud800c").offsets is None
    offsets = clean("a\r\nb" * 3).offsets
    assert offsets is not None
    assert len(offsets.starts) == 4


def test_spans_of_cleaned_text_delimit_the_original() -> None:
    given = "\ufeff甲\x00乙\r\n丙\ud83c\udf89丁\u200b戊"
    cleaned = clean(given)
    for i, char in enumerate(cleaned.text):
        start, end = cleaned.span(i, i + 1)
        assert clean(given[start:end]).text == char
    assert cleaned.span(0, len(cleaned.text)) == (1, len(given))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("電車東延線造價上調", "电车东延线造价上调"),
        ("乾坤未定", "乾坤未定"),
        ("plain ASCII", "plain ASCII"),
        ("カタカナ", "カタカナ"),
        ("\ud800頭髮", "\ufffd头发"),
        ("", ""),
    ],
)
def test_to_simplified(given: str, expected: str) -> None:
    assert to_simplified(given) == expected


def test_to_simplified_in_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(to_simplified, ["憂鬱的臺灣烏龜"] * 200)) == {"忧郁的台湾乌龟"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("增長１２．５％", "增长12.5%"),
        ("ＡＢＣ－１／２", "abc-1/2"),
        ("Ｘ，Ｙ；（Ｚ）", "x，y；（z）"),
        ("Straße", "strasse"),
    ],
)
def test_fold(given: str, expected: str) -> None:
    assert fold(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("**成本下降。**[1][2]", "成本下降。"),
        ("营收增长【3】，利润^1^持平[^2]。（来源1）", "营收增长，利润持平。"),
        ("见[手册](https://a.example/b_(c))第2页", "见手册第2页"),
        ("运行 `pip  install` 即可", "运行 pip install 即可"),
        ("營收\n 增長", "营收 增长"),
        ("<b>重点</b>内容<br>下一行&nbsp;完", "重点内容 下一行 完"),
        ("面积12m²，10³个，x^2", "面积12m²，10³个，x^2"),
        ("3*4=12，长*宽*高，snake_case_name", "3*4=12，长*宽*高，snake_case_name"),
        ("这是 *重点* 与 _强调_", "这是 重点 与 强调"),
        ("~~删除~~保留", "删除保留"),
        ("# 标题", "标题"),
        ("产量为[2023]年的两倍", "产量为[2023]年的两倍"),
        ("a < b 且 c > d", "a < b 且 c > d"),
        ("增长5%。¹", "增长5%。"),
        ("[citation:3] 完成 [来源2]。", "完成。"),
        ("[1]", "[1]"),
        ("***", ""),
        ("", ""),
    ],
)
def test_model_text(given: str, expected: str) -> None:
    assert model_text(given) == expected


def test_importing_the_text_stage_loads_no_converter_nor_dictionary() -> None:
    code = (
        "import sys, nli_faith.text;"
        "print([m for m in ('opencc', 'jieba', 'numpy', 'onnxruntime') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
