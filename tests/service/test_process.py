"""The command as a process: it starts, answers, and shuts down with nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.service.conftest import ROOT, fake_process, start


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_shutdown_finishes_what_it_holds(number):
    process, client = start("--batch-records", "2", code=fake_process("SlowBackend(0.05)"))
    body = {"answer": "甲是乙。丙是丁。", "contexts": ["甲是乙。", "丙是丁。"]}
    with ThreadPoolExecutor(12) as pool:
        held = [pool.submit(client.post, "/v1/score", json=body) for _ in range(12)]
        while "nli_faith_in_flight 12.0" not in client.get("/metrics").text:
            assert not all(h.done() for h in held), "all were done before the signal"
            time.sleep(0.005)
        process.send_signal(number)
        codes = [h.result().status_code for h in held]
    assert codes == [200] * 12
    assert process.wait(20) == 0
    rest = [json.loads(line) for line in process.stderr.read().splitlines()]
    assert rest[-1]["event"] == "stopped"
    process.stderr.close()


def test_the_real_model_answers_and_needs_the_key():
    process, client = start("--mode", "fast", NLI_FAITH_API_KEY="k" * 24)
    body = {"answer": "保修期为三年。", "contexts": ["整机保修两年。"]}
    try:
        assert client.post("/v1/score", json=body).status_code == 401
        done = client.post("/v1/score", json=body, headers={"X-API-Key": "k" * 24}).json()
        assert done["status"] == "scored"
        assert done["claims"][0]["flags"] == ["quantity_mismatch:三年!=两年"]
        described = client.get("/openapi.json").json()
        shown = described["paths"]["/v1/score"]["post"]["responses"]["200"]["content"]
        assert shown["application/json"]["example"]["scorer"] == done["scorer"]
    finally:
        process.terminate()
    assert process.wait(20) == 0
    process.stderr.close()


def test_a_call_that_cannot_work_ends_with_2(tmp_path):
    def code(*args: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "nli_faith", "serve", *args], capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    assert code("--host", "0.0.0.0") == (2, code("--host", "0.0.0.0")[1])
    assert "no API key" in code("--host", "0.0.0.0")[1]
    status, text = code("--max-claims", "0")
    assert (status, "max_claims must be" in text) == (2, True)
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, text = code("--port", port)
    assert status == 2
    assert f"cannot listen on 127.0.0.1:{port}" in text
