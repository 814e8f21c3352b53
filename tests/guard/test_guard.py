import asyncio
import json
import math
import threading

import pytest
from click.testing import CliRunner

from nli_faith import FaithfulnessScorer, Record
from nli_faith.cli.guard import guard as command
from nli_faith.datamodels import Label, Status
from nli_faith.errors import ConfigError, OutputExistsError
from nli_faith.guard import (
    Action,
    GuardPolicy,
    StreamGuard,
    aguard,
    aguard_stream,
    guard,
    guard_records,
    guard_stream,
)
from tests.core.fakes import CharBackend

MATERIAL = ["整机保修期限为两年。", "电池保修期限为一年。七天内可以无条件退款。"]
GOOD = "整机保修期限为两年。电池保修期限为一年。"
BAD = "门店每逢周末都提供上门取件。"


@pytest.fixture(scope="module")
def scorer():
    backend = CharBackend()
    return FaithfulnessScorer(backend, thresholds=backend.thresholds)


def test_a_good_answer_passes_unchanged(scorer):
    done = guard(GOOD, MATERIAL, scorer=scorer)
    assert (done.text, done.removed, done.action, done.reason) == (GOOD, (), Action.PASS, "")
    assert done.removed_share == 0
    assert done.result.score == 1


def test_one_bad_sentence_is_stripped(scorer):
    done = guard(GOOD + BAD, MATERIAL, scorer=scorer)
    assert (done.text, done.action) == (GOOD, Action.STRIP)
    assert [c.text for c in done.removed] == [BAD]
    assert done.removed_share == pytest.approx(1 / 3)
    assert done.reason == "1 of 3 claims are not backed by the material"
    json.dumps(done.to_dict())


def test_limits(scorer):
    def act(answer, **policy):
        return guard(answer, MATERIAL, scorer=scorer, policy=GuardPolicy(**policy)).action

    assert act(GOOD + BAD, max_removed=0.33) is Action.REFUSE
    assert act(GOOD + BAD, max_removed=0.34) is Action.STRIP
    assert act(GOOD + BAD, max_removed=0, beyond=Action.HUMAN) is Action.HUMAN
    assert act(BAD, max_removed=1) is Action.REFUSE
    assert act(GOOD, max_removed=0) is Action.PASS
    # 不 in the claim and not in the material contradicts, says the fake model.
    wrong = "七天内不可以无条件退款。"
    assert act(GOOD + wrong) is Action.STRIP
    assert act(GOOD + wrong, max_contradicted=0) is Action.REFUSE
    assert act(GOOD + wrong, max_contradicted=1) is Action.STRIP
    assert act(GOOD + BAD, remove={Label.CONTRADICTED}) is Action.PASS


def test_texts_of_the_user_and_defaults_by_language(scorer):
    policy = GuardPolicy(max_removed=0, refuse_text="请换个问法。")
    assert guard(BAD, MATERIAL, scorer=scorer, policy=policy).text == "请换个问法。"
    assert guard(BAD, MATERIAL, scorer=scorer).text.startswith("根据现有材料")
    english = guard("Shops pick things up on Sunday.", MATERIAL, scorer=scorer)
    assert english.text.startswith("The available material")
    human = guard(BAD, MATERIAL, scorer=scorer, policy=GuardPolicy(beyond="human"))
    assert human.text.startswith("这个问题需要人工")


@pytest.mark.parametrize(
    ("answer", "contexts", "action"),
    [
        (GOOD, [], Action.REFUSE), (GOOD, ["  "], Action.REFUSE), ("", MATERIAL, Action.REFUSE),
        ("无法确定。", MATERIAL, Action.PASS), ("您好！", MATERIAL, Action.PASS),
    ],
)  # fmt: skip
def test_answers_without_a_score(scorer, answer, contexts, action):
    done = guard(answer, contexts, scorer=scorer)
    assert done.action is action
    assert math.isnan(done.result.score)
    assert done.text == answer if action is Action.PASS else done.text != answer


