"""How an evaluation and a lint of a golden set look in a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from nli_faith.cli.language import resolve
from nli_faith.cli.render import percent

if TYPE_CHECKING:
    from nli_faith.evaluation import Aggregator, LintReport, MetricSummary

SHOWN_FINDINGS = 30
_STYLE = {"error": "red", "warning": "yellow", "note": "dim"}
_WORDS = {
    "en": {
        "metric": "metric",
        "mean": "mean",
        "interval": "95% interval",
        "coverage": "coverage",
        "measured": "measured",
        "why": "why not measured (most frequent)",
        "records": "{n} records",
        "rejected": "{n} rows rejected",
        "errors": "{n} records on which a metric failed",
        "by": "By {by}: mean on measured (measured)",
        "group": "group",
        "note": "The mean is over measured records only; a record without a value is not a zero.",
        "clean": "nothing to mend",
        "more": "… and {n} more (-o FILE writes all)",
        "kinds": "questions: {numeric} numeric, {multi_part} multi-part, {time_range} time-range",
    },
    "zh": {
        "metric": "指标",
        "mean": "均值",
        "interval": "95% 区间",
        "coverage": "覆盖率",
        "measured": "已测",
        "why": "未测原因（最多的）",
        "records": "{n} 条记录",
        "rejected": "{n} 行被拒绝",
        "errors": "{n} 条记录上有指标出错",
        "by": "按 {by} 分组：已测记录的均值（已测数）",
        "group": "分组",
        "note": "均值只对已测记录计算；没有值的记录不算零分。",
        "clean": "没有需要修改的地方",
        "more": "……另有 {n} 处（用 -o FILE 写出全部）",
        "kinds": "问题类型：数值 {numeric}，多要点 {multi_part}，时间范围 {time_range}",
    },
}


def render_evaluation(totals: Aggregator, rejected: int, lang: str = "auto") -> Group:
    """The table after a run: mean, interval, coverage a metric; then the groups.

    Args:
        totals: What was added up.
        rejected: Rows that could not be read.
        lang: ``zh``, ``en`` or ``auto``.
    """
    say = _WORDS[resolve(lang)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(say["metric"], no_wrap=True)
    for name in ("mean", "interval", "coverage", "measured"):
        table.add_column(say[name], justify="right", no_wrap=True)
    table.add_column(say["why"], style="dim", overflow="fold")
    for name, s in totals.summaries().items():
        style = "bold" if name == "composite" else None
        why = s.reasons[0] if s.reasons else None
        table.add_row(
            name, _figure(s.mean), _interval(s), percent(s.coverage),
            f"{s.measured}/{s.records}", f"{why[0]} ({why[1]})" if why else "", style=style,
        )  # fmt: skip
    lines = [say["records"].format(n=totals.records)]
    if rejected:
        lines.append(say["rejected"].format(n=rejected))
    if totals.errors:
        lines.append(say["errors"].format(n=totals.errors))
    parts: list[Table | Text] = [Text(" · ".join(lines), style="bold"), table]
    groups = totals.groups()
    if groups:
        parts.append(Text(f"\n{say['by'].format(by=totals.by)}", style="bold"))
        parts.append(_group_table(groups, say))
    parts.append(Text(say["note"], style="dim"))
    return Group(*parts)


def _group_table(
    groups: Mapping[str, Mapping[str, MetricSummary]], say: Mapping[str, str]
) -> Table:
    """Metrics down, groups across; the other way round where the groups are many."""
    names = list(next(iter(groups.values())))
    table = Table(box=None, pad_edge=False, header_style="bold")
    wide = len(groups) <= 5
    table.add_column(say["metric"] if wide else say["group"], no_wrap=True)
    for column in groups if wide else _worth_showing(groups, names):
        table.add_column(Text(column), justify="right")
    if wide:
        for name in _worth_showing(groups, names):
            table.add_row(name, *(_cell(group[name]) for group in groups.values()))
    else:
        for group, summaries in groups.items():
            cells = [_cell(summaries[name]) for name in _worth_showing(groups, names)]
            table.add_row(Text(group), *cells)
    return table


def _worth_showing(
    groups: Mapping[str, Mapping[str, MetricSummary]], names: list[str]
) -> list[str]:
    return [n for n in names if any(group[n].measured for group in groups.values())]


def _cell(s: MetricSummary) -> str:
    return f"{_figure(s.mean)} ({s.measured})" if s.measured else "—"


def _figure(value: float) -> str:
    return "—" if math.isnan(value) else f"{value:.3f}"


def _interval(s: MetricSummary) -> str:
    return "—" if math.isnan(s.low) else f"[{s.low:.3f}, {s.high:.3f}]"


def render_lint(report: LintReport, lang: str = "auto") -> Group:
    """The findings of a golden set, errors first.

    Args:
        report: What was found.
        lang: ``zh``, ``en`` or ``auto``; of the frame, findings are English.
    """
    say = _WORDS[resolve(lang)]
    lines = [say["records"].format(n=report.records)]
    if report.rejected:
        lines.append(say["rejected"].format(n=report.rejected))
    parts: list[Text] = [Text(" · ".join(lines), style="bold")]
    parts.append(Text(say["kinds"].format(**report.kinds), style="dim"))
    if not report.findings:
        return Group(*parts, Text(say["clean"], style="green"))
    parts.append(Text(" · ".join(f"{check} {n}" for check, n in report.counts.items())))
    order = list(_STYLE)
    ranked = sorted(report.findings, key=lambda f: (f.id is not None, order.index(f.severity)))
    for finding in ranked[:SHOWN_FINDINGS]:
        place = " ".join(p for p in (finding.source, finding.id) if p)
        text = Text(f"{finding.severity}: ", style=_STYLE[finding.severity])
        parts.append(text.append(f"{place + ': ' if place else ''}{finding.message}", style="none"))
    if len(ranked) > SHOWN_FINDINGS:
        parts.append(Text(say["more"].format(n=len(ranked) - SHOWN_FINDINGS), style="dim"))
    return Group(*parts)
