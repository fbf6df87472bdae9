"""The constants that turn a promise into noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipbook import mip


@pytest.mark.parametrize(
    ("eta", "constant"),
    [
        (0.01, 49.4983164525091),
        (0.05, 9.49122158102990),
        (0.1, 4.48142011772455),
        (0.25, 1.44269504088896),
        (0.4, 0.621334934559612),
    ],
)
def test_sharp_constant(eta, constant):
    assert mip.noise_scale(eta) == pytest.approx(constant, abs=0, rel=1e-14)
    assert mip.noise_scale(eta, M=8, dimension=50) == mip.noise_scale(eta)


def test_published_constants():
    assert mip.noise_scale(0.1, as_published=True) == pytest.approx(3794.56, abs=0, rel=1e-14)
    assert mip.noise_scale(0.1, M=1, as_published=True) == pytest.approx(75.0**3, abs=0, rel=1e-14)
    assert mip.noise_scale(0.1, M=4, as_published=True) == pytest.approx(61.6**1.5, abs=0, rel=1e-14)


def test_sharp_constant_is_enough_and_attained():
    """The query that answers by one membership bit needs exactly this noise."""
    bit = np.array([[True, False], [False, True]])
    for eta in (0.01, 0.1, 0.3):
        scale = mip.noise_scale(eta)
        assert mip.laplace_eta([1.0, -1.0], bit, scale) == pytest.approx(eta, abs=0, rel=1e-12)
        assert mip.laplace_eta([1.0, -1.0], bit, 0.99 * scale) > eta


@given(st.floats(1e-6, 0.499), st.floats(1, 16))
def test_published_is_never_below_sharp(eta, M):
    assert mip.noise_scale(eta, M=M, as_published=True) > mip.noise_scale(eta)


@given(st.floats(1e-9, 0.4999), st.floats(1e-3, 1e6))
def test_dp_route_delivers_epsilon(eta, sensitivity):
    epsilon = sensitivity / mip.laplace_dp_scale(eta, sensitivity)
    assert mip.eta_from_dp(epsilon) == pytest.approx(eta, abs=0, rel=1e-12)


def test_extremes_do_not_warn():
    assert mip.noise_scale(1e-300, as_published=True) == np.inf
    assert mip.noise_scale(1e-300) == pytest.approx(5e299)
    assert mip.laplace_dp_scale(0.1, 0.0) == 0.0


def test_smallest_winning_ratio():
    assert mip.smallest_winning_ratio(2) == pytest.approx(521.067123050121, abs=0, rel=1e-13)
    assert mip.smallest_winning_ratio(3) == pytest.approx(206.24, abs=5e-3)
    assert mip.smallest_winning_ratio(8) == pytest.approx(60.24, abs=5e-3)
