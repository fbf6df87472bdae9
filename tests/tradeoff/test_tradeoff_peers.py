"""Bugs of other libraries in these formulas, each as a test that the bug would fail."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from mipbook.tradeoff import (
    dp_tpr,
    gaussian_advantage,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
    gaussian_tpr,
    hockey_stick,
)

mp.dps = 60


def true_delta(epsilon: float, sigma: float) -> mpf:
    """Evaluate the definition with 200 digits, more than any case here cancels."""
    with mp.workdps(200):
        e, s, root = mpf(epsilon), mpf(sigma), mp.sqrt(2)
        first = mp.erfc((e * s - 1 / (2 * s)) / root)
        return (first - mp.exp(e) * mp.erfc((e * s + 1 / (2 * s)) / root)) / 2


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0.1, 1e-15), (0.1, 1e-13), (5.0, 1e-15), (5.0, 1e-12), (1.0, 1e-40), (1.0, 1e-300)],
)
def test_absolute_tolerance_in_calibration(epsilon: float, delta: float) -> None:
    """autodp #39 and diffprivlib: a tolerance of 1e-12 on delta made it noise below.

    At epsilon 0.1 and delta 1e-15 the noise found delivered 713 times the promised
    delta; diffprivlib's, at epsilon 5, 2.6 times.
    """
    sigma = gaussian_sigma(epsilon, delta=delta)
    delivered = true_delta(epsilon, sigma)
    assert delivered <= delta
    assert delivered >= delta * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", [709.0, 709.8, 710.0, 745.2, 1e3, 1e4, 1e5])
def test_exp_of_epsilon_overflow(epsilon: float) -> None:
    """google/differential-privacy PR 430 and riskcal: exp(epsilon) is inf or nan from 710."""
    sigma = gaussian_sigma(epsilon, delta=1e-5)
    assert 0 < sigma < gaussian_sigma(700.0, delta=1e-5)
    assert gaussian_delta(epsilon, sigma) == pytest.approx(
        float(true_delta(epsilon, sigma)), rel=1e-12, abs=0
    )
    assert gaussian_epsilon(1e-5, sigma=sigma) == pytest.approx(epsilon, rel=1e-12, abs=0)
    assert dp_tpr(1e-300, epsilon) == 1.0
    assert hockey_stick([0.5, 0.5], [0.0, 1.0], epsilon) == 0.5


def test_epsilon_zero_ends() -> None:
    """opendp #429: the search for the scale never ended at epsilon 0."""
    for delta in (1e-300, 1e-10, 0.3, 0.99):
        sigma = gaussian_sigma(0.0, delta=delta)
        assert true_delta(0.0, sigma) <= delta
        assert gaussian_advantage(sigma) == pytest.approx(delta, rel=1e-12, abs=0)
        assert gaussian_epsilon(delta, sigma=sigma * (1 + 1e-9)) == 0.0


@pytest.mark.parametrize("epsilon", [10.0, 20.0, 100.0])
def test_formula_of_1_25_past_epsilon_one(epsilon: float) -> None:
    """smartnoise-sdk #462, programming-dp #45: sqrt(2 log(1.25/delta))/epsilon past 1.

    The classical formula is proved below epsilon 1 only.  Far above, its noise is
    less than what is needed; the exact one is not.
    """
    delta = 1e-5
    classical = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    assert true_delta(epsilon, classical) > delta
    assert gaussian_delta(epsilon, classical) > delta
    exact = gaussian_sigma(epsilon, delta=delta)
    assert exact > classical
    assert true_delta(epsilon, exact) <= delta


@pytest.mark.parametrize("fpr", [1e-3, 1e-12, 1e-17, 1e-20, 1e-100, 1e-300])
def test_one_minus_beta_at_tiny_rates(fpr: float) -> None:
    """TPR computed as 1 - beta has no digit left, or is 0, at a small rate."""
    with mp.workdps(60):
        low = mp.findroot(
            lambda z: mp.log(mp.erfc(-z / mp.sqrt(2)) / 2 / mpf(fpr)), -math.sqrt(-2 * math.log(fpr))
        )
        true = mp.erfc(-(low + 1) / mp.sqrt(2)) / 2
    assert abs(mpf(gaussian_tpr(fpr, 1.0)) / true - 1) < 1e-13


def test_nan_at_mu_zero() -> None:
    """The trade-off at mu 0 (infinite noise, or equal means) is the diagonal, not nan."""
    fpr = np.array([0.0, 1e-300, 0.25, 1.0])
    for sigma, sensitivity in [(math.inf, 1.0), (1.0, 0.0), (0.0, 0.0), (1e308, 5e-324)]:
        assert gaussian_tpr(fpr, sigma, sensitivity).tolist() == fpr.tolist()
        assert gaussian_advantage(sigma, sensitivity) == 0.0
        assert gaussian_delta(0.0, sigma, sensitivity) == 0.0
        assert gaussian_epsilon(1e-9, sigma=sigma, sensitivity=sensitivity) == 0.0


@pytest.mark.parametrize(("epsilon", "sigma"), [(1e-9, 1e6), (1e-12, 1e10), (1e-4, 1e4), (0.0, 1e15)])
def test_digits_at_small_epsilon_and_large_sigma(epsilon: float, sigma: float) -> None:
    """dp_accounting subtracts two nearly equal probabilities: few digits survive here."""
    assert abs(mpf(gaussian_delta(epsilon, sigma)) / true_delta(epsilon, sigma) - 1) < 1e-13


def test_rounding_direction() -> None:
    """dp_accounting does not say which way it rounds; rounding to nearest fails half the time."""
    rng = np.random.default_rng(11)
    epsilon, delta = 10 ** rng.uniform(-3, 3, 200), 10 ** rng.uniform(-20, -0.1, 200)
    for e, d, sigma in zip(epsilon, delta, gaussian_sigma(epsilon, delta=delta), strict=True):
        assert true_delta(e, sigma) <= d


def test_positive_part_is_taken_term_by_term() -> None:
    """The same slip inside a hockey-stick sum would let negative terms cancel positive ones."""
    assert hockey_stick([0.9, 0.1], [0.1, 0.9], 0.0) == pytest.approx(0.8, rel=1e-15, abs=0)
