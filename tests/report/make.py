"""Result rows and records to report on."""

from __future__ import annotations

import json
from pathlib import Path

from nli_faith.datamodels import Label, Segment, SegmentKind, Status, Thresholds
from nli_faith.results import FaithfulnessResult, ScorerInfo
from nli_faith.verdicts import ClaimResult, Evidence

LIMITS = Thresholds(0.5, 0.5)
INFO = ScorerInfo("test-model", "0" * 64, "1" * 16, "0.0")
CONTEXTS = ["整机保修两年。电池保修一年。", "住宿费每晚不超过500元。"]


def claim(text: str, start: int, label: str, **more) -> ClaimResult:
    support = {"supported": 0.9, "contradicted": 0.05, "unsupported": 0.2}[label]
    contradiction = {"supported": 0.05, "contradicted": 0.95, "unsupported": 0.1}[label]
    return ClaimResult(
        text=text, start=start, end=start + len(text), label=Label(label), nli_support=support,
        contradiction=contradiction, overlap=0.5, support=support, **more,
    )  # fmt: skip


def evidence(context: int, text: str, contexts=CONTEXTS) -> Evidence:
    start = contexts[context].index(text)
    return Evidence(context, start, start + len(text), text, (0.1, 0.2, 0.7))


def result(
    id: str = "r1", labels: tuple[str, ...] = ("supported", "contradicted"), **more
) -> FaithfulnessResult:
    """A record that says one sentence for each label."""
    texts = {
        "supported": "电池保修一年。",
        "contradicted": "住宿费每晚800元。",
        "unsupported": "门店提供取件。",
    }
    found = {
        "supported": {"evidence": evidence(0, "电池保修一年。")},
        "contradicted": {"evidence": evidence(1, CONTEXTS[1]), "flags": ("quantity_mismatch:800元!=500元",),
                         "signals": {"joined": -1.5}},
        "unsupported": {"evidence": evidence(0, "整机保修两年。")},
    }  # fmt: skip
    claims, at = [], 0
    for label in labels:
        claims.append(claim(texts[label], at, label, **found[label]))
        at += len(texts[label])
    more = {"thresholds": LIMITS, "scorer": INFO, **more}
    return FaithfulnessResult(id=id, status=Status.SCORED, claims=tuple(claims), **more)


def refusal(id: str = "no") -> FaithfulnessResult:
    other = Segment("无法确定。", 0, 5, kind=SegmentKind.REFUSAL)
    return FaithfulnessResult(
        id=id, status=Status.REFUSAL, non_claims=(other,), thresholds=LIMITS, scorer=INFO
    )


def record(found: FaithfulnessResult, **more) -> dict:
    answer = "".join(c.text for c in found.claims) or "无法确定。"
    return {
        "id": found.id,
        "question": "保修多久？",
        "answer": answer,
        "contexts": CONTEXTS,
        **more,
    }


def write(path: Path, rows) -> Path:
    """JSON lines; lone surrogates as escapes."""
    rows = [r.to_dict() if isinstance(r, FaithfulnessResult) else r for r in rows]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path
