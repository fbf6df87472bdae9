"""The exact curve of the Gaussian mechanism in one dimension, and what lies between it and the bound."""

import math
from itertools import combinations
from math import comb

import numpy as np
import pytest
from gaussian_pools import FOUR, FOUR_BOUND, FOUR_EXACT, GRID, noise
from mpmath import mp, mpf
from scipy.stats import norm
from shared import refused

from mipbook import pmp, tradeoff
from mipbook.pmp import gaussian_exact
from mipbook.pmp.gaussian_exact import FourierPair


def test_exact_delta_of_every_record_against_60_digits():
    found = [pmp.gaussian_delta_exact(FOUR, 0.5, GRID, record=r) for r in range(4)]
    np.testing.assert_allclose(np.transpose(found), FOUR_EXACT, rtol=1e-12)
    assert pmp.gaussian_epsilon_exact(FOUR, 0.5, 0.01) == pytest.approx(6.2885677637835871445, rel=1e-12)
    two = pmp.gaussian_epsilon_exact([0.0, 1.0], 0.5, 0.01)
    assert two == pytest.approx(5.9978925298189198698, rel=1e-12)


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


def test_all_records_are_looked_at():
    values = np.random.default_rng(16).standard_normal(24) / 12
    sigma = noise(values, 4.0)
    for function, at in ((pmp.gaussian_epsilon_exact, 0.01), (pmp.gaussian_delta_exact, GRID)):
        each = [function(values, sigma, at, record=r) for r in range(24)]
        np.testing.assert_allclose(function(values, sigma, at), np.max(each, axis=0), rtol=1e-9, atol=1e-12)


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
    rng, exact = np.random.default_rng(0), pmp.gaussian_epsilon_exact(values, sigma, 0.05, record=row)
    between = pmp.gaussian_epsilon_mixture(values, sigma, 0.05, rng)
    assert exact <= between.high
    assert between.low <= bound
    assert exact <= bound <= pmp.gaussian_subset_epsilon(values, sigma, 0.05)
    assert pmp.gaussian_epsilon_projection(values, sigma, 0.05) == pytest.approx(exact, rel=1e-9)
    if n == 60:
        assert exact < 0.9 * between.low
        assert between.high < 0.9 * bound
        normal = pmp.gaussian_epsilon_normal(values, sigma, 0.05)
        assert normal == pytest.approx(exact, rel=0.02)


def test_mixture_interval_covers_and_is_exact_for_one_record():
    truth, missed = float(tradeoff.gaussian_delta(1.0, 0.5)), 0
    for rng in map(np.random.default_rng, range(60)):
        found = pmp.gaussian_epsilon_mixture([0.0, 1.0], 0.5, truth, rng, draws=400)
        assert found.kind == "estimate"
        assert found.low <= found.value <= found.high
        missed += not found.low <= 1.0 <= found.high
    assert missed <= 8  # 3 expected at most; the interval is conservative
    sharp = pmp.gaussian_epsilon_mixture([0.0, 1.0], 0.5, truth, np.random.default_rng(0), 200_000)
    assert sharp.value == pytest.approx(1.0, abs=0.02)
    few = pmp.gaussian_epsilon_mixture([0.0, 1.0], 0.5, 1e-6, np.random.default_rng(0), draws=50)
    assert few.high == math.inf
    assert few.warning


def test_mixture_against_listing_all_swaps():
    # n = 2: three pairs of records that may be out; the hockey-stick of each by quadrature.
    row, t, total = 2, np.linspace(-30, 30, 200_001), 0.0
    others = (np.delete(FOUR, row) - FOUR[row]) / 0.5
    for pair in combinations(others, 2):
        mix = sum(norm.pdf(t, u) for u in pair) / 2
        total += np.trapezoid(np.maximum(norm.pdf(t) - math.e * mix, 0), t) / 3
    found = pmp.gaussian_epsilon_mixture(FOUR, 0.5, total, np.random.default_rng(1), 100_000)
    assert found.low < 1.0 < found.high
    assert FOUR_EXACT[2][row] <= total <= FOUR_BOUND[2][row]
    assert found.high - found.low < 0.1


