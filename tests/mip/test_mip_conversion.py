"""Conversions between DP and MIP."""

import math

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


def test_broadcasts():
    assert mip.eta_from_dp([[0.1], [1.0]], [0.0, 0.1, 0.2]).shape == (2, 3)
    assert isinstance(mip.eta_from_dp(1.0), float)


def test_shapes_that_do_not_fit_are_named():
    refused(r"^delta = .*broadcasts with \(2,\)", mip.eta_from_dp, [1.0, 2.0], [0.1, 0.2, 0.3])
    refused(r"^sensitivity = .*broadcasts with \(2,\)", mip.laplace_dp_scale, [0.1, 0.2], [1.0, 2.0, 3.0])


def test_delta_that_rules_eta_out():
    refused(r"delta = 0\.3.*at most 2 eta", mip.epsilon_from_eta, 0.1, 0.3)


# --- A bound on a mean by betting: it holds, it is not wasteful, and it can be broken -------------


def chance_of_a_false_claim(true_mean, claimed, count, alpha):
    """Enumerated: values 0 or 1, of which only the number of ones matters."""
    total = 0.0
    for ones in range(count + 1):
        values = np.repeat([1.0, 0.0], [ones, count - ones])
        if log_wealth(values, claimed) >= -math.log(alpha):
            total += binom.pmf(ones, count, true_mean)
    return total


@pytest.mark.parametrize("mean", [pytest.param(0.02, marks=pytest.mark.nightly), 0.1, 0.4, 0.9])
@pytest.mark.parametrize("alpha", [0.1, 0.001])
def test_a_false_claim_is_as_rare_as_promised(mean, alpha):
    count = int(60 / mean)
    assert chance_of_a_false_claim(mean, mean, count, alpha) <= alpha
    # Where the claim is true by a factor of two it is mostly made: the bound is no empty one.
    assert chance_of_a_false_claim(mean / 2, mean, count, alpha) > 0.4
    # Planted: a gambler paid as if the mean were larger by half claims far too often.
    assert chance_of_a_false_claim(mean, min(1.5 * mean, 0.97), count, alpha) > alpha


def test_the_number_of_fits_is_enough_and_hardly_more():
    for eta, confidence in ((0.3, 0.9), (0.1, 0.999), (0.01, 0.99)):
        needed = mip.fits_needed(eta, confidence)
        target = -math.log(1 - confidence)
        assert log_wealth(np.zeros(needed), eta) >= target
        assert log_wealth(np.zeros(int(0.9 * needed)), eta) < target
    assert mip.fits_needed(1e-300) > 10**300
    refused("^eta = ", mip.fits_needed, 5e-324)


def test_values_of_one_ruin_the_largest_stake_without_a_warning():
    assert np.isfinite(log_wealth(np.ones(5), 0.3))
    assert log_wealth(np.ones((5, 2)), 0.3).shape == (2,)


# --- The constants that turn a promise into noise -------------------------------------------------


def test_published_constants():
    assert mip.noise_scale(0.1, M=8) == mip.noise_scale(0.1)
    assert mip.noise_scale(0.1, as_published=True) == pytest.approx(3794.56, abs=0, rel=1e-14)
    assert mip.noise_scale(0.1, M=1, as_published=True) == pytest.approx(75.0**3, abs=0, rel=1e-14)
    assert mip.noise_scale(0.1, M=4, as_published=True) == pytest.approx(61.6**1.5, abs=0, rel=1e-14)


def test_extremes_do_not_warn():
    assert mip.noise_scale(1e-300, as_published=True) == np.inf
    assert mip.noise_scale(1e-300) == pytest.approx(5e299)
    assert mip.laplace_dp_scale(0.1, 0.0) == 0.0


def test_a_promise_that_asks_for_endless_noise_is_refused():
    for function, *arguments in (
        *((mip.noise_scale, 1e-310), (mip.laplace_dp_scale, 1e-310, 1.0)),
        *((mip.scale_from_distance, 1e308, 0.1), (mip.gaussian_sigma_for_mip, 1.0, 1e-310)),
        *((mip.sample_noise, [1, 1], 1e-310, 2, 0), (mip.delivered_eta, 3, 2, 1e-310)),
    ):
        refused("^eta = ", function, *arguments)


def test_smallest_winning_ratio():
    assert mip.smallest_winning_ratio(2) == pytest.approx(521.067123050121, abs=0, rel=1e-13)
    assert mip.smallest_winning_ratio(3) == pytest.approx(206.24, abs=5e-3)
    assert mip.smallest_winning_ratio(8) == pytest.approx(60.24, abs=5e-3)
