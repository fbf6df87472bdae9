"""What is printed of a reading is on its promised side, at 500 places."""

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from mpmath import mp, mpf
from test_readings_agree import FAMILIES

from mipbook.base.rounding import at_least, at_most, down, up
from mipbook.figures.words import people, percent, say


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
