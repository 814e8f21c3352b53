"""The registry: what is kept and what is not, comparing, trends, privacy, the command."""

from __future__ import annotations

import importlib.util
import json
import math
import sqlite3
from datetime import datetime, timedelta, timezone

import pytest
from click.testing import CliRunner

from nli_faith.cli.runs import runs as command
from nli_faith.errors import (
    ConfigError,
    InputError,
    MissingExtraError,
    OutputExistsError,
    RecordError,
)
from nli_faith.runs import Registry, change_point, compare_runs, default_path, trend_of
from nli_faith.runs.trend import write_png

INFO = {"model": "m", "model_sha256": "s" * 64, "config_hash": "c1", "version": "0.1"}
AT = datetime(2024, 5, 6, 2, tzinfo=timezone.utc)


def claim(text, label, support=0.5):
    return {"text": text, "label": label, "support": support, "start": 0, "end": len(text)}


def scored(identity, claims, version="a", info=INFO):
    """A scored row from (text, label) pairs; no pair is a refusal."""
    labels = [label for _, label in claims]
    return {
        "id": identity, "status": "scored" if claims else "refusal",
        "score": labels.count("supported") / len(labels) if labels else None,
        "label_counts": {x: labels.count(x) for x in ("supported", "contradicted", "unsupported")},
        "claims": [claim(*c) for c in claims], "meta": {"version": version}, "scorer": info,
    }  # fmt: skip


def write(path, rows):
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


S, C, U = "supported", "contradicted", "unsupported"
MONDAY = [
    scored("q1", [("保修两年。", S), ("终身免费。", C)]),
    scored("q2", [("三月发布。", S)], "b"),
    scored("q3", []),
    scored("q4", [("仅此一条。", S)]),
]
TUESDAY = [
    scored("q1", [("保修两年。", S), ("终身免费。", U)]),
    scored("q2", [("三月发布。", C), ("新的一句。", S)], "b"),
    scored("q3", [("现在回答了。", S)]),
    scored("q5", [("另一条。", S)]),
]


@pytest.fixture
def registry(tmp_path):
    with Registry(tmp_path / "runs.sqlite", create=True) as found:
        yield found


@pytest.fixture
def two(registry, tmp_path):
    registry.add(write(tmp_path / "a.jsonl", MONDAY), name="mon", group_by="meta.version", at=AT)
    registry.add(write(tmp_path / "b.jsonl", TUESDAY), name="tue", at=AT + timedelta(days=1))
    return registry


# -- adding -------------------------------------------------------------------------------------


def test_counts_means_and_groups(two):
    run = two.get("1")
    assert (run.name, run.rows, run.scored, run.rejected, run.coverage) == ("mon", 4, 3, 0, 0.75)
    assert (run.model, run.model_sha256, run.config_hash) == ("m", "s" * 64, "c1")
    assert run.statuses == {"scored": 3, "refusal": 1}
    assert run.label_counts == {S: 3, C: 1, U: 0}
    assert run.mean("faithfulness") == pytest.approx(2.5 / 3)
    assert run.means["a", "faithfulness"] == (2, 3, 0.75)
    assert run.means["b", "faithfulness"] == (1, 1, 1.0)
    assert run.mean("nonsense") is None
    assert [r.id for r in two.runs()] == [1, 2]
    assert two.get("tue").id == 2


def test_the_latest_of_a_name(registry, tmp_path):
    registry.add(write(tmp_path / "a.jsonl", MONDAY), name="n", at=AT + timedelta(days=3))
    registry.add(write(tmp_path / "b.jsonl", TUESDAY), name="n", at=AT)
    assert registry.get("n").id == 1
    assert [r.id for r in registry.runs("n")] == [2, 1]


def test_the_same_file_twice_is_refused(two, tmp_path):
    with pytest.raises(InputError, match="as run 1"):
        two.add(tmp_path / "a.jsonl", name="again")
    assert two.add(tmp_path / "a.jsonl", name="again", again=True).id == 3


