"""Mechanisms: their laws, their noise, and what they refuse."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from shared import refused

from mipbook import game, tradeoff
from mipbook.mechanisms import (
    Gaussian,
    Laplace,
    Sampling,
    exponential_probabilities,
    randomised_response,
    sampling_mechanism,
    tight_mechanism,
)

EPSILONS = st.floats(0, 1e4, allow_nan=False)


@given(EPSILONS, st.integers(2, 6))
def test_randomised_response_has_its_epsilon(epsilon, values):
    table = randomised_response(epsilon, values)
    np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-14)
    if epsilon < 600:
        assert game.finite_epsilon(table[:2]) == pytest.approx(epsilon, rel=1e-11, abs=1e-12)


@given(EPSILONS, st.floats(0, 1))
@example(37.0, 0.5)  # an answer that a double cannot tell from one that proves membership
@example(700.0, 0.5)
def test_tight_mechanism_attains_the_bounds(epsilon, delta):
    table = tight_mechanism(epsilon, delta)
    np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-14)
    assert game.optimal_accuracy(table) == pytest.approx(tradeoff.dp_accuracy(epsilon, delta), rel=1e-14)
    if epsilon > 700:  # the unlikely answer's probability is no normal double any more
        return
    assert game.finite_delta(table, epsilon) == pytest.approx(delta, rel=1e-12, abs=1e-14)
    fpr, tpr = game.finite_roc(table)
    best = [tpr[fpr == x].max() for x in fpr]
    np.testing.assert_allclose(best, tradeoff.dp_tpr(fpr, epsilon, delta), rtol=1e-12, atol=1e-14)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=5), st.floats(0, 1e3), st.floats(1e-3, 1e3))
def test_exponential_mechanism_is_private(losses, epsilon, sensitivity):
    other = np.array(losses) + sensitivity * np.cos(np.arange(len(losses)))
    table = exponential_probabilities([losses, other], epsilon, sensitivity)
    np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(np.log(table[0]) - np.log(table[1]))
    assert np.nanmax(np.where((table > 1e-290).all(axis=0), ratio, 0)) <= epsilon * (1 + 1e-9) + 1e-9


def test_exponential_mechanism_at_the_ends():
    assert exponential_probabilities([0.0, 5.0], 0.0).tolist() == [0.5, 0.5]
    assert exponential_probabilities([0.0, 1e308, 1e-300], 1e10, 1e-3).tolist() == [0.5, 0.0, 0.5]
    refused("^losses = ", exponential_probabilities, [math.inf, 1], 1)


@pytest.mark.parametrize(
    ("mechanism", "law"), [(Gaussian(0.7), stats.norm(scale=0.7)), (Laplace(0.7), stats.laplace(scale=0.7))]
)
def test_noise_has_its_law(mechanism, law):
    rng = np.random.default_rng(5)
    data = np.array([[0.0, 2.0], [1.0, 2.0]])
    draws = mechanism.sample(data, 20_000, rng) - [0.5, 2.0]
    for column in draws.T:
        assert stats.kstest(column, law.cdf).pvalue > 1e-3
    assert abs(np.corrcoef(draws.T)[0, 1]) < 0.03
    assert mechanism(data, rng).shape == (2,)


def test_noise_for_dp_is_the_calibrated_one():
    sigma = tradeoff.gaussian_sigma(1.0, delta=1e-5, sensitivity=2.0)
    assert Gaussian.for_dp(1.0, 1e-5, sensitivity=2.0).sigma == sigma


def test_sampling_releases_each_record_equally_often():
    rng = np.random.default_rng(3)
    seen = np.concatenate([Sampling(0.3)(np.arange(10), rng) for _ in range(4000)])
    counts = np.bincount(seen, minlength=10)
    assert counts.sum() == 12_000
    assert stats.chisquare(counts).pvalue > 1e-4
    assert Sampling(0.29)(np.arange(100), rng).size == 29
    assert Sampling(0.0)(np.arange(3), rng).size == 0
    assert sampling_mechanism(0.3).tolist() == [[1.0, 0.0], [0.7, 0.3]]
    # Under replacement the one who is not there is seen, too.
    assert sampling_mechanism(0.3, "replace").tolist() == [[0.7, 0.0, 0.3], [0.7, 0.3, 0.0]]
