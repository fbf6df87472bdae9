"""The stored runs of the Limits paper: Table 1, the ladder, overfitting; Section 6.2 on any records."""

import math

import numpy as np
import pytest
from shared import refused

from mipbook import data, learners, mis, stored
from mipbook.stored import limits
from mipbook.stored.limits import CLUSTERINGS, ladder, table1
from mipbook.stored.store import load
from studies.ladder import climbed
from studies.overfitting import SEEDS
from studies.table1 import Settings, run

BOTH = ("clusters", "clusters and labels")


def test_the_stored_counts_add_up():
    stored, seeds = table1(), Settings().seeds
    assert stored.raw.shape == stored.centroids.shape == (seeds, 4, 5)
    assert np.array_equal(stored.raw[:, :, 0], stored.centroids[:, :, 0])
    for k in stored.clusters:
        for seed in range(seeds):
            for of in BOTH:
                totals = [stored.counts(k, seed, of, n).sum() for n in (*stored.sizes, None)]
                assert totals == [*stored.sizes, 3000]
    assert load("table1").arrays["pictures"].shape == (5, 4, 784)


@pytest.mark.parametrize(
    ("made", "shapes"),
    [
        (run, {"raw": (2, 1, 2), "counts": (2, 2, 30), "pictures": (2, 4, 784)}),
        (climbed, {"raw": (2, 1, 1), "pool": (2, 30), "pictures": (5, 10, 784)}),
    ],
)
def test_a_small_run_has_the_shapes_of_the_stored_one(made, shapes):
    settings = Settings(2, (3,), (50,), test=100, clustering=100, iterations=3)
    arrays = made(settings, data.Digits(*(part[::6] for part in data.digits())))
    assert {name: arrays[name].shape for name in shapes} == shapes
    assert made is run or arrays["pictures"].max() <= 15


def test_the_ladder_holds_table_1():
    rungs, stored = ladder(), table1()
    assert rungs.raw.shape == (5, 4, len(CLUSTERINGS))
    places = [CLUSTERINGS.index(k) for k in stored.clusters]
    assert np.array_equal(rungs.raw[:, :, places], stored.raw[:, :, 1:])
    for place, k in zip(places, stored.clusters, strict=True):
        for of in BOTH:
            assert rungs.security(500, of)[:, place] == pytest.approx(stored.security(k, 500, of))
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


def test_the_stored_dimension_runs_follow_the_exact_law():
    run = stored.load("overfitting_2a")
    n, noise = run.settings["n"], run.settings["noise"]
    for d, found in zip(run.arrays["dimensions"], run.arrays["validation"], strict=True):
        # The inputs are on a sphere, the law is for normal ones: close, not equal.
        exact = learners.residual_law(n, int(d), math.pi**2 / d, noise).below(run.arrays["thresholds"])
        error = found.std(axis=0) / math.sqrt(len(found))
        assert (np.abs(found.mean(axis=0) - exact) <= 4.5 * error + 0.02).all(), d
    assert (run.arrays["train"][run.arrays["dimensions"] >= n] == 1).all()
    assert (stored.load("overfitting_2b").arrays["train"] == 1).all()


def population(count):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, count)
    # Two clouds, as far apart as ten of their deviations.
    return limits.shuffled(rng.normal(size=(count, 2)) + 10 * y[:, None], y, 2, 0)


@pytest.mark.parametrize(("count", "fifth"), [(10, 2), (4999, 999), (9000, 1000)])
def test_the_parts_share_no_record(count, fifth):
    # A record's column is its number, so that it can be told from all others.
    numbers = np.arange(count)
    parts = limits.shuffled(numbers[:, None], numbers % 2, 2, seed=1)[:3]
    x, y = (np.concatenate(side) for side in zip(*parts, strict=True))
    assert [len(part.y) for part in parts] == [fifth, fifth, count - 2 * fifth]
    np.testing.assert_array_equal(np.sort(x.ravel()), numbers)
    np.testing.assert_array_equal(y, x.ravel() % 2)
    assert (np.diff(x.ravel()) < 0).any()


def test_clusters_come_from_their_own_part_and_floors_from_the_pool():
    records = population(2000)
    made = limits.clustering(records, 5)
    assert len(records.clustering.y) == 400
    seen = made.cluster(records.pool.x)
    pairs = data.atoms(seen, records.pool.y, 2)
    for floor, atoms, length in zip(limits.floors(records, made, 100), (seen, pairs), (5, 10), strict=True):
        counts = np.bincount(atoms, minlength=length)
        assert floor.atoms == length
        assert floor.diversity == mis.jackknife_diversity(counts)
        assert floor.certain == pytest.approx(1 - math.sqrt(length - 1) / (2 * 10))
        own = 1 - mis.worst_case_delta(counts / counts.sum(), 100)
        assert floor.certain <= floor.security == pytest.approx(own, abs=0.01)

    # Where fewer records differ clusters are fewer, and what is certain is more than an estimate may say.
    records = limits.shuffled(np.repeat(np.eye(3), 50, axis=0), np.arange(150) % 2, 2, 0)
    made = limits.clustering(records, 100)
    assert len(made.centroids) == 3
    alone, _ = limits.floors(records, made, 50)
    assert alone.security >= alone.certain > 0.89


def test_networks_learn_what_there_is_to_learn():
    records = population(600)
    assert limits.accuracy(records, None, 300) > 0.99
    assert limits.accuracy(records, limits.clustering(records, 2), 300) > 0.8
    rng = np.random.default_rng(2)
    test, _, pool = (part._replace(y=rng.integers(0, 2, len(part.y))) for part in records[:3])
    assert 0.3 < limits.accuracy(records._replace(test=test, pool=pool), None, 300) < 0.7
    for n in (0, len(records.pool.y) + 1):
        refused(f"^n = {n}", limits.accuracy, records, None, n)
