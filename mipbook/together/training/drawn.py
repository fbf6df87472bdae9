"""Noisy means of clipped gradients as they are drawn, and how far they are off."""

from __future__ import annotations

import numpy as np

from explorable import validate
from mipbook.base.estimate import Estimate
from mipbook.base.types import Array
from mipbook.together.training.clipping import checked, pareto_mean, tail

__all__ = ["drawn_error", "pareto_clip_simulated"]


def drawn_error(means: Array, truth: float) -> Estimate:
    """Return the mean square of what drawn means are off, with its band."""
    squares = (means - truth) ** 2
    half = float(1.96 * squares.std(ddof=1) / np.sqrt(squares.size))
    found = float(squares.mean())
    return Estimate(found, max(found - half, 0.0), found + half, "estimate", 0.95)


def pareto_clip_simulated(
    clip: float, n: int, sigma: float, alpha: float, runs: int, rng: np.random.Generator
) -> Estimate:
    """Return the mean square error of noisy means of drawn, clipped gradients, with its band.

    Parameters
    ----------
    clip : float
        In (0, 1e9].
    n : int
        Records, all of them in the batch, in [1, 1e9]; ``n * runs`` at most 1e8.
    sigma : float
        The standard deviation of the noise on the sum, over the clip, in [0, 1000].
    alpha : float
        The tail, in (1, 100].
    runs : int
        Means to draw, at least 2.
    rng : numpy.random.Generator
        Draws the gradients and the noise.

    Notes
    -----
    The band is the mean's, by the normal approximation, at confidence 0.95.

    Examples
    --------
    >>> from mipbook.together import pareto_clip_error
    >>> found = pareto_clip_simulated(3.0, 100, 1.0, 2.5, 2000, np.random.default_rng(0))
    >>> found.low < pareto_clip_error(3.0, 100, 1.0, 2.5).rmse ** 2 < found.high
    True
    """
    clip, n, sigma, _ = checked(clip, n, sigma, 1.0)
    alpha = tail(alpha)
    runs = validate.size("runs", runs, 2, beside=n)
    rng = validate.generator("rng", rng)
    drawn = np.minimum(rng.pareto(alpha, (runs, n)) + 1.0, clip)
    noisy = drawn.mean(axis=1) + rng.normal(0.0, abs(sigma) * clip / n, runs)
    return drawn_error(noisy, pareto_mean(alpha))
