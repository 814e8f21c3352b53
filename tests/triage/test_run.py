import csv
import io
import json

import pytest

from nli_faith.datamodels import Status
from nli_faith.errors import ConfigError, ModelIntegrityError, NliFaithError, OutputExistsError
from nli_faith.profiles import Profile
from nli_faith.triage import TriageRules, triage
from nli_faith.triage import run as run_module
from nli_faith.triage.prompts import VERDICT_TOKENS, request_tokens
from nli_faith.triage.run import record_key
from nli_faith.triage.sheet import column_of, escape, unescape
from tests.triage.make import ABSENT, CONFLICT, GOOD, NEAR, WRONG, claim, result, write_scored


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sheet(path):
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


@pytest.fixture
def scored(tmp_path):
    return write_scored(
        tmp_path / "scored.jsonl",
        [
            result(GOOD, id="ok"),
            result(GOOD, NEAR, CONFLICT, id="doubt"),
            result(WRONG, ABSENT, id="bad"),
            result(id="no", status=Status.REFUSAL),
            result(id="gone", status=Status.ERROR, error="ValueError: x"),
        ],
    )


def test_three_queues_and_nothing_lost(scored, tmp_path):
    out = tmp_path / "q"
    summary = triage(scored, out, questions={"doubt": "保修多久？"})
    ids = {band: [r["id"] for r in lines(out / f"{band}.jsonl")] for band in summary.bands}
    assert ids == {"accept": ["ok", "no"], "judge": ["doubt"], "human": ["bad", "gone"]}
    assert summary.bands == {"accept": 2, "judge": 1, "human": 2}
    row = lines(out / "judge.jsonl")[0]
    original = lines(scored)[1]
    assert {k: v for k, v in row.items() if k != "triage"} == original
    assert row["triage"]["claims"] == [
        {"claim": 1, "band": "judge", "reason": "near_threshold"},
        {"claim": 2, "band": "judge", "reason": "conflict"},
    ]
    assert json.loads((out / "summary.json").read_text(encoding="utf-8")) == summary.to_dict()
    assert summary.reasons == {"near_threshold": 1, "conflict": 1, "contradicted": 1,
                               "unsupported": 1, "refusal": 1, "error": 1}  # fmt: skip


def test_only_doubtful_claims_of_the_judges_band_are_asked(scored, tmp_path):
    out = tmp_path / "q"
    summary = triage(scored, out, questions={"doubt": "保修多久？"}, judge_model="j")
    (request,) = lines(out / "judge_requests.jsonl")
    text = request["body"]["messages"][1]["content"]
    assert "[2] 论断" in text
    assert "[3] 论断" in text
    assert "[1] 论断" not in text
    assert "保修多久？" in text
    assert request["custom_id"] == lines(out / "judge.jsonl")[0]["triage"]["key"]
    assert (summary.calls, summary.judged_claims, summary.all_calls) == (1, 2, 3)
    assert summary.tokens == request_tokens(request) + 2 * VERDICT_TOKENS
    assert summary.tokens_saved == summary.all_tokens - summary.tokens > 0


def test_sheets_are_for_people(scored, tmp_path):
    out = tmp_path / "q"
    triage(scored, out)
    rows = sheet(out / "human.csv")
    assert [column_of(t) for t in rows[0]][:3] == ["key", "n", "id"]
    assert rows[0][-2:] == ["判定", "备注"]
    assert [r[1] for r in rows[1:]] == ["1", "2", ""]
    assert rows[1][6] == "不提供保修。"
    assert rows[3][6] == "ValueError: x"
    triage(scored, out, sheet_lang="en", overwrite=True)
    assert sheet(out / "accept.csv")[0][-2:] == ["verdict", "note"]


def test_cells_are_no_formulas(tmp_path):
    evil = claim('=HYPERLINK("http://x","y")', 0.1, evidence="@SUM(A1)\n+2")
    scored = write_scored(tmp_path / "s.jsonl", [result(evil, id="-1+1")])
    triage(scored, tmp_path / "q")
    row = sheet(tmp_path / "q" / "judge.csv")[1]
    assert row[2] == "'-1+1"
    assert row[6].startswith("'=HYPERLINK")
    assert row[10].startswith("'@SUM")


@pytest.mark.parametrize(
    "cell", ["=1", "+1", "-1", "@a", "\t=1", "\r1", " =1", "＝1", "'quoted", "\u3000-x"]
)
def test_escaping_is_undone(cell):
    assert escape(cell) == "'" + cell
    assert unescape(escape(cell)) == cell


