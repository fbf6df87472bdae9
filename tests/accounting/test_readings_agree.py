"""Readings of a release are of one curve, Rényi promises, too, and printed on their promised side."""

import math
import re

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as some
from mpmath import mp, mpf
from test_translate import KNOWN

from mipbook import accounting
from mipbook.accounting import composed, matching
from mipbook.accounting.renyi import RenyiCurve
from mipbook.base.rounding import at_least, at_most, down, up
from mipbook.figures.words import people, percent, say

# The accountant's own numbers are not those of one curve.
small = some.floats(1e-6, 20.0)
share = some.floats(1e-6, 1.0)


def noisy(low, high):
    return some.floats(math.log(low), math.log(high)).map(math.exp)


@some.composite
def tables(draw):
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
}
FAMILIES |= {
    f"many {name}": some.builds(composed, one, some.integers(2, most))
    for name, one, most in (
        ("dp", some.builds(accounting.from_dp, small, some.sampled_from([0.0, 1e-6])), 60),
        ("laplace", some.builds(accounting.from_laplace, noisy(0.3, 100.0)), 40),
    )
}
ASKED = np.concatenate([[0.0], np.geomspace(1e-9, 1e-2, 40), np.linspace(0.01, 1.0, 80)[1:]])
FINE = np.union1d(np.linspace(0.0, 1.0, 801), np.geomspace(1e-9, 1.0, 300))


def by_night(names, *slow):
    return [pytest.param(name, marks=pytest.mark.nightly if name in slow else ()) for name in names]


@pytest.mark.parametrize("family", by_night(FAMILIES, "many laplace", "zcdp"))
def test_all_readings_are_of_one_curve(family):
    often = 5 if family in ("zcdp", "renyi") else 25
    settings(max_examples=often, deadline=None)(given(FAMILIES[family])(of_one_curve))()


# Sums of Laplace losses, beside the readings whose values are known.
SINGLE = KNOWN | {
    f"{k} losses of {x}": composed(accounting.from_laplace(1 / x), k)
    for x, k in ((1.0, 2), (0.2, 60), (5.0, 12), (0.02, 400))
}


@pytest.mark.parametrize("name", by_night(SINGLE, "60 losses of 0.2", "400 losses of 0.02"))
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


def of_one_curve(found):
    gain = found.advantage.value
    # Delta at an epsilon and epsilon at a delta, there and back.
    deltas = np.geomspace(1e-10, 0.9, 25)
    epsilons = found.epsilon(deltas)
    reached = np.isfinite(epsilons)
    assert (epsilons[1:] <= epsilons[:-1]).all()
    assert (found.delta(np.where(reached, epsilons, 0.0)) <= deltas)[reached].all()
    less = found.delta(np.where(reached, epsilons, 1.0) * (1 - 1e-6))
    assert (less >= deltas * (1 - 1e-4))[reached & (epsilons > 1e-9)].all()
    # The best line's height is delta, and no line cuts the curve.
    tpr = found.tpr(ASKED)
    assert (np.diff(tpr) >= -1e-14).all()
    assert (tpr >= ASKED).all()
    for epsilon in gain * np.array([0.0, 0.3, 1.0, 3.0]):
        at, odds = np.array([epsilon]), math.exp(epsilon)
        inside, outside = float(found.curve.delta_in(at)[0]), float(found.curve.delta_out(at)[0])
        assert (tpr - odds * ASKED <= inside * (1 + 1e-9) + 1e-13).all()
        assert (1 - ASKED - odds * (1 - tpr) <= outside * (1 + 1e-9) + 1e-13).all()
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


def exact_delta(loss, k, epsilon):
    """Return delta of k answers at odds e^loss, as its sum."""
    step, at = mpf(loss), mpf(epsilon)
    scale = (1 + mp.exp(step)) ** k
    gaps = ((j, mp.exp(j * step) - mp.exp(at + (k - j) * step)) for j in range(k + 1))
    return mp.fsum(mp.binomial(k, j) * gap for j, gap in gaps if gap > 0) / scale


