"""Proposition 12: its values, its certificate for large pools, its edges, and what is refused."""

import math

import numpy as np
import pytest
from gaussian_pools import FOUR, FOUR_BOUND, GRID, POOLS, noise
from scipy.spatial.distance import pdist
from shared import refused

from mipbook import mip, pmp, tradeoff
from mipbook.pmp import gaussian_bound, gaussian_rows
from mipbook.pmp.gaussian_bound import Moments, Rows, majorant, standardised, survivors
from mipbook.pmp.gaussian_rows import distinct


def test_bound_of_every_record_against_60_digits():
    found = pmp.gaussian_delta_bound(FOUR, 0.5, GRID, per_record=True)
    np.testing.assert_allclose(found, FOUR_BOUND, rtol=1e-13)
    worst = pmp.gaussian_delta_bound(FOUR, 0.5, GRID)
    np.testing.assert_allclose(worst, np.max(FOUR_BOUND, axis=1), rtol=1e-13)
    assert pmp.gaussian_epsilon_bound(FOUR, 0.5, 0.01) == pytest.approx(13.002799129580114787, rel=1e-12)


def test_bound_equals_the_published_double_sum_over_adjacent_halves():
    values = np.array([[5, 1], [-10, 7], [2, -15], [11, 13], [-4, -6], [20, -3]]) / 30
    found = pmp.gaussian_delta_bound(values, 0.4, 1.0, per_record=True)
    for row, halves in enumerate([mip.subsets(6)] * 6):
        inside, outside = halves[halves[:, row]], halves[~halves[:, row]]
        adjacent = inside.astype(int) @ outside.T == 2
        assert adjacent.sum() == 3 * math.comb(5, 2)
        gaps = np.linalg.norm((inside @ values)[:, None] - outside @ values, axis=2)[adjacent]
        assert found[row] == pytest.approx(tradeoff.gaussian_delta(1.0, 0.4, gaps).mean(), rel=1e-12)


def test_epsilon_of_one_record_is_the_root_of_its_own_average():
    for values in POOLS:
        rows = range(0, len(values), 3)
        single = [pmp.gaussian_epsilon_bound(values, 0.5, 0.01, record=row) for row in rows]
        for row, epsilon in zip(rows, single, strict=True):
            own = pmp.gaussian_delta_bound(values, 0.5, epsilon, per_record=True)[row]
            assert own <= 0.01
            assert epsilon == 0 or own > 0.01 * (1 - 1e-9)
        assert max(single) <= pmp.gaussian_epsilon_bound(values, 0.5, 0.01) * (1 + 1e-12)


def test_epsilon_is_the_root_and_on_the_safe_side():
    for values in POOLS:
        for target, delta in ((0.5, 0.01), (5.0, 0.01), (3.0, 1e-8), (60.0, 0.3)):
            sigma = noise(values, target, delta)
            epsilon = pmp.gaussian_epsilon_bound(values, sigma, delta)
            assert 0 < epsilon <= target * (1 + 1e-9)
            assert pmp.gaussian_delta_bound(values, sigma, epsilon) <= delta
            assert pmp.gaussian_delta_bound(values, sigma, epsilon * (1 - 1e-9)) > delta


def test_edges_of_delta_epsilon_and_sigma():
    equal = np.full((6, 2), 3.0)
    for function in (pmp.gaussian_epsilon_bound, pmp.gaussian_epsilon_normal, pmp.gaussian_epsilon_exact):
        assert function(FOUR, 0.5, 0.0) == math.inf
        assert function(FOUR, 0.5, 1.0) == function(FOUR, 1e9, 0.01) == 0.0
        assert function(equal[:, 0], 0.5, 0.0) == function(equal[:, 0], 0.5, 0.3) == 0.0
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
    tiny = pmp.gaussian_epsilon_bound(FOUR * 1e-160, 0.5e-160, 0.01)
    assert tiny == pytest.approx(13.002799129580114787, rel=1e-12)
    assert pmp.gaussian_epsilon_bound(FOUR + 1e6, 0.5, 0.01) == pytest.approx(13.0028, rel=1e-6)
    huge = pmp.gaussian_epsilon_bound([-1e308, 1e308], 1e308, 0.01)
    assert huge == pytest.approx(tradeoff.gaussian_epsilon(0.01, sigma=0.5), rel=1e-9)
    # Two records, one of them infinitely far away for all purposes.
    assert pmp.gaussian_delta_bound([0.0, 1e60], 1.0, 1e6) == 1.0


