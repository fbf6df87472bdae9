"""Binomial chances against exact fractions, and at the ends of their range."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from mipbook.mis.binomial import pmf


@pytest.mark.parametrize("n", [0, 1, 2, 7, 40, 300])
@pytest.mark.parametrize("p", [0.0, 1e-9, 0.25, 0.5, 0.9375, 1.0])
def test_chances_are_those_of_exact_fractions(n, p):
    heads = Fraction(p)
    exact = [float(comb(n, k) * heads**k * (1 - heads) ** (n - k)) for k in range(n + 1)]
    # Below the normal doubles a digit is worth less.
    np.testing.assert_allclose(pmf(np.arange(n + 1), n, p), exact, rtol=2e-13, atol=1e-300)


def test_chances_of_many_trials_add_up():
    n = 100_000
    assert pmf(np.arange(n + 1), n, 0.3).sum() == pytest.approx(1, abs=1e-11)
