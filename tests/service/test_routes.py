"""Each route's answer is what Python gives for the same record."""

from __future__ import annotations

import pytest

from nli_faith.guard import GuardPolicy, guard_record
from nli_faith.io import coerce_record
from tests.service.conftest import GOOD, HALF, serving


def test_score_is_the_scorers_result(server):
    done = server.post("/v1/score", HALF)
    assert done.status_code == 200
    assert done.json() == server.scorer.score(HALF).to_dict()
    assert done.json()["score"] == 0.5


def test_many_records_come_back_in_order(server):
    rows = [{"id": f"r{i}", **(GOOD if i % 2 else HALF)} for i in range(9)]
    done = server.post("/v1/score", {"records": rows}).json()["results"]
    assert done == [server.scorer.score(r).to_dict() for r in rows]


def test_other_names_and_meta_pass(server):
    row = {"user_input": "保修多久？", "response": "电池保修一年。",
           "retrieved_contexts": ["电池保修一年。"], "tenant": "甲"}  # fmt: skip
    done = server.post("/v1/score", row).json()
    assert done["score"] == 1
    assert done["meta"] == {"tenant": "甲"}


@pytest.mark.parametrize(
    ("answer", "contexts", "status"),
    [
        ("", ["甲。"], "empty_answer"),
        ("无法确定。", ["甲。"], "refusal"),
        ("电池保修一年。", [], "no_context"),
    ],
)
def test_what_cannot_be_scored_has_no_score(server, answer, contexts, status):
    done = server.post("/v1/score", {"answer": answer, "contexts": contexts}).json()
    assert (done["status"], done["score"]) == (status, None)


def test_options_judge_again_without_the_model(server):
    row = {"answer": "电池保修一年。门店提供上门取件服务。", "contexts": ["电池保修一年。"]}
    strict = server.post("/v1/score", {**row, "options": {"aggregation": "min"}}).json()
    assert strict == server.scorer.score(row).rethreshold(aggregation="min").to_dict()
    assert strict["score"] == 0
    low = server.post("/v1/score", {**row, "options": {"support_threshold": 0.01}}).json()
    assert low == server.scorer.score(row).rethreshold(support=0.01).to_dict()
    assert low["thresholds"]["support"] == 0.01


def test_guard_is_the_guards_answer(server):
    policy = {"max_removed": 0.5}
    done = server.post("/v1/guard", {**HALF, "policy": policy}).json()
    record = coerce_record(HALF, default_id="0")
    assert (
        done
        == guard_record(record, policy=GuardPolicy(max_removed=0.5), scorer=server.scorer).to_dict()
    )
    assert (done["action"], done["text"]) == ("strip", "电池保修一年。")


def test_guard_refuses_beyond_the_policy(server):
    policy = {"max_removed": 0.2, "refuse_text": "不便回答。", "unscored": {"refusal": "human"}}
    done = server.post("/v1/guard", {**HALF, "policy": policy}).json()
    assert (done["action"], done["text"]) == ("refuse", "不便回答。")
    done = server.post("/v1/guard", {**HALF, "answer": "无法确定。", "policy": policy}).json()
    assert done["action"] == "human"


def test_explain_says_why_and_shows_where(server):
    done = server.post("/v1/explain", HALF).json()
    assert done["lang"] == "zh"
    assert done["summary"] == "忠实度 0.50：2 条论断中有 1 条得到材料支持。"
    first, second = done["claims"]
    assert first["label_text"] == "有依据"
    assert first["reason"].startswith("支持概率 1.00，达到阈值 0.80；矛盾概率 0.00，低于阈值 0.60")
    assert second["label"] == "unsupported"
    quoted = first["evidence"]
    context = HALF["contexts"][0]
    assert context[quoted["start"] : quoted["end"]] == quoted["quote"]
    assert quoted["before"] + quoted["quote"] + quoted["after"] == context
    assert done["result"] == server.scorer.score(HALF).to_dict()


def test_explain_in_english_and_of_what_has_no_score(server):
    done = server.post("/v1/explain", {**HALF, "options": {"lang": "en"}}).json()
    assert done["summary"] == "Faithfulness 0.50: the material supports 1 of 2 claims."
    done = server.post("/v1/explain", {"answer": "电池保修一年。", "contexts": []}).json()
    assert done["summary"] == "没有计分：没有材料可供核对。"
    assert done["claims"][0]["label"] is None


def test_odd_unicode_comes_back(server):
    raw = b'{"answer": "\\ud800\xe7\x94\xb5\xe6\xb1\xa0\\u0000\xe4\xbf\x9d\xe4\xbf\xae\xe4\xb8\x80\xe5\xb9\xb4\xe3\x80\x82", "contexts": ["\xe7\x94\xb5\xe6\xb1\xa0\xe4\xbf\x9d\xe4\xbf\xae\xe4\xb8\x80\xe5\xb9\xb4\xe3\x80\x82"], "k": "\\udfff"}'
    done = server.client.post(
        "/v1/score", content=raw, headers={"Content-Type": "application/json"}
    )
    assert done.status_code == 200
    assert done.json()["meta"] == {"k": "\udfff"}


def test_probes_and_metrics():
    with serving() as server:
        assert server.client.get("/healthz").json() == {"status": "ok"}
        assert server.client.get("/readyz").json() == {"status": "ready"}
        server.post("/v1/score", HALF)
        server.post("/v1/guard", HALF)
        server.client.get("/a/b?q=机密")
        text = server.client.get("/metrics").text
        assert 'nli_faith_requests_total{route="/v1/score",status="200"} 1.0' in text
        assert 'nli_faith_requests_total{route="other",status="404"} 1.0' in text
        assert 'nli_faith_records_total{status="scored"} 3.0' in text  # with the warm-up's
        assert 'nli_faith_guarded_total{action="strip"} 1.0' in text
        assert "nli_faith_in_flight 0.0" in text
        assert 'model="char"' in text
        assert "机密" not in text


def test_answers_carry_an_id(server):
    done = server.post("/v1/score", HALF, headers={"X-Request-Id": "abc-1"})
    assert done.headers["x-request-id"] == "abc-1"
    made = server.post("/v1/score", HALF, headers={"X-Request-Id": "bad id\\"})
    assert len(made.headers["x-request-id"]) == 16


def test_unknown_paths_and_methods(server):
    done = server.client.get("/nothing")
    assert (done.status_code, done.json()["error"]["code"]) == (404, "no_such_path")
    done = server.client.get("/v1/score")
    assert (done.status_code, done.headers["allow"]) == (405, "POST")
    assert server.client.head("/healthz").status_code == 200
