"""The review without a browser: log, access, agreement, and files for the next commands."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nli_faith.calibration.collect import collect
from nli_faith.errors import ConfigError, OutputError, OutputExistsError
from nli_faith.review import ReviewServer, VerdictStore, export_verdicts, load_queue, overview
from nli_faith.review.app import ReviewApp
from nli_faith.review.raters import settle
from nli_faith.review.store import ConflictError, check_name
from nli_faith.triage import merge, triage
from tests.cli.conftest import run  # noqa: F401
from tests.report.make import record, result, write

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def store(tmp_path):
    with VerdictStore(tmp_path / "v.sqlite") as found:
        yield found


@pytest.fixture
def queue(tmp_path):
    """Three claims of two records: supported, contradicted; unsupported."""
    return load_queue(write(tmp_path / "q.jsonl", [result("a"), result("b", ("unsupported",))]))


def judge(store, queue, reviewer, *verdicts):
    """Give verdicts on the queue's claims in order; None leaves one out."""
    for place, verdict in enumerate(verdicts):
        if verdict is not None:
            row, claim = queue.items[place]
            store.add(
                uid=f"{reviewer}{place}{verdict}",
                record=queue.rows[row].key,
                n=claim + 1,
                reviewer=reviewer,
                verdict=verdict,
            )


# -- the log ---------------------------------------------------------------------------------


def test_latest_verdict_counts_and_all_are_kept(store):
    one = store.add(
        uid="1", record="r", n=1, reviewer="lin", verdict="supported", note="看了", base=0
    )
    two = store.add(uid="2", record="r", n=1, reviewer="lin", verdict="unsure", base=one.seq)
    store.add(uid="3", record="r", n=1, reviewer="wang", verdict="contradicted", base=0)
    assert [(v.reviewer, v.verdict) for v in store.current()] == [
        ("lin", "unsure"),
        ("wang", "contradicted"),
    ]
    assert [v.seq for v in store.current("lin", since=one.seq)] == [two.seq]
    store.add(uid="4", record="r", n=1, reviewer="lin", verdict="", base=two.seq)
    assert [v.reviewer for v in store.current()] == ["wang"]
    assert [v.verdict for v in store.current("lin", since=two.seq)] == [""]  # tabs learn of it
    rows = (
        sqlite3.connect(store.path)
        .execute("SELECT verdict, note FROM review_log ORDER BY seq")
        .fetchall()
    )
    assert rows == [("supported", "看了"), ("unsure", ""), ("contradicted", ""), ("", "")]


def test_what_is_sent_again_is_not_stored_again(store):
    first = store.add(uid="1", record="r", n=1, reviewer="lin", verdict="supported", base=0)
    assert store.add(uid="1", record="r", n=1, reviewer="lin", verdict="supported", base=0) == first
    assert store.last() == 1


def test_another_tab_in_between_is_told(store):
    now = store.add(uid="1", record="r", n=1, reviewer="lin", verdict="supported", base=0)
    with pytest.raises(ConflictError) as found:
        store.add(uid="2", record="r", n=1, reviewer="lin", verdict="unsure", base=0)
    assert found.value.current == now
    assert store.last() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdict": "maybe"},
        {"n": 0},
        {"uid": ""},
        {"note": "x" * 4001},
        {"reviewer": " "},
        {"reviewer": "a\nb"},
        {"reviewer": "x" * 61},
    ],
)
def test_impossible_verdicts_are_refused(store, wrong):
    with pytest.raises(ConfigError):
        store.add(
            **{
                "uid": "1",
                "record": "r",
                "n": 1,
                "reviewer": "lin",
                "verdict": "supported",
                **wrong,
            }
        )
    assert store.last() == 0


def test_names_of_people_are_names():
    assert check_name("王芳 (2)") == "王芳 (2)"
    with pytest.raises(ConfigError, match=r"'a\\u202eb'"):
        check_name("a\u202eb")


def test_other_databases_are_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE t (x)")
    other.commit()
    with pytest.raises(OutputError, match="something else"):
        VerdictStore(path)
    assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("t",)]
    (tmp_path / "text.sqlite").write_text("this is no database, though it is a file" * 100)
    with pytest.raises(OutputError, match=r"text\.sqlite"):
        VerdictStore(tmp_path / "text.sqlite")


def test_two_processes_write_one_log(store):
    code = (
        "import sys; from nli_faith.review import VerdictStore\n"
        "with VerdictStore(sys.argv[1]) as s:\n"
        "    for i in range(50): s.add(uid=f'{sys.argv[2]}{i}', record=f'r{i}', n=1, reviewer=sys.argv[2], verdict='supported', base=0)\n"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, store.path, who], cwd=ROOT)
        for who in ("lin", "wang")
    ]
    assert [p.wait(120) for p in both] == [0, 0]
    assert len(store.current()) == 100


