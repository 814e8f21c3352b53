"""Real processes: killed, interrupted, in each other's way."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .support import KEYS, SCORER
from .test_writers import UNPACK

ROOT = Path(__file__).resolve().parents[2]
RUN = f"""
import sys, time
from nli_faith.errors import OutputError
from nli_faith.io import ResultWriter, ResumeState
path, total, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
try:
    state = ResumeState.load(path, **{KEYS!r})
    with ResultWriter(path, resume=state) as out:
        print("open", flush=True)
        for i in range(total):
            if not state.skip(f"r{{i % (total - 3)}}"):  # three ids come twice
                row = {{"id": f"r{{i % (total - 3)}}", "text": "好" * 200, "scorer": {SCORER!r}}}
                out.write(row)
                if i % 10 == 9:
                    out.flush()
                time.sleep(pause)
except KeyboardInterrupt:
    sys.exit(130)
except OutputError as error:
    print(type(error).__name__, error, flush=True)
    sys.exit(9)
print("done", flush=True)
"""
TOTAL = 300


def start(path: Path, pause: float = 0.0) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(path), str(TOTAL), str(pause)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def wait_for(path: Path, size: int) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if path.exists() and path.stat().st_size > size:
            return
        time.sleep(0.005)
    raise AssertionError(f"{path} did not grow beyond {size} bytes")


def ids(path: Path) -> list[str]:
    raw = UNPACK[path.suffix if path.suffix in UNPACK else ""](path.read_bytes())
    return [json.loads(row)["id"] for row in raw.splitlines()]


EXPECTED = sorted(f"r{i % (TOTAL - 3)}" for i in range(TOTAL))


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_killed_run_is_resumed_without_a_lost_or_doubled_row(
    tmp_path: Path, name: str, blow: signal.Signals
) -> None:
    path = tmp_path / name
    size = 0
    for _ in range(2):
        process = start(path, pause=0.008)
        assert first_line(process) == "open"
        wait_for(path, size + (10_000 if name == "out.jsonl" else 500))
        process.send_signal(blow)
        process.communicate(timeout=20)
        assert process.returncode == (130 if blow == signal.SIGINT else -blow)
        assert (path.parent / f"{name}.lock").exists() is (blow != signal.SIGINT)
        size = path.stat().st_size
    if name == "out.jsonl":
        assert path.read_bytes().endswith(b"\n")
    process = start(path)
    assert process.communicate(timeout=20)[0].split() == ["open", "done"]
    assert sorted(ids(path)) == EXPECTED
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_two_processes_on_one_output(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = start(path, pause=0.001)
    assert first_line(first) == "open"
    first.send_signal(signal.SIGSTOP)  # alive and holding the lock, however slow the machine is
    second = start(path)
    said = second.communicate(timeout=60)[0]
    first.send_signal(signal.SIGCONT)
    assert second.returncode == 9
    assert said.startswith("OutputLockedError")
    assert f"pid {first.pid}" in said
    assert first.communicate(timeout=20)[0].split() == ["done"]
    assert sorted(ids(path)) == EXPECTED


def test_many_processes_race_for_one_output(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    runs = [start(path) for _ in range(4)]
    said = [run.communicate(timeout=60)[0] for run in runs]
    assert any("done" in words for words in said)
    for run, words in zip(runs, said, strict=True):
        assert run.returncode == 0 or "OutputLockedError" in words or "another run" in words
    assert sorted(ids(path)) == EXPECTED
    assert [p.name for p in tmp_path.iterdir()] == ["out.jsonl"]
