"""Learners whose Delta is known, what many coordinates do, and the laws of one digit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mipbook import mis
from mipbook.mis.gaussian_mean import many_coordinates_delta, many_coordinates_records
from mipbook.mis.known import KNOWN_LEARNERS, agreement_laws, best_attack_scores, known_delta


@pytest.mark.parametrize("learner", KNOWN_LEARNERS)
@pytest.mark.parametrize("challenges", [1, 5])
def test_the_best_attack_reaches_the_known_delta(learner, challenges):
    scores = best_attack_scores(learner, 40_000, challenges, np.random.default_rng(0))
    reached = 2 * scores.mean() - 1
    spread = 4 * 2 * scores.std() / math.sqrt(len(scores))
    assert abs(reached - known_delta(learner)) <= spread + 1e-12
    # One hundredth more or less would be noticed.
    assert spread < 0.02


def test_the_known_deltas():
    assert known_delta(KNOWN_LEARNERS[0]) == pytest.approx(0.107091779628860103, rel=1e-13)
    p, counts = np.array([0.5, 0.3, 0.2]), np.arange(6)
    histogram = sum(np.abs(counts / 5 - q) @ stats.binom.pmf(counts, 5, q) for q in p) / 2
    assert known_delta(KNOWN_LEARNERS[1]) == pytest.approx(histogram, rel=1e-12)


def test_many_coordinates_and_the_records_that_they_ask_for():
    ratios = np.array([0.0, 0.01, 1.0, 30.0, math.inf])
    assert many_coordinates_delta(ratios) == pytest.approx(2 * stats.norm.cdf(np.sqrt(ratios) / 2) - 1)
    for delta, dimension in ((0.1, 50), (0.5, 1), (0.999, 10**6)):
        n = many_coordinates_records(delta, dimension)
        assert many_coordinates_delta(dimension / n) == pytest.approx(delta, rel=1e-12)
    assert mis.gaussian_mean_delta(785, 50) <= 0.1 < mis.gaussian_mean_delta(784, 50)
    assert many_coordinates_records(0.1, 50) == pytest.approx(785, rel=0.01)


def test_the_laws_of_one_digit():
    for n in (1, 2, 7, 40):
        agree = np.arange(n + 1)
        without, given = agreement_laws(n, agree)
        assert without == pytest.approx(stats.binom.pmf(agree, n, 0.5), rel=1e-11)
        assert given == pytest.approx(stats.binom.pmf(agree - 1, n - 1, 0.5), rel=1e-11)
        between, _ = agreement_laws(n, agree[:-1] + 0.5)
        assert (between > np.minimum(without[:-1], without[1:])).all()


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        (known_delta, {"learner": "x"}, "learner"),
        (best_attack_scores, {"learner": KNOWN_LEARNERS[0], "challenges": 6}, "challenges"),
        (best_attack_scores, {"learner": KNOWN_LEARNERS[0], "models": 0}, "models"),
        (best_attack_scores, {"learner": KNOWN_LEARNERS[0], "rng": 3}, "rng"),
        (many_coordinates_delta, {"ratio": -1.0}, "ratio"),
        (many_coordinates_records, {"delta": 1.0, "dimension": 5}, "delta"),
        (many_coordinates_records, {"delta": 0.1, "dimension": 0}, "dimension"),
        (agreement_laws, {"n": 5, "agree": [6.0]}, "agree"),
        (agreement_laws, {"n": 0, "agree": [0.0]}, "n"),
    ],
)
def test_bad_input_is_named(function, arguments, name):
    if function is best_attack_scores:
        arguments = {"models": 5, "challenges": 1, "rng": np.random.default_rng(0), **arguments}
    with pytest.raises(ValueError, match=f"^{name} = "):
        function(**arguments)
