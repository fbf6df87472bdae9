"""Curves of k releases and the arrows between notions: values found elsewhere, other routes to the same."""

import math

import numpy as np
import pytest
from shared import refused

from mipbook import accounting, game, mip, mis, pmp
from mipbook.accounting import composed
from mipbook.accounting.composition import LaplaceSum
from mipbook.mechanisms import tight_mechanism

# Elsewhere, with 40 digits and more: the optimal epsilon at 1e-6, and the advantage.
PURE = {
    1: (0.099998095160767758942, 0.049958374957879972198),
    2: (0.1999963715878281833, 0.049958374957879972198),
    5: (0.4999749218778288552, 0.093516209656532238945),
    10: (0.9993709057217587247, 0.12253622356149266512),
    20: (1.7886091174189804519, 0.17474005073411072416),
    100: (4.774567588, 0.38197261261585603698),
}


@pytest.mark.parametrize("k", PURE)
def test_pure_promises_against_forty_digits(k):
    found = composed(accounting.from_dp(0.1), k)
    epsilon, advantage = PURE[k]
    assert math.isclose(found.epsilon(1e-6), epsilon, rel_tol=2e-10)
    assert found.epsilon(1e-6) <= accounting.epsilon_bounds(0.1, k, 1e-6).least
    assert math.isclose(found.advantage.value, advantage, rel_tol=1e-11)
    assert found.eta.value == found.advantage.value / 2
    assert found.epsilon(0.0) == pytest.approx(0.1 * k, rel=1e-15)


def test_bounds_of_a_hundred_releases():
    told = accounting.epsilon_bounds(0.1, 50, 1e-6)
    np.testing.assert_allclose(told, [5.0, 4.243, 3.967, 3.920], atol=5e-4)
    assert accounting.epsilon_bounds(0.0, 9, 1e-6) == (0.0, 0.0, 0.0, 0.0)
    assert accounting.epsilon_bounds(700.0, 100_000, 1e-300).least == 7e7


def test_laplace_against_forty_digits():
    found = composed(accounting.from_laplace(2.0), 10)
    known = [0.538273183451254691, 0.424078753376514938, 0.307040543187255528, 0.125476836562724568]
    np.testing.assert_allclose(found.delta([0.0, 0.5, 1.0, 2.0]), known, rtol=1e-13, atol=0)
    assert found.releases == 10
    assert "this is 10 together" in str(found)


def test_renyi_promises_add_up():
    renyi = composed(accounting.from_concentrated(0.05), 10)
    assert renyi.delta(1.0) == accounting.from_concentrated(0.5).delta(1.0)
    assert not renyi.sharp


def test_what_cannot_be_composed_is_refused():
    refused("k = 501", composed, accounting.from_laplace(1.0), 501)
    refused("loss up to 50", composed, accounting.from_laplace(1e-3), 2)
    for reading in (
        accounting.from_subsampled_gaussian(1.0, 0.1),
        accounting.from_table([0.31, 0.27, 0.42], [0.2, 0.3, 0.5]),
    ):
        refused("reading = .*for a table take repeated_table", composed, reading, 2)
    refused(r"second = (.|\n)*20 rows", accounting.joint_table, pmp.design_bit(), np.ones((6, 1)))
    refused("first = .*probability vectors", accounting.joint_table, [[0.5, 0.4]], [[1.0]])
    refused(r"first = .*2 dimensions.*in \[0, 1\]", accounting.joint_table, [0.5, 0.5], [[1.0]])
    refused("q = 9: must be an odd prime", accounting.field_deltas, 9)
    refused("k = 40", accounting.repeated_table, np.full((20, 12), 1 / 12), 40)


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
    # Of losses of 20, what the exponentials would be outside their cells is not asked: no warning.
    largest = LaplaceSum(20.0, 500)
    assert 1 - 1e-12 < largest.advantage <= 1
    assert np.isfinite(largest.epsilon(np.array([1e-9, 0.5]))).all()


def test_blocks_in_large_pools():
    assert accounting.block_etas(5).together == pytest.approx(5 / 21)
    assert accounting.block_etas(10**6).together == pytest.approx(5 / 32, rel=1e-5)


# By another program: n, e^epsilon, share, and the exact PMP parameter and Delta of the tags.
TAGS = [
    (10, 2.0, 0.38333333333333336, 0.8242475014057726, 0.27449018708042183),
    (1000, 2.0, 1 / 3, 0.6945833352350519, 0.32518579633888295),
    (2, math.e, 0.3765179899179932, 1.48988012564475, 0.31919756669392046),
    (300, math.e, 0.2689414213699951, 1.007417715491215, 0.4419485305383408),
    (1, 4.0, 0.3, 1.3862943611198906, 0.33157894736842103),
    (100, 4.0, 0.22, 1.4219382451207707, 0.5649437049036452),
]


def test_there_are_twelve_arrows_and_none_leads_to_dp_or_from_security():
    assert len(set(accounting.ARROWS)) == 12
    kinds = {(a.start, a.end): a.kind for a in accounting.ARROWS}
    for (start, end), kind in kinds.items():
        assert (kind == "impossible") == (end == "DP" or start == "MIS")
    assert [pair for pair, kind in kinds.items() if kind == "bound"] == [("PMP", "MIS")]
    assert [(a.start, a.end) for a in accounting.ARROWS if a.needs_delta] == [("MIP", "PMP")]
    for start, end, name in (("DP", "DP", "end"), ("RIP", "DP", "start"), ("DP", "RIP", "end")):
        refused(f"^{name} = ", accounting.arrow, start, end)


def test_accuracies_are_those_of_the_conversions_of_each_room():
    right = np.linspace(0.5, 0.9999, 60)
    epsilon = accounting.promised_parameter("DP", right)
    found = {(a.start, a.end): a.accuracy(right) for a in accounting.ARROWS}
    eta = accounting.promised_parameter("MIP", right)
    same = {"rtol": 1e-12, "atol": 1e-12}
    for ends, accuracy in {
        ("DP", "MIP"): 0.5 + mip.eta_from_dp(epsilon),
        ("DP", "PMP"): pmp.success_bound(epsilon),
        ("DP", "MIS"): 0.5 + mis.delta_from_dp(epsilon) / 2,
        ("PMP", "MIP"): 0.5 + pmp.eta_from_pmp(epsilon),
        ("PMP", "MIS"): 0.5 + accounting.delta_from_pmp(epsilon) / 2,
        ("MIP", "MIS"): 0.5 + accounting.delta_from_mip(eta) / 2,
    }.items():
        np.testing.assert_allclose(found[ends], accuracy, **same)
    for ends in (("MIS", "MIP"), ("PMP", "DP"), ("MIP", "DP")):
        assert (found[ends] == 1).all()
    assert (accounting.promised_parameter("PMP", right) == epsilon).all()
    np.testing.assert_allclose(accounting.promised_parameter("MIS", right), 2 * right - 1, **same)
    assert game.optimal_accuracy(tight_mechanism(epsilon[30], 0.0)) == pytest.approx(right[30])


@pytest.mark.parametrize(("n", "odds", "share", "epsilon", "delta"), TAGS)
def test_tags_against_another_program(n, odds, share, epsilon, delta):
    found = accounting.tag_release(n, odds, share)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-9)
    assert found.delta == pytest.approx(delta, rel=1e-9)
    best = accounting.tag_release(n, odds)
    assert best.epsilon == found.epsilon
    assert found.delta <= best.delta < np.tanh(best.epsilon / 2)
