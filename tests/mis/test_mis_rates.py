"""Bounds by the diversity of a law: they hold, are sharp, and entropies bound it."""

import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from shared import refused

from mipbook import mis
from mipbook.mis.binomial import pmf

FIVE = [0.5, 0.25, 0.125, 0.0625, 0.0625]


def scaled(n, p):
    return np.sqrt(n) * mis.mean_absolute_deviation(n, p) / (2 * np.sqrt(p * (1 - p)))


def test_constants_are_bounds_and_sharp():
    for n in range(3, 61):
        p = np.linspace(1 / n, 1 - 1 / n, 803)[1:-1]
        ratio = scaled(n, p)
        assert ratio.min() > mis.RATE_LOW
        assert ratio.max() <= mis.RATE_HIGH * (1 + 1e-12)
    assert scaled(3, 0.5) == pytest.approx(mis.RATE_HIGH, rel=1e-14)
    assert scaled(3, 1 / 3 + 1e-12) == pytest.approx(mis.RATE_LOW, rel=1e-10)
    assert scaled(10**9, 0.3) == pytest.approx(mis.RATE_LIMIT, rel=1e-8)
    # Without the condition n p > 1 the lower constant fails.
    assert scaled(3, 0.05) < mis.RATE_LOW


def test_security_bounds_hold_the_security():
    rng = np.random.default_rng(1)
    applied = 0
    for _ in range(300):
        p = rng.dirichlet(np.full(rng.integers(2, 9), rng.choice([0.3, 1.0, 5.0])))
        n = int(rng.choice([1, 3, 10, 50, 400]))
        security = mis.worst_case_security(p, n)
        for bounds in (mis.security_bounds(p, n), mis.rare_atom_bounds(p, n)):
            assert bounds.low <= security + 1e-12
            assert security <= bounds.high + 1e-12
        applied += mis.security_bounds(p, n).high < 1
    assert 30 < applied < 270


def test_bounds_say_what_they_are_made_of():
    found = mis.security_bounds([0.5, 0.5], 3)
    assert found.low == pytest.approx(mis.worst_case_security([0.5, 0.5], 3), rel=1e-14)
    loose = mis.security_bounds([0.9, 0.1], 10)
    assert loose == pytest.approx((1 - 0.3 / math.sqrt(10), 1.0), rel=1e-14)
    assert loose.high == 1.0
    p = [0.4, 0.3, 0.2, 0.05, 0.025, 0.025]
    tail = sum(x * (1 - x) ** 10 for x in p[3:])
    assert tail == pytest.approx(0.06875332800474084, rel=1e-13, abs=0)
    rare = mis.rare_atom_bounds(p, 10)
    spread = sum(math.sqrt(x * (1 - x)) for x in p[:3]) / math.sqrt(10)
    assert rare.low == pytest.approx(1 - mis.RATE_HIGH * spread - tail, rel=1e-13)
    assert mis.worst_case_delta(p, [10, 30]) == pytest.approx([0.23330301324474083, 0.13688885735848950])


def test_rare_atoms_need_no_condition_on_the_largest():
    p, n = [0.96, 0.02, 0.02], 8
    rare = mis.rare_atom_bounds(p, n)
    assert rare.high - rare.low < 1e-15
    assert mis.worst_case_security(p, n) == pytest.approx(rare.low, rel=1e-14)


def test_diversity_values():
    assert mis.diversity(FIVE) == pytest.approx(1.747854534051220, rel=1e-14)
    assert mis.diversity([0.1] * 10) == pytest.approx(3.0, rel=1e-14)
    assert mis.diversity([1.0]) == 0.0