@pytest.mark.parametrize("cell", ["", "保修", "1-2", "a=b", "“引”"])
def test_ordinary_cells_stay(cell):
    assert escape(cell) == cell


def test_existing_files_are_refused_and_untouched(scored, tmp_path):
    out = tmp_path / "q"
    triage(scored, out)
    before = (out / "accept.jsonl").read_bytes()
    with pytest.raises(OutputExistsError, match=r"accept\.jsonl.*--overwrite"):
        triage(scored, out, rules=TriageRules(accept=1))
    assert (out / "accept.jsonl").read_bytes() == before
    triage(scored, out, rules=TriageRules(accept=1), overwrite=True)
    assert (out / "accept.jsonl").read_bytes() != before
    assert not list(out.glob("*.partial"))


def test_bad_lines_are_listed_and_the_rest_goes_on(scored, tmp_path):
    text = scored.read_text(encoding="utf-8")
    scored.write_text('{"id": 1}\n{oops\n' + text + '{"id":"x","status":"scored","claims":[],'
                      '"label_counts":{}}\n', encoding="utf-8")  # fmt: skip
    summary = triage(scored, tmp_path / "q")
    assert (summary.records, summary.rejected) == (5, 3)
    rejects = lines(tmp_path / "q" / "rejects.jsonl")
    assert [r["line"] for r in rejects] == [1, 2, 8]
    assert "no result row of `score`: no claims" in rejects[0]["reason"]
    assert rejects[1]["raw"] == "{oops"
    write_scored(scored, [result(GOOD)])
    triage(scored, tmp_path / "q", overwrite=True)
    assert not (tmp_path / "q" / "rejects.jsonl").exists()


def test_a_failure_leaves_nothing_behind(tmp_path):
    other = tmp_path / "x.jsonl"
    other.write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"no result row.*line 1"):
        triage(other, tmp_path / "q")
    assert not list((tmp_path / "q").iterdir())
    with pytest.raises(NliFaithError):
        triage(tmp_path / "none.jsonl", tmp_path / "q")


def test_a_profile_judges_first(scored, tmp_path):
    strict = Profile("p", "m", "a" * 64, 0.95, 0.5)
    summary = triage(scored, tmp_path / "q", profile=strict)
    assert summary.bands["accept"] == 1
    row = lines(tmp_path / "q" / "judge.jsonl")[0]
    assert row["thresholds"]["calibrated_on"] == f"profile {strict.id}"
    with pytest.raises(ModelIntegrityError):
        triage(scored, tmp_path / "q2", profile=Profile("p", "m", "b" * 64, 0.5, 0.5))


def test_batch_files_are_parted(tmp_path, monkeypatch):
    monkeypatch.setattr(run_module, "MAX_REQUESTS", 2)
    scored = write_scored(tmp_path / "s.jsonl", [result(ABSENT, id=str(i)) for i in range(5)])
    out = tmp_path / "q"
    summary = triage(scored, out)
    names = ["judge_requests.jsonl", "judge_requests.2.jsonl", "judge_requests.3.jsonl"]
    assert summary.request_files == names
    assert [len(lines(out / n)) for n in names] == [2, 2, 1]
    write_scored(scored, [result(ABSENT)])
    triage(scored, out, overwrite=True)
    assert sorted(p.name for p in out.glob("judge_requests*")) == ["judge_requests.jsonl"]


def test_equal_ids_have_different_keys(tmp_path):
    scored = write_scored(tmp_path / "s.jsonl", [result(ABSENT), result(ABSENT)])
    triage(scored, tmp_path / "q")
    keys = [r["triage"]["key"] for r in lines(tmp_path / "q" / "judge.jsonl")]
    assert len(set(keys)) == 2
    assert all(len(k) <= 64 for k in keys)


def test_private_things_are_masked_in_every_file(tmp_path):
    private = claim("请致电13812345678联系门店。", 0.1, evidence="电话13812345678，邮箱a@b.cn。")
    scored = write_scored(tmp_path / "s.jsonl", [result(private, id="13812345678")])
    out = tmp_path / "q"
    triage(scored, out, questions={"13812345678": "13812345678是谁？"}, redact=True)
    row = lines(out / "judge.jsonl")[0]
    assert row["id"] == "13812345678"
    assert row["claims"][0]["text"] == "请致电***********联系门店。"
    (request,) = lines(out / "judge_requests.jsonl")
    assert "13812345678" not in json.dumps(request)
    cells = sheet(out / "judge.csv")[1]
    assert not any("13812345678" in c for c in [*cells[:2], *cells[3:]])
    assert row["triage"]["key"] == record_key(1, lines(scored)[0])
