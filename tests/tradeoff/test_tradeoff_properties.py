"""What holds of the tests' numerics for all inputs and at their limits, and what is refused."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import refused
from tradeoff_inputs import INF, LARGEST, SMALLEST, epsilons

from mipbook.tradeoff import (
    dp_accuracy,
    dp_tpr,
    gaussian_advantage,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
    gaussian_tpr,
    hockey_stick,
)

many = settings(max_examples=500, deadline=None, database=None)
anything = st.floats(0, LARGEST) | st.sampled_from([0.0, SMALLEST, 1e-310, 1e154, LARGEST, INF])
finite = anything.filter(math.isfinite)
probabilities = st.floats(0, 1) | st.sampled_from([0.0, SMALLEST, 1e-310, 1 - 2**-53, 1.0])


@many
@given(anything, anything, finite)
def test_delta_is_a_probability_everywhere(epsilon: float, sigma: float, scale: float) -> None:
    assert 0.0 <= gaussian_delta(epsilon, sigma, scale) <= 1.0


@many
@given(anything, probabilities, finite)
def test_sigma_exists_and_is_safe_everywhere(epsilon: float, delta: float, scale: float) -> None:
    sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=scale)
    assert sigma >= 0
    assert gaussian_delta(epsilon, sigma, scale) <= delta * (1 + 1e-13)


@many
@given(probabilities, anything, finite)
def test_epsilon_exists_and_is_safe_everywhere(delta: float, sigma: float, scale: float) -> None:
    epsilon = gaussian_epsilon(delta, sigma=sigma, sensitivity=scale)
    assert epsilon >= 0
    assert gaussian_delta(epsilon, sigma, scale) <= delta * (1 + 1e-13)


@many
@given(probabilities, anything, finite)
def test_rates_are_rates_everywhere(fpr: float, sigma: float, scale: float) -> None:
    assert fpr <= gaussian_tpr(fpr, sigma, scale) <= 1
    assert 0 <= gaussian_advantage(sigma, scale) <= 1


@many
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=8), epsilons)
def test_hockey_stick_is_the_worst_event(counts: list[tuple[int, int]], epsilon: float) -> None:
    left, right = np.array([*counts, (1, 1)], dtype=float).T
    p, q = left / left.sum(), right / right.sum()
    factor = math.exp(min(epsilon, 600.0))
    events = (np.arange(2**p.size)[:, None] >> np.arange(p.size)) & 1
    worst = max(float(e @ p - factor * (e @ q)) for e in events)
    assert hockey_stick(p, q, epsilon) == pytest.approx(worst, abs=1e-15)


def test_hockey_stick_keeps_small_differences() -> None:
    p, q = [0.5 + 2**-50, 0.5 - 2**-50], [0.5, 0.5]
    assert hockey_stick(p, q, 1e-16) == pytest.approx(2**-50 - 0.5e-16, rel=1e-15, abs=0)
    assert hockey_stick(q, q, 1e-18) == 0.0


@pytest.mark.parametrize(
    ("call", "value"),
    [
        *(((gaussian_delta, INF, 1.0), 0.0), ((gaussian_delta, INF, 0.0), 0.0)),
        *(((gaussian_delta, 1.0, 0.0), 1.0), ((gaussian_delta, LARGEST, 0.0), 1.0)),
        *(((gaussian_delta, 0.0, INF), 0.0), ((gaussian_delta, 0.0, 0.0, 0.0), 0.0)),
        *(((gaussian_delta, 0.0, 1.0, 0.0), 0.0), ((gaussian_delta, 0.0, SMALLEST, LARGEST), 1.0)),
        *(((gaussian_delta, 0.0, LARGEST, SMALLEST), 0.0), ((gaussian_delta, LARGEST, 1.0, LARGEST), 1.0)),
        *(((gaussian_sigma, INF, 0.5), 0.0), ((gaussian_sigma, INF, 0.0), 0.0)),
        *(((gaussian_sigma, 1.0, 1.0), 0.0), ((gaussian_sigma, 0.0, 1.0), 0.0)),
        *(((gaussian_sigma, 1.0, 0.0), INF), ((gaussian_sigma, LARGEST, 0.0), INF)),
        *(((gaussian_sigma, 1.0, 0.0, 0.0), 0.0), ((gaussian_sigma, 0.0, SMALLEST, LARGEST), INF)),
        *(((gaussian_sigma, 1e5, 0.5, SMALLEST), SMALLEST), ((gaussian_epsilon, 0.0, 1.0), INF)),
        *(((gaussian_epsilon, 0.5, 0.0), INF), ((gaussian_epsilon, 0.0, 0.0), INF)),
        *(((gaussian_epsilon, 1.0, 0.0), 0.0), ((gaussian_epsilon, 1.0, 1.0), 0.0)),
        *(((gaussian_epsilon, 0.0, INF), 0.0), ((gaussian_epsilon, 0.0, 1.0, 0.0), 0.0)),
        *(((gaussian_epsilon, 0.0, 0.0, 0.0), 0.0), ((gaussian_epsilon, 0.5, 1.0), 0.0)),
        *(((gaussian_epsilon, 0.5, SMALLEST), INF), ((gaussian_tpr, 0.0, 0.0), 1.0)),
        *(((gaussian_tpr, 0.0, 1e-300), 0.0), ((gaussian_tpr, 1.0, 1.0), 1.0)),
        *(((gaussian_tpr, 0.3, INF), 0.3), ((gaussian_tpr, 0.3, 0.0, 0.0), 0.3)),
        *(((gaussian_advantage, 0.0), 1.0), ((gaussian_advantage, INF), 0.0)),
        *(((gaussian_advantage, 0.0, 0.0), 0.0), ((dp_tpr, 0.0, INF, 0.1), 0.1)),
        *(((dp_tpr, SMALLEST, INF), 1.0), ((dp_tpr, 0.2, 0.0), 0.2), ((dp_tpr, 0.2, 0.0, 1.0), 1.0)),
        *(
            ((dp_tpr, 1e-300, 710.0), 1.0),
            ((dp_accuracy, INF), 1.0),
            ((dp_accuracy, 0.0), 0.5),
            ((dp_accuracy, 0.0, 1.0), 1.0),
        ),
        *(((dp_tpr, 1e-300, 710.0), 1.0), ((hockey_stick, [1.0, 0.0], [0.0, 1.0], INF), 1.0)),
        ((hockey_stick, [0.5, 0.5], [0.5, 0.5], INF), 0.0),
        ((hockey_stick, [0.25, 0.75], [1.0, 0.0], 1e300), 0.75),
    ],
)
def test_limits(call: tuple, value: float) -> None:
    function, *arguments = call
    assert function(**dict(zip(inspect.signature(function).parameters, arguments, strict=False))) == value


def test_floating_point_traps_of_the_caller_are_not_sprung() -> None:
    extremes = np.array([0.0, SMALLEST, 1e-160, 1.0, 1e160, LARGEST, INF])
    probability = np.array([0.0, SMALLEST, 0.5, 1 - 2**-53, 1.0])[:, None]
    with np.errstate(all="raise"):
        for values in (
            gaussian_sigma(extremes, delta=probability),
            gaussian_epsilon(probability, sigma=extremes),
            gaussian_delta(extremes, probability),
            gaussian_tpr(probability, extremes),
            dp_tpr(probability, extremes),
        ):
            assert not np.isnan(values).any()


def test_blocks_and_shapes() -> None:
    epsilon = np.linspace(0, 9, 3 * 5000).reshape(3, 1, 5000)
    sigma = np.array([[0.5], [2.0]])
    delta = gaussian_delta(epsilon, sigma)
    assert delta.shape == (3, 2, 5000)
    assert delta[2, 1, 4999] == pytest.approx(gaussian_delta(9.0, 2.0), rel=1e-15, abs=0)
    assert delta[1, 0, 17] == pytest.approx(gaussian_delta(epsilon[1, 0, 17], 0.5), rel=1e-14, abs=0)
    assert gaussian_sigma(np.empty((0, 3)), delta=0.5).shape == (0, 3)
    assert type(gaussian_epsilon(np.float32(0.1), sigma=1)) is float


BROADCAST = (
    *(gaussian_delta, gaussian_sigma, gaussian_epsilon, gaussian_tpr, gaussian_advantage, dp_tpr),
    dp_accuracy,
)


def test_shapes_that_do_not_broadcast_are_refused_by_name() -> None:
    for function in BROADCAST:
        first, second = list(inspect.signature(function).parameters)[:2]
        given = {first: np.full(3, 0.5), second: np.full(4, 0.5)}
        refused(rf"^{second} = array.*broadcasts with \(3,\)", function, **given)


def test_a_length_is_judged_against_that_of_the_first() -> None:
    refused("^q = ", hockey_stick, [0.2, 0.8], [0.2, 0.3, 0.5], 1.0)
