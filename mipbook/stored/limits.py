"""What is stored of the Limits paper: overfitted networks, digits by their clusters, and other records so.

Section 6.1 trains networks too long.  In Section 6.2 and Table 1 records are clustered, networks train
on the centroids, and what that promises is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook import mis
from mipbook.data.mnist import digits
from mipbook.data.populations import Discretisation, atoms, discretise
from mipbook.learners.base import THRESHOLDS, Array, Records, below, sine_data
from mipbook.learners.classifiers import DigitNetwork
from mipbook.learners.relu import ReluRegression
from mipbook.mis.discrete import least_security, worst_case_delta_from_counts, worst_case_securities
from mipbook.stored.store import load

# --- Overfitted networks ------------------------------------------------------------------------

# The thresholds of Figures 2a and 2b, four a decade.
LEVELS = (*(float(f"{k}e{e}") for e in range(-6, 0) for k in (1, 2, 3, 5)), 1.0)
# So many models count their losses at each dimension there.
MODELS = 20
_WATCHED = tuple(sorted({*range(0, 201, 10), *range(0, 3001, 50)}))

# One setting of Figure 1 at a time is varied around a smaller network than the paper's, by these factors.
FACTORS = (0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
SMALL = {"n": 200, "width": 128, "noise": 0.1, "dimension": 10, "rate": 0.1, "fresh": 1000}
VARIED_SEEDS = 4
VARIED_AT = (0, 10, 20, 30, 50, 70, *range(100, 300, 50), *range(300, 2001, 100))
# Figure 2a with Adam: n = 200 and noise 0.1, at each of these rates.
ADAM_RATES = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.5, 1.0)
ADAM_AT = (0, 10, 20, 50, 100, 150, 200, 300, 400, 500, 700, 1000, 1200, 1400, 1600, 1800, 2000)
ADAM_LEVELS = (1e-6, 1e-4, 1e-3, 1e-2, 1e-1)
# Figure 2b: records, neighbours and dimensions, and how many quantiles of a shift are kept.
NEIGHBOUR_SIZES = (50, 70, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000)
NEIGHBOURS = tuple(range(1, 17))
NEIGHBOUR_DIMENSIONS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000)


def scaled(value: float, factor: float) -> Any:
    """Return a setting times a factor, whole where it counts something.

    Examples
    --------
    >>> scaled(128, 0.2), scaled(0.001, 3.0)
    (26, 0.003)
    """
    return round(value * factor) if isinstance(value, int) else round(value * factor, 6)


def varied(name: str, factor: float) -> dict[str, Any]:
    """Return the settings of `train_run` with one of them times a factor.

    Examples
    --------
    >>> varied("width", 8.0)["width"], varied("rate", 0.2)["rate"]
    (1024, 0.02)
    """
    return {**SMALL, name: scaled(SMALL[name], factor)}


def train_run(
    n: int,
    width: int,
    noise: float,
    *,
    dimension: int = 10,
    fresh: int = 1000,
    more: int = 0,
    rate: float = 0.1,
    watched: Sequence[int] = _WATCHED,
    thresholds: Sequence[float] | Array = THRESHOLDS,
    seed: int = 0,
    every: Callable[[int, Array], None] | None = None,
    shown: int = 0,
) -> dict[str, Array]:
    """Train once as Figure 1 does; return what was seen on the way.

    Parameters
    ----------
    n, width, noise, dimension, fresh, more, rate
        Records, hidden units, standard deviation, coordinates, validation records, how many more
        of these, which change no training, and Adam's rate.
    watched : sequence of int
        The iterations at which to look, rising; the last one ends the training.
    thresholds : sequence of float
        Losses at most each of these are counted.
    seed : int
        Of the records and the first weights.
    every : callable, optional
        Called at every iteration with its number and the training losses.
    shown : int
        Of so many records each the losses are kept at every iteration that is watched.

    Returns
    -------
    dict of ndarray
        ``iterations``; ``train`` and ``validation``, the number of losses under
        each threshold; ``train_mean`` and ``validation_mean``; the losses at the end,
        ``train_losses`` and ``validation_losses``; and ``train_shown`` and ``validation_shown``,
        a row for each iteration, where some are asked for.

    Notes
    -----
    Limits paper, Figure 1.  In single precision a trajectory is chaotic: another processor, which
    adds in another order, soon sees another one, and only the spread over many seeds stays.

    Examples
    --------
    >>> seen = train_run(20, 32, 0.1, fresh=50, watched=(0, 200))
    >>> seen["train"].shape, bool(seen["train_mean"][1] < seen["validation_mean"][1])
    ((2, 7), True)
    """
    rng = np.random.default_rng(seed)
    members, others = (sine_data(k, dimension, noise, rng) for k in (n, fresh))
    if more:
        apart = sine_data(more, dimension, noise, rng.spawn(1)[0])
        others = Records(*map(np.concatenate, zip(others, apart, strict=True)))
    rows: list[tuple[Array, Array]] = []
    wanted = set(watched)

    def watch(iteration: int, losses: Array, learner: ReluRegression) -> None:
        if every is not None:
            every(iteration, losses)
        if iteration in wanted:
            rows.append((losses, learner.losses(*others)))

    ReluRegression(width, rate, watched[-1]).fit(*members, rng=rng, watch=watch)
    train, validation = (np.array([row[side] for row in rows]) for side in (0, 1))
    seen = {"train_shown": train[:, :shown], "validation_shown": validation[:, :shown]} if shown else {}
    return seen | {
        "iterations": np.array(watched, np.int32),
        "thresholds": np.array(thresholds),
        "train": np.rint(below(train, thresholds) * n).astype(np.uint16),
        "validation": np.rint(below(validation, thresholds) * (fresh + more)).astype(np.uint16),
        "train_mean": train.mean(axis=1),
        "validation_mean": validation.mean(axis=1),
        "train_losses": train[-1],
        "validation_losses": validation[-1],
    }


# --- Table 1: digits by their clusters ----------------------------------------------------------

ATOMS = ("clusters", "clusters and labels")
# The clusterings that Table 1 leaves out.
BETWEEN = (2, 3, 4, 5, 6, 7, 8, 12, 14, 17, 20, 25, 36, 44, 54, 65, 80, 120, 150, 190, 240)
CLUSTERINGS = tuple(sorted((*BETWEEN, 10, 30, 100, 300)))
# One setting of the run at a time, times these factors; the others are as in Table 1, at n = 1,000.
TABLE1_FACTORS = (0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 1.8, 2.0, 2.5, 3.0)
TABLE1_BASE = {"n": 1000, "width": 128, "learning_rate": 0.001, "iterations": 500, "clustering": 1000}
TABLE1_CLUSTERS, TABLE1_SEEDS = 30, 2
# Grey levels of a stored picture.
GREYS = 15


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
    """

    settings: dict[str, Any]
    raw: Array
    centroids: Array
    pair_counts: NDArray[np.int64]

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
        row = -1 if size is None else self.sizes.index(validate.choice("size", size, self.sizes))
        start = 10 * sum(self.clusters[:place])
        return _counted(self.pair_counts[trial, row, start : start + 10 * clusters].reshape(-1, 10), of)

    def law(self, clusters: int, trial: int, of: str = "clusters") -> Array:
        """Return the frequencies in the pool, without atoms of frequency 0.

        Examples
        --------
        >>> table1().law(10, 0).size
        10
        """
        return _shares(self.counts(clusters, trial, of))

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
        return np.array([mis.diversity(self.law(clusters, t, of)) for t in range(len(self.raw))])

    def security(self, clusters: int, n: int, of: str = "clusters") -> Array:
        """Return the worst-case security at n records by Theorem 14, one value a trial.

        Examples
        --------
        >>> table1().security(10, 250).shape
        (5,)
        """
        n = validate.integer("n", n, 1, 1_000_000)
        laws = (self.law(clusters, trial, of) for trial in range(len(self.raw)))
        return np.array([mis.worst_case_security(law, n) for law in laws])