def test_shift_is_the_distance_in_the_covariance_of_the_release():
    values, sigma = np.random.default_rng(19).standard_normal((8, 2)), 0.8
    shifts, _ = gaussian_exact._shifts(gaussian_exact.standardised(values, sigma))
    for row in range(8):
        others = np.delete(values, row, axis=0)
        fewer, more = (np.array([sum(c) for c in combinations(others, size)]) for size in (3, 4))
        u = fewer.mean(axis=0) + values[row] - more.mean(axis=0)
        covariance = sigma**2 * np.eye(2) + np.cov(fewer.T, bias=True)
        assert shifts[row] == pytest.approx(math.sqrt(u @ np.linalg.solve(covariance, u)), rel=1e-9)
    expected = tradeoff.gaussian_epsilon(0.02, sigma=1.0, sensitivity=shifts.max())
    assert pmp.gaussian_epsilon_normal(values, sigma, 0.02) == expected


def test_densities_vanish_far_out():
    for pool in (np.arange(20.0) / 10, np.arange(8.0) / 10):
        found = pmp.gaussian_densities(pool, 1.0, 0, [33.0, 50.0, 1e6, 1e20, 1e200])
        assert np.array(found) == pytest.approx(np.zeros((2, 5)), abs=1e-80)
    assert np.min(pmp.gaussian_densities(np.arange(20.0) / 10, 1.0, 0, [9.0])) > 0.1


mp.dps = 50


def hypergeometric_delta(ones, size, sigma, epsilon, own):
    """Return the delta of a record of value ``own`` in a pool of zeros and ones, to 50 digits.

    With it, the half holds ``own`` plus a hypergeometric number of ones; without it, only such
    a number.  The ratio of the two densities is monotone, so one point parts them.
    """
    rest, others, sigma, sign = ones - own, 2 * size - 1, mpf(sigma), 1 if own else -1

    def mean(function, drawn, start):
        """Return the mean of a function of the sum: ``start`` and the ones among the drawn."""
        ways = ((k, comb(rest, k) * comb(others - rest, drawn - k)) for k in range(drawn + 1))
        return sum(mpf(w) * function(start + k) for k, w in ways if w) / comb(others, drawn)

    def gap(function):
        return mean(function, size - 1, own) - mp.exp(epsilon) * mean(function, size, 0)

    low, high = -sign * (size + 60 * sigma), sign * (size + 60 * sigma)
    if gap(lambda k: mp.npdf((high - k) / sigma)) <= 0:
        return mpf(0)
    for _ in range(150):
        middle = (low + high) / 2
        more = gap(lambda k, t=middle: mp.npdf((t - k) / sigma)) > 0
        low, high = (low, middle) if more else (middle, high)
    return gap(lambda k: mp.ncdf(sign * (k - high) / sigma))


@pytest.mark.parametrize(("size", "ones", "sigma"), [(8, 8, 0.3), (8, 8, 1.0), (50, 10, 1.0), (20, 1, 0.2)])
def test_exact_deltas_to_many_digits(size, ones, sigma):
    pool, kept = np.r_[np.zeros(2 * size - ones), np.ones(ones)], 0
    for epsilon in (0.1, 1.0, 3.0, 6.0, 9.0, 12.0, 15.0, 17.0):
        truth = float(max(hypergeometric_delta(ones, size, sigma, epsilon, own) for own in (0, 1)))
        rounding = 1e-12 + 3e-16 * (1 + math.exp(epsilon))
        if rounding > max(1e-3 * truth, 4e-12):
            refused("stands out from its rounding", pmp.gaussian_delta_exact, pool, sigma, epsilon)
        else:
            kept += 1
            found = pmp.gaussian_delta_exact(pool, sigma, epsilon)
            assert found == pytest.approx(truth, abs=rounding + 1e-8 * truth)
    assert kept > 2


def test_exact_epsilons_are_right_or_refused():
    """For a delta of 1e-11 rounding once made 16.6 of 20.5."""
    pool = np.r_[np.zeros(8), np.ones(8)]
    refused("delta = 1e-11: must be such that delta stands out", pmp.gaussian_epsilon_exact, pool, 0.3, 1e-11)
    found = pmp.gaussian_epsilon_exact(pool, 0.3, 1e-6)
    truth = max(float(hypergeometric_delta(8, 8, 0.3, found, own)) for own in (0, 1))
    assert truth == pytest.approx(1e-6, rel=1e-3)
