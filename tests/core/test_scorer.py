"""The scorer's promises, on a backend whose numbers can be worked out by hand."""

from __future__ import annotations

import math
import random
import threading

import pytest

from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Label, Record, Status
from nli_faith.errors import ConfigError, RecordError
from nli_faith.inference import RunStats
from nli_faith.scorer import FaithfulnessScorer

from .fakes import CharBackend


def scorer(backend: CharBackend | None = None, **options) -> FaithfulnessScorer:
    backend = backend or CharBackend()
    return FaithfulnessScorer(
        backend, thresholds=backend.thresholds, config=ScorerConfig(**options)
    )


CONTEXTS = ("整机保修两年，自购买之日起计算。电池保修一年。", "门店每天九点开门，晚上八点关门。")


def test_a_backed_claim_is_supported_with_its_evidence():
    r = scorer().score({"id": 1, "answer": "电池保修一年。", "contexts": CONTEXTS})
    assert (r.id, r.status, r.score) == ("1", Status.SCORED, 1.0)
    e = r.claims[0].evidence
    assert CONTEXTS[e.context][e.start : e.end] == e.text == "电池保修一年。"


def test_an_invented_claim_is_not():
    r = scorer().score({"answer": "经理赠送鲜花蛋糕给顾客。", "contexts": CONTEXTS})
    assert r.score == 0.0
    assert r.claims[0].label is Label.UNSUPPORTED


def test_a_negated_claim_is_contradicted():
    r = scorer().score({"answer": "门店每天九点不开门。", "contexts": CONTEXTS})
    assert r.claims[0].label is Label.CONTRADICTED
    assert r.claims[0].contradiction > 0.6


def test_offsets_are_into_the_answer():
    answer = "您好！\n电池保修一年。整机保修三个世纪。"
    r = scorer().score({"answer": answer, "contexts": CONTEXTS})
    assert [answer[c.start : c.end] for c in r.claims] == [c.text for c in r.claims]
    assert [s.kind.value for s in r.non_claims] == ["greeting"]


@pytest.mark.parametrize(
    ("answer", "contexts", "status"),
    [
        ("", CONTEXTS, Status.EMPTY_ANSWER),
        (" \n\t", CONTEXTS, Status.EMPTY_ANSWER),
        ("😀😀", CONTEXTS, Status.NO_CLAIMS),
        ("您好！", CONTEXTS, Status.NO_CLAIMS),
        ("电池保修一年。", [], Status.NO_CONTEXT),
        ("电池保修一年。", ["", None, "  "], Status.NO_CONTEXT),
        ("根据现有资料，无法确定价格。", CONTEXTS, Status.REFUSAL),
        (None, CONTEXTS, Status.EMPTY_ANSWER),
    ],
)
def test_what_cannot_be_scored_is_not_measured(answer, contexts, status):
    r = scorer().score({"answer": answer, "contexts": contexts})
    assert r.status is status
    assert math.isnan(r.score)


def test_without_context_no_claim_is_supported():
    r = scorer().score({"answer": "电池保修一年。", "contexts": []})
    assert [c.label for c in r.claims] == [Label.UNSUPPORTED]
    assert r.pairs_scored == 0


def test_a_bare_string_is_one_context():
    text = CONTEXTS[0]
    a = scorer().score({"id": "x", "answer": "电池保修一年。", "contexts": text})
    b = scorer().score({"id": "x", "answer": "电池保修一年。", "contexts": [text]})
    assert a == b


def test_more_context_never_takes_support_away():
    answer = "电池保修一年。整机保修两年。"
    alone = scorer().score({"answer": answer, "contexts": CONTEXTS})
    more = scorer().score(
        {"answer": answer, "contexts": [*CONTEXTS, "电池不保修一年。", *["无关的背景。"] * 200]}
    )
    assert alone.score == more.score == 1.0
    assert any(c.conflict for c in more.claims)


def test_evidence_behind_a_long_context_is_found():
    context = "无关的背景介绍。" * 400 + "保修期为两年。"
    r = scorer().score({"answer": "保修期为两年。", "contexts": [context]})
    assert r.score == 1.0
    assert r.claims[0].evidence.start == len("无关的背景介绍。") * 400
    assert not r.truncated


