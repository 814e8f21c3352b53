import json

import pytest
from click.testing import CliRunner

from nli_faith.cli.triage import triage, triage_merge
from nli_faith.errors import OutputExistsError
from tests.triage.make import ABSENT, GOOD, WRONG, result, write_scored


def run(command, *args):
    done = CliRunner().invoke(command, [str(a) for a in args])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.fixture
def scored(tmp_path):
    rows = [result(GOOD, id="a"), result(ABSENT, id="b"), result(WRONG, id="c")]
    return write_scored(tmp_path / "scored.jsonl", rows)


def test_triage_and_merge(scored, tmp_path):
    records = tmp_path / "records.jsonl"
    rows = [{"id": i, "question": f"问{i}", "answer": "甲。", "contexts": []} for i in "abc"]
    records.write_text("\n".join(json.dumps(r) for r in rows), encoding="utf-8")
    out = tmp_path / "q"
    done = run(triage, scored, "--out", out, "--records", records, "--lang", "zh", "--model", "j")
    assert done.exit_code == 0
    assert "交裁判模型" in done.output
    request = json.loads((out / "judge_requests.jsonl").read_text(encoding="utf-8"))
    assert request["body"]["model"] == "j"
    assert "问b" in request["body"]["messages"][1]["content"]
    with pytest.raises(OutputExistsError):
        run(triage, scored, "--out", out)
    verdict = {"key": request["custom_id"], "n": 1, "verdict": "unsupported", "rater": "judge"}
    (tmp_path / "v.jsonl").write_text(json.dumps(verdict) + "\n{bad\n", encoding="utf-8")
    done = run(triage_merge, out, tmp_path / "v.jsonl", "-o", tmp_path / "m.jsonl", "--lang", "en")
    assert done.exit_code == 3
    assert "agree on 1 / 1 (100.0%)" in done.output
    assert "kappa —" in done.output
    assert "v.jsonl:2" in done.output
    assert len((tmp_path / "m.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_json_and_rejects(scored, tmp_path):
    scored.write_text(scored.read_text(encoding="utf-8") + "{x\n", encoding="utf-8")
    done = run(triage, scored, "--out", tmp_path / "q", "--json", "--human", "1", "--accept", "0")
    assert done.exit_code == 3
    summary = json.loads(done.output)
    assert summary["bands"] == {"accept": 1, "judge": 2, "human": 0}
    assert summary["rejected"] == 1