def test_a_bad_row_leaves_nothing_behind(registry, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(MONDAY[0]) + "\n{\n")
    with pytest.raises(RecordError, match=r"x\.jsonl:2"):
        registry.add(path, name="x")
    assert registry.runs() == []
    assert registry.db.execute("SELECT count(*) FROM records").fetchone() == (0,)


def test_nothing_to_add(registry, tmp_path):
    (tmp_path / "x.jsonl").touch()
    with pytest.raises(InputError, match="no rows"):
        registry.add(tmp_path / "x.jsonl", name="x")
    with pytest.raises(InputError, match="No such file"):
        registry.add(tmp_path / "none", name="x")
    with pytest.raises(ConfigError):
        registry.add(tmp_path / "x.jsonl", name=" ")


def test_the_manifest_gives_time_rejects_and_scorer(registry, tmp_path):
    rows = [{"id": "a", "metrics": {"context_recall": {"value": 0.5, "status": "measured"}}}]
    path = write(tmp_path / "e.jsonl", rows)
    (tmp_path / "e.jsonl.manifest.json").write_text(json.dumps({
        "started": "2024-01-02T05:00:00+02:00", "summary": {"rejected": 2}, "scorer": INFO}))  # fmt: skip
    run = registry.add(path, name="e")
    assert run.at == datetime(2024, 1, 2, 3, tzinfo=timezone.utc)
    assert (run.rejected, run.model_sha256) == (2, "s" * 64)
    assert run.mean("context_recall") == 0.5
    assert run.statuses == {"not_measured": 1}


def test_mixed_scorers_are_said(registry, tmp_path):
    rows = [MONDAY[0], scored("z", [("句。", S)], info=INFO | {"config_hash": "c2"})]
    assert registry.add(write(tmp_path / "m.jsonl", rows), name="m").config_hash == "mixed"


def test_unknown_run_lists_names(two):
    with pytest.raises(InputError, match="mon, tue"):
        two.get("wed")


def test_deleting_takes_the_records_along(two):
    two.delete("mon")
    assert [r.name for r in two.runs()] == ["tue"]
    assert two.db.execute("SELECT count(*) FROM records WHERE run = 1").fetchone() == (0,)


# -- the database -------------------------------------------------------------------------------


def test_write_ahead_log_and_a_reader_beside_a_writer(two, tmp_path):
    assert two.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    two.db.execute("BEGIN IMMEDIATE")
    with Registry(tmp_path / "runs.sqlite") as reader:
        assert len(reader.runs()) == 2
    two.db.execute("ROLLBACK")


def test_other_files_are_refused(tmp_path):
    with pytest.raises(InputError, match="no registry"):
        Registry(tmp_path / "none.sqlite")
    (tmp_path / "text").write_text("not a database, but long enough to be looked at" * 30)
    with pytest.raises(InputError, match="is no registry"):
        Registry(tmp_path / "text")
    with sqlite3.connect(tmp_path / "other.sqlite") as db:
        db.execute("CREATE TABLE t (x)")
    with pytest.raises(InputError, match="something else"):
        Registry(tmp_path / "other.sqlite", create=True)
    with pytest.raises(InputError, match="directory"):
        Registry(tmp_path)


def test_a_later_format_is_refused(tmp_path):
    with Registry(tmp_path / "r.sqlite", create=True) as found:
        found.db.execute("PRAGMA user_version = 99")
    with pytest.raises(InputError, match="format 99"):
        Registry(tmp_path / "r.sqlite")


