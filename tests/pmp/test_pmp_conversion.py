"""What PMP promises about the attacker's success, and as MIP."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipbook import game, mip, pmp, tradeoff
from mipbook.mechanisms import randomised_response, tight_mechanism


@given(st.floats(0, 20), st.floats(0, 1), st.floats(0.02, 0.98))
def test_success_bound_is_attained_at_every_share(epsilon, delta, share):
    """Footnote 1: the Bayes attacker on the tight mechanism, with a prior that is no half."""
    attained = game.optimal_accuracy(tight_mechanism(epsilon, delta), weights=[1 - share, share])
    assert pmp.success_bound(epsilon, delta, share) == pytest.approx(attained, rel=1e-9)


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
