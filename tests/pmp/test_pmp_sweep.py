"""Sweeps: the same numbers wherever they run, kept when they are interrupted."""

from __future__ import annotations

import numpy as np
import pytest

from mipbook import pmp

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


def test_an_interrupted_sweep_goes_on(tmp_path):
    calls = tmp_path / "calls"
    cases = [{"place": str(calls), "stop": 3}]
    with pytest.raises(KeyboardInterrupt):
        pmp.sweep(_counted, cases, trials=5, seed=1, n_jobs=1, cache=tmp_path / "kept")
    before = len(calls.read_text())
    (tmp_path / "go").touch()
    found = pmp.sweep(_counted, cases, trials=5, seed=1, n_jobs=1, cache=tmp_path / "kept")
    assert len(found[0]) == 5
    assert before == 4
    # Three finished calls were kept; the interrupted one and the fifth were made.
    assert len(calls.read_text()) == before + 2


def _counted(place: str, stop: int, *, rng: np.random.Generator) -> float:
    from pathlib import Path

    path = Path(place)
    with path.open("a") as stream:
        stream.write(".")
    if len(path.read_text()) > stop and not (path.parent / "go").exists():
        raise KeyboardInterrupt
    return float(rng.random())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"function": 3}, "function = 3"),
        ({"cases": [3]}, "cases = 3"),
        ({"trials": 0}, "trials = 0"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_bad_input_is_refused(change, message):
    arguments = {"function": pmp.exponential_trial, "cases": CASES}
    with pytest.raises(ValueError, match=message):
        pmp.sweep(**{**arguments, **change})
