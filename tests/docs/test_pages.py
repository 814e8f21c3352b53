"""The pages of docs/ run, and their links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from nli_faith.cli import cli
from tests.markdown import EXAMPLES, ROOT, missing, parse, run_page, runnable

DOCS = ROOT / "docs"
# Run by tests/integrations, each with the library it is about.
ELSEWHERE = {"integrations.md"}
PAGES = sorted(p for p in DOCS.glob("*.md") if p.name not in ELSEWHERE)
# Over ten seconds each.
SLOW = {
    "thresholds.md",
    "thresholds.zh-CN.md",
    "report.md",
    "ci-gate.md",
    "citations.md",
    "pipelines.md",
}
# Linked before they are written.
PENDING: set[str] = set()
LINKED = [*sorted(DOCS.glob("*.md")), ROOT / "README.md", ROOT / "README.zh-CN.md"]
# In Chinese and English, as the issue asks for.
TWICE = ("quickstart", "concepts", "thresholds")


def marked(path: Path):
    return pytest.param(path, id=path.name, marks=pytest.mark.slow if path.name in SLOW else ())


@pytest.mark.parametrize("path", [marked(p) for p in PAGES])
def test_the_page_runs(path, tmp_path):
    assert run_page(path, tmp_path) == len(list(runnable(path)))


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_what_does_not_run_says_why(path):
    for block in parse(path):
        if block.language in ("bash", "python", "yaml", "text", "json", "toml", "ini"):
            if "not run" in block.note:
                assert len(block.reason_not_run) > 10, (path.name, block.line)
        else:
            pytest.fail(f"{path.name}:{block.line}: a block in {block.language or 'no language'}")


def unrun_commands() -> list[tuple[str, str]]:
    """Calls of nli-faith that no test runs: in CI configurations, and marked blocks."""
    found = []
    for path in PAGES:
        for block in parse(path):
            if block.language == "yaml" or (block.language == "bash" and block.reason_not_run):
                lines = re.findall(r"nli-faith (?!and)[a-z].*", block.code)
                found += [(path.name, line) for line in lines]
    return found


def test_commands_that_are_not_run_are_at_least_real():
    calls = unrun_commands()
    assert len(calls) > 8
    for where, line in calls:
        words = shlex.split(line)[1:]
        command = cli.commands[words[0]]
        context = click.Context(command, info_name=words[0])
        # An option that is not there, or lacks its value, raises.
        _, left, _ = command.make_parser(context).parse_args(words[1:])
        assert not [word for word in left if word.startswith("-")], (where, line)


def test_shown_scripts_are_the_files():
    for path in PAGES:
        for block in parse(path):
            if block.script:
                code = (EXAMPLES / block.script).read_text(encoding="utf-8")
                assert block.code == code, block.script


@pytest.mark.parametrize("stem", TWICE)
def test_both_languages_show_the_same_steps(stem):
    """A page and its translation run the same commands, whatever language they ask for."""

    def steps(name: str) -> list[str]:
        shown = [b for b, _ in runnable(DOCS / name)]
        return [re.sub(r" --lang \w+|#.*", "", b.code) for b in shown if b.language == "bash"]

    assert steps(f"{stem}.md")
    assert steps(f"{stem}.md") == steps(f"{stem}.zh-CN.md")


def anchors(path: Path) -> set[str]:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    heads = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


@pytest.mark.parametrize("path", LINKED, ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        if there.name in PENDING and not there.exists():
            continue
        assert there.exists(), (path.name, target)
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), (path.name, target)


def test_every_script_is_on_a_page():
    shown = {block.script for path in DOCS.glob("*.md") for block in parse(path)}
    assert {path.name for path in EXAMPLES.glob("*.py")} <= shown


def test_every_page_is_in_the_index():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for page in [*DOCS.glob("*.md"), *(DOCS / "reference").glob("*.md")]:
        if page.name != "README.md":
            assert f"]({page.relative_to(DOCS)})" in index, page.name


def test_a_wrong_output_is_noticed():
    assert missing("a\n…\nc\n", "a \nb\nc\n") == ""
    assert missing("c\n…\na\n", "a\nb\nc\n") == "a"
    assert missing("d\n", "a\nb\n") == "d"


def test_the_figures_of_the_limits_are_measured_ones():
    sources = ("benchmarks/README.md", "models/README.md", "models/bundled/README.md")
    measured = " ".join((ROOT / s).read_text(encoding="utf-8") for s in sources)
    known = set(re.findall(r"\d+(?:\.\d+)?", measured))
    text = (DOCS / "limits.md").read_text(encoding="utf-8")
    figures = re.findall(r"(?<![\d.-])(\d+\.\d+(?!\.)|\d+(?=%|x ))", text)
    assert len(figures) > 20
    # What is stated besides figures: a licence, a version, guessing, an address.
    plain = {"2.0", "0.3", "0.5", "127.0"}
    assert not [f for f in figures if f not in known | plain]
