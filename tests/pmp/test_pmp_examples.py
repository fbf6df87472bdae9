"""The examples of PMP: sums that wrap around, partitions, simulators, one record published."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from mipbook import mip, pmp

# Exact enumeration with whole numbers.
RATIOS = {
    3: "2",
    4: "5/4",
    5: "7/6",
    6: "38/37",
    7: "124/121",
    8: "405/404",
    9: "677/673",
    10: "2307/2306",
    11: "16044/16021",
    12: "56354/56353",
}


@pytest.mark.parametrize("n", RATIOS)
def test_modular_sum_ratios(n):
    for record in (0, 1, 2 * n - 1):
        assert Fraction(*pmp.modular_sum(n, record).odds) == Fraction(RATIOS[n])


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


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_partition_is_exactly_zero_pmp_and_not_dp(n):
    table, members = pmp.partition_mechanism(n), mip.subsets(2 * n)
    for flags in members.T:
        assert (table[flags].sum(axis=0) == 1).all()
        assert (table[~flags].sum(axis=0) == 1).all()
    assert pmp.finite_pmp_epsilon(table, members) < 1e-14
    # At n = 1 the output is the pool itself; from n = 2 on it is not DP.
    assert pmp.finite_dp_epsilon(table, members) == (0.0 if n == 1 else math.inf)


def test_two_releases_that_say_nothing_say_everything():
    members = mip.subsets(6)
    split, bit = pmp.partition_mechanism(3), pmp.design_bit()
    blocks = members[bit[:, 1] == 1]
    shared = blocks.T.astype(int) @ blocks
    # A 2-(6, 3, 2) design: five blocks a record, two a pair, no block and its complement.
    assert (np.diag(shared) == 5).all()
    assert (shared[~np.eye(6, dtype=bool)] == 2).all()
    assert pmp.finite_pmp_epsilon(bit, members) < 1e-14
    both = (split[:, :, None] * bit[:, None, :]).reshape(20, -1)
    assert (both.sum(axis=0) <= 1).all()
    assert pmp.finite_pmp_epsilon(both, members) == math.inf
    assert pmp.finite_pmp_delta(both, members, 100.0) == pytest.approx(1.0)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_even_parity_lets_a_simulator_print_the_data(n):
    """Distributional DP compares (release, all but one record) with a simulator's: equal."""
    strings = pmp.even_parity(n)
    assert len(np.unique(strings, axis=0)) == 2 ** (n - 1)
    for i in range(n):
        rest = np.delete(strings, i, axis=1)
        filled = np.insert(rest, i, rest.sum(axis=1) % 2 == 1, axis=1)
        assert (filled == strings).all()
    assert (strings.sum(axis=1) % 2 == 0).all()


@pytest.mark.parametrize(("n", "eta"), [(3, 1 / 30), (4, 0.1), (2, 0.5), (5, 0.2)])
def test_publish_one(n, eta):
    members = mip.subsets(2 * n)
    random, smallest = (pmp.publish_one(n, eta, w) for w in ("random", "smallest"))
    assert mip.finite_eta(random, members) == pytest.approx(eta / 2, rel=1e-12)
    assert mip.finite_eta(smallest, members) == pytest.approx(n * eta / 2, rel=1e-12)
    assert pmp.finite_pmp_epsilon(random, members) == math.inf
    assert pmp.finite_pmp_epsilon(random, members, delta=eta) < math.inf
    np.testing.assert_allclose(random.sum(axis=1), 1, rtol=1e-14)


def test_publish_nothing():
    assert pmp.finite_pmp_epsilon(pmp.publish_one(2, 0.0), mip.subsets(4)) == 0.0
