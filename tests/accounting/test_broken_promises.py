"""Releases that keep a promise each and break it together, and releases of means."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from mipbook import accounting, mip, pmp

POOL = np.exp(norm.ppf((np.arange(8) + 0.5) / 8))
SIGMA = 17.90350806265455


@pytest.mark.parametrize(("n", "chance"), [(1, 0.5), (2, 1.0), (3, 0.1), (4, 1.0)])
def test_a_member_and_the_split(n, chance):
    halves = mip.subsets(2 * n)
    member, split = pmp.publish_one(n, chance / n), pmp.partition_mechanism(n)
    both = accounting.joint_table(member, split)
    told = [mip.finite_eta(table, halves) for table in (member, split, both)]
    np.testing.assert_allclose(accounting.member_and_split_etas(n, chance), told, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("n", "eta"), [(3, 1 / 2), (4, 2 / 7)])
def test_a_block_and_the_split(n, eta):
    halves = mip.subsets(2 * n)
    bit, split = accounting.block_bit(n), pmp.partition_mechanism(n)
    assert np.allclose(bit.sum(axis=1), 1.0)
    for table in (bit, split):
        assert pmp.finite_pmp_epsilon(table, halves) < 1e-12
    both = accounting.joint_table(bit, split)
    assert math.isclose(mip.finite_eta(both, halves), eta, rel_tol=1e-12)
    assert pmp.finite_pmp_epsilon(both, halves) == math.inf
    assert accounting.block_etas(n) == (0.0, 0.0, pytest.approx(eta))


def test_blocks_in_large_pools():
    told = [accounting.block_etas(n).together for n in (5, 6, 10, 50, 1000)]
    np.testing.assert_allclose(told, [5 / 21, 0.2165, 0.1858, 0.1611, 0.1565], atol=5e-5)
    assert accounting.block_etas(10**6).together == pytest.approx(5 / 32, rel=1e-5)


def test_one_mechanism_again_and_again():
    halves = mip.subsets(6)
    either = np.hstack([pmp.partition_mechanism(3) / 2, pmp.design_bit() / 2])
    told = [mip.finite_eta(accounting.repeated_table(either, k), halves) for k in range(1, 5)]
    np.testing.assert_allclose(told, [0.0, 1 / 4, 3 / 8, 7 / 16], atol=1e-12)


def test_bounds_for_two_releases():
    rng = np.random.default_rng(5)
    for n in (1, 2):
        halves = mip.subsets(2 * n)
        for _ in range(300):
            tables = [rng.dirichlet(np.full(3, 0.4), size=len(halves)) for _ in range(2)]
            one, two = (mip.finite_eta(table, halves) for table in tables)
            both = mip.finite_eta(accounting.joint_table(*tables), halves)
            assert both <= accounting.eta_of_two(one, two, n) + 1e-12
    # For one record each, randomised responses that may tell all reach it.
    tables = [np.array([[a, 1 - a, 0.0], [0.0, 1 - a, a]]) for a in (0.1, 0.3)]
    one, two = (mip.finite_eta(table, mip.subsets(2)) for table in tables)
    both = mip.finite_eta(accounting.joint_table(*tables), mip.subsets(2))
    assert math.isclose(both, accounting.eta_of_two(one, two, 1), rel_tol=1e-12)


@pytest.mark.parametrize("q", [3, 5, 7, 11])
def test_sums_and_squares_over_a_field(q):
    found = accounting.field_deltas(q)
    assert found.first == found.second == 0.0
    assert math.isclose(found.together, (1 - 1 / q) ** 2, rel_tol=1e-12)


def test_the_learner_that_tosses_a_coin():
    """All runs of k, told apart by which of the two they publish."""
    q, k = 5, 3
    joint: dict = {}
    for one, two, coins in product(range(q), range(q), product((0, 1), repeat=k)):
        seen = tuple((c, (one + two) % q if c else (one - two) ** 2 % q) for c in coins)
        row = joint.setdefault(seen, np.zeros(q))
        row[one] += 1.0 / (q * q * 2**k)
    delta = sum(np.abs(row - row.mean()).sum() for row in joint.values()) / 2
    assert math.isclose(accounting.field_deltas(q, k=k).together, delta, rel_tol=1e-12)
    assert accounting.field_deltas(q, k=1).together == 0.0


def test_parity_and_distance():
    for n, told in {3: 1 / 4, 5: 3 / 16, 7: 5 / 32, 21: 46189 / 524288}.items():
        found = accounting.coin_deltas(n)
        np.testing.assert_allclose(found, [0.0, 0.0, told], rtol=1e-12, atol=1e-15)
        assert all(type(each) is float for each in found)


def _eta_by_quadrature(records, sigma):
    halves = mip.subsets(len(records))
    means = halves @ records / (len(records) // 2)

    def gap(x, flags):
        density = norm.pdf(x, means, sigma)
        return abs(density[flags].mean() - density[~flags].mean())

    reach = 12 * sigma
    return max(
        quad(gap, means.min() - reach, means.max() + reach, (flags,), limit=400)[0] / 4 for flags in halves.T
    )


@pytest.mark.parametrize("k", [1, 100, 1000])
def test_a_mean_with_noise_again_and_again(k):
    found = accounting.repeated_mean_eta(POOL, SIGMA, k)
    assert math.isclose(found, _eta_by_quadrature(POOL, SIGMA / math.sqrt(k)), rel_tol=1e-6)
    told = {1: 0.01, 100: 0.09800772021326302, 1000: 0.26467939075010294}[k]
    assert math.isclose(found, told, rel_tol=1e-6)


def test_normal_records_again_and_again():
    told = {1: 0.01, 2: 0.0140839, 5: 0.0219958, 10: 0.0304877, 100: 0.0734411, 1000: 0.1015474}
    for k, delta in told.items():
        assert math.isclose(accounting.repeated_mean_delta(10, 3.1701524, k), delta, rel_tol=3e-6)
    limit = accounting.repeated_mean_delta(10, 3.1701524, 10**12)
    assert math.isclose(limit, 0.1070917796, rel_tol=1e-6)
    assert accounting.repeated_mean_delta(10, 0.0, 7) == pytest.approx(0.1070917796, rel=1e-9)


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"second = (.|\n)*20 rows"):
        accounting.joint_table(pmp.design_bit(), np.ones((6, 1)))
    with pytest.raises(ValueError, match="first = .*probability vectors"):
        accounting.joint_table([[0.5, 0.4]], [[1.0]])
    with pytest.raises(ValueError, match="q = 9: must be an odd prime"):
        accounting.field_deltas(9)
    with pytest.raises(ValueError, match="k = 40"):
        accounting.repeated_table(np.full((20, 12), 1 / 12), 40)
