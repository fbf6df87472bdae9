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


def test_diversity_values():
    assert mis.diversity(FIVE) == pytest.approx(1.747854534051220, rel=1e-14)
    assert mis.diversity([0.1] * 10) == pytest.approx(3.0, rel=1e-14)
    assert mis.diversity([1.0]) == 0.0


def test_diversity_range_at_unit_fractions():
    for K in range(1, 200):
        low, high = mis.diversity_range(K, 1 / K)
        assert low == pytest.approx(math.sqrt(K - 1), abs=1e-12)
        assert high == pytest.approx(low, abs=1e-12)
    found = mis.diversity_range(4, [0.25, 0.5, 1.0])
    np.testing.assert_allclose(found.low, [math.sqrt(3), 1.0, 0.0], atol=1e-12)
    refused("^largest", mis.diversity_range, 4, 0.2)


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


def test_so_many_records_are_sufficient():
    p = [0.05] + [0.95 / 11] * 11
    assert mis.records_needed(p, 0.635) == 21
    assert mis.worst_case_security(p, 21) >= 0.635


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
