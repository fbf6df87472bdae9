"""What is printed of a reading is on its promised side: against forty digits, at 500 places."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from mpmath import mp, mpf

from mipbook import accounting
from mipbook.base.rounding import at_least, at_most, down, up
from mipbook.figures import together as drawn
from mipbook.figures.together.translate import RELEASES
from mipbook.figures.words import people, percent, say

PLACES = 500


class Truth(NamedTuple):
    """A release's own formulas; delta is for both directions."""

    advantage: mpf
    tpr: Callable[[mpf], mpf]
    delta: Callable[[mpf], mpf]
    auc: mpf


def ndtri(x: mpf) -> mpf:
    return mp.sqrt(2) * mp.erfinv(2 * x - 1)


def gaussian(mu: mpf) -> Truth:
    return Truth(
        2 * mp.ncdf(mu / 2) - 1,
        lambda x: mp.ncdf(ndtri(x) + mu),
        lambda e: mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu),
        mp.ncdf(mu / mp.sqrt(2)),
    )


def laplace(loss: mpf) -> Truth:
    kept = mp.exp(-loss)

    def tpr(x: mpf) -> mpf:
        if x <= kept / 2:
            return x / kept
        return 1 - kept / (4 * x) if x <= 0.5 else 1 - kept * (1 - x)

    return Truth(
        1 - mp.exp(-loss / 2),
        tpr,
        lambda e: max(1 - mp.exp((e - loss) / 2), mpf(0)),
        1 - kept * (2 + loss) / 4,
    )


def answers(loss: mpf, delta: mpf, count: int = 2) -> Truth:
    """Return (epsilon, delta)-DP, or randomised response."""
    true = (1 - delta) / (1 + (count - 1) * mp.exp(-loss))
    false = true * mp.exp(-loss)
    rest = 1 - delta - true - false

    def tpr(x: mpf) -> mpf:
        if x <= false:
            return delta + x / false * true
        if x <= false + rest:
            return delta + true + (x - false)
        return min(1 - (1 - x - delta) * false / true, mpf(1))

    ends = [(mpf(0), delta), (false, delta + true), (1 - delta - true, 1 - false), (1 - delta, mpf(1))]
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(ends))
    return Truth(
        delta + true - false, tpr, lambda e: delta + max(true - mp.exp(e) * false, mpf(0)), area + delta
    )


def sampled(mu: mpf, rate: mpf) -> Truth:
    part = gaussian(mu)

    def delta(e: mpf) -> mpf:
        return rate * part.delta(mp.log((mp.exp(e) - 1 + rate) / rate))

    return Truth(
        rate * part.advantage,
        lambda x: (1 - rate) * x + rate * part.tpr(x),
        delta,
        (1 - rate) / 2 + rate * part.auc,
    )


def made(rng: np.random.Generator) -> tuple[accounting.Reading, Truth | None]:
    """Draw a release, with its formulas if it has any."""
    size, share = float(np.exp(rng.uniform(-3, 1.5))), float(np.exp(rng.uniform(-5, -0.1)))
    count, s = int(rng.integers(2, 20)), mpf(size)
    made: list[Callable[[], tuple[accounting.Reading, Truth | None]]] = [
        lambda: (accounting.from_gaussian(1 / size), gaussian(1 / mpf(1 / size))),
        lambda: (accounting.from_gdp(size), gaussian(s)),
        lambda: (accounting.from_laplace(1 / size), laplace(1 / mpf(1 / size))),
        lambda: (accounting.from_dp(size, share / 10), answers(s, mpf(share / 10))),
        lambda: (accounting.from_dp(size), answers(s, mpf(0))),
        lambda: (accounting.from_randomised_response(size, count), answers(s, mpf(0), count)),
        lambda: (
            accounting.from_subsampled_gaussian(1 / size, share),
            sampled(1 / mpf(1 / size), mpf(share)),
        ),
        lambda: (accounting.from_geometric(size, count), None),
        lambda: (accounting.from_concentrated(size), None),
        lambda: (accounting.from_renyi(1 + size, size), None),
        lambda: (accounting.composed(accounting.from_dp(size / 5), count), None),
        lambda: (accounting.composed(accounting.from_laplace(1 / size), count), None),
        lambda: (accounting.from_table(*rng.dirichlet(np.ones(4), size=2)), None),
    ]
    return made[int(rng.integers(len(made)))]()


