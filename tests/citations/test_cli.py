import json

import pytest
from click.testing import CliRunner

from nli_faith.cli import cli

TWO, ONE = "整机保修期限为两年", "电池保修期限为一年"


def run(*args):
    return CliRunner().invoke(cli, ["cite", "--threads", "1", *args])


def test_one_answer_goes_to_stdout_and_findings_to_stderr():
    done = run("-a", f"{TWO}。{ONE}[1]。", "-c", f"{ONE}。", "-c", f"{TWO}。")
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{TWO}[2]。{ONE}[1]。\n"
    assert "right 1" in done.stderr
    assert "missing 1" in done.stderr


def test_first_number_and_exit_code():
    args = ("-a", f"{ONE}[0]。", "-c", f"{ONE}。", "--fail-on", "wrong")
    assert run(*args, "--first", "0").exit_code == 0
    assert run(*args).exit_code == 1
    assert run("-a", f"{ONE}。", "-c", f"{ONE}。", "--fail-on", "missing").exit_code == 1


def test_a_file_of_records_in_a_file_of_cited_ones_out(tmp_path):
    rows = [
        {"id": "a", "answer": f"{ONE}。", "contexts": [f"{ONE}。"]},
        {"id": "b", "answer": "", "contexts": ["x"]},
        {"id": "c", "answer": f"{TWO}[1]。", "contexts": [f"{ONE}。", f"{TWO}。"]},
    ]
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(map(json.dumps, rows)) + "\nnot json\n", encoding="utf-8")
    done = run(str(source), "-o", str(out))
    assert done.exit_code == 3, done.output
    got = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [g["id"] for g in got] == ["a", "b", "c"]
    assert [g["text"] for g in got] == [f"{ONE}[1]。", "", f"{TWO}[2]。"]
    assert got[2]["check"]["counts"]["wrong"] == 1
    assert got[0]["result"]["status"] == "scored"


def test_redact_masks_every_text_but_the_id(tmp_path):
    line = "客服电话是4008208820，邮箱是a@b.cn。"
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    row = {"id": "13812345678", "answer": line, "contexts": [line]}
    source.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert run(str(source), "-o", str(out), "--redact").exit_code == 0
    stored = out.read_text(encoding="utf-8")
    assert "4008208820" not in stored
    assert "a@b.cn" not in stored
    got = json.loads(stored)
    assert got["id"] == got["result"]["id"] == "13812345678"
    assert got["text"] == "客服电话是**********，邮箱是*@*.**[1]。"
    for more in ((), ("--json",)):
        done = run("-a", line, "-c", line, "--redact", *more)
        assert "4008208820" not in done.output
        assert "**********" in done.output


@pytest.mark.parametrize("args", [(), ("x.jsonl", "-a", "y")])
def test_one_source_of_answers(args):
    assert run(*args).exit_code == 2