def test_a_premise_longer_than_the_model_is_read_in_pieces():
    context = "甲" * 150 + "电池保修一年" + "乙" * 150
    r = scorer(CharBackend(max_length=64)).score(
        {"answer": "电池保修一年。", "contexts": [context]}
    )
    assert r.claims[0].support > 0.8
    assert not r.truncated


def test_a_claim_longer_than_the_model_is_said_to_be_cut():
    answer = "甲乙丙丁戊己庚辛壬癸" * 12
    r = scorer(CharBackend(max_length=64)).score({"answer": answer, "contexts": [answer]})
    assert r.truncated


def records(n: int, seed: int = 5) -> list[Record]:
    rng = random.Random(seed)
    parts = [
        "整机保修两年。",
        "电池保修一年。",
        "门店九点开门。",
        "您可以凭发票退货。",
        "运费由买家承担。",
    ]
    return [
        Record(
            id=str(i),
            answer="".join(rng.sample(parts, rng.randint(0, 4))),
            contexts=tuple("".join(rng.sample(parts, 3)) * rng.randint(1, 9) for _ in range(rng.randint(0, 4))),
        )
        for i in range(n)
    ]  # fmt: skip


def test_results_come_in_input_order_and_do_not_depend_on_their_company():
    rows = records(60)
    s = scorer()
    together = list(s.score_records(rows))
    assert [r.id for r in together] == [r.id for r in rows]
    assert together == [s.score(r) for r in rows]
    shuffled = rows[::-1]
    assert list(s.score_records(shuffled))[::-1] == together


@pytest.mark.parametrize(
    "options",
    [{"chunk_records": 1}, {"chunk_records": 7}, {"chunk_chars": 50}, {"batch_tokens": 64}],
)
def test_chunks_and_batches_change_nothing(options):
    rows = records(30)
    expected = [r.to_dict() for r in scorer().score_records(rows)]
    assert [r.to_dict() for r in scorer(**options).score_records(rows)] == expected


def test_tokenizers_that_need_the_whole_text_get_it():
    rows = records(20)
    expected = [r.to_dict() for r in scorer().score_records(rows)]
    whole = scorer(CharBackend(concat_safe=False))
    assert [r.to_dict() for r in whole.score_records(rows)] == expected


def test_each_text_is_tokenised_once_and_each_pair_run_once():
    backend = CharBackend()
    rows = [Record(id=str(i), answer="电池保修一年。", contexts=CONTEXTS) for i in range(20)]
    stats = RunStats()
    list(scorer(backend).score_records(rows, stats=stats))
    assert len(backend.encoded) == len(set(backend.encoded))
    assert stats.pairs_requested == 20 * stats.pairs_run
    assert stats.pairs_unique == stats.pairs_run


def test_memory_is_bounded_by_a_chunk():
    seen = []

    def stream():
        for i in range(1000):
            seen.append(i)
            yield Record(id=str(i), answer="电池保修一年。", contexts=CONTEXTS)

    results = scorer(chunk_records=10).score_records(stream())
    next(results)
    assert len(seen) == 10


def test_one_poisoned_row_does_not_end_the_run():
    class Poison(str):
        def strip(self, *_):
            raise ValueError("poison")

    rows = [*records(3), Record(id="bad", answer=Poison("甲"), contexts=CONTEXTS), *records(3)]
    results = list(scorer().score_records(rows))
    assert [r.status is Status.ERROR for r in results] == [False] * 3 + [True] + [False] * 3
    assert results[3].id == "bad"
    assert "poison" in results[3].error
    assert math.isnan(results[3].score)


def test_an_unreadable_mapping_is_an_error_result_in_a_stream():
    good = {"id": "a", "answer": "电池保修一年。", "contexts": CONTEXTS}
    results = list(scorer().score_records([good, {"id": "b", "contexts": []}, good]))
    assert [r.status for r in results] == [Status.SCORED, Status.ERROR, Status.SCORED]
    assert results[1].id == "b"
    assert "answer" in results[1].error


def test_an_unreadable_mapping_alone_raises():
    with pytest.raises(RecordError, match="answer"):
        scorer().score({"contexts": []})


