"""docs/reference/cli.md: the commands as click knows them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from nli_faith.cli import cli

_EXIT_CODES = "Exit codes:"
_MARKUP = re.compile(r"[*|_]|<(?=[A-Za-z/!])")


def _all(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """A command and those under it, groups before their members."""
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _all(inner, f"{path} {name}")


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs of a help text; those that click leaves as they are keep their lines."""
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        verbatim = block.startswith("\b")
        lines = block.removeprefix("\b").strip("\n").splitlines()
        if verbatim and lines and lines[0].startswith(_EXIT_CODES):
            yield _exit_codes(" ".join(line.strip() for line in lines))
        elif verbatim:
            yield _verbatim(lines)
        else:
            yield _plain(" ".join(lines))


def _verbatim(lines: list[str]) -> str:
    """A heading line and what is indented under it, or a block of its own."""
    under = [line for line in lines if line.startswith("  ")]
    if under and not lines[0].startswith("  "):
        body = "\n".join(line.removeprefix("  ") for line in lines[1:])
        return f"{_plain(lines[0])}\n\n```text\n{body}\n```"
    return "```text\n" + "\n".join(lines) + "\n```"


def _exit_codes(line: str) -> str:
    codes = line.removeprefix(_EXIT_CODES).split(" · ")
    items = [re.sub(r"^\s*(\d+)\s+", r"- `\1`: ", code) for code in codes]
    return "Exit codes:\n\n" + "\n".join(_plain(item) for item in items)


def _plain(text: str) -> str:
    """Text in which Markdown reads no markup: `<` would open a tag, `*` emphasis."""
    parts = re.split(r"(`[^`]+`)", text)
    safe = [p if p.startswith("`") else _MARKUP.sub(r"\\\g<0>", p) for p in parts]
    return "".join(safe)


def _code(text: str) -> str:
    """Code for a table's cell: a bar in it would end the cell."""
    return "`" + text.replace("|", "\\|") + "`"


def _options(command: click.Command, context: click.Context) -> str:
    rows = []
    for param in command.params:
        record = param.get_help_record(context)
        if record is None or isinstance(param, click.Argument):  # shown by the usage line
            continue
        name, text = record
        rows.append(f"| {_code(name)} | {_plain(' '.join(text.split()))} |")
    return "\n".join(["| option | |", "| --- | --- |", *rows]) if rows else ""


def _command(path: str, command: click.Command, context: click.Context) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    level = "#" * min(2 + path.count(" ") - 1, 3) if " " in path else "##"
    parts = [f"{level} {path}", f"```text\n{path} {usage}\n```", *_blocks(command.help or "")]
    if isinstance(command, click.Group) and " " in path:
        rows = [f"- `{path} {n}`: {_plain(c.get_short_help_str(300))}" for n, c in
                command.commands.items()]  # fmt: skip
        parts.append("\n".join(rows))
    parts.append(_options(command, context))
    return "\n\n".join(part for part in parts if part)


def cli_reference() -> str:
    """The whole page."""
    head = (
        "<!-- Made by scripts/make_docs.py from the commands: edit those and run `make docs`. "
        "-->\n\n# Command line reference\n\nEvery command also has `-h`. Messages go to stderr, "
        "results to stdout or `-o`."
    )
    found = list(_all(cli, "nli-faith"))
    contents = [
        f"- [`{path}`](#{path.replace(' ', '-')}): {_plain(command.get_short_help_str(300))}"
        for path, command in found[1:]
    ]
    parts = []
    for path, command in found:
        context = click.Context(command, info_name=path, max_content_width=100)
        parts.append(_command(path, command, context))
    return "\n\n".join([head, "\n".join(contents), *parts]) + "\n"
