"""Lower bounds on epsilon: reference values, coverage, planted violations, bugs of other libraries."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from shared import refused

from mipbook import game, mip, tradeoff
from mipbook.game import certify_epsilon, epsilon_from_rates, epsilon_lower_bound


def test_reference_bounds_and_limits():
    for (tp, fn, fp, tn), bound in {
        (45, 5, 1, 49): 1.9938226342084749182,
        (90, 10, 1, 99): 2.71644515,
        (50, 0, 0, 50): 2.5695846830164916244,
    }.items():
        assert epsilon_lower_bound(tp, fn, fp, tn) == pytest.approx(bound, rel=1e-8)
        assert epsilon_lower_bound(tn, fp, fn, tp) == pytest.approx(bound, rel=1e-8), "mirrored"
    assert epsilon_from_rates(0.0, 0.0) == epsilon_from_rates(1.0, 1.0) == 0.0
    assert epsilon_from_rates(0.5, 0.0) == math.inf
    assert epsilon_from_rates(0.5, 0.0, 0.5) == pytest.approx(0.0, abs=1e-15)
    assert epsilon_from_rates(1e-300, 1e-308) == pytest.approx(math.log(1e8), rel=1e-12)
    assert epsilon_from_rates([0.9, 0.5], [0.01, 0.5]).tolist() == [math.log(0.9) - math.log(0.01), 0]


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.floats(0, 0.5))
def test_the_bound_is_the_smallest_epsilon_that_allows_the_attack(one, other, delta):
    # The attacker that says the opposite mirrors the region; one of the two is above the diagonal.
    tpr, fpr = max(one, other), min(one, other)
    epsilon = epsilon_from_rates(tpr, fpr, delta)
    assert tradeoff.dp_tpr(fpr, epsilon, delta) >= tpr - 1e-12
    if epsilon > 1e-6:
        assert tradeoff.dp_tpr(fpr, epsilon * (1 - 1e-6), delta) < tpr


@given(st.floats(0.01, 0.999), st.floats(0.001, 0.9), st.floats(0, 0.3))
def test_two_steps_solve_group_privacy(tpr, fpr, delta):
    epsilon = epsilon_from_rates(tpr, fpr, delta, steps=2)
    assert epsilon <= epsilon_from_rates(tpr, fpr, delta) / 2 + 1e-12
    doubled = min(1.0, (1 + math.exp(epsilon)) * delta)
    assert tradeoff.dp_tpr(fpr, 2 * epsilon, doubled) >= tpr - 1e-9
    if epsilon > 1e-6 and doubled < 1:
        less = epsilon * (1 - 1e-5)
        assert epsilon_from_rates(tpr, fpr, (1 + math.exp(less)) * delta) > 2 * less


def test_the_best_threshold_reaches_its_mechanisms_epsilon():
    for mu, delta, best, epsilon in (
        (1.0, 1e-5, 4.8771780956812246277, 4.3771780956812246277),
        (3.0, 1e-2, 5.0819335816451909273, 10.745800744935572782),
    ):
        attack = game.TracingAttack(1, 1, 1 / mu)
        threshold = attack.best_threshold(delta)
        assert threshold * mu == pytest.approx(best, rel=1e-9)
        assert attack.certified_epsilon(threshold, delta) == pytest.approx(epsilon, rel=1e-9)


def by_split(scores, member, delta, rng):
    return certify_epsilon(scores, member, rng, delta, 0.9).epsilon


def by_band(scores, member, delta, rng):
    return game.roc(scores, member).epsilon_lower_bound(delta, 0.9)


@pytest.mark.parametrize("bound", [by_split, by_band])
@pytest.mark.parametrize(("mu", "games"), [(0.3, 500), (1.0, 2000)])
def test_a_certificate_is_wrong_no_more_often_than_it_says(bound, mu, games):
    delta, runs, above = 1e-5, 300, 0
    truth = float(tradeoff.gaussian_epsilon(delta, sigma=1 / mu))
    rng = np.random.default_rng(41)
    for _ in range(runs):
        member = rng.random(games) < 0.5
        above += bound(rng.standard_normal(games) + mu * member, member, delta, rng) > truth
    assert above / runs <= 0.1 + 3 * math.sqrt(0.09 / runs)


def test_certificate_says_what_it_rests_on():
    rng = np.random.default_rng(0)
    member = np.arange(200) < 100
    bound = certify_epsilon(member * 1.0, member, rng)
    assert (bound.tp, bound.fn, bound.fp, bound.tn) == (70, 0, 0, 70)
    assert bound.chosen_on == 60
    assert bound.epsilon == epsilon_lower_bound(70, 0, 0, 70)


def test_bad_input_is_named():
    refused("^tn = ", epsilon_lower_bound, 1, 1, 1, 1.5)
    refused(r"^tp \+ fn = ", epsilon_lower_bound, 0, 0, 1, 1)
    refused(r"^fp \+ tn = ", epsilon_lower_bound, 1, 1, 0, 0)
    refused("^member = ", certify_epsilon, [1.0, 2.0], [0, 1], np.random.default_rng())


# --- Bugs of other libraries, each as a test that the bug would fail ------------------------------


def test_no_negative_epsilon():
    """``np.max(x, 0)``, meant as a maximum with 0, takes an axis: negative bounds got through."""
    assert epsilon_from_rates([0.01, 0.5, 0.1], [0.9, 0.5, 0.1], 0.2).tolist() == [0.0, 0.0, 0.0]
    assert epsilon_lower_bound([1, 40], [99, 60], [1, 41], [99, 59]).tolist() == [0.0, 0.0]
    assert game.TracingAttack(1, 1, 100.0).certified_epsilon([0.0, 50.0], 0.4).tolist() == [0.0, 0.0]
    assert game.roc([1.0, 2.0, 1.0, 2.0], [0, 0, 1, 1]).epsilon_lower_bound() == 0.0
    assert certify_epsilon([1.0] * 9, [0, 1] * 4 + [0], np.random.default_rng(0)).epsilon == 0.0


def test_scores_are_used_as_they_stand():
    """Statistics of rounded scores, thresholds of exact ones: counts that fit neither."""
    rng = np.random.default_rng(11)
    member = rng.random(500) < 0.5
    scores = (rng.standard_normal(500) + member) * 1e-9 + 1.0
    assert game.roc(scores, member).thresholds.size == np.unique(scores).size
    assert certify_epsilon(scores, member, np.random.default_rng(1)).threshold in scores


def test_a_release_that_never_moves_still_has_some_noise():
    still = mip.scale_from_fits([[0.0], [1.0], [0.5]], np.full((300, 1), 0.5), 0.3, confidence=0.9)
    assert 0 < still.scale < 1e-20


def test_gaussian_noise_for_a_tiny_promise():
    """The old 1/2 + eta lost the digits of eta: 10% too little noise at 1e-16."""
    for eta in (1e-17, 1e-16, 1e-13, 1e-10):
        # Phi^-1(1/2 + eta) is eta sqrt(2 pi) to third order.
        found = mip.gaussian_sigma_for_mip(1.0, eta)
        assert found == pytest.approx(1 / (eta * np.sqrt(2 * np.pi)), rel=1e-14)
    assert norm.cdf(1 / mip.gaussian_sigma_for_mip(1.0, 1e-3)) - 0.5 == pytest.approx(1e-3, rel=1e-12)
