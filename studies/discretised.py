"""What clusters cost and promise on the two populations that the app shows."""

from typing import Any

import numpy as np

from mipbook.stored import limits
from mipbook.stored.limits import DISCRETISED
from mipbook.stored.store import Arrays
from studies.run import Run, told


def tried(settings: dict[str, Any]) -> Arrays:
    """Train on every population, clustering and size; return accuracies and floors.

    Examples
    --------
    >>> few = {"examples": DISCRETISED["examples"][1:], "clusters": (3,), "sizes": (200,)}
    >>> {name: found.shape for name, found in tried(few).items()}
    {'accuracy': (1, 1, 2), 'floors': (1, 1, 1, 2, 4)}
    """
    names, sizes = settings["examples"], settings["sizes"]
    accuracy, floors = [], []
    for name in told(names, "clusters", "files"):
        people = limits.example_population(name)
        made = [limits.clustering(people, k) for k in settings["clusters"]]
        for n in sizes:
            accuracy.append([limits.accuracy(people, one, n) for one in (None, *made)])
            floors.append([limits.floors(people, one, n) for one in made])
    shape = len(names), len(sizes)
    found = np.array(accuracy), np.array(floors)
    return {
        name: array.reshape(*shape, *array.shape[1:])
        for name, array in zip(("accuracy", "floors"), found, strict=True)
    }


RUNS = (Run("discretised", DISCRETISED, lambda: tried(DISCRETISED)),)
