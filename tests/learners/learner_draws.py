"""A generator for the tests of learners."""

import numpy as np


def generator(seed=0):
    return np.random.default_rng(seed)
