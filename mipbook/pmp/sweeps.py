"""Many cases, many trials: spread over processes or a cluster, shown, interruptible, cached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from explorable import progress, validate

__all__ = ["sweep"]

T = TypeVar("T")


def _run(function: Callable[..., Any], case: Mapping[str, Any], seed: tuple[int, ...]) -> Any:
    return function(**case, rng=np.random.default_rng(seed))


def sweep(
    function: Callable[..., T],
    cases: Sequence[Mapping[str, Any]],
    *,
    trials: int = 1,
    seed: int = 0,
    n_jobs: int | None = None,
    cache: str | Path | None = None,
) -> list[list[T]]:
    """Call a function on every case, several times with randomness of its own.

    Parameters
    ----------
    function : callable
        Called as ``function(**case, rng=generator)``; defined at the top of a module, so that
        other processes find it.
    cases : sequence of mapping
        The keyword arguments, one mapping a case.
    trials : int
        Calls for each case, at least 1.  Trial i draws from the same numbers in every case, so
        that cases are compared on the same data.
    seed : int
        At least 0; the results depend on it and on nothing else.
    n_jobs : int, optional
        Processes; what ``joblib.parallel_config`` says if not given.  With
        ``joblib.parallel_config(backend="dask")`` the calls run on a Dask cluster.
    cache : path, optional
        A directory where finished calls are kept: an interrupted sweep goes on from there.

    Returns
    -------
    list of list
        One list of ``trials`` results a case.

    Notes
    -----
    The simulations of the PMP paper, Figures 1 to 6, are such sweeps.

    Examples
    --------
    >>> from mipbook.data import gaussian_points
    >>> drawn = sweep(gaussian_points, [{"count": 2, "dimension": 1, "sigma": 1.0}], trials=3)
    >>> len(drawn), len(drawn[0])
    (1, 3)
    """
    from joblib import Memory, Parallel, delayed

    if not callable(function):
        validate.refuse("function", function, "a function")
    if not isinstance(cases, Sequence) or isinstance(cases, str | bytes):
        validate.refuse("cases", cases, "a list of mappings from argument names to values")
    for case in cases:
        if not isinstance(case, Mapping):
            validate.refuse("cases", case, "mappings from argument names to values")
    trials = validate.size("trials", trials, beside=max(1, 100 * len(cases)))
    seed = validate.integer("seed", seed, 0)
    if n_jobs is not None and (validate.integer("n_jobs", n_jobs, -4096, 4096) == 0):
        validate.refuse("n_jobs", n_jobs, "a number of processes, or -1 for all")
    run = _run
    if cache is not None:
        folder = validate.path("cache", cache)
        if folder.exists() and not folder.is_dir():
            validate.refuse("cache", cache, "a directory, or a path where one can be made")
        run = Memory(folder, verbose=0).cache(_run)
    calls = [(case, (seed, trial)) for case in cases for trial in range(trials)]
    with progress.reader() as stream:
        found = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(run)(function, dict(case), key) for case, key in calls
        )
        flat = list(progress.track(found, stream, total=len(calls), what="sweep", unit="trials"))
    return [flat[i * trials : (i + 1) * trials] for i in range(len(cases))]
