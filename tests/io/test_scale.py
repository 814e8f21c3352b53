"""Flat memory, linear time, light imports, real data."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nli_faith.errors import NliFaithError
from nli_faith.io import Reject, ResultWriter, read_records

from .support import SHARED, line, read, result

ROOT = Path(__file__).resolve().parents[2]
ROW = line(question="问" * 20, answer="答案。" * 30, contexts=["资料。" * 320])
CELL = '"' + "资料。" * 300 + '"'


class Generated(io.RawIOBase):
    """A stream of many rows that exist only while they are read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while len(self._rest) < size:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            self._rest += chunk
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken


def _jsonl() -> Iterator[bytes]:
    return (ROW * 100 for _ in range(200))


def _array() -> Iterator[bytes]:
    yield b"["
    for _ in range(199):
        yield (ROW + b",") * 100
    yield b",".join([ROW] * 100) + b"]"


def _csv() -> Iterator[bytes]:
    yield b"answer,contexts\n"
    for _ in range(200):
        yield f"{CELL},{CELL}\n".encode() * 100


@pytest.mark.parametrize("rows", [_jsonl, _array, _csv])
def test_memory_is_flat_over_20_000_records(rows: Callable[[], Iterator[bytes]]) -> None:
    tracemalloc.start()
    try:
        count = early = 0
        for count, _record in enumerate(read_records(Generated(rows())), 1):  # type: ignore[arg-type]
            if count == 2_000:
                early = tracemalloc.get_traced_memory()[1]
                tracemalloc.reset_peak()
        late = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert late < 1.1 * early + 100_000
    assert late < 8 << 20


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "csv", "json"])
def test_writing_keeps_no_rows(tmp_path: Path, suffix: str) -> None:
    with ResultWriter(tmp_path / f"out.{suffix}") as writer:
        row = result(0)
        for _ in range(600):
            writer.write(row)
        tracemalloc.start()
        try:
            for _ in range(2_000):
                writer.write(row)
            grown = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
    assert grown < 1 << 20


@pytest.mark.parametrize("fill", ['"', "\\", "[", "{", ",", "\n", " ", "'", "长", "\0", "}", "]"])
@pytest.mark.parametrize("start", ["", '{"answer": "', "[", '[{"a":"', "answer,contexts\n", "[{},"])
def test_a_megabyte_of_one_character_takes_linear_time(start: str, fill: str) -> None:
    text = (start + fill * (1 << 20)).encode()
    clock = time.process_time()
    rejects: list[Reject] = []
    said = ""
    try:
        for _ in read_records(io.BytesIO(text), on_reject=rejects.append):
            pass
    except NliFaithError as error:
        said = str(error)
    assert time.process_time() - clock < 2
    assert len(said) < 1000


def test_an_answer_of_200_000_characters_and_500_contexts() -> None:
    answer, contexts = "长" * 200_000, [f"第{i}条" for i in range(500)]
    records, rejects = read(line(answer=answer, contexts=contexts))
    assert not rejects
    assert records[0].answer == answer
    assert records[0].contexts == tuple(contexts)


def test_only_emoji() -> None:
    records, _ = read(line(answer="🎉👩‍👩‍👧", contexts=["🙂"]))
    assert (records[0].answer, records[0].contexts) == ("🎉👩‍👩‍👧", ("🙂",))


def test_the_import_is_light() -> None:
    heavy = ["numpy", "pyarrow", "zstandard", "pandas", "torch", "onnxruntime"]
    code = f"import sys, nli_faith.io; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not here")
@pytest.mark.parametrize("name", ["zh_uhgeval_half", "zh_rag_claims"])
def test_shared_records(name: str) -> None:
    path = SHARED / "data" / "dev" / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    raw = [json.loads(row) for row in path.read_bytes().splitlines()]
    if "answer" not in raw[0]:
        pytest.skip(f"{name} keeps its answers elsewhere")
    records = list(read_records(path))
    assert [r.id for r in records] == [str(row["id"]) for row in raw]
    assert [r.answer for r in records] == [row["answer"] for row in raw]
    assert [list(r.contexts) for r in records] == [
        [c for c in row["contexts"] if c.strip()] for row in raw
    ]
