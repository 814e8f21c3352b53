import csv
import json
import math

import pytest

from nli_faith.datamodels import Status
from nli_faith.errors import InputError, OutputExistsError
from nli_faith.triage import Agreement, merge, triage
from nli_faith.triage.agreement import agreements
from tests.triage.make import ABSENT, CONFLICT, GOOD, NEAR, WRONG, result, write_scored


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def queues(tmp_path):
    scored = write_scored(
        tmp_path / "scored.jsonl",
        [
            result(GOOD, id="ok"),
            result(GOOD, NEAR, CONFLICT, id="doubt"),
            result(WRONG, id="bad"),
            result(ABSENT, id="absent"),
            result(id="empty", status=Status.EMPTY_ANSWER),
        ],
    )
    triage(scored, tmp_path / "q")
    return tmp_path / "q"


def key_of(queues, id):
    rows = [r for f in queues.glob("[ahj]*.jsonl") for r in lines(f) if r.get("id") == id]
    return rows[0]["triage"]["key"]


def answer(key, content, status=200):
    if not isinstance(content, str):
        content = json.dumps({"verdicts": content}, ensure_ascii=False)
    body = {"choices": [{"message": {"role": "assistant", "content": content}}]}
    return {"id": "b", "custom_id": key, "error": None,
            "response": {"status_code": status, "body": body}}  # fmt: skip


def write(path, rows):
    text = "\n".join(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in rows)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def test_judge_and_people_come_back(queues, tmp_path):
    doubt, absent = key_of(queues, "doubt"), key_of(queues, "absent")
    batch = write(
        tmp_path / "batch.jsonl",
        [
            answer(doubt, [{"n": 2, "verdict": "supported", "reason": "材料一致"},
                           {"n": 3, "verdict": "矛盾"}]),
            answer(absent, '```json\n{"verdicts": [{"n": "1", "verdict": "Unsupported"}]}\n```'),
        ],
    )  # fmt: skip
    with (queues / "human.csv").open(encoding="utf-8-sig", newline="") as file:
        sheet = list(csv.reader(file))
    for cells in sheet:
        if cells[2] == "bad":
            cells[-2:] = ["有依据", "看过"]
    with (queues / "human.csv").open("w", encoding="gb18030", newline="") as file:  # as Excel does
        csv.writer(file).writerows(sheet)
    out = tmp_path / "merged.jsonl"
    report = merge(queues, [batch, queues / "human.csv"], out)
    rows = {r["id"]: r for r in lines(out)}
    assert list(rows) == ["ok", "doubt", "bad", "absent", "empty"]
    near, conflict = rows["doubt"]["claims"][1:]
    assert (near["label"], near["judge"], near["judge_reason"], near["final"]) == (
        "supported", "supported", "材料一致", "supported")  # fmt: skip
    assert (conflict["label"], conflict["judge"], conflict["final"]) == (
        "supported", "contradicted", "contradicted")  # fmt: skip
    bad = rows["bad"]["claims"][0]
    assert (bad["label"], bad["human"], bad["human_note"]) == ("contradicted", "supported", "看过")
    assert bad["final"] == "supported"
    assert rows["doubt"]["merged"] == {"score": pytest.approx(2 / 3), "claims": 3, "judged": 2}
    assert rows["empty"]["merged"]["score"] is None
    assert "judge" not in rows["ok"]["claims"][0]
    assert (report.records, report.asked, report.open) == (5, 4, 0)
    assert report.verdicts == {"judge": 3, "human": 1}
    assert report.bad == []
    tables = {(t.first, t.second): t for t in report.tables}
    judge = tables["local", "judge"].two_way()
    # Local: yes, yes, no; judge: yes, no, no.
    assert judge.counts == [[1, 1], [0, 1]]
    assert judge.observed == pytest.approx(2 / 3)
    assert judge.kappa == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))
    assert tables["local", "human"].n == 1
    assert ("human", "judge") not in tables


