"""The subpopulations that the PMP experiments draw, and records replaced by their clusters' centres."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import threads, validate
from explorable.checked import Integer, Number, Numbers, Rule, Size, checked
from mipbook.base.types import Array, Positive, Rng

# No draw of this spread is near the largest double.
_FAR = 1e300


def points(name: str, value: Any) -> Array:
    """Return ``value`` as a finite array of shape (records, dimension); a vector is d = 1."""
    table = validate.array(name, value)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or table.size == 0:
        validate.refuse(name, value, "an array of shape (records, dimension), not empty")
    if not np.isfinite(table).all():
        row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        validate.refuse(name, value, f"finite; row {row} holds an infinity")
    return table


@checked
def gaussian_points(
    count: Annotated[int, Size()],
    dimension: int,
    sigma: Annotated[float, Number(0.0, _FAR)],
    rng: Rng,
    centre: ArrayLike | None = None,
) -> Array:
    """Draw points around a centre with independent Gaussian coordinates.

    Parameters
    ----------
    count : int
        Points, at least 1.
    sigma : float
        Standard deviation of each coordinate, in [0, inf).
    centre : array_like of shape (dimension,), optional
        The origin if not given.

    Notes
    -----
    PMP paper, the numerical simulations of both mechanisms.

    Examples
    --------
    >>> gaussian_points(3, 2, 0.0, np.random.default_rng(0), centre=[1.0, 2.0]).tolist()
    [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]
    """
    dimension = validate.size("dimension", dimension, beside=count)
    middle = np.zeros(dimension)
    if centre is not None:
        middle = np.atleast_1d(validate.array("centre", centre, -_FAR, _FAR))
        if middle.shape != (dimension,):
            validate.refuse("centre", centre, f"a vector of length dimension = {dimension}")
    return middle + sigma * rng.standard_normal((count, dimension))


@checked
def scale_outliers(values: ArrayLike, outliers: int, factor: Positive, rng: Rng) -> Array:
    """Multiply a few points, chosen at random, by a factor.

    Parameters
    ----------
    values : array_like of shape (records, dimension)
        The points.
    outliers : int
        How many are scaled, in [0, records].
    factor : float
        In (0, inf).

    Notes
    -----
    PMP paper, Figures 2 and 5.  Points are scaled before they are clipped.

    Examples
    --------
    >>> scale_outliers([[1.0], [1.0], [1.0]], 1, 100.0, np.random.default_rng(0)).sum()
    np.float64(102.0)
    """
    table = points("values", values).copy()
    outliers = validate.integer("outliers", outliers, 0, len(table), bound="len(values)")
    with np.errstate(over="ignore"):
        table[rng.choice(len(table), outliers, replace=False)] *= factor
    if not np.isfinite(table).all():
        validate.refuse("factor", factor, "so small that values times it are finite")
    return table


@checked
def clip_norm(values: ArrayLike, clip: Annotated[float, Number(0.0, open_low=True)]) -> Array:
    """Pull every point that is longer than ``clip`` back to that length.

    Parameters
    ----------
    values : array_like of shape (records, dimension)
        The points.
    clip : float
        Largest Euclidean length, in (0, inf]; nothing is clipped at infinity.

    Notes
    -----
    PMP paper, the clip threshold C of the numerical simulations.

    Examples
    --------
    >>> clip_norm([[3.0, 4.0], [0.0, 1.0]], 2.5).tolist()
    [[1.5, 2.0], [0.0, 1.0]]
    """
    table = points("values", values)
    long = norms(table) > clip
    # Divided by its largest entry first, a record of any size has a length.
    far = table[long] / np.abs(table[long]).max(axis=1, keepdims=True)
    short = table.copy()
    short[long] = far * (clip / np.linalg.norm(far, axis=1, keepdims=True))
    return short


def norms(table: Array) -> Array:
    """Return the Euclidean length of each row, also where its squares overflow or underflow."""
    top = np.abs(table).max(axis=1)
    # Powers of two scale without rounding.
    scale = np.ldexp(1.0, np.frexp(top)[1] - 1)
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(table / scale[:, None], axis=1) * scale
    return np.where(top > 0, lengths, 0.0)


@checked
def unit_vectors(count: Annotated[int, Size()], dimension: int, rng: Rng) -> Array:
    """Draw directions uniformly: Gaussian vectors, normalised.

    Parameters
    ----------
    count : int
        Directions m, at least 1.
    dimension : int
        Coordinates d, at least 1; with d = 1 every direction is +1 or -1.

    Notes
    -----
    PMP paper, the objects W of the exponential mechanism's simulations.

    Examples
    --------
    >>> np.abs(unit_vectors(4, 1, np.random.default_rng(0))).ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    dimension = validate.size("dimension", dimension, beside=count)
    drawn = rng.standard_normal((count, dimension))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


