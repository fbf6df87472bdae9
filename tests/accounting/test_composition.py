"""Curves of k releases: values found elsewhere, and other routes to the same numbers."""

import math
from itertools import product

import numpy as np
import pytest
from mpmath import mp
from scipy.integrate import quad
from scipy.special import comb
from scipy.stats import norm
from shared import refused

from mipbook import accounting, mip, pmp
from mipbook.accounting import composed
from mipbook.accounting.composition import LaplaceSum

# Elsewhere, with 40 digits and more: the optimal epsilon at 1e-6, and the advantage.
PURE = {
    1: (0.099998095160767758942, 0.049958374957879972198),
    2: (0.1999963715878281833, 0.049958374957879972198),
    5: (0.4999749218778288552, 0.093516209656532238945),
    10: (0.9993709057217587247, 0.12253622356149266512),
    20: (1.7886091174189804519, 0.17474005073411072416),
    100: (4.774567588, 0.38197261261585603698),
}
LAPLACE = {
    2: [0.24183667535920822, 0.123849119044669523, 0.0, 0.0],
    5: [0.405522364962153976, 0.248733178974920767, 0.14531561276307369, 0.0212940232514226969],
    10: [0.538273183451254691, 0.424078753376514938, 0.307040543187255528, 0.125476836562724568],
}
GAUSSIAN = {
    5: (0.81972833039812863415, 0.089020707489366018118),
    10: (1.1993695737531683382, 0.12563293883710817512),
    100: (4.3771780956812246277, 0.38292492254802620728),
}


@pytest.mark.parametrize("k", PURE)
def test_pure_promises_against_forty_digits(k):
    found = composed(accounting.from_dp(0.1), k)
    epsilon, advantage = PURE[k]
    assert math.isclose(found.epsilon(1e-6), epsilon, rel_tol=2e-10)
    assert math.isclose(found.advantage.value, advantage, rel_tol=1e-11)
    assert found.eta.value == found.advantage.value / 2
    assert found.epsilon(0.0) == pytest.approx(0.1 * k, rel=1e-15)


