"""The shared robustness cases that concern the scorer, on the bundled model."""

from __future__ import annotations

import json
import math
import threading
from pathlib import Path

import pytest

from nli_faith import FaithfulnessScorer

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "robust.jsonl"

pytestmark = pytest.mark.skipif(
    not CASES.exists(), reason="the folder `shared` with the cases is not beside the repository"
)


def cases(call: str) -> list[dict]:
    if not CASES.exists():
        return []
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [r for r in rows if r["input"]["call"] == call]


@pytest.fixture(scope="module")
def scorer() -> FaithfulnessScorer:
    return FaithfulnessScorer.from_pretrained("bundled", threads=2)


def contexts(value):
    if isinstance(value, str):
        return value
    return ["".join(x["repeat"] * x["times"] if isinstance(x, dict) else x for x in value)]


# The cases call a refusal an abstention.
STATUS = {"abstention": "refusal"}


@pytest.mark.parametrize("case", cases("score"), ids=lambda c: c["id"])
def test_score(case, scorer):
    given, expected = case["input"], case["expected"]
    result = scorer.score(
        {"id": "x", "answer": given["answer"], "contexts": contexts(given["context"])}
    )
    if "status" in expected:
        assert result.status.value == STATUS.get(expected["status"], expected["status"])
        assert math.isnan(result.score)
    if "label" in expected:
        assert [c.label.value for c in result.claims] == [expected["label"]]
        assert not result.truncated
    if "same_as" in expected:
        other = {"id": "x", "answer": given["answer"], "contexts": expected["same_as"]["context"]}
        assert result == scorer.score(other)


@pytest.mark.parametrize("case", cases("threads"), ids=lambda c: c["id"])
def test_threads(case, scorer):
    rows = [
        {"id": str(i), "answer": "电池保修一年。" * (i % 3 + 1), "contexts": ["整机保修两年。电池保修一年。" * (i + 1)]}
        for i in range(6)
    ]  # fmt: skip
    expected = [r.to_dict() for r in scorer.score_records(rows)]
    errors: list[object] = []

    def work():
        try:
            assert [r.to_dict() for r in scorer.score_records(rows)] == expected
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(case["input"]["n"])]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(errors) == case["expected"]["errors"], errors


@pytest.mark.parametrize("case", cases("batch_invariance"), ids=lambda c: c["id"])
def test_batch_invariance(case, scorer):
    rows = [
        {"id": p, "answer": "保修期为两年零三个月。", "contexts": [p]}
        for p in case["input"]["pairs"]
    ]
    alone = [scorer.score(r) for r in rows]
    for n in case["input"]["batch_sizes"]:
        many = list(scorer.score_records(rows * n))
        for a, b in zip(alone * n, many, strict=True):
            for c, d in zip(a.claims, b.claims, strict=True):
                assert abs(c.support - d.support) <= 1e-5
                assert c.label is d.label
