"""Records for the tests of releases."""

import numpy as np
from sklearn.neural_network import MLPRegressor

from mipbook.release import MIPRelease

RNG = np.random.default_rng(1)
X = RNG.standard_normal((120, 3))
Y = X @ [1.0, 2.0, 3.0] + RNG.standard_normal(120)
CLASSES = (Y > 0).astype(int)
DATA = np.arange(20.0)


def generator_learner(state):
    return MLPRegressor(hidden_layer_sizes=(1,), max_iter=5, random_state=state)


def released(learner, eta, *records, seed=1, **settings):
    """Return the one release of a new wrapper."""
    return MIPRelease(learner, eta, **settings).release(*records, rng=np.random.default_rng(seed))
