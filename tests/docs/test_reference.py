"""The reference pages say what the code says, and leave nothing public out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import nli_faith
from nli_faith.cli import cli

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
PACKAGE = Path(nli_faith.__file__).parent
sys.path.insert(0, str(ROOT / "scripts"))

import make_docs  # noqa: E402
from reference_docstring import render  # noqa: E402
from reference_surface import INTERNAL, PAGES  # noqa: E402

ROOMS = [room for page in PAGES for room in page.rooms]


def test_the_pages_are_fresh():
    assert not make_docs.stale(ROOT), "run `make docs`"


def test_a_stale_page_fails_the_check_and_is_mended(tmp_path):
    shutil.copytree(REFERENCE, tmp_path / "docs" / "reference")
    page = tmp_path / "docs" / "reference" / "cli.md"
    page.write_text(page.read_text(encoding="utf-8").replace("--fail-under", "--fail-below"))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "make_docs.py"), "--root", str(tmp_path),
             *arguments],
            capture_output=True, text=True, check=False,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        )  # fmt: skip

    done = run("--check")
    assert done.returncode == 1
    assert "docs/reference/cli.md is stale" in done.stderr
    assert "python.md" not in done.stderr
    assert run().returncode == 0
    assert page.read_bytes() == (REFERENCE / "cli.md").read_bytes()
    assert run("--check").returncode == 0


def leaves(command: click.Command, path: str):
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, f"{path} {name}")


@pytest.mark.parametrize(("path", "command"), list(leaves(cli, "nli-faith")), ids=lambda v: str(v))
def test_every_command_with_every_option(path, command):
    text = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    part = re.search(rf"^##+ {re.escape(path)}\n(.*?)(?=^##|\Z)", text, re.M | re.S)
    assert part, path
    for param in command.params:
        for option in param.opts if isinstance(param, click.Option) else []:
            assert option in part[1], (path, option)


def test_every_package_is_shown_or_named_as_internal():
    packages = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    shown = {room.module.split(".")[1] for room in ROOMS if "." in room.module}
    assert packages - shown == INTERNAL
    assert not shown & INTERNAL


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.file)
def test_every_public_name_has_a_part(page):
    text = (REFERENCE / page.file).read_text(encoding="utf-8")
    for room in page.rooms:
        part = re.search(rf"^## {re.escape(room.module)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
        assert part, room.module
        heads = re.findall(r"^### (\S+)$", part[1], re.M)
        if room.module == "nli_faith":
            assert set(heads) == set(nli_faith.__all__) - {"__version__"}
        assert heads, room.module
        # A class or function without a word of explanation is not documented.
        for body in re.split(r"^### \S+$", part[1], flags=re.M)[1:]:
            bare = re.sub(r"```.*?```|Defined in [^\n]*", "", body, flags=re.S).strip()
            assert bare or re.search(r"```python\n[A-Z_]+[:\s]", body), (room.module, body)


@pytest.mark.parametrize("path", sorted(REFERENCE.glob("*.md")), ids=lambda p: p.name)
def test_no_markup_is_left_over(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    assert "\b" not in text
    assert not re.search(r":(?:func|class|meth|mod):`|(?<!`)``(?!`)", text)
    assert text.count("```") == 0


def test_a_docstring_becomes_markdown():
    text = """Does it for :func:`~a.b.thing`.

    It has ``code``.

        >>> do(1)
        2

    Args:
        first: What
            it is.
        *rest (int): More.

    Returns:
        A list.

    Raises:
        ConfigError: It is `bad`.
    """
    import inspect

    assert render(inspect.cleandoc(text)) == (
        "Does it for `thing`.\n\nIt has `code`.\n\n```pycon\n>>> do(1)\n2\n```\n\n"
        "**Arguments**\n\n- `first`: What it is.\n- `*rest`: More.\n\n**Returns.** A list.\n\n"
        "**Raises**\n\n- `ConfigError`: It is `bad`."
    )
