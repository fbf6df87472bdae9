"""The membership game on a release of two numbers, by quadrature over their plane."""

from __future__ import annotations

import numpy as np

from mipbook.base.types import Array

__all__ = ["log_odds_on", "plane_accuracy"]

# Beyond so many standard deviations from all means lies less than 1e-9 of the releases.
_REACH = 6.0
# Steps a standard deviation.
_FINE = 4.0
# Log odds beyond this are as good as certain.
_CERTAIN = 40.0


def _densities(means: Array, sigma: float, xs: Array, ys: Array) -> Array:
    """Return the mean of normal densities around the means, on a grid: rows are ys."""
    across, up = (np.exp(-0.5 * ((axis - means[:, [i]]) / sigma) ** 2) for i, axis in enumerate((xs, ys)))
    return np.asarray(up.T @ across / (2 * np.pi * sigma**2 * len(means)))


def plane_accuracy(inside: Array, outside: Array, sigma: float) -> float:
    """Return how often the best attacker is right, from means (halves, 2); no checks.

    Half the integral of the larger density; the absolute error is below 0.0005.
    """
    means = np.concatenate([inside, outside])
    low, high = means.min(axis=0) - _REACH * sigma, means.max(axis=0) + _REACH * sigma
    counts = np.ceil((high - low) * _FINE / sigma).astype(int) + 1
    xs, ys = (np.linspace(*ends) for ends in zip(low, high, counts.tolist(), strict=True))
    larger = np.maximum(*(_densities(half, sigma, xs, ys) for half in (inside, outside)))
    return float(np.clip(larger.sum() * (xs[1] - xs[0]) * (ys[1] - ys[0]) / 2, 0.5, 1.0))


def log_odds_on(inside: Array, outside: Array, sigma: float, xs: Array, ys: Array) -> Array:
    """Return the log odds of *in* on a grid, cut at 40: rows are ys.

    Both sides have the same number of means (halves, 2); no checks.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        within, without = (np.log(_densities(h, sigma, xs, ys)) for h in (inside, outside))
        odds = within - without
    # Where both densities are beyond the doubles the nearest mean decides.
    far = ~np.isfinite(within) & ~np.isfinite(without)
    points = np.stack(np.meshgrid(xs, ys), axis=-1)[far]
    near = [((points[:, None] - half) ** 2).sum(axis=-1).min(axis=1) for half in (inside, outside)]
    odds[far] = (near[1] - near[0]) / (2 * sigma**2)
    return np.asarray(np.clip(odds, -_CERTAIN, _CERTAIN))