def test_default_place(monkeypatch, tmp_path):
    monkeypatch.delenv("NLI_FAITH_RUNS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert default_path() == tmp_path / "nli_faith" / "runs.sqlite"
    monkeypatch.setenv("NLI_FAITH_RUNS", str(tmp_path / "x.sqlite"))
    assert default_path() == tmp_path / "x.sqlite"


# -- privacy ------------------------------------------------------------------------------------


def everything(path):
    return b"".join(p.read_bytes() for p in path.parent.glob(path.name + "*"))


def private_rows():
    rows = [
        scored("13812345678", [("致电13912345678咨询。", S)]),
        scored("13812345679", [("乙。", S)]),
    ]
    rows[0]["meta"]["version"] = "a@b.cn"
    return rows


def test_texts_are_not_kept_unless_asked(tmp_path):
    db = tmp_path / "r.sqlite"
    with Registry(db, create=True) as registry:
        registry.add(write(tmp_path / "a.jsonl", MONDAY), name="x")
    data = everything(db)
    assert "保修".encode() not in data
    assert b"q1" in data


def test_redacted_ids_groups_and_texts(tmp_path):
    db = tmp_path / "r.sqlite"
    with Registry(db, create=True) as registry:
        path = write(tmp_path / "a.jsonl", private_rows())
        registry.add(path, name="x", group_by="meta.version", redact=True, texts=True)
        ids = [r[0] for r in registry.db.execute("SELECT record FROM records")]
        texts = registry.db.execute("SELECT texts FROM records").fetchone()[0]
        # The same record has the same pseudonym in the next run: they can be compared.
        rows = private_rows()
        rows[1] = scored("13812345679", [("乙。", C)])
        registry.add(write(tmp_path / "b.jsonl", rows), name="y", redact=True)
        found = compare_runs(registry, "x", "y")
    assert len(set(ids)) == 2
    assert all(i.startswith("id-") for i in ids)
    assert json.loads(texts) == ["致电***********咨询。"]
    assert (found.matched, found.worse) == (2, 1)
    data = everything(db)
    for secret in (b"13812345678", b"13912345678", b"a@b.cn"):
        assert secret not in data


# -- comparing ----------------------------------------------------------------------------------


def test_compare_by_hand(two):
    diffs = []
    found = compare_runs(two, "mon", "tue", on_diff=diffs.append)
    assert (found.matched, found.only_first, found.only_second) == (3, 1, 1)
    assert (found.better, found.worse, found.same) == (0, 1, 1)  # q2 fell; q1 stayed at 0.5
    assert found.flips == {(C, U): 1, (S, C): 1}
    assert found.statuses == {("refusal", "scored"): 1}
    d = found.differences["faithfulness"]
    assert (d.n, d.value) == (2, pytest.approx(-0.25))
    assert d.low == pytest.approx(-0.5)
    assert d.high == pytest.approx(0.0)
    assert found.same_scorer
    by_id = {x.id: x for x in diffs}
    assert list(by_id) == ["q1", "q2", "q3"]
    assert by_id["q1"].measures == {"contradiction_rate": (0.5, 0.0)}
    assert [(f.before, f.after, f.text) for f in by_id["q1"].flips] == [(C, U, None)]
    assert (by_id["q2"].claims_gone, by_id["q2"].claims_new) == (0, 1)
    assert by_id["q2"].measures["faithfulness"] == (1.0, 0.5)
    assert by_id["q3"].measures["faithfulness"] == (None, 1.0)
    assert by_id["q2"].group == "b"


def test_compare_shows_texts_where_kept(registry, tmp_path):
    registry.add(write(tmp_path / "a.jsonl", MONDAY), name="a", texts=True)
    registry.add(write(tmp_path / "b.jsonl", TUESDAY), name="b", texts=True)
    diffs = []
    compare_runs(registry, "a", "b", on_diff=diffs.append)
    assert diffs[0].to_dict()["flips"] == [{"from": C, "to": U, "text": "终身免费。"}]


def test_equal_runs_have_no_diffs(registry, tmp_path):
    path = write(tmp_path / "a.jsonl", MONDAY)
    registry.add(path, name="a")
    registry.add(path, name="b", again=True)
    diffs = []
    found = compare_runs(registry, "a", "b", on_diff=diffs.append)
    assert diffs == []
    assert (found.better, found.worse, found.same, found.matched) == (0, 0, 3, 4)


def test_ids_that_come_twice_are_left_out(registry, tmp_path):
    registry.add(write(tmp_path / "a.jsonl", [MONDAY[0], MONDAY[0], MONDAY[1]]), name="a")
    registry.add(write(tmp_path / "b.jsonl", TUESDAY), name="b")
    found = compare_runs(registry, "a", "b")
    assert (found.matched, found.only_first) == (1, 2)


def test_a_lower_contradiction_rate_is_better(two):
    found = compare_runs(two, "mon", "tue", measure="contradiction_rate")
    assert (found.better, found.worse) == (1, 1)


def test_compare_refuses(two):
    with pytest.raises(InputError, match="same run"):
        compare_runs(two, "1", "mon")
    with pytest.raises(InputError, match="there are contradiction_rate, faithfulness"):
        compare_runs(two, "1", "2", measure="fluency")


# -- trends -------------------------------------------------------------------------------------


def series(registry, tmp_path, values, *, step=7, info=None):
    for i, value in enumerate(values):
        claims = [("x", S)] * round(value * 20) + [("y", U)] * (20 - round(value * 20))
        row = scored(f"r{i}", claims, info=info(i) if info else INFO)
        path = write(tmp_path / f"t{i}.jsonl", [row])
        registry.add(path, name="n", at=AT + timedelta(days=step * i))
    return registry.runs()


def test_a_step_is_found_and_dated(registry, tmp_path):
    found = trend_of(
        series(registry, tmp_path, [0.9, 0.95, 0.9, 0.9, 0.95, 0.6, 0.65, 0.6, 0.6, 0.65])
    )
    assert found.significant
    assert found.points[found.change.index].period == "2024-W24"
    assert found.change.index == 5
    assert found.change.before == pytest.approx(0.92)
    assert found.change.after == pytest.approx(0.62)
    assert "level changed at 2024-W24" in found.notes[0]


def test_noise_is_no_step(registry, tmp_path):
    values = [0.9, 0.8, 0.85, 0.9, 0.8, 0.9, 0.85, 0.8, 0.9, 0.85]
    found = trend_of(series(registry, tmp_path, values))
    assert not found.significant
    assert "no clear change" in found.notes[0]


def test_change_point_by_hand():
    found = change_point([1, 1, 1, 1, 0, 0, 0, 0], permutations=5000)
    # 2 of the C(8, 4) = 70 arrangements are as good: p = 0.0286.
    assert (found.index, found.before, found.after) == (4, 1.0, 0.0)
    assert found.p_value == pytest.approx(2 / 70, abs=0.01)
    assert change_point([1, 1, 1, 1, 0, 0, 0, 0], seed=1) == change_point(
        [1, 1, 1, 1, 0, 0, 0, 0], seed=1
    )


@pytest.mark.parametrize("values", [[], [1.0] * 20, [1, 0, 1, 0, 1, 0, 1]])
def test_too_short_or_flat(values):
    assert change_point(values) is None


def test_one_outlier_is_no_level():
    found = change_point([0.9, 0.91, 0.9, 0.89, 0.9, 0.91, 0.9, 0.1])
    assert found.index <= 6
    assert found.p_value > 0.05


def test_change_point_refuses_nan():
    with pytest.raises(ConfigError):
        change_point([math.nan] * 9)


def test_periods_pool_records_by_their_number(registry, tmp_path):
    registry.add(write(tmp_path / "a.jsonl", [scored(f"a{i}", [("x", S)]) for i in range(3)]),
                 name="n", at=AT)  # fmt: skip
    registry.add(write(tmp_path / "b.jsonl", [scored("b", [("x", U)])]), name="n",
                 at=AT + timedelta(days=1))  # fmt: skip
    week = trend_of(registry.runs())
    assert [(p.period, p.mean, p.n, p.runs) for p in week.points] == [("2024-W19", 0.75, 4, (1, 2))]
    assert [p.period for p in trend_of(registry.runs(), by="day").points] == [
        "2024-05-06",
        "2024-05-07",
    ]
    assert [p.period for p in trend_of(registry.runs(), by="month").points] == ["2024-05"]
    assert week.notes == ["1 periods: a change point needs 8"]


def test_another_model_is_said(registry, tmp_path):
    found = trend_of(
        series(registry, tmp_path, [0.9] * 3, info=lambda i: INFO | {"config_hash": str(i // 2)})
    )
    assert any("model or configuration changed at 2024-W21" in n for n in found.notes)


def test_trend_of_a_group_and_errors(two):
    assert trend_of(two.runs(), group="b").points[0].mean == 1.0
    with pytest.raises(ConfigError, match="'fluency'"):
        trend_of(two.runs(), measure="fluency")
    with pytest.raises(ConfigError, match="'year'"):
        trend_of(two.runs(), by="year")


def test_png(two, tmp_path):
    trend = trend_of(two.runs(), by="day")
    if importlib.util.find_spec("matplotlib") is None:
        with pytest.raises(MissingExtraError, match="calibration"):
            write_png(trend, tmp_path / "t.png")
    else:
        write_png(trend, tmp_path / "t.png")
        assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")


def test_png_without_matplotlib(two, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match="matplotlib"):
        write_png(trend_of(two.runs()), tmp_path / "t.png")


# -- the command --------------------------------------------------------------------------------


@pytest.fixture
def call(tmp_path):
    def run(name, *args):
        return CliRunner().invoke(
            command, [name, *map(str, args), "--db", str(tmp_path / "c.sqlite")]
        )

    return run


def test_command_from_end_to_end(call, tmp_path):
    a, b = write(tmp_path / "a.jsonl", MONDAY), write(tmp_path / "b.jsonl", TUESDAY)
    assert isinstance(call("list").exception, InputError)
    done = call("add", a, "--name", "mon", "--at", "2024-05-06T02:00Z", "--group", "meta.version")
    assert done.output == "run 1 (mon): 4 rows, coverage 75.0%, faithfulness 0.8333\n"
    assert call("add", b, "--name", "tue", "--at", "2024-05-14", "--json").exit_code == 0
    assert "mon" in call("list").output
    shown = call("show", "mon").output
    assert "meta.version = b" in shown
    assert "refusal 1" in shown
    assert json.loads(call("show", "1", "--json").output)["at"] == "2024-05-06T02:00:00+00:00"
    out = tmp_path / "d.jsonl"
    compared = call("compare", "mon", "tue", "-o", out)
    assert "worse 1" in compared.output
    assert "claims supported -> contradicted: 1" in compared.output
    assert [json.loads(x)["id"] for x in out.read_text().splitlines()] == ["q1", "q2", "q3"]
    assert isinstance(call("compare", "mon", "tue", "-o", out).exception, OutputExistsError)
    assert json.loads(call("compare", "1", "2", "--json").output)["matched"] == 3
    trend = json.loads(call("trend", "--by", "week", "--json").output)
    assert [p["period"] for p in trend["points"]] == ["2024-W19", "2024-W20"]
    assert "2024-W19" in call("trend").output
    assert call("delete", "mon", "--yes").output == "deleted run 1\n"


def test_command_refuses_times(call, tmp_path):
    a = write(tmp_path / "a.jsonl", MONDAY)
    assert isinstance(call("add", a, "--name", "x", "--at", "yesterday").exception, ConfigError)


def test_comparing_takes_linear_time(two):
    """The second run's records are found by their id, not by going through all of them."""
    from nli_faith.runs.compare import _JOIN

    plan = two.db.execute("EXPLAIN QUERY PLAN " + _JOIN, (2, 1, 1, 2)).fetchall()
    second = [row[3] for row in plan if row[3].startswith("SEARCH b ")]
    assert second == ["SEARCH b USING INDEX records_by_id (run=? AND record=?)"]
