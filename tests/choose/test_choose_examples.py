"""The stored choices on the example pools: searched again in part, and read as they were found."""

import re

import numpy as np
import pytest

from mipbook import data, pmp, tradeoff
from mipbook.choose import examples

CASES = [
    ("200 people", "gaussian", 0.1, 5.0, 1e-3),
    ("200 people", "exponential", 0.5, 20.0, 1e-5),
    ("20 people", "gaussian", 0.02, 2.0, 1e-5),
    ("20 people", "exponential", 1.0, 2.0, 1e-3),
    ("60 with outliers", "gaussian", 0.01, 20.0, 1e-3),
]


def alike(report, other):
    """Compare words, and numbers but for their last digits, which processors round differently."""
    one, two = (re.split(r"(-?\d+\.\d+(?:e[-+]?\d+)?)", repr(each)) for each in (report, other))
    numbers = [float(number) for number in two[1::2]]
    return one[::2] == two[::2] and list(map(float, one[1::2])) == pytest.approx(numbers, rel=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_stored_choices_are_found_again(case):
    name, *rest = case
    stored, again = (examples.example_choice(*case), examples.chosen(examples.example_pool(name), *rest))
    assert alike(stored, again)
    # Another target has another answer: to be alike means something.
    assert not alike(stored, examples.example_choice(name, rest[0], 0.3, *rest[2:]))


def test_a_target_between_the_stored_ones_is_searched():
    case = "20 people", "exponential"
    low, between, high = (examples.example_choice(*case, t, 5.0, 1e-3) for t in (0.1, 0.11, 0.12))
    assert low.epsilon < between.epsilon < high.epsilon
    assert between.target == 0.11


@pytest.mark.parametrize("name", examples.EXAMPLES)
@pytest.mark.parametrize("mechanism", examples.MECHANISMS)
def test_the_curve_keeps_every_target(name, mechanism):
    curve = examples.example_curve(name, mechanism, 5.0, 1e-3)
    assert (curve.certain <= examples.TARGETS).all()
    assert (curve.certain > 0.99 * np.array(examples.TARGETS)).all()
    assert (np.diff(curve.epsilon) > 0).all()
    assert (curve.likely <= curve.certain * (1 + 1e-9)).all()
    assert examples.example_curve(name, mechanism, 6.0, 1e-3) is None


def test_a_stored_certificate_holds_by_the_bound_itself():
    name = "60 with outliers"
    found = examples.example_choice(name, "gaussian", 0.25, 2.0, 1e-3)
    short = data.clip_norm(examples.example_pool(name), 2.0) / 30
    assert pmp.gaussian_epsilon_bound(short, found.sigma, 1e-3) <= 0.25 * (1 + 1e-12)
    assert pmp.gaussian_epsilon_bound(short, 0.99 * found.sigma, 1e-3) > 0.25
    dp = tradeoff.gaussian_epsilon(1e-3, found.sigma, sensitivity=4 / 30)
    assert found.epsilon == pytest.approx(dp)
