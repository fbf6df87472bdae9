"""The stored releases of the example tables: made again in part, and held to their promise."""

import numpy as np
import pytest
from shared import refused

from mipbook.release import examples
from mipbook.release.examples import ETAS, EXAMPLES, STATISTICS, example_trial, tried

CASES = [
    ("incomes", "mean", 0.1),
    ("age and blood pressure", "median", 0.45),
    ("small study with an outlier", "line through two columns", 0.2),
]


@pytest.mark.parametrize(("name", "statistic", "eta"), CASES)
def test_a_stored_release_is_found_again(name, statistic, eta):
    stored = example_trial(name, statistic, eta)
    again = tried(examples.columns_of(name, statistic), statistic, eta)
    for field in examples.Trial._fields:
        np.testing.assert_allclose(getattr(stored, field), getattr(again, field), rtol=1e-9)
    # Another promise has other noise: equality means something.
    other = example_trial(name, statistic, ETAS[0])
    assert (other.deviations > stored.deviations).all()


def test_a_promise_between_the_stored_ones_is_computed():
    low, between, high = (example_trial("incomes", "mean", eta).deviations[0] for eta in (0.1, 0.11, 0.125))
    assert low > between > high


@pytest.mark.parametrize("statistic", STATISTICS)
def test_no_attack_is_right_more_often_than_promised(statistic):
    for name in EXAMPLES:
        for eta in ETAS:
            trial = example_trial(name, statistic, eta)
            right, low, high = trial.attack
            assert low <= right <= high
            assert low <= 0.5 + eta
            assert trial.deviations.size == (2 if statistic == STATISTICS[-1] else 1)


def test_statistics_are_those_of_numpy():
    rng = np.random.default_rng(3)
    halves = rng.normal(size=(5, 9, 2))
    for row, half in enumerate(halves):
        x, y = half.T
        assert examples.statistics_of(halves, "median")[row, 0] == np.median(x)
        assert examples.statistics_of(halves, "standard deviation")[row, 0] == np.std(x)
        line = examples.statistics_of(halves, "line through two columns")[row]
        np.testing.assert_allclose(line, np.polyfit(x, y, 1), rtol=1e-9)


def test_what_tells_nothing_is_refused():
    refused("same on every half", tried, np.ones((10, 1)), "mean", 0.2)
    columns = np.stack([np.ones(10), np.arange(10.0)], axis=1)
    refused("needs an x that varies", tried, columns, STATISTICS[-1], 0.2)
