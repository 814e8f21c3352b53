import pytest

from nli_faith.citations import find_markers
from nli_faith.text.normalize import model_text


@pytest.mark.parametrize(
    ("marker", "numbers"),
    [
        ("[1]", (1,)),
        ("[2,3]", (2, 3)),
        ("[1-4]", (1, 2, 3, 4)),
        ("[1，3、5]", (1, 3, 5)),
        ("[^2]", (2,)),
        ("[citation:1]", (1,)),
        ("[来源1]", (1,)),
        ("[来源：12]", (12,)),
        ("【1】", (1,)),
        ("【3†source】", (3,)),
        ("【4†L12-L19】", (4,)),
        ("（来源1）", (1,)),
        ("(source 2)", (2,)),
        ("^1^", (1,)),
        ("<sup>1</sup>", (1,)),
        ("<sup>[1]</sup>", (1,)),
        ("<sup>[1][2]</sup>", (1, 2)),
        ("¹²", (12,)),
        ("[1](https://a.example/page_7)", (1,)),
    ],
)
def test_forms(marker, numbers):
    text = f"整机保修两年{marker}。"
    (found,) = find_markers(text)
    assert found.numbers == numbers
    assert text[found.start : found.end] == found.text == marker


@pytest.mark.parametrize(
    "text",
    [
        "面积十平方米 m²，约10³个。",
        "用 `a[1]` 取第二个元素。",
        "见第[100-900]页。",  # a range of pages
        "税率[2024]",
        "2^10 等于1024。",
        "【重要】请注意。",
    ],
)
def test_what_is_no_marker(text):
    assert find_markers(text) == []


def test_what_is_found_here_is_what_the_model_does_not_read():
    text = "甲[1]乙【2】丙（来源3）丁^4^戊<sup>5</sup>己⁶庚[来源7]辛。"
    out, done = "", 0
    for marker in find_markers(text):
        out += text[done : marker.start]
        done = marker.end
    assert out + text[done:] == model_text(text) == "甲乙丙丁戊己庚辛。"


def test_long_texts_take_linear_time():
    import time

    clock = time.perf_counter()
    for unit in ("[1", "<sup>1,", "【1†", "[1](", "^1", "来源1"):
        find_markers(unit * 40_000)
    assert time.perf_counter() - clock < 20
