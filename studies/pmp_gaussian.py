"""The simulations behind Figures 4 to 6 of the PMP paper, and around them."""

import math
from functools import partial

import numpy as np

from explorable import validate
from mipbook import pmp, tradeoff
from mipbook.base.types import Array
from mipbook.pmp.trials import SHARES, on_average
from mipbook.stored.pmp import FEW, FIGURE_4, FIGURE_5, FIGURE_6, POOLS, SEED, GaussianFigure
from mipbook.stored.store import Arrays
from studies.run import Run

# Bits of a stored single that are kept: four digits, and it packs to half.
_KEPT = np.uint32(0xFFFFFE00)


def gaussian_readings(
    n: int,
    dimension: int,
    sigma: float,
    clip: float,
    outliers: int,
    factor: float,
    delta: float,
    epsilon: float,
    rng: np.random.Generator,
) -> Array:
    """Run one trial of the Gaussian simulations under every reading of what is held.

    Parameters
    ----------
    n, dimension, sigma, clip, outliers, factor
        As in `gaussian_trial`; sigma and clip such that the records differ.
    delta, epsilon
        In (0, 1), and in [1e-6, 1e6].

    Returns
    -------
    ndarray of shape (7,)
        The largest distance between two records of the mean; then eps~ by Proposition 12, for the
        worst record and for the mean over records, with ``epsilon`` held over all data sets at the
        sensitivity 2C/n, at C/n, and inside the pool.

    Notes
    -----
    PMP paper, Figures 4 to 6.  The mean over records is no bound on the PMP parameter.

    Examples
    --------
    >>> setting = (20, 5, 1.0, 50.0, 0, 1.0, 0.01, 5.0)
    >>> found = gaussian_readings(*setting, np.random.default_rng(0))
    >>> bool(found[2] < found[1] < found[5])
    True
    """
    delta = validate.number("delta", delta, 0.0, 1.0, open_low=True, open_high=True)
    epsilon = validate.number("epsilon", epsilon, 1e-6, 1e6)
    sigma = validate.number("sigma", sigma, 0.0, 1e300, open_low=True)
    values = pmp.gaussian_pool(n, dimension, sigma, clip, outliers, factor, rng) / n
    widest, full = pmp.diameter(values), pmp.gaussian_sensitivity(n, clip)
    if not 0 < widest <= full < math.inf:
        validate.refuse("clip", clip, "finite, and records that differ")
    found = [widest]
    for size in (*(full * share / 2 for share in SHARES.values()), widest):
        noise = float(tradeoff.gaussian_sigma(epsilon, delta=delta, sensitivity=size))
        worst = pmp.gaussian_epsilon_bound(values, noise, delta)
        found += [worst, on_average(values, noise, delta, worst)]
    return np.array(found)


def drawn(figure: GaussianFigure) -> Arrays:
    """Run all trials of a figure, with a progress bar."""
    axis = figure.stops[figure.along]
    own = [{**figure.own, figure.along: point} for point in axis]
    trials = pmp.sweep(gaussian_readings, own, trials=POOLS, seed=SEED)
    arrays: Arrays = {"own": np.array(trials, dtype=np.float32)}
    for name, values in figure.moved.items():
        cases = [{**figure.own, figure.along: p, name: value} for value in values for p in figure.points]
        found = np.array(pmp.sweep(gaussian_readings, cases, trials=FEW, seed=SEED), dtype=np.float32)
        rounded = (found.view(np.uint32) + np.uint32(0x100)) & _KEPT
        arrays[name] = rounded.view(np.float32).reshape(len(values), len(figure.points), FEW, -1)
    return arrays


RUNS = tuple(
    Run(figure.name, figure.settings, partial(drawn, figure)) for figure in (FIGURE_4, FIGURE_5, FIGURE_6)
)