_RECORDS = 10_000


def _table(name: str, value: Any) -> NDArray[np.float32]:
    # Beyond it the squares of single precision overflow.
    table = validate.array(name, value, -1e15, 1e15, ndim=2)
    if table.size == 0:
        validate.refuse(name, value, "an array of numbers of shape (records, columns), not empty")
    return np.ascontiguousarray(table, dtype=np.float32)


Table = Annotated[Any, Rule(_table)]


class Discretisation(NamedTuple):
    """Clusters of records.

    Attributes
    ----------
    centroids : ndarray of shape (clusters, columns)
        The centre of each cluster.
    """

    centroids: NDArray[np.float32]

    @checked
    def cluster(self, records: Table) -> NDArray[np.int64]:
        """Return the number of the nearest centroid for each record.

        Parameters
        ----------
        records : array_like of shape (records, columns)
        """
        if records.shape[1] != self.centroids.shape[1]:
            validate.refuse("records", f"of shape {records.shape}", f"of {self.centroids.shape[1]} columns")
        lengths = (self.centroids**2).sum(axis=1) / 2
        # In chunks: the distances of all records to all centroids need not fit in memory.
        found = [
            (lengths - part @ self.centroids.T).argmin(axis=1)
            for part in np.split(records, range(_RECORDS, len(records), _RECORDS))
        ]
        return np.concatenate(found).astype(np.int64)

    def apply(self, records: ArrayLike) -> NDArray[np.float32]:
        """Return each record's centroid in its place.

        Examples
        --------
        >>> found = discretise([[0.0], [0.2], [5.0], [5.2]], 2, np.random.default_rng(0))
        >>> bool(found.apply([[4.0]]) == found.apply([[6.0]]))
        True
        """
        return np.asarray(self.centroids[self.cluster(records)])


@checked
def discretise(records: Table, clusters: int, rng: Rng) -> Discretisation:
    """Find clusters with mini-batch k-means.

    Parameters
    ----------
    records : array_like of shape (records, columns)
        What the clusters are made from.  Nothing is promised about these records later on: use
        records that serve for nothing else.
    clusters : int
        K, from 1 to the number of different records.

    Raises
    ------
    ModuleNotFoundError
        If scikit-learn is missing.

    Notes
    -----
    Limits paper, Section 6.2 and Appendix D, which names scikit-learn's ``MiniBatchKMeans``.

    Examples
    --------
    >>> points = [[0.0], [0.2], [5.0], [5.2], [5.1]]
    >>> found = discretise(points, 2, np.random.default_rng(0))
    >>> found.cluster([[4.0]]) == found.cluster([[6.0]])
    array([ True])
    """
    different = len({row.tobytes() for row in records})
    clusters = validate.integer("clusters", clusters, 1, different, bound="different records")
    try:
        from sklearn.cluster import MiniBatchKMeans
    except ModuleNotFoundError:
        raise ModuleNotFoundError("clusters are found with scikit-learn: pip install scikit-learn") from None
    model = MiniBatchKMeans(n_clusters=clusters, n_init=3, random_state=int(rng.integers(2**31)))
    with threads.one():
        model.fit(records)
    return Discretisation(np.ascontiguousarray(model.cluster_centers_, dtype=np.float32))


@checked
def atoms(
    clusters: Annotated[Any, Numbers(0.0, 2**32)],
    labels: Annotated[Any, Numbers(0.0)],
    kinds: Annotated[int, Integer(1, 2**20)],
) -> NDArray[np.int64]:
    """Number the pairs of a cluster and a label: what a learner sees that is told labels.

    Parameters
    ----------
    clusters, labels : array_like of int
        One entry a record.
    kinds : int
        How many labels there are, in [1, 2^20]; every label is less.

    Returns
    -------
    ndarray of int
        ``clusters * kinds + labels``.

    Notes
    -----
    Limits paper, Table 1: the constant C_K of the pairs is larger than that of the clusters.

    Examples
    --------
    >>> atoms([0, 1, 1], [2, 0, 2], 3).tolist()
    [2, 3, 5]
    """
    if labels.max(initial=0) >= kinds:
        validate.refuse("labels", labels, f"below kinds = {kinds}")
    if clusters.shape != labels.shape:
        validate.refuse("labels", labels, f"of shape {clusters.shape}, as clusters")
    return np.asarray(clusters.astype(np.int64) * kinds + labels.astype(np.int64))
