"""Table 1 of the Limits paper on digits, and the clusterings between its columns: stored results."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.mis.discrete import worst_case_securities
from mipbook.stored.store import load

ATOMS = ("clusters", "clusters and labels")
# The clusterings that Table 1 leaves out.
BETWEEN = (2, 3, 4, 5, 6, 7, 8, 12, 14, 17, 20, 25, 36, 44, 54, 65, 80, 120, 150, 190, 240)
CLUSTERINGS = tuple(sorted((*BETWEEN, 10, 30, 100, 300)))
# One setting of the run at a time, times these factors; the others are as in Table 1, at n = 1,000.
FACTORS = (0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 1.8, 2.0, 2.5, 3.0)
VARIED = {"n": 1000, "width": 128, "learning_rate": 0.001, "iterations": 500, "clustering": 1000}
VARIED_CLUSTERS, VARIED_SEEDS = 30, 2
# Grey levels of a stored picture.
LEVELS = 15


def varied(name: str, factor: float) -> Any:
    """Return the value of a setting at a factor, whole where it counts something.

    Examples
    --------
    >>> varied("width", 0.2), varied("learning_rate", 3.0)
    (26, 0.003)
    """
    value = VARIED[name] * factor
    return round(value) if isinstance(VARIED[name], int) else round(value, 6)


class Table1(NamedTuple):
    """Five trials of digits replaced by their centroids; every trial redraws everything.

    Attributes
    ----------
    settings : dict
        Sizes, clusterings, splits and the network's settings.
    raw : ndarray of shape (trials, sizes, 1 + clusterings)
        Accuracy on raw test images; the first column is trained on raw images.
    centroids : ndarray of shape (trials, sizes, 1 + clusterings)
        Accuracy on test images that are replaced by their centroids too.
    pair_counts : ndarray of shape (trials, sizes + 1, atoms)
        Records on each pair of cluster and label in the training sets and in the pool.
    pictures : ndarray of shape (1 + clusterings, digits, 784)
        A few test digits, then their centroids in each clustering; 0 to 255.
    """

    settings: dict[str, Any]
    raw: Array
    centroids: Array
    pair_counts: NDArray[np.int64]
    pictures: NDArray[np.uint8]

    @property
    def clusters(self) -> tuple[int, ...]:
        """The numbers of clusters, K."""
        return tuple(self.settings["clusters"])

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the training sets, n."""
        return tuple(self.settings["sizes"])

    def counts(
        self, clusters: int, trial: int, of: str = "clusters", size: int | None = None
    ) -> NDArray[np.int64]:
        """Return how many records fall on each atom.

        Parameters
        ----------
        clusters : int
            K, one of ``clusters``.
        trial : int
            From 0.
        of : {"clusters", "clusters and labels"}
            What an atom is.
        size : int, optional
            The training set of this size; the whole pool if not given.

        Examples
        --------
        >>> table1().counts(10, 0, size=250).sum()
        np.int64(250)
        """
        place = self.clusters.index(validate.choice("clusters", clusters, self.clusters))
        trial = validate.integer("trial", trial, 0, len(self.raw) - 1)
        row = -1
        if size is not None:
            row = self.sizes.index(validate.choice("size", size, self.sizes))
        start = 10 * sum(self.clusters[:place])
        found = self.pair_counts[trial, row, start : start + 10 * clusters].reshape(-1, 10)
        return found.sum(axis=1) if validate.choice("of", of, ATOMS) == ATOMS[0] else found.ravel()

    def law(self, clusters: int, trial: int, of: str = "clusters") -> Array:
        """Return the frequencies in the pool, without atoms of frequency 0.

        Examples
        --------
        >>> table1().law(10, 0).size
        10
        """
        found = self.counts(clusters, trial, of)
        return np.asarray(found[found > 0] / found.sum())

    def raw_law(self) -> Array:
        """Return the pool's distribution of raw digits, all different and equally likely."""
        pool = int(self.counts(self.clusters[0], 0).sum())
        return np.full(pool, 1 / pool)

    def diversity(self, clusters: int, of: str = "clusters") -> Array:
        """Return C_K of the pool's frequencies, one value a trial.

        Examples
        --------
        >>> table1().diversity(10).shape
        (5,)
        """
        from mipbook.mis import diversity

        trials = range(len(self.raw))
        return np.array([diversity(self.law(clusters, t, of)) for t in trials])

    def security(self, clusters: int, n: int, of: str = "clusters") -> Array:
        """Return the worst-case security at n records by Theorem 14, one value a trial.

        Examples
        --------
        >>> table1().security(10, 250).shape
        (5,)
        """
        n = validate.integer("n", n, 1, 1_000_000)
        laws = [self.law(clusters, trial, of) for trial in range(len(self.raw))]
        return np.array([_security(law.tobytes(), n) for law in laws])


@lru_cache(maxsize=1024)
def _security(law: bytes, n: int) -> float:
    from mipbook.mis import worst_case_security

    return float(worst_case_security(np.frombuffer(law), n))


@lru_cache(maxsize=1)
def table1() -> Table1:
    """Return the stored results of Table 1.

    References
    ----------
    Limits paper, Table 1 and Appendix D.  The paper's cells are lost; these are new runs.

    Examples
    --------
    >>> stored = table1()
    >>> stored.clusters, stored.sizes
    ((10, 30, 100, 300), (250, 500, 1000, 2000))
    """
    settings, arrays = load("table1")
    raw, centroids = (arrays[name].astype(float) for name in ("raw", "centroids"))
    return Table1(settings, raw, centroids, arrays["counts"].astype(np.int64), arrays["pictures"])


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
    known, arrays = table1(), load("ladder", {"clusters": BETWEEN}).arrays
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
