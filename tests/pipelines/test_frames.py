"""Arrow, pandas, Polars and datasets: the same rows, the same verdicts, nothing lost."""

from __future__ import annotations

import json

import pytest

from nli_faith import FaithfulnessScorer
from nli_faith.errors import ConfigError
from nli_faith.pipelines.columns import names, score_rows
from nli_faith.pipelines.frames import score_frame

ROWS = [
    {"id": "a", "answer": "整机保修两年。", "contexts": ["整机保修两年。"], "n": 1},
    {"id": "b", "answer": "整机保修三年。门店上门取件。", "contexts": ["整机保修两年。"], "n": 2},
    {"id": "c", "answer": "抱歉，无法回答。", "contexts": ["整机保修两年。"], "n": 3},
    {"id": "d", "answer": None, "contexts": ["整机保修两年。"], "n": 4},
    {"id": "e", "answer": "火星有水。", "contexts": [], "n": 5},
]


@pytest.fixture(scope="module")
def scorer() -> FaithfulnessScorer:
    return FaithfulnessScorer.from_pretrained("bundled", threads=1, mode="fast")


@pytest.fixture(scope="module")
def expected(scorer) -> list[dict]:
    return [scorer.score(row) for row in ROWS]


def agrees(rows: list[dict], expected: list, prefix: str = "nf_") -> None:
    assert len(rows) == len(expected)
    for row, result in zip(rows, expected, strict=True):
        assert row[prefix + "status"] == result.status.value
        score = row[prefix + "score"]
        assert (score is None or score != score) == (result.status.value != "scored")
        if result.status.value == "scored":
            assert score == result.score
        assert row[prefix + "supported"] == result.label_counts["supported"]
        assert json.loads(row[prefix + "claims"]) == [c.to_dict() for c in result.claims]


def test_rows(scorer, expected):
    agrees(list(score_rows(scorer, ROWS)), expected)


def test_a_row_that_cannot_be_read_keeps_its_place_and_says_why(scorer, expected):
    rows = [*ROWS[:1], {"id": "x", "answer": 7, "contexts": ["文"]}, {"id": "y"}, *ROWS[1:]]
    found = list(score_rows(scorer, rows))
    agrees([found[0], *found[3:]], expected)
    for row, word in zip(found[1:3], ("answer", "answer"), strict=True):
        assert (row["nf_status"], row["nf_score"], row["nf_claims"]) == ("error", None, "[]")
        assert word in row["nf_error"]


def test_arrow_keeps_columns_and_chunks_and_has_the_declared_schema(scorer, expected):
    arrow = pytest.importorskip("pyarrow")
    from nli_faith.pipelines.arrow import output_schema, score_table

    table = arrow.Table.from_pylist(ROWS)
    table = arrow.concat_tables([table.slice(0, 2), table.slice(2)])
    scored = score_table(table, scorer, prefix="x_")
    agrees(scored.to_pylist(), expected, "x_")
    assert scored.schema.names == [*ROWS[0], *names("x_")]
    assert scored.select(names("x_")).schema.equals(output_schema("x_"))
    assert scored["n"].to_pylist() == [1, 2, 3, 4, 5]
    empty = score_table(table.slice(0, 0), scorer)
    assert empty.num_rows == 0
    assert empty.schema.names == [*ROWS[0], *names("nf_")]


def test_pandas_keeps_index_order_and_dtypes(scorer, expected):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS, index=[10, 7, 7, 3, 99])
    scored = score_frame(frame, scorer)
    assert list(scored.index) == [10, 7, 7, 3, 99]
    assert scored["n"].dtype == frame["n"].dtype
    assert scored["nf_score"].dtype == "float64"
    assert scored["nf_supported"].dtype == "int64"
    agrees(scored.to_dict("records"), expected)
    assert "nf_score" not in frame.columns  # the input is left alone
    assert len(score_frame(frame.iloc[:0], scorer)) == 0


def test_polars(scorer, expected, capfd):
    pl = pytest.importorskip("polars")
    scored = score_frame(pl.DataFrame(ROWS), scorer, progress=True)
    agrees(scored.to_dicts(), expected)
    assert scored.schema["nf_supported"] == pl.Int64
    assert capfd.readouterr().out == ""  # the bar goes to stderr


def test_contexts_as_json_text_and_other_names(scorer, expected):
    pd = pytest.importorskip("pandas")
    rows = [
        {"reply": r["answer"], "docs": json.dumps(r["contexts"], ensure_ascii=False)} for r in ROWS
    ]
    scored = score_frame(
        pd.DataFrame(rows), scorer, columns={"answer": "reply", "contexts": "docs"}
    )
    assert list(scored["nf_status"]) == [e.status.value for e in expected]


def test_a_taken_column_and_a_list_are_refused(scorer):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([{**ROWS[0], "nf_score": 1.0}])
    with pytest.raises(ConfigError, match=r"\['nf_score'\] are there already"):
        score_frame(frame, scorer)
    with pytest.raises(ConfigError, match="not list"):
        score_frame(ROWS, scorer)


def test_datasets_map_with_declared_features(expected):
    datasets = pytest.importorskip("datasets")
    from nli_faith.pipelines.huggingface import BatchScorer, output_features

    dataset = datasets.Dataset.from_list(ROWS)
    scored = dataset.map(
        BatchScorer(threads=1, mode="fast"), batched=True, batch_size=2,
        features=output_features(dataset.features),
    )  # fmt: skip
    agrees(scored.to_list(), expected)


def test_options_for_workers_are_plain_values():
    from nli_faith.pipelines.huggingface import BatchScorer

    with pytest.raises(ConfigError, match="'cache' must be a plain value"):
        BatchScorer(cache=object())
