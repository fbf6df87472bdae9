"""Numbers in sentences read as prose."""

import pytest

from mipbook.figures.words import say, times


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (1234567.0, "1.23 × 10⁶"),
        (999999.0, "1.00 × 10⁶"),
        (99999.0, "100,000"),
        (0.00015926, "0.000159"),
        (2.44e-10, "2.44 × 10⁻¹⁰"),
        (-0.5918, "-0.592"),
        (0.0, "0"),
        (float("inf"), "infinity"),
    ],
)
def test_numbers_read_as_prose(value, text):
    assert say(value) == text
    assert times(61.94) == "61.9 times"
