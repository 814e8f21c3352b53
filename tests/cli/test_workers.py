"""`score --workers`: the bytes of one process, whatever happens to a worker. Real processes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, InputError, WorkerError
from nli_faith.inference import RunStats
from nli_faith.io import Shard
from nli_faith.workers import WorkerPool
from tests.cli.conftest import write_jsonl

pytestmark = pytest.mark.slow
psutil = pytest.importorskip("psutil")
ROOT = Path(__file__).resolve().parents[2]
COUNT = 400  # four chunks of 128


def rows(count: int = COUNT) -> list[dict]:
    return [
        {
            "id": f"r{i}",
            "answer": f"整机保修{i}年。门店上门取件。",
            "contexts": [f"整机保修{i % 7}年，门店不上门取件。", "周日休息。"],
        }
        for i in range(count)
    ]


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("workers") / "in.jsonl"
    write_jsonl(path, rows())
    with path.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    return path


def start(source: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    arguments = ["score", str(source), "-o", str(out), "--mode", "fast", *options]
    return subprocess.Popen(
        [sys.executable, "-m", "nli_faith", *arguments],
        cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip


def finish(process: subprocess.Popen[str], code: int = 3) -> str:
    """Wait for the end; 3, since one line of the input is broken."""
    _, err = process.communicate(timeout=240)
    assert process.returncode == code, err
    return err


@pytest.fixture(scope="module")
def alone(source, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("alone") / "out.jsonl"
    finish(start(source, out, "--threads", "1", "--quiet"))
    return out


def workers_of(process: subprocess.Popen[str], count: int) -> list[psutil.Process]:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = [
            child
            for child in psutil.Process(process.pid).children()
            if any("spawn_main" in part for part in child.cmdline())
        ]
        if len(found) == count:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{count} workers did not start")


def wait_for_rows(out: Path, process: subprocess.Popen[str]) -> None:
    while not (out.exists() and out.stat().st_size):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)


def test_two_workers_write_the_bytes_of_one_process(source, alone, tmp_path):
    out = tmp_path / "out.jsonl"
    finish(start(source, out, "--workers", "2", "--quiet"))
    assert out.read_bytes() == alone.read_bytes()
    names = (f"{alone}.rejects.jsonl", f"{out}.rejects.jsonl")
    assert Path(names[0]).read_bytes() == Path(names[1]).read_bytes()
    one, two = (
        json.loads(Path(f"{path}.manifest.json").read_text(encoding="utf-8"))
        for path in (alone, out)
    )
    assert (one["workers"], two["workers"]) == (1, 2)
    for part in ("summary", "pairs", "scorer", "config"):
        assert one[part] == two[part]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_killed_worker_loses_and_doubles_no_row(source, alone, tmp_path):
    out = tmp_path / "out.jsonl"
    process = start(source, out, "--workers", "2", "--quiet")
    workers_of(process, 2)
    wait_for_rows(out, process)
    os.kill(workers_of(process, 2)[0].pid, signal.SIGKILL)
    err = finish(process)
    assert "a worker died (signal 9)" in err
    assert out.read_bytes() == alone.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("whole_group", [True, False])
def test_an_interrupt_ends_all_and_resume_goes_on(source, alone, tmp_path, whole_group):
    out = tmp_path / "out.jsonl"
    process = start(source, out, "--workers", "2", "--quiet")
    children = workers_of(process, 2)
    wait_for_rows(out, process)
    # A terminal sends Ctrl-C to the whole group; `kill -INT` to the parent alone.
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    err = finish(process, 130)
    assert "Traceback" not in err
    assert not psutil.wait_procs(children, timeout=5)[1]
    assert 0 < out.stat().st_size < alone.stat().st_size
    finish(start(source, out, "--workers", "2", "--resume", "--quiet"))
    assert out.read_bytes() == alone.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_workers_end_when_the_parent_is_killed(source, tmp_path):
    out = tmp_path / "out.jsonl"
    process = start(source, out, "--workers", "2", "--quiet")
    children = workers_of(process, 2)
    wait_for_rows(out, process)
    process.kill()
    process.communicate()
    assert not psutil.wait_procs(children, timeout=30)[1]


def test_shards_of_a_cascade_with_a_cache_are_the_same_too(source, tmp_path):
    made = []
    # The broken line belongs to one of the three parts; the others end with 0.
    broken = Shard(2, 3).holds(f"line {COUNT + 1}")
    for workers in ("1", "2"):
        out = tmp_path / f"out{workers}.jsonl"
        process = start(
            source, out, "--workers", workers, "--quiet", "--shard", "2/3", "--threads", "1",
            "--then", "bundled", "--cache", str(tmp_path / f"cache{workers}.db"),
        )  # fmt: skip
        finish(process, 3 if broken else 0)
        made.append(out.read_bytes())
    assert made[0] == made[1]
    assert 80 < made[0].count(b"\n") < 200


OPTIONS = {"model": "bundled", "mode": "fast", "threads": 1}


def records(count: int) -> list[Record]:
    return [Record(row["id"], row["answer"], tuple(row["contexts"])) for row in rows(count)]


def run(pool: WorkerPool, items, most: int = 8) -> list[str]:
    chunks = pool.score_chunks(items, most=most, chars=10**6, stats=RunStats())
    return [result.id for chunk in chunks for result in chunk]


def test_what_was_read_before_the_input_broke_is_scored_first():
    def broken():
        yield from records(20)
        raise InputError("cut off")

    seen: list[str] = []
    with WorkerPool(2, OPTIONS) as pool, pytest.raises(InputError, match="cut off"):  # noqa: PT012
        for chunk in pool.score_chunks(broken(), most=8, chars=10**6, stats=RunStats()):
            seen += [result.id for result in chunk]
    assert seen == [f"r{i}" for i in range(20)]


def test_an_error_of_a_worker_is_the_parents():
    with WorkerPool(1, {**OPTIONS, "top_k": -1}) as pool, pytest.raises(ConfigError, match="-1"):
        run(pool, records(1))


class _Deadly(Record):
    """Kills whatever unpickles it: a record on which the model's library crashes."""

    def __reduce__(self):
        return os._exit, (7,)


