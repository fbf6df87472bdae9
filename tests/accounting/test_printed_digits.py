"""What is printed of a reading is on its promised side, at 500 places."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from mpmath import mp, mpf

from mipbook import accounting
from mipbook.base.rounding import at_least, at_most, down, up
from mipbook.figures.words import people, percent, say

PLACES = 500


def made(rng: np.random.Generator) -> accounting.Reading:
    """Draw a release; that its numbers are the true ones, other tests say."""
    size, share = float(np.exp(rng.uniform(-3, 1.5))), float(np.exp(rng.uniform(-5, -0.1)))
    count = int(rng.integers(2, 20))
    every: list[Callable[[], accounting.Reading]] = [
        lambda: accounting.from_gaussian(1 / size),
        lambda: accounting.from_gdp(size),
        lambda: accounting.from_laplace(1 / size),
        lambda: accounting.from_dp(size, share / 10),
        lambda: accounting.from_dp(size),
        lambda: accounting.from_randomised_response(size, count),
        lambda: accounting.from_subsampled_gaussian(1 / size, share),
        lambda: accounting.from_geometric(size, count),
        lambda: accounting.from_concentrated(size),
        lambda: accounting.from_renyi(1 + size, size),
        lambda: accounting.composed(accounting.from_dp(size / 5), count),
        lambda: accounting.composed(accounting.from_laplace(1 / size), count),
        lambda: accounting.from_table(*rng.dirichlet(np.ones(4), size=2)),
    ]
    return every[int(rng.integers(len(every)))]()


def near(printed: mpf, truth: mpf, digits: int = 4) -> bool:
    """Whether a printed upper bound is no lower, and no more than a last digit above."""
    return truth <= printed <= truth * (1 + mpf(10) ** (1 - digits)) + mpf("1e-15")


def numbers(text: str) -> list[mpf]:
    return [mpf(each) for each in re.findall(r"[\d.]+(?:e-?\d+)?", text.replace(",", ""))]


@pytest.mark.nightly
def test_every_printed_number_is_on_its_promised_side():
    rng = np.random.default_rng(11)
    with mp.workdps(40):
        for _ in range(PLACES):
            found = made(rng)
            advantage, area = mpf(found.advantage.value), mpf(found.auc.value)
            told = dict(found.rows())

            def tpr(fpr: float, found: accounting.Reading = found) -> mpf:
                return mpf(float(found.tpr(fpr)))

            def delta_at(epsilon: float, found: accounting.Reading = found) -> mpf:
                return mpf(float(found.delta(epsilon)))

            (half,) = numbers(told["right at even odds, at most"])
            assert near(half, 50 + 50 * advantage), found.what
            (gain,) = numbers(told["advantage, at most"])
            assert near(gain, advantage), found.what
            (eta,) = numbers(told["MIP: eta, at most"])
            assert near(eta, advantage / 2), found.what
            (told_area,) = numbers(told["area under the ROC, at most"])
            assert near(told_area, area), found.what
            rates = numbers(told["TPR by FPR, at most"])
            for fpr, rate in zip((0.001, 0.01, 0.1), rates[1::2], strict=True):
                assert near(rate, 100 * tpr(fpr), 3), found.what
            curve = told["DP: epsilon by delta, at most"].split(" (")[0]
            for each in curve.split("; "):
                delta, epsilon = each.split(": ")
                if epsilon == "no bound":
                    assert delta_at(1e4) > mpf(delta)
                    continue
                assert delta_at(float(epsilon)) <= mpf(delta), found.what
                less = float(epsilon) * (1 - 1.001e-3)
                assert delta_at(less) >= mpf(delta) or float(epsilon) == 0, found.what
            secure = mpf(told["MIS: security, at least"].split()[0])
            sharp = mpf(1 - found.mis.value)
            assert sharp * (1 - mpf("1e-3")) - mpf("1e-15") <= secure <= sharp
            of_those, finds, before, right, accused = numbers(found.sentence(0.01).rstrip("."))
            assert (of_those, before, accused) == (1, 50, 1000)
            share = tpr(0.01)
            assert near(finds, 100 * share, 3)
            assert 0 <= right - 1000 * share / (share + mpf("0.01")) < 1


def test_numbers_of_a_few_digits():
    rng = np.random.default_rng(3)
    values = np.exp(rng.uniform(-30, 30, 2000)) * rng.choice([1, -1], 2000)
    for value in [*values.tolist(), 0.1, 0.3, 1e-300, 1.7e308, 5e-324]:
        for digits in (2, 3, 4):
            low, high = float(at_least(value, digits)), float(at_most(value, digits))
            assert (low, high) == (down(value, digits), up(value, digits))
            assert low <= value <= high
            assert high - low <= abs(value) * 10.0 ** (1 - digits) * 1.001 or abs(value) < 1e-300
    assert (at_most(0.1), at_least(0.3), at_most(np.inf), at_most(0.0)) == ("0.1", "0.3", "inf", "0")


def test_words_of_a_rate_are_on_its_side():
    rng = np.random.default_rng(4)
    for rate in rng.uniform(1e-3, 1.0, 1000):
        assert float(percent(rate, to=down)[:-1]) <= 100 * rate <= float(percent(rate, to=up)[:-1])
        assert float(say(rate, to=down)) <= rate <= float(say(rate, to=up))
        count, crowd = (int(each.replace(",", "")) for each in people(rate, up).split(" of "))
        assert rate <= count / crowd <= rate * 1.06