def test_acknowledged_verdicts_survive_kill(tmp_path):
    code = (
        "import sys; from nli_faith.review import VerdictStore\n"
        "s = VerdictStore(sys.argv[1])\n"
        "for i in range(10**6):\n"
        "    s.add(uid=str(i), record=f'r{i}', n=1, reviewer='lin', verdict='supported', base=0)\n"
        "    print(i, flush=True)\n"
    )
    path = tmp_path / "v.sqlite"
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    for line in writer.stdout:
        if int(line) >= 20:
            break
    writer.send_signal(signal.SIGKILL)
    told = 20 + len(writer.stdout.read().split())
    writer.wait(10)
    writer.stdout.close()
    with VerdictStore(path) as store:
        assert told < len(store.current()) <= told + 2  # every one that was told, perhaps one more


# -- the queue -------------------------------------------------------------------------------


def test_a_triage_queue_asks_for_its_doubtful_claims(tmp_path):
    scored = write(
        tmp_path / "s.jsonl",
        [result("good", ("supported",)), result("a"), result("b", ("unsupported",))],
    )
    triage(scored, tmp_path / "queues")
    queue = load_queue(tmp_path / "queues")  # the folder means its human.jsonl
    assert [(queue.rows[r].result.id, c) for r, c in queue.items] == [("a", 1)]
    assert queue.rows[0].reasons == {1: "contradicted"}
    assert len(load_queue(tmp_path / "queues" / "judge.jsonl").items) == 1
    assert len(load_queue(scored).items) == 4  # what `score` wrote: every claim
    assert {r.key for r in queue.rows} < {r.key for r in load_queue(scored).rows}  # the same keys


def test_contexts_come_from_the_records_that_fit(tmp_path):
    found = [result("same", ("supported",)), result("same", ("unsupported",)), result("gone")]
    rows = [
        record(found[0], question="一"),
        record(found[1], question="二"),
        record(found[2], answer="与此无关的另一个答案，而且长得多得多。"),
    ]
    queue = load_queue(
        write(tmp_path / "q.jsonl", found), records=write(tmp_path / "r.jsonl", rows)
    )
    assert [row.record and row.record.question for row in queue.rows] == ["一", "二", None]


def test_a_queue_without_claims_says_so(tmp_path):
    with pytest.raises(ConfigError, match="holds no claim to review: line 1: "):
        load_queue(write(tmp_path / "q.jsonl", [{"id": "x"}]))


def test_redacted_queues_show_and_export_masks(tmp_path, store):
    found = result("a", ("supported",), meta={"tel": "13812345678"})
    queue = load_queue(write(tmp_path / "q.jsonl", [found]), redact=True,
                       records=write(tmp_path / "r.jsonl", [record(found, question="13812345678")]))  # fmt: skip
    app = ReviewApp(queue, store)
    assert app.item(0, "lin")["question"] == "***********"
    judge(store, queue, "lin", "supported")
    export_verdicts(queue, store, tmp_path / "out.jsonl")
    assert b"13812345678" not in (tmp_path / "out.jsonl").read_bytes()


# -- agreement -------------------------------------------------------------------------------


def test_agreement_of_two_reviewers(store, queue):
    judge(store, queue, "lin", "supported", "contradicted", "unsupported")
    judge(store, queue, "wang", "supported", "unsupported", "unsure")
    found = overview(queue, store.current())
    (table,) = found.tables
    # Two claims decided by both: S/S and C/U. Three labels: observed 1/2, expected (1*1)/4 = 1/4.
    assert (table.n, table.observed) == (2, 0.5)
    assert table.kappa == pytest.approx((1 / 2 - 1 / 4) / (1 - 1 / 4))
    assert table.two_way().kappa == 1.0
    assert found.done == {"lin": 3, "wang": 3}
    assert found.unsure == {"wang": 1}
    assert found.disputed == [1]
    assert [(t.second, t.agreed, t.n) for t in found.with_model] == [("lin", 3, 3), ("wang", 1, 2)]


def test_settling():
    assert settle(["supported", "supported", "unsupported"]) == "supported"
    assert settle(["supported", "unsupported"]) == "unsure"
    assert settle(["unsure", "contradicted"]) == "contradicted"
    assert settle(["unsure"]) == "unsure"


def test_others_are_told_after_ones_own_verdict(store, queue):
    app = ReviewApp(queue, store)
    judge(store, queue, "wang", "unsupported")
    assert app.item(0, "lin")["others"] == []
    judge(store, queue, "lin", "supported")
    assert [v["reviewer"] for v in app.item(0, "lin")["others"]] == ["wang"]


