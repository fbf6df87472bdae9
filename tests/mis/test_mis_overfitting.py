"""Overfitting: Proposition 10, Theorem 11 and the threshold attack."""

import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import mis
from mipbook.mis.overfitting import accuracy_from_rates, stopping_terms


def test_known_fractions():
    assert mis.overfitting_fraction(10, 0.25) == 0.8
    assert mis.overfitting_fraction(100, 0.01) == 1.0
    # 100 * 0.07 is above 7 in floating point.
    assert mis.overfitting_fraction(100, 0.07) == pytest.approx(0.94)
    assert np.shape(mis.overfitting_fraction([10, 20], 0.25)) == (2,)


def test_the_two_terms_of_the_law():
    epsilon = np.geomspace(1e-8, 10, 50)
    missed, caught = stopping_terms(1e-4, 4.0, epsilon)
    assert missed == pytest.approx(1e-4 / epsilon)
    assert caught == pytest.approx(8 * np.sqrt(epsilon))
    # Uncapped, where the bound says no more than that security is at most 1.
    assert (missed + caught).max() > 10
    both = np.minimum(missed + caught, 1)
    np.testing.assert_array_equal(mis.stopping_security(1e-4, 4.0, epsilon), both)


def test_edges_of_the_law():
    assert mis.stopping_security(0.0, 4.0) == 0.0
    assert mis.stopping_security(1e100, 1e100) == 1.0
    assert mis.stopping_security(1.0, 4.0, 5e-324) == 1.0
    assert mis.overfitting_security(1.0, 1.0) == 1.0
    assert mis.overfitting_security(0.1, 0.0, nu=0.2) == pytest.approx(0.4)


def test_threshold_attack_covers_the_truth():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(300):
        found = mis.threshold_attack([0.0, 0.0, 2.0], rng.random(50), 0.3, 0.9)
        truth = (2 / 3 + 0.7) / 2
        assert found.low <= found.value <= found.high
        covered += found.low <= truth <= found.high
    assert 270 <= covered < 300


def test_an_accuracy_from_rates_is_that_of_the_losses():
    rng = np.random.default_rng(4)
    members, others = rng.exponential(0.1, 40), rng.exponential(size=300)
    attack = mis.threshold_attack(members, others, 0.2, 0.9)
    wrong = int((others <= 0.2).sum())
    assert attack == accuracy_from_rates((members <= 0.2).mean(), wrong, 300, 0.9)
    low, high = stats.beta.ppf([0.05, 0.95], [wrong, wrong + 1], [301 - wrong, 300 - wrong])
    caught = (members <= 0.2).mean()
    assert (attack.low, attack.high) == pytest.approx(((caught + 1 - high) / 2, (caught + 1 - low) / 2))


def test_bad_input_is_refused():
    refused("n = 2.5", mis.overfitting_fraction, 2.5, 0.5)
    refused("nu and lam", mis.overfitting_security, 0.2, [0.1, 0.2], [0.1, 0.2, 0.3])
    refused("successes = 6", accuracy_from_rates, 0.5, 6, 5)
