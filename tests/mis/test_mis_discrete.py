"""Theorem 14: no learner of discrete data does worse, and signs attain it."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from shared import refused

from mipbook import mis
from mipbook.mis.binomial import excess

F = Fraction

ONE, HALF = F(1), F(1, 2)

FIVE = [0.5, 0.25, 0.125, 0.0625, 0.0625]


def test_worst_case_vectorises_and_ignores_order_and_zeros():
    n, nu = np.array([5, 20, 1000]), np.array([[0.5], [0.4], [0.7]])
    table = mis.worst_case_delta(FIVE, n, nu)
    one_by_one = [[mis.worst_case_delta(FIVE, int(m), float(v)) for m in n] for v in nu[:, 0]]
    np.testing.assert_allclose(table, one_by_one, rtol=1e-14)
    np.testing.assert_allclose(mis.worst_case_delta([0.0, *FIVE[::-1]], n, nu), table, rtol=1e-12)
    assert mis.worst_case_delta(FIVE, np.zeros((0,))).shape == (0,)


def test_many_equal_atoms_in_blocks():
    K, n = 300_000, np.array([10, 10**6])
    p = np.full(K, 1 / K)
    want = K * mis.mean_absolute_deviation(n, 1 / K) / 2
    np.testing.assert_allclose(mis.worst_case_delta(p, n), want, rtol=1e-11)
    uneven = np.random.default_rng(0).dirichlet(np.ones(K))
    want = [mis.mean_absolute_deviation(m, uneven).sum() / 2 for m in n]
    np.testing.assert_allclose(mis.worst_case_delta(uneven, n), want, rtol=1e-11)


def test_worst_case_edges():
    assert mis.worst_case_delta([1.0], 10) == 0.0
    assert mis.worst_case_delta([1.0], 10, nu=0.3) == 0.0
    assert mis.worst_case_delta([0.5, 0.5], 1) == 0.5
    assert mis.worst_case_delta([0.5, 0.5], 10**9, nu=0.4) == 0.0
    # With one record and gamma = 3 the member is recognised, and taken for a fresh one never.
    assert mis.worst_case_delta([0.25] * 4, 1, nu=0.75) == pytest.approx(0.25, rel=1e-14)


def test_worst_case_refuses():
    refused("^p", mis.worst_case_delta, [0.5, 0.6], 5)
    refused("^n", mis.worst_case_delta, [0.5, 0.5], 0)
    refused("^n", mis.worst_case_delta, [0.5, 0.5], 2.5)
    refused("^n", mis.worst_case_delta, [0.5, 0.5], 2 * 10**9)
    refused("^nu", mis.worst_case_delta, [0.5, 0.5], [1, 2], [0.1, 0.2, 0.3])


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
