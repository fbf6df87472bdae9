"""The rates that a Rényi promise allows, found by the few orders that bind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import xlogy

from mipbook import together

ORDERS = 1.0 + np.exp(np.linspace(np.log(1e-3), np.log(1e6), 241))


def allowed(rho: float, fpr: float, tpr: float) -> bool:
    """Whether the coins of two rates keep the promise at every order, in both directions."""
    pairs = ((tpr, fpr), (1 - tpr, 1 - fpr))

    def divergence(ends: tuple[tuple[float, float], ...]) -> np.ndarray:
        logs = [xlogy(ORDERS, p) + xlogy(1 - ORDERS, q) for p, q in ends]
        return np.asarray(np.logaddexp(*logs) / (ORDERS - 1))

    there, back = divergence(pairs), divergence(tuple((q, p) for p, q in pairs))
    return bool((np.maximum(there, back) <= rho * ORDERS + 1e-11).all())


@pytest.mark.parametrize("rho", [1e-4, 0.05, 0.5, 3.0, 10.0])
def test_every_order_allows_the_rates_below_and_one_forbids_those_above(rho):
    found = together.from_concentrated(rho)
    for fpr in (1e-9, 1e-4, 0.01, 0.3, 0.8):
        tpr = float(found.tpr(fpr))
        assert fpr < tpr <= 1
        if tpr > 1 - 1e-5:
            continue  # nothing is left to compare in a double
        near = 1e-6 * (tpr - fpr) + 1e-15
        assert allowed(rho, fpr, tpr - near)
        if tpr < min(fpr + found.advantage.value, 1.0):
            assert not allowed(rho, fpr, tpr + near)


def test_rates_do_not_depend_on_those_that_are_asked_with_them():
    found, asked = together.from_concentrated(0.5), np.geomspace(1e-6, 0.9, 40)
    alone = np.array([float(found.tpr(rate)) for rate in asked])
    np.testing.assert_array_equal(found.tpr(asked), alone)
