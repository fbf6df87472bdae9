"""One run of Section 6.2 on any records: the parts share none, and the floors are Theorem 14's."""

import math

import numpy as np
import pytest
from shared import refused

from mipbook import data, mis
from mipbook.stored import discretised


def population(count, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, count)
    # Two clouds, as far apart as ten of their deviations.
    return discretised.shuffled(rng.normal(size=(count, columns)) + 10 * y[:, None], y, 2, seed)


@pytest.mark.parametrize(("count", "fifth"), [(10, 2), (4999, 999), (9000, 1000)])
def test_the_parts_share_no_record(count, fifth):
    # A record's column is its number, so that it can be told from all others.
    numbers = np.arange(count)
    records = discretised.shuffled(numbers[:, None], numbers % 2, 2, seed=1)
    parts = [records.x[part] for part in (records.test, records.clustering, records.pool)]
    assert [len(part) for part in parts] == [fifth, fifth, count - 2 * fifth]
    assert records.pool_size == count - 2 * fifth
    np.testing.assert_array_equal(np.sort(np.concatenate(parts).ravel()), numbers)
    np.testing.assert_array_equal(records.y, records.x.ravel() % 2)
    assert (np.diff(records.x.ravel()) < 0).any()


def test_clusters_come_from_their_own_part_and_floors_from_the_pool():
    records = population(2000)
    made = discretised.clustering(records, 5)
    assert len(made.labels) == 400
    alone, pairs = discretised.floors(records, made, 100)
    seen = made.cluster(records.x[records.pool])
    for floor, counts in (
        (alone, np.bincount(seen, minlength=5)),
        (pairs, np.bincount(data.atoms(seen, records.y[records.pool], 2), minlength=10)),
    ):
        assert floor.atoms == len(counts)
        assert floor.diversity == mis.jackknife_diversity(counts)
        assert floor.certain == pytest.approx(1 - math.sqrt(len(counts) - 1) / (2 * 10))
        own = 1 - mis.worst_case_delta(counts / counts.sum(), 100)
        assert floor.certain <= floor.security == pytest.approx(own, abs=0.01)


def test_where_fewer_records_differ_clusters_are_fewer():
    records = discretised.shuffled(np.repeat(np.eye(3), 50, axis=0), np.arange(150) % 2, 2, 0)
    made = discretised.clustering(records, 100)
    assert len(made.centroids) == 3
    # What is certain is more than an estimate may say.
    alone, _ = discretised.floors(records, made, 50)
    assert alone.security >= alone.certain > 0.89


def test_networks_learn_what_there_is_to_learn():
    records = population(600)
    assert discretised.accuracy(records, None, 300) > 0.99
    assert discretised.accuracy(records, discretised.clustering(records, 2), 300) > 0.8
    coins = np.random.default_rng(2).integers(0, 2, 600)
    assert 0.3 < discretised.accuracy(records._replace(y=coins), None, 300) < 0.7
    for n in (0, records.pool_size + 1):
        refused(f"^n = {n}", discretised.accuracy, records, None, n)
