"""The stored runs of overfitted networks, and of the digits of a mean."""

import math

import numpy as np
import pytest

from mipbook import learners, mis, stored
from mipbook.stored.limits import DIGITS, SIZES, known_digit_delta, train_run
from studies.digit_sums import summed
from studies.overfitting import SEEDS


def test_the_runs_of_the_seeds_hold_the_main_one():
    seeds = stored.load("overfitting_1_seeds")
    assert seeds.settings["seed"] == list(range(SEEDS))
    main = stored.load("overfitting_1_n1000_w4096_s0.1").arrays
    # Later on they agree where one processor made both.
    first = main["iterations"] <= 10
    for side in ("train", "validation"):
        off = np.abs(seeds.arrays[side][0, first].astype(float) - main[side][first]) / 1000
        assert off.max() <= 0.005, side
    assert (seeds.arrays["most"] >= seeds.arrays["train"].max(axis=1)).all()
    assert ((seeds.arrays["reached"] >= 0) == (seeds.arrays["most"] >= 990)).all()
    for name in stored.names("overfitting_1_n"):
        run = stored.load(name)
        assert run.arrays["thresholds"].tolist() == list(learners.THRESHOLDS)
        assert run.arrays["train"].shape == run.arrays["validation"].shape
        with pytest.raises(ValueError, match="read-only"):
            run.arrays["train"][0] = 0


def test_a_run_made_again_tells_the_same_story():
    """The same settings, from the file: close at first, then rounding has spread."""
    kept = stored.load("overfitting_1_n200_w256_s0.1")
    settings = kept.settings
    again = train_run(**settings)
    np.testing.assert_array_equal(again["iterations"], kept.arrays["iterations"])
    for side, count in (("train", settings["n"]), ("validation", settings["fresh"])):
        off = np.abs(again[side].astype(float) - kept.arrays[side]) / count
        assert off[again["iterations"] <= 50].max() <= 0.02, side
    # Another seed is not close at all: the tolerance means something.
    other = train_run(**{**settings, "seed": 1}, watched=(0, 50))
    at = kept.arrays["iterations"].tolist().index(50)
    off = np.abs(other["train"][-1].astype(float) - kept.arrays["train"][at]) / settings["n"]
    assert off.max() > 0.02


def test_the_stored_dimension_runs_follow_the_exact_law():
    run = stored.load("overfitting_2a")
    n, noise = run.settings["n"], run.settings["noise"]
    for d, found in zip(run.arrays["dimensions"], run.arrays["validation"], strict=True):
        law = learners.residual_law(n, int(d), math.pi**2 / d, noise)
        # The inputs are on a sphere, the law is for normal ones: close, not equal.
        exact = law.below(run.arrays["thresholds"])
        error = found.std(axis=0) / math.sqrt(len(found))
        assert (np.abs(found.mean(axis=0) - exact) <= 4.5 * error + 0.02).all(), d
    beyond = run.arrays["dimensions"] >= n
    assert (run.arrays["train"][beyond] == 1).all()
    assert (stored.load("overfitting_2b").arrays["train"] == 1).all()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("digits", [1, 100, DIGITS[-1]])
def test_the_stored_values_are_the_functions_own(n, digits):
    found = summed({"sizes": (n,), "digits": (digits,)})["deltas"][0, 0]
    assert known_digit_delta(n, digits) == pytest.approx(found, rel=1e-9)
    estimate = mis.digit_delta(n, digits)
    assert estimate.low - 1e-9 <= known_digit_delta(n, digits) <= estimate.high + 1e-9


def test_what_is_not_stored_is_computed():
    assert known_digit_delta(7, 12) == mis.digit_delta(7, 12).value
