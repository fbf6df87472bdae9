"""Releases of the example tables."""

from itertools import product

import numpy as np

from mipbook.release.examples import ETAS, EXAMPLES, SETTINGS, STATISTICS, Trial, columns_of, tried
from mipbook.stored.store import Arrays
from studies.run import Run, told


def _every() -> Arrays:
    cases = list(product(EXAMPLES, STATISTICS, ETAS))
    trials = [
        tried(columns_of(name, statistic), statistic, eta)
        for name, statistic, eta in told(cases, "releases", "settings")
    ]
    shape = len(EXAMPLES), len(STATISTICS), len(ETAS)
    wide = [np.pad(t.deviations, (0, 2 - t.deviations.size)) for t in trials]
    rows = {field: [getattr(trial, field) for trial in trials] for field in Trial._fields}
    return {k: np.array(v).reshape(*shape, -1) for k, v in {**rows, "deviations": wide}.items()}


RUNS = (Run("release", SETTINGS, _every),)
