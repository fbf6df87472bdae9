"""Lower bounds on epsilon: reference values, coverage, and planted violations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from shared import refused

from mipbook import game, tradeoff
from mipbook.game import certify_epsilon, epsilon_from_rates, epsilon_lower_bound


@pytest.mark.parametrize(
    ("counts", "bound"),
    [
        ((45, 5, 1, 49), 1.9938226342084749182),
        ((90, 10, 1, 99), 2.71644515),
        ((50, 0, 0, 50), 2.5695846830164916244),
    ],
)
def test_reference_bounds(counts, bound):
    assert epsilon_lower_bound(*counts) == pytest.approx(bound, rel=1e-8)
    tp, fn, fp, tn = counts
    assert epsilon_lower_bound(tn, fp, fn, tp) == pytest.approx(bound, rel=1e-8), "mirrored"


def test_limits():
    assert epsilon_from_rates(0.0, 0.0) == 0.0
    assert epsilon_from_rates(1.0, 1.0) == 0.0
    assert epsilon_from_rates(0.5, 0.0) == math.inf
    assert epsilon_from_rates(0.5, 0.0, 0.5) == pytest.approx(math.log(1.0), abs=1e-15)
    assert epsilon_from_rates(1e-300, 1e-308) == pytest.approx(math.log(1e8), rel=1e-12)
    assert epsilon_from_rates([0.9, 0.5], [0.01, 0.5]).tolist() == [math.log(0.9) - math.log(0.01), 0]


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.floats(0, 0.5))
def test_the_bound_is_the_smallest_epsilon_that_allows_the_attack(tpr, fpr, delta):
    epsilon = epsilon_from_rates(tpr, fpr, delta)
    # The attacker that says the opposite mirrors the region; one of the two is above the diagonal.
    high, low = max(tpr, fpr), min(tpr, fpr)
    if tpr >= fpr:
        assert tradeoff.dp_tpr(low, epsilon, delta) >= high - 1e-12
        if epsilon > 1e-6:
            assert tradeoff.dp_tpr(low, epsilon * (1 - 1e-6), delta) < high


@given(st.floats(0.01, 0.999), st.floats(0.001, 0.9), st.floats(0, 0.3))
def test_two_steps_solve_group_privacy(tpr, fpr, delta):
    epsilon = epsilon_from_rates(tpr, fpr, delta, steps=2)
    assert epsilon <= epsilon_from_rates(tpr, fpr, delta) / 2 + 1e-12
    doubled = min(1.0, (1 + math.exp(epsilon)) * delta)
    assert tradeoff.dp_tpr(fpr, 2 * epsilon, doubled) >= tpr - 1e-9
    if epsilon > 1e-6 and doubled < 1:
        less = epsilon * (1 - 1e-5)
        assert epsilon_from_rates(tpr, fpr, (1 + math.exp(less)) * delta) > 2 * less


def test_gaussian_attack_reaches_its_mechanisms_epsilon():
    """Corollary 1 is tight: the best threshold certifies epsilon(delta) to 20 digits' worth."""
    for mu, delta, best, epsilon in (
        (1.0, 1e-5, 4.8771780956812246277, 4.3771780956812246277),
        (3.0, 1e-2, 5.0819335816451909273, 10.745800744935572782),
    ):
        with mp.workdps(30):
            fpr = float(mp.erfc(mpf(best) / mp.sqrt(2)) / 2)
            tpr = float(mp.erfc((mpf(best) - mpf(mu)) / mp.sqrt(2)) / 2)
        assert epsilon_from_rates(tpr, fpr, delta) == pytest.approx(epsilon, rel=1e-9)
        # mu in units of one bit: k = 1, n = 1, sigma = 1 / mu.
        attack = game.TracingAttack(1, 1, 1 / mu)
        assert attack.best_threshold(delta) * mu == pytest.approx(best, rel=1e-9)
        assert attack.certified_epsilon(attack.best_threshold(delta), delta) == pytest.approx(
            epsilon, rel=1e-9
        )


def wrong_share(mechanism_mu, claimed_epsilon, delta, runs, games, rng, bound):
    """How often a bound lies above the claimed epsilon."""
    above = 0
    for _ in range(runs):
        member = rng.random(games) < 0.5
        scores = rng.standard_normal(games) + mechanism_mu * member
        above += bound(scores, member, delta, rng) > claimed_epsilon
    return above / runs


def by_split(scores, member, delta, rng):
    return certify_epsilon(scores, member, rng, delta, 0.9).epsilon


def by_band(scores, member, delta, rng):
    return game.roc(scores, member).epsilon_lower_bound(delta, 0.9)


@pytest.mark.parametrize("bound", [by_split, by_band])
@pytest.mark.parametrize(("mu", "games"), [(0.3, 500), (1.0, 2000)])
def test_a_certificate_is_wrong_no_more_often_than_it_says(bound, mu, games):
    delta = 1e-5
    truth = float(tradeoff.gaussian_epsilon(delta, sigma=1 / mu))
    rng = np.random.default_rng(41)
    assert wrong_share(mu, truth, delta, 300, games, rng, bound) <= 0.1 + 3 * math.sqrt(0.09 / 300)


def test_certificate_says_what_it_rests_on():
    rng = np.random.default_rng(0)
    member = np.arange(200) < 100
    scores = member * 1.0
    bound = certify_epsilon(scores, member, rng, held_back=0.25)
    assert (bound.tp, bound.fn, bound.fp, bound.tn) == (25, 0, 0, 25)
    assert bound.chosen_on == 150
    assert bound.epsilon == epsilon_lower_bound(25, 0, 0, 25)
    assert "with 95% confidence" in str(bound)
    assert certify_epsilon([1, 2, 3, 4], [0, 0, 1, 1], rng).epsilon >= 0
    for same in (member, member.astype(int), member.astype(float), member.tolist()):
        again = certify_epsilon(scores, same, np.random.default_rng(0), held_back=0.25)
        assert again == bound


def test_bad_input_is_named():
    refused("^fpr = ", epsilon_from_rates, [0.1, 0.2], [0.1, 0.1, 0.1])
    refused("^tn = ", epsilon_lower_bound, 1, 1, 1, 1.5)
    refused(r"^tp \+ fn = ", epsilon_lower_bound, 0, 0, 1, 1)
    refused(r"^fp \+ tn = ", epsilon_lower_bound, 1, 1, 0, 0)
    refused("^member = ", certify_epsilon, [1.0, 2.0], [0, 1], np.random.default_rng())
