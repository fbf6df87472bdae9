"""The stored run behind Table 1 of the Limits paper."""

from __future__ import annotations

import numpy as np
import pytest

from mipbook import data, stored as runs
from mipbook.runs.make_table1 import Settings, run, trial


def test_the_stored_counts_add_up():
    stored = runs.table1()
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
    stored = runs.table1()
    again = trial(0, Settings(clusters=(10,), sizes=(250,)), data.digits())
    assert again["raw"][0] == pytest.approx(stored.raw[0, 0, :2], abs=0.04)
    assert again["centroids"][0] == pytest.approx(stored.centroids[0, 0, :2], abs=0.04)
    for row, size in ((0, 250), (1, None)):
        pairs = stored.counts(10, 0, "clusters and labels", size)
        moved = np.abs(again["counts"][row] - pairs).sum() / 2
        assert moved <= 0.02 * pairs.sum()
    other = trial(1, Settings(clusters=(10,), sizes=(250,)), data.digits())
    assert np.abs(other["counts"][1] - pairs).sum() / 2 > 0.02 * pairs.sum(), "can fail"


def test_a_small_run_has_the_shapes_of_the_stored_one():
    table = data.Digits(*(part[::6] for part in data.digits()))
    arrays = run(Settings(2, (3,), (50,), test=100, clustering=100, iterations=3), table)
    assert arrays["raw"].shape == (2, 1, 2)
    assert arrays["counts"].shape == (2, 2, 30)
    stored = runs.table1()
    for name, kept in zip(("raw", "pictures"), (stored.raw, stored.pictures), strict=True):
        assert arrays[name].ndim == kept.ndim
