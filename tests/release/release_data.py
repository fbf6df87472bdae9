"""Records for the tests of releases."""

import numpy as np
from sklearn.neural_network import MLPRegressor

RNG = np.random.default_rng(1)
X = RNG.standard_normal((120, 3))
Y = X @ [1.0, 2.0, 3.0] + RNG.standard_normal(120)
CLASSES = (Y > 0).astype(int)
DATA = np.arange(20.0)


def generator_learner(state):
    return MLPRegressor(hidden_layer_sizes=(1,), max_iter=5, random_state=state)
