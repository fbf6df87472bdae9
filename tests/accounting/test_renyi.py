"""The region that a Rényi promise allows, against coins that keep it, with forty digits."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from mipbook import accounting
from mipbook.accounting import composed, matching
from mipbook.accounting.renyi import RenyiCurve

# (alpha, epsilon), or rho with no order.
PROMISES = [(2.0, 0.01), (1.1, 1e-3), (1.01, 1e-8), (8.0, 1.0), (1.5, 3.0), (500.0, 0.1)]
RHOS = [1e-4, 0.05, 0.5, 3.0, 10.0]
# What Canonne, Kamath and Steinke tell of one order, (epsilon(1e-5), the sharp number).
FEW_DIGITS = {(2.0, 0.01): 5.5304, (1.01, 1e-8): 0.000485}


def renyi(order: mpf, t: mpf, x: mpf) -> mpf:
    """The larger divergence of two coins, of one way and the other."""

    def divergence(p: mpf, q: mpf) -> mpf:
        heads, tails = p**order * q ** (1 - order), (1 - p) ** order * (1 - q) ** (1 - order)
        return mp.log(heads + tails) / (order - 1)

    return max(divergence(t, x), divergence(x, t))


def largest_tpr(alpha: float, promise: float, fpr: float) -> mpf:
    low, high = mpf(fpr), mpf(1)
    for _ in range(120):
        middle = (low + high) / 2
        kept = middle < 1 and renyi(mpf(alpha), middle, mpf(fpr)) <= mpf(promise)
        low, high = (middle, high) if kept else (low, middle)
    return high


def cks_delta(alpha: float, promise: float, epsilon: float) -> float:
    return math.exp((alpha - 1) * (promise - epsilon) + (alpha - 1) * math.log1p(-1 / alpha)) / alpha


@pytest.mark.parametrize(("alpha", "promise"), PROMISES)
def test_rates_are_those_of_the_hardest_coins(alpha, promise):
    found = accounting.from_renyi(alpha, promise)
    with mp.workdps(40):
        for fpr in (1e-9, 1e-4, 0.03, 0.4, 0.8):
            sharp = largest_tpr(alpha, promise, fpr)
            told = float(found.tpr(fpr))
            assert sharp <= told + 2e-16 <= sharp * (1 + mpf("1e-10")) + mpf("3e-16")


@pytest.mark.parametrize(("alpha", "promise"), PROMISES)
def test_delta_is_the_best_line_and_no_more_than_that_of_canonne_kamath_and_steinke(alpha, promise):
    found = accounting.from_renyi(alpha, promise)
    edge = found.curve.edge
    for epsilon in edge * np.array([0.0, 0.3, 0.9, 1.1, 2.0]):
        told = float(found.delta(epsilon))
        assert told <= cks_delta(alpha, promise, epsilon) * (1 + 1e-11)
        corner = (1 - found.advantage.value) / 2
        fpr = np.append(np.geomspace(1e-12, 0.5, 3000), corner)
        best = (found.tpr(fpr) - np.exp(epsilon) * fpr).max()
        assert told >= best - 1e-13
        assert math.isclose(told, best, rel_tol=1e-4, abs_tol=1e-12)


@pytest.mark.parametrize("rho", RHOS)
def test_no_order_forbids_the_rates_of_zcdp_and_a_little_more_is_forbidden(rho):
    found = accounting.from_concentrated(rho)
    top = 2 + 3 * math.sqrt(30 / rho)
    orders = [1 + mpf(a) for a in np.concatenate([[1e-12], np.geomspace(1e-4, top, 800)])]
    with mp.workdps(40):
        for fpr in (1e-9, 1e-3, 0.02, 0.3):
            tpr = mpf(float(found.tpr(fpr)))
            if tpr > 1 - 1e-9:
                continue  # nothing is left to compare in a double
            less = tpr - (tpr - fpr) * mpf("1e-8")
            more = tpr + min(tpr - fpr, 1 - tpr) * mpf("1e-4")
            assert all(renyi(a, less, mpf(fpr)) <= rho * a for a in orders)
            assert any(renyi(a, more, mpf(fpr)) > rho * a for a in orders)


def test_readings_of_one_promise_do_not_contradict_each_other():
    for (alpha, promise), sharp in FEW_DIGITS.items():
        epsilon = accounting.from_renyi(alpha, promise).epsilon(1e-5)
        assert math.isclose(epsilon, sharp, rel_tol=1e-3)
    assert math.isclose(accounting.from_concentrated(0.5).auc.value, 0.81036, abs_tol=5e-6)
    assert math.isclose(accounting.from_renyi(8.0, 1.0).auc.value, 0.75229, abs_tol=6e-6)


@pytest.mark.parametrize(("fixed", "value", "told"), [(2, 10, 0.6318), (2, 5, 0.005879)])
def test_the_weakest_promise_of_one_order(fixed, value, told):
    assert math.isclose(matching("renyi", "epsilon", value, fixed=fixed).value, told, rel_tol=1e-3)


@pytest.mark.parametrize("fixed", [1.01, 2.0, 8.0, 500.0])
@pytest.mark.parametrize("value", [1e-6, 0.3, 5.0, 10.0])
def test_a_match_reads_as_what_was_wanted(fixed, value):
    found = matching("renyi", "epsilon", value, fixed=fixed)
    more = accounting.from_renyi(fixed, found.value * 1.001)
    assert value * (1 - 1e-6) <= found.reading.epsilon(1e-5) <= value < more.epsilon(1e-5)


def test_rates_do_not_depend_on_those_that_are_asked_with_them():
    found, asked = accounting.from_concentrated(0.5), np.geomspace(1e-6, 0.9, 40)
    alone = np.array([float(found.tpr(rate)) for rate in asked])
    np.testing.assert_allclose(found.tpr(asked), alone, rtol=1e-13)


@pytest.mark.parametrize("alpha", [None, 1 + 1e-15, 1.001, 2.0, 1e6])
@pytest.mark.parametrize("promise", [1e-24, 1e-12, 1e-3, 30.0, 1e6])
def test_extremes_are_ordered(alpha, promise):
    curve = RenyiCurve(promise, alpha)
    tpr = curve.tpr(np.array([0, 1e-320, 1e-300, 1e-9, 0.3, 0.5, 0.9, 1 - 1e-16, 1]))
    delta = curve.delta_in(np.array([0, 1e-300, 1e-9, 0.1, 1, 700, 1e5, 1e300, np.inf]))
    epsilon = curve.epsilon(np.array([0, 5e-324, 1e-300, 1e-9, 0.1, 0.5, 1]))
    assert not np.isnan([*tpr, *delta, *epsilon, curve.auc]).any()
    assert (tpr[1:] >= tpr[:-1]).all()
    assert (delta[1:] <= delta[:-1]).all()
    assert (epsilon[1:] <= epsilon[:-1]).all()


def test_nothing_and_everything():
    for made in (accounting.from_concentrated, lambda size: accounting.from_renyi(2.0, size)):
        assert made(0.0).epsilon(0.0) == made(0.0).advantage.value == 0.0
        assert made(1e300).epsilon(0.5) == math.inf
        assert made(5e-324).advantage.value < 1e-11
    assert composed(accounting.from_concentrated(0.0), 3).advantage.value == 0.0