def test_blind_review_tells_nothing_of_the_model(store, queue):
    told = json.dumps(ReviewApp(queue, store, blind=True).item(1, "lin"))
    assert "contradicted" not in told
    assert "0.95" not in told
    assert "quantity_mismatch" not in told
    state = ReviewApp(queue, store, blind=True).state("lin")
    assert {i["label"] for i in state["items"]} == {None}


# -- export ----------------------------------------------------------------------------------


def test_export_is_read_by_triage_merge_and_calibrate(tmp_path, store):
    scored = write(tmp_path / "s.jsonl", [result(f"r{i}") for i in range(3)])
    triage(scored, tmp_path / "queues")
    queue = load_queue(tmp_path / "queues")
    judge(store, queue, "lin", "contradicted", "supported", "supported")
    judge(store, queue, "wang", None, "supported", "unsupported")
    out = tmp_path / "reviewed.jsonl"
    done = export_verdicts(queue, store, out)
    assert (done.records, done.claims, done.unsure, done.disputed) == (3, 3, 1, 1)
    report = merge(tmp_path / "queues", [out], tmp_path / "merged.jsonl")
    assert report.bad == []
    assert report.verdicts["human"] == 3
    assert report.unsure["human"] == 1
    finals = [
        json.loads(line)["claims"][1]["final"]
        for line in (tmp_path / "merged.jsonl").open(encoding="utf-8")
    ]
    assert finals == ["contradicted", "supported", "contradicted"]  # the tie leaves the model's
    labelled = collect(out, label_field="human")
    assert sorted(s.gold.value for s in labelled.samples) == ["contradicted", "supported"]
    with pytest.raises(OutputExistsError):
        export_verdicts(queue, store, out)
    done = export_verdicts(queue, store, out, reviewer="wang", overwrite=True)
    assert done.claims == 2


def test_export_leaves_strangers_out(tmp_path, store, queue):
    store.add(uid="x", record="r0000009-00000000", n=1, reviewer="lin", verdict="supported")
    judge(store, queue, "lin", "supported")
    done = export_verdicts(queue, store, tmp_path / "o.jsonl")
    assert (done.claims, done.strangers) == (1, 1)
    (row,) = [json.loads(line) for line in (tmp_path / "o.jsonl").open(encoding="utf-8")]
    assert row["claims"][0]["verdict"] == "supported"
    assert row["claims"][0]["reviews"][0]["reviewer"] == "lin"
    assert "verdict" not in row["claims"][1]


# -- access ----------------------------------------------------------------------------------


@pytest.fixture
def server(store, queue):
    found = ReviewServer(ReviewApp(queue, store, reviewer="lin"), port=0)
    thread = threading.Thread(target=found.serve, daemon=True)
    thread.start()
    yield found
    found.stop()
    thread.join(10)


def ask(server, method="GET", path="/api/agreement", body=None, token=True, **headers):
    """Status, headers and body of an answer; a header given as None is not sent."""
    sent = {
        "Host": f"127.0.0.1:{server.port}",
        "Origin": f"http://127.0.0.1:{server.port}",
        "Content-Type": "application/json",
    }
    if token:
        sent["Cookie"] = f"{server.access.cookie}={server.access.token if token is True else token}"
    sent.update({k.replace("_", "-"): v for k, v in headers.items()})
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        data = (
            body
            if isinstance(body, bytes)
            else json.dumps(body).encode()
            if body is not None
            else b""
        )
        if method == "POST" and "Content-Length" not in sent:
            sent["Content-Length"] = str(len(data))
        for name, value in sent.items():
            if value is not None:
                link.putheader(name, value)
        link.endheaders(data)
        answer = link.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        link.close()


def verdict(server, **more):
    row = server.app.queue.rows[0]
    return {
        "uid": "u1",
        "key": row.key,
        "n": 1,
        "reviewer": "lin",
        "verdict": "supported",
        "note": "",
        "base": 0,
        **more,
    }


def test_link_gives_a_cookie_and_no_one_else_comes_in(server):
    assert server.url.startswith(f"http://127.0.0.1:{server.port}/?token=")
    assert len(server.access.token) >= 40
    status, headers, _ = ask(
        server, path="/?token=" + server.access.token, token=False, Origin=None
    )
    assert (status, headers["Location"]) == (303, "/")
    assert "HttpOnly" in headers["Set-Cookie"]
    assert "SameSite=Strict" in headers["Set-Cookie"]
    status, headers, body = ask(server, path="/", Origin=None)
    assert status == 200
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "DENY"
    assert server.access.token.encode() not in body
    assert "电池".encode() not in body  # no record in the page itself


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/state?reviewer=lin",
        "/api/item?place=0",
        "/api/agreement",
        "/api/export",
        "/nowhere",
        "/favicon.ico",
    ],
)
@pytest.mark.parametrize(
    "wrong",
    [{"token": False}, {"token": "x" * 43}, {"token": ""}, {"Host": "evil.example"}, {"Host": "127.0.0.1:1"}, {"Host": None},
     {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}],
)  # fmt: skip
def test_every_address_checks_token_host_and_origin(server, path, wrong):
    status, _, body = ask(server, path=path, **wrong)
    assert status == 403
    assert "电池".encode() not in body


