"""Pools of the Gaussian mechanism that several files of tests look at."""

import numpy as np

from mipbook import pmp, tradeoff

DRAWN = np.random.default_rng(7)
# With and without outliers and equal records.
POOLS = [
    DRAWN.standard_normal((12, 1)) / 6,
    DRAWN.standard_normal((60, 3)) / 30,
    np.concatenate([10 * DRAWN.standard_normal((2, 4)), DRAWN.standard_normal((98, 4))]) / 50,
    DRAWN.integers(0, 3, (80, 2)) / 40.0,
]
FOUR = np.array([0.3, -1.2, 2.5, 0.9]) / 2
GRID = [0.0, 0.5, 1.0, 2.0]
# (60 digits): delta of each record of FOUR at sigma 0.5, a row per epsilon.
FOUR_EXACT = [
    [0.11940856068500076742, 0.60247521917898534594, 0.62906029363014862807, 0.13624575194404656736],
    [0.02802423925685110032, 0.50570550806737978299, 0.53684952698059934221, 0.027138996660547872],
    [0.0062473819833650129948, 0.41651684164076099133, 0.44902118446639814, 0.0061500825033440872],
    [5.8401049109837617101e-5, 0.26189273274117628095, 0.29325685163242436, 5.8237182061724043e-5],
]
FOUR_BOUND = [
    [0.5037453392438011752, 0.72957121096774809617, 0.74688117711640461886, 0.50613131148644000418],
    [0.39112280761649807968, 0.65945856005405244813, 0.68078715578222111, 0.39380034372121159616],
    [0.30562350952036698616, 0.58717043262356812605, 0.61139308971533344, 0.30776545893096043736],
    [0.18456339316901038852, 0.45223485955611083444, 0.47702553447796498, 0.18304385865234582448],
]


def noise(values, epsilon, delta=0.01):
    return float(tradeoff.gaussian_sigma(epsilon, delta=delta, sensitivity=pmp.diameter(values)))
