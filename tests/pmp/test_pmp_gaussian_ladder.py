"""What lies between Proposition 12 and the exact curve: projections, mixtures, the normal curve."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from gaussian_pools import FOUR, FOUR_BOUND, FOUR_EXACT, noise

from mipbook import pmp, tradeoff
from mipbook.pmp.gaussian_pool import standardised


@pytest.mark.parametrize("n", [4, 15, 60])
def test_ladder_in_one_dimension(n):
    values = np.random.default_rng(n).standard_normal(2 * n) / n
    sigma = noise(values, 5.0, 0.05)
    row = int(np.argmax(np.abs(values - values.mean())))
    bound = pmp.gaussian_epsilon_bound(values, sigma, 0.05)
    between = pmp.gaussian_epsilon_mixture(
        values, sigma, 0.05, np.random.default_rng(0), record=row, confidence=0.9999
    )
    exact = pmp.gaussian_epsilon_exact(values, sigma, 0.05, record=row)
    assert exact <= between.high
    assert between.low <= bound
    assert exact <= bound <= pmp.gaussian_subset_epsilon(values, sigma, 0.05)
    assert pmp.gaussian_epsilon_projection(values, sigma, 0.05, record=row) == pytest.approx(exact, rel=1e-9)
    if n == 60:
        assert exact < 0.9 * between.low
        assert between.high < 0.9 * bound
        normal = pmp.gaussian_epsilon_normal(values, sigma, 0.05, record=row)
        assert normal == pytest.approx(exact, rel=0.02)


def test_ladder_in_twenty_dimensions():
    rng = np.random.default_rng(18)
    values = pmp.gaussian_pool(100, 20, 1.0, 50.0, 0, 1.0, rng) / 100
    sigma = noise(values, 10.0)
    bound = pmp.gaussian_epsilon_bound(values, sigma, 0.01)
    between = pmp.gaussian_epsilon_mixture(values, sigma, 0.01, rng)
    low = pmp.gaussian_epsilon_projection(values, sigma, 0.01)
    normal = pmp.gaussian_epsilon_normal(values, sigma, 0.01)
    assert low < between.low < between.high < bound
    assert low == pytest.approx(normal, rel=0.03)
    # Reported for one such pool: 6.94, 4.51, 1.93, 1.91.
    for found, reported in ((bound, 6.94), (between.value, 4.51), (low, 1.93), (normal, 1.91)):
        assert found == pytest.approx(reported, rel=0.2)


def test_mixture_interval_covers_and_is_exact_for_one_record():
    truth = float(tradeoff.gaussian_delta(1.0, 0.5))
    missed = 0
    for seed in range(60):
        found = pmp.gaussian_delta_mixture(
            [0.0, 1.0], 0.5, 1.0, np.random.default_rng(seed), draws=400, confidence=0.9
        )
        assert found.kind == "estimate"
        assert found.low <= found.value <= found.high
        missed += not found.low <= truth <= found.high
    assert missed <= 12  # 6 expected at most; the interval is conservative
    sharp = pmp.gaussian_delta_mixture([0.0, 1.0], 0.5, 1.0, np.random.default_rng(0), 200_000)
    assert sharp.value == pytest.approx(truth, abs=0.005)
    few = pmp.gaussian_epsilon_mixture([0.0, 1.0], 0.5, 1e-6, np.random.default_rng(0), draws=50)
    assert few.high == math.inf
    assert few.warning


def test_mixture_against_listing_all_swaps():
    # n = 2: three pairs of records that may be out; the hockey-stick of each by quadrature.
    standard = standardised(FOUR, 0.5)[:, 0]
    row, t = 2, np.linspace(-30, 30, 200_001)
    others = np.delete(standard, row) - standard[row]
    phi = np.exp(-0.5 * t**2)
    total = 0.0
    for pair in combinations(others, 2):
        mix = sum(np.exp(-0.5 * (t - u) ** 2) for u in pair) / 2
        total += np.trapezoid(np.maximum(phi - math.e * mix, 0), t) / math.sqrt(2 * math.pi) / 3
    found = pmp.gaussian_delta_mixture(FOUR, 0.5, 1.0, np.random.default_rng(1), 100_000, row, 0.9999)
    assert found.low < total < found.high
    assert FOUR_EXACT[2][row] <= total <= FOUR_BOUND[2][row]
    assert found.high - found.low < 0.02


def test_shift_is_the_distance_in_the_covariance_of_the_release():
    rng = np.random.default_rng(19)
    values, sigma, delta = rng.standard_normal((8, 2)), 0.8, 0.02
    for row in range(8):
        others = np.delete(values, row, axis=0)
        fewer = np.array([others[list(c)].sum(axis=0) for c in combinations(range(7), 3)])
        more = np.array([others[list(c)].sum(axis=0) for c in combinations(range(7), 4)])
        u = fewer.mean(axis=0) + values[row] - more.mean(axis=0)
        covariance = sigma**2 * np.eye(2) + np.cov(fewer.T, bias=True)
        np.testing.assert_allclose(np.cov(fewer.T, bias=True), np.cov(more.T, bias=True))
        mu = math.sqrt(u @ np.linalg.solve(covariance, u))
        expected = tradeoff.gaussian_epsilon(delta, 1.0, mu)
        found = pmp.gaussian_epsilon_normal(values, sigma, delta, record=row)
        assert found == pytest.approx(expected, rel=1e-9)


def test_normal_curve_approaches_the_exact_one_and_is_no_bound():
    errors = []
    for n in (6, 25, 100):
        values = np.random.default_rng(n + 1).standard_normal(2 * n) / n
        sigma = noise(values, 5.0)
        exact = pmp.gaussian_epsilon_exact(values, sigma, 0.01)
        errors.append(pmp.gaussian_epsilon_normal(values, sigma, 0.01) / exact - 1)
    assert min(errors) < 0  # too small somewhere: it certifies nothing
    assert abs(errors[0]) < 0.15
    assert abs(errors[1]) < 0.06
    assert abs(errors[2]) < 0.02


def test_exact_far_below_the_bound_for_many_records():
    values = np.random.default_rng(20).standard_normal(200) / 100
    sigma = noise(values, 10.0)
    bound = pmp.gaussian_epsilon_bound(values, sigma, 0.01)
    exact = pmp.gaussian_epsilon_exact(values, sigma, 0.01)
    assert 4 < bound / exact < 20


def test_record_in_the_middle_of_the_line_shows_nothing_to_the_projection():
    values = [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert pmp.gaussian_epsilon_projection(values, 1.0, 0.01, record=2) == 0.0
    assert pmp.gaussian_epsilon_projection(values, 1.0, 0.0, record=2) == math.inf
