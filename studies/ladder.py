"""The run behind the clusterings between those of Table 1."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook.data.mnist import Digits, digits
from mipbook.stored.limits import BETWEEN, GREYS
from studies.run import Run, told
from studies.table1 import Settings, pictures, trial

SETTINGS = Settings(clusters=BETWEEN)


def climbed(settings: Settings, table: Digits | None = None) -> dict[str, NDArray[Any]]:
    """Run all trials; return accuracies, counts in the pool, and pictures of ten digits.

    Examples
    --------
    >>> few = Settings(1, (3,), (50,), test=100, clustering=100, iterations=3)
    >>> climbed(few)["pool"].shape
    (1, 30)
    """
    table = digits() if table is None else table
    trials = [trial(seed, settings, table) for seed in told(range(settings.seeds), "ladder", "trials")]
    known = (k for k in Settings().clusters if k <= settings.clustering)
    every = replace(settings, clusters=tuple(sorted({*settings.clusters, *known})))
    shown = pictures(every, table, range(10))
    return {
        "raw": np.stack([t["raw"][:, 1:] for t in trials]),
        "pool": np.stack([t["counts"][-1] for t in trials]),
        "pictures": np.asarray(np.rint(shown * GREYS), dtype=np.uint8),
    }


RUNS = (Run("ladder", {"version": 1, "digits": 5000, **asdict(SETTINGS)}, lambda: climbed(SETTINGS)),)
