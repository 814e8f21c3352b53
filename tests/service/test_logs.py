"""Texts of requests are never logged, whatever goes wrong: all that a real process writes is read."""

from __future__ import annotations

import json
import logging

import pytest

from nli_faith.service import logs
from tests.service.conftest import GOOD, fake_process, start

SECRET = "机密文本甲乙丙"
POISON = "毒药有效。"


def visits(client) -> int:
    """Requests of every kind of outcome, each with the secret in it; how many."""
    headers = {"Content-Type": "application/json"}
    secret = {"id": SECRET, "answer": f"{SECRET}。", "contexts": [f"{SECRET}。"], "question": SECRET,
              SECRET: SECRET}  # fmt: skip
    codes = []
    for path in ("/v1/score", "/v1/guard", "/v1/explain"):
        for body in (
            secret,
            {**secret, "options": {"aggregation": SECRET, SECRET: 1}},
            {**secret, "policy": {"remove": [SECRET]}},
            {**secret, "contexts": {SECRET: SECRET}},
            {"records": [secret, SECRET]},
            {**secret, "answer": POISON, "contexts": [POISON]},
        ):
            codes.append(client.post(path, json=body).status_code)
        broken = client.post(path, content=f'{{"{SECRET}'.encode(), headers=headers)
        codes.append(broken.status_code)
    codes.append(client.post(f"/v1/{SECRET}?q={SECRET}", json=secret).status_code)
    odd = {"X-Request-Id": SECRET.encode(), "Cookie": "x=cookie-text", "X-Api-Key": "key-text"}
    codes.append(client.get(f"/healthz?q={SECRET}", headers=odd).status_code)
    assert set(codes) == {200, 400, 404, 422, 500}
    return len(codes)


@pytest.fixture(scope="module")
def written():
    process, client = start("--log-level", "debug", code=fake_process("SlowBackend(0, '毒')"))
    try:
        n = visits(client)
        assert client.post("/v1/score", json=GOOD).status_code == 200  # it goes on after a 500
    finally:
        process.terminate()
        text = process.stderr.read()
        process.stderr.close()
        assert process.wait(20) == 0
    return text, n + 1


def test_no_text_is_logged(written):
    text, n = written
    assert sum(json.loads(line)["event"] == "request" for line in text.splitlines()) == n
    for word in (SECRET, SECRET[:2], POISON, "毒", "no such word", "cookie-text", "key-text"):
        for form in (word, json.dumps(word)[1:-1]):
            assert form not in text, form
    assert "%E6%9C%BA" not in text


def test_a_failure_is_logged_by_type_and_place(written):
    text, _ = written
    failures = [r for r in map(json.loads, text.splitlines()) if r["event"] == "error"]
    assert len(failures) == 3
    assert {f["error"] for f in failures} == {"RuntimeError"}
    assert any("predict_proba" in place for place in failures[0]["at"])


def test_lines_are_json(capsys):
    logs.configure("info")
    try:
        logs.event("request", status=200, route="/v1/score")
        logs.event("detail", level=logging.DEBUG)
    finally:
        logs.logger.handlers[:] = []
        logs.logger.propagate = True
    (line,) = capsys.readouterr().err.splitlines()
    row = json.loads(line)
    assert (row["event"], row["status"], row["level"]) == ("request", 200, "info")
    assert row["time"].endswith("Z")
