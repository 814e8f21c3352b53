"""Runs the adapters against the real libraries, each in an environment of its own.

    python scripts/check_integrations.py                 # all of them
    python scripts/check_integrations.py ragas otel      # some
    python scripts/check_integrations.py --root ~/envs   # keep the environments for the next time

The libraries clash with one another, so CI's one environment cannot hold them. An environment is
made by `pip install '.[EXTRA]'` with the versions of .ci/integrations.txt; in it run the tests of
tests/integrations, in processes that may not reach the network.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What the tests need besides the extra.
LIBRARIES: dict[str, list[str]] = {
    "ragas": [],
    "deepeval": [],
    "langchain": [],
    "llama_index": [],
    "otel": ["opentelemetry-sdk"],
}


def prepare(name: str, folder: Path) -> Path:
    """Makes an environment, or brings it up to date; gives its python."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    extra = name.replace("_", "-")
    constraints = str(ROOT / ".ci" / "integrations.txt")
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "-c", constraints, "-e", f"{ROOT}[{extra}]",
         "pytest", *LIBRARIES[name]],
        check=True,
    )  # fmt: skip
    return python


def check(name: str, folder: Path) -> bool:
    """Prepares an environment and runs the tests in it; says what happened."""
    clock = time.perf_counter()
    try:
        python = prepare(name, folder)
    except subprocess.CalledProcessError as error:
        print(f"{name}: cannot be installed ({error.returncode})")
        return False
    ready = time.perf_counter() - clock
    done = subprocess.run(
        [python, "-m", "pytest", "-o", "addopts=", "-q", "tests/integrations/test_libraries.py",
         "tests/integrations/test_installed.py", "tests/integrations/test_docs.py", "-k",
         f"{name} or installed or watch or with_pytest"],
        cwd=ROOT, check=False, capture_output=True, text=True,
        env={**os.environ, "NLI_FAITH_INSTALLED": "1"},
    )  # fmt: skip
    lines = done.stdout.strip().splitlines()
    print(f"{name}: {lines[-1] if lines else done.stderr} (ready after {ready:.0f} s)")
    if done.returncode:
        print(done.stdout[-8000:], done.stderr[-2000:])
    return done.returncode == 0 and "skipped" not in (lines or [""])[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="*", choices=[*LIBRARIES, []], help="all by default")
    parser.add_argument("--root", type=Path, help="keeps the environments here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = args.root or Path(scratch)
        root.mkdir(parents=True, exist_ok=True)
        good = [check(name, root / name) for name in args.libraries or LIBRARIES]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
