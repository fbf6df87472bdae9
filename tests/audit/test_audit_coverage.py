"""Certificates hold as often as they say, and planted mistakes break them."""

import math

import numpy as np
import pytest
from known_learners import normal_records, nothing
from sklearn.tree import DecisionTreeClassifier

from mipbook import mis
from mipbook.audit import audit_security, certify_security, mean_lower_bound, security, shadow_models

HISTOGRAM = 0.245722  # the histogram of 5 records with p = (1/2, 3/10, 1/5)
P = np.array([0.5, 0.3, 0.2])


def discrete_records(rng, count):
    return rng.choice(3, (count, 1), p=P) * 1.0


def histogram(rng, X, y):
    share = np.array([(k == X).mean() for k in range(3)])
    return lambda Z: share[Z[:, 0].astype(int)]


def over_threshold(rows):
    return rows[:, 1] > P[rows[:, 0].astype(int)]


def largest_wealth(values, mean, needed):
    """Return the largest logarithm of the wealth that bets against the mean reach."""
    wealth, best, total, squares, variance = 0.0, -math.inf, 0.5, 0.05, 0.05
    for count, value in enumerate(values, 1):
        bet = min(math.sqrt(2 * needed / (variance * len(values))), 0.9 / mean)
        wealth += math.log1p(bet * (value - mean))
        best = max(best, wealth)
        total += value
        squares += (value - total / (count + 1)) ** 2
        variance = squares / (count + 1)
    return best


def test_betting_ends_just_below_where_the_wealth_is_no_longer_reached():
    rng = np.random.default_rng(3)
    for confidence in (0.5, 0.95, 0.999):
        needed = -math.log1p(-confidence)
        for a, b in ((0.3, 0.3), (5.0, 1.0), (2.0, 9.0)):
            values = rng.beta(a, b, 60)
            bound = mean_lower_bound(values, confidence)
            assert 0 < bound < values.mean() + 0.1
            assert largest_wealth(values, bound, needed) >= needed
            assert largest_wealth(values, bound + 1e-9, needed) < needed
    assert mean_lower_bound(np.zeros(20)) == 0.0


def test_bernstein_is_the_published_formula():
    draws = np.random.default_rng(1).random(40)
    log = math.log(2 / 0.05)
    width = math.sqrt(2 * draws.var(ddof=1) * log / 40) + 7 * log / (3 * 39)
    assert mean_lower_bound(draws, 0.95, "bernstein") == pytest.approx(draws.mean() - width)
    assert mean_lower_bound(draws, 0.95) > draws.mean() - width
    assert mean_lower_bound(np.zeros(5)) < 1e-6
    assert 0.9 < mean_lower_bound(np.ones(200)) < 1.0
    assert mean_lower_bound(draws, 0.99) < mean_lower_bound(draws, 0.9)


@pytest.mark.nightly
@pytest.mark.parametrize("method", ["betting", "bernstein"])
def test_the_certificate_covers_the_histogram(method):
    certified = []
    for root in np.random.SeedSequence(3).spawn(60):
        rng = np.random.default_rng(root)
        shadows = shadow_models(histogram, discrete_records, n=5, models=200, challenges=5, rng=rng)
        found = certify_security(shadows, attack=over_threshold, method=method, rng=rng)
        assert found.tested == 200
        certified.append(found.certified)
    covered = np.mean(np.array(certified) <= HISTOGRAM)
    assert covered >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 60)
    assert np.mean(certified) > (0.15 if method == "betting" else 0.05)
    # A claim of a fifth less than the truth would be caught.
    if method == "betting":
        assert np.mean(np.array(certified) > 0.8 * HISTOGRAM) > 0.05


def test_testing_the_attack_on_its_own_training_models_breaks_it(monkeypatch):
    """A learner that ignores its data has Delta = 0; a memorising attack then claims more."""
    attack = DecisionTreeClassifier()

    def misses():
        wrong = 0
        for root in np.random.SeedSequence(4).spawn(25):
            rng = np.random.default_rng(root)
            found = audit_security(
                nothing, normal_records, n=5, models=40, challenges=3, attack=attack, rng=rng
            )
            wrong += found.certified > 0
        return wrong

    assert misses() <= 5
    monkeypatch.setattr(security, "_halves", lambda models: (slice(0, models), slice(0, models)))
    assert misses() == 25


def test_unbalanced_weights():
    rng = np.random.default_rng(6)
    for nu, lam, delta in ((0.4, 0.5, 0.162832), (0.5, 0.4, 0.085993)):
        a, b = mis.weights(nu, lam)

        def best(rows, ratio=b / a):
            return rows[:, 1] > ratio * P[rows[:, 0].astype(int)]

        shadows = shadow_models(histogram, discrete_records, n=5, models=3000, challenges=5, rng=rng)
        for attack in (best, DecisionTreeClassifier(max_depth=6)):
            found = certify_security(shadows, attack=attack, nu=nu, lam=lam, rng=rng)
            assert found.certified <= delta
            # The tree sees half of the models, and pays for what it has to learn.
            assert found.estimate == pytest.approx(delta, abs=0.03)
            assert "another nu" in found.not_shown[-1]
        balanced = certify_security(shadows, attack=best, rng=rng)
        assert abs(balanced.estimate - found.estimate) > 0.03
