"""How figures look in a terminal."""

from __future__ import annotations

import math

import pytest

from nli_faith.cli.render import _beside


@pytest.mark.parametrize(
    ("value", "threshold", "shown"),
    [
        (0.41, 0.46, "0.41 < 0.46"),
        (0.369, 0.37, "0.369 < 0.370"),
        (0.4604, 0.46, "0.4604 ≥ 0.4600"),
        (0.46, 0.46, "0.46 ≥ 0.46"),
        (0.5, None, "0.50"),
        (math.nan, 0.37, "—"),
    ],
)
def test_a_probability_beside_its_threshold_reads_as_true(value, threshold, shown):
    assert _beside(value, threshold) == shown
