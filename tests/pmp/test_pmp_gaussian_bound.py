"""Proposition 12, its edges, and what is refused.

Reference values marked (60 digits) come from enumeration of all halves in 60-digit arithmetic."""

import math
from itertools import combinations

import numpy as np
import pytest
from gaussian_pools import FOUR, FOUR_BOUND, GRID, noise
from shared import refused

from mipbook import pmp, tradeoff
from mipbook.pmp import gaussian_bound, gaussian_rows
from mipbook.pmp.gaussian_bound import Moments, Rows, decreasing_root, majorant, standardised, survivors
from mipbook.pmp.gaussian_rows import distinct


def test_bound_of_every_record_against_60_digits():
    found = pmp.gaussian_delta_bound(FOUR, 0.5, GRID, per_record=True)
    np.testing.assert_allclose(found, FOUR_BOUND, rtol=1e-13)
    np.testing.assert_allclose(
        pmp.gaussian_delta_bound(FOUR, 0.5, GRID), np.max(FOUR_BOUND, axis=1), rtol=1e-13
    )
    assert pmp.gaussian_epsilon_bound(FOUR, 0.5, 0.01) == pytest.approx(13.002799129580114787, rel=1e-12)


def test_bound_equals_the_published_double_sum_over_adjacent_halves():
    x = [[0.5, 0.1], [-1.0, 0.7], [0.2, -1.5], [1.1, 1.3], [-0.4, -0.6], [2.0, -0.3]]
    values = np.array(x) / 3
    found = pmp.gaussian_delta_bound(values, 0.4, 1.0, per_record=True)
    halves = [set(c) for c in combinations(range(6), 3)]
    for row in range(6):
        total, pairs = 0.0, 0
        for inside in (h for h in halves if row in h):
            for outside in (h for h in halves if row not in h and len(h & inside) == 2):
                gap = values[list(inside)].sum(axis=0) - values[list(outside)].sum(axis=0)
                total += tradeoff.gaussian_delta(1.0, 0.4, float(np.linalg.norm(gap)))
                pairs += 1
        assert pairs == 3 * math.comb(5, 2)
        assert found[row] == pytest.approx(total / pairs, rel=1e-12)


def test_epsilon_of_one_record_is_the_root_of_its_own_average(pools):
    for values in pools:
        rows = range(0, len(values), 3)
        single = [pmp.gaussian_epsilon_bound(values, 0.5, 0.01, record=row) for row in rows]
        for row, epsilon in zip(rows, single, strict=True):
            own = pmp.gaussian_delta_bound(values, 0.5, epsilon, per_record=True)[row]
            assert own <= 0.01
            assert epsilon == 0 or own == pytest.approx(0.01, rel=1e-9)
        assert max(single) <= pmp.gaussian_epsilon_bound(values, 0.5, 0.01) * (1 + 1e-12)
    refused("record = 4", pmp.gaussian_epsilon_bound, FOUR, 0.5, 0.01, record=4)


def test_epsilon_is_the_root_and_on_the_safe_side(pools):
    for values in pools:
        for target, delta in ((0.5, 0.01), (5.0, 0.01), (3.0, 1e-8), (60.0, 0.3)):
            sigma = noise(values, target, delta)
            epsilon = pmp.gaussian_epsilon_bound(values, sigma, delta)
            assert 0 < epsilon <= target * (1 + 1e-9)
            assert pmp.gaussian_delta_bound(values, sigma, epsilon) <= delta
            assert pmp.gaussian_delta_bound(values, sigma, epsilon * (1 - 1e-9)) > delta


def test_edges_of_delta_epsilon_and_sigma():
    equal = np.full((6, 2), 3.0)
    for function in (pmp.gaussian_epsilon_bound, pmp.gaussian_epsilon_normal):
        assert function(FOUR, 0.5, 0.0) == math.inf
        assert function(FOUR, 0.5, 1.0) == 0.0
        assert function(equal, 0.5, 0.0) == 0.0
        assert function(equal, 0.5, 0.3) == 0.0
        assert function(FOUR, 1e9, 0.01) == 0.0
    assert pmp.gaussian_epsilon_exact(FOUR, 0.5, 0.0) == math.inf
    assert pmp.gaussian_epsilon_exact(equal[:, 0], 0.5, 0.0) == 0.0
    assert pmp.gaussian_epsilon_exact(FOUR, 1e9, 0.01) == 0.0
    assert pmp.gaussian_epsilon_exact(FOUR, 0.5, 1.0) == 0.0
    assert pmp.gaussian_epsilon_projection(equal, 0.5, 0.0) == 0.0
    assert pmp.gaussian_subset_epsilon(equal, 0.5, 0.0) == 0.0
    assert pmp.gaussian_delta_exact(equal[:, 0], 0.5, GRID).tolist() == [0.0] * 4
    assert pmp.gaussian_delta_bound(FOUR, 0.5, math.inf) == 0.0
    # Just above and just below the delta at epsilon 0.
    top = pmp.gaussian_delta_bound(FOUR, 0.5, 0.0)
    assert pmp.gaussian_epsilon_bound(FOUR, 0.5, top * (1 + 1e-9)) == 0.0
    assert 0 < pmp.gaussian_epsilon_bound(FOUR, 0.5, top * (1 - 1e-6)) < 1e-4


