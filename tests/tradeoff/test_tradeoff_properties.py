"""What holds of the tests' numerics for all inputs and at their limits, and what is refused."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import refused
from tradeoff_inputs import INF, LARGEST, SMALLEST, epsilons, scales, sigmas

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
rates = st.floats(0, 1) | st.floats(-300, 0).map(lambda k: 10.0**k)
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


def test_delta_falls_with_epsilon_and_sigma_and_grows_with_sensitivity() -> None:
    epsilon = np.geomspace(1e-6, 1e5, 300)[:, None]
    sigma = np.geomspace(2e-3, 1e4, 300)
    delta = gaussian_delta(epsilon, sigma)
    slack = 1 + 1e-13
    assert (delta[1:] <= delta[:-1] * slack).all()
    assert (delta[:, 1:] <= delta[:, :-1] * slack).all()
    np.testing.assert_allclose(delta, gaussian_delta(epsilon, 8 * sigma, 8.0), rtol=1e-15)
    wider = gaussian_delta(epsilon, sigma, 1.5)
    assert (delta <= wider * slack).all()


def test_sigma_and_epsilon_fall_with_the_other_parameter() -> None:
    epsilon, delta = np.geomspace(1e-6, 1e5, 200)[:, None], np.geomspace(1e-300, 0.99, 200)
    sigma = gaussian_sigma(epsilon, delta=delta)
    assert (sigma[1:] <= sigma[:-1] * (1 + 1e-12)).all()
    assert (sigma[:, 1:] <= sigma[:, :-1] * (1 + 1e-12)).all()
    found = gaussian_epsilon(delta, sigma=np.geomspace(3e-3, 1e4, 200)[:, None])
    assert (found[1:] <= found[:-1] * (1 + 1e-12)).all()
    assert (found[:, 1:] <= found[:, :-1] * (1 + 1e-12)).all()


def test_round_trips() -> None:
    epsilon, delta = np.geomspace(1e-3, 1e5, 100)[:, None], np.geomspace(1e-300, 0.9, 100)
    sigma = gaussian_sigma(epsilon, delta=delta)
    back = gaussian_epsilon(delta, sigma=sigma)
    # Only where delta is close to the total variation is epsilon ill determined by them.
    clear = np.broadcast_to(delta < 0.5 * gaussian_advantage(sigma), back.shape)
    assert clear.sum() > 5000
    np.testing.assert_allclose(back[clear], np.broadcast_to(epsilon, back.shape)[clear], rtol=3e-12)
    once_more = gaussian_delta(epsilon, sigma)
    # One last digit of sigma moves delta by up to 2e5 of its own last digits at epsilon 1e5.
    np.testing.assert_allclose(once_more, np.broadcast_to(delta, back.shape), rtol=1e-10)


@many
@given(sigmas, scales)
def test_advantage_is_delta_at_epsilon_zero_and_the_largest_gap(sigma: float, scale: float) -> None:
    advantage = gaussian_advantage(sigma, scale)
    assert gaussian_delta(0.0, sigma, scale) == pytest.approx(advantage, rel=1e-13, abs=0)
    # The symmetric threshold; the rate must not underflow to the limit case 0.
    best = max(0.5 * math.erfc(0.5 * scale / sigma / math.sqrt(2)), SMALLEST)
    assert gaussian_tpr(best, sigma, scale) - best == pytest.approx(advantage, abs=1e-15)


@many
@given(rates, epsilons, sigmas)
def test_gaussian_rate_obeys_its_own_privacy_curve(fpr: float, epsilon: float, sigma: float) -> None:
    delta = gaussian_delta(epsilon, sigma)
    assert gaussian_tpr(fpr, sigma) <= dp_tpr(fpr, epsilon, delta) * (1 + 1e-12)


@pytest.mark.parametrize("sigma", [0.1, 0.5, 1.0, 4.0])
def test_privacy_curve_touches_the_trade_off(sigma: float) -> None:
    """The line of (epsilon, delta) is a tangent: too large a delta would leave a gap."""
    for epsilon in (0.0, 0.3, 2.0):
        threshold = epsilon * sigma + 0.5 / sigma
        fpr = 0.5 * math.erfc(threshold / math.sqrt(2))
        line = gaussian_delta(epsilon, sigma) + math.exp(epsilon) * fpr
        assert gaussian_tpr(fpr, sigma) == pytest.approx(line, rel=1e-13, abs=0)


@many
@given(rates, epsilons, st.floats(0, 1))
def test_dp_tpr_lies_between_guessing_and_one(fpr: float, epsilon: float, delta: float) -> None:
    tpr = dp_tpr(fpr, epsilon, delta)
    assert max(fpr, min(delta, 1.0)) <= tpr * (1 + 1e-15)
    assert tpr <= 1
    assert tpr <= dp_tpr(fpr, 2 * epsilon, delta) * (1 + 1e-15)
    assert 0.5 * (1 + tpr - fpr) <= dp_accuracy(epsilon, delta) + 1e-15


def test_dp_accuracy_is_attained_at_the_corner() -> None:
    for epsilon, delta in [(0.0, 0.0), (0.5, 1e-3), (3.0, 0.2), (40.0, 0.0)]:
        corner = (1 - delta) / (1 + math.exp(epsilon))
        best = 0.5 * (1 + dp_tpr(corner, epsilon, delta) - corner)
        assert best == pytest.approx(dp_accuracy(epsilon, delta), rel=1e-15, abs=0)


@many
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=8), epsilons)
def test_hockey_stick_is_the_worst_event(counts: list[tuple[int, int]], epsilon: float) -> None:
    left, right = np.array([*counts, (1, 1)], dtype=float).T
    p, q = left / left.sum(), right / right.sum()
    factor = math.exp(min(epsilon, 600.0))
    events = (np.arange(2**p.size)[:, None] >> np.arange(p.size)) & 1
    worst = max(float(e @ p - factor * (e @ q)) for e in events)
    assert hockey_stick(p, q, epsilon) == pytest.approx(worst, abs=1e-15)


def test_hockey_stick_of_many_epsilons_equals_one_at_a_time() -> None:
    rng = np.random.default_rng(5)
    p, q = rng.dirichlet(np.ones(2000), 2)
    epsilon = np.linspace(0, 3, 6000).reshape(3, 2000)
    table = hockey_stick(p, q, epsilon)
    assert table.shape == (3, 2000)
    for place in [(0, 0), (1, 1234), (2, 1999)]:
        assert table[place] == pytest.approx(hockey_stick(p, q, epsilon[place]), rel=1e-14, abs=0)


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
