"""PMP's parameters of finite tables, against the definition: all events, the posterior, DP."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log, mp, mpf
from shared import refused

from mipbook import mip, pmp, tradeoff
from mipbook.mechanisms import randomised_response

mp.dps = 50


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 3]))
def test_delta_and_the_posterior_are_the_worst_over_all_events(seed, odds):
    """Definition 2 and condition (1) of Lemma 3: every event, both ways, in fractions, zeros included."""
    members, counts = mip.subsets(4), np.random.default_rng(seed).integers(0, 4, (6, 3))
    counts[:, 0] += 1
    laws = np.array([[Fraction(int(c), int(row.sum())) for c in row] for row in counts])
    table, worst, posterior = laws.astype(float), Fraction(0), Fraction(0)
    for flags, event in product(members.T, product([False, True], repeat=3)):
        p, q = (laws[side][:, list(event)].sum() / Fraction(3) for side in (flags, ~flags))
        worst = max(worst, p - odds * q, q - odds * p)
        if p + q > 0:
            posterior = max(posterior, (p - odds * q) / (p + q), (q - odds * p) / (p + q))
    got = pmp.finite_pmp_delta(table, members, math.log(odds))
    assert got == pytest.approx(float(worst), abs=1e-14)
    back = pmp.finite_pmp_epsilon(table, members, min(1.0, got + 1e-13))
    assert back <= math.log(odds) + 1e-9
    found = pmp.posterior_delta(table, members, math.log(odds))
    assert found == pytest.approx(float(posterior), abs=1e-14)
    # The new form of Lemma 3: the posterior's delta is enough, without a factor 2.
    assert got <= found + 1e-14
    if found > 0:
        pure = pmp.finite_pmp_epsilon(table, members)
        assert pmp.epsilon_from_posterior(math.log(odds), found) == pytest.approx(pure, rel=1e-12)


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


def test_the_ends_of_dp_and_what_is_refused():
    members, blind = mip.subsets(4), np.ones((6, 1))
    told = randomised_response(1.0)[members[:, 0].astype(int)]
    assert pmp.finite_dp_epsilon(told, members) == pytest.approx(1.0, rel=1e-14)
    assert pmp.finite_dp_delta(np.eye(6), members, math.inf) == 1.0
    assert pmp.finite_dp_delta(blind, members, 1e6) == 0.0
    refused("^probabilities = ", pmp.finite_dp_delta, 0.5 * blind, members, 1.0)
    refused("^members = ", pmp.posterior_delta, np.ones((10, 1)), mip.subsets(5, 2), 1.0)
    refused("^members = ", pmp.neighbouring_pairs, members[[0, 5]])
    refused("^labels = ", pmp.modular_sum, 3, labels=(0, 1))
    refused("^eta = ", pmp.publish_one, 3, 0.5)
    refused("^delta = ", pmp.eta_from_pmp, 1.0, 0.1, as_published=True)


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


def test_modular_sum_at_large_numbers_and_with_repeats():
    # 60-digit arithmetic
    counts = pmp.modular_sum(6)
    assert counts.epsilon == pytest.approx(0.02666824708216132506, rel=1e-14)
    assert math.log(Fraction(*counts.loose_odds)) == pytest.approx(0.0779615414697, rel=1e-11)
    for n in (6, 24, 28, 32, 33):
        counts = pmp.modular_sum(n)
        sides = counts.inside.tolist(), counts.outside.tolist()
        assert sum(sides[0]) == sum(sides[1]) == math.comb(2 * n - 1, n - 1)
        # A ratio next to one keeps its digits.
        truth = max(log(mpf(max(pair)) / min(pair)) for pair in zip(*sides, strict=True))
        assert counts.epsilon == pytest.approx(float(truth), rel=1e-14)
        assert Fraction(*counts.odds) > 1
    repeated = pmp.modular_sum(3, labels=(0, 0, 0, 1, 1, 1), record=0)
    assert repeated.epsilon == math.inf
    # Every remainder occurs at n = 3, so no zero count of both kinds decided it.
    assert repeated.odds[1] == 0 < repeated.odds[0]


def test_success_bound_and_eta_from_pmp():
    # 60-digit arithmetic
    assert pmp.success_bound(2.14) == pytest.approx(0.89473061047749022, rel=1e-14)
    two, deltas = [0.5, 2.0], [[0.0], [0.1]]
    np.testing.assert_allclose(pmp.success_bound(two, deltas), tradeoff.dp_accuracy(two, deltas))
    assert pmp.eta_from_pmp(0.1) == pytest.approx(0.024979187478939986099, rel=1e-14)
    printed = pmp.eta_from_pmp([0.1, math.inf], as_published=True)
    assert printed == pytest.approx([0.047581290982020213418, 0.5], rel=1e-14)