def test_unscored_is_up_to_the_policy(scorer):
    policy = GuardPolicy(unscored={Status.NO_CONTEXT: Action.PASS})
    assert guard(GOOD, [], scorer=scorer, policy=policy).text == GOOD
    assert policy.unscored[Status.ERROR] is Action.HUMAN


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"remove": {"supported"}}, "supported claims are not removed"),
        ({"remove": {"x"}}, "'x'"), ({"max_removed": 1.5}, "1.5"), ({"max_removed": True}, "True"),
        ({"max_contradicted": -1}, "-1"), ({"beyond": "strip"}, "'strip'"),
        ({"beyond": "shout"}, "'shout'"),
    ],
)  # fmt: skip
def test_bad_policies(options, words):
    with pytest.raises(ConfigError, match=words):
        GuardPolicy(**options)


def test_a_bare_string_is_one_chunk(scorer):
    assert guard(GOOD, "".join(MATERIAL), scorer=scorer).action is Action.PASS


def test_records_in_order(scorer):
    records = [Record(str(i), GOOD if i % 2 else GOOD + BAD, tuple(MATERIAL)) for i in range(7)]
    done = list(guard_records(iter(records), scorer=scorer))
    assert [d.result.id for d in done] == [str(i) for i in range(7)]
    assert [d.action.value for d in done] == ["strip", "pass"] * 3 + ["strip"]


def test_aguard_runs_elsewhere(scorer):
    threads = []
    policy = GuardPolicy()

    class Watched:
        config = scorer.config

        def score(self, record):
            threads.append(threading.current_thread())
            return scorer.score(record)

    async def both():
        return await asyncio.gather(
            *(aguard(a, MATERIAL, scorer=Watched(), policy=policy) for a in (GOOD, GOOD + BAD))
        )

    first, second = asyncio.run(both())
    assert (first.action, second.action) == (Action.PASS, Action.STRIP)
    assert threading.main_thread() not in threads


