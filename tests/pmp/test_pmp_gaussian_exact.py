"""The exact curve of the Gaussian mechanism in one dimension.

Reference values marked (60 digits) come from enumeration of all halves in 60-digit arithmetic.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from gaussian_pools import FOUR, FOUR_EXACT, GRID, noise

from mipbook import pmp, tradeoff
from mipbook.pmp import gaussian_exact as gaussian_exact
from mipbook.pmp.gaussian_mixtures import AtomPair, FourierPair, leave_one_out


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


def test_exact_against_integer_counts_and_quadrature():
    # Whole numbers: how many halves have each sum follows from counting, in integers.
    values = np.random.default_rng(14).integers(-9, 10, 40)
    row, n, sigma = int(np.argmax(np.abs(values))), 20, 6.0
    shift = 10 * 40
    ways = [[0] * (2 * shift) for _ in range(n + 1)]
    ways[0][shift] = 1
    for v in np.delete(values, row).tolist():
        for k in range(n, 0, -1):
            old = ways[k - 1]
            ways[k] = [w + (old[s - v] if 0 <= s - v < 2 * shift else 0) for s, w in enumerate(ways[k])]
    sums = np.arange(2 * shift) - shift
    t = np.linspace(-250, 250, 400_001)
    densities = []
    for k, move in ((n - 1, values[row]), (n, 0)):
        weights = np.array([w / math.comb(39, k) for w in ways[k]])
        at = np.flatnonzero(weights > 1e-18)
        curve = np.zeros(t.size)
        for s in at:
            curve += weights[s] * np.exp(-0.5 * ((t - sums[s] - move) / sigma) ** 2)
        densities.append(curve / (sigma * math.sqrt(2 * math.pi)))
    for epsilon in (0.0, 0.4, 1.5):
        both = [
            np.trapezoid(np.maximum(p - math.exp(epsilon) * q, 0), t) for p, q in (densities, densities[::-1])
        ]
        found = pmp.gaussian_delta_exact(values.astype(float), sigma, epsilon, record=row)
        assert found == pytest.approx(max(both), abs=1e-9)
        assert abs(found - 1.001 * max(both)) > 1e-9  # a part in a thousand would be seen


def test_both_directions_are_equal_and_only_for_matching_sizes():
    rng = np.random.default_rng(25)
    for _ in range(10):
        line = rng.standard_normal(10) * rng.choice([0.3, 3.0])
        others = line[1:]
        inside, outside = (np.array([sum(c) for c in combinations(others, k)]) for k in (4, 5))
        for epsilon in (0.0, 0.7, 2.0):
            there = AtomPair(line[0] + inside, outside).delta(epsilon)
            back = AtomPair(outside, line[0] + inside).delta(epsilon)
            assert there == pytest.approx(back, rel=1e-10)
            assert pmp.gaussian_delta_exact(line, 1.0, epsilon, record=0) == pytest.approx(there)
    # Fewer than half drawn: the two directions differ.
    line = np.arange(10.0) ** 2 / 20
    others = line[:-1]
    inside, outside = (np.array([sum(c) for c in combinations(others, k)]) for k in (2, 3))
    there = AtomPair(line[-1] + inside, outside).delta(0.7)
    assert abs(there - AtomPair(outside, line[-1] + inside).delta(0.7)) > 1e-4


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


def test_order_of_the_records_looked_at_does_not_matter(monkeypatch):
    values = np.random.default_rng(26).standard_normal(20) / 10
    sigma = noise(values, 3.0)
    expected = pmp.gaussian_epsilon_exact(values, sigma, 0.01)
    inner_first = gaussian_exact._targets
    monkeypatch.setattr(gaussian_exact, "_targets", lambda *a: inner_first(*a)[::-1])
    assert pmp.gaussian_epsilon_exact(values, sigma, 0.01) == pytest.approx(expected, rel=1e-9)


def test_areas_across_the_end_of_the_period():
    period, omega = 40.0, 2 * np.pi * np.arange(90) / 40.0
    laws = [np.exp(1j * omega * m - 0.5 * omega**2) for m in (1.0, -0.5)]
    expected = tradeoff.gaussian_delta(1.0, 1.0, 1.5)
    for move in (0.0, -1.8, 7.0, 18.5, -19.0):
        pair = FourierPair(*(law * np.exp(1j * omega * move) for law in laws), period)
        assert pair.delta(1.0) == pytest.approx(expected, rel=1e-9), move


def test_exact_curve_falls_with_sigma_and_ignores_shift_and_order():
    values = np.random.default_rng(17).standard_normal(30) / 15
    found = [pmp.gaussian_epsilon_exact(values, s, 0.01) for s in (0.05, 0.1, 0.2, 0.4)]
    assert (np.diff(found) < 0).all()
    again = pmp.gaussian_epsilon_exact(-values[::-1] + 5.0, 0.1, 0.01)
    assert again == pytest.approx(found[1], rel=1e-9)
