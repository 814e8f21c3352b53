"""Runs what Markdown pages show. Used by tests/test_readme.py and tests/docs.

On a page of docs/, every block of ``bash`` and ``python`` is run, from top to bottom in one folder
of its own, unless a comment above it says why not::

    <!-- not run: it would start a cluster -->

A ``text`` block under ``<!-- output -->`` must be what the block before it printed; a line with
``…`` alone stands for any number of lines. A ``python`` block under ``<!-- NAME.py -->`` is the
script of that name in docs/examples; ``<!-- NAME.py; not run: ... -->`` is shown without being run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "docs" / "examples"
_FENCE = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S
)
_GAP = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the comment right above it, its line."""

    language: str
    code: str
    note: str
    line: int

    @property
    def reason_not_run(self) -> str:
        """Why it is not run; empty where it is."""
        return self.note.partition("not run:")[2].strip()

    @property
    def script(self) -> str:
        """Name of the script in docs/examples that it shows; empty for none."""
        name = self.note.partition(";")[0]
        return name if re.fullmatch(r"\S+\.py", name) else ""


def parse(path: Path) -> list[Block]:
    """The fenced blocks of a page."""
    text = path.read_text(encoding="utf-8")
    return [
        Block(m["language"], m["code"], m["note"] or "", text.count("\n", 0, m.start()) + 1)
        for m in _FENCE.finditer(text)
    ]


def blocks(path: Path, language: str) -> list[str]:
    """The text of the blocks in one language."""
    return [block.code for block in parse(path) if block.language == language]


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Variables under which commands run: nothing of the user's own, `nli-faith` on the path."""
    shims = folder / ".bin"
    shims.mkdir(exist_ok=True)
    for name, command in (("nli-faith", "-m nli_faith"), ("python", "")):
        shim = shims / name
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n')
        shim.chmod(0o755)
    kept = {k: os.environ[k] for k in ("OMP_NUM_THREADS", "SYSTEMROOT") if k in os.environ}
    return {
        "PATH": f"{shims}:/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "COLUMNS": "100",
        "LANG": "C.UTF-8", "HOME": str(folder), **kept, **more,
    }  # fmt: skip


def run_bash(code: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs shell lines, which stop at the first that fails; installation is left to CI."""
    lines = [line for line in code.splitlines() if not line.lstrip().startswith("pip install")]
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env=environment(folder, **more),
    )  # fmt: skip


def run_python(code: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs a script in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False,
        timeout=300, env=environment(folder, **more),
    )  # fmt: skip


def runnable(path: Path) -> Iterator[tuple[Block, Block | None]]:
    """The blocks of a page that run, each with the output shown under it, if any."""
    page = parse(path)
    for at, block in enumerate(page):
        if block.language not in ("bash", "python") or block.reason_not_run:
            continue
        follower = page[at + 1] if at + 1 < len(page) else None
        shows = follower is not None and follower.note == "output"
        yield block, follower if shows else None


def run_page(path: Path, folder: Path) -> int:
    """Runs a page and compares what it shows; how many blocks were run."""
    count = 0
    for block, shown in runnable(path):
        run = run_bash if block.language == "bash" else run_python
        done = run(block.code, folder)
        said = done.stdout + done.stderr
        where = f"{path.name}:{block.line}"
        assert done.returncode == 0, f"{where}: exit {done.returncode}\n{said}"
        assert "Traceback" not in said, f"{where}\n{said}"
        if shown is not None:
            assert not missing(shown.code, said), f"{where}: not printed\n{shown.code}---\n{said}"
        count += 1
    return count


def missing(shown: str, said: str) -> str:
    """The first shown part that was not printed behind those before it; empty when all were."""
    rest = _plain(said)
    for part in re.split(rf"^{_GAP}$", _plain(shown), flags=re.M):
        wanted = part.strip("\n")
        if wanted and wanted not in rest:
            return wanted
        rest = rest.partition(wanted)[2] if wanted else rest
    return ""


def _plain(text: str) -> str:
    """Without trailing spaces, and columns as one gap: their width hangs on what is not shown."""
    return "\n".join(re.sub(r" {2,}", "  ", line.rstrip()) for line in text.splitlines())
