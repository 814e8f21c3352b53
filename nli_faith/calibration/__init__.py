"""Calibration: thresholds, probabilities and their quality from labels.

:func:`calibrate` reads labels and gives a :class:`CalibrationReport` with a
:class:`~nli_faith.profiles.Profile` in it; :func:`write_plots` draws it.
"""

from nli_faith.calibration.calibrate import calibrate, calibrate_set
from nli_faith.calibration.collect import collect
from nli_faith.calibration.plots import write_plots
from nli_faith.calibration.report import CalibrationReport
from nli_faith.calibration.samples import LabelledSet, Sample
from nli_faith.calibration.statistics import Interval, triage_curve
from nli_faith.calibration.targets import Target

__all__ = [
    "CalibrationReport",
    "Interval",
    "LabelledSet",
    "Sample",
    "Target",
    "calibrate",
    "calibrate_set",
    "collect",
    "triage_curve",
    "write_plots",
]