def test_eight_threads_share_a_scorer():
    rows = records(40)
    s = scorer()
    expected = [r.to_dict() for r in s.score_records(rows)]
    failures: list[object] = []

    def work():
        got = [r.to_dict() for r in s.score_records(rows)]
        if got != expected:
            failures.append(got)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_fast_mode_scores_one_pair_a_claim():
    r = scorer(mode="fast").score(
        {"answer": "整机保修两年，自购买之日起计算。", "contexts": [c * 5 for c in CONTEXTS]}
    )
    assert r.pairs_scored == 1
    assert r.claims[0].evidence.text == "整机保修两年，自购买之日起计算。"
    assert r.pairs_possible > 10


def test_quantities_can_be_turned_off():
    record = {"answer": "该项目投资500万元。", "contexts": ["该项目投资800万元，共500天。"]}
    on = scorer().score(record).claims[0]
    off = scorer(quantities=False).score(record).claims[0]
    assert on.capped
    assert any("500万元" in f and "800万元" in f for f in on.flags)
    assert on.label is not Label.SUPPORTED
    assert not off.capped
    assert off.flags == ()
    assert on.nli_support == off.nli_support


def test_config_hash_follows_what_can_change_a_verdict():
    base = scorer().info.config_hash
    assert scorer(batch_tokens=128, chunk_records=3).info.config_hash == base
    for option in (
        {"mode": "fast"},
        {"top_k": 7},
        {"quantities": False},
        {"support_threshold": 0.9},
    ):
        assert scorer(**option).info.config_hash != base


@pytest.mark.parametrize(
    ("option", "quoted"),
    [
        ({"mode": "quick"}, "'quick'"),
        ({"top_k": 0}, "0"),
        ({"support_threshold": 1.5}, "1.5"),
        ({"aggregation": "sum"}, "'sum'"),
        ({"granularity": "word"}, "'word'"),
        ({"batch_tokens": True}, "True"),
    ],
)
def test_bad_options_are_quoted(option, quoted):
    with pytest.raises(ConfigError, match=quoted):
        scorer(**option)


def test_clauses():
    r = scorer(granularity="clause").score(
        {"answer": "整机保修两年；电池保修九年。", "contexts": CONTEXTS}
    )
    assert len(r.claims) == 2


def test_a_records_bare_string_is_one_context():
    r = scorer().score(Record(id="1", answer="电池保修一年。", contexts=CONTEXTS[0]))
    assert r.score == 1.0
    assert r.claims[0].evidence.context == 0


@pytest.mark.parametrize("kwargs", [{"answer": None}, {"answer": "甲。", "contexts": [1]}])
def test_a_record_of_wrong_types_is_refused(kwargs):
    with pytest.raises(RecordError, match="not"):
        Record(id="1", **kwargs)


@pytest.mark.parametrize("item", [None, 5, "text", ["a"]])
def test_what_is_no_record_is_an_error_result(item):
    good = {"id": "a", "answer": "电池保修一年。", "contexts": CONTEXTS}
    results = list(scorer().score_records([item, good]))
    assert [r.status for r in results] == [Status.ERROR, Status.SCORED]
    with pytest.raises(RecordError):
        scorer().score(item)


def test_what_a_failing_source_gave_before_is_scored():
    def source():
        yield from records(5)
        raise OSError("disk gone")

    results = scorer().score_records(source())
    assert [r.id for r in (next(results) for _ in range(5))] == ["0", "1", "2", "3", "4"]
    with pytest.raises(OSError, match="disk gone"):
        next(results)


@pytest.mark.parametrize(
    "options",
    [
        {"threads": "2"},
        {"cache": "pairs.db"},
        {"config": {"mode": "fast"}},
        {"speed": 1},
        {"prefilter": "no"},
    ],
)
def test_from_pretrained_quotes_what_it_cannot_use(options):
    with pytest.raises(ConfigError, match=str(next(iter(options)))):
        FaithfulnessScorer.from_pretrained("bundled", **options)


def test_an_error_while_planning_or_judging_is_that_records_own(monkeypatch):
    s = scorer()
    plan = s._preparer.plan

    def failing(prepared, count):
        if prepared.record.id == "2":
            raise ZeroDivisionError("planning")
        plan(prepared, count)

    monkeypatch.setattr(s._preparer, "plan", failing)
    rows = [Record(id=str(i), answer="电池保修一年。", contexts=CONTEXTS) for i in range(4)]
    results = list(s.score_records(rows))
    assert [r.status is Status.ERROR for r in results] == [False, False, True, False]
    assert results[3].score == 1.0
