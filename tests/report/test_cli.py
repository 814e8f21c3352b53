"""``nli-faith report`` and ``nli-faith demo --report`` as a user calls them."""

from __future__ import annotations

import re

from tests.cli.conftest import fake, run  # noqa: F401

from .make import record, result, write


def test_report_command(run, tmp_path):  # noqa: F811
    found = result("a")
    scored = write(tmp_path / "s.jsonl", [found])
    given = write(tmp_path / "r.jsonl", [record(found)])
    out = tmp_path / "out.html"
    done = run(
        "report", scored, "--records", given, "-o", out, "--lang", "en", "--title", "周报 <b>"
    )
    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(rf"{re.escape(str(out))}: 1 records, 0\.\d MB\n", done.out)
    text = out.read_text(encoding="utf-8")
    assert "<title>周报 &lt;b&gt;</title>" in text
    assert 'data-start="en"' in text
    again = run("report", scored, "-o", out)
    assert again.code == 2
    assert "--overwrite" in again.err
    assert run("report", scored, "-o", out, "--overwrite").code == 0


def test_report_tells_what_it_could_not_use(run, tmp_path):  # noqa: F811
    scored = write(tmp_path / "s.jsonl", [result("a"), {"id": "x"}])
    given = write(
        tmp_path / "r.jsonl",
        [record(result("a"), answer="别的答案，与它完全不同，长度也更长一些。")],
    )
    done = run("report", scored, "--records", given, "-o", tmp_path / "o.html")
    assert done.code == 3
    assert "1 records in" in done.err
    assert "1 lines could not be used; line 2: " in done.err
    other = write(tmp_path / "other.jsonl", [record(result("zzz"))])
    done = run("report", scored, "--records", other, "-o", tmp_path / "o.html", "--overwrite")
    assert "holds none of the scored ids" in done.err


def test_demo_makes_a_report_in_one_command(run, fake, tmp_path):  # noqa: F811
    out = tmp_path / "demo.html"
    done = run("demo", "--report", out)
    assert done.code == 0
    assert "6 records" in done.out
    text = out.read_text(encoding="utf-8")
    assert "travel-policy" in text
    assert "差旅费管理办法（2024版）" in text  # the contexts are there
    assert run("demo", "--report", out, "--records").code == 2
