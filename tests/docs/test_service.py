"""The client on docs/service.md talks to a real service, and prints what the page says."""

from __future__ import annotations

import signal

import pytest

from tests.markdown import EXAMPLES, ROOT, environment, missing, parse, run_python

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from tests.service.conftest import start

PAGE = ROOT / "docs" / "service.md"


def test_the_client_runs(tmp_path, monkeypatch):
    (shown,) = (b.code for b in parse(PAGE) if b.note == "prints service_client.py")
    code = (EXAMPLES / "service_client.py").read_text(encoding="utf-8")
    process, client = start(NLI_FAITH_API_KEY="docs-key-for-this-test")
    try:
        base = str(client.base_url).rstrip("/")
        done = run_python(
            code, tmp_path, NLI_FAITH_URL=base, NLI_FAITH_API_KEY="docs-key-for-this-test"
        )
        assert done.returncode == 0, done.stderr
        assert not missing(shown, done.stdout), done.stdout
        # The key is asked for, so the client did send it.
        assert client.post("/v1/score", json={}).status_code == 401
    finally:
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        assert process.wait(timeout=60) == 0
    assert "整机" not in rest  # texts are never logged


def test_environment_has_only_what_is_given(tmp_path, monkeypatch):
    monkeypatch.setenv("NLI_FAITH_API_KEY", "of-the-user")
    assert "NLI_FAITH_API_KEY" not in environment(tmp_path)
    assert environment(tmp_path, X="1")["X"] == "1"
