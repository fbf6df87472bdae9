"""DP inside the pool, and the published simulations."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from mipbook import pmp, tradeoff


@pytest.mark.parametrize("d", [1, 2, 20])
def test_diameter_equals_the_largest_of_all_pairs(d):
    rng = np.random.default_rng(d)
    for values in (rng.standard_normal((1200, d)), rng.standard_cauchy((1000, d))):
        assert pmp.diameter(values) == pytest.approx(pdist(values).max(), rel=1e-12)


def test_inside_the_pool_it_is_lemma_10_at_the_diameter(pools):
    for values in pools:
        found = pmp.gaussian_subset_epsilon(values, 0.3, 0.01)
        assert found == tradeoff.gaussian_epsilon(0.01, sigma=0.3, sensitivity=pmp.diameter(values))
        for i, j in ((0, 1), (2, 5), (3, 9)):
            gap = float(np.linalg.norm(values[i] - values[j]))
            assert tradeoff.gaussian_delta(found, 0.3, gap) <= 0.01


def test_trials_fix_what_they_say():
    for held, index in (("epsilon", 0), ("subset", 1)):
        rng = np.random.default_rng(23)
        trial = pmp.gaussian_trial(20, 3, 1.0, 5.0, 2, 10.0, 0.01, held, 2.0, rng)
        assert trial[index] == 2.0
        rng = np.random.default_rng(23)
        values = pmp.gaussian_pool(20, 3, 1.0, 5.0, 2, 10.0, rng) / 20
        full = pmp.gaussian_sensitivity(20, 5.0)
        assert np.linalg.norm(values * 20, axis=1).max() <= 5 * (1 + 1e-12)
        assert trial.epsilon == pytest.approx(
            tradeoff.gaussian_epsilon(0.01, sigma=trial.sigma, sensitivity=full), rel=1e-9
        )
        assert trial.epsilon_subset == pytest.approx(
            pmp.gaussian_subset_epsilon(values, trial.sigma, 0.01), rel=1e-9
        )
        assert trial.epsilon_pmp == pmp.gaussian_epsilon_bound(values, trial.sigma, 0.01)


CASES = [{"n": 3, "sigma": s} for s in (0.5, 2.0)]


def test_results_do_not_depend_on_the_number_of_processes():
    alone = pmp.sweep(pmp.exponential_trial, CASES, trials=4, seed=1, n_jobs=1)
    shared = pmp.sweep(pmp.exponential_trial, CASES, trials=4, seed=1, n_jobs=2)
    assert alone == shared
    assert [len(row) for row in alone] == [4, 4]
    other = pmp.sweep(pmp.exponential_trial, CASES, trials=4, seed=2, n_jobs=1)
    assert other != alone
    more = pmp.sweep(pmp.exponential_trial, CASES, trials=6, seed=1, n_jobs=1)
    assert [row[:4] for row in more] == alone


def test_a_dask_cluster_gives_the_same_numbers():
    import distributed
    import joblib

    alone = pmp.sweep(pmp.exponential_trial, CASES, trials=3, seed=1, n_jobs=1)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        spread = pmp.sweep(pmp.exponential_trial, CASES, trials=3, seed=1)
        tasks = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.task_prefixes))
    assert spread == alone
    assert tasks > 0, "nothing ran on the cluster"


def test_beyond_what_is_counted_the_parameter_is_an_estimate():
    case = {"n": 8, "dimension": 4, "objects": 6, "epsilon": 4.0}
    for seed in range(3):
        exact, estimate = (
            pmp.exponential_trial(**case, counted=most, rng=np.random.default_rng(seed)) for most in (8, 7)
        )
        assert estimate.epsilon == exact.epsilon
        assert estimate.pmp != exact.pmp
        assert estimate.pmp == pytest.approx(exact.pmp, rel=0.1)
        assert estimate.success >= exact.success * 0.99
    one = {"n": 8, "counted": 1}
    counted, left = (pmp.exponential_trial(**c, rng=np.random.default_rng(1)) for c in (one, {"n": 8}))
    assert counted == left  # two objects: exact at any n