def test_bad_input_is_named():
    plane, rng = np.zeros((4, 2)), np.random.default_rng(0)
    refused("^values = ", pmp.gaussian_epsilon_bound, [0.0, 1.0, 2.0], 1.0, 0.1)
    refused("^values = ", pmp.gaussian_epsilon_bound, [0.0, 1.0], 1e-300, 0.1)
    refused("^values = ", pmp.gaussian_epsilon_exact, plane, 1.0, 0.1)
    refused("^values = ", pmp.gaussian_delta_exact, plane, 1.0, 0.1)
    refused("^values = ", pmp.gaussian_ratios, plane, 1.0, 0.1, "subset", 1.0)
    refused("^epsilon = ", pmp.gaussian_delta_exact, FOUR, 1.0, 800.0)
    refused("^epsilon = ", pmp.gaussian_delta_exact, np.arange(40.0), 1.0, 30.0)
    refused("^sigma = ", pmp.gaussian_epsilon_exact, [*np.arange(39.0), 1e4], 1.0, 0.01)
    refused("^sigma = ", pmp.gaussian_epsilon_exact, np.arange(4000.0), 1e-3, 0.01)
    refused("^draws = ", pmp.gaussian_epsilon_mixture, FOUR, 1.0, 0.1, rng, draws=1)
    for function in (pmp.gaussian_epsilon_exact, pmp.gaussian_epsilon_bound):
        refused("^record = ", function, FOUR, 1.0, 0.1, record=4)


@pytest.mark.parametrize("d", [1, 2, 20])
def test_diameter_equals_the_largest_of_all_pairs(d):
    rng = np.random.default_rng(d)
    for values in (rng.standard_normal((1200, d)), rng.standard_cauchy((1000, d))):
        assert pmp.diameter(values) == pytest.approx(pdist(values).max(), rel=1e-12)
    for size in (1e200, 1e-200):
        assert pmp.diameter([[3 * size, 0.0], [0.0, 4 * size]]) == pytest.approx(5 * size)
    refused("values = ", pmp.diameter, [1.7e308, -1.7e308])


def test_inside_the_pool_it_is_lemma_10_at_the_diameter():
    for values in POOLS:
        found = pmp.gaussian_subset_epsilon(values, 0.3, 0.01)
        assert found == tradeoff.gaussian_epsilon(0.01, sigma=0.3, sensitivity=pmp.diameter(values))


def sphere(count, dimension):
    drawn = np.random.default_rng(13).standard_normal((count, dimension))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.fixture
def only_certificate(monkeypatch):
    """Use the algorithm for large pools whatever the size."""
    monkeypatch.setattr(gaussian_bound, "SMALL", 1)


def test_certificate_and_full_evaluation_agree(monkeypatch):
    turns = 2 * np.pi * np.arange(50)[:, None] / 50
    circle = np.hstack([np.cos(turns), np.sin(turns)])
    for values in (*POOLS, sphere(200, 6) / 100, circle):
        for target in (0.2, 1.0, 8.0, 300.0):
            sigma = noise(values, target)
            monkeypatch.setattr(gaussian_bound, "SMALL", 1000)
            full = pmp.gaussian_epsilon_bound(values, sigma, 0.01)
            worst = pmp.gaussian_delta_bound(values, sigma, [0.0, target / 2, target])
            monkeypatch.setattr(gaussian_bound, "SMALL", 1)
            assert pmp.gaussian_epsilon_bound(values, sigma, 0.01) == pytest.approx(full, rel=1e-9)
            certified = pmp.gaussian_delta_bound(values, sigma, [0.0, target / 2, target])
            np.testing.assert_allclose(certified, worst, rtol=1e-12, atol=1e-300)


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


def test_equal_records_are_merged_and_different_ones_never(monkeypatch):
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
    one, two = (pmp.gaussian_epsilon_bound(values, 2.0, 0.01) for values in (nudged, few))
    assert one == pytest.approx(two, rel=1e-9)
    # Different records with one hash are kept apart.
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
    assert 0.01 * (1 - 1e-9) < averages.max() <= 0.01
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
    averages = rows.averages(epsilon)
    assert averages.argmax() == 500
    assert 0.9 * (1 - 1e-9) < averages[500] <= 0.9


def test_where_pairs_cost_too_much_a_larger_certified_epsilon_comes(monkeypatch, only_certificate):
    values = sphere(400, 5)
    sigma = noise(values, 3.0)
    sharp = pmp.gaussian_epsilon_bound(values, sigma, 0.01)
    at = pmp.gaussian_delta_bound(values, sigma, sharp)
    monkeypatch.setattr(gaussian_bound, "_BUDGET", 4000)
    coarse = pmp.gaussian_epsilon_bound(values, sigma, 0.01)
    assert sharp < coarse < 1.2 * sharp
    assert at <= pmp.gaussian_delta_bound(values, sigma, sharp) < 1.5 * at
    assert (Rows(standardised(values, sigma)).averages(coarse) <= 0.01).all()