def _counted(pairs: NDArray[np.int64], of: str) -> NDArray[np.int64]:
    """Return how many records fall on each atom, from those on each cluster and label."""
    return pairs.sum(axis=1) if validate.choice("of", of, ATOMS) == ATOMS[0] else pairs.ravel()


def _shares(counts: NDArray[np.int64]) -> Array:
    return np.asarray(counts[counts > 0] / counts.sum())


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
    return Table1(settings, raw, centroids, arrays["counts"].astype(np.int64))


class Ladder(NamedTuple):
    """Digits replaced by their centroids, on many clusterings; five trials.

    Attributes
    ----------
    clusters : tuple of int
        The numbers of clusters, K, those of Table 1 among them.
    raw : ndarray of shape (trials, sizes, clusterings)
        Accuracy on raw test images, trained on centroids.
    pool : dict
        From K to the records of the pool on each pair of cluster and label, (trials, K, 10).
    pictures : ndarray of shape (1 + clusterings, 10, 28, 28)
        A test digit of each kind, then their centroids in each clustering; 0 to 1.
    """

    clusters: tuple[int, ...]
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
        laws = [_shares(_counted(pairs, of)) for k in self.clusters for pairs in self.pool[k]]
        return worst_case_securities(laws, n).reshape(len(self.clusters), -1).T


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
    pool: dict[int, NDArray[np.int64]] = {}
    for kinds, pairs in ((known.clusters, known.pair_counts[:, -1]), (BETWEEN, arrays["pool"])):
        parts = np.split(pairs.astype(np.int64), 10 * np.cumsum(kinds)[:-1], axis=1)
        pool |= {k: part.reshape(-1, k, 10) for k, part in zip(kinds, parts, strict=True)}
    shown = arrays["pictures"].reshape(-1, 10, 28, 28) / GREYS
    return Ladder(CLUSTERINGS, raw[:, :, order].astype(float), pool, shown)