def test_extreme_scales_stay_finite():
    assert pmp.gaussian_epsilon_bound(FOUR, 1e-4, 1e-200) > 1e8
    assert pmp.gaussian_epsilon_bound(FOUR * 1e-160, 0.5e-160, 0.01) == pytest.approx(
        13.002799129580114787, rel=1e-12
    )
    assert pmp.gaussian_epsilon_bound(FOUR + 1e6, 0.5, 0.01) == pytest.approx(13.0028, rel=1e-6)
    assert pmp.gaussian_epsilon_bound([-1e308, 1e308], 1e308, 0.01) == pytest.approx(
        tradeoff.gaussian_epsilon(0.01, sigma=0.5), rel=1e-9
    )
    # Two records, one of them infinitely far away for all purposes.
    assert pmp.gaussian_delta_bound([0.0, 1e60], 1.0, 1e6) == 1.0


def test_bad_input_is_named():
    plane = np.zeros((4, 2))
    refused("^values = ", pmp.gaussian_epsilon_bound, [0.0, 1.0, 2.0], 1.0, 0.1)
    refused("^values = ", pmp.gaussian_epsilon_exact, plane, 1.0, 0.1)
    refused("^values = ", pmp.gaussian_delta_exact, plane, 1.0, 0.1)
    refused("^values = ", pmp.gaussian_epsilon_bound, [0.0, 1.0], 1e-300, 0.1)
    refused("^values = ", pmp.gaussian_ratios, plane, 1.0, 0.1, "subset", 1.0)
    refused("^epsilon = ", pmp.gaussian_delta_exact, FOUR, 1.0, 800.0)
    refused("^epsilon = ", pmp.gaussian_delta_exact, np.arange(40.0), 1.0, 30.0)
    refused("^sigma = ", pmp.gaussian_epsilon_exact, [*np.arange(39.0), 1e4], 1.0, 0.01)
    refused("^sigma = ", pmp.gaussian_epsilon_exact, np.arange(4000.0), 1e-3, 0.01)
    rng = np.random.default_rng(0)
    refused("^record = ", pmp.gaussian_epsilon_mixture, FOUR, 1.0, 0.1, rng, record=-1)
    refused("^record = ", pmp.gaussian_epsilon_exact, FOUR, 1.0, 0.1, record=4)


@pytest.fixture
def only_certificate(monkeypatch):
    """Use the algorithm for large pools whatever the size."""
    monkeypatch.setattr(gaussian_bound, "SMALL", 1)


def test_certificate_and_full_evaluation_agree(pools, monkeypatch):
    rng = np.random.default_rng(8)
    sphere = rng.standard_normal((200, 6))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    circle = np.exp(2j * np.pi * np.arange(50) / 50)
    cases = [*pools, sphere / 100, np.stack([circle.real, circle.imag], axis=1)]
    for values in cases:
        for target in (0.2, 1.0, 8.0, 300.0):
            sigma = noise(values, target)
            monkeypatch.setattr(gaussian_bound, "SMALL", 1000)
            full = pmp.gaussian_epsilon_bound(values, sigma, 0.01)
            worst = pmp.gaussian_delta_bound(values, sigma, [0.0, target / 2, target])
            monkeypatch.setattr(gaussian_bound, "SMALL", 1)
            assert pmp.gaussian_epsilon_bound(values, sigma, 0.01) == pytest.approx(full, rel=1e-9)
            np.testing.assert_allclose(
                pmp.gaussian_delta_bound(values, sigma, [0.0, target / 2, target]),
                worst,
                rtol=1e-12,
                atol=1e-300,
            )


def test_parabola_lies_above_delta_everywhere_and_a_lowered_one_does_not():
    rng = np.random.default_rng(9)
    for epsilon, top in ((0.0, 0.3), (0.5, 4.0), (5.0, 20.0), (5.0, 4e4), (300.0, 900.0)):
        for mean in (0.02, 0.3, 0.8):
            square = mean**2 + rng.random() * (mean - mean**2)
            a, b, c = majorant(epsilon, top, mean, square)
            t = np.union1d(rng.random(300_000), np.geomspace(1e-12, 1, 20_000))
            height = tradeoff.gaussian_delta(epsilon, 1.0, np.sqrt(t * top))
            gap = a + b * t + c * t * t - height
            assert gap.min() >= 0
            # It is tight: it touches to within a thousandth of the largest delta.
            assert gap.min() <= 1e-3 * height.max()
            lowered = np.array([a - 1e-3 * height.max() - gap.min(), b, c])
            knots = np.linspace(0, 1, 50)
            lift = gaussian_bound._lift(epsilon, top, knots, lowered)
            assert lift >= 0.999e-3 * height.max()