TEXTS = [
    GOOD + BAD + "七天内可以无条件退款。",
    BAD + "因此，" + GOOD,
    f"根据材料，主要包括：\n1. 整机保修期限为两年。\n2. {BAD}\n3. 七天内可以无条件退款。\n\n此外，{BAD}",
    "# 保修\n\n整机保修期限为两年。\n\n# 服务\n\n" + BAD + "\n\n# 退款\n\n七天内可以无条件退款。\n",
    "整机保修期限为两年。\n\n| 项目 | 期限 |\n|---|---|\n| 电池 | 一年 |\n| 上门 | 每逢周末 |\n\n"
    "七天内可以无条件退款。",
    "**整机保修期限为两年。" + BAD + "**电池保修期限为一年。",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_a_stream_shows_what_a_whole_answer_would(scorer, text, size):
    policy = GuardPolicy(max_removed=1)
    chunks = [text[i : i + size] for i in range(0, len(text), size)]
    shown = "".join(guard_stream(chunks, MATERIAL, policy=policy, scorer=scorer))
    assert shown == guard(text, MATERIAL, policy=policy, scorer=scorer).text


def test_sentences_go_out_as_soon_as_the_next_begins(scorer):
    stream = StreamGuard(MATERIAL, scorer=scorer)
    assert stream.feed("整机保修期限为两年。") == ""
    assert stream.feed("电池保修") == "整机保修期限为两年。"
    assert stream.feed("期限为一年。门") == "电池保修期限为一年。"
    assert stream.feed("店每逢周末都提供上门取件。\n七天内") == ""
    assert stream.finish().strip() == "七天内"
    assert stream.action is Action.STRIP
    assert (stream.claims, len(stream.removed)) == (4, 1)
    claim = stream.removed[0]
    whole = "整机保修期限为两年。电池保修期限为一年。" + BAD
    assert whole[claim.start : claim.end] == BAD


def test_a_stream_of_which_nothing_is_left_gets_the_policys_text(scorer):
    assert list(guard_stream([BAD], MATERIAL, scorer=scorer)) == [
        guard(BAD, MATERIAL, scorer=scorer).text
    ]
    assert next(guard_stream(["", ""], MATERIAL, scorer=scorer)).startswith("根据现有材料")
    none = StreamGuard([], scorer=scorer)
    assert none.feed(GOOD) == ""
    assert none.finish().startswith("根据现有材料")
    assert none.action is Action.REFUSE


def test_what_was_shown_is_not_taken_back_but_the_action_tells(scorer):
    text = "整机保修期限为两年。\n" + (BAD + "\n") * 3
    stream = StreamGuard(MATERIAL, scorer=scorer)
    shown = "".join(stream.feed(c) for c in text) + stream.finish()
    assert shown.strip() == "整机保修期限为两年。"
    assert stream.action is Action.REFUSE


def test_long_streams_stay_linear_and_offsets_right(scorer):
    part = "整机保修期限为两年。" + BAD + "\n\n"
    stream = StreamGuard(MATERIAL, policy=GuardPolicy(max_removed=1), scorer=scorer)
    shown = "".join(stream.feed(part) for _ in range(300)) + stream.finish()
    assert shown.strip() == "\n\n".join(["整机保修期限为两年。"] * 300)
    last = stream.removed[-1]
    assert (part * 300)[last.start : last.end] == BAD
    assert len(stream._text) < 8000


def test_async_stream(scorer):
    async def words():
        for c in GOOD + BAD:
            yield c

    async def run():
        return [t async for t in aguard_stream(words(), MATERIAL, scorer=scorer)]

    parts = asyncio.run(run())
    assert "".join(parts) == GOOD
    assert len(parts) > 1


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setattr("nli_faith.scorer.load_backend", lambda *_, **__: CharBackend())

    def call(*args, stdin=None):
        done = CliRunner().invoke(command, [str(a) for a in args], input=stdin)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return call


def test_command_line(run, tmp_path):
    context = ["-c", MATERIAL[0], "-c", MATERIAL[1]]
    done = run("-a", GOOD + BAD, *context)
    assert (done.exit_code, done.stdout) == (0, GOOD + "\n")
    assert "strip: 1 of 3 claims" in done.stderr
    assert BAD in done.stderr
    done = run("-a", BAD, *context, "--refuse-text", "不答")
    assert (done.exit_code, done.stdout) == (1, "不答\n")
    done = run("--answer-file", "-", *context, "--json", stdin=GOOD)
    assert json.loads(done.stdout)["action"] == "pass"
    done = run("--stream", *context, stdin=GOOD + BAD)
    assert (done.exit_code, done.stdout) == (0, GOOD + "\n")
    assert run(*context).exit_code == 2
    assert run("-a", GOOD, "--stream", *context).exit_code == 2


def test_command_line_on_records(run, tmp_path):
    records = tmp_path / "r.jsonl"
    rows = [{"id": "1", "answer": GOOD + BAD, "contexts": MATERIAL}, {"id": "2"}]
    records.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    out = tmp_path / "g.jsonl"
    done = run(records, "-o", out)
    assert done.exit_code == 3
    assert "1 answers: strip 1" in done.stderr
    assert json.loads(out.read_text(encoding="utf-8"))["text"] == GOOD
    with pytest.raises(OutputExistsError):
        run(records, "-o", out)


def test_redact_masks_what_is_stored_and_shown(run, tmp_path):
    records, out = tmp_path / "r.jsonl", tmp_path / "g.jsonl"
    call = "请拨打4008208820。"
    rows = [{"id": "13812345678", "answer": GOOD + call, "contexts": [*MATERIAL, call]},
            {"id": "2", "answer": GOOD + call, "contexts": MATERIAL}]  # fmt: skip
    records.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert run(records, "-o", out, "--redact").exit_code == 0
    stored = out.read_text(encoding="utf-8")
    assert "4008208820" not in stored
    assert "**********" in stored
    assert json.loads(stored.splitlines()[0])["id"] == "13812345678"
    material = [x for chunk in MATERIAL for x in ("-c", chunk)]
    for more in ((), ("--json",)):
        done = run("-a", GOOD + call, *material, "--redact", *more)
        assert "4008208820" not in done.output
        assert "**********" in done.output
    refused = run("--stream", "--redact", *material)
    assert refused.exit_code == 2
    assert "--redact does not go with --stream" in refused.stderr


def test_the_bundled_model_strips_what_the_material_denies():
    done = guard("整机保修两年。整机保修十年。", ["我们的产品整机保修两年，电池保修一年。"])
    assert done.text == "整机保修两年。"
    assert done.action is Action.STRIP
