"""Slow and fast rates: power laws, the product learner, the window."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mipbook import mis

FIVE = [0.5, 0.25, 0.125, 0.0625, 0.0625]


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
    with pytest.raises(ValueError, match="^n = "):
        mis.power_law_delta(10**9, 1.01)
    with pytest.raises(ValueError, match="^alpha"):
        mis.power_law_delta(10, 1.0)


@pytest.mark.parametrize("nu", [0.3, 0.4, 0.5, 0.55, 0.7])
@pytest.mark.parametrize("p", [0.2, 0.8, 0.5])
def test_product_learner_against_enumeration(p, nu):
    for n in (1, 2, 5, 8):
        want = mis.learner_delta(lambda c: c[0] == 0, [1 - p, p], n, nu)
        assert mis.product_delta(p, n, nu) == pytest.approx(want, abs=1e-14)


def test_product_learner_values():
    assert mis.product_delta(0.8, 10) == pytest.approx(2097152 / 48828125, rel=1e-14)
    assert mis.product_delta(0.8, 5, lam=0.4) == 0.0
    assert mis.product_delta([0.0, 1.0], 5).tolist() == [0.0, 0.0]
    assert mis.product_delta(0.9, 10**9) == 0.0


def test_window_limit():
    for u in (0.0, 1.0, 2.0, -1.0):
        n = 10**8
        gamma = 1 + u / math.sqrt(n)
        exact = math.sqrt(n) * mis.worst_case_delta(FIVE, n, gamma / (1 + gamma))
        assert mis.nu_window_limit(FIVE, u) == pytest.approx(exact, rel=1e-3)
    assert mis.nu_window_limit(FIVE, 0.0) == pytest.approx(mis.diversity(FIVE) * mis.RATE_LIMIT, rel=1e-14)
    assert mis.nu_window_limit(FIVE, [np.inf, 1e300]).tolist() == [0.0, 0.0]
    assert mis.nu_window_limit([1.0], 1.0) == 0.0


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