def test_diversity_range_is_attained_and_never_left():
    assert mis.diversity_range(5, 0.3) == pytest.approx((1.67477270848675, 1.97812598485265))
    assert mis.diversity_range(10, 0.9)[0] == pytest.approx(0.6, rel=1e-14)
    rng = np.random.default_rng(3)
    for K in (2, 3, 5, 9):
        for p in rng.dirichlet(np.full(K, 0.6), size=400):
            low, high = mis.diversity_range(K, p.max())
            assert low - 1e-12 <= mis.diversity(p) <= high + 1e-12
        for x in np.linspace(1 / K, 1, 23)[1:]:
            low, high = mis.diversity_range(K, x)
            m = int(1 / x + 1e-12)
            corner = [x] * m + [max(1 - m * x, 0.0)] + [0.0] * max(K - m - 1, 0)
            flat = [x] + [(1 - x) / (K - 1)] * (K - 1)
            assert mis.diversity(corner) == pytest.approx(low, abs=3e-8)
            assert mis.diversity(flat) == pytest.approx(high, abs=1e-12)


def test_diversity_range_at_unit_fractions():
    for K in range(1, 200):
        low, high = mis.diversity_range(K, 1 / K)
        assert low == pytest.approx(math.sqrt(K - 1), abs=1e-12)
        assert high == pytest.approx(low, abs=1e-12)
    found = mis.diversity_range(4, [0.25, 0.5, 1.0])
    np.testing.assert_allclose(found.low, [math.sqrt(3), 1.0, 0.0], atol=1e-12)
    refused("^largest", mis.diversity_range, 4, 0.2)


def test_entropies_bound_the_diversity():
    rng = np.random.default_rng(4)
    closest = np.inf
    for _ in range(4000):
        p = rng.dirichlet(np.full(rng.integers(2, 9), rng.choice([0.2, 1.0, 20.0])))
        gini, shannon, value = mis.gini_simpson(p), mis.shannon_entropy(p), mis.diversity(p)
        assert max(2 * gini, shannon / mis.SHANNON_FACTOR) <= value * (1 + 1e-12)
        assert value <= math.sqrt(len(p) * gini) * (1 + 1e-12)
        closest = min(closest, value / mis.shannon_entropy(p))
    assert 1 <= closest * mis.SHANNON_FACTOR < 1.01


def test_shannon_constant_is_attained_by_five_equal_atoms():
    for K in (4, 5, 6):
        p = [1 / K] * K
        ratio = mis.shannon_entropy(p) / mis.diversity(p)
        if K == 5:
            assert ratio == pytest.approx(mis.SHANNON_FACTOR, rel=1e-14)
        else:
            assert ratio < mis.SHANNON_FACTOR - 1e-3


@pytest.mark.parametrize("alpha", [1.25, 1.5, 3.0])
@pytest.mark.parametrize("n", [1, 5, 40, 1000])
def test_power_law_against_a_long_sum(alpha, n):
    from scipy.special import zeta

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


def test_product_learner_values():
    assert mis.product_delta(0.8, 10) == pytest.approx(2097152 / 48828125, rel=1e-14)
    assert mis.product_delta(0.8, 5, lam=0.4) == 0.0
    assert mis.product_delta([0.0, 1.0], 5).tolist() == [0.0, 0.0]
    assert mis.product_delta(0.9, 10**9) == 0.0


def test_how_far_off_the_sufficient_number_of_records_is():
    rng = np.random.default_rng(11)
    for _ in range(60):
        p = rng.dirichlet(np.full(rng.integers(2, 8), 5.0))
        security = rng.uniform(0.3, 0.95)
        enough = mis.records_needed(p, security)
        least = next(n for n in range(1, enough + 1) if mis.worst_case_security(p, n) >= security)
        assert mis.worst_case_security(p, enough) >= security
        if least * min(p.min(), 1 - p.max()) > 1:
            assert enough <= 1.43 * least + 1
    # Where the condition fails at the smallest n the answer is further off.
    p = [0.05] + [0.95 / 11] * 11
    assert mis.records_needed(p, 0.635) == 21
    assert mis.worst_case_security(p, 12) >= 0.635 > mis.worst_case_security(p, 11)


# --- Binomial chances against exact fractions, and at the ends of their range ---------------------


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
