"""docs/integrations.md shows the scripts that run, and what they print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from nli_faith.integrations import assert_faithful

from .test_libraries import QUIET, has

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "integrations.md"
EXAMPLES = ROOT / "docs" / "examples"
NEEDS = {
    "with_ragas.py": ("ragas", "ragas"),
    "with_deepeval.py": ("deepeval", "deepeval"),
    "with_langchain.py": ("langchain", "langchain_core"),
    "with_llama_index.py": ("llama_index", "llama_index.core"),
    "with_otel.py": ("otel", "opentelemetry.sdk"),
    "test_with_pytest.py": ("", "pytest"),
    "citations.py": ("", "nli_faith"),
}
SHOWN = {  # a part of what each prints
    "with_ragas.py": ["整机保修两年。\n1.0\n", "unsupported: 门店提供上门取件。"],
    "with_deepeval.py": ["passed"],
    "with_langchain.py": ["整机保修两年。\n整机保修两年。\n", "'score': 1.0"],
    "with_llama_index.py": ["1.0 True", "整机保修期限为两年。"],
    "with_otel.py": ['"nli_faith.score": 1.0', "gen_ai.evaluation.result"],
    "test_with_pytest.py": ["1 passed"],
    "citations.py": ["整机保修期限为两年[1]。电池保修期限为一年[2]。", "[2] wrong"],
}
RUN = """
import runpy, sys
import tests.integrations.offline as offline
runpy.run_path(sys.argv[1], run_name="__main__")
print(f"network attempts: {len(offline.ATTEMPTS)}")
"""


def test_the_page_shows_the_scripts():
    shown = dict(
        re.findall(r"<!-- (\S+\.py) -->\n```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    )
    assert set(shown) == set(NEEDS)
    for name, code in shown.items():
        assert code == (EXAMPLES / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("name", NEEDS)
def test_the_scripts_run(name, tmp_path):
    library, module = NEEDS[name]
    if not has(module):
        pytest.skip(f"{module} is not installed: scripts/check_integrations.py {library}")
    path = str(EXAMPLES / name)
    command = [sys.executable, "-c", RUN, path]
    if name == "test_with_pytest.py":
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "addopts=", "-p",
                   "nli_faith.integrations.pytest_plugin", "-p", "tests.integrations.offline",
                   path]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT),
             "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HOME": str(tmp_path), **QUIET},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for part in SHOWN[name]:
        assert part in done.stdout, done.stdout[-3000:]
    assert "network attempts: 0" in done.stdout


def test_the_shown_failure_is_what_it_looks_like():
    shown = re.search(r"```text\nAssertionError: (.*?)\n```", PAGE.read_text("utf-8"), re.S)
    assert shown
    with pytest.raises(AssertionError) as caught:
        assert_faithful(
            "整机保修两年。门店提供上门取件服务。", ["整机保修期限为两年。"], min_score=0.8
        )

    def plain(text: str) -> str:
        return re.sub(r"\d\.\d\d(?=[,\n])", "#", text)

    assert plain(str(caught.value)) == plain(shown.group(1))
