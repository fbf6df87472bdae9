"""Fits on random halves of the data, the raw material of Algorithm 1 and of its repair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from explorable import validate
from explorable.progress import reader, track
from mipbook.base.attempt import attempt
from mipbook.base.types import Array

__all__ = ["Fit", "fit_on_halves", "fit_one", "rows_of_data", "vector_of"]

Fit = Callable[[Any], Any]


def vector_of(fit: Fit, data: Any) -> Array:
    """Return what a fit gives, checked: a finite vector."""
    given = attempt("fit", fit, f"on {len(data)} records of data", fit, data)
    theta = np.atleast_1d(validate.array("fit(data)", given))
    if theta.ndim != 1 or not np.isfinite(theta).all():
        validate.refuse("fit(data)", theta, "a finite number or vector")
    return theta


def rows_of_data(data: Any, least: int) -> Any:
    """Return the records, an even number of them."""
    rows = validate.rows("data", data)
    if len(rows) < least or len(rows) % 2:
        validate.refuse("data", data, f"an even number of records, at least {least}, one a row")
    return rows


def fit_one(fit: Fit, rows: Any, size: int, rng: np.random.Generator) -> Array:
    """Return the fit on a random part of the records."""
    return vector_of(fit, rows[np.sort(rng.permutation(len(rows))[:size])])


def fit_on_halves(
    data: Any,
    fit: Fit,
    count: int,
    rng: np.random.Generator,
    *,
    size: int | None = None,
    n_jobs: int | None = None,
) -> Array:
    """Return what a fit gives on random halves of the data.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records, n even.
    fit : callable
        From some of the records to a number or a vector, always of one length.
    count : int
        How many halves, at least 1.
    size : int, optional
        Records in a part; n / 2 if not given.

    Returns
    -------
    ndarray of shape (count, d)

    Raises
    ------
    ValueError
        For a malformed argument, or fits of different lengths.

    Notes
    -----
    MIP paper, Algorithm 1, its loop.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> fit_on_halves(np.arange(4.0), np.mean, 3, rng).shape
    (3, 1)
    """
    from joblib import Parallel, delayed

    rows = rows_of_data(data, 2)
    if not callable(fit):
        validate.refuse("fit", fit, "a function from records to a number or a vector")
    count = validate.integer("count", count, 1, 10**7)
    n_jobs = validate.jobs("n_jobs", n_jobs)
    size = validate.integer("size", len(rows) // 2 if size is None else size, 1, len(rows))
    children = validate.generator("rng", rng).spawn(count)
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    fits = run(delayed(fit_one)(fit, rows, size, child) for child in children)
    with reader() as stream:
        found = list(track(fits, stream, total=count, what="fits", unit="halves"))
    if len({theta.size for theta in found}) != 1:
        validate.refuse("fit", fit, "a function whose result always has the same length")
    return np.stack(found)