@settings(max_examples=150, deadline=None)
@example(3.0, 7, 1e-9)
@example(0.01, 3, 1e-200)
@given(small, some.integers(2, 40), some.floats(-200, -0.1).map(lambda e: 10**e))
def test_the_delta_at_the_answer_is_never_above_what_was_asked(loss, k, delta):
    epsilon = float(composed(accounting.from_dp(loss), k).epsilon(delta))
    with mp.workdps(250):
        assert exact_delta(loss, k, epsilon) <= mpf(delta)
        less = exact_delta(loss, k, max(epsilon - 1e-9 * (1 + epsilon), 0.0))
        assert less >= mpf(delta) * (1 - mpf("1e-8")) or epsilon == 0.0


# (alpha, epsilon)
PROMISES = [(2.0, 0.01), (1.1, 1e-3), (1.01, 1e-8), (8.0, 1.0), (1.5, 3.0), (500.0, 0.1)]


def renyi(order, t, x):
    """The larger divergence of two coins, of one way and the other."""
    sums = [
        p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order) for p, q in ((t, x), (x, t))
    ]
    return mp.log(max(sums)) / (order - 1)


@pytest.mark.parametrize(("alpha", "promise"), PROMISES)
def test_rates_are_those_of_the_hardest_coins(alpha, promise):
    found = accounting.from_renyi(alpha, promise)
    with mp.workdps(40):
        for fpr in (1e-9, 1e-4, 0.03, 0.4, 0.8):
            sharp, high = mpf(fpr), mpf(1)
            for _ in range(120):
                middle = (sharp + high) / 2
                kept = middle < 1 and renyi(mpf(alpha), middle, mpf(fpr)) <= mpf(promise)
                sharp, high = (middle, high) if kept else (sharp, middle)
            told = float(found.tpr(fpr))
            assert high <= told + 2e-16 <= high * (1 + mpf("1e-10")) + mpf("3e-16")


@pytest.mark.parametrize(("alpha", "promise"), PROMISES)
def test_delta_is_the_best_line_and_no_more_than_that_of_canonne_kamath_and_steinke(alpha, promise):
    found = accounting.from_renyi(alpha, promise)
    fpr = np.append(np.geomspace(1e-12, 0.5, 3000), (1 - found.advantage.value) / 2)
    for epsilon in found.curve.edge * np.array([0.0, 0.3, 0.9, 1.1, 2.0]):
        told = float(found.delta(epsilon))
        known = (alpha - 1) * (promise - epsilon + math.log1p(-1 / alpha))
        assert told <= math.exp(known) / alpha * (1 + 1e-11)
        best = (found.tpr(fpr) - np.exp(epsilon) * fpr).max()
        assert told >= best - 1e-13
        assert math.isclose(told, best, rel_tol=1e-4, abs_tol=1e-12)


@pytest.mark.parametrize("rho", [1e-4, 0.05, 0.5, 3.0, 10.0])
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
    for alpha, promise, sharp in ((2.0, 0.01, 5.5304), (1.01, 1e-8, 0.000485)):
        epsilon = accounting.from_renyi(alpha, promise).epsilon(1e-5)
        assert math.isclose(epsilon, sharp, rel_tol=1e-3)
    assert math.isclose(accounting.from_concentrated(0.5).auc.value, 0.81036, abs_tol=5e-6)
    assert math.isclose(accounting.from_renyi(8.0, 1.0).auc.value, 0.75229, abs_tol=6e-6)
    for value, told in ((10, 0.6318), (5, 0.005879)):
        assert math.isclose(matching("renyi", "epsilon", value, fixed=2).value, told, rel_tol=1e-3)


@pytest.mark.parametrize("fixed", [1.01, 2.0, 8.0, 500.0])
@pytest.mark.parametrize("value", [1e-6, 0.3, 5.0, 10.0])
def test_a_match_reads_as_what_was_wanted(fixed, value):
    found = matching("renyi", "epsilon", value, fixed=fixed)
    more = accounting.from_renyi(fixed, found.value * 1.001)
    assert value * (1 - 1e-6) <= found.reading.epsilon(1e-5) <= value < more.epsilon(1e-5)


@pytest.mark.parametrize("alpha", [None, 1 + 1e-15, 1.001, 2.0, 1e6])
@pytest.mark.parametrize("promise", [1e-24, 1e-12, 1e-3, 30.0, 1e6])
def test_extremes_are_ordered(alpha, promise):
    curve = RenyiCurve(promise, alpha)
    tpr = curve.tpr(np.array([0, 1e-320, 1e-300, 1e-9, 0.3, 0.5, 0.9, 1 - 1e-16, 1]))
    delta = curve.delta_in(np.array([0, 1e-300, 1e-9, 0.1, 1, 700, 1e5, 1e300, np.inf]))
    epsilon = curve.epsilon(np.array([0, 5e-324, 1e-300, 1e-9, 0.1, 0.5, 1]))
    for grows in (tpr, -delta, -epsilon):
        assert (grows[1:] >= grows[:-1]).all()
    assert 0 <= curve.auc <= 1


