"""The stored runs of the Limits paper, made again in part: Table 1, overfitted networks, digits of a mean."""

import math

import numpy as np
import pytest

from mipbook import data, learners, mis, stored
from mipbook.stored.digits import CLUSTERINGS, ladder, table1
from mipbook.stored.limits import DIGITS, SIZES, known_digit_delta
from studies.digit_sums import summed
from studies.overfitting import SEEDS
from studies.table1 import Settings, trial


def test_the_stored_counts_add_up():
    stored = table1()
    expected = Settings()
    assert stored.raw.shape == stored.centroids.shape == (expected.seeds, 4, 5)
    assert np.array_equal(stored.raw[:, :, 0], stored.centroids[:, :, 0])
    sizes = (*stored.sizes, 3000)
    for k in stored.clusters:
        for seed in range(expected.seeds):
            for of in ("clusters", "clusters and labels"):
                totals = [stored.counts(k, seed, of, n).sum() for n in stored.sizes]
                assert (*totals, stored.counts(k, seed, of).sum()) == sizes
    assert stored.pictures.shape == (5, 4, 784)


def test_a_reduced_run_repeats_the_stored_numbers():
    """The same seeds and less work: other processors may round differently, little else."""
    stored = table1()
    again = trial(0, Settings(clusters=(10,), sizes=(250,)), data.digits())
    assert again["raw"][0] == pytest.approx(stored.raw[0, 0, :2], abs=0.04)
    assert again["centroids"][0] == pytest.approx(stored.centroids[0, 0, :2], abs=0.04)
    for row, size in ((0, 250), (1, None)):
        pairs = stored.counts(10, 0, "clusters and labels", size)
        moved = np.abs(again["counts"][row] - pairs).sum() / 2
        assert moved <= 0.02 * pairs.sum()
    other = trial(1, Settings(clusters=(10,), sizes=(250,)), data.digits())
    assert np.abs(other["counts"][1] - pairs).sum() / 2 > 0.02 * pairs.sum(), "can fail"


def test_the_ladder_holds_table_1():
    rungs, stored = ladder(), table1()
    assert rungs.raw.shape == (5, 4, len(CLUSTERINGS))
    for column, k in enumerate(stored.clusters):
        place = CLUSTERINGS.index(k)
        assert np.array_equal(rungs.raw[:, :, place], stored.raw[:, :, 1 + column])
        for of in ("clusters", "clusters and labels"):
            security = rungs.security(500, of)[:, place]
            assert security == pytest.approx(stored.security(k, 500, of))
    for k in CLUSTERINGS:
        assert rungs.pool[k].shape == (5, k, 10)
        assert (rungs.pool[k].sum(axis=(1, 2)) == 3000).all()


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
