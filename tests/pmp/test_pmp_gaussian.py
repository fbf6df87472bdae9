"""The Gaussian mechanism on a pool: Proposition 12 and its certificate, and the exact curve below it."""

import math
from itertools import combinations
from math import comb

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.spatial.distance import pdist
from scipy.stats import norm
from shared import refused

from mipbook import pmp, tradeoff
from mipbook.pmp import gaussian_bound, gaussian_exact, gaussian_rows
from mipbook.pmp.gaussian_bound import Moments, Rows, majorant, standardised, survivors
from mipbook.pmp.gaussian_rows import distinct

mp.dps = 50
DRAWN = np.random.default_rng(7)
# With and without outliers and equal records.
POOLS = [
    DRAWN.standard_normal((12, 1)) / 6,
    DRAWN.standard_normal((60, 3)) / 30,
    np.concatenate([10 * DRAWN.standard_normal((2, 4)), DRAWN.standard_normal((98, 4))]) / 50,
    DRAWN.integers(0, 3, (80, 2)) / 40.0,
]
FOUR = np.array([0.3, -1.2, 2.5, 0.9]) / 2
GRID = [0.0, 0.5, 1.0, 2.0]
# (60 digits): delta of each record of FOUR at sigma 0.5, a row per epsilon.
FOUR_EXACT = [
    [0.11940856068500076742, 0.60247521917898534594, 0.62906029363014862807, 0.13624575194404656736],
    [0.02802423925685110032, 0.50570550806737978299, 0.53684952698059934221, 0.027138996660547872],
    [0.0062473819833650129948, 0.41651684164076099133, 0.44902118446639814, 0.0061500825033440872],
    [5.8401049109837617101e-5, 0.26189273274117628095, 0.29325685163242436, 5.8237182061724043e-5],
]
FOUR_BOUND = [
    [0.5037453392438011752, 0.72957121096774809617, 0.74688117711640461886, 0.50613131148644000418],
    [0.39112280761649807968, 0.65945856005405244813, 0.68078715578222111, 0.39380034372121159616],
    [0.30562350952036698616, 0.58717043262356812605, 0.61139308971533344, 0.30776545893096043736],
    [0.18456339316901038852, 0.45223485955611083444, 0.47702553447796498, 0.18304385865234582448],
]


def noise(values, epsilon, delta=0.01):
    return float(tradeoff.gaussian_sigma(epsilon, delta=delta, sensitivity=pmp.diameter(values)))


def test_bound_of_every_record_against_60_digits():
    found = pmp.gaussian_delta_bound(FOUR, 0.5, GRID, per_record=True)
    np.testing.assert_allclose(found, FOUR_BOUND, rtol=1e-13)
    worst = pmp.gaussian_delta_bound(FOUR, 0.5, GRID)
    np.testing.assert_allclose(worst, np.max(FOUR_BOUND, axis=1), rtol=1e-13)
    assert pmp.gaussian_epsilon_bound(FOUR, 0.5, 0.01) == pytest.approx(13.002799129580114787, rel=1e-12)


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
    plane = np.zeros((4, 2))
    refused("^values = ", pmp.gaussian_epsilon_bound, [0.0, 1.0, 2.0], 1.0, 0.1)
    refused("^values = ", pmp.gaussian_epsilon_bound, [0.0, 1.0], 1e-300, 0.1)
    refused("^values = ", pmp.gaussian_delta_exact, plane, 1.0, 0.1)
    refused("^values = ", pmp.gaussian_ratios, plane, 1.0, 0.1, "subset", 1.0)
    refused("^epsilon = ", pmp.gaussian_delta_exact, np.arange(40.0), 1.0, 30.0)
    refused("^sigma = ", pmp.gaussian_epsilon_exact, [*np.arange(39.0), 1e4], 1.0, 0.01)
    refused("^sigma = ", pmp.gaussian_epsilon_exact, np.arange(4000.0), 1e-3, 0.01)
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


def sphere(count, dimension):
    drawn = np.random.default_rng(13).standard_normal((count, dimension))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


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


def test_certificate_finds_a_planted_worst_record(monkeypatch):
    monkeypatch.setattr(gaussian_bound, "SMALL", 1)
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


def test_where_pairs_cost_too_much_a_larger_certified_epsilon_comes(monkeypatch):
    monkeypatch.setattr(gaussian_bound, "SMALL", 1)
    values = sphere(400, 5)
    sigma = noise(values, 3.0)
    sharp = pmp.gaussian_epsilon_bound(values, sigma, 0.01)
    at = pmp.gaussian_delta_bound(values, sigma, sharp)
    monkeypatch.setattr(gaussian_bound, "_BUDGET", 4000)
    coarse = pmp.gaussian_epsilon_bound(values, sigma, 0.01)
    assert sharp < coarse < 1.2 * sharp
    assert at <= pmp.gaussian_delta_bound(values, sigma, sharp) < 1.5 * at
    assert (Rows(standardised(values, sigma)).averages(coarse) <= 0.01).all()


# --- The exact curve in one dimension, and what lies between it and the bound -----------------------


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
