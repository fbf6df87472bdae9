"""PMP's parameters of finite tables, against the definition: all events, the posterior, DP."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import refused

from mipbook import game, mip, pmp, tradeoff
from mipbook.mechanisms import randomised_response
from mipbook.pmp.finite import worst_epsilon


def random_laws(seed, datasets, outputs):
    """Rational probability vectors, zeros included, as fractions and as a table."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (datasets, outputs))
    counts[:, 0] += 1
    laws = [[Fraction(int(c), int(row.sum())) for c in row] for row in counts]
    return laws, np.array([[float(p) for p in row] for row in laws])


def averages(laws, flags):
    """The two laws of the output, as fractions: without the record, with it."""
    sides = []
    for side in (False, True):
        rows = [law for law, flag in zip(laws, flags, strict=True) if flag == side]
        sides.append([sum(column) / len(rows) for column in zip(*rows, strict=True)])
    return sides


def every_event(laws, members):
    """Each event's chances with a record in and with it out, record by record."""
    for flags in members.T:
        out, inside = averages(laws, flags.tolist())
        for event in product([False, True], repeat=len(out)):
            yield [sum(x for x, s in zip(v, event, strict=True) if s) for v in (inside, out)]


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 3]))
def test_delta_is_the_worst_over_all_events(seed, odds):
    """Definition 2 itself: every event, both inequalities, in fractions."""
    members = mip.subsets(4)
    laws, table = random_laws(seed, 6, 3)
    worst = max(p - odds * q for both in every_event(laws, members) for p, q in (both, both[::-1]))
    got = pmp.finite_pmp_delta(table, members, math.log(odds))
    assert got == pytest.approx(float(worst), abs=1e-14)
    back = pmp.finite_pmp_epsilon(table, members, min(1.0, got + 1e-13))
    assert back <= math.log(odds) + 1e-9


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 3]))
def test_posterior_condition_over_all_events(seed, odds):
    """Lemma 3, condition (1): the posterior of every event, in fractions."""
    members = mip.subsets(4)
    laws, table = random_laws(seed, 6, 3)
    worst = Fraction(0)
    for p, q in every_event(laws, members):
        if p + q > 0:
            chance = p / (p + q)
            worst = max(worst, chance - odds * (1 - chance), 1 - chance - odds * chance)
    got = pmp.posterior_delta(table, members, math.log(odds))
    assert got == pytest.approx(float(worst), abs=1e-14)
    # The new form of Lemma 3: the posterior's delta is enough, without a factor 2.
    assert pmp.finite_pmp_delta(table, members, math.log(odds)) <= got + 1e-14
    pure = pmp.finite_pmp_epsilon(table, members)
    if got > 0:
        assert pmp.epsilon_from_posterior(math.log(odds), got) == pytest.approx(pure, rel=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 1.0, 1.8]))
def test_dp_is_never_below_pmp_and_is_the_worst_pair(seed, epsilon):
    """Proposition 5, first half, with delta too; DP against a plain double loop."""
    members = mip.subsets(6)
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(3, 0.8), size=20)
    pairs = [(i, j) for i, j in combinations(range(20), 2) if (members[i] & members[j]).sum() == 2]
    assert sorted(map(tuple, pmp.neighbouring_pairs(members).tolist())) == pairs
    worst = max(
        np.maximum(table[a] - math.exp(epsilon) * table[b], 0).sum()
        for i, j in pairs
        for a, b in ((i, j), (j, i))
    )
    assert pmp.finite_dp_delta(table, members, epsilon) == pytest.approx(worst, abs=1e-14)
    assert pmp.finite_pmp_delta(table, members, epsilon) <= worst + 1e-14
    assert pmp.finite_pmp_epsilon(table, members) <= pmp.finite_dp_epsilon(table, members) + 1e-12


def test_dp_between_its_ends():
    members = mip.subsets(4)
    told = randomised_response(1.0)[members[:, 0].astype(int)]
    assert pmp.finite_dp_epsilon(told, members) == pytest.approx(1.0, rel=1e-14)
    assert pmp.finite_dp_delta(told, members, 1.0) <= 1e-15
    assert pmp.finite_dp_delta(told, members, 0.999) > 1e-4
    assert pmp.finite_dp_epsilon(np.eye(6), members, 0.5) == math.inf
    assert pmp.finite_dp_delta(np.eye(6), members, math.inf) == 1.0
    assert pmp.finite_dp_delta(np.ones((6, 1)), members, 1e6) == 0.0


HALVES = mip.subsets(4)

BLIND = np.ones((6, 1))


def test_bad_input_is_named():
    refused("^probabilities = ", pmp.finite_pmp_epsilon, BLIND[:5], HALVES)
    refused("^members = ", pmp.posterior_delta, np.ones((10, 1)), mip.subsets(5, 2), 1.0)
    refused("^probabilities = ", pmp.finite_dp_delta, 0.5 * BLIND, HALVES, 1.0)
    refused("^members = ", pmp.neighbouring_pairs, HALVES[[0, 5]])
    refused("^record = ", pmp.modular_sum, 3, record=6)
    refused("^labels = ", pmp.modular_sum, 3, labels=(0, 1))
    refused("^eta = ", pmp.publish_one, 3, 0.5)
    refused("^delta = ", pmp.eta_from_pmp, 1.0, 0.1, as_published=True)