def test_records_that_kill_every_worker_end_the_run_by_name():
    said: list[str] = []
    deadly = _Deadly("poison", "保修。", ("保修。",))
    seen: list[str] = []
    with WorkerPool(1, OPTIONS, on_death=said.append) as pool:
        items = [*records(8), deadly]
        with pytest.raises(WorkerError, match=r"exit code 7.*'poison'.*--resume"):  # noqa: PT012
            for chunk in pool.score_chunks(items, most=8, chars=10**6, stats=RunStats()):
                seen += [result.id for result in chunk]
    assert seen == [f"r{i}" for i in range(8)]
    assert len(said) == 2


def test_a_pool_that_is_left_early_leaves_no_process():
    before = set(psutil.Process().children())
    with WorkerPool(2, OPTIONS) as pool:
        next(pool.score_chunks(records(64), most=8, chars=10**6, stats=RunStats()))
    left = {
        p for p in set(psutil.Process().children()) - before if "spawn_main" in str(p.cmdline())
    }
    assert not left


@pytest.mark.parametrize("options", [{"then": lambda: None}])
def test_what_cannot_be_sent_is_refused_at_once(options):
    with pytest.raises(ConfigError, match="then"):
        WorkerPool(2, options)
    with pytest.raises(ConfigError, match="not 0"):
        WorkerPool(0, {})


def test_each_worker_has_a_device_of_its_own_in_turn():
    with WorkerPool(3, OPTIONS, devices=("cuda:0", "cuda:1")) as pool:
        found = [pool.options_of(n) for n in range(3)]
    assert [options["device"] for options in found] == ["cuda:0", "cuda:1", "cuda:0"]
    assert all(options["mode"] == "fast" for options in found)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--device", "mps,cpu"), "device 'mps' is not available .* there is: .*cpu"),
        (("--device", "cuda:1,1"), "named twice in 'cuda:1,1'"),
        (("--device", "cpu,mps", "--workers", "1"), "--workers 1 is less than the 2 devices"),
    ],
)
def test_devices_that_cannot_serve_are_refused(source, tmp_path, options, said):
    out = tmp_path / "out.jsonl"
    err = finish(start(source, out, *options), 2)
    assert re.search(said, err), err
    assert not out.exists()
