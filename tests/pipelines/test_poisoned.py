"""What must not end, empty or stall a job: bad bytes, a missing column, a fork."""

from __future__ import annotations

import os

import pytest

from nli_faith import FaithfulnessScorer
from nli_faith.errors import InputError
from nli_faith.pipelines.columns import score_rows, shared_scorer
from nli_faith.pipelines.frames import score_frame
from tests.core.fakes import CharBackend

ROW = {"answer": "整机保修两年。", "contexts": ["整机保修两年。"]}


@pytest.fixture
def scorer() -> FaithfulnessScorer:
    backend = CharBackend()
    return FaithfulnessScorer(backend, thresholds=backend.thresholds)


def test_text_that_is_not_utf8_costs_its_own_row_alone(scorer):
    arrow = pytest.importorskip("pyarrow")
    from nli_faith.pipelines.arrow import score_table

    good = ROW["answer"].encode()
    answers = arrow.array([good, b"\xff\xfe", good]).view(arrow.string())
    table = arrow.table({"answer": answers, "contexts": [ROW["contexts"]] * 3})
    scored = score_table(table, scorer)
    assert scored["nf_status"].to_pylist() == ["scored", "error", "scored"]
    assert scored["nf_score"].to_pylist() == [1.0, None, 1.0]
    assert "UnicodeDecodeError" in scored["nf_error"][1].as_py()


def test_a_column_that_scoring_does_not_read_is_never_decoded(scorer):
    arrow = pytest.importorskip("pyarrow")
    from nli_faith.pipelines.arrow import score_table

    table = arrow.table(
        {
            "answer": [ROW["answer"]],
            "contexts": [ROW["contexts"]],
            "blob": arrow.array([b"\xff"]).view(arrow.string()),
        }
    )
    scored = score_table(table, scorer)
    assert scored["nf_status"].to_pylist() == ["scored"]
    assert scored["blob"].cast(arrow.binary()).to_pylist() == [b"\xff"]


def test_any_error_of_a_row_stays_in_its_row(scorer):
    class Hostile(dict):
        def __getitem__(self, key):
            raise RuntimeError("no value")

    found = list(score_rows(scorer, [ROW, Hostile(ROW), ROW]))
    assert [row["nf_status"] for row in found] == ["scored", "error", "scored"]
    assert found[1]["nf_error"] == "RuntimeError: no value"


@pytest.mark.parametrize("rows", [0, 2])
def test_a_missing_column_ends_the_job_at_once_and_is_named(scorer, rows):
    arrow = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    from nli_faith.pipelines.arrow import score_table

    table = arrow.table({"reply": ["文"] * rows, "contexts": [["文"]] * rows})
    with pytest.raises(InputError, match="answer"):
        score_table(table, scorer)
    with pytest.raises(InputError, match="answer"):
        score_frame(pd.DataFrame({"reply": ["文"] * rows, "contexts": [["文"]] * rows}), scorer)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_scorer_is_one_a_process_and_not_inherited_by_a_fork(monkeypatch):
    first = shared_scorer("bundled", (("threads", 1),))
    assert shared_scorer("bundled", (("threads", 1),)) is first
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert shared_scorer("bundled", (("threads", 1),)) is not first
