"""Clusters, atoms, and what a plug-in C_K is on average."""

import time
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from mipbook import data, mis


def groups(rng, count=60):
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    which = rng.integers(0, 3, count)
    return centres[which] + rng.normal(0, 0.3, (count, 2)), which


def test_clusters_are_found_and_applied():
    points, which = groups(np.random.default_rng(0))
    found = data.discretise(points, 3, np.random.default_rng(1))
    for k in range(3):
        assert len(set(found.labels[which == k])) == 1
    assert len(set(found.labels)) == 3
    assert found.frequencies == pytest.approx(np.bincount(found.labels) / 60)
    far = found.cluster([[9.0, 1.0], [1.0, 9.0], [100.0, 0.0]])
    assert far[0] == far[2] != far[1]
    assert found.apply([[9.0, 1.0]])[0] == pytest.approx([10.0, 0.0], abs=0.5)


def test_the_nearest_centroid_is_the_nearest():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(10_050, 3)).astype(np.float32)
    found = data.discretise(points[:500], 20, rng)
    distances = ((points[:, None, :] - found.centroids) ** 2).sum(axis=2)
    chosen = distances[np.arange(len(points)), found.cluster(points)]
    assert chosen == pytest.approx(distances.min(axis=1), abs=1e-4)


def test_one_cluster_and_as_many_as_records():
    points = np.array([[0.0], [1.0], [5.0]])
    one = data.discretise(points, 1, np.random.default_rng(3))
    assert one.frequencies.tolist() == [1.0]
    every = data.discretise(points, 3, np.random.default_rng(3))
    assert every.frequencies.sum() == pytest.approx(1.0)
    assert every.centroids.shape == (3, 1)
    repeated = data.discretise(points, 3, np.random.default_rng(3))
    assert np.array_equal(every.centroids, repeated.centroids)


def test_bad_arguments_are_refused():
    rng = np.random.default_rng(4)
    with pytest.raises(ValueError, match=r"clusters = 3: must be .* \[1, different records = 2\]"):
        data.discretise([[0.0], [0.0], [1.0]], 3, rng)
    with pytest.raises(ValueError, match="records"):
        data.discretise([0.0, 1.0], 1, rng)
    with pytest.raises(ValueError, match="records = inf"):
        data.discretise([[np.inf]], 1, rng)
    with pytest.raises(ValueError, match="rng"):
        data.discretise([[0.0]], 1, 7)
    found = data.discretise([[0.0], [1.0]], 2, rng)
    with pytest.raises(ValueError, match="of 1 columns"):
        found.cluster([[0.0, 1.0]])
    with pytest.raises(ValueError, match="labels"):
        data.atoms([0, 1], [0], 3)
    with pytest.raises(ValueError, match="labels"):
        data.atoms([0, 1], [0, 3], 3)


def test_atoms_are_pairs():
    clusters, labels = np.array(list(product(range(4), range(3)))).T
    assert data.atoms(clusters, labels, 3).tolist() == list(range(12))


# --- C_K from counts ---------------------------------------------------------------------

LAW = np.array([0.5, 0.25, 0.125, 0.125])


def everything(p, n, value):
    """Return the mean over all data sets, one by one."""
    total = 0.0
    for records in product(range(len(p)), repeat=n):
        counts = np.bincount(records, minlength=len(p))
        total += float(np.prod(p[list(records)])) * value(counts)
    return total


def test_plug_in_is_the_diversity_of_the_frequencies():
    counts = np.array([5, 3, 0, 2])
    assert mis.plug_in_diversity(counts) == pytest.approx(mis.diversity(counts / 10), abs=1e-14)
    assert mis.plug_in_diversity([7]) == 0.0
    assert mis.plug_in_diversity([0, 0, 7]) == 0.0


