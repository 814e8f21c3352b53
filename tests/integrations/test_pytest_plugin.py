"""The pytest plugin and `assert_faithful`: what a user sees, and what everyone else does not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from nli_faith import FaithfulnessScorer
from nli_faith.errors import ConfigError, RecordError
from nli_faith.integrations import assert_faithful, explain
from tests.core.fakes import CharBackend

from .data import BAD, CONTEXTS, GOOD, REFUSAL

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = "nli_faith.integrations.pytest_plugin"


@pytest.fixture(scope="module")
def scorer():
    backend = CharBackend()
    return FaithfulnessScorer(backend, thresholds=backend.thresholds)


def test_a_faithful_answer_gives_its_verdict(scorer):
    assert assert_faithful(GOOD, CONTEXTS, scorer=scorer).score == 1.0
    assert assert_faithful(GOOD + BAD, CONTEXTS, min_score=0.6, scorer=scorer).score < 1


def test_the_message_shows_the_claim_and_the_nearest_evidence(scorer):
    with pytest.raises(AssertionError) as caught:
        assert_faithful("整机保修期限不为两年。" + GOOD, CONTEXTS, scorer=scorer)
    message = str(caught.value)
    assert "faithfulness 0.67: 2 of 3 claims supported" in message
    assert "contradicted: 整机保修期限不为两年。" in message
    assert "against, context 1 [0:10]: 整机保修期限为两年。" in message
    assert "wanted: at least 1" in message
    with pytest.raises(AssertionError, match="nearest, context"):
        assert_faithful(BAD, CONTEXTS, scorer=scorer)


@pytest.mark.parametrize(
    ("answer", "contexts", "word"),
    [(REFUSAL, CONTEXTS, "refusal"), ("", CONTEXTS, "empty_answer"), (GOOD, [], "no_context")],
)
def test_what_cannot_be_measured_fails_unless_allowed(scorer, answer, contexts, word):
    with pytest.raises(AssertionError, match=f"cannot be measured: {word}"):
        assert_faithful(answer, contexts, min_score=0, scorer=scorer)
    result = assert_faithful(answer, contexts, scorer=scorer, unscored="pass")
    assert explain(result) == f"not scored: {word}"


def test_values_that_cannot_be_are_quoted(scorer):
    with pytest.raises(ConfigError, match=r"1\.2"):
        assert_faithful(GOOD, CONTEXTS, min_score=1.2, scorer=scorer)
    with pytest.raises(ConfigError, match="ignore"):
        assert_faithful(GOOD, CONTEXTS, unscored="ignore", scorer=scorer)
    with pytest.raises(ConfigError, match="gpt"):
        assert_faithful(GOOD, CONTEXTS, scorer="gpt")
    with pytest.raises(RecordError, match="None"):
        assert_faithful(None, CONTEXTS, scorer=scorer)


def run(folder: Path, *args: str, plugin: bool = True) -> subprocess.CompletedProcess[str]:
    loaded = ["-p", PLUGIN] if plugin else []
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *loaded, *args],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip


def test_the_fixture_in_a_project(tmp_path):
    (tmp_path / "test_answers.py").write_text(
        f"""
CONTEXTS = {CONTEXTS!r}

def test_good(nli_faith):
    assert nli_faith.assert_faithful({GOOD!r}, CONTEXTS).score == 1.0

def test_loose(nli_faith):
    nli_faith.assert_faithful({GOOD + BAD!r}, CONTEXTS)

def test_bad(nli_faith):
    nli_faith.assert_faithful({GOOD + BAD!r}, CONTEXTS, min_score=0.9)

def test_one_scorer(nli_faith):
    assert nli_faith.scorer is nli_faith.scorer
    assert nli_faith.scorer.config.mode == "fast"
    assert nli_faith.score({GOOD!r}, CONTEXTS).score == 1.0
""",
        encoding="utf-8",
    )
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nnli_faith_mode = fast\nnli_faith_min_score = 0.5\n", encoding="utf-8"
    )
    done = run(tmp_path, "--strict-config")
    assert "1 failed, 3 passed" in done.stdout, done.stdout + done.stderr
    assert BAD in done.stdout
    assert re.search(r"nearest, context \d+ \[\d+:\d+\]: \S+", done.stdout)
    # The lines shown are the test's own, not those of the package.
    assert "assertions.py" not in done.stdout
    (tmp_path / "pytest.ini").write_text("[pytest]\nnli_faith_min_score = high\n", encoding="utf-8")
    assert "must be a number, not 'high'" in run(tmp_path, "-k", "good").stdout


def test_a_project_that_does_not_use_it_loads_nothing(tmp_path):
    (tmp_path / "test_other.py").write_text(
        """
import sys

def test_light():
    heavy = {"numpy", "onnxruntime", "tokenizers", "jieba", "orjson", "click", "rich"}
    assert not heavy & {name.split(".")[0] for name in sys.modules}
    assert not [n for n in sys.modules if n.startswith("nli_faith.") and n.count(".") == 1
                and n not in ("nli_faith._version", "nli_faith.integrations")]
""",
        encoding="utf-8",
    )
    done = run(tmp_path)
    assert "1 passed" in done.stdout, done.stdout
    listed = run(tmp_path, "--fixtures").stdout
    assert "nli_faith" in listed
    assert "nli_faith" not in run(tmp_path, "--fixtures", plugin=False).stdout


def test_the_entry_point_names_the_plugin():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'[project.entry-points.pytest11]\nnli_faith = "{PLUGIN}"' in text
