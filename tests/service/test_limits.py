"""Every limit is kept, and named by the error that it causes."""

from __future__ import annotations

import http.client
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.service.conftest import GOOD, SlowBackend, serving

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def small():
    with serving(
        max_body_bytes=2048, max_records=2, max_contexts=3, max_claims=2, body_timeout_s=0.3
    ) as running:
        yield running


def error_of(done, status: int) -> dict:
    assert done.status_code == status, done.text
    assert done.headers["x-request-id"] == done.json()["request_id"]
    return done.json()["error"]


def test_body_by_its_stated_length(small):
    error = error_of(small.post("/v1/score", {**GOOD, "pad": "x" * 3000}), 413)
    assert error["limit"]["name"] == "max_body_bytes"
    assert error["limit"]["value"] == 2048 < error["limit"]["given"]
    assert "max_body_bytes" in error["message"]


def test_body_by_what_comes(small):
    chunks = (b"x" * 500 for _ in range(50))
    error = error_of(small.client.post("/v1/score", content=chunks, headers=JSON), 413)
    assert error["limit"] == {"name": "max_body_bytes", "value": 2048, "given": None}


def test_body_that_does_not_come(small):
    host = small.url.removeprefix("http://")
    link = http.client.HTTPConnection(host, timeout=5)
    link.putrequest("POST", "/v1/score")
    link.putheader("Content-Type", "application/json")
    link.putheader("Content-Length", "100")
    link.endheaders(b'{"answer"')
    done = link.getresponse()
    assert done.status == 408
    assert b"body_timeout_s" in done.read()
    link.close()


@pytest.mark.parametrize(
    ("body", "name", "given", "where"),
    [
        ({"records": [GOOD] * 3}, "max_records", 3, "records"),
        ({**GOOD, "contexts": ["甲。", None, " ", "乙。"]}, "max_contexts", 4, "contexts"),
        ({**GOOD, "answer": "甲是乙。丙是丁。戊是己。"}, "max_claims", 3, "answer"),
        ({"records": [GOOD, {**GOOD, "contexts": ["甲。"] * 4}]}, "max_contexts", 4, "records[1].contexts"),
    ],
)  # fmt: skip
def test_counts(small, body, name, given, where):
    error = error_of(small.post("/v1/score", body), 422)
    assert (error["code"], error["where"]) == ("limit_exceeded", where)
    assert (error["limit"]["name"], error["limit"]["given"]) == (name, given)
    assert name in error["message"]


def test_at_the_limit_is_served(small):
    body = {"answer": "甲是乙。丙是丁。", "contexts": ["甲。", "乙。", "丙。"]}
    assert small.post("/v1/score", {"records": [body, body]}).status_code == 200


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"{", 400, "bad_json"),
        (b"[1]", 400, "bad_json"),
        (b"\xff\xfe{}", 400, "bad_json"),
        (b"[" * 2000, 400, "bad_json"),
        (b"{}", 422, "bad_record"),
        (b'{"answer": "\xe7\x94\xb2\xe3\x80\x82"}', 422, "bad_record"),
        (b'{"answer": 3, "contexts": []}', 422, "bad_record"),
        (b'{"records": []}', 422, "bad_value"),
        (b'{"records": [3]}', 422, "bad_value"),
        (b'{"records": {}, "answer": "a"}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "options": {"support_threshold": 2}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "options": {"support_threshold": "x"}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "options": {"aggregation": []}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "options": {"lang": {}}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "options": {"nope": 1}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "options": []}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "policy": {"remove": 3}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "policy": {"remove": ["supported"]}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "policy": {"remove": [{}]}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "policy": {"beyond": "strip"}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "policy": {"beyond": {}}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "policy": {"max_contradicted": "1"}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "policy": {"unscored": {"error": "strip"}}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "policy": {"unscored": {"odd": "pass"}}}', 422, "bad_value"),
        (b'{"answer": "a", "contexts": [], "policy": {"refuse_text": 5}}', 422, "bad_value"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(small, content, status, code):
    done = small.client.post("/v1/guard", content=content, headers=JSON)
    assert error_of(done, status)["code"] == code


def test_only_json_is_taken(small):
    done = small.client.post("/v1/score", content=b"{}", headers={"Content-Type": "text/plain"})
    assert error_of(done, 415)["code"] == "not_json"
    done = small.client.post(
        "/v1/score", content=b"{}", headers={**JSON, "Content-Encoding": "gzip"}
    )
    assert error_of(done, 415)["code"] == "encoded_body"


def test_a_late_result_is_a_504_and_its_place_comes_back():
    backend = SlowBackend()
    with serving(backend, timeout_s=0.3) as server:
        backend.open.clear()
        try:
            begun = time.monotonic()
            error = error_of(server.post("/v1/score", GOOD), 504)
            assert time.monotonic() - begun < 5
            assert error["limit"] == {"name": "timeout_s", "value": 0.3, "given": None}
            # The first record is being scored; what waits behind it leaves the queue.
            assert server.post("/v1/score", GOOD).status_code == 504
            assert server.app.service.batcher.waiting == 0
        finally:
            backend.open.set()
        assert server.app.service.in_flight == 0
        time.sleep(0.1)
        assert server.post("/v1/score", GOOD).status_code == 200


def test_one_too_many_is_a_429_with_retry_after():
    backend = SlowBackend()
    with serving(backend, max_in_flight=2) as server, ThreadPoolExecutor(2) as pool:
        backend.open.clear()
        try:
            held = [pool.submit(server.post, "/v1/score", GOOD) for _ in range(2)]
            wait_for(lambda: server.app.service.in_flight == 2)
            done = server.post("/v1/score", GOOD)
            error = error_of(done, 429)
            assert error["limit"] == {"name": "max_in_flight", "value": 2, "given": 3}
            assert 1 <= int(done.headers["retry-after"]) <= 60
            assert server.client.get("/healthz").status_code == 200  # probes still pass
        finally:
            backend.open.set()
        assert [h.result().status_code for h in held] == [200, 200]
        assert server.post("/v1/score", GOOD).status_code == 200
        assert 'refused_total{reason="overloaded"} 1.0' in server.client.get("/metrics").text


def test_a_client_that_leaves_gives_its_place_back():
    backend = SlowBackend()
    with serving(backend) as server, ThreadPoolExecutor(1) as pool:
        backend.open.clear()
        try:
            first = pool.submit(server.post, "/v1/score", GOOD)
            wait_for(lambda: server.app.service.batcher.busy_for() > 0)
            body = b'{"answer": "abc.", "contexts": ["abc."]}'
            link = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
            link.request("POST", "/v1/score", body, JSON)
            wait_for(lambda: server.app.service.batcher.waiting == 1)
            link.close()
            wait_for(lambda: server.app.service.batcher.waiting == 0)
            wait_for(lambda: server.app.service.in_flight == 1)
        finally:
            backend.open.set()
        assert first.result().status_code == 200


def test_not_ready_while_a_batch_hangs():
    backend = SlowBackend()
    with serving(backend, timeout_s=0.1) as server:
        backend.open.clear()
        try:
            assert server.post("/v1/score", GOOD).status_code == 504
            wait_for(lambda: server.client.get("/readyz").status_code == 503)
            assert server.client.get("/readyz").json() == {"status": "stalled"}
            assert server.client.get("/healthz").status_code == 200
        finally:
            backend.open.set()
        wait_for(lambda: server.client.get("/readyz").status_code == 200)


def wait_for(condition, seconds: float = 10.0) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "did not happen in time"
        threading.Event().wait(0.01)
