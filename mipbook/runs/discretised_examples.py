"""What clusters cost and promise on the two populations that the app shows, stored."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from explorable import progress, validate
from mipbook import data
from mipbook.stored import discretised, store

__all__ = ["EXAMPLES", "LADDER", "RUNS", "SEED", "SIZES", "Found", "example_population", "known", "tried"]

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
# For one population and size: accuracies on raw records and on each clustering; the two floors
# of each clustering.
Found = tuple[list[float], list[tuple[discretised.Floor, discretised.Floor]]]


@lru_cache(maxsize=2)
def example_population(name: str) -> discretised.Population:
    """Return one of the two populations.

    Examples
    --------
    >>> example_population("three arms (made up)").pool_size
    2400
    """
    if validate.choice("name", name, EXAMPLES) == EXAMPLES[0]:
        return discretised.shuffled(*data.digits(), 10, SEED)
    rng = np.random.default_rng(SETTINGS["seeds"][1])
    y, along = rng.integers(0, 3, 4000), rng.random(4000)
    angle = 3 * along + 2 * np.pi * y / 3
    arms = 2 * along[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return discretised.shuffled(arms + rng.normal(0, 0.12, (4000, 2)), y, 3, SEED)


def tried(settings: dict[str, Any]) -> store.Arrays:
    """Train on every population, clustering and size; return accuracies and floors.

    Examples
    --------
    >>> few = {"examples": EXAMPLES[1:], "clusters": (3,), "sizes": (200,)}
    >>> {name: found.shape for name, found in tried(few).items()}
    {'accuracy': (1, 1, 2), 'floors': (1, 1, 1, 2, 4)}
    """
    names, sizes = settings["examples"], settings["sizes"]
    accuracy, floors = [], []
    with progress.reader() as stream:
        for name in progress.track(names, stream, total=len(names), what="clusters", unit="files"):
            people = example_population(name)
            made = [discretised.clustering(people, k) for k in settings["clusters"]]
            for n in sizes:
                accuracy.append([discretised.accuracy(people, one, n) for one in (None, *made)])
                floors.append([discretised.floors(people, one, n) for one in made])
    shape = len(names), len(sizes)
    found = np.array(accuracy), np.array(floors)
    return {
        name: array.reshape(*shape, *array.shape[1:])
        for name, array in zip(("accuracy", "floors"), found, strict=True)
    }


RUNS = (store.Run("discretised", SETTINGS, lambda: tried(SETTINGS)),)


@lru_cache(maxsize=8)
def known(name: str, n: int) -> Found:
    """Return what is stored of a population, at one of ``SIZES``.

    Examples
    --------
    >>> accuracy, floors = known("handwritten digits", 500)
    >>> len(accuracy), [alone.atoms for alone, _ in floors]
    (5, [3, 10, 30, 100])
    """
    arrays = store.load("discretised").arrays
    place = EXAMPLES.index(validate.choice("name", name, EXAMPLES)), SIZES.index(n)
    pairs = [
        tuple(discretised.Floor(int(row[0]), *row[1:]) for row in pair)
        for pair in arrays["floors"][place].tolist()
    ]
    return arrays["accuracy"][place].tolist(), [(alone, both) for alone, both in pairs]
