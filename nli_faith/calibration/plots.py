"""The reliability diagram and the triage curve as PNG (matplotlib, extra ``calibration``).

Labels are English, so that no Chinese font is needed.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nli_faith.calibration.report import CalibrationReport
from nli_faith.calibration.statistics import Bin, CurvePoint
from nli_faith.errors import MissingExtraError, OutputExistsError, OutputPathError
from nli_faith.io.manifest import write_atomic

EXTRA = "calibration"
RELIABILITY, TRIAGE = "reliability.png", "triage.png"


def write_plots(
    report: CalibrationReport, directory: str | os.PathLike[str], *, overwrite: bool = False
) -> list[Path]:
    """Write ``reliability.png`` and ``triage.png``.

    Args:
        report: What to draw.
        directory: Made if need be.
        overwrite: Replace files that are there.

    Returns:
        The paths.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OutputExistsError: A file is there and is not to be replaced.
        OutputError: A file cannot be written.
    """
    targets = check_plots(directory, overwrite=overwrite)
    for path, png in zip(targets, (reliability_png(report), triage_png(report)), strict=True):
        write_atomic(path, png)
    return targets


def check_plots(directory: str | os.PathLike[str], *, overwrite: bool = False) -> list[Path]:
    """Make sure that plots can be written, before the work is done.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OutputExistsError: A file is there and is not to be replaced.
        OutputPathError: The directory cannot be made.
    """
    _figure(1)
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputPathError(f"{folder}: {error.strerror or error}") from error
    targets = [folder / RELIABILITY, folder / TRIAGE]
    for path in targets:
        if path.exists() and path.stat().st_size and not overwrite:
            raise OutputExistsError(f"{path}: exists already: pass --overwrite, or name another")
    return targets


def reliability_png(report: CalibrationReport) -> bytes:
    """Reliability diagram, before and after calibration, held-out, equal-width bins."""
    figure, axes = _figure(1)
    axes = axes[0]
    axes.plot([0, 1], [0, 1], linestyle=":", color="0.5", label="perfect")
    _draw_bins(axes, report.reliability_before, "raw support", "tab:gray")
    if report.profile.method != "none":
        _draw_bins(axes, report.reliability, report.profile.method, "tab:blue")
    axes.set(xlabel="stated P(supported)", ylabel="share supported", xlim=(0, 1), ylim=(0, 1),
             title=f"Reliability on held-out {report.unit}s")  # fmt: skip
    axes.legend(loc="best")
    return _png(figure)


def triage_png(report: CalibrationReport) -> bytes:
    """Share sent to the judge against share of hallucinations caught."""
    figure, axes = _figure(1)
    axes = axes[0]
    axes.plot([0, 1], [0, 1], linestyle=":", color="0.5", label="at random")
    _draw_curve(axes, report.curve, f"{report.unit}s", "tab:blue")
    if report.unit == "claim":
        _draw_curve(axes, report.answers, "whole answers", "tab:orange")
    axes.set(xlabel="share sent to the judge", ylabel="share of hallucinations caught",
             xlim=(0, 1), ylim=(0, 1.02), title="Triage curve, lowest support first")  # fmt: skip
    axes.legend(loc="lower right")
    return _png(figure)


def _draw_bins(axes: Any, bins: Sequence[Bin], label: str, color: str) -> None:
    full = [b for b in bins if b.weight]
    axes.plot([b.confidence for b in full], [b.accuracy for b in full], marker="o", color=color,
              label=label)  # fmt: skip
    for b in full:
        axes.annotate(f"{b.weight:.0f}", (b.confidence, b.accuracy), fontsize=7, color=color,
                      textcoords="offset points", xytext=(3, -9))  # fmt: skip


def _draw_curve(axes: Any, curve: Sequence[CurvePoint], label: str, color: str) -> None:
    if curve:
        axes.plot([p.sent for p in curve], [p.caught for p in curve], color=color, label=label)


def _figure(columns: int) -> tuple[Any, list[Any]]:
    # Without pyplot: no global state, no display, safe in threads.
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", EXTRA) from error
    figure = Figure(figsize=(5.5 * columns, 5), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, [figure.add_subplot(1, columns, i + 1) for i in range(columns)]


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    # No software version in the file: the same report gives the same bytes.
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
