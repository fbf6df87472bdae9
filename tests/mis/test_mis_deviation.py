"""The mean absolute deviation of a binomial count, exact at every size."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

from mipbook import mis
from mipbook.mis.binomial import excess

F = Fraction


ONE, HALF = F(1), F(1, 2)


def pmf(n, p):
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def deviation(n, p, gamma=ONE):
    return sum(w * abs(F(k, n) - gamma * p) for k, w in enumerate(pmf(n, p)))


@pytest.mark.parametrize("p", [F(1, 10), F(2, 7), F(1, 2), F(9, 10), F(99, 100)])
def test_deviation_equals_the_sum(p):
    for n in (*range(1, 21), 40):
        want = float(deviation(n, p))
        assert mis.mean_absolute_deviation(n, float(p)) == pytest.approx(want, rel=2e-14, abs=0)
        for gamma in (F(0), F(1, 5), F(4, 5), F(6, 5), F(3)):
            want = float(deviation(n, p, gamma))
            got = mis.mean_absolute_deviation(n, float(p), float(gamma))
            assert got == pytest.approx(want, rel=5e-14, abs=0), (n, gamma)


def test_deviation_reference_values():
    assert mis.mean_absolute_deviation(7, 1 / 3) == pytest.approx(320 / 2187, rel=1e-14)
    assert mis.mean_absolute_deviation(6, 0.4) == pytest.approx(2592 / 15625, rel=1e-14)
    assert mis.mean_absolute_deviation(5, 0.1) == pytest.approx(59049 / 500000, rel=1e-14)
    got = mis.mean_absolute_deviation(12, 2 / 7, [0.8, 1.2])
    want = [54674761902 / 484445052035, 55668988098 / 484445052035]
    np.testing.assert_allclose(got, want, rtol=1e-14)


def test_deviation_of_a_billion():
    n = 10**9
    p = np.array([1e-9, 0.3, 0.5, 1 - 1e-9])
    # The normal limit is off by about one part in n, and so is the Poisson limit at the ends.
    limit = np.sqrt(2 * p * (1 - p) / (math.pi * n))
    got = mis.mean_absolute_deviation(n, p)
    np.testing.assert_allclose(got[1:3], limit[1:3], rtol=1e-9)
    np.testing.assert_allclose(got[[0, 3]], 2e-9 * math.exp(-1), rtol=2e-9)


def test_small_excess_is_not_a_difference_of_large_numbers():
    n, p, gamma = 12, F(9, 10), F(1, 4)
    want = sum(w * max(gamma * p - F(k, n), 0) for k, w in enumerate(pmf(n, p)))
    got = float(excess(np.array(12.0), np.array(0.9), np.array(0.25)))
    assert 0 < want < 1e-8
    assert got == pytest.approx(float(want), rel=1e-11, abs=0)


def test_deviation_edges():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = mis.mean_absolute_deviation(1, [0.0, 1e-300, 0.5, 1.0])
    assert got[0] == got[3] == 0
    assert got[1] == pytest.approx(2e-300)
    assert mis.mean_absolute_deviation(5, 1.0, 1.5) == 0.5
    assert mis.mean_absolute_deviation(5, 0.5, 0.0) == 0.5
    assert mis.mean_absolute_deviation(np.ones((2, 1)), [0.1, 0.2, 0.3]).shape == (2, 3)


def test_de_moivre():
    for n in (1, 2, 7, 12, 30):
        for p in (F(1, 9), F(2, 7), F(3, 4)):
            weights = pmf(n, p)
            for m in range(n + 1):
                want = sum((n * p - k) * weights[k] for k in range(m + 1))
                got = mis.de_moivre_sum(n, float(p), m)
                assert got == pytest.approx(float(want), rel=2e-14, abs=1e-300)
    got = mis.de_moivre_sum(12, 2 / 7, 4)
    assert got == pytest.approx(49500000000 / 96889010407, rel=1e-14)
