"""Conversions between DP and MIP."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipbook import mip


@pytest.mark.parametrize(
    ("epsilon", "delta", "eta"),
    [
        (0.1, 0.0, 0.024979187478939986),
        (0.5, 0.01, 0.12623473788983602),
        (1.0, 0.1, 0.25795272076700439),
        (2.0, 0.05, 0.38675722407898832),
        (5.0, 0.0, 0.49330714907571514),
    ],
)
def test_reference_values(epsilon, delta, eta):
    assert mip.eta_from_dp(epsilon, delta) == pytest.approx(eta, abs=0, rel=4e-16)
    assert mip.epsilon_from_eta(eta, delta) == pytest.approx(epsilon, abs=0, rel=1e-13)


@given(st.floats(1e-300, 700), st.floats(0, 0.999))
def test_eta_against_high_precision(epsilon, delta):
    with mpmath.workdps(50):
        e, d = mpmath.mpf(epsilon), mpmath.mpf(delta)
        # A form without cancellation: 50 digits would not hold 1/2 + 1e-301.
        exact = d / 2 + (1 - d) * mpmath.tanh(e / 2) / 2
        assert abs(mpmath.mpf(mip.eta_from_dp(epsilon, delta)) / exact - 1) < 1e-15


@given(st.floats(1e-12, 0.499999))
def test_epsilon_is_the_inverse(eta):
    assert mip.eta_from_dp(mip.epsilon_from_eta(eta)) == pytest.approx(eta, abs=0, rel=1e-14)


def test_limits():
    assert mip.eta_from_dp(0.0) == 0.0
    assert mip.eta_from_dp(np.inf) == 0.5
    assert mip.eta_from_dp(0.0, 1.0) == 0.5
    assert mip.epsilon_from_eta(0.0) == 0.0
    assert mip.epsilon_from_eta(0.5) == np.inf
    assert mip.epsilon_from_eta(0.5, 1.0) == np.inf
    assert mip.epsilon_from_eta(0.05, 0.1) == 0.0


def test_broadcasts():
    assert mip.eta_from_dp([[0.1], [1.0]], [0.0, 0.1, 0.2]).shape == (2, 3)
    assert isinstance(mip.eta_from_dp(1.0), float)


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"^delta = .*broadcasts with \(2,\)"):
        mip.eta_from_dp([1.0, 2.0], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"^sensitivity = .*broadcasts with \(2,\)"):
        mip.laplace_dp_scale([0.1, 0.2], [1.0, 2.0, 3.0])


def test_delta_that_rules_eta_out():
    with pytest.raises(ValueError, match=r"delta = 0\.3.*at most 2 eta"):
        mip.epsilon_from_eta(0.1, 0.3)
