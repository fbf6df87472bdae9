"""The total variation distance of two mixtures of normal distributions, by all crossings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mipbook.base.rounding import halved
from mipbook.base.types import Array

# The centres of both mixtures, and the weights of each.
Pair = tuple[Array, Array, tuple[Array, Array]]
Indices = NDArray[np.intp]

# In units of sigma: how far a distribution reaches, the first step, and the last.
_REACH = 9.0
_STEP = 0.1
_LAST = 1e-4
_HALVINGS = 14
# Pairs of a point and a centre, or of a point and a law, that are handled at a time.
_PAIRS = 1 << 21
# All pairs are taken where they are at most so many times those within reach.
_WASTE = 4


class _Mixtures:
    """Weights of both mixtures of each pair on sorted centres, in units of sigma."""

    def __init__(self, pairs: Sequence[Pair], sigma: float) -> None:
        every = [centres for inside, outside, _ in pairs for centres in (inside, outside)]
        places, place = np.unique(np.concatenate(every), return_inverse=True)
        with np.errstate(over="ignore"):
            self.centres = (places - places[0]) / sigma
        at = np.split(place, np.cumsum([centres.size for centres in every])[:-1])
        chances = [chance for *_, both in pairs for chance in both]
        masses = np.transpose(
            [np.bincount(w, c, minlength=places.size) for w, c in zip(at, chances, strict=True)]
        )
        self.weights = masses[:, ::2] - masses[:, 1::2]
        self.size = masses[:, ::2] + masses[:, 1::2]
        self.before = np.concatenate([np.zeros((1, len(pairs))), np.cumsum(self.weights, axis=0)])

    def near(self, points: Array, kernel: str, pair: Indices | None = None) -> Array:
        """Sum a kernel over the centres within reach of each point, for all pairs or for its own.

        The sums of all pairs have shape (points, pairs).
        """
        weights = self.size if kernel == "bend" else self.weights
        low = np.searchsorted(self.centres, points - _REACH)
        high = np.searchsorted(self.centres, points + _REACH)
        counts = high - low
        if points.size * self.centres.size <= min(_PAIRS, _WASTE * counts.sum()):
            # What is out of reach adds nothing, and costs less than to leave it out.
            value = _KERNELS[kernel](points[:, None] - self.centres)
            return np.asarray(value @ weights if pair is None else (value * weights.T[pair]).sum(1))
        found = np.empty(points.size if pair is not None else (points.size, weights.shape[1]))
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
            value = _KERNELS[kernel](gap)
            if pair is None:
                for column, each in enumerate(weights.T):
                    found[start:end, column] = np.bincount(row, value * each[at], end - start)
            else:
                mine = np.repeat(pair[start:end], here)
                found[start:end] = np.bincount(row, value * weights[at, mine], end - start)
            start = end
        if kernel != "mass":
            return found
        return np.asarray(found + (self.before[low] if pair is None else self.before[low, pair]))


def _density(gap: Array) -> Array:
    return np.asarray(np.exp(-(gap**2) / 2))


def _slope(gap: Array) -> Array:
    return np.asarray(-gap * np.exp(-(gap**2) / 2))


def _bend(gap: Array) -> Array:
    """Bound the fourth derivative of the density within one step of here."""
    far = np.abs(gap)
    nearest = np.maximum(far - _STEP, 0.0)
    # A square of a square: a fourth power takes ten times as long.
    return np.asarray((((far + _STEP) ** 2) ** 2 + 3) * np.exp(-(nearest**2) / 2))


_KERNELS: dict[str, Callable[[Array], Array]] = {
    "density": _density,
    "slope": _slope,
    "bend": _bend,
    "mass": ndtr,
}


def mixture_distances(pairs: Sequence[Pair], sigma: float) -> Array:
    """Return the total variation distances of pairs of mixtures of normal distributions; no checks.

    Where the densities cross is found on a grid, which is refined where they may touch or cross
    twice between two of its points; between crossings the area is a difference of normal
    distribution functions.  Centres that pairs share are looked at once.

    Parameters
    ----------
    pairs : sequence of Pair
        Of each the centres, finite, and their weights.
    sigma : float
        Standard deviation of every component.

    Returns
    -------
    ndarray
        Absolute error below 1e-11.

    Examples
    --------
    >>> one, half, whole = np.ones(1), np.array([0.5]), (np.ones(1), np.ones(1))
    >>> mixture_distances([(one, 0 * one, whole), (half, 0 * one, whole)], 0.5).round(6)
    array([0.682689, 0.382925])
    """
    laws = _Mixtures(pairs, sigma)
    if not np.isfinite(laws.centres).all() or laws.centres[-1] > 2.0**52:
        # Distinct centres are out of each other's reach, whatever lies between.
        return np.asarray(np.minimum(1.0, np.abs(laws.weights).sum(axis=0) / 2))
    reach = np.arange(-int(_REACH / _STEP), int(_REACH / _STEP) + 1)
    cells = np.unique(np.rint(laws.centres / _STEP)[:, None] + reach)
    if len(pairs) > 1 and cells.size * len(pairs) > _PAIRS:
        half = len(pairs) // 2
        parts = (mixture_distances(part, sigma) for part in (pairs[:half], pairs[half:]))
        return np.concatenate(list(parts))
    found = zip(*_crossings(laws, cells * _STEP, _STEP), strict=True)
    cuts, pair = (np.concatenate(each) for each in found)
    order = np.lexsort((cuts, pair))
    mass = np.split(
        laws.near(cuts[order], "mass", pair[order]), np.searchsorted(pair[order], np.arange(1, len(pairs)))
    )
    areas = [np.abs(np.diff(each, prepend=0.0, append=0.0)).sum() / 2 for each in mass]
    return np.minimum(1.0, areas)


def _crossings(laws: _Mixtures, points: Array, step: float) -> list[tuple[Array, Indices]]:
    """Return crossings in the cells that start at these points, each with its pair's number.

    Finer cells are asked where need be.
    """
    after = points + step
    is_next = np.append(np.isclose(points[1:], after[:-1], rtol=0, atol=step / 2), False)

    def ends(kernel: str) -> tuple[Array, Array]:
        first = laws.near(points, kernel)
        last = np.roll(first, -1, axis=0)
        last[~is_next] = laws.near(after[~is_next], kernel)
        return first, last

    edge, follow = ends("density")
    turn = np.sign(edge) * np.sign(follow)
    cell, pair = np.nonzero(turn < 0)
    found = [(_bisect(laws, points[cell], after[cell], edge[cell, pair], pair), pair)]
    # A needless cut does no harm, so a point where nothing is left of the difference is one.
    for place, value in ((points, edge), (after, follow)):
        cell, pair = np.nonzero(value == 0)
        found.append((place[cell], pair))
    # Without a change of sign a cell may hold two crossings only where the cubic through both
    # ends with their slopes, which lies between its four coefficients, is near 0.
    rise, fall = ends("slope")
    cubic = np.sign(edge) * [edge, edge + step / 3 * rise, follow - step / 3 * fall, follow]
    doubt = (turn > 0) & (cubic.min(axis=0) <= laws.near(points, "bend") * step**4 / 384)
    again = doubt.any(axis=1)
    if step > _LAST and again.any():
        finer = points[again][:, None] + step / 10 * np.arange(10)
        found += _crossings(laws, finer.ravel(), step / 10)
    return found


def _bisect(laws: _Mixtures, low: Array, high: Array, edge: Array, pair: Indices) -> Array:
    sign = np.sign(edge)
    low, high = halved(lambda at: np.sign(laws.near(at, "density", pair)) == sign, low, high, _HALVINGS)
    # The area's error is quadratic in this one.
    return (low + high) / 2
