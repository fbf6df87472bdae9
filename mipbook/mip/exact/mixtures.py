"""The total variation distance of two mixtures of normal distributions, by all crossings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from mipbook.base.halving import halved
from mipbook.base.types import Array

__all__ = ["mixture_distance"]

# In units of sigma: how far a distribution reaches, the first step, and the last.
_REACH = 9.0
_STEP = 0.1
_LAST = 1e-4
_HALVINGS = 14
# Pairs of a point and a centre that are handled at a time.
_PAIRS = 1 << 21


class _Mixtures:
    """Weights of both mixtures on sorted centres, in units of sigma."""

    def __init__(
        self, inside: Array, outside: Array, sigma: float, chances: tuple[Array, Array]
    ) -> None:
        every = np.concatenate([inside, outside])
        places, place = np.unique(every, return_inverse=True)
        with np.errstate(over="ignore"):
            self.centres = (places - places[0]) / sigma
        size = places.size
        more = np.bincount(place[: inside.size], chances[0], minlength=size)
        less = np.bincount(place[inside.size :], chances[1], minlength=size)
        self.weights, self.size = more - less, more + less
        self.before = np.concatenate([[0.0], np.cumsum(self.weights)])

    def near(self, points: Array, kernel: str) -> Array:
        """Sum a kernel over the centres within reach of each sorted point."""
        low = np.searchsorted(self.centres, points - _REACH)
        high = np.searchsorted(self.centres, points + _REACH)
        found = np.empty(points.size)
        counts = high - low
        ends = np.searchsorted(np.cumsum(counts), np.arange(_PAIRS, counts.sum() + _PAIRS, _PAIRS))
        start = 0
        for end in [*np.minimum(ends + 1, points.size).tolist(), points.size]:
            if end <= start:
                continue
            here = counts[start:end]
            offsets = np.arange(here.sum()) - np.repeat(np.cumsum(here) - here, here)
            at = np.repeat(low[start:end], here) + offsets
            gap = np.repeat(points[start:end], here) - self.centres[at]
            row = np.repeat(np.arange(end - start), here)
            value = _KERNELS[kernel](gap) * (self.size if kernel == "bend" else self.weights)[at]
            found[start:end] = np.bincount(row, value, minlength=end - start)
            start = end
        return found + self.before[low] if kernel == "mass" else found


def _density(gap: Array) -> Array:
    return np.asarray(np.exp(-(gap**2) / 2))


def _bend(gap: Array) -> Array:
    """Bound the second derivative of the density within one step of here."""
    nearest = np.maximum(np.abs(gap) - _STEP, 0.0)
    return np.asarray(((np.abs(gap) + _STEP) ** 2 + 1) * np.exp(-(nearest**2) / 2))


_KERNELS: dict[str, Callable[[Array], Array]] = {"density": _density, "bend": _bend, "mass": ndtr}


def mixture_distance(
    inside: Array, outside: Array, sigma: float, chances: tuple[Array, Array] | None = None
) -> float:
    """Return the total variation distance of two mixtures of normal distributions; no checks.

    Where the densities cross is found on a
    grid, which is refined where they may touch or cross twice between two of its points;
    between crossings the area is a difference of normal distribution functions.

    Parameters
    ----------
    inside, outside : ndarray
        Centres, finite.
    sigma : float
        Standard deviation of every component.
    chances : tuple of ndarray, optional
        The weight of each centre of both mixtures; equal if not given.

    Returns
    -------
    float
        Absolute error below 1e-11.

    Examples
    --------
    >>> round(mixture_distance(np.array([1.0]), np.array([0.0]), 0.5), 12)
    0.682689492137
    """
    if chances is None:
        chances = (np.full(inside.size, 1 / inside.size), np.full(outside.size, 1 / outside.size))
    laws = _Mixtures(inside, outside, sigma, chances)
    if not np.isfinite(laws.centres).all() or laws.centres[-1] > 2.0**52:
        # Distinct centres are out of each other's reach, whatever lies between.
        return float(min(1.0, np.abs(laws.weights).sum() / 2))
    reach = np.arange(-int(_REACH / _STEP), int(_REACH / _STEP) + 1)
    cells = np.unique(np.rint(laws.centres / _STEP)[:, None] + reach)
    left = _crossings(laws, cells * _STEP, _STEP)
    cuts = np.sort(np.concatenate(left))
    mass = np.concatenate([[0.0], laws.near(cuts, "mass"), [0.0]])
    return float(min(1.0, np.abs(np.diff(mass)).sum() / 2))


def _crossings(laws: _Mixtures, points: Array, step: float) -> list[Array]:
    """Return the crossings in the cells that start at these points, finer where need be."""
    edge = laws.near(points, "density")
    after = points + step
    is_next = np.append(np.isclose(points[1:], after[:-1], rtol=0, atol=step / 2), False)
    follow = np.where(is_next, np.roll(edge, -1), 0.0)
    if not is_next.all():
        follow[~is_next] = laws.near(after[~is_next], "density")
    change = np.sign(edge) * np.sign(follow) < 0
    # A needless cut does no harm, so a point where nothing is left of the difference is one.
    found = [_bisect(laws, points[change], after[change], edge[change])]
    found += [points[edge == 0], after[follow == 0]]
    # Without a change of sign a cell may hold two crossings only where the bend allows it.
    least = np.minimum(np.abs(edge), np.abs(follow))
    doubt = ~change & (least <= laws.near(points, "bend") * step**2 / 8) & (least > 0)
    if step > _LAST and doubt.any():
        finer = points[doubt][:, None] + step / 10 * np.arange(10)
        found += _crossings(laws, finer.ravel(), step / 10)
    return found


def _bisect(laws: _Mixtures, low: Array, high: Array, edge: Array) -> Array:
    sign = np.sign(edge)
    low, high = halved(lambda at: np.sign(laws.near(at, "density")) == sign, low, high, _HALVINGS)
    # The area's error is quadratic in this one.
    return (low + high) / 2
