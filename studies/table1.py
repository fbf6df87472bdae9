"""The run behind Table 1 of the Limits paper."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook.data.mnist import Digits, digits
from mipbook.data.populations import Discretisation, atoms, discretise
from mipbook.learners.classifiers import DigitNetwork
from mipbook.stored.limits import TABLE1_BASE, TABLE1_CLUSTERS, TABLE1_FACTORS, TABLE1_SEEDS, scaled
from studies.run import Run, told

_SHOWN = (2, 4, 7, 9)


@dataclass(frozen=True)
class Settings:
    """What the run depends on; the paper's own numbers are lost where a choice is said."""

    seeds: int = 5
    clusters: tuple[int, ...] = (10, 30, 100, 300)
    sizes: tuple[int, ...] = (250, 500, 1000, 2000)
    test: int = 1000
    clustering: int = 1000
    width: int = 128
    learning_rate: float = 1e-3
    iterations: int = 500
    batch: int = 200


def _split(seed: int, settings: Settings, table: Digits) -> tuple[Digits, Digits, Digits]:
    order = np.random.default_rng((seed, 0)).permutation(len(table.labels))
    first, second = settings.test, settings.test + settings.clustering
    test, clustering, pool = (
        Digits(table.images[part], table.labels[part])
        for part in (order[:first], order[first:second], order[second:])
    )
    return test, clustering, pool


def _clusterings(seed: int, settings: Settings, part: Digits) -> list[Discretisation]:
    # Randomness by purpose: a smaller setting repeats the numbers of the larger one.
    return [discretise(part.images, k, np.random.default_rng((seed, 1, k))) for k in settings.clusters]


def trial(seed: int, settings: Settings, table: Digits) -> dict[str, NDArray[Any]]:
    """Redraw everything once: test set, clusterings, training sets of every size.

    Parameters
    ----------
    seed : int
        The trial's number.
    settings : Settings
    table : Digits
        All digits.

    Returns
    -------
    dict of ndarray
        ``raw`` and ``centroids``, accuracies on raw and on discretised test images, of shape
        (sizes, 1 + clusterings), the first column trained on raw images; ``counts`` of the atoms
        (cluster, label) in each training set and in the whole pool, (sizes + 1, atoms).
    """
    test, clustering, pool = _split(seed, settings, table)
    found = _clusterings(seed, settings, clustering)
    shape = (len(settings.sizes), 1 + len(found))
    raw, centroids = np.empty(shape, np.float32), np.empty(shape, np.float32)
    for row, n in enumerate(settings.sizes):
        for column, k in enumerate((0, *settings.clusters)):
            train, seen = pool.images[:n], test.images
            if column:
                train, seen = found[column - 1].apply(train), found[column - 1].apply(seen)
            network = DigitNetwork(
                settings.width, settings.learning_rate, settings.iterations, settings.batch
            )
            rng = np.random.default_rng((seed, 2, n, k))
            network.fit(train, pool.labels[:n], rng, classes=10, show=False)
            raw[row, column] = network.accuracy(test.images, test.labels)
            centroids[row, column] = network.accuracy(seen, test.labels)
    counts = []
    for one, k in zip(found, settings.clusters, strict=True):
        pairs = atoms(one.cluster(pool.images), pool.labels, 10)
        counts.append([np.bincount(pairs[:n], minlength=10 * k) for n in (*settings.sizes, len(pairs))])
    return {"raw": raw, "centroids": centroids, "counts": np.concatenate(counts, axis=1).astype(np.int16)}


def pictures(settings: Settings, table: Digits, shown: Sequence[int]) -> NDArray[np.float32]:
    """Return a test digit of each given kind, then their centroids in each clustering of trial 0.

    Examples
    --------
    >>> pictures(Settings(clusters=(10,)), digits(), (4, 9)).shape
    (2, 2, 784)
    """
    test, clustering, _ = _split(0, settings, table)
    wanted = [int(np.flatnonzero(test.labels == digit)[0]) for digit in shown]
    rows = [test.images[wanted]]
    rows += [c.apply(rows[0]) for c in _clusterings(0, settings, clustering)]
    return np.stack(rows)


def run(settings: Settings, table: Digits | None = None) -> dict[str, NDArray[Any]]:
    """Run all trials on the digits, 5,000 if not given; return their arrays and the pictures."""
    table = digits() if table is None else table
    trials = [trial(seed, settings, table) for seed in told(range(settings.seeds), "Table 1", "trials")]
    stacked = {name: np.stack([t[name] for t in trials]) for name in trials[0]}
    shown = pictures(settings, table, _SHOWN)
    return {**stacked, "pictures": np.asarray(np.rint(shown * 255), dtype=np.uint8)}


def varied_run(name: str, table: Digits | None = None) -> dict[str, NDArray[Any]]:
    """Train at every factor on one setting; return the accuracies on raw digits.

    Returns
    -------
    dict of ndarray
        ``raw``, of shape (factors, trials, 2): trained on raw digits, and on centroids.
    """
    table = digits() if table is None else table
    base = Settings(clusters=(TABLE1_CLUSTERS,), sizes=(int(TABLE1_BASE["n"]),))
    accuracies = []
    for factor in told(TABLE1_FACTORS, name, "settings"):
        value = scaled(TABLE1_BASE[name], factor)
        one = replace(base, **({"sizes": (int(value),)} if name == "n" else {name: value}))
        accuracies.append([trial(seed, one, table)["raw"][0] for seed in range(TABLE1_SEEDS)])
    return {"raw": np.array(accuracies, np.float32)}


RUNS = (
    Run("table1", {"version": 1, "digits": 5000, **asdict(Settings())}, lambda: run(Settings())),
    *(
        Run(
            f"table1_vary_{name}",
            {
                "base": TABLE1_BASE,
                "factors": TABLE1_FACTORS,
                "seeds": TABLE1_SEEDS,
                "clusters": TABLE1_CLUSTERS,
            },
            partial(varied_run, name),
        )
        for name in TABLE1_BASE
    ),
)
