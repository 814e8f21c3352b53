"""Makes the reference pages of docs/ from the code.

python scripts/make_docs.py           # write them; `make docs`
python scripts/make_docs.py --check   # say which are stale, exit code 1
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from reference_cli import cli_reference
from reference_python import python_page
from reference_surface import PAGES as PYTHON_PAGES

ROOT = Path(__file__).resolve().parents[1]
PAGES: dict[str, Callable[[], str]] = {
    "docs/reference/cli.md": cli_reference,
    **{f"docs/reference/{page.file}": partial(python_page, page) for page in PYTHON_PAGES},
}


def stale(root: Path) -> list[str]:
    """Pages that are not what the code says."""
    found = []
    for name, make in PAGES.items():
        path = root / name
        if not path.exists() or path.read_text(encoding="utf-8") != make():
            found.append(name)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Writes or checks the pages; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--root", type=Path, default=ROOT, help="where docs/ is")
    options = parser.parse_args(arguments)
    names = stale(options.root)
    if options.check:
        for name in names:
            print(f"{name} is stale: run `make docs`", file=sys.stderr)
        return 1 if names else 0
    for name in names:
        path = options.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGES[name](), encoding="utf-8", newline="\n")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
