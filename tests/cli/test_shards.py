"""`score --shard`: the parts together are the whole."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from nli_faith.cli import cli
from nli_faith.errors import ConfigError
from nli_faith.io import Shard


def test_parts_hold_every_key_once_and_evenly():
    parts = [Shard(i, 7) for i in range(1, 8)]
    counts = [0] * 7
    for n in range(7000):
        (mine,) = [i for i, part in enumerate(parts) if part.holds(f"id-{n}")]
        counts[mine] += 1
    assert min(counts) > 900
    assert Shard(1, 1).holds("anything")
    assert Shard.parse("3/16") == Shard(3, 16)


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "1/0", "a/b", "1/2/3", "-1/2", ""])
def test_what_is_no_shard_is_quoted(text):
    with pytest.raises(ConfigError, match="a shard is I/N"):
        Shard.parse(text)


def test_three_shards_are_one_run(tmp_path):
    source = tmp_path / "in.jsonl"
    rows = [
        json.dumps(
            {"id": f"r{i}", "answer": f"保修{i}年。", "contexts": ["保修两年。"]},
            ensure_ascii=False,
        )
        for i in range(12)
    ]
    source.write_text("\n".join([*rows[:5], "{broken", *rows[5:], '{"id": "x"}']), encoding="utf-8")

    def run(name: str, *options: str) -> tuple[dict[str, dict], list[int]]:
        out = tmp_path / name
        arguments = ["score", str(source), "-o", str(out), "--mode", "fast", "--quiet", *options]
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code in (0, 3), done.output
        scored = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        rejects = tmp_path / f"{name}.rejects.jsonl"
        bad = rejects.read_text(encoding="utf-8").splitlines() if rejects.exists() else []
        return {row["id"]: row for row in scored}, [json.loads(line)["line"] for line in bad]

    whole, bad = run("whole.jsonl")
    parts = [run(f"part{i}.jsonl", "--shard", f"{i}/3") for i in (1, 2, 3)]
    together = {k: v for scored, _ in parts for k, v in scored.items()}
    assert sum(len(scored) for scored, _ in parts) == 12
    assert together == whole
    assert sorted(line for _, lines in parts for line in lines) == bad == [6, 14]
    manifest = json.loads((tmp_path / "part2.jsonl.manifest.json").read_text(encoding="utf-8"))
    assert manifest["shard"] == "2/3"