def test_nothing_and_everything():
    for made in (accounting.from_concentrated, lambda size: accounting.from_renyi(2.0, size)):
        assert made(0.0).epsilon(0.0) == made(0.0).advantage.value == 0.0
        assert made(1e300).epsilon(0.5) == math.inf
        assert made(5e-324).advantage.value < 1e-11
    assert composed(accounting.from_concentrated(0.0), 3).advantage.value == 0.0


# --- What is printed of a reading -----------------------------------------------------------------


def near(printed, truth, digits=4):
    """Whether a printed upper bound is no lower, and no more than a last digit above."""
    return truth <= printed <= truth * (1 + mpf(10) ** (1 - digits)) + mpf("1e-15")


def numbers(text):
    return [mpf(each) for each in re.findall(r"[\d.]+(?:e-?\d+)?", text.replace(",", ""))]


@pytest.mark.nightly
@settings(max_examples=500, deadline=None)
@given(some.one_of(*FAMILIES.values()))
def test_every_printed_number_is_on_its_promised_side(found):
    assume(found.advantage.value > 1e-9)  # else a double and its digits are not the same number
    with mp.workdps(40):
        advantage, told = mpf(found.advantage.value), dict(found.rows())
        for row, truth in {
            "right at even odds, at most": 50 + 50 * advantage,
            "advantage, at most": advantage,
            "MIP: eta, at most": advantage / 2,
            "area under the ROC, at most": mpf(found.auc.value),
        }.items():
            assert near(*numbers(told[row]), truth), (row, found.what)
        rates = numbers(told["TPR by FPR, at most"])
        for fpr, rate in zip((0.001, 0.01, 0.1), rates[1::2], strict=True):
            assert near(rate, 100 * mpf(float(found.tpr(fpr))), 3), found.what
        curve = told["DP: epsilon by delta, at most"].split(" (")[0]
        for delta, epsilon in (each.split(": ") for each in curve.split("; ")):
            if epsilon == "no bound":
                assert found.delta(1e4) > mpf(delta)
                continue
            assert found.delta(float(epsilon)) <= mpf(delta), found.what
            less = float(epsilon) * (1 - 1.001e-3)
            assert found.delta(less) >= mpf(delta) or float(epsilon) == 0, found.what
        secure = mpf(told["MIS: security, at least"].split()[0])
        sharp = mpf(1 - found.mis.value)
        assert sharp * (1 - mpf("1e-3")) - mpf("1e-15") <= secure <= sharp
        of_those, finds, before, right, accused = numbers(found.sentence(0.01).rstrip("."))
        assert (of_those, before, accused) == (1, 50, 1000)
        share = mpf(float(found.tpr(0.01)))
        assert near(finds, 100 * share, 3)
        assert 0 <= right - 1000 * share / (share + mpf("0.01")) < 1


def test_numbers_of_a_few_digits_and_words_of_a_rate_are_on_their_side():
    rng = np.random.default_rng(3)
    values = np.exp(rng.uniform(-30, 30, 2000)) * rng.choice([1, -1], 2000)
    for value in [*values.tolist(), 0.1, 0.3, 1e-300, 1.7e308, 5e-324]:
        for digits in (2, 3, 4):
            low, high = float(at_least(value, digits)), float(at_most(value, digits))
            assert (low, high) == (down(value, digits), up(value, digits))
            assert low <= value <= high
            assert high - low <= abs(value) * 10.0 ** (1 - digits) * 1.001 or abs(value) < 1e-300
    assert (at_most(0.1), at_least(0.3), at_most(np.inf), at_most(0.0)) == ("0.1", "0.3", "inf", "0")
    for rate in rng.uniform(1e-3, 1.0, 1000):
        assert float(percent(rate, to=down)[:-1]) <= 100 * rate <= float(percent(rate, to=up)[:-1])
        assert float(say(rate, to=down)) <= rate <= float(say(rate, to=up))
        count, crowd = (int(each.replace(",", "")) for each in people(rate, up).split(" of "))
        assert rate <= count / crowd <= rate * 1.06
