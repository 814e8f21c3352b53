"""How results look in a terminal. Labels are told apart by sign and word, not by colour alone."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from typing import IO

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from nli_faith.datamodels import Label, Status, Thresholds
from nli_faith.results import FaithfulnessResult
from nli_faith.summary import RunSummary, worst_claim
from nli_faith.verdicts import ClaimResult, Evidence

_STYLE = {
    Label.SUPPORTED: ("✓", "green"),
    Label.CONTRADICTED: ("✗", "red"),
    Label.UNSUPPORTED: ("?", "yellow"),
}
_WORDS = {
    "en": {
        "supported": "supported",
        "contradicted": "contradicted",
        "unsupported": "unsupported",
        "faithfulness": "faithfulness",
        "not measured": "not measured",
        "evidence": "evidence",
        "nearest": "nearest",
        "against": "against",
        "context": "context",
        "support": "support",
        "contradiction": "contradiction",
        "claims": "claims",
        "of": "of",
        "worst": "Worst records",
        "records": "records",
        "scored": "scored",
        "coverage": "coverage (scored / all)",
        "mean": "mean faithfulness on scored",
        "rejected": "rejected rows",
        "pairs": "pairs scored / possible",
        "second": "second model: claims / pairs",
        "resumed": "scored by an earlier run",
        "truncated": "records with a claim cut to fit",
        "dropped": "blank or non-string contexts dropped",
        "conflict": "contradiction is above its threshold too, and no lower than support",
        "flag": "flag",
        "joined": "passages read together",
        "not judged": "not judged",
    },
    "zh": {
        "supported": "有依据",
        "contradicted": "与材料矛盾",
        "unsupported": "材料未支持",
        "faithfulness": "忠实度",
        "not measured": "未计分",
        "evidence": "依据",
        "nearest": "最近的材料",
        "against": "相反的材料",
        "context": "材料",
        "support": "支持",
        "contradiction": "矛盾",
        "claims": "论断",
        "of": "/",
        "worst": "得分最低的记录",
        "records": "记录",
        "scored": "已计分",
        "coverage": "覆盖率（已计分/全部）",
        "mean": "已计分记录的平均忠实度",
        "rejected": "被拒绝的行",
        "pairs": "计算的句对 / 全部句对",
        "second": "第二个模型：论断 / 句对",
        "resumed": "此前已计分",
        "truncated": "有论断被截短的记录",
        "dropped": "丢弃的空白或非文本材料",
        "conflict": "矛盾概率也超过阈值，且不低于支持概率",
        "flag": "标记",
        "joined": "处材料合读",
        "not judged": "未判定",
        "refusal": "拒答",
        "no_claims": "没有论断",
        "no_context": "没有材料",
        "empty_answer": "空答案",
        "error": "出错",
        "question": "问句",
        "greeting": "寒暄",
        "heading": "标题",
        "lead_in": "引导语",
        "code": "代码",
        "status": "状态",
    },
}


def words(lang: str) -> Mapping[str, str]:
    """Interface words.

    Args:
        lang: ``zh``, ``en``, or ``auto`` for the locale's.
    """
    if lang == "auto":
        locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
        lang = "zh" if locale.lower().startswith("zh") else "en"
    return _WORDS[lang]


def console(stream: IO[str] | None = None) -> Console:
    """A console on stdout, or on another stream."""
    return Console(file=stream or sys.stdout, highlight=False, soft_wrap=False)


def percent(value: float) -> str:
    """``93.5%``, or a dash for NaN."""
    return "—" if math.isnan(value) else f"{value:.1%}"


def render_result(
    result: FaithfulnessResult, lang: str = "auto", question: str | None = None
) -> Group:
    """One record with every claim, its verdict and its evidence.

    Args:
        result: The result.
        lang: ``zh``, ``en`` or ``auto``.
        question: Shown above, if known.
    """
    say = words(lang)
    parts: list[Text | Group] = [_headline(result, say)]
    if question:
        parts.append(Text(f"Q: {question}", style="dim"))
    for claim in result.claims:
        if result.status is Status.SCORED:
            parts.append(_claim(claim, result.thresholds, say))
        else:
            parts.append(Text(f"  · [{say['not judged']}] {claim.text}", style="dim"))
    for segment in result.non_claims:
        kind = say.get(segment.kind.value, segment.kind.value)
        parts.append(Text(f"  · [{kind}] {segment.text}", style="dim"))
    if result.error:
        parts.append(Text(f"  {result.error}", style="red"))
    return Group(*parts)


def _headline(result: FaithfulnessResult, say: Mapping[str, str]) -> Text:
    text = Text(f"{result.id}  ", style="bold")
    if result.status is not Status.SCORED:
        why = say.get(result.status.value, result.status.value)
        return text.append(f"{say['not measured']} ({why})", style="yellow")
    counts = result.label_counts
    style = "green" if result.score == 1 else "yellow" if result.score >= 0.5 else "red"
    text.append(f"{say['faithfulness']} {result.score:.2f}", style=style)
    text.append(
        f"  ({counts['supported']} {say['of']} {len(result.claims)} {say['claims']} "
        f"{say['supported']})",
        style="dim",
    )
    return text


def _beside(value: float, threshold: float | None) -> str:
    """A probability with the threshold it is held against: ``0.41 < 0.52``."""
    if threshold is None or math.isnan(value):
        return "—" if math.isnan(value) else f"{value:.2f}"
    # "0.37 < 0.37" would look like a mistake: as many digits as tell the two apart.
    digits = next((d for d in (2, 3, 4) if round(value, d) != round(threshold, d)), 2)
    sign = "≥" if value >= threshold else "<"
    return f"{value:.{digits}f} {sign} {threshold:.{digits}f}"


def _claim(claim: ClaimResult, limits: Thresholds | None, say: Mapping[str, str]) -> Group:
    sign, style = _STYLE[claim.label]
    lines = [
        Text(f"  {sign} ", style=style).append(claim.text, style="bold"),
        Text(
            f"    {say[claim.label.value]}  {say['support']} "
            f"{_beside(claim.support, limits.support if limits else None)}  {say['contradiction']} "
            f"{_beside(claim.contradiction, limits.contradiction if limits else None)}",
            style=style,
        ),
    ]
    for flag in claim.flags:
        lines.append(Text(f"    {say['flag']}: {flag}", style="magenta"))
    if claim.conflict:
        lines.append(Text(f"    ! {say['conflict']}", style="magenta"))
    title = {
        Label.SUPPORTED: "evidence",
        Label.CONTRADICTED: "against",
        Label.UNSUPPORTED: "nearest",
    }[claim.label]
    if claim.evidence:
        lines.append(_evidence(claim.evidence, say[title], say))
    if claim.conflict and claim.counter_evidence:
        lines.append(_evidence(claim.counter_evidence, say["against"], say))
    return Group(*lines)


def _evidence(evidence: Evidence, title: str, say: Mapping[str, str]) -> Text:
    place = f"{say['context']} {evidence.context + 1} [{evidence.start}:{evidence.end}]"
    more = f" ({len(evidence.spans)} {say['joined']})" if evidence.spans else ""
    text = " ".join(evidence.text.split())
    return Text(f"    {title} · {place}{more}: ", style="dim").append(text, style="italic dim")


def render_summary(summary: RunSummary, lang: str = "auto") -> Group:
    """The table after a run: coverage, mean, counts, and the worst records."""
    say = words(lang)
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    rows: list[tuple[str, str]] = [
        (say["records"], str(summary.records)),
        (say["scored"], str(summary.scored)),
        (say["coverage"], percent(summary.coverage)),
        (say["mean"], "—" if math.isnan(summary.mean_on_scored)
         else f"{summary.mean_on_scored:.4f}"),
    ]  # fmt: skip
    for label in Label:
        rows.append((f"  {say[label.value]}", str(summary.label_counts[label.value])))
    for status, n in summary.statuses.items():
        if n and status != Status.SCORED.value:
            rows.append((f"  {say.get('status', 'status')} {say.get(status, status)}", str(n)))
    for name, n in (
        ("rejected", summary.rejected),
        ("resumed", summary.resumed),
        ("truncated", summary.truncated),
        ("dropped", summary.dropped_contexts),
    ):
        if n:
            rows.append((say[name], str(n)))
    rows.append((say["pairs"], f"{summary.pairs_scored} / {summary.pairs_possible}"))
    if summary.pairs_second is not None:
        rows.append((say["second"], f"{summary.claims_second} / {summary.pairs_second}"))
    for name, value in rows:
        table.add_row(name, value)
    parts: list[Table | Text | Group] = [table]
    if summary.worst:
        parts.append(Text(f"\n{say['worst']}", style="bold"))
        for result in summary.worst:
            claim = worst_claim(result)
            parts.append(Text(f"{result.id}  {result.score:.2f}", style="bold"))
            if claim:
                parts.append(_claim(claim, result.thresholds, say))
    return Group(*parts)
