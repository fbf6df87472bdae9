"""Every reading of one release is a reading of one curve, whatever is known of the release."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from mpmath import mp, mpf
from test_translate import KNOWN

from mipbook import accounting
from mipbook.accounting import composed

ROUNDING = 1e-9
# The accountant's own numbers are not those of one curve.
small = some.floats(1e-6, 20.0)
share = some.floats(1e-6, 1.0)


def noisy(low: float, high: float) -> some.SearchStrategy[float]:
    return some.floats(math.log(low), math.log(high)).map(math.exp)


@some.composite
def tables(draw: some.DrawFn) -> accounting.Reading:
    p, q = (np.array(draw(some.lists(share, min_size=4, max_size=4))) for _ in range(2))
    return accounting.from_table(p / p.sum(), q / q.sum())


FAMILIES = {
    "dp": some.builds(accounting.from_dp, small, some.sampled_from([0.0, 1e-9, 1e-5, 0.1])),
    "gaussian": some.builds(accounting.from_gaussian, noisy(0.05, 1e4)),
    "laplace": some.builds(accounting.from_laplace, noisy(0.05, 1e4)),
    "randomised response": some.builds(accounting.from_randomised_response, small, some.integers(2, 50)),
    "geometric": some.builds(accounting.from_geometric, small, some.integers(1, 30)),
    "sample": some.builds(accounting.from_subsampled_gaussian, noisy(0.3, 50.0), some.floats(1e-4, 1.0)),
    "table": tables(),
    "zcdp": some.builds(accounting.from_concentrated, noisy(1e-8, 20.0)),
    "renyi": some.builds(accounting.from_renyi, noisy(1.001, 500.0), noisy(1e-8, 20.0)),
    "many dp": some.builds(
        composed, some.builds(accounting.from_dp, small, some.sampled_from([0.0, 1e-6])), some.integers(2, 60)
    ),
    "many laplace": some.builds(
        composed, some.builds(accounting.from_laplace, noisy(0.3, 100.0)), some.integers(2, 40)
    ),
    "many tables": some.builds(composed, tables(), some.integers(2, 8)),
}
ASKED = np.concatenate([[0.0], np.geomspace(1e-9, 1e-2, 40), np.linspace(0.01, 1.0, 80)[1:]])
FINE = np.union1d(np.linspace(0.0, 1.0, 801), np.geomspace(1e-9, 1.0, 300))

SLOW = ("many laplace", "zcdp")


@pytest.mark.parametrize(
    "family", [pytest.param(x, marks=pytest.mark.nightly if x in SLOW else ()) for x in FAMILIES]
)
def test_all_readings_are_of_one_curve(family):
    often = 5 if family in ("zcdp", "renyi") else 25

    @settings(max_examples=often, deadline=None)
    @given(FAMILIES[family])
    def tried(found):
        of_one_curve(found)

    tried()


# Sums of Laplace losses, beside the readings whose values are known.
SUMS = {
    f"{k} losses of {x}": composed(accounting.from_laplace(1 / x), k)
    for x, k in ((1.0, 2), (0.2, 60), (5.0, 12), (0.02, 400))
}
SINGLE = KNOWN | SUMS


LONG = ("60 losses of 0.2", "400 losses of 0.02")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.nightly if name in LONG else ()) for name in SINGLE]
)
def test_known_readings_are_of_one_curve(name):
    found = SINGLE[name]
    of_one_curve(found)
    count = (3000 if name in KNOWN else 500) if found.sharp else 100
    fpr = np.concatenate([[0.0], np.geomspace(1e-12, 1e-2, count), np.linspace(1e-2, 1.0, 4 * count)[1:]])
    tpr = found.tpr(fpr)
    slopes = np.diff(tpr) / np.diff(fpr)
    assert (np.diff(slopes) <= 1e-5 * (1.0 + slopes[:-1])).all(), "concave"
    if found.sharp:
        assert math.isclose(np.trapezoid(tpr, fpr), found.auc.value, rel_tol=2e-5)
        few = np.append(0.0, np.geomspace(1e-3, 2.0, 40))
        heights = (tpr - np.exp(few)[:, None] * fpr).max(axis=1)
        np.testing.assert_allclose(heights, found.curve.delta_in(few), atol=2e-3)


def of_one_curve(found: accounting.Reading) -> None:
    gain = found.advantage.value
    # Delta at an epsilon and epsilon at a delta, there and back.
    deltas = np.geomspace(1e-10, 0.9, 25)
    epsilons = found.epsilon(deltas)
    reached = np.isfinite(epsilons)
    assert (epsilons[1:] <= epsilons[:-1]).all()
    back = found.delta(np.where(reached, epsilons, 0.0))
    assert (back <= deltas)[reached].all()
    less = found.delta(np.where(reached, epsilons, 1.0) * (1 - 1e-6))
    assert (less >= deltas * (1 - 1e-4))[reached & (epsilons > 1e-9)].all()
    # The best line's height is delta, and no line cuts the curve.
    tpr = found.tpr(ASKED)
    assert (np.diff(tpr) >= -1e-14).all()
    assert (tpr >= ASKED).all()
    for epsilon in gain * np.array([0.0, 0.3, 1.0, 3.0]):
        inside, outside = (
            float(told(np.array([epsilon]))[0]) for told in (found.curve.delta_in, found.curve.delta_out)
        )
        odds = math.exp(epsilon)
        assert (tpr - odds * ASKED <= inside * (1 + ROUNDING) + 1e-13).all()
        assert (1 - ASKED - odds * (1 - tpr) <= outside * (1 + ROUNDING) + 1e-13).all()
        assert math.isclose(float(found.delta(epsilon)), max(inside, outside), rel_tol=1e-15)
    curve = found.tpr(FINE)
    assert math.isclose((curve - FINE).max(), gain, rel_tol=5e-3, abs_tol=1e-12)
    # The area is the curve's integral, and the accuracy at even odds half of the advantage.
    area = np.trapezoid(curve, FINE)
    assert area - 1e-12 <= found.auc.value <= area + 1e-3 * (1.0 - area) + 1e-6
    assert math.isclose(found.accuracy(0.5), (1 + gain) / 2, rel_tol=1e-12)
    priors = np.array([0.001, 0.1, 0.5, 0.9, 0.999])
    assert (found.accuracy(priors) >= np.maximum(priors, 1 - priors) - 1e-12).all()
    value = found.predictive_value(0.01, priors)
    assert (np.diff(value) >= 0).all()
    assert (value >= priors - 1e-12).all()
    assert math.isclose(found.delta(0.0), gain, rel_tol=1e-10)
    assert found.eta.value == gain / 2
    assert found.mis.value <= (1 if found.replaced else 2) * gain + 1e-13


def test_small_advantages_keep_their_digits():
    assert math.isclose(accounting.from_dp(1e-12).advantage.value, 5e-13, rel_tol=1e-14)
    response = accounting.from_randomised_response(1e-12, 3)
    assert math.isclose(response.advantage.value, 1e-12 / 3, rel_tol=1e-11)
    for steps in (1, 3):
        found = accounting.from_geometric(1e-12, steps).advantage.value
        wanted = 1 - 2 * mp.exp(mpf(-1e-12) * (steps + 1) / 2 / steps) / (1 + mp.exp(mpf(-1e-12) / steps))
        assert math.isclose(found, float(wanted), rel_tol=1e-3)


@pytest.mark.parametrize("k", [480, 600, 1000])
def test_many_answers_of_three(k):
    """Chances of a thousand answers are far below the smallest double."""
    found = composed(accounting.from_randomised_response(1.0, 3), k)
    assert found.curve.odds.size == 2 * k + 1
    assert math.isclose(found.epsilon(0.0), k, rel_tol=1e-12)
    true = 1 / (1 + 2 * math.exp(-1))
    mean = k * (true - true * math.exp(-1))
    assert mean < found.epsilon(0.5) + 1 < mean + 3 * math.sqrt(k)
    assert found.advantage.value <= 1.0


def exact_delta(loss: float, k: int, epsilon: float) -> mpf:
    """Return delta of k answers at odds e^loss, as its sum."""
    step, at = mpf(loss), mpf(epsilon)
    scale = (1 + mp.exp(step)) ** k
    gaps = ((j, mp.exp(j * step) - mp.exp(at + (k - j) * step)) for j in range(k + 1))
    return mp.fsum(mp.binomial(k, j) * gap for j, gap in gaps if gap > 0) / scale


@settings(max_examples=150, deadline=None)
@given(small, some.integers(2, 40), some.floats(-200, -0.1).map(lambda e: 10**e))
def test_the_delta_at_the_answer_is_never_above_what_was_asked(loss, k, delta):
    epsilon = float(composed(accounting.from_dp(loss), k).epsilon(delta))
    with mp.workdps(80):
        assert exact_delta(loss, k, epsilon) <= mpf(delta)
        less = exact_delta(loss, k, max(epsilon - 1e-9 * (1 + epsilon), 0.0))
        assert less >= mpf(delta) * (1 - mpf("1e-8")) or epsilon == 0.0


@pytest.mark.parametrize(("loss", "k", "delta"), [(3.0, 7, 1e-9), (0.01, 3, 1e-200)])
def test_the_last_digit_of_composed_promises(loss, k, delta):
    epsilon = float(composed(accounting.from_dp(loss), k).epsilon(delta))
    with mp.workdps(250):
        assert exact_delta(loss, k, epsilon) <= mpf(delta)
        assert epsilon >= k * mpf(loss) or delta > 1e-200
