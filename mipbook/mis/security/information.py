"""Mutual information: how much a histogram says about one record, and what that bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from explorable import validate
from mipbook.base.types import Floats
from mipbook.mis.binomial import pmf
from mipbook.mis.security.enumerated import checked_law

__all__ = ["histogram_information", "pinsker_bound"]


def histogram_information(p: ArrayLike, n: int) -> float:
    r"""Return the mutual information of the histogram of a sample and one of its records.

    Parameters
    ----------
    p : array_like of shape (kinds,)
        The distribution of a record; no entry may be 0.
    n : int
        Records in the sample, from 1 to 10 million.

    Returns
    -------
    float
        In nats, at most the entropy of ``p``; about ``(kinds - 1) / (2 n)`` for large n.

    Notes
    -----
    Limits paper, Remark 7: :math:`\sum_k E[\frac{B_k}{n} \ln\frac{B_k}{n p_k}]` with
    :math:`B_k` binomial.  No learner that looks at the histogram has more information about
    a record.

    Examples
    --------
    >>> round(histogram_information([0.5, 0.25, 0.125, 0.0625, 0.0625], 20), 12)
    0.11251798134
    """
    law = checked_law(p)
    n = validate.integer("n", n, 1, 10**7)
    counts = np.arange(n + 1.0)
    total = 0.0
    for chance, times in zip(*np.unique(law, return_counts=True), strict=True):
        ratio = counts / (n * chance)
        # x ln x - x + 1 is never negative, and its mean is that of x ln x.
        excess = np.maximum(xlogy(ratio, ratio) - ratio + 1, 0.0)
        total += times * chance * float(pmf(counts, n, chance) @ excess)
    return float(total)


def pinsker_bound(information: Any) -> Floats:
    """Return the bound on Delta that a mutual information gives.

    Parameters
    ----------
    information : float or array_like
        Mutual information of the output and one record, in nats, in [0, inf).

    Returns
    -------
    float or ndarray
        ``min(1, sqrt(information / 2))``.

    Notes
    -----
    Limits paper, Remark 7 and equation (8); it holds for all ``nu`` and ``lam``.

    Examples
    --------
    >>> pinsker_bound(0.02)
    0.1
    """
    nats = validate.array("information", information, 0.0, open_high=True)
    return validate.plain(np.asarray(np.minimum(np.sqrt(nats / 2), 1.0)))
