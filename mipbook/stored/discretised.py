"""Section 6.2 of the Limits paper on any records, and what is stored of two populations.

The records are clustered, networks train on the centroids, and what that promises is counted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook import data, mis
from mipbook.data.populations import Discretisation, atoms, discretise
from mipbook.learners.digits import DigitNetwork
from mipbook.mis.discrete import least_security, worst_case_delta_from_counts
from mipbook.stored.store import load

EXAMPLES = ("handwritten digits", "three arms (made up)")
LADDER = (3, 10, 30, 100)
SIZES = (200, 500, 1000, 2000)
SEED = 96
SETTINGS: dict[str, Any] = {
    "version": 1,
    "examples": EXAMPLES,
    "clusters": LADDER,
    "sizes": SIZES,
    "seeds": (SEED, 97),
}
_MOST_TESTS = 1000


class Population(NamedTuple):
    """Records in random order, each with its class, in three parts that share no record."""

    x: NDArray[np.float32]
    y: NDArray[np.int64]
    classes: int

    @property
    def _fifth(self) -> int:
        return min(len(self.y) // 5, _MOST_TESTS)

    @property
    def test(self) -> slice:
        """A fifth of the records, at most 1,000, to test networks on."""
        return slice(0, self._fifth)

    @property
    def clustering(self) -> slice:
        """As many, to make clusters from."""
        return slice(self._fifth, 2 * self._fifth)

    @property
    def pool(self) -> slice:
        """The rest, to train from; its frequencies are what is promised about."""
        return slice(2 * self._fifth, len(self.y))

    @property
    def pool_size(self) -> int:
        """How many records there are to train from."""
        return len(self.y) - 2 * self._fifth


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
    >>> shuffled(np.zeros((10, 2)), np.arange(10) % 2, 2, seed=0).pool_size
    6
    """
    order = np.random.default_rng(seed).permutation(len(y))
    return Population(x[order].astype(np.float32), y[order].astype(np.int64), classes)


def clustering(population: Population, clusters: int) -> Discretisation:
    """Return clusters of the part that is kept for them; fewer where fewer records differ.

    Examples
    --------
    >>> clustering(shuffled(np.eye(10), np.arange(10), 10, seed=0), 5).centroids.shape
    (2, 10)
    """
    part = population.x[population.clustering]
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
    n = validate.integer("n", n, 1, population.pool_size)
    train, y = population.x[population.pool][:n], population.y[population.pool][:n]
    if made is not None:
        train = made.apply(train)
    network = DigitNetwork(width=64, iterations=150, learning_rate=3e-3, batch=100)
    network.fit(train, y, np.random.default_rng(99), classes=population.classes, show=False)
    return network.accuracy(population.x[population.test], population.y[population.test])


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
    seen = made.cluster(population.x[population.pool])
    pairs = atoms(seen, population.y[population.pool], population.classes)
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
    >>> example_population("three arms (made up)").pool_size
    2400
    """
    if validate.choice("name", name, EXAMPLES) == EXAMPLES[0]:
        return shuffled(*data.digits(), 10, SEED)
    rng = np.random.default_rng(SETTINGS["seeds"][1])
    y, along = rng.integers(0, 3, 4000), rng.random(4000)
    angle = 3 * along + 2 * np.pi * y / 3
    arms = 2 * along[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return shuffled(arms + rng.normal(0, 0.12, (4000, 2)), y, 3, SEED)


@lru_cache(maxsize=8)
def known(name: str, n: int) -> Found:
    """Return what is stored of a population, at one of ``SIZES``.

    Examples
    --------
    >>> accuracy, floors = known("handwritten digits", 500)
    >>> len(accuracy), [alone.atoms for alone, _ in floors]
    (5, [3, 10, 30, 100])
    """
    arrays = load("discretised", SETTINGS).arrays
    place = EXAMPLES.index(validate.choice("name", name, EXAMPLES)), SIZES.index(n)
    pairs = [tuple(Floor(int(row[0]), *row[1:]) for row in pair) for pair in arrays["floors"][place].tolist()]
    return arrays["accuracy"][place].tolist(), [(alone, both) for alone, both in pairs]
