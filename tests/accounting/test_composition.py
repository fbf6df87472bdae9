"""Curves of k releases: values found elsewhere, and other routes to the same numbers."""

import math

import numpy as np
import pytest
from shared import refused

from mipbook import accounting, pmp
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


@pytest.mark.parametrize("k", PURE)
def test_pure_promises_against_forty_digits(k):
    found = composed(accounting.from_dp(0.1), k)
    epsilon, advantage = PURE[k]
    assert math.isclose(found.epsilon(1e-6), epsilon, rel_tol=2e-10)
    assert math.isclose(found.advantage.value, advantage, rel_tol=1e-11)
    assert found.eta.value == found.advantage.value / 2
    assert found.epsilon(0.0) == pytest.approx(0.1 * k, rel=1e-15)


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


def test_blocks_in_large_pools():
    told = [accounting.block_etas(n).together for n in (5, 6, 10, 50, 1000)]
    np.testing.assert_allclose(told, [5 / 21, 0.2165, 0.1858, 0.1611, 0.1565], atol=5e-5)
    assert accounting.block_etas(10**6).together == pytest.approx(5 / 32, rel=1e-5)


def test_tables_that_do_not_fit_are_refused():
    refused(r"second = (.|\n)*20 rows", accounting.joint_table, pmp.design_bit(), np.ones((6, 1)))
    refused("first = .*probability vectors", accounting.joint_table, [[0.5, 0.4]], [[1.0]])
    refused("q = 9: must be an odd prime", accounting.field_deltas, 9)
    refused("k = 40", accounting.repeated_table, np.full((20, 12), 1 / 12), 40)