def test_bad_verdicts_are_listed_and_nothing_is_lost(queues, tmp_path):
    doubt, absent = key_of(queues, "doubt"), key_of(queues, "absent")
    batch = write(
        tmp_path / "batch.jsonl",
        [
            "{broken",
            answer(doubt, "I cannot answer"),
            answer(doubt, [{"n": 9, "verdict": "supported"}, {"n": 2, "verdict": "maybe so"},
                           {"verdict": "supported"}, {"n": 3, "verdict": "supported"}]),
            answer("r9999999-00000000", [{"n": 1, "verdict": "supported"}]),
            answer(absent, [], status=500),
            {"custom_id": absent, "response": None, "error": {"code": "expired"}},
            {"n": 1, "verdict": "supported"},
            {"key": absent, "n": 1.5, "verdict": "supported"},
        ],
    )  # fmt: skip
    out = tmp_path / "m.jsonl"
    report = merge(queues, [batch], out)
    assert len(lines(out)) == 5
    assert report.verdicts["judge"] == 1
    listed = lines(tmp_path / "m.jsonl.rejects.jsonl")
    assert len(listed) == len(report.bad) == 10
    said = {b["origin"].rsplit(":", 1)[1]: b["reason"] for b in listed}
    assert "invalid JSON" in said["1"]
    assert "no JSON of the form" in said["2"]
    assert "no record with key 'r9999999" in said["4"]
    assert "status 500" in said["5"]
    assert "expired" in said["6"]
    assert "no 'key'" in said["7"]
    assert "1.5" in said["8"]
    third = [b["reason"] for b in listed if b["origin"].endswith(":3")]
    assert any("3 claims, no number 9" in r for r in third)
    assert any("maybe so" in r for r in third)
    assert any("no claim number" in r for r in third)


def test_later_verdicts_win_and_earlier_ones_are_kept(queues, tmp_path):
    absent = key_of(queues, "absent")
    people = write(
        tmp_path / "p.jsonl",
        [{"key": absent, "n": 1, "verdict": "supported", "note": "一"},
         {"key": absent, "n": 1, "verdict": "unsure"}],
    )  # fmt: skip
    out = tmp_path / "m.jsonl"
    report = merge(queues, [people], out)
    claim = next(r for r in lines(out) if r["id"] == "absent")["claims"][0]
    assert claim["human"] == "unsure"
    assert claim["final"] == "unsupported"  # unsure decides nothing
    assert claim["superseded"][0]["verdict"] == "supported"
    assert (report.superseded, report.unsure["human"]) == (1, 1)
    assert report.tables == []


def test_queue_rows_with_verdicts_in_the_claims(queues, tmp_path):
    rows = lines(queues / "judge.jsonl")
    for row in rows:
        for claim in row["claims"]:
            claim["verdict"] = "否"
    edited = write(tmp_path / "edited.jsonl", rows)
    report = merge(queues, [edited], tmp_path / "m.jsonl")
    assert report.verdicts["human"] == 4


def test_a_record_as_a_whole_can_be_judged(queues, tmp_path):
    people = write(tmp_path / "p.jsonl", [{"key": key_of(queues, "empty"), "verdict": "no"}])
    merge(queues, [people], tmp_path / "m.jsonl")
    row = next(r for r in lines(tmp_path / "m.jsonl") if r["id"] == "empty")
    assert row["human"] == "unsupported"


def test_parts_of_a_request_belong_to_one_record(queues, tmp_path):
    doubt = key_of(queues, "doubt")
    batch = write(tmp_path / "b.jsonl", [answer(f"{doubt}.p2", [{"n": 2, "verdict": "no"}])])
    assert merge(queues, [batch], tmp_path / "m.jsonl").verdicts["judge"] == 1


def test_unusable_inputs(queues, tmp_path):
    with pytest.raises(InputError, match=r"no triage.*human\.jsonl"):
        merge(tmp_path, [], tmp_path / "m.jsonl")
    sheet = tmp_path / "x.csv"
    sheet.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column 'key'; it has a, b"):
        merge(queues, [sheet], tmp_path / "m.jsonl")
    assert not (tmp_path / "m.jsonl").exists()
    merge(queues, [], tmp_path / "m.jsonl")
    with pytest.raises(OutputExistsError):
        merge(queues, [], tmp_path / "m.jsonl")


def test_semicolon_sheets_and_ids_that_excel_spoiled(queues, tmp_path):
    sheet = tmp_path / "x.csv"
    sheet.write_text(f"key;id;n;verdict;note\n{key_of(queues, 'absent')};1E+05;1.0;是;\n;;;;\n",
                     encoding="utf-8-sig")  # fmt: skip
    assert merge(queues, [sheet], tmp_path / "m.jsonl").verdicts["human"] == 1


def test_kappa_by_hand():
    # Cohen's own kind of table: 20 + 15 agree of 50; expected .5.
    table = Agreement("a", "b", ("supported", "not_supported"), [[20, 5], [10, 15]])
    assert (table.n, table.agreed) == (50, 35)
    assert table.kappa == pytest.approx(0.4)
    assert math.isnan(Agreement("a", "b").kappa)
    same = agreements([{"a": "supported", "b": "supported"}] * 3, [("a", "b")])[0]
    assert same.observed == 1
    assert math.isnan(same.kappa)
    assert same.to_dict()["kappa"] is None