# --- Any records by their clusters --------------------------------------------------------------

EXAMPLES = ("handwritten digits", "three arms (made up)")
LAB_CLUSTERS = (3, 10, 30, 100)
LAB_SIZES = (200, 500, 1000, 2000)
SEED = 96
DISCRETISED: dict[str, Any] = {"version": 1, "examples": EXAMPLES, "seeds": (SEED, 97)}
DISCRETISED |= {"clusters": LAB_CLUSTERS, "sizes": LAB_SIZES}
_MOST_TESTS = 1000


class Population(NamedTuple):
    """Records and their classes in three parts that share no record.

    Attributes
    ----------
    test : Records
        A fifth of the records, at most 1,000, to test networks on.
    clustering : Records
        As many, to make clusters from.
    pool : Records
        The rest, to train from; its frequencies are what is promised about.
    classes : int
        How many there are.
    """

    test: Records
    clustering: Records
    pool: Records
    classes: int


class Floor(NamedTuple):
    """What a discretisation promises about every learner.

    Attributes
    ----------
    atoms : int
        K: how many different records a learner can see.
    diversity : float
        C_K, an estimate by the jackknife.
    security : float
        The worst-case security, an estimate that is never below what is certain.
    certain : float
        The security that K alone promises, a bound.
    """

    atoms: int
    diversity: float
    security: float
    certain: float