def test_the_jackknife_leaves_out_one_record_at_a_time():
    counts = np.array([5, 3, 0, 1, 1])
    n = counts.sum()
    without = 0.0
    for k in np.flatnonzero(counts):
        less = counts.copy()
        less[k] -= 1
        without += counts[k] / n * mis.plug_in_diversity(less)
    expected = n * mis.plug_in_diversity(counts) - (n - 1) * without
    assert mis.jackknife_diversity(counts) == pytest.approx(expected, abs=1e-12)
    assert mis.jackknife_diversity([9]) == 0.0


@pytest.mark.parametrize("n", [2, 3, 5])
def test_means_are_those_over_all_data_sets(n):
    for mean, value in (
        (mis.plug_in_diversity_mean, mis.plug_in_diversity),
        (mis.jackknife_diversity_mean, mis.jackknife_diversity),
    ):
        assert mean(LAW, n) == pytest.approx(everything(LAW, n, value), abs=1e-12)


def test_the_plug_in_is_low_and_rises():
    rng = np.random.default_rng(5)
    for alpha in (0.1, 1.0, 20.0):
        p = rng.dirichlet(np.full(12, alpha))
        means = [mis.plug_in_diversity_mean(p, n) for n in (1, 2, 3, 7, 20, 100, 5000)]
        assert means[0] == 0.0
        assert np.all(np.diff(means) >= -1e-12)
        assert means[-1] <= mis.diversity(p) + 1e-12
    # A plug-in that forgets the 1 - p would pass neither.
    assert mis.plug_in_diversity_mean(LAW, 3) < 0.8 * mis.diversity(LAW)


def test_the_jackknife_takes_most_of_the_bias_where_atoms_are_common():
    truth = mis.diversity(LAW)
    for n in (100, 1000):
        rough = truth - mis.plug_in_diversity_mean(LAW, n)
        left = abs(truth - mis.jackknife_diversity_mean(LAW, n))
        assert left < 0.2 * rough
    rare = np.full(1000, 1e-3)
    assert mis.jackknife_diversity_mean(rare, 50) < 0.6 * mis.diversity(rare), "and not else"


def test_edges_of_the_law():
    assert mis.plug_in_diversity_mean([1.0], 10) == 0.0


def test_means_are_sums_over_all_counts_that_matter():
    """Against the sum over every count; thousands of atoms take no time."""
    rng = np.random.default_rng(5)
    for n in (2, 9, 300, 20_000):
        law = rng.dirichlet(np.array([0.01, 0.1, 1.0, 5.0, 20.0]))
        seen = np.arange(n + 1.0)
        chances = binom.pmf(seen, n, law[:, None])
        full = (chances @ np.sqrt(seen * (n - seen)) / n).sum()
        assert mis.plug_in_diversity_mean(law, n) == pytest.approx(full, rel=1e-12)
    start = time.process_time()
    mis.jackknife_diversity_mean(rng.dirichlet(np.ones(20_000)), 100_000)
    assert time.process_time() - start < 3, "once half a minute for a tenth of them"
    assert mis.jackknife_diversity_mean([0.0, 1.0], 10) == 0.0
    assert mis.plug_in_diversity_mean([1e-300, 1.0], 10) == pytest.approx(0.0, abs=1e-12)
    many = np.full(3000, 1 / 3000)
    assert 0 < mis.plug_in_diversity_mean(many, 2000) < mis.diversity(many)


@pytest.mark.parametrize("bad", [[], [0, 0], [-1, 2], [0.5, 1.0], [np.nan], [[1, 2]]])
def test_what_is_no_count_is_refused(bad):
    with pytest.raises(ValueError, match="counts"):
        mis.plug_in_diversity(bad)
    with pytest.raises(ValueError, match="counts"):
        mis.jackknife_diversity(bad)


def test_one_record_has_no_jackknife():
    with pytest.raises(ValueError, match="at least 2"):
        mis.jackknife_diversity([1])
    with pytest.raises(ValueError, match="n = 1"):
        mis.jackknife_diversity_mean(LAW, 1)
    with pytest.raises(ValueError, match="n = 0"):
        mis.plug_in_diversity_mean(LAW, 0)
    with pytest.raises(ValueError, match="p = "):
        mis.plug_in_diversity_mean([0.5, 0.4], 3)
