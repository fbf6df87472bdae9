"""Stored results of Table 1 on more clusterings, and ten digits with their centroids in each."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.mis.discrete import worst_case_securities
from mipbook.stored import store
from mipbook.runs.table1 import ATOMS, table1

__all__ = ["BETWEEN", "CLUSTERINGS", "LEVELS", "Ladder", "ladder"]

# The clusterings that Table 1 leaves out.
BETWEEN = (2, 3, 4, 5, 6, 7, 8, 12, 14, 17, 20, 25, 36, 44, 54, 65, 80, 120, 150, 190, 240)
CLUSTERINGS = tuple(sorted((*BETWEEN, 10, 30, 100, 300)))
# Grey levels of a stored picture.
LEVELS = 15


class Ladder(NamedTuple):
    """Digits replaced by their centroids, on many clusterings; five trials.

    Attributes
    ----------
    clusters : tuple of int
        The numbers of clusters, K, those of Table 1 among them.
    sizes : tuple of int
        The sizes of the training sets, n.
    raw : ndarray of shape (trials, sizes, clusterings)
        Accuracy on raw test images, trained on centroids.
    pool : dict
        From K to the records of the pool on each pair of cluster and label, (trials, K, 10).
    pictures : ndarray of shape (1 + clusterings, 10, 28, 28)
        A test digit of each kind, then their centroids in each clustering; 0 to 1.
    """

    clusters: tuple[int, ...]
    sizes: tuple[int, ...]
    raw: Array
    pool: dict[int, NDArray[np.int64]]
    pictures: Array

    def security(self, n: int, of: str = "clusters") -> Array:
        """Return the worst-case security at n records by Theorem 14, (trials, clusterings).

        Parameters
        ----------
        n : int
            Records in the training set, in [1, 10^6].
        of : {"clusters", "clusters and labels"}
            What an atom is.

        Examples
        --------
        >>> bool((ladder().security(250) >= ladder().security(250, "clusters and labels")).all())
        True
        """
        n = validate.integer("n", n, 1, 1_000_000)
        of = validate.choice("of", of, ATOMS)
        laws = [_law(counts, of) for k in self.clusters for counts in self.pool[k]]
        return worst_case_securities(laws, n).reshape(len(self.clusters), -1).T


def _law(counts: NDArray[np.int64], of: str) -> Array:
    found = counts.sum(axis=1) if of == ATOMS[0] else counts.ravel()
    return np.asarray(found[found > 0] / found.sum())


@lru_cache(maxsize=1)
def ladder() -> Ladder:
    """Return Table 1's stored run and the clusterings between, in the order of K.

    References
    ----------
    Limits paper, Section 6.2 and Table 1.

    Examples
    --------
    >>> len(ladder().clusters), ladder().clusters[0], ladder().clusters[-1]
    (25, 2, 300)
    """
    known, arrays = table1(), store.load("ladder").arrays
    raw = np.concatenate([known.raw[:, :, 1:], arrays["raw"]], axis=2)
    order = np.argsort([*known.clusters, *BETWEEN])
    trials = range(len(raw))
    pool = {
        k: np.stack([known.counts(k, t, ATOMS[1]).reshape(k, 10) for t in trials]) for k in known.clusters
    }
    parts = np.split(arrays["pool"].astype(np.int64), 10 * np.cumsum(BETWEEN)[:-1], axis=1)
    pool |= {k: p.reshape(-1, k, 10) for k, p in zip(BETWEEN, parts, strict=True)}
    shown = arrays["pictures"].reshape(-1, 10, 28, 28) / LEVELS
    return Ladder(CLUSTERINGS, known.sizes, raw[:, :, order].astype(float), pool, shown)
