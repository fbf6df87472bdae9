"""Values far out and arguments that are none: right to many digits, or refused by name."""

import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from mpmath import mp, mpf
from shared import refused

from mipbook import data, pmp

mp.dps = 50


def hypergeometric_delta(ones, size, sigma, epsilon, own):
    """Return the delta of a record of value ``own`` in a pool of zeros and ones, to 50 digits.

    With it, the half holds ``own`` plus a hypergeometric number of ones; without it, only such
    a number.  The ratio of the two densities is monotone, so one point parts them.
    """
    rest, others, sigma = ones - own, 2 * size - 1, mpf(sigma)

    def law(drawn, start):
        total = comb(others, drawn)
        return {
            start + k: mpf(comb(rest, k) * comb(others - rest, drawn - k)) / total
            for k in range(max(0, drawn - others + rest), min(rest, drawn) + 1)
        }

    inside, outside = law(size - 1, own), law(size, 0)
    sign = 1 if own else -1

    def excess(t):
        gain, loss = (
            sum(p * mp.exp(-((t - k) ** 2) / (2 * sigma**2)) for k, p in each.items())
            for each in (inside, outside)
        )
        return mp.log(gain / loss) - epsilon

    low, high = -sign * (size + 60 * sigma), sign * (size + 60 * sigma)
    if excess(high) <= 0:
        return mpf(0)
    for _ in range(150):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) > 0 else (middle, high)

    def tail(each):
        return sum(p * mp.ncdf(sign * (k - high) / sigma) for k, p in each.items())

    return tail(inside) - mp.exp(epsilon) * tail(outside)


@pytest.mark.parametrize(("size", "ones", "sigma"), [(8, 8, 0.3), (8, 8, 1.0), (50, 10, 1.0), (20, 1, 0.2)])
def test_exact_deltas_to_many_digits(size, ones, sigma):
    pool = np.r_[np.zeros(2 * size - ones), np.ones(ones)]
    left_out = 0
    for epsilon in (0.1, 1.0, 3.0, 6.0, 9.0, 12.0, 15.0, 17.0):
        truth = float(max(hypergeometric_delta(ones, size, sigma, epsilon, own) for own in (0, 1)))
        stated = 1e-12 + 3e-16 * (1 + math.exp(epsilon)) + 1e-8 * truth
        rounding = 1e-12 + 3e-16 * (1 + math.exp(epsilon))
        if rounding > max(1e-3 * truth, 4e-12):
            refused("stands out from its rounding", pmp.gaussian_delta_exact, pool, sigma, epsilon)
            left_out += 1
            continue
        found = pmp.gaussian_delta_exact(pool, sigma, epsilon)
        assert found == pytest.approx(truth, abs=stated)
    assert left_out < 6


def test_exact_epsilons_are_right_or_refused():
    """For a delta of 1e-11 rounding once made 16.6 of 20.5."""
    pool = np.r_[np.zeros(8), np.ones(8)]
    assert float(hypergeometric_delta(8, 8, 0.3, 16.587, 1)) > 200e-11
    refused("delta = 1e-11: must be such that delta stands out", pmp.gaussian_epsilon_exact, pool, 0.3, 1e-11)
    found = pmp.gaussian_epsilon_exact(pool, 0.3, 1e-6)
    truth = max(float(hypergeometric_delta(8, 8, 0.3, found, own)) for own in (0, 1))
    assert truth == pytest.approx(1e-6, rel=1e-3)


def test_densities_vanish_far_out():
    places = [33.0, 50.0, 1e6, 1e20, 1e200]
    for pool in (np.arange(20.0) / 10, np.arange(8.0) / 10):
        for density in pmp.gaussian_densities(pool, 1.0, 0, places):
            assert density == pytest.approx(0.0, abs=1e-80)
            assert density.shape == (5,)
    middle = pmp.gaussian_densities(np.arange(20.0) / 10, 1.0, 0, [9.0])
    assert min(d[0] for d in middle) > 0.1


@pytest.mark.parametrize("n", [6, 24, 28, 32, 33])
def test_a_ratio_next_to_one_keeps_its_digits(n):
    counts = pmp.modular_sum(n)
    truth = max(
        mp.log(mpf(max(a, b)) / min(a, b))
        for a, b in zip(counts.inside.tolist(), counts.outside.tolist(), strict=True)
    )
    assert counts.epsilon == pytest.approx(float(truth), rel=1e-14)
    assert counts.epsilon > 0
    assert Fraction(*counts.odds) > 1


def test_huge_and_tiny_lengths():
    assert pmp.diameter([[3e200, 0.0], [0.0, 4e200]]) == pytest.approx(5e200)
    assert pmp.diameter([[3e-200, 0.0], [0.0, 4e-200]]) == pytest.approx(5e-200)
    refused("values = ", pmp.diameter, [1.7e308, -1.7e308])
    assert pmp.norm_losses([[3e200, 0.0]], [[0.0, 4e200]])[0, 0] == pytest.approx(5e200)
    assert pmp.norm_sensitivity(2, 1.7e308) == pytest.approx(0.85e308)
    refused("clip = ", pmp.norm_sensitivity, 1, 1e308, "triangle")
    refused("at most 200,000,000 pairs", pmp.norm_losses, np.zeros((100_000, 1)), np.zeros((2001, 1)))
    assert data.clip_norm([[0.0, 0.0]], 1.0).tolist() == [[0.0, 0.0]]
