"""mipbook.tradeoff against 60-digit values, its own inverses, its limits and bad input."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from mipbook import tradeoff
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

DATA = Path(__file__).parents[1] / "data"
TABLES = json.loads((DATA / "tradeoff_reference.json").read_text(encoding="utf-8"))
INF = math.inf
SMALLEST, LARGEST = 5e-324, 1.7976931348623157e308


def load_reference() -> ModuleType:
    """Import the script that made the table, for its 60-digit ``delta``."""
    spec = importlib.util.spec_from_file_location(
        "make_tradeoff_reference", DATA / "make_tradeoff_reference.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = load_reference()
mp.dps = reference.DIGITS

# What is promised is 1e-12; what is reached is held as well, so that a lost digit shows.
REACHED = {
    "gaussian_delta": 4e-14,
    "gaussian_tpr": 1e-14,
    "gaussian_advantage": 1e-15,
    "dp_tpr": 1e-15,
    "dp_accuracy": 1e-15,
    "gaussian_sigma": 1e-12,
    "gaussian_epsilon": 1e-12,
}

# No database: a failure is printed in full, and nothing is left in the tree.
few = settings(
    max_examples=150,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
many = settings(max_examples=500, deadline=None, database=None)
epsilons = st.floats(-12, 5).map(lambda k: 10.0**k) | st.just(0.0)
# Magnitudes first, so that tiny delta are as frequent as moderate ones.
deltas = st.floats(-2.3, 2.477).map(lambda k: 10.0 ** -(10.0**k))
sigmas = st.floats(-2.3, 6).map(lambda k: 10.0**k)
scales = st.floats(-3, 3).map(lambda k: 10.0**k)
rates = st.floats(0, 1) | st.floats(-300, 0).map(lambda k: 10.0**k)
anything = st.floats(0, LARGEST) | st.sampled_from([0.0, SMALLEST, 1e-310, 1e154, LARGEST, INF])
finite = anything.filter(math.isfinite)
probabilities = st.floats(0, 1) | st.sampled_from([0.0, SMALLEST, 1e-310, 1 - 2**-53, 1.0])


def relative(got: float, true: object) -> float:
    """Return the signed relative error; the absolute one where the truth is 0."""
    return float(mpf(got) / true - 1) if true else float(got)


# --- 60-digit values -----------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(TABLES))
def test_relative_error_is_at_most_1e_12(name: str) -> None:
    tiny = mpf("1e-300")  # below, doubles themselves run out of digits
    rows = [(row[:-1], mpf(row[-1])) for row in TABLES[name]]
    rows = [(inputs, true) for inputs, true in rows if true == 0 or true >= tiny]
    assert len(rows) > 10
    errors = [abs(relative(getattr(tradeoff, name)(*i), true)) for i, true in rows]
    worst = int(np.argmax(errors))
    assert errors[worst] <= REACHED[name] <= 1e-12, (rows[worst][0], errors[worst])


@pytest.mark.parametrize("name", sorted(TABLES))
def test_arrays_give_what_scalars_give(name: str) -> None:
    function = getattr(tradeoff, name)
    columns = np.array([row[:-1] for row in TABLES[name]]).T
    together = function(*columns)
    assert together.dtype == np.float64
    alone = [function(*row[:-1]) for row in TABLES[name]]
    assert all(type(value) is float for value in alone)
    # SIMD and scalar loops of exp and log may differ in the last digit.
    np.testing.assert_allclose(together, alone, rtol=1e-14, atol=SMALLEST)


def test_sigma_of_the_table_never_delivers_more_delta() -> None:
    for epsilon, delta, scale, _ in TABLES["gaussian_sigma"]:
        sigma = gaussian_sigma(epsilon, delta, scale)
        assert reference.delta(epsilon, sigma, scale) <= delta, (epsilon, delta, scale)


def test_epsilon_of_the_table_never_delivers_more_delta() -> None:
    for delta, sigma, scale, _ in TABLES["gaussian_epsilon"]:
        epsilon = gaussian_epsilon(delta, sigma, scale)
        assert reference.delta(epsilon, sigma, scale) <= delta, (delta, sigma, scale)


@few
@given(epsilons, sigmas, scales)
def test_delta_at_random_inputs(epsilon: float, sigma: float, scale: float) -> None:
    true = reference.delta(epsilon, sigma, scale)
    got = gaussian_delta(epsilon, sigma, scale)
    if true >= mpf("1e-300"):
        assert abs(relative(got, true)) <= 1e-13
    else:
        assert got <= 1e-300 * (1 + 1e-13)


@few
@given(st.floats(-3, 17), deltas, scales)
def test_delta_keeps_its_digits_where_one_of_sigma_moves_many_of_it(
    size: float, delta: float, scale: float
) -> None:
    """At epsilon 1e17 the last digit of sigma moves delta by orders of magnitude."""
    epsilon = 10.0**size
    sigma = gaussian_sigma(epsilon, delta, scale)
    with mp.workdps(100):
        true = reference.delta(epsilon, sigma, scale)
    if true >= mpf("1e-300"):
        assert abs(relative(gaussian_delta(epsilon, sigma, scale), true)) <= 4e-14


@few
@given(epsilons, deltas, scales)
def test_sigma_is_safe_and_tight(epsilon: float, delta: float, scale: float) -> None:
    sigma = gaussian_sigma(epsilon, delta, scale)
    assert reference.delta(epsilon, sigma, scale) <= delta
    assert reference.delta(epsilon, mpf(sigma) * (1 - mpf("1e-12")), scale) > delta


@few
@given(deltas.filter(lambda d: d <= 0.99), sigmas, scales)
def test_epsilon_is_safe_and_tight(delta: float, sigma: float, scale: float) -> None:
    check_epsilon(delta, sigma, scale)


def check_epsilon(delta: float, sigma: float, scale: float) -> None:
    """Check both sides at 60 digits, with the excess that the docstring allows."""
    epsilon = gaussian_epsilon(delta, sigma, scale)
    assert reference.delta(epsilon, sigma, scale) <= delta
    excess = max(mpf(epsilon) * mpf("1e-12"), mpf("4e-27") * min(1, mpf(scale) / mpf(sigma)))
    if epsilon > excess:
        assert reference.delta(epsilon - excess, sigma, scale) > delta
    elif epsilon == 0:
        assert reference.delta(0, sigma, scale) <= delta


@few
@given(st.floats(-0.6, 8), st.floats(-16, -0.1))
def test_epsilon_is_safe_and_tight_close_to_total_variation(size: float, gap: float) -> None:
    sigma = 10.0**size
    check_epsilon(min(gaussian_advantage(sigma) * (1 - 10.0**gap), 0.99), sigma, 1.0)


@pytest.mark.parametrize("sigma", [0.2, 0.25, 0.9999998627552429, 1.7, 30.0, 1e5])
def test_epsilon_one_digit_from_total_variation(sigma: float) -> None:
    near = min(gaussian_advantage(sigma), 0.99)
    for delta in (math.nextafter(near, 0.0), near, math.nextafter(near, 1.0)):
        check_epsilon(delta, sigma, 1.0)


@few
@given(st.floats(-323, -300), st.floats(-323, -1), st.floats(-30, 0))
def test_subnormal_numbers_stay_safe(delta: float, epsilon: float, scale: float) -> None:
    d, e, s = 10.0**delta, 10.0**epsilon, 10.0**scale
    sigma = gaussian_sigma(e, d, s)
    if sigma < INF:
        assert reference.delta(e, sigma, s) <= d
        assert reference.delta(e, mpf(sigma) * (1 - mpf("1e-11")), s) > d


@settings(few, max_examples=60)
@given(st.floats(-323, -290), st.floats(-323, -1), st.floats(-300, -120))
def test_epsilon_of_tiny_shifts_stays_safe(delta: float, fraction: float, scale: float) -> None:
    s, sigma = 10.0**scale, 1e-3 * 10.0**-scale
    d = max(10.0**delta, gaussian_advantage(sigma, s) * 10.0**fraction)
    epsilon = gaussian_epsilon(d, sigma, s)
    assert reference.delta(epsilon, sigma, s) <= d
    if epsilon > 1e-300:
        assert reference.delta(mpf(epsilon) * (1 - mpf("1e-11")), sigma, s) > d


# --- properties ----------------------------------------------------------------------------


@many
@given(anything, anything, finite)
def test_delta_is_a_probability_everywhere(epsilon: float, sigma: float, scale: float) -> None:
    assert 0.0 <= gaussian_delta(epsilon, sigma, scale) <= 1.0


@many
@given(anything, probabilities, finite)
def test_sigma_exists_and_is_safe_everywhere(epsilon: float, delta: float, scale: float) -> None:
    sigma = gaussian_sigma(epsilon, delta, scale)
    assert sigma >= 0
    assert gaussian_delta(epsilon, sigma, scale) <= delta * (1 + 1e-13)


@many
@given(probabilities, anything, finite)
def test_epsilon_exists_and_is_safe_everywhere(delta: float, sigma: float, scale: float) -> None:
    epsilon = gaussian_epsilon(delta, sigma, scale)
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
    sigma = gaussian_sigma(epsilon, delta)
    assert (sigma[1:] <= sigma[:-1] * (1 + 1e-12)).all()
    assert (sigma[:, 1:] <= sigma[:, :-1] * (1 + 1e-12)).all()
    found = gaussian_epsilon(delta, np.geomspace(3e-3, 1e4, 200)[:, None])
    assert (found[1:] <= found[:-1] * (1 + 1e-12)).all()
    assert (found[:, 1:] <= found[:, :-1] * (1 + 1e-12)).all()


def test_round_trips() -> None:
    epsilon, delta = np.geomspace(1e-3, 1e5, 100)[:, None], np.geomspace(1e-300, 0.9, 100)
    sigma = gaussian_sigma(epsilon, delta)
    back = gaussian_epsilon(delta, sigma)
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
def test_gaussian_rate_obeys_its_own_privacy_curve(
    fpr: float, epsilon: float, sigma: float
) -> None:
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
@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=8), epsilons
)
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


# --- limits --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ((gaussian_delta, INF, 1.0), 0.0),
        ((gaussian_delta, INF, 0.0), 0.0),
        ((gaussian_delta, 1.0, 0.0), 1.0),
        ((gaussian_delta, LARGEST, 0.0), 1.0),
        ((gaussian_delta, 0.0, INF), 0.0),
        ((gaussian_delta, 0.0, 0.0, 0.0), 0.0),
        ((gaussian_delta, 0.0, 1.0, 0.0), 0.0),
        ((gaussian_delta, 0.0, SMALLEST, LARGEST), 1.0),
        ((gaussian_delta, 0.0, LARGEST, SMALLEST), 0.0),
        ((gaussian_delta, LARGEST, 1.0, LARGEST), 1.0),
        ((gaussian_sigma, INF, 0.5), 0.0),
        ((gaussian_sigma, INF, 0.0), 0.0),
        ((gaussian_sigma, 1.0, 1.0), 0.0),
        ((gaussian_sigma, 0.0, 1.0), 0.0),
        ((gaussian_sigma, 1.0, 0.0), INF),
        ((gaussian_sigma, LARGEST, 0.0), INF),
        ((gaussian_sigma, 1.0, 0.0, 0.0), 0.0),
        ((gaussian_sigma, 0.0, SMALLEST, LARGEST), INF),
        ((gaussian_sigma, 1e5, 0.5, SMALLEST), SMALLEST),
        ((gaussian_epsilon, 0.0, 1.0), INF),
        ((gaussian_epsilon, 0.5, 0.0), INF),
        ((gaussian_epsilon, 0.0, 0.0), INF),
        ((gaussian_epsilon, 1.0, 0.0), 0.0),
        ((gaussian_epsilon, 1.0, 1.0), 0.0),
        ((gaussian_epsilon, 0.0, INF), 0.0),
        ((gaussian_epsilon, 0.0, 1.0, 0.0), 0.0),
        ((gaussian_epsilon, 0.0, 0.0, 0.0), 0.0),
        ((gaussian_epsilon, 0.5, 1.0), 0.0),
        ((gaussian_epsilon, 0.5, SMALLEST), INF),
        ((gaussian_tpr, 0.0, 0.0), 1.0),
        ((gaussian_tpr, 0.0, 1e-300), 0.0),
        ((gaussian_tpr, 1.0, 1.0), 1.0),
        ((gaussian_tpr, 0.3, INF), 0.3),
        ((gaussian_tpr, 0.3, 0.0, 0.0), 0.3),
        ((gaussian_advantage, 0.0), 1.0),
        ((gaussian_advantage, INF), 0.0),
        ((gaussian_advantage, 0.0, 0.0), 0.0),
        ((dp_tpr, 0.0, INF, 0.1), 0.1),
        ((dp_tpr, SMALLEST, INF), 1.0),
        ((dp_tpr, 0.2, 0.0), 0.2),
        ((dp_tpr, 0.2, 0.0, 1.0), 1.0),
        ((dp_accuracy, INF), 1.0),
        ((dp_accuracy, 0.0), 0.5),
        ((dp_accuracy, 0.0, 1.0), 1.0),
        ((hockey_stick, [1.0, 0.0], [0.0, 1.0], INF), 1.0),
        ((hockey_stick, [0.5, 0.5], [0.5, 0.5], INF), 0.0),
        ((hockey_stick, [0.25, 0.75], [1.0, 0.0], 1e300), 0.75),
    ],
)
def test_limits(call: tuple, value: float) -> None:
    function, *arguments = call
    assert function(*arguments) == value


def test_floating_point_traps_of_the_caller_are_not_sprung() -> None:
    extremes = np.array([0.0, SMALLEST, 1e-160, 1.0, 1e160, LARGEST, INF])
    probability = np.array([0.0, SMALLEST, 0.5, 1 - 2**-53, 1.0])[:, None]
    with np.errstate(all="raise"):
        for function in (gaussian_sigma, gaussian_delta):
            assert not np.isnan(function(extremes, probability)).any()
        for function in (gaussian_epsilon, gaussian_tpr, dp_tpr):
            assert not np.isnan(function(probability, extremes)).any()


def test_blocks_and_shapes() -> None:
    epsilon = np.linspace(0, 9, 3 * 5000).reshape(3, 1, 5000)
    sigma = np.array([[0.5], [2.0]])
    delta = gaussian_delta(epsilon, sigma)
    assert delta.shape == (3, 2, 5000)
    assert delta[2, 1, 4999] == pytest.approx(gaussian_delta(9.0, 2.0), rel=1e-15, abs=0)
    assert delta[1, 0, 17] == pytest.approx(
        gaussian_delta(epsilon[1, 0, 17], 0.5), rel=1e-14, abs=0
    )
    assert gaussian_sigma(np.empty((0, 3)), 0.5).shape == (0, 3)
    assert type(gaussian_epsilon(np.float32(0.1), 1)) is float


# --- bad input -----------------------------------------------------------------------------

GOOD = {
    gaussian_delta: {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1.0},
    gaussian_sigma: {"epsilon": 1.0, "delta": 0.1, "sensitivity": 1.0},
    gaussian_epsilon: {"delta": 0.1, "sigma": 1.0, "sensitivity": 1.0},
    gaussian_tpr: {"fpr": 0.1, "sigma": 1.0, "sensitivity": 1.0},
    gaussian_advantage: {"sigma": 1.0, "sensitivity": 1.0},
    dp_tpr: {"fpr": 0.1, "epsilon": 1.0, "delta": 0.1},
    dp_accuracy: {"epsilon": 1.0, "delta": 0.1},
    hockey_stick: {"p": [0.5, 0.5], "q": [0.4, 0.6], "epsilon": 1.0},
}
BAD = [(math.nan, "nan"), (-1.0, "-1.0"), (-1e-300, "-1e-300"), ("1", "'1'"), (True, "True")]
BAD += [(None, "None"), (1j, "1j"), ([0.5, math.nan], "nan"), (10**400, "10000")]
ABOVE = {"delta": 1.5, "fpr": 1.0000001, "sensitivity": INF}
SCALARS = [(f, n) for f, names in GOOD.items() for n in names if n not in "pq"]


@pytest.mark.parametrize(("function", "name"), SCALARS)
def test_bad_scalars_are_refused_by_name_and_value(function: object, name: str) -> None:
    bad = list(BAD)
    if name in ABOVE:
        bad.append((ABOVE[name], repr(ABOVE[name])))
    for value, shown in bad:
        with pytest.raises(ValueError, match=f"^{name} = ") as caught:
            function(**{**GOOD[function], name: value})  # type: ignore[operator]
        assert shown in str(caught.value)


@pytest.mark.parametrize("function", [f for f in GOOD if f is not hockey_stick])
def test_shapes_that_do_not_broadcast_are_refused_by_name(function: object) -> None:
    first, second = list(GOOD[function])[:2]
    arguments = {**GOOD[function], first: np.full(3, 0.5), second: np.full(4, 0.5)}
    with pytest.raises(ValueError, match=f"^{second} = array.*broadcasts with \\(3,\\)"):
        function(**arguments)  # type: ignore[operator]


@pytest.mark.parametrize("name", ["p", "q"])
@pytest.mark.parametrize(
    "value",
    [
        [0.5, 0.6], [1.5, -0.5], [math.nan, 1.0], [], 1.0, [[0.5, 0.5]], "ab", [True, False],
        [0.2, 0.3, 0.5],
    ],
)  # fmt: skip
def test_bad_vectors_are_refused_by_name(name: str, value: object) -> None:
    wrong = "q" if value == [0.2, 0.3, 0.5] else name  # a length is judged against that of p
    with pytest.raises(ValueError, match=f"^{wrong} = "):
        hockey_stick(**{**GOOD[hockey_stick], name: value})
