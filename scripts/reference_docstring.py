"""Google-style docstrings as Markdown."""

from __future__ import annotations

import re

_SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Example|Examples|Note):$")
# A name, with a type in brackets, and what is said of it.
_ITEM = re.compile(r"^ {4}(\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*)(?: \([^)]*\))?:(?: +(.*)|$)")
_ROLE = re.compile(r":(?:func|class|meth|mod|data|attr|exc):`~?([^`]+)`")
_TITLES = {"Args": "Arguments", "Attributes": "Attributes", "Raises": "Raises"}


def inline(text: str) -> str:
    """Roles and double backticks of reStructuredText as Markdown code."""
    text = _ROLE.sub(lambda m: f"`{m[1].rpartition('.')[2]}`", text)
    return re.sub(r"``(.+?)``", r"`\1`", text)


def summary(text: str) -> str:
    """The first paragraph on one line."""
    return inline(" ".join(text.split("\n\n")[0].split()))


def render(text: str, *, sections_only: bool = False) -> str:
    """A docstring as Markdown.

    Args:
        text: As `inspect.cleandoc` leaves it.
        sections_only: Whether the prose before the first section is left out: that of an
            ``__init__`` says less than its class.
    """
    prose: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        found = _SECTION.match(line)
        if found:
            sections.append((found[1], []))
        elif sections:
            sections[-1][1].append(line)
        else:
            prose.append(line)
    parts = [] if sections_only else [_prose(prose)]
    parts += [_section(title, lines) for title, lines in sections]
    return "\n\n".join(part for part in parts if part)


def _prose(lines: list[str]) -> str:
    """Paragraphs; examples, tables and indented parts keep their lines."""
    out = []
    for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        rows = block.splitlines()
        if not rows:
            continue
        first = rows[0]
        if first.lstrip().startswith(">>>"):
            out.append("```pycon\n" + "\n".join(r.removeprefix("    ") for r in rows) + "\n```")
        elif first.startswith("===") or all(r.startswith("    ") for r in rows):
            out.append("```text\n" + "\n".join(r.removeprefix("    ") for r in rows) + "\n```")
        elif first.startswith(("- ", "* ")):
            out.append(inline("\n".join(rows)))
        else:
            joined = " ".join(r.strip() for r in rows)
            out.append(inline(re.sub(r"::$", ":", joined)))
    return "\n\n".join(out)


def _section(title: str, lines: list[str]) -> str:
    if title not in _TITLES:
        body = [line.removeprefix("    ") for line in lines]
        if title.startswith("Example"):
            return f"**{title}**\n\n" + _prose(body)
        return f"**{title}.** " + _prose(body)
    items: list[str] = []
    for line in lines:
        found = _ITEM.match(line)
        if found:
            names = ", ".join(f"`{name}`" for name in found[1].split(", "))
            items.append(f"- {names}: {(found[2] or '').strip()}".rstrip())
        elif line.strip() and items:
            items[-1] += " " + line.strip()
    return f"**{_TITLES[title]}**\n\n" + "\n".join(inline(item) for item in items)
