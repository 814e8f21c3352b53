"""What a calibration found, for people and for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from nli_faith.calibration.statistics import Bin, CurvePoint, Interval, caught_at
from nli_faith.profiles import Profile

Lang = Literal["zh", "en"]
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Where the triage curve is read in text."""
_BAR = 30
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "Calibration on {name}: {units} {unit}s of {records} records "
        "({supported} supported, {bad} not)",
        "model": "model", "target": "target", "method": "method",
        "support": "support threshold", "contradiction": "contradiction threshold",
        "own": "model's own", "held": "On {units} held-out {unit}s of {records} records",
        "same": "On the same data", "interval": "95% by records",
        "auroc": "AUROC", "balanced_accuracy": "balanced accuracy",
        "hallucination_recall": "hallucinations caught (recall)",
        "hallucination_precision": "flagged rightly (precision)",
        "supported_kept": "supported ones kept",
        "ece_width": "ECE, 15 equal-width bins", "ece_mass": "ECE, 15 equal-mass bins",
        "ece_width_raw": "  before calibration, equal width",
        "ece_mass_raw": "  before calibration, equal mass",
        "reliability": "Reliability (held-out; P(supported) stated, found)",
        "curve_unit": "Triage curve, {unit}s: share sent to the judge, hallucinations caught",
        "curve_answers": "Triage curve, whole answers (weakest claim first)",
        "none": "one-sided: there is no curve", "skipped": "left out", "note": "note",
        "rows": "rows that could not be used", "claim": "claim", "answer": "answer",
    },
    "zh": {
        "title": "校准集 {name}：{records} 条记录的 {units} 个{unit}"
        "（有依据 {supported}，无依据 {bad}）",
        "model": "模型", "target": "目标", "method": "方法",
        "support": "支持阈值", "contradiction": "矛盾阈值",
        "own": "模型自带", "held": "留出的 {records} 条记录、{units} 个{unit}上",
        "same": "在同一数据上", "interval": "95% 区间（按记录重抽样）",
        "auroc": "AUROC", "balanced_accuracy": "平衡准确率",
        "hallucination_recall": "抓到的幻觉（召回率）",
        "hallucination_precision": "判为幻觉中判对的（精确率）",
        "supported_kept": "有依据而保留的",
        "ece_width": "ECE，15 个等宽分箱", "ece_mass": "ECE，15 个等量分箱",
        "ece_width_raw": "  校准前，等宽", "ece_mass_raw": "  校准前，等量",
        "reliability": "可靠性（留出部分；预测概率、实际比例）",
        "curve_unit": "分流曲线（{unit}）：送审比例、抓到的幻觉",
        "curve_answers": "分流曲线（整个回答，按最弱论断排序）",
        "none": "只有一类，没有曲线", "skipped": "未使用", "note": "注意",
        "rows": "无法使用的行", "claim": "论断", "answer": "回答",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """The profile and how good it is.

    Attributes:
        profile: What to use.
        unit: ``claim`` or ``answer``.
        figures: Name -> figure on the held-out part, with its interval.
        before: The same at the model's own threshold.
        own_threshold: That threshold; NaN when unknown.
        reliability_before: Bins of the raw support, held-out.
        reliability: Bins of the calibrated probabilities, held-out.
        curve: Triage curve over units, all of them: nothing in it is fitted.
        answers: The same over whole records, by their weakest unit.
        skipped: Reason -> labelled units left out.
        problems: Rows that could not be used.
        notes: What to bear in mind.
    """

    profile: Profile
    unit: str
    figures: Mapping[str, Interval]
    before: Mapping[str, Interval]
    own_threshold: float
    reliability_before: Sequence[Bin]
    reliability: Sequence[Bin]
    curve: Sequence[CurvePoint]
    answers: Sequence[CurvePoint]
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: Sequence[str] = ()
    notes: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, the profile included."""
        return {
            "profile": self.profile.to_dict(),
            "profile_id": self.profile.id,
            "unit": self.unit,
            "figures": {k: v.to_dict() for k, v in self.figures.items()},
            "before": {k: v.to_dict() for k, v in self.before.items()},
            "own_threshold": None if math.isnan(self.own_threshold) else self.own_threshold,
            "reliability_before": [b.to_dict() for b in self.reliability_before],
            "reliability": [b.to_dict() for b in self.reliability],
            "triage_curve": [[p.sent, p.caught] for p in self.curve],
            "triage_curve_answers": [[p.sent, p.caught] for p in self.answers],
            "left_out": dict(self.skipped),
            "problems": list(self.problems),
            "notes": list(self.notes),
        }

    def to_text(self, lang: Lang = "en") -> str:
        """The report as plain text, plots included.

        Args:
            lang: ``zh`` or ``en``.
        """
        say = _WORDS[lang]
        unit = say[self.unit] if lang == "zh" else self.unit
        parts = [*self._head(say, unit), "", *self._figures(say, unit), ""]
        parts += [say["reliability"], *_reliability_lines(self.reliability), ""]
        parts += [say["curve_unit"].format(unit=unit), *_curve_lines(list(self.curve), say)]
        if self.unit == "claim":
            parts += ["", say["curve_answers"], *_curve_lines(list(self.answers), say)]
        parts += [f"{say['skipped']}: {n} ({why})" for why, n in sorted(self.skipped.items())]
        if self.problems:
            parts.append(f"{say['rows']}: {len(self.problems)}; {self.problems[0]}")
        parts += [f"{say['note']}: {note}" for note in self.notes]
        return "\n".join(parts)

    def _head(self, say: Mapping[str, str], unit: str) -> list[str]:
        on, p = self.profile.calibrated_on, self.profile
        title = say["title"].format(
            name=p.name, units=on["units"], unit=unit, records=on["records"],
            supported=on["supported"], bad=on["units"] - on["supported"],
        )  # fmt: skip
        own = "" if math.isnan(self.own_threshold) else f" ({say['own']} {self.own_threshold:g})"
        return [
            title,
            f"{say['model']}: {p.model} {p.model_sha256[:12]}   {say['target']}: {p.target}   "
            f"{say['method']}: {p.method}",
            f"{say['support']}: {p.support:.4f}{own}   {say['contradiction']}: "
            f"{p.contradiction:.4f}",
        ]

    def _figures(self, say: Mapping[str, str], unit: str) -> list[str]:
        on = self.profile.calibrated_on
        head = (
            say["held"].format(units=on["held_out_units"], unit=unit,
                               records=on["held_out_records"])
            if on["held_out_units"] else say["same"]
        )  # fmt: skip
        lines = [f"{head} [{say['interval']}]"]
        for name, figure in self.figures.items():
            if name.endswith("_raw") and self.profile.method == "none":
                continue
            own = self.before.get(name)
            more = f"   ({say['own']}: {own.value:.3f})" if own is not None else ""
            lines.append(f"  {say[name]}: {_interval(figure)}{more}")
        return lines


def _interval(figure: Interval) -> str:
    if math.isnan(figure.value):
        return "—"
    if math.isnan(figure.low):
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _bar(value: float) -> str:
    return "█" * round(value * _BAR)


def _reliability_lines(bins: Sequence[Bin]) -> list[str]:
    return [
        f"  {b.low:.2f}–{b.high:.2f}  n={b.weight:<5.0f} {b.confidence:.2f} → {b.accuracy:.2f} "
        f"{_bar(b.accuracy)}"
        for b in bins
        if b.weight
    ]


def _curve_lines(curve: list[CurvePoint], say: Mapping[str, str]) -> list[str]:
    if not curve:
        return [f"  {say['none']}"]
    rows = ((share, caught_at(curve, share)) for share in SHARES)
    return [f"  {share:4.0%} → {caught:6.1%} {_bar(caught)}" for share, caught in rows]