@pytest.mark.parametrize(
    "wrong",
    [
        {"token": False},
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": None},
    ],
)
def test_writing_needs_all_of_it_too(server, wrong):
    assert ask(server, "POST", "/api/verdict", verdict(server), **wrong)[0] == 403
    assert server.app.store.last() == 0


def test_verdict_is_kept_before_it_is_acknowledged(server):
    status, _, body = ask(server, "POST", "/api/verdict", verdict(server, note="好"))
    assert status == 200
    rows = (
        sqlite3.connect(server.app.store.path)
        .execute("SELECT verdict, note FROM review_log")
        .fetchall()
    )
    assert rows == [("supported", "好")]
    assert json.loads(body)["saved"]["seq"] == 1
    status, _, body = ask(server, "POST", "/api/verdict", verdict(server, uid="u2"))
    assert (status, json.loads(body)["current"]["seq"]) == (409, 1)


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{broken", 400), (b"[]", 400), (b"\xff\xfe", 400), ({"n": "1"}, 400), ({"verdict": 5}, 400), ({"key": "gone"}, 400),
     ({"n": 99}, 400), ({"n": True}, 400), ({"reviewer": ""}, 400), (b"x" * (64 * 1024 + 1), 413)],
)  # fmt: skip
def test_bad_verdicts_are_answered_not_kept(server, body, status):
    body = verdict(server, **body) if isinstance(body, dict) else body
    assert ask(server, "POST", "/api/verdict", body)[0] == status
    assert server.app.store.last() == 0


def test_bad_requests_are_answered(server):
    assert ask(server, path="/api/item?place=99&reviewer=lin")[0] == 400
    assert ask(server, path="/api/item?place=-1&reviewer=lin")[0] == 400
    assert ask(server, path="/api/state?reviewer=")[0] == 400
    assert ask(server, path="/../../etc/passwd")[0] == 404
    assert ask(server, "POST", "/api/verdict", verdict(server), Content_Type="text/plain")[0] == 415
    assert ask(server, "POST", "/api/verdict", b"", Content_Length="-1")[0] == 411
    assert ask(server, "DELETE", "/api/verdict")[0] == 501
    assert ask(server)[0] == 200


def test_only_loopback_is_listened_on(server):
    assert server._http.server_address[0] == "127.0.0.1"
    with pytest.raises(OutputError, match=f"port {server.port}"):
        ReviewServer(server.app, port=server.port)


# -- the command -----------------------------------------------------------------------------


def test_command_exports_and_tells_agreement(run, tmp_path):  # noqa: F811
    path = write(tmp_path / "q.jsonl", [result("a"), result("b", ("unsupported",))])
    queue = load_queue(path)
    with VerdictStore(f"{path}.review.sqlite") as store:
        judge(store, queue, "lin", "supported", "contradicted", "unsupported")
        judge(store, queue, "wang", "supported", "unsupported", "unsure")
    done = run("review", path, "--agreement", "--lang", "en")
    assert done.code == 0
    assert "lin × wang\n  supported or not: agree on 2 / 2 (100.0%), Cohen's kappa 1.00" in done.out
    assert "three labels: agree on 1 / 2 (50.0%), Cohen's kappa 0.33" in done.out
    assert "model × lin" in done.out
    out = tmp_path / "out.jsonl"
    done = run("review", path, "--export", out, "--lang", "en")
    assert (done.code, done.err) == (0, "")
    assert "reviewed: 3 / 3" in done.out
    assert len(out.read_text().splitlines()) == 2
    assert run("review", path, "--export", out).code == 2
    assert run("review", tmp_path / "none.jsonl", "--agreement").code == 2
    assert run("review", path, "--reviewer", "a\tb", "--agreement").code == 2


def test_command_serves_until_it_is_interrupted(tmp_path):
    path = write(tmp_path / "q.jsonl", [result("a")])
    server = subprocess.Popen(
        [sys.executable, "-m", "nli_faith", "review", str(path), "--no-browser", "--port", "0", "--lang", "en"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    lines = [server.stdout.readline() for _ in range(4)]
    assert lines[0] == "claims to review: 2\n"
    assert "http://127.0.0.1:" in lines[2]
    assert str(path) in lines[3]
    server.send_signal(signal.SIGINT)
    _, err = server.communicate(timeout=20)
    assert (server.returncode, err) == (0, "")
