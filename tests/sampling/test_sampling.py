"""Stable, nested, stratified; and the command with bad rows."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from hashlib import blake2b

import pytest
from click.testing import CliRunner

from nli_faith.cli.sample import sample
from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, InputError, OutputExistsError, OutputPathError
from nli_faith.io import read_records
from nli_faith.sampling import Sampler, record_dict, sample_records, share_of


def records(n, **meta):
    return [Record(f"q{i}", "答", ("材",), meta=dict(meta)) for i in range(n)]


def ids(rows):
    return [r.id for r in rows]


def test_share_is_the_documented_hash():
    expected = int.from_bytes(blake2b(b"q1", digest_size=8, key=b"7").digest(), "big") / 2**64
    assert share_of("q1", 7) == expected


def test_rate_and_pinned_members():
    kept = ids(sample_records(records(10_000), 0.05))
    assert 430 <= len(kept) <= 570  # binomial(10000, 0.05): mean 500, sd 21.8
    assert kept == [f"q{i}" for i in range(10_000) if share_of(f"q{i}") < 0.05]
    assert len(sample_records(records(50), 1.0)) == 50


def test_order_and_neighbours_do_not_matter():
    rows = records(500)
    whole = set(ids(sample_records(rows, 0.2)))
    assert set(ids(sample_records(rows[::-1], 0.2))) == whole
    assert set(ids(sample_records(rows[100:], 0.2))) == whole & set(ids(rows[100:]))


def test_smaller_rate_is_part_of_larger():
    rows = records(2000)
    assert set(ids(sample_records(rows, 0.05))) < set(ids(sample_records(rows, 0.1)))


def test_seeds_differ():
    rows = records(1000)
    one, two = (set(ids(sample_records(rows, 0.1, seed=s))) for s in (1, 2))
    assert one != two
    assert len(one & two) < 40  # independent: 10 expected


def test_every_group_is_represented_by_its_lowest_hashes():
    rows = records(1000, channel="app") + [
        Record(f"rare{i}", "答", (), meta={"channel": "fax"}) for i in range(8)
    ]
    sampler = Sampler(0.01, by="meta.channel", min_per_group=3)
    kept = list(sampler.run(rows))
    fax = [r.id for r in kept if r.meta["channel"] == "fax"]
    lowest = sorted((share_of(f"rare{i}"), f"rare{i}") for i in range(8))[:3]
    assert set(fax) == {name for _, name in lowest}
    assert fax == sorted(fax)  # fillers come in input order
    assert sampler.report.kept["fax"] == 3
    assert sampler.report.seen == {"app": 1000, "fax": 8}


def test_groups_smaller_than_the_minimum_are_kept_whole():
    sampler = Sampler(0.001, by="channel", min_per_group=5)
    assert len(list(sampler.run(records(2, channel="x")))) == 2
    assert sampler.report.filled == {"x": 2}


def test_a_missing_group_has_a_name():
    sampler = Sampler(1.0, by="meta.channel")
    list(sampler.run([Record("a", ""), Record("b", "", meta={"channel": True})]))
    assert sampler.report.seen == {"(none)": 1, "true": 1}


def test_rows_without_id_are_told_apart_by_text():
    rows = [{"question": f"问{i}", "answer": "答", "contexts": []} for i in range(400)]
    first = [r.question for r in sample_records(read_records(rows), 0.2)]
    shifted = [r.question for r in sample_records(read_records([rows[-1], *rows[:-1]]), 0.2)]
    assert set(first) == set(shifted)


@pytest.mark.parametrize("bad", [{"rate": 0}, {"rate": 1.1}, {"rate": 0.5, "min_per_group": -1}])
def test_bad_options(bad):
    with pytest.raises(ConfigError):
        Sampler(**bad)


def test_records_survive_writing():
    record = Record("a", "答", ("一", "二"), "问", "参", ({"question": "变"},), ("d1",), {"k": 1})
    found = next(read_records([record_dict(record)]))
    assert replace(found, source=None) == record


# -- the command --------------------------------------------------------------------------------


def call(*args):
    return CliRunner().invoke(sample, [str(a) for a in args])


def source(tmp_path, n=200, bad=()):
    path = tmp_path / "in.jsonl"
    lines = [json.dumps({"id": f"q{i}", "answer": "致电13812345678", "contexts": ["材料"],
                         "meta": {"channel": "app" if i % 10 else "web"}}) for i in range(n)]  # fmt: skip
    path.write_text("\n".join([*lines, *bad]) + "\n", encoding="utf-8")
    return path


def rows_of(path):
    return [json.loads(x) for x in path.read_text(encoding="utf-8").splitlines()]


def test_command_is_reproducible(tmp_path):
    path = source(tmp_path)
    for name in ("a.jsonl", "b.jsonl"):
        done = call(path, "-o", tmp_path / name, "--rate", 0.1, "--by", "meta.channel")
        assert done.exit_code == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert [r["id"] for r in rows_of(tmp_path / "a.jsonl")]
    assert "web: " in done.output


def test_command_rejects_and_lists(tmp_path):
    path = source(tmp_path, bad=["{oops", '{"id": "x", "contexts": []}'])
    out = tmp_path / "s.jsonl"
    done = call(path, "-o", out, "--rate", 1)
    assert done.exit_code == 3
    assert len(rows_of(out)) == 200
    rejects = rows_of(tmp_path / "s.jsonl.rejects.jsonl")
    assert [(r["line"], r["field"]) for r in rejects] == [(201, None), (202, "answer")]


def test_command_refuses(tmp_path):
    path = source(tmp_path)
    assert isinstance(call(path, "-o", path).exception, OutputPathError)
    assert isinstance(call(path, "-o", tmp_path / "x.csv").exception, ConfigError)
    assert isinstance(call(tmp_path / "no", "-o", tmp_path / "x").exception, InputError)
    assert not (tmp_path / "x").exists()
    (tmp_path / "y.jsonl").write_text("{}\n")
    assert isinstance(call(path, "-o", tmp_path / "y.jsonl").exception, OutputExistsError)
    assert call(path, "-o", tmp_path / "y.jsonl", "--overwrite").exit_code == 0


def test_command_redacts_and_compresses(tmp_path):
    out = tmp_path / "s.jsonl.gz"
    assert call(source(tmp_path), "-o", out, "--rate", 0.5, "--redact").exit_code == 0
    text = gzip.decompress(out.read_bytes()).decode()
    assert "13812345678" not in text
    assert "致电***********" in text


def test_rejects_are_redacted_too(tmp_path):
    path = source(tmp_path, n=3, bad=['{"id": "x", "answer": 13812345678, "contexts": []}'])
    assert call(path, "-o", tmp_path / "s.jsonl", "--redact").exit_code == 3
    assert b"13812345678" not in (tmp_path / "s.jsonl.rejects.jsonl").read_bytes()
