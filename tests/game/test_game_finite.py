"""Mechanisms, their laws and noise; the game on finite ones, against enumeration and exact fractions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from shared import refused

from mipbook import game, tradeoff
from mipbook.game.finite import output_laws
from mipbook.mechanisms import (
    Gaussian,
    Laplace,
    Sampling,
    exponential_probabilities,
    randomised_response,
    sampling_mechanism,
    tight_mechanism,
)


@st.composite
def tables(draw):
    """Rational mechanisms with outputs that may be impossible on one side."""
    outputs, rows = draw(st.integers(2, 6)), []
    for _ in "01":
        weights = draw(st.lists(st.integers(0, 7), min_size=outputs, max_size=outputs))
        weights[draw(st.integers(0, outputs - 1))] += 1
        rows.append([Fraction(w, sum(weights)) for w in weights])
    return rows


def attackers(outputs):
    """All attackers that do not toss coins."""
    return list(product([False, True], repeat=outputs))


def as_floats(table):
    return np.array(table, dtype=float)


@given(tables())
def test_accuracy_is_the_best_over_all_attackers(table):
    out, inside = table
    best = max(
        sum((inside[o] if said else out[o]) for o, said in enumerate(who)) / 2 for who in attackers(len(out))
    )
    floats = as_floats(table)
    assert game.optimal_accuracy(floats) == pytest.approx(float(best), rel=1e-14)
    tpr, fpr = game.finite_rates(floats, game.optimal_decisions(floats))
    assert (tpr + 1 - fpr) / 2 == pytest.approx(float(best), rel=1e-13)


def test_a_release_that_tells_nothing_leaves_exactly_a_coin_toss():
    for shares in np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], size=200):
        assert game.optimal_accuracy([shares, shares]) == 0.5
    # The figure's sliders: summed as they come, the larger sides make a trifle less than a half.
    shares = np.array([1.5, 1.0, 1.0]) / 3.5
    assert game.optimal_accuracy([shares, shares]) == 0.5


@given(tables(), st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3)]))
def test_epsilon_is_the_worst_ratio_over_all_attackers(table, delta):
    worst = Fraction(1)
    for p, q in (table, table[::-1]):
        for who in attackers(len(p)):
            hit, false = (sum(x for x, said in zip(law, who, strict=True) if said) for law in (p, q))
            if hit > delta:
                worst = max(worst, (hit - delta) / false if false else math.inf)
    got = game.finite_epsilon(as_floats(table), float(delta))
    assert got == pytest.approx(math.log(worst), rel=1e-9, abs=1e-12)
    assert got == math.inf or game.finite_delta(as_floats(table), got) <= float(delta) + 1e-12


def test_known_mechanisms():
    half = sampling_mechanism(0.5)
    assert (game.finite_epsilon(half, 0.49), game.finite_epsilon(half, 0.5)) == (math.inf, 0.0)
    assert game.finite_rates(half, [0.5, 0.5]) == (0.5, 0.5)
    assert game.finite_epsilon(randomised_response(math.inf)) == math.inf
    assert game.finite_epsilon(tight_mechanism(2.0, 0.1), 1.0) == 0.0


def test_bad_input_is_named():
    refused("^probabilities = ", game.posterior, [[0.5, 0.4], [0.5, 0.5]])
    refused("^member = ", game.posterior, [[1.0], [1.0]], [True, True])
    refused("^weights = ", game.posterior, [[1.0], [1.0]], [True, False], [0.0, 1.0])


def test_epsilon_of_rare_outputs_is_not_rounded_away():
    table = exponential_probabilities([[0.0, 80.0], [0.0, 78.0]], 1.0)
    # The second output's log ratio is 1 + ln of the two norms, which are 1 to 17 digits.
    assert game.finite_epsilon(table) == pytest.approx(1.0, rel=1e-12)
    assert game.finite_epsilon(tight_mechanism(1.0, 1e-16)) == math.inf
    assert game.finite_epsilon(tight_mechanism(1.0, 1e-16), 1e-16) == pytest.approx(1.0)
    assert game.finite_epsilon(sampling_mechanism(1e-17)) == math.inf
    assert game.finite_epsilon(sampling_mechanism(1e-17), 1e-17) == 0.0
    assert game.finite_epsilon(sampling_mechanism(1e-17), 0.9e-17) == math.inf
    # With delta below the first output's chance, it alone decides.
    table = [[0.0, 1e-20, 1.0], [0.3, 0.3, 0.4]]
    assert game.finite_epsilon(table, 0.2) == math.inf
    assert game.finite_epsilon(table, 0.3) == pytest.approx(math.log(0.3) + 20 * math.log(10))
    fpr, tpr = game.finite_roc(table)
    assert fpr[:3].tolist() == [0.0, 0.0, 1e-20]
    assert tpr[:3] == pytest.approx([0.0, 0.3, 0.6])


def test_epsilon_is_never_below_the_smallest_that_will_do():
    """In 50 digits: delta at the answer is at most what was asked, and not far below."""
    rng = np.random.default_rng(11)
    with localcontext() as context:
        context.prec = 50
        for trial in range(600):
            table = rng.dirichlet(np.full(rng.integers(2, 9), 0.5), 2) + 1e-12
            delta = (0.0, 1e-9, 1e-3, 0.05)[trial % 4]
            epsilon = game.finite_epsilon(table, delta)
            laws = [[Decimal(x) for x in law] for law in output_laws(table)]

            def needed(at, laws=laws):
                e = Decimal(at).exp()
                return max(
                    sum(max(p - e * q, 0) for p, q in zip(one, two, strict=True))
                    for one, two in (laws, laws[::-1])
                )

            assert needed(epsilon) <= Decimal(delta)
            if epsilon > 0:
                assert needed(epsilon - 1e-12) > Decimal(delta)


@given(tables(), st.floats(0, 1))
def test_the_best_tpr_is_what_two_attackers_and_a_coin_reach(table, fpr):
    table = as_floats(table)
    rates = np.array(game.finite_rates(table, np.array(attackers(table.shape[1])))).T
    best = float(game.finite_tpr(fpr, table))
    for tpr, own in rates:
        assert tpr <= game.finite_tpr(min(own + 1e-12, 1.0), table) + 1e-9
    # A coin between the best attacker below this FPR and one above it.
    below, above = rates[rates[:, 1] <= fpr], rates[rates[:, 1] > fpr]
    pairs = product(below, above)
    mixed = [one[0] + (two[0] - one[0]) * (fpr - one[1]) / (two[1] - one[1]) for one, two in pairs]
    assert best == pytest.approx(max([*mixed, *below[:, 0]]), abs=1e-9)


# --- Mechanisms -----------------------------------------------------------------------------------

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
