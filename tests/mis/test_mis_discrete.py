"""Theorem 14, the diversity of a law, and weights far from balance: right values, and no warning."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import zeta
from shared import reference, refused

from mipbook import mis
from mipbook.mis.binomial import pmf

FIVE = [0.5, 0.25, 0.125, 0.0625, 0.0625]


def test_worst_case_vectorises_and_ignores_order_and_zeros():
    n, nu = np.array([5, 20, 1000]), np.array([[0.5], [0.4], [0.7]])
    table = mis.worst_case_delta(FIVE, n, nu)
    assert table[2, 1] == pytest.approx(mis.worst_case_delta(FIVE, 20, 0.7), rel=1e-14)
    np.testing.assert_allclose(mis.worst_case_delta([0.0, *FIVE[::-1]], n, nu), table, rtol=1e-12)
    assert mis.worst_case_delta(FIVE, np.zeros((0,))).shape == (0,)
    assert mis.worst_case_delta([1.0], 10) == mis.worst_case_delta([1.0], 10, nu=0.3) == 0.0
    assert mis.worst_case_delta([0.5, 0.5], 1) == 0.5
    assert mis.worst_case_delta([0.5, 0.5], 10**9, nu=0.4) == 0.0
    # With one record and gamma = 3 the member is recognised, and taken for a fresh one never.
    assert mis.worst_case_delta([0.25] * 4, 1, nu=0.75) == pytest.approx(0.25, rel=1e-14)
    for n in (0, 2.5, 2 * 10**9):
        refused("^n", mis.worst_case_delta, [0.5, 0.5], n)
    refused("^nu", mis.worst_case_delta, [0.5, 0.5], [1, 2], [0.1, 0.2, 0.3])


def test_many_equal_atoms_in_blocks():
    K, n = 300_000, np.array([10, 10**6])
    p = np.full(K, 1 / K)
    want = K * mis.mean_absolute_deviation(n, 1 / K) / 2
    np.testing.assert_allclose(mis.worst_case_delta(p, n), want, rtol=1e-11)
    uneven = np.random.default_rng(0).dirichlet(np.ones(K))
    want = [mis.mean_absolute_deviation(m, uneven).sum() / 2 for m in n]
    np.testing.assert_allclose(mis.worst_case_delta(uneven, n), want, rtol=1e-11)


@pytest.mark.parametrize("p", [Fraction(p) for p in ("1/10", "2/7", "1/2", "9/10", "99/100")])
def test_deviation_equals_the_sum(p):
    for n in (*range(1, 21), 40):
        law = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        for gamma in (Fraction(k, 5) for k in (5, 0, 1, 4, 6, 15)):
            want = float(sum(w * abs(Fraction(k, n) - gamma * p) for k, w in enumerate(law)))
            got = mis.mean_absolute_deviation(n, float(p), *([] if gamma == 1 else [float(gamma)]))
            assert got == pytest.approx(want, rel=2e-14 if gamma == 1 else 5e-14, abs=0), (n, gamma)


def test_deviation_of_a_billion():
    n = 10**9
    p = np.array([1e-9, 0.3, 0.5, 1 - 1e-9])
    # The normal limit is off by about one part in n, and so is the Poisson limit at the ends.
    limit = np.sqrt(2 * p * (1 - p) / (math.pi * n))
    got = mis.mean_absolute_deviation(n, p)
    np.testing.assert_allclose(got[1:3], limit[1:3], rtol=1e-9)
    np.testing.assert_allclose(got[[0, 3]], 2e-9 * math.exp(-1), rtol=2e-9)


def test_deviation_edges():
    got = mis.mean_absolute_deviation(1, [0.0, 1e-300, 0.5, 1.0])
    assert got[0] == got[3] == 0
    assert got[1] == pytest.approx(2e-300)
    assert mis.mean_absolute_deviation(5, 1.0, 1.5) == 0.5
    assert mis.mean_absolute_deviation(5, 0.5, 0.0) == 0.5
    assert pmf(np.arange(3), 2, 0.0).tolist() == pmf(np.arange(3), 2, 1.0)[::-1].tolist() == [1.0, 0.0, 0.0]


def test_diversity_and_its_range():
    assert mis.diversity(FIVE) == pytest.approx(1.747854534051220, rel=1e-14)
    found = mis.diversity_range(4, [0.25, 0.5, 1.0])
    np.testing.assert_allclose(found.low, [math.sqrt(3), 1.0, 0.0], atol=1e-12)
    refused("^largest", mis.diversity_range, 4, 0.2)
    refused("counts", mis.plug_in_diversity, np.ma.array([5, 5, 1000], mask=[0, 0, 1]))


@pytest.mark.parametrize("alpha", [1.25, 1.5, 3.0])
@pytest.mark.parametrize("n", [1, 5, 40, 1000])
def test_power_law_against_a_long_sum(alpha, n):
    N = 400_000
    p = np.arange(1, N + 1) ** -alpha / zeta(alpha)
    head = mis.mean_absolute_deviation(n, p).sum() / 2
    rest = zeta(alpha, N + 1) / zeta(alpha)
    found = mis.power_law_delta(n, alpha)
    assert found.low <= found.high <= found.low * (1 + 1e-9)
    assert head - 1e-12 <= found.low
    assert found.high <= head + rest * (1 + 1e-12) + 1e-12
    more_exact = head + rest - n * zeta(2 * alpha, N + 1) / zeta(alpha) ** 2
    assert found.low == pytest.approx(more_exact, rel=1e-5)


def test_power_law_slopes():
    for alpha, want in ((1.25, -0.2), (1.5, -1 / 3), (4.0, -0.5)):
        low, high = (mis.power_law_delta(n, alpha).low for n in (10**5, 4 * 10**5))
        slope = math.log(high / low) / math.log(4)
        assert slope == pytest.approx(want, abs=0.02)
        assert mis.power_law_exponent(alpha) == pytest.approx(-want)
    refused("^n = ", mis.power_law_delta, 10**9, 1.01)
    refused("^alpha", mis.power_law_delta, 10, 1.0)
    p = [0.05] + [0.95 / 11] * 11
    assert mis.records_needed(p, 0.635) == 21
    assert mis.worst_case_security(p, 21) >= 0.635


REFERENCE = reference("mis")


def test_theorem_14_at_50_digits():
    for name, n, nu, value in REFERENCE["worst_case"]:
        found = mis.worst_case_delta(REFERENCE["laws"][name], n, nu)
        # A threshold next to a count is only known as well as gamma n p is.
        assert found == pytest.approx(float(value), rel=1e-10, abs=1e-300), (name, n, nu)


def test_the_product_learner_against_enumeration():
    for p, n, nu in ((0.5, 5, 1 / 3), (0.9, 3, 2 / 3), (0.7, 2, 0.5)):
        exact = mis.learner_delta(lambda counts: counts[0] == 0, [1 - p, p], n, nu)
        assert mis.product_delta(p, n, nu) == pytest.approx(exact, rel=1e-12)


def test_outputs_that_differ_by_rounding_are_one():
    p = [0.5, 0.3, 0.2]
    by_floats = mis.learner_delta(lambda c: ("mean", (0.1 * c[0] + 0.2 * c[1] + 0.3 * c[2],)), p, 5)
    by_counts = mis.learner_delta(lambda c: c[0] + 2 * c[1] + 3 * c[2], p, 5)
    assert by_floats == pytest.approx(by_counts, rel=1e-12)
    assert by_counts == pytest.approx(0.1701, abs=5e-5)
    # What really differs is not merged.
    near, far = (mis.learner_delta(lambda c, gap=gap: 1 + gap * c[0], p, 5) for gap in (1e-9, 1.0))
    assert near == pytest.approx(far, rel=1e-12)
    for nothing in (lambda c: float("nan"), lambda c: (np.nan, 1), lambda c: 0.0 * (-1) ** c[0]):
        assert mis.learner_delta(nothing, p, 5) == 0.0


def test_far_from_balance_nothing_breaks():
    """No warning, no nan, nothing above the balanced value, for weights from 1e-299 up."""
    rng = np.random.default_rng(1)
    mixes = [0.5, 1e-290, 1e-16, 1e-9, 0.1, 0.499999, 0.51, 0.9, 1 - 1e-9, 1 - 1e-15]
    for _ in range(300):
        p = rng.dirichlet(np.full(rng.integers(1, 12), rng.choice([0.05, 0.5, 5.0])))
        n, d = int(rng.choice([1, 2, 7, 1000, 10**6, 10**9])), int(rng.choice([1, 3, 100, 10**6]))
        nu, lam = rng.choice(mixes), rng.choice([0.5, 0.1, 1 - 1e-9])
        assert 0 <= mis.worst_case_delta(p, n, nu, lam) <= mis.worst_case_delta(p, n) * (1 + 1e-9)
        assert 0 <= mis.gaussian_mean_delta(n, d, nu, lam) <= (1 + 1e-9) * mis.gaussian_mean_delta(n, d)
        assert mis.generator([0.0, 1.0], nu, lam).max() >= 0
        assert mis.generator(1e300, nu, lam) > 0
        if n > 1:
            away = float(rng.choice([0.0, 1e-9, 1.0, 100.0, 1e6]))
            bound = mis.near_gaussians_bound(n, away, d)
            assert 0 <= mis.near_gaussians_tv(n, away, d) <= bound * (1 + 1e-9)
