"""The service under load on loopback: throughput and latency, batched and not, and its memory.

    python benchmarks/service_load.py [--seconds 20] [--mode fast|full] [--requests 10000]

Clients and server are processes on one machine, so the clients take a part of its cores. Each
client sends its next request when the last is answered. `one call at a time` is Python calling
`scorer.score` in a loop, without HTTP: the bar. Every record is new to the server's batches (a
shop's number makes it so), and no pair cache is on. Afterwards --requests go through 8 clients,
and the server's resident memory is read on the way.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import psutil
from common import ROOT, table

from nli_faith import FaithfulnessScorer

CLIENTS = (1, 8, 32)
HEADERS = {"Content-Type": "application/json"}
CITIES = ["云州", "桐城", "澜江", "岚山", "栎阳", "青禾", "临溪", "松原", "海晏", "白沙"]
THINGS = ["保修期", "退款时限", "配送时间", "质保期", "试用期", "审批时限", "开放时间", "有效期"]


@dataclass
class Load:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)
    wall: float = 0.0

    def row(self, name: str, base: float) -> list[object]:
        """A row of the table; ``base`` is the rate that counts as 1."""
        rate = len(self.seconds) / self.wall
        ms = np.quantile(np.array(self.seconds) * 1000, [0.5, 0.95, 0.99])
        other = sum(n for code, n in self.codes.items() if code != 200)
        return [name, f"{rate:.1f}", f"{rate / base:.2f}x", *(f"{v:.0f}" for v in ms), other]


def make_record(n: int, chance: random.Random) -> dict[str, object]:
    """An answer of two claims over three contexts of three sentences."""
    city, days = chance.choice(CITIES), chance.randint(2, 99)
    first, second = chance.sample(THINGS, 2)
    contexts = [
        f"{city}{n}号店的{first}为{days}天，以收据为准。逾期不再受理。具体以门店公告为准。",
        f"{city}{n}号店自{days}日起调整{second}。会员另有约定的，从其约定。咨询请拨打门店电话。",
        f"{chance.choice(CITIES)}{n}号店周一至周五营业。节假日安排另行通知。停车场免费开放。",
    ]
    said = days if chance.random() < 0.5 else days + 1
    return {"answer": f"{city}{n}号店的{first}为{said}天。逾期不再受理。", "contexts": contexts}


@contextmanager
def server(mode: str, threads: int, *options: str) -> Iterator[tuple[int, psutil.Process]]:
    """The command as a process; its port and process."""
    command = [sys.executable, "-m", "nli_faith", "serve", "--port", "0", "--log-level", "info",
               "--mode", mode, "--threads", str(threads), *options]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stderr is not None
    port = 0
    for line in process.stderr:
        row = json.loads(line)
        port = row.get("port", port)
        if row["event"] == "ready":
            break
    else:
        sys.exit("the service did not start")
    drain = threading.Thread(target=lambda: [None for _ in process.stderr], daemon=True)
    drain.start()
    try:
        yield port, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(60)


def drive(port: int, clients: int, more: Callable[[int], bool], seed: int,
          seen: Callable[[int], None] = lambda n: None) -> Load:  # fmt: skip
    """Clients that send one request after the other while `more` says so."""
    load, lock, sent = Load(), threading.Lock(), 0

    def client(index: int) -> None:
        nonlocal sent
        chance = random.Random(seed * 1000 + index)
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        while True:
            with lock:
                sent += 1
                n = sent
            if not more(n):
                break
            body = json.dumps(
                make_record(seed * 1_000_000 + n, chance), ensure_ascii=False
            ).encode()
            begun = time.perf_counter()
            try:
                link.request("POST", "/v1/score", body, HEADERS)
                answer = link.getresponse()
                answer.read()
                code = answer.status
            except OSError:
                link.close()
                code = 0
            spent = time.perf_counter() - begun
            with lock:
                load.seconds.append(spent)
                load.codes[code] += 1
                seen(len(load.seconds))
        link.close()

    begun = time.perf_counter()
    workers = [threading.Thread(target=client, args=(i,)) for i in range(clients)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    load.wall = time.perf_counter() - begun
    return load


def for_seconds(seconds: float) -> Callable[[int], bool]:
    end = time.perf_counter() + seconds
    return lambda _: time.perf_counter() < end


def one_at_a_time(mode: str, threads: int, seconds: float) -> Load:
    scorer = FaithfulnessScorer.from_pretrained("bundled", mode=mode, threads=threads)
    chance, load = random.Random(5), Load()
    scorer.score(make_record(0, chance))
    more, begun, n = for_seconds(seconds), time.perf_counter(), 0
    while more(n):
        n += 1
        start = time.perf_counter()
        scorer.score(make_record(n, chance))
        load.seconds.append(time.perf_counter() - start)
        load.codes[200] += 1
    load.wall = time.perf_counter() - begun
    return load


def compare(args: argparse.Namespace) -> None:
    base = one_at_a_time(args.mode, args.threads, args.seconds)
    rate = len(base.seconds) / base.wall
    rows = [base.row("Python, one call at a time", rate)]
    kinds = [
        ("micro-batching (default)", args.threads, ()),
        ("without (--batch-records 1)", args.threads, ("--batch-records", "1")),
        (f"without, --threads 1 --parallel {args.threads}", 1,
         ("--batch-records", "1", "--parallel", str(args.threads))),
        (f"micro-batching, --threads 1 --parallel {args.threads}", 1,
         ("--parallel", str(args.threads))),
    ]  # fmt: skip
    for name, threads, options in kinds:
        with server(args.mode, threads, *options) as (port, _):
            for clients in CLIENTS:
                drive(port, clients, for_seconds(args.seconds / 5), 1)
                load = drive(port, clients, for_seconds(args.seconds), 2)
                rows.append(load.row(f"{name}, {clients} clients", rate))
    print(table(["", "records/s", "ratio", "p50 ms", "p95 ms", "p99 ms", "not 200"], rows))


def soak(args: argparse.Namespace) -> None:
    """Memory over many requests."""
    marks = {args.requests * k // 10 for k in range(1, 11)}
    with server(args.mode, args.threads) as (port, process):
        sizes: dict[int, float] = {}

        def look(n: int) -> None:
            if n in marks:
                sizes[n] = process.memory_info().rss / 1e6

        load = drive(port, 8, lambda n: n <= args.requests, 3, look)
    print(f"\n{args.requests} requests, 8 clients, {load.wall:.0f} s: "
          f"{sum(n for c, n in load.codes.items() if c != 200)} not 200")  # fmt: skip
    print("resident MB after n requests:", ", ".join(f"{n}: {mb:.0f}" for n, mb in sizes.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="of each measurement")
    parser.add_argument("--mode", choices=["full", "fast"], default="fast")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--requests", type=int, default=10_000, help="of the memory run; 0: none")
    args = parser.parse_args()
    if args.seconds:
        compare(args)
    if args.requests:
        soak(args)


if __name__ == "__main__":
    main()
