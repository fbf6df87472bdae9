"""The exact curve of the Gaussian mechanism in one dimension.

Reference values marked (60 digits) come from enumeration of all halves in 60-digit arithmetic."""

import math
from itertools import combinations

import numpy as np
import pytest
from gaussian_pools import FOUR, FOUR_BOUND, FOUR_EXACT, GRID, noise

from mipbook import pmp, tradeoff
from mipbook.pmp import gaussian_exact
from mipbook.pmp.gaussian_bound import standardised
from mipbook.pmp.gaussian_exact import FourierPair, leave_one_out


def test_exact_delta_of_every_record_against_60_digits():
    found = [pmp.gaussian_delta_exact(FOUR, 0.5, GRID, record=r) for r in range(4)]
    np.testing.assert_allclose(np.transpose(found), FOUR_EXACT, rtol=1e-12)
    assert pmp.gaussian_epsilon_exact(FOUR, 0.5, 0.01) == pytest.approx(6.2885677637835871445, rel=1e-12)
    assert pmp.gaussian_epsilon_exact([0.0, 1.0], 0.5, 0.01) == pytest.approx(
        5.9978925298189198698, rel=1e-12
    )


@pytest.mark.parametrize("n", [3, 5, 7])
def test_listing_all_halves_and_fourier_agree(n, monkeypatch):
    values = np.random.default_rng(n).standard_normal(2 * n) / n
    for target in (0.5, 5.0):
        sigma = noise(values, target)
        listed = pmp.gaussian_delta_exact(values, sigma, [0.0, 0.3, 1.0, 3.0])
        epsilon = pmp.gaussian_epsilon_exact(values, sigma, 0.01)
        monkeypatch.setattr(gaussian_exact, "_LISTED", 0)
        fourier = pmp.gaussian_delta_exact(values, sigma, [0.0, 0.3, 1.0, 3.0])
        np.testing.assert_allclose(fourier, listed, atol=1e-12)
        assert pmp.gaussian_epsilon_exact(values, sigma, 0.01) == pytest.approx(epsilon, rel=1e-9)
        monkeypatch.undo()


def test_subset_averages_stay_bounded_and_match_enumeration():
    rng = np.random.default_rng(15)
    values, omega = rng.standard_normal(9), np.array([0.0, 0.7, 5.0])
    for row, fewer, more in leave_one_out(values, 4, omega, range(9)):
        others = np.delete(values, row)
        for size, found in ((3, fewer), (4, more)):
            sums = [sum(c) for c in combinations(others, size)]
            np.testing.assert_allclose(found, np.exp(1j * np.outer(sums, omega)).mean(axis=0), atol=1e-13)
    values = rng.standard_normal(300)
    for _, fewer, more in leave_one_out(values, 150, np.array([0.0, 0.3]), [0, 7, 299]):
        assert abs(fewer[0] - 1) < 1e-12
        assert abs(more[0] - 1) < 1e-12
        assert abs(more[1]) <= 1


def test_all_records_are_looked_at():
    values = np.random.default_rng(16).standard_normal(24) / 12
    sigma = noise(values, 4.0)
    each = [pmp.gaussian_epsilon_exact(values, sigma, 0.01, record=r) for r in range(24)]
    assert pmp.gaussian_epsilon_exact(values, sigma, 0.01) == pytest.approx(max(each), rel=1e-9)
    assert min(each) < 0.5 * max(each)
    curve = pmp.gaussian_delta_exact(values, sigma, GRID)
    single = [pmp.gaussian_delta_exact(values, sigma, GRID, record=r) for r in range(24)]
    np.testing.assert_allclose(curve, np.max(single, axis=0), atol=1e-12)


def test_areas_across_the_end_of_the_period():
    period, omega = 40.0, 2 * np.pi * np.arange(90) / 40.0
    laws = [np.exp(1j * omega * m - 0.5 * omega**2) for m in (1.0, -0.5)]
    expected = tradeoff.gaussian_delta(1.0, 1.0, 1.5)
    for move in (0.0, -1.8, 7.0, 18.5, -19.0):
        pair = FourierPair(*(law * np.exp(1j * omega * move) for law in laws), period)
        assert pair.delta(1.0) == pytest.approx(expected, rel=1e-9), move


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


def test_mixture_interval_covers_and_is_exact_for_one_record():
    truth = float(tradeoff.gaussian_delta(1.0, 0.5))
    missed = 0
    for seed in range(60):
        found = pmp.gaussian_epsilon_mixture(
            [0.0, 1.0], 0.5, truth, np.random.default_rng(seed), draws=400, confidence=0.9
        )
        assert found.kind == "estimate"
        assert found.low <= found.value <= found.high
        missed += not found.low <= 1.0 <= found.high
    assert missed <= 12  # 6 expected at most; the interval is conservative
    sharp = pmp.gaussian_epsilon_mixture([0.0, 1.0], 0.5, truth, np.random.default_rng(0), 200_000)
    assert sharp.value == pytest.approx(1.0, abs=0.02)
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
    found = pmp.gaussian_epsilon_mixture(FOUR, 0.5, total, np.random.default_rng(1), 100_000, row, 0.9999)
    assert found.low < 1.0 < found.high
    assert FOUR_EXACT[2][row] <= total <= FOUR_BOUND[2][row]
    assert found.high - found.low < 0.1


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
        expected = tradeoff.gaussian_epsilon(delta, sigma=1.0, sensitivity=mu)
        found = pmp.gaussian_epsilon_normal(values, sigma, delta, record=row)
        assert found == pytest.approx(expected, rel=1e-9)


def test_record_in_the_middle_of_the_line_shows_nothing_to_the_projection():
    values = [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert pmp.gaussian_epsilon_projection(values, 1.0, 0.01, record=2) == 0.0
    assert pmp.gaussian_epsilon_projection(values, 1.0, 0.0, record=2) == math.inf
