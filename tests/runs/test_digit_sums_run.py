"""The stored values of the digits' Delta are those of the function."""

from __future__ import annotations

import pytest

from mipbook import mis
from mipbook.runs.digit_sums import DIGITS, SIZES, known_digit_delta, summed


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("digits", [1, 100, DIGITS[-1]])
def test_the_stored_values_are_the_functions_own(n, digits):
    found = summed({"sizes": (n,), "digits": (digits,)})["deltas"][0, 0]
    assert known_digit_delta(n, digits) == pytest.approx(found, rel=1e-9)
    estimate = mis.digit_delta(n, digits)
    assert estimate.low - 1e-9 <= known_digit_delta(n, digits) <= estimate.high + 1e-9


def test_what_is_not_stored_is_computed():
    assert known_digit_delta(7, 12) == mis.digit_delta(7, 12).value
