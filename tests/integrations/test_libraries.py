"""Each adapter against the real library, in a process that may not reach the network.

The libraries clash with one another and with what CI tests: here a library that is missing is
skipped; `scripts/check_integrations.py` makes an environment for each and runs this file there.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What a user sets who wants none of the libraries' own telemetry; nli_faith has none.
QUIET = {
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "ANONYMIZED_TELEMETRY": "false",
    "HF_HUB_OFFLINE": "1",
}
LIBRARIES = {
    "ragas": "ragas",
    "deepeval": "deepeval",
    "langchain": "langchain_core",
    "llama_index": "llama_index.core",
    "otel": "opentelemetry.sdk",
}


def run(cases: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Runs a file of cases in a process of its own, with the network watched."""
    keep = {k: v for k, v in os.environ.items() if "KEY" not in k and "TOKEN" not in k}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
         "tests.integrations.offline", "-o", "addopts=", "-W", "default", "--rootdir", str(ROOT),
         str(ROOT / "tests" / "integrations" / f"cases_{cases}.py")],
        capture_output=True, text=True, check=False, cwd=tmp_path, timeout=500,
        env={**keep, **QUIET, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
             "HOME": str(tmp_path)},
    )  # fmt: skip


def has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize(("name", "module"), LIBRARIES.items(), ids=list(LIBRARIES))
def test_against_the_library(name, module, tmp_path):
    if not has(module):
        pytest.skip(f"{module} is not installed: scripts/check_integrations.py {name}")
    done = run(name, tmp_path)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(r"\d+ passed", done.stdout)
    assert "failed" not in done.stdout
    assert "skipped" not in done.stdout
    assert "network attempts: 0 []" in done.stdout


def test_the_watch_on_the_network_works(tmp_path):
    done = run("offline", tmp_path)
    assert "2 passed" in done.stdout
    assert done.returncode == 99, done.stdout
    found = re.search(r"network attempts: (\d+) (.*)", done.stdout)
    assert found
    assert int(found.group(1)) >= 2
    assert "nowhere.invalid" in found.group(2)


@pytest.mark.parametrize(("name", "module"), LIBRARIES.items(), ids=list(LIBRARIES))
def test_a_missing_library_names_its_extra(name, module):
    extra = name.replace("_", "-")
    call = "" if name != "otel" else "; m.record_faithfulness(None)"
    code = (
        "import sys, importlib\n"
        f"for n in ({module.split('.')[0]!r}, {module!r}, 'opentelemetry.trace'):\n"
        "    sys.modules[n] = None\n"
        "from nli_faith.errors import MissingExtraError\n"
        "try:\n"
        f"    m = importlib.import_module('nli_faith.integrations.{name}'){call}\n"
        "except MissingExtraError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert f"[{extra}]" in done.stdout