@pytest.mark.parametrize("delta", [0.003, 0.05, 0.2, 0.9])
def test_the_worst_pair_is_found_without_weighing_all(delta):
    rng, members = np.random.default_rng(12), mip.subsets(6)
    for sharp in (0.2, 1.0, 20.0):
        table = rng.dirichlet(np.full(4, sharp), size=len(members))
        pairs = pmp.neighbouring_pairs(members)
        each = [game.finite_epsilon(table[pair], delta) for pair in pairs]
        assert pmp.finite_dp_epsilon(table, members, delta) == pytest.approx(max(each), rel=1e-12)
        most = pmp.record_epsilons(table, members, delta).max()
        assert pmp.finite_pmp_epsilon(table, members, delta) == pytest.approx(most, rel=1e-12)
    assert pmp.finite_dp_epsilon(np.eye(20), members, delta) == np.inf


def test_few_pairs_are_computed_and_the_largest_is_among_them():
    rng = np.random.default_rng(13)
    left, right = rng.dirichlet(np.ones(5), size=(2, 200))
    asked = []

    def exact(i):
        asked.append(i)
        return game.finite_epsilon(np.stack([left[i], right[i]]), 0.05)

    found = worst_epsilon(left, right, 0.05, exact)
    assert found == max(exact(i) for i in range(200))
    assert len(asked) < 200 + 20


def test_modular_sum_at_six():
    counts = pmp.modular_sum(6)
    assert counts.inside.tolist() == [38, 39, 37, 40, 38, 39, 38, 39, 38, 40, 37, 39]
    assert counts.outside.tolist() == [38, 39, 38, 40, 37, 39, 38, 39, 37, 40, 38, 39]
    # 60-digit arithmetic
    assert counts.epsilon == pytest.approx(0.02666824708216132506, rel=1e-14)
    assert math.log(Fraction(*counts.loose_odds)) == pytest.approx(0.0779615414697, rel=1e-11)


@pytest.mark.parametrize(("n", "record"), [(1, 0), (2, 3), (3, 1), (4, 5), (5, 9)])
def test_modular_sum_against_every_subset(n, record):
    members = mip.subsets(2 * n)
    remainders = members @ np.arange(2 * n) % (2 * n)
    counts = pmp.modular_sum(n, record)
    for flag, column in ((True, counts.inside), (False, counts.outside)):
        want = np.bincount(remainders[members[:, record] == flag], minlength=2 * n)
        assert column.tolist() == want.tolist()
    exact = pmp.finite_pmp_epsilon(pmp.answers_table(remainders), members)
    assert exact == (math.inf if n <= 2 else pytest.approx(counts.epsilon, rel=1e-12))
    assert counts.epsilon == math.inf if n <= 2 else counts.epsilon < 1
    if n > 1:
        assert pmp.finite_dp_epsilon(pmp.answers_table(remainders), members) == math.inf


def test_modular_sum_counts_fit_and_repeats_break_it():
    counts = pmp.modular_sum(33)
    assert int(counts.inside.sum()) == int(counts.outside.sum()) == math.comb(65, 32)
    assert 0 < counts.epsilon < 1e-9
    repeated = pmp.modular_sum(3, labels=(0, 0, 0, 1, 1, 1), record=0)
    assert repeated.epsilon == math.inf
    # Every remainder occurs at n = 3, so no zero count of both kinds decided it.
    assert repeated.odds[1] == 0 < repeated.odds[0]


def test_success_bound_values():
    # 60-digit arithmetic
    assert pmp.success_bound(2.14) == pytest.approx(0.89473061047749022, rel=1e-14)
    for epsilon, printed in ((0.1, 0.52498), (7.0, 0.99909), (0.123, 0.53071)):
        assert pmp.success_bound(epsilon) == pytest.approx(printed, abs=5e-6)
    assert pmp.success_bound(0.0) == 0.5
    assert pmp.success_bound(math.inf) == 1.0
    np.testing.assert_allclose(
        pmp.success_bound([0.5, 2.0], [[0.0], [0.1]]), tradeoff.dp_accuracy([0.5, 2.0], [[0.0], [0.1]])
    )
    e = math.exp(1.0)
    assert pmp.success_bound(1.0, 0.2) == pytest.approx((e + 0.2) / (1 + e), rel=1e-14)


def test_eta_from_pmp():
    # 60-digit arithmetic
    assert pmp.eta_from_pmp(0.1) == pytest.approx(0.024979187478939986099, rel=1e-14)
    printed = pmp.eta_from_pmp(0.1, as_published=True)
    assert printed == pytest.approx(0.047581290982020213418, rel=1e-14)
    epsilon = np.linspace(0.01, 30, 50)
    assert (pmp.eta_from_pmp(epsilon) < pmp.eta_from_pmp(epsilon, as_published=True)).all()
    np.testing.assert_allclose(pmp.success_bound(epsilon) - 0.5, pmp.eta_from_pmp(epsilon))
    table = randomised_response(1.5)
    assert mip.finite_eta(table, mip.subsets(2)) == pytest.approx(pmp.eta_from_pmp(1.5), rel=1e-13)
    assert pmp.eta_from_pmp(math.inf, as_published=True) == 0.5
