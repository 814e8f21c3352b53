"""The pytest plugin as an installed package brings it: on by itself, and off when asked."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from .data import CONTEXTS, GOOD

INSTALLED = any(e.name == "nli_faith" for e in entry_points(group="pytest11"))
pytestmark = pytest.mark.skipif(
    not INSTALLED and "NLI_FAITH_INSTALLED" not in os.environ,
    reason="nli_faith is not installed here, only on the path: pip install -e .",
)


def run(folder, *args):
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=env,
    )  # fmt: skip


def test_installed_plugin_needs_no_import(tmp_path):
    (tmp_path / "test_it.py").write_text(
        f"def test(nli_faith):\n    nli_faith.assert_faithful({GOOD!r}, {CONTEXTS!r})\n",
        encoding="utf-8",
    )
    done = run(tmp_path)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    off = run(tmp_path, "-p", "no:nli_faith")
    assert "fixture 'nli_faith' not found" in off.stdout


def test_installed_plugin_loads_nothing_on_its_own(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import sys\n\ndef test():\n    assert 'nli_faith.integrations.pytest_plugin' in sys.modules\n"
        "    assert not {'numpy', 'onnxruntime', 'nli_faith.scorer'} & set(sys.modules)\n",
        encoding="utf-8",
    )
    done = run(tmp_path, "-p", "no:hypothesispytest", "-p", "no:deepeval")
    assert "1 passed" in done.stdout, done.stdout
