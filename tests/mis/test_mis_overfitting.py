"""Overfitting: Proposition 10, Theorem 11 and the threshold attack."""

import math

import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import learners, mis
from mipbook.mis.overfitting import accuracy_from_rates, stopping_terms


def test_the_stopping_rule_keeps_what_it_promises():
    """Markov on many random losses; on the worst ones nothing better can be promised."""
    rng = np.random.default_rng(0)
    for n, alpha in ((10, 0.25), (7, 0.5), (100, 0.07), (33, 0.99), (5, 0.2), (1, 0.9)):
        promised = mis.overfitting_fraction(n, alpha)
        assert promised >= 1 - alpha
        losses = rng.pareto(0.7, (2000, n))
        losses *= alpha / losses.mean(axis=1, keepdims=True)
        assert (losses <= 1).mean(axis=1).min() >= promised - 1e-12
        worst = mis.worst_losses(n, 1.0, alpha)
        assert worst.mean() <= alpha * (1 + 1e-12)
        assert (worst <= 1).mean() == pytest.approx(promised)
        # One more above the threshold needs a mean that the rule does not allow.
        high = round(n * (1 - promised)) + 1
        assert high >= n * alpha - 1e-9


def test_known_fractions():
    assert mis.overfitting_fraction(10, 0.25) == 0.8
    assert mis.overfitting_fraction(100, 0.01) == 1.0
    # 100 * 0.07 is above 7 in floating point.
    assert mis.overfitting_fraction(100, 0.07) == pytest.approx(0.94)
    assert np.shape(mis.overfitting_fraction([10, 20], 0.25)) == (2,)


def test_the_bound_holds_for_every_finite_learner():
    """Theorem 11 for all weights, on random pairs of joint laws and random loss tables."""
    rng = np.random.default_rng(1)
    slack = 1.0
    for _ in range(300):
        members, others = rng.dirichlet(np.full(12, 0.4), size=2)
        losses = rng.integers(0, 3, 12)
        nu, lam = rng.uniform(0.1, 0.9, 2)
        security = 1 - mis.divergence(members, others, nu, lam)
        bound = mis.overfitting_security(
            min(members[losses > 0].sum(), 1.0), min(others[losses == 0].sum(), 1.0), nu, lam
        )
        assert security <= bound + 1e-12
        slack = min(slack, bound - security)
    assert slack < 0.05


def test_the_cube_root_law():
    # 15 digits, by arithmetic with 60.
    density = 1 / (0.1 * math.sqrt(2 * math.pi))
    assert mis.stopping_security(1e-4, density) == pytest.approx(0.350263297482221, rel=1e-13)
    assert mis.stopping_security(1e-6, density) == pytest.approx(0.0754619398740654, rel=1e-13)
    epsilon = np.geomspace(1e-9, 1, 20_001)
    curve = mis.stopping_security(1e-6, density, epsilon)
    assert curve.min() == pytest.approx(0.0754619398740654, rel=1e-6)
    best = mis.stopping_threshold(1e-6, density)
    assert epsilon[curve.argmin()] == pytest.approx(best, rel=1e-2)
    assert mis.stopping_security(1e-6, density, best) == pytest.approx(0.0754619398740654)
    ratio = mis.stopping_security(1e-9, density) / mis.stopping_security(1e-6, density)
    assert ratio == pytest.approx(0.1)


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


def test_the_bound_covers_a_trained_network():
    """The attack that is found on a real run must reach what the law promises."""
    rng = np.random.default_rng(2)
    sigma, eta = 0.1, 1e-6
    density = 1 / (sigma * math.sqrt(2 * math.pi))
    x, y = learners.sine_data(60, 5, sigma, rng)
    learner = learners.ReluRegression(128, 0.02, 3000, eta=eta).fit(x, y, rng=rng)
    fresh = learners.sine_data(2000, 5, sigma, rng)
    epsilon = mis.stopping_threshold(learner.train_losses.mean(), density)
    found = mis.threshold_attack(learner.train_losses, learner.losses(*fresh), epsilon)
    security = mis.stopping_security(learner.train_losses.mean(), density)
    assert 2 - 2 * found.high <= security < 0.1
    untrained = learners.ReluRegression(128, 0.02, 0).fit(x, y, rng=rng)
    found = mis.threshold_attack(untrained.train_losses, untrained.losses(*fresh), epsilon)
    assert 2 - 2 * found.high > security


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


# Six digits, from an independent program.
ADVANTAGE = {0.1: 0.050941, 0.25: 0.138270, 0.5: 0.322675, 0.75: 0.581763, 0.9: 0.798216, 0.95: 0.888217}


def test_the_best_threshold_against_least_squares():
    assert mis.threshold_advantage(list(ADVANTAGE)) == pytest.approx(list(ADVANTAGE.values()), abs=6e-7)
    slope = mis.threshold_advantage(1e-6) / 1e-6
    assert slope == pytest.approx(2 * math.exp(-0.5) / math.sqrt(2 * math.pi), rel=1e-4)
    assert mis.threshold_advantage([0.0, 1.0, 7.0, math.inf]).tolist() == [0.0, 1.0, 1.0, 1.0]
    assert mis.threshold_advantage(1 - 1e-12) > 0.999
    levels = np.geomspace(1e-4, 1e2, 4001)
    n, d = 4000, 2000
    gain = learners.residual_law(n, d, 1.0, 1.0, of="train").below(levels)
    gain = gain - learners.residual_law(n, d, 1.0, 1.0).below(levels)
    assert gain.max() == pytest.approx(mis.threshold_advantage(0.5), abs=1e-3)


def test_bad_input_is_refused():
    refused("n = 0", mis.overfitting_fraction, 0, 0.5)
    refused("n = 2.5", mis.overfitting_fraction, 2.5, 0.5)
    refused("nu and lam", mis.overfitting_security, 0.2, [0.1, 0.2], [0.1, 0.2, 0.3])
    refused("members", mis.threshold_attack, [], [1.0], 0.1)
    refused("confidence = 1.0", mis.threshold_attack, [1.0], [1.0], 0.1, 1.0)
    refused("successes = 6", accuracy_from_rates, 0.5, 6, 5)