@pytest.mark.parametrize("k", [2, 7, 50])
def test_listed_points_of_kairouz_oh_and_viswanath(k):
    """Theorem 3.3 as its authors write it, with a delta in each release."""
    epsilon, delta = 0.1, 1e-5
    found = composed(accounting.from_dp(epsilon, delta), k)
    for i in range(k // 2 + 1):
        low = np.arange(i)
        terms = np.exp((k - low) * epsilon) - np.exp((k - 2 * i + low) * epsilon)
        inner = (comb(k, low) * terms).sum() / (1 + np.exp(epsilon)) ** k
        told = 1 - (1 - delta) ** k * (1 - inner)
        assert math.isclose(found.delta((k - 2 * i) * epsilon), told, rel_tol=1e-9)
    assert math.isinf(found.epsilon(1e-5))


@pytest.mark.parametrize(("epsilon", "delta", "k"), [(0.3, 0.0, 6), (1.5, 0.02, 5), (4.0, 0.3, 9)])
def test_the_optimal_curve_is_that_of_the_hardest_table(epsilon, delta, k):
    single = accounting.from_dp(epsilon, delta)
    table = composed(accounting.from_table(single.curve.p, single.curve.q), k)
    found = composed(single, k)
    for method, points in {
        "delta": np.linspace(0.0, k * epsilon, 37),
        "tpr": np.linspace(0.0, 1.0, 41),
        "epsilon": [0.95, 0.9999],
    }.items():
        np.testing.assert_allclose(
            getattr(found, method)(points), getattr(table, method)(points), rtol=1e-9, atol=1e-12
        )
    assert math.isclose(found.auc.value, table.auc.value, rel_tol=1e-11)


def test_the_second_of_two_releases_gains_no_attacker_anything():
    for epsilon in (0.01, 0.5, 3.0):
        advantages = [composed(accounting.from_dp(epsilon), k).advantage.value for k in range(1, 22)]
        np.testing.assert_allclose(advantages[1::2], advantages[:-1:2], rtol=1e-12)
        assert (np.diff(advantages[::2]) > 0).all()


@pytest.mark.parametrize("k", [3, 30])
@pytest.mark.parametrize("epsilon", [0.01, 0.4, 2.0])
def test_bounds_are_bounds(epsilon, k):
    for delta in (1e-12, 1e-6, 0.01):
        bounds = accounting.epsilon_bounds(epsilon, k, delta)
        assert composed(accounting.from_dp(epsilon), k).epsilon(delta) <= bounds.least
        assert bounds.least <= min(bounds.basic, bounds.refined) <= bounds.advanced + bounds.basic


def test_bounds_of_a_hundred_releases():
    told = accounting.epsilon_bounds(0.1, 50, 1e-6)
    np.testing.assert_allclose(told, [5.0, 4.243, 3.967, 3.920], atol=5e-4)
    assert accounting.epsilon_bounds(0.0, 9, 1e-6) == (0.0, 0.0, 0.0, 0.0)
    assert accounting.epsilon_bounds(700.0, 100_000, 1e-300).least == 7e7


@pytest.mark.parametrize("k", LAPLACE)
def test_laplace_against_forty_digits(k):
    found = composed(accounting.from_laplace(2.0), k)
    np.testing.assert_allclose(found.delta([0.0, 0.5, 1.0, 2.0]), LAPLACE[k], rtol=1e-13, atol=0)


def _sum_of_uniforms(r, x):
    """Return the density of the sum of r uniforms on (-1, 1), as its textbook formula."""
    terms = [
        (-1) ** j * mp.binomial(r, j) * (x + r - 2 * j) ** (r - 1) for j in range(r + 1) if x + r - 2 * j > 0
    ]
    return mp.fsum(terms) / (mp.factorial(r - 1) * mp.mpf(2) ** r)


def _laplace_delta(loss, k, epsilon):
    """Return delta from the numbers of atoms above, atoms below, and values between."""
    total = mp.mpf(0)
    for above in range(k + 1):
        for below in range(k + 1 - above):
            r, centre = k - above - below, above - below
            many = mp.binomial(k, above) * mp.binomial(k - above, below)
            weight = many * mp.mpf(2) ** -(above + below) * mp.exp(-below * loss)

            def gain(x, centre=centre):
                return 1 - mp.exp(epsilon - loss * (x + centre))

            if r == 0:
                total += weight * max(gain(0), 0)
                continue
            start = mp.mpf(epsilon) / loss - centre
            if start >= r:
                continue
            low = max(start, -r)
            cuts = [low, *(c for c in range(-r, r + 1, 2) if c > low)]
            scale = (loss / 2) ** r
            total += weight * mp.quad(
                lambda x, r=r, gain=gain, scale=scale: (
                    scale * _sum_of_uniforms(r, x) * mp.exp(loss / 2 * (x - r)) * gain(x)
                ),
                cuts,
            )
    return total


@pytest.mark.parametrize(("loss", "k", "epsilon"), [(3.0, 3, 4.3), (0.1, 4, 0.17)])
def test_laplace_against_the_textbook_sum(loss, k, epsilon):
    with mp.workdps(20):
        told = float(_laplace_delta(mp.mpf(loss), k, mp.mpf(epsilon)))
    assert math.isclose(composed(accounting.from_laplace(1 / loss), k).delta(epsilon), told, rel_tol=1e-10)


def test_laplace_noise_comes_near_gaussian_noise():
    """Of many weak releases the sum is nearly normal, of variance k times that of one loss."""
    loss, k = 0.05, 400
    found = composed(accounting.from_laplace(1 / loss), k)
    near = accounting.from_gaussian(1 / (loss * math.sqrt(k)))
    assert math.isclose(found.advantage.value, near.advantage.value, rel_tol=2e-2)
    assert found.advantage.value <= composed(accounting.from_dp(loss), k).advantage.value


@pytest.mark.parametrize("k", GAUSSIAN)
def test_gaussian_noise_grows_with_the_root(k):
    found = composed(accounting.from_gaussian(10.0), k)
    epsilon, advantage = GAUSSIAN[k]
    assert math.isclose(found.epsilon(1e-5), epsilon, rel_tol=1e-10)
    assert math.isclose(found.advantage.value, advantage, rel_tol=1e-12)


def test_finite_mechanisms():
    """A table is composed as the list of all its pairs of outputs is."""
    p, q = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.1, 0.3, 0.3, 0.3])
    found = composed(accounting.from_table(p, q), 3)
    whole = accounting.from_table(*(np.einsum("i,j,k->ijk", v, v, v).ravel() for v in (p, q)))
    points = np.linspace(0, 3, 30)
    np.testing.assert_allclose(found.delta(points), whole.delta(points), rtol=1e-12)
    np.testing.assert_allclose(found.tpr(points / 3), whole.tpr(points / 3), rtol=1e-12)
    three = composed(accounting.from_randomised_response(1.0, 5), 4)
    assert three.epsilon(0.0) == pytest.approx(4.0, rel=1e-12)
    twice = composed(composed(accounting.from_table(p, q), 2), 3)
    six = composed(accounting.from_table(p, q), 6)
    np.testing.assert_allclose(twice.delta(points), six.delta(points), rtol=1e-9)


