"""Conversions between DP and MIP, the exact eta of finite mechanisms, and what noise a promise asks for."""

import math
import time
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from shared import refused

from mipbook import mip
from mipbook.mip.calibration import log_wealth


@given(st.floats(1e-300, 700), st.floats(0, 0.999))
def test_eta_against_high_precision(epsilon, delta):
    with mpmath.workdps(50):
        e, d = mpmath.mpf(epsilon), mpmath.mpf(delta)
        # A form without cancellation: 50 digits would not hold 1/2 + 1e-301.
        exact = d / 2 + (1 - d) * mpmath.tanh(e / 2) / 2
        assert abs(mpmath.mpf(mip.eta_from_dp(epsilon, delta)) / exact - 1) < 1e-15


@given(st.floats(1e-12, 0.499999), st.floats(0, 0.99))
def test_epsilon_is_the_inverse(eta, share):
    delta = 2 * eta * share
    assert mip.eta_from_dp(mip.epsilon_from_eta(eta, delta), delta) == pytest.approx(eta, abs=0, rel=1e-14)


def test_limits():
    assert mip.eta_from_dp(0.0) == 0.0
    assert mip.eta_from_dp(np.inf) == 0.5
    assert mip.eta_from_dp(0.0, 1.0) == 0.5
    assert mip.epsilon_from_eta(0.0) == 0.0
    assert mip.epsilon_from_eta(0.5) == np.inf
    assert mip.epsilon_from_eta(0.5, 1.0) == np.inf
    assert mip.epsilon_from_eta(0.05, 0.1) == 0.0
    refused(r"delta = 0\.3.*at most 2 eta", mip.epsilon_from_eta, 0.1, 0.3)


def chance_of_a_false_claim(true_mean, claimed, count, alpha):
    """Enumerated: values 0 or 1, of which only the number of ones matters."""
    wealth = [log_wealth(np.repeat([1.0, 0.0], [ones, count - ones]), claimed) for ones in range(count + 1)]
    return binom.pmf(np.arange(count + 1), count, true_mean) @ (np.array(wealth) >= -math.log(alpha))


@pytest.mark.parametrize("mean", [pytest.param(0.02, marks=pytest.mark.nightly), 0.1, 0.4, 0.9])
@pytest.mark.parametrize("alpha", [0.1, 0.001])
def test_a_false_claim_is_as_rare_as_promised(mean, alpha):
    count = int(60 / mean)
    assert chance_of_a_false_claim(mean, mean, count, alpha) <= alpha
    # Where the claim is true by a factor of two it is mostly made: the bound is no empty one.
    assert chance_of_a_false_claim(mean / 2, mean, count, alpha) > 0.4


def test_the_number_of_fits_is_enough_and_hardly_more():
    for eta, confidence in ((0.3, 0.9), (0.1, 0.999), (0.01, 0.99)):
        needed = mip.fits_needed(eta, confidence)
        target = -math.log(1 - confidence)
        assert log_wealth(np.zeros(needed), eta) >= target
        assert log_wealth(np.zeros(int(0.9 * needed)), eta) < target
    assert mip.fits_needed(1e-300) > 10**300
    refused("^eta = ", mip.fits_needed, 5e-324)


def test_published_constants():
    assert mip.noise_scale(0.1, M=8) == mip.noise_scale(0.1)
    for M, scale in ((2, 3794.56), (1, 75.0**3), (4, 61.6**1.5)):
        assert mip.noise_scale(0.1, M=M, as_published=True) == pytest.approx(scale, abs=0, rel=1e-14)


def test_a_promise_that_asks_for_endless_noise_is_refused():
    assert mip.noise_scale(1e-300, as_published=True) == np.inf
    assert mip.noise_scale(1e-300) == pytest.approx(5e299)
    assert mip.laplace_dp_scale(0.1, 0.0) == 0.0
    for function, *arguments in (
        *((mip.noise_scale, 1e-310), (mip.laplace_dp_scale, 1e-310, 1.0)),
        *((mip.scale_from_distance, 1e308, 0.1), (mip.gaussian_sigma_for_mip, 1.0, 1e-310)),
        *((mip.sample_noise, [1, 1], 1e-310, 2, 0), (mip.delivered_eta, 3, 2, 1e-310)),
    ):
        refused("^eta = ", function, *arguments)


def test_smallest_winning_ratio():
    for M, ratio, digits in ((2, 521.067123050121, 1e-13), (3, 206.24, 2.5e-5), (8, 60.24, 1e-4)):
        assert mip.smallest_winning_ratio(M) == pytest.approx(ratio, rel=digits)


@given(st.integers(0, 10**6))
def test_record_accuracies_are_the_best_over_all_attackers(seed):
    """Enumerated, in fractions: each attacker says in for some of the three outputs."""
    members, counts = mip.subsets(4), np.random.default_rng(seed).integers(0, 5, (6, 3))
    counts[:, 0] += 1
    laws = np.array([[Fraction(int(c), int(row.sum())) for c in row] for row in counts])
    attackers = np.array(list(product([False, True], repeat=3)))
    want = [max(laws[who == flags[:, None]].sum() / 6.0 for who in attackers) for flags in members.T]
    table = laws.astype(float)
    np.testing.assert_allclose(mip.record_accuracies(table, members), want, rtol=1e-13)
    assert mip.finite_eta(table, members) == pytest.approx(max(want) - 0.5, abs=1e-13)


def test_other_sizes_and_weights_are_measured_against_the_better_blind_guess():
    members = mip.subsets(5, 2)
    assert mip.finite_eta(np.eye(10), members) == pytest.approx(0.4)
    # The bit that two data sets reveal is worth the rarer one's chance.
    assert mip.finite_eta(np.eye(2), [[True, False], [False, True]], [0.9, 0.1]) == pytest.approx(0.1)
    refused("^weights = ", mip.finite_eta, np.eye(6), mip.subsets(4), [0.5] * 6)
    refused("^probabilities = ", mip.finite_eta, np.eye(5), mip.subsets(4))
    refused("^members = ", mip.average_sensitivity, [1.0, 2.0], mip.subsets(4)[[0, 5]])
    start = time.process_time()
    for n, k in ((5, None), (4, 4), (20_000, None), (10**6, None), (3_000_000, 1), (28, None)):
        refused("^[nk] = ", mip.subsets, n, k)
    assert time.process_time() - start < 2


@given(st.lists(st.integers(-(10**5), 10**5), min_size=6, max_size=6), st.sampled_from([4, 6]))
def test_sensitivities_are_ordered_and_bound_the_exact_eta(values, n):
    data, members = np.array(values[:n]) / 1000, mip.subsets(n)
    outputs = np.array([data[row].max() for row in members])
    swap = mip.average_sensitivity(outputs, members)
    assert swap.max() <= 2 * mip.mean_deviation(outputs) + 1e-9 or len(set(data)) < n
    one_swap = members.astype(int) @ members.T == n // 2 - 1
    largest = np.abs(outputs[:, None] - outputs)[one_swap].max()
    assert mip.largest_sensitivity(outputs, members) == largest
    assert swap.max() <= largest + 1e-9
    for eta in (0.01, 0.1, 0.3):
        scale = float(mip.scale_from_distance(swap.max(), eta))
        assert mip.laplace_eta(outputs, members, max(scale, 1e-300)) <= eta * (1 + 1e-9)
