"""What the READMEs show is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from nli_faith import score

from .markdown import ROOT, blocks, parse, run_bash

READMES = [ROOT / "README.md", ROOT / "README.zh-CN.md"]


def commands(path: Path) -> list[str]:
    """Lines that call nli-faith, installation left to CI."""
    shown = [b for b in parse(path) if b.language == "bash" and not b.reason_not_run]
    lines = [line for block in shown for line in block.code.splitlines()]
    parts = [part.strip() for line in lines for part in line.split("&&")]
    return [p for p in parts if p.startswith("nli-faith ")]


@pytest.mark.parametrize("path", READMES, ids=lambda p: p.name)
def test_shown_commands_run(path, tmp_path):
    shown = commands(path)
    assert len(shown) >= 4
    for command in shown:
        done = run_bash(command, tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("path", READMES, ids=lambda p: p.name)
def test_shown_python_runs(path, capsys):
    (code,) = blocks(path, "python")
    exec(compile(code, path.name, "exec"), {})
    assert "保修期为三年。" in (out := capsys.readouterr().out)
    assert "'supported'" not in out  # the shown verdict is the right one


@pytest.mark.parametrize(
    ("path", "lang"), list(zip(READMES, ("en", "zh"), strict=True)), ids=["en", "zh"]
)
def test_shown_output_is_what_the_demo_prints(path, lang):
    text = path.read_text(encoding="utf-8")
    shown = re.search(r"<!-- demo:begin -->\n```text\n(.*?)```\n<!-- demo:end -->", text, re.S)
    assert shown, "the README shows no demo output"
    done = subprocess.run(
        [sys.executable, "-m", "nli_faith", "demo", "--lang", lang], capture_output=True,
        text=True, check=True, env={"PYTHONPATH": str(ROOT), "COLUMNS": "100", "PATH": "/usr/bin"},
    )  # fmt: skip
    assert shown.group(1) in done.stdout


def test_result_fields_are_all_documented():
    row = score("电池保修一年。", ["电池保修一年。"]).to_dict()
    text = READMES[0].read_text(encoding="utf-8")
    for name in [*row, *row["claims"][0], *row["claims"][0]["evidence"], *row["scorer"]]:
        assert f'"{name}"' in text, name


def test_shown_schema_is_json_with_the_real_fields():
    import json

    (shown,) = blocks(READMES[0], "json")
    row, real = json.loads(shown), score("电池保修一年。", ["电池保修一年。"]).to_dict()
    assert set(row) == set(real)
    assert set(row["claims"][0]) == set(real["claims"][0])


def test_exit_codes_are_documented():
    from nli_faith import cli

    text = READMES[0].read_text(encoding="utf-8")
    for code in (0, 1, cli.EXIT_USAGE, 3, cli.EXIT_FAILED, cli.EXIT_INTERRUPTED):
        assert f"| {code} |" in text