def test_moments_hold_the_sums_over_all_pairs():
    rng = np.random.default_rng(10)
    for offset in (0.0, 1e8):
        values = offset + rng.integers(0, 9, (70, 3)).astype(float)
        values[:4] += 1000 * rng.standard_normal((4, 3))
        rows = Rows(values)
        moments = Moments(rows)
        square = ((rows.points[:, None] - rows.points) ** 2).sum(axis=2) / moments.top
        assert square.max() <= 1
        for power, (low, high) in ((1, moments.first), (2, moments.second)):
            true = square**power @ rows.weights / rows.others
            assert (low <= true).all()
            assert (true <= high).all()
            assert (high - low <= 1e-12).all()


def test_equal_records_are_merged_and_different_ones_never():
    rng = np.random.default_rng(11)
    table = rng.integers(-2, 3, (5000, 2)).astype(float)
    table[table == 0] *= rng.choice([-1.0, 1.0], (table == 0).sum())  # both zeros
    points, weights, which = distinct(table)
    assert len(points) == 25
    assert weights.sum() == 5000
    assert (points[which] == table).all()
    fresh = rng.standard_normal((4000, 3))
    assert len(distinct(fresh)[0]) == 4000
    # With and without merging the bound is the same.
    few = table[:60]
    nudged = few + 1e-13 * rng.standard_normal(few.shape)
    assert Rows(nudged).count == 60
    assert pmp.gaussian_epsilon_bound(nudged, 2.0, 0.01) == pytest.approx(
        pmp.gaussian_epsilon_bound(few, 2.0, 0.01), rel=1e-9
    )


def test_different_records_with_one_hash_are_kept_apart(monkeypatch):
    monkeypatch.setattr(gaussian_rows, "_odd", lambda columns: np.zeros(columns, np.uint64))
    table = np.array([[1.0, 1.0], [2.0, 3.0], [1.0, 1.0]])
    points, weights, which = distinct(table)
    assert (points[which] == table).all()
    assert weights.sum() == 3


def test_a_hundred_thousand_records_are_certified():
    rng = np.random.default_rng(12)
    values = rng.standard_normal((100_000, 20))
    sigma = 5.0
    epsilon = pmp.gaussian_epsilon_bound(values, sigma, 0.01)
    rows = Rows(standardised(values, sigma))
    farthest = int(np.argmax((values**2).sum(axis=1)))
    sample = np.union1d(rng.choice(100_000, 40, replace=False), farthest)
    averages = rows.averages(epsilon, sample)
    assert (averages <= 0.01).all()
    assert averages.max() == pytest.approx(0.01, rel=1e-9)
    # At a smaller epsilon the worst record is over delta, and the certificate does not pass.
    left, _ = survivors(rows, Moments(rows), epsilon * 0.999, 0.01)
    assert farthest in left
    assert pmp.gaussian_delta_bound(values, sigma, epsilon) == pytest.approx(0.01, rel=1e-9)


def test_certificate_finds_a_planted_worst_record(only_certificate):
    # Two far groups have the largest mean squared distances; one record near the larger
    # group is far from everybody in units of the noise, and worse off.
    rng = np.random.default_rng(24)
    values = 1e-3 * rng.standard_normal((502, 2))
    values[300:500, 0] += 100.0
    values[500:, 1] += [6.0, 3.0]
    rows = Rows(standardised(values, 1.0))
    ranked = np.argsort(-Moments(rows).first[1])
    assert list(ranked).index(500) >= 200
    tempting = rows.root(int(ranked[0]), 0.9)
    epsilon = pmp.gaussian_epsilon_bound(values, 1.0, 0.9)
    assert tempting < 0.9 * epsilon
    averages = rows.all_averages(epsilon)
    assert averages.argmax() == 500
    assert averages[500] == pytest.approx(0.9, rel=1e-9)
    assert averages[500] <= 0.9


def test_where_pairs_cost_too_much_a_larger_certified_epsilon_comes(monkeypatch, only_certificate):
    rng = np.random.default_rng(13)
    sphere = rng.standard_normal((400, 5))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    sigma = noise(sphere, 3.0)
    sharp = pmp.gaussian_epsilon_bound(sphere, sigma, 0.01)
    at = pmp.gaussian_delta_bound(sphere, sigma, sharp)
    monkeypatch.setattr(gaussian_bound, "_BUDGET", 4000)
    coarse = pmp.gaussian_epsilon_bound(sphere, sigma, 0.01)
    assert sharp < coarse < 1.2 * sharp
    assert at <= pmp.gaussian_delta_bound(sphere, sigma, sharp) < 1.5 * at
    assert (Rows(standardised(sphere, sigma)).all_averages(coarse) <= 0.01).all()


def test_root_finder_returns_the_upper_side():
    for target in (1e-300, 1e-5, 0.3):
        root = decreasing_root(lambda x: math.exp(-x), target, 0.0, 1000.0)
        assert root == pytest.approx(-math.log(target), rel=1e-12)
        assert math.exp(-root) <= target
    assert decreasing_root(lambda x: math.exp(-x), 2.0, 0.0, 1.0) == 0.0
