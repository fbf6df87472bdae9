"""A curve made of bumps, one at every record, that training bends towards the records."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from explorable import validate
from explorable.checked import Numbers, checked
from mipbook.base.types import Positive
from mipbook.learners.base import Array

_Line = Annotated[Any, Numbers(-1e9, 1e9, ndim=1)]
_Steps = Annotated[Any, Numbers(0.0, 1e9, ndim=1)]


@checked
def descended(x: _Line, y: _Line, at: _Line, steps: _Steps, width: Positive = 1.0) -> Array:
    """Return what a curve says after so many steps of gradient descent on its squared error.

    Parameters
    ----------
    x, y : array_like
        The training records, one number each, and their labels.
    at : array_like
        Where the curve is read.
    steps : array_like of int
        The steps at which it is read; none is the mean of the labels.
    width : float
        How wide a bump is; there are equally many of three times the width.

    Returns
    -------
    ndarray
        A row for each of the steps.

    Notes
    -----
    The curve is the labels' mean and a sum of normal bumps.  Descent acts on each eigenvector
    of the bumps' matrix alone, so all steps have a closed form; the rate is the largest at
    which none overshoots.

    Examples
    --------
    >>> descended([0.0, 1.0], [0.0, 2.0], [0.0, 1.0], [0, 1000], width=0.3).round(3).tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    if x.size == 0 or x.size != y.size:
        validate.refuse("y", y, "a number for each of x, of which there is at least one")

    def bumps(here: Array) -> Array:
        with np.errstate(over="ignore"):  # so far away is no bump
            apart = ((here[:, None] - x) / width) ** 2
        return np.asarray(np.exp(-apart / 2) + np.exp(-apart / 18))

    sizes, parts = np.linalg.eigh(bumps(x))
    sizes = np.maximum(sizes, 0.0)
    # Records in one place share a bump, and leave directions along which nothing descends.
    bent = sizes > 1e-14 * sizes[-1]
    left = (1 - sizes / sizes[-1]) ** steps[:, None]
    moved = np.where(bent, (1 - left) / np.where(bent, sizes, 1.0), 0.0)
    weights = (moved * (parts.T @ (y - y.mean()))) @ parts.T
    return np.asarray(y.mean() + weights @ bumps(at).T)