def own(found: accounting.Reading) -> Truth:
    """Return the reading's own numbers, to full precision."""
    return Truth(
        mpf(found.advantage.value),
        lambda x: mpf(float(found.tpr(float(x)))),
        lambda e: mpf(float(found.delta(float(e)))),
        mpf(found.auc.value),
    )


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
            found, known = made(rng)
            truth = known or own(found)
            slack = mpf(1 if known is None else 1 - mpf("1e-13"))
            told = dict(found.rows())
            (half,) = numbers(told["right at even odds, at most"])
            assert near(half, (50 + 50 * truth.advantage) * slack), found.what
            (gain,) = numbers(told["advantage, at most"])
            assert near(gain, truth.advantage * slack), found.what
            (eta,) = numbers(told["MIP: eta, at most"])
            assert near(eta, truth.advantage / 2 * slack), found.what
            (area,) = numbers(told["area under the ROC, at most"])
            assert near(area, truth.auc * slack), found.what
            rates = numbers(told["TPR by FPR, at most"])
            for fpr, rate in zip(("0.001", "0.01", "0.1"), rates[1::2], strict=True):
                assert near(rate, 100 * truth.tpr(mpf(fpr)) * slack, 3), found.what
            curve = told["DP: epsilon by delta, at most"].split(" (")[0]
            for each in curve.split("; "):
                delta, epsilon = each.split(": ")
                if epsilon == "no bound":
                    assert truth.delta(mpf(1e4)) > mpf(delta) * slack
                    continue
                assert truth.delta(mpf(epsilon)) * slack <= mpf(delta), found.what
                less = mpf(epsilon) * (1 - mpf("1.001e-3"))
                assert truth.delta(less) >= mpf(delta) * slack or mpf(epsilon) == 0, found.what
            secure = mpf(told["MIS: security, at least"].split()[0])
            sharp = mpf(1 - found.mis.value)
            assert sharp * (1 - mpf("1e-3")) - mpf("1e-15") <= secure <= sharp
            of_those, finds, before, right, accused = numbers(found.sentence(0.01).rstrip("."))
            assert (of_those, before, accused) == (1, 50, 1000)
            share = truth.tpr(mpf("0.01"))
            assert near(finds, 100 * share * slack, 3)
            assert 0 <= right - 1000 * share / (share + mpf("0.01")) * slack < 1


@pytest.mark.parametrize(
    "release", [pytest.param(x, marks=pytest.mark.nightly if x == "zCDP" else ()) for x in RELEASES]
)
def test_the_panel_of_all_readings_is_on_the_promised_side(release):
    for size in (0.05, 0.3, 0.77, 3.0, 10.0):
        found = RELEASES[release].made(size)
        rows = {row[0]: row[1] for row in drawn.every_reading(release, size).layout.meta["table"]}
        wanted = {
            "right at even odds, at most": 100 * found.accuracy(),
            "advantage, TPR − FPR, at most": found.advantage.value,
            "found at FPR 10%, at most": 100 * found.tpr(0.1),
            "found at FPR 0.1%, at most": 100 * found.tpr(0.001),
            "area under the curve, AUC, at most": found.auc.value,
            "DP: δ at ε = 1, at most": found.delta(1.0),
            "DP, PMP: ε at δ = 10⁻⁵, at most": found.epsilon(1e-5),
            "MIP: η, at most": found.eta.value,
        }
        for name, value in wanted.items():
            text = rows[name].rstrip("%").replace(",", "")
            if "⁻" in text or text == "infinity":
                continue
            assert value * (1 - 1e-14) <= float(text) <= value * 1.0101 + 1e-12, (name, size)
        text = rows["MIS: security 1 − Δ, at least"]
        secure = 0.0 if "⁻" in text else float(text)
        assert secure == 0.0 or secure <= 1 - found.mis.value <= secure * 1.0101 + 1e-12


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