def shuffled(x: NDArray[np.floating], y: NDArray[np.integer], classes: int, seed: int) -> Population:
    """Return records and their classes, numbered from 0, in random order.

    Examples
    --------
    >>> len(shuffled(np.zeros((10, 2)), np.arange(10) % 2, 2, seed=0).pool.y)
    6
    """
    order, fifth = np.random.default_rng(seed).permutation(len(y)), min(len(y) // 5, _MOST_TESTS)
    parts = (np.split(each[order], [fifth, 2 * fifth]) for each in (x.astype(np.float32), y.astype(np.int64)))
    test, clustering, pool = map(Records, *parts)
    return Population(test, clustering, pool, classes)


def clustering(population: Population, clusters: int) -> Discretisation:
    """Return clusters of the part that is kept for them; fewer where fewer records differ.

    Examples
    --------
    >>> clustering(shuffled(np.eye(10), np.arange(10), 10, seed=0), 5).centroids.shape
    (2, 10)
    """
    part = population.clustering.x
    different = len({row.tobytes() for row in part})
    return discretise(part, min(clusters, different), np.random.default_rng((98, clusters)))


def accuracy(population: Population, made: Discretisation | None, n: int) -> float:
    """Return the accuracy on raw test records of a network that n records trained.

    Parameters
    ----------
    population : Population
    made : Discretisation, optional
        What replaces each training record by its centroid; raw records if not given.
    n : int
        Training records, in [1, the pool's size].

    Returns
    -------
    float
        Of one network, so an estimate.

    Examples
    --------
    >>> rows = np.repeat(np.eye(2), 100, axis=0)
    >>> accuracy(shuffled(rows, rows[:, 1].astype(int), 2, seed=0), None, 100)
    1.0
    """
    n = validate.integer("n", n, 1, len(population.pool.y))
    x, y = (side[:n] for side in population.pool)
    train = x if made is None else made.apply(x)
    network = DigitNetwork(width=64, iterations=150, learning_rate=3e-3, batch=100)
    network.fit(train, y, np.random.default_rng(99), classes=population.classes, show=False)
    return network.accuracy(*population.test)


def floors(population: Population, made: Discretisation, n: int) -> tuple[Floor, Floor]:
    """Return what clusters promise about n records, alone and with the classes.

    Examples
    --------
    >>> rows = np.repeat(np.eye(2), 100, axis=0)
    >>> population = shuffled(rows, rows[:, 1].astype(int), 2, seed=0)
    >>> alone, pairs = floors(population, clustering(population, 2), 100)
    >>> alone.atoms, pairs.atoms, pairs.security <= alone.security
    (2, 4, True)
    """
    seen = made.cluster(population.pool.x)
    pairs = atoms(seen, population.pool.y, population.classes)
    clusters = len(made.centroids)
    return (_floor(seen, clusters, n), _floor(pairs, clusters * population.classes, n))


def _floor(seen: NDArray[np.int64], kinds: int, n: int) -> Floor:
    counts = np.bincount(seen, minlength=kinds)
    certain = float(np.asarray(least_security(kinds, n)))
    estimate = 1 - worst_case_delta_from_counts(counts, n)
    return Floor(kinds, mis.jackknife_diversity(counts), max(estimate, certain), certain)


# For one population and size: accuracies on raw records and on each clustering; the two floors
# of each clustering.
Found = tuple[list[float], list[tuple[Floor, Floor]]]


@lru_cache(maxsize=2)
def example_population(name: str) -> Population:
    """Return one of the two populations.

    Examples
    --------
    >>> len(example_population("three arms (made up)").pool.y)
    2400
    """
    if validate.choice("name", name, EXAMPLES) == EXAMPLES[0]:
        return shuffled(*digits(), 10, SEED)
    rng = np.random.default_rng(DISCRETISED["seeds"][1])
    y, along = rng.integers(0, 3, 4000), rng.random(4000)
    angle = 3 * along + 2 * np.pi * y / 3
    arms = 2 * along[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return shuffled(arms + rng.normal(0, 0.12, (4000, 2)), y, 3, SEED)


@lru_cache(maxsize=8)
def known(name: str, n: int) -> Found:
    """Return what is stored of a population, at one of ``LAB_SIZES``.

    Examples
    --------
    >>> accuracy, floors = known("handwritten digits", 500)
    >>> len(accuracy), [alone.atoms for alone, _ in floors]
    (5, [3, 10, 30, 100])
    """
    arrays = load("discretised", DISCRETISED).arrays
    place = EXAMPLES.index(validate.choice("name", name, EXAMPLES)), LAB_SIZES.index(n)
    pairs = [tuple(Floor(int(row[0]), *row[1:]) for row in pair) for pair in arrays["floors"][place].tolist()]
    return arrays["accuracy"][place].tolist(), [(alone, both) for alone, both in pairs]
