"""Proposition 12, its edges, and what is refused.

Reference values marked (60 digits) come from enumeration of all halves in 60-digit arithmetic.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from gaussian_pools import FOUR, FOUR_BOUND, GRID, noise

from mipbook import pmp, tradeoff


def test_bound_of_every_record_against_60_digits():
    found = pmp.gaussian_delta_bound(FOUR, 0.5, GRID, per_record=True)
    np.testing.assert_allclose(found, FOUR_BOUND, rtol=1e-13)
    np.testing.assert_allclose(
        pmp.gaussian_delta_bound(FOUR, 0.5, GRID), np.max(FOUR_BOUND, axis=1), rtol=1e-13
    )
    assert pmp.gaussian_epsilon_bound(FOUR, 0.5, 0.01) == pytest.approx(13.002799129580114787, rel=1e-12)
    one = pmp.gaussian_delta_bound([0.0, 1.0], 0.5, GRID)
    expected = [0.68268949213708590, 0.59918561853393326, 0.50986166005467015, 0.33189799877682939]
    np.testing.assert_allclose(one, expected, rtol=1e-13)


def test_bound_equals_the_published_double_sum_over_adjacent_halves():
    x = [[0.5, 0.1], [-1.0, 0.7], [0.2, -1.5], [1.1, 1.3], [-0.4, -0.6], [2.0, -0.3]]
    expected = [  # (60 digits), the double sum over D and D'
        0.20808476013120035959,
        0.4293793184276205909,
        0.39787073892274520076,
        0.42334767482863625524,
        0.28669511824159883206,
        0.44556654194839256265,
    ]
    values = np.array(x) / 3
    found = pmp.gaussian_delta_bound(values, 0.4, 1.0, per_record=True)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    # The same sum here, straight from the formula.
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
    with pytest.raises(ValueError, match="record = 4"):
        pmp.gaussian_epsilon_bound(FOUR, 0.5, 0.01, record=4)


def test_epsilon_is_the_root_and_on_the_safe_side(pools):
    for values in pools:
        for target, delta in ((0.5, 0.01), (5.0, 0.01), (3.0, 1e-8), (60.0, 0.3)):
            sigma = noise(values, target, delta)
            epsilon = pmp.gaussian_epsilon_bound(values, sigma, delta)
            assert 0 < epsilon <= target * (1 + 1e-9)
            assert pmp.gaussian_delta_bound(values, sigma, epsilon) <= delta
            assert pmp.gaussian_delta_bound(values, sigma, epsilon * (1 - 1e-9)) > delta


def test_bound_falls_with_sigma_and_with_epsilon(pools):
    for values in pools:
        sigmas = noise(values, 3.0) * np.geomspace(0.3, 3.0, 8)
        found = [pmp.gaussian_epsilon_bound(values, s, 0.01) for s in sigmas]
        assert (np.diff(found) < 0).all()
        deltas = pmp.gaussian_delta_bound(values, sigmas[3], np.linspace(0, 5, 9), per_record=True)
        assert (np.diff(deltas, axis=0) < 0).all()


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
        tradeoff.gaussian_epsilon(0.01, 0.5), rel=1e-9
    )
    # Two records, one of them infinitely far away for all purposes.
    assert pmp.gaussian_delta_bound([0.0, 1e60], 1.0, 1e6) == 1.0


def test_one_record_drawn_is_plain_dp():
    for delta in (1e-6, 0.01, 0.3):
        dp = tradeoff.gaussian_epsilon(delta, 0.5)
        for function in (
            pmp.gaussian_epsilon_bound,
            pmp.gaussian_epsilon_exact,
            pmp.gaussian_epsilon_normal,
            pmp.gaussian_epsilon_projection,
            pmp.gaussian_subset_epsilon,
        ):
            assert function([0.0, 1.0], 0.5, delta) == pytest.approx(dp, rel=1e-10), function
    plane = [[0.0, 0.0], [0.6, 0.8]]
    assert pmp.gaussian_epsilon_projection(plane, 0.5, 0.01) == pytest.approx(5.99789252981891987)


@pytest.mark.parametrize(
    "function",
    [
        pmp.gaussian_epsilon_bound,
        pmp.gaussian_epsilon_exact,
        pmp.gaussian_epsilon_normal,
        pmp.gaussian_epsilon_projection,
        pmp.gaussian_subset_epsilon,
    ],
)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("values", ([0.0, 1.0, 2.0], 1.0, 0.1)),
        ("values", ([0.0, math.inf], 1.0, 0.1)),
        ("values", ([], 1.0, 0.1)),
        ("sigma", ([0.0, 1.0], 0.0, 0.1)),
        ("sigma", ([0.0, 1.0], math.inf, 0.1)),
        ("delta", ([0.0, 1.0], 1.0, 1.5)),
        ("delta", ([0.0, 1.0], 1.0, -0.1)),
    ],
)
def test_bad_input_is_named(function, name, arguments):
    with pytest.raises(ValueError, match=f"^{name} = "):
        function(*arguments)


def test_more_bad_input_is_named():
    rng = np.random.default_rng(0)
    plane = np.zeros((4, 2))
    cases = [
        ("values", lambda: pmp.gaussian_epsilon_exact(plane, 1.0, 0.1)),
        ("values", lambda: pmp.gaussian_delta_exact(plane, 1.0, 0.1)),
        ("values", lambda: pmp.gaussian_epsilon_bound([0.0, 1.0], 1e-300, 0.1)),
        ("values", lambda: pmp.gaussian_ratios(plane, 1.0, 0.1, "subset", 1.0)),
        ("epsilon", lambda: pmp.gaussian_delta_bound(FOUR, 1.0, -1.0)),
        ("epsilon", lambda: pmp.gaussian_delta_exact(FOUR, 1.0, 800.0)),
        ("epsilon", lambda: pmp.gaussian_delta_exact(np.arange(40.0), 1.0, 30.0)),
        ("sigma", lambda: pmp.gaussian_epsilon_exact([*np.arange(39.0), 1e4], 1.0, 0.01)),
        ("sigma", lambda: pmp.gaussian_epsilon_exact(np.arange(4000.0), 1e-3, 0.01)),
        ("record", lambda: pmp.gaussian_epsilon_exact(FOUR, 1.0, 0.1, record=4)),
        ("record", lambda: pmp.gaussian_delta_mixture(FOUR, 1.0, 0.1, rng, record=-1)),
        ("rng", lambda: pmp.gaussian_delta_mixture(FOUR, 1.0, 0.1, 0)),
        ("draws", lambda: pmp.gaussian_delta_mixture(FOUR, 1.0, 0.1, rng, draws=1)),
        ("confidence", lambda: pmp.gaussian_epsilon_mixture(FOUR, 1.0, 0.1, rng, confidence=1.0)),
        ("delta", lambda: pmp.gaussian_epsilon_mixture(FOUR, 1.0, 0.0, rng)),
        ("n", lambda: pmp.gaussian_sensitivity(0, 1.0)),
        ("clip", lambda: pmp.gaussian_sensitivity(1, math.inf)),
        ("held", lambda: pmp.gaussian_trial(2, 1, 1.0, 1.0, 0, 1.0, 0.1, "x", 1.0, rng)),
        ("sensitivity", lambda: pmp.gaussian_trial(2, 1, 1.0, 1.0, 0, 1.0, 0.1, "epsilon", 1.0, rng, "C")),
    ]
    for name, call in cases:
        with pytest.raises(ValueError, match=f"^{name} = "):
            call()