def test_samples_are_accounted_for():
    """A hundred steps, whose exact epsilon is 7.046603."""
    found = composed(accounting.from_subsampled_gaussian(2.0, 0.1, 2.0), 100)
    assert math.isclose(found.epsilon(1e-5), 7.046603, rel_tol=1e-4)
    assert math.isclose(found.advantage.value, 0.43876, rel_tol=1e-4)
    assert not found.replaced
    assert not found.sharp


def test_promises_of_renyi_add_up():
    found = composed(accounting.from_concentrated(0.05), 10)
    assert found.delta(1.0) == accounting.from_concentrated(0.5).delta(1.0)
    assert not found.sharp


def test_a_composed_reading_says_of_what_it_is():
    found = composed(accounting.from_laplace(2.0), 10)
    assert found.releases == 10
    assert "10 releases, each Laplace noise" in str(found)
    assert "this is 10 together" in str(found)


def test_what_cannot_be_composed_is_refused():
    refused("k = 501", composed, accounting.from_laplace(1.0), 501)
    unreached = accounting.from_subsampled_gaussian(1e-3, 0.1)
    refused("reading = .*within the accountant's reach", composed, unreached, 2)
    refused("loss up to 50", composed, accounting.from_laplace(1e-3), 2)
    table = accounting.from_table([0.31, 0.27, 0.42], [0.2, 0.3, 0.5])
    refused("k = 90000: must be so small", composed, table, 90_000)


def test_extremes():
    once = accounting.from_laplace(1.0)
    assert composed(once, 1) is once
    assert composed(accounting.from_dp(math.inf), 2).epsilon(0.5) == math.inf
    assert composed(accounting.from_dp(0.0), 100_000).advantage.value == 0.0
    assert composed(accounting.from_dp(0.0, 0.01), 2).advantage.value == pytest.approx(0.0199)
    strong = composed(accounting.from_dp(800.0), 3)
    assert strong.epsilon(0.0) == 2400.0
    assert strong.tpr([0.0, 0.1]).tolist() == [0.0, 1.0]
    many = composed(accounting.from_dp(1e-3), 100_000)
    gaussian = accounting.from_gaussian(1 / (1e-3 * math.sqrt(100_000)))
    assert math.isclose(many.advantage.value, gaussian.advantage.value, rel_tol=1e-3)


def test_the_largest_losses_warn_of_nothing():
    """500 releases of loss 20: what the exponentials would be outside their cells is not asked."""
    found = LaplaceSum(20.0, 500)
    assert 1 - 1e-12 < found.advantage <= 1
    assert np.isfinite(found.epsilon(np.array([1e-9, 0.5]))).all()


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
    refused(r"second = (.|\n)*20 rows", accounting.joint_table, pmp.design_bit(), np.ones((6, 1)))
    refused("first = .*probability vectors", accounting.joint_table, [[0.5, 0.4]], [[1.0]])
    refused("q = 9: must be an odd prime", accounting.field_deltas, 9)
    refused("k = 40", accounting.repeated_table, np.full((20, 12), 1 / 12), 40)
