"""Scored rows with figures chosen by hand."""

from __future__ import annotations

import json
import math

from nli_faith.datamodels import Label, Status, Thresholds
from nli_faith.results import FaithfulnessResult, ScorerInfo
from nli_faith.verdicts import ClaimResult, Evidence, judge

LIMITS = Thresholds(0.6, 0.5)
INFO = ScorerInfo("m", "a" * 64, "0" * 16, "0.1")


def claim(
    text="保修两年。",
    support=0.9,
    against=0.1,
    *,
    capped=False,
    flags=(),
    evidence="整机保修两年。",
):
    verdict = judge(support, against, capped, LIMITS)
    quote = Evidence(0, 0, len(evidence), evidence, (support, 0.0, against)) if evidence else None
    return ClaimResult(
        text=text, start=0, end=len(text), label=verdict.label, nli_support=support,
        contradiction=against, overlap=0.5, support=verdict.support, combined=support,
        capped=capped, conflict=verdict.conflict, flags=flags, evidence=quote,
    )  # fmt: skip


def result(*claims, id="1", status=Status.SCORED, truncated=False, error=None):
    return FaithfulnessResult(
        id=id, status=status, claims=claims, thresholds=LIMITS, truncated=truncated, error=error,
        scorer=INFO,
    )  # fmt: skip


GOOD = claim()
NEAR = claim("电池保修一年。", 0.65)
CONFLICT = claim("门店上门取件。", 0.95, 0.97)
MISMATCH = claim("保修36个月。", 0.9, 0.2, capped=True, flags=("quantity_mismatch:36个月!=两年",))
WRONG = claim("不提供保修。", 0.1, 0.9)
WEAK = claim("保修不含电池。", 0.2, 0.6)
ABSENT = claim("门店免费停车。", 0.1, 0.1)


def write_scored(path, results):
    lines = [json.dumps(r.to_dict(), ensure_ascii=False) for r in results]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


__all__ = ["ABSENT", "CONFLICT", "GOOD", "MISMATCH", "NEAR", "WEAK", "WRONG", "Label", "claim",
           "math", "result", "write_scored"]  # fmt: skip
