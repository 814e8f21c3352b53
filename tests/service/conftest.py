"""A real server on loopback, in a thread, on the hand-computable backend."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn

from nli_faith.scorer import FaithfulnessScorer
from nli_faith.service import KeyRing, ServiceSettings, create_app
from tests.core.fakes import CharBackend

ROOT = Path(__file__).resolve().parents[2]
GOOD = {"answer": "电池保修一年。", "contexts": ["整机保修两年。电池保修一年。"]}
HALF = {"answer": "电池保修一年。门店提供上门取件服务。", "contexts": ["电池保修一年。"]}


class SlowBackend(CharBackend):
    """Waits before every model call, or until told to go on; may fail on a word."""

    def __init__(self, seconds: float = 0.0, poison: str = "") -> None:
        super().__init__()
        self.seconds, self.poison = seconds, poison
        self.open = threading.Event()
        self.open.set()

    def predict_proba(self, batch):
        self.open.wait(30)
        time.sleep(self.seconds)
        if self.poison and any(ord(self.poison) in row for row in batch.input_ids.tolist()):
            raise RuntimeError(f"no such word: {self.poison} in 机密文本")
        return super().predict_proba(batch)


@dataclass
class Running:
    """A server and a client of it."""

    url: str
    client: httpx.Client
    app: object
    scorer: FaithfulnessScorer

    def post(self, path: str, body: object, **more) -> httpx.Response:
        return self.client.post(path, json=body, **more)


@contextlib.contextmanager
def serving(backend=None, keys=(), scorer=None, **settings) -> Iterator[Running]:
    backend = backend or CharBackend()
    scorer = scorer or FaithfulnessScorer(backend, thresholds=backend.thresholds)
    app = create_app(scorer, ServiceSettings(**settings), KeyRing(keys))
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        with httpx.Client(base_url=url, timeout=30, trust_env=False) as client:
            yield Running(url, client, app, scorer)
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()


@pytest.fixture
def server():
    with serving() as running:
        yield running


def fake_process(backend: str) -> str:
    """A program that is the command with this backend for every model."""
    return f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import nli_faith.scorer
from tests.service.conftest import SlowBackend
nli_faith.scorer.load_backend = lambda *a, **k: {backend}
from nli_faith.cli import main
main(sys.argv[1:])
"""


def start(*args: str, code: str | None = None, **environ: str):
    """The command as a process, ready, and a client of it; its stderr is read from a pipe."""
    run = [sys.executable, "-c", code] if code else [sys.executable, "-m", "nli_faith"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
    process = subprocess.Popen(
        [*run, "serve", "--port", "0", *args], env=env, stderr=subprocess.PIPE, text=True
    )
    for line in process.stderr:
        row = json.loads(line)
        if row["event"] == "listening":
            port = row["port"]
        if row["event"] == "ready":
            return process, httpx.Client(
                base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False
            )
    raise AssertionError(f"the service ended with {process.wait()}")
