"""The membership game on a noisy mean of a random half, solved exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

from explorable import validate
from explorable.checked import Number, Rule, checked
from mipbook.base.rounding import halved
from mipbook.base.types import Array, Finite, FiniteVector, Rng, Sigma
from mipbook.mip.finite import subsets

# Up to so many standard deviations from the centre squares lose no digit that counts.
_MODERATE = 100.0


def _records(name: str, value: Any) -> Array:
    records = validate.array(name, value, ndim=1)
    if records.size not in range(2, 17, 2) or not np.isfinite(records).all():
        validate.refuse(name, records.tolist(), "2 to 16 finite numbers, an even count")
    return records


Records = Annotated[Any, Rule(_records)]


def _half_means(records: Array, target: Any) -> tuple[Array, Array]:
    """Return the means of all halves with the target, and of all without it."""
    target = validate.integer("target", target, 0, records.size - 1)
    members = subsets(records.size)
    means = members @ records / (records.size // 2)
    return means[members[:, target]], means[~members[:, target]]


@checked
def draw_round(records: Records, sigma: Sigma, rng: Rng) -> tuple[NDArray[np.bool_], float]:
    """Draw a uniformly random half and release its mean with Gaussian noise.

    Parameters
    ----------
    records : array_like of shape (n,)
        Finite numbers, n even, 2 to 16.

    Returns
    -------
    half : ndarray of bool, shape (n,)
        Which records were drawn.
    released : float
        Their mean plus noise.

    Notes
    -----
    The game of MIP paper, Definition 1.

    Examples
    --------
    >>> import numpy as np
    >>> half, released = draw_round([0.0, 1.0], 0.1, np.random.default_rng(0))
    >>> int(half.sum())
    1
    """
    half = np.zeros(records.size, dtype=bool)
    half[rng.permutation(records.size)[: records.size // 2]] = True
    return half, float(records[half].mean() + sigma * rng.standard_normal())


@checked
def noisy_mean_posterior(records: Records, target: int, released: Finite, sigma: Sigma) -> float | Array:
    """Return the probability that the target was in the half, given the released mean.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records, known to the attacker; n even, 2 to 16.
    target : int
        Index of the record in question.
    released : array_like
        Released values, finite.

    Returns
    -------
    float or ndarray
        In [0, 1], exact: every half is counted.

    Notes
    -----
    MIP paper, Proposition 2: the optimal attacker says *in* iff this is at least 1/2.

    Examples
    --------
    >>> noisy_mean_posterior([0.0, 1.0], 1, 0.5, 0.3)
    0.5
    """
    inside, outside = _half_means(records, target)
    edge = _log_odds(released, inside, outside, sigma)
    with np.errstate(over="ignore"):
        return validate.plain(np.exp(-np.logaddexp(0.0, -edge)))


def _log_odds(released: Array, inside: Array, outside: Array, sigma: float) -> Array:
    """Return the log odds of *in* from the means of both kinds of halves.

    Squares of large gaps never appear, so that far out, or with little noise, no difference of
    infinities does: all densities are then taken relative to that of the nearest mean.
    """
    seen, means = released[..., None], np.concatenate([inside, outside])
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        centre = means.mean()
        if max(np.abs(x - centre).max(initial=0.0) for x in (seen, means)) < _MODERATE * sigma:
            laws = (means - centre) / sigma
            exponents = (seen - centre) / sigma * laws - 0.5 * laws**2
        else:
            # (x - m)^2 without its x^2 and in units of the largest number, to find the nearest.
            size = np.maximum(np.maximum(np.abs(seen), np.abs(means).max()), 1e-300)
            lean = means / size * (2 * (seen / size) - means / size)
            nearest = means[lean.argmax(axis=-1)][..., None]
            gaps, beyond = means - nearest, seen - (means / 2 + nearest / 2)
            exponents = np.where((gaps == 0) | (beyond == 0), 0.0, (gaps / sigma) * (beyond / sigma))
        within, without = (_log_sum(side) for side in np.split(exponents, [inside.size], axis=-1))
        return np.asarray(within - without)


def _log_sum(exponents: Array) -> Array:
    """Return ln of the sum of the exponentials; -inf where none is above 0, inf where one is infinite."""
    top = np.clip(exponents.max(axis=-1, keepdims=True), -1e300, 1e300)
    return np.asarray(np.log(np.exp(exponents - top).sum(axis=-1)) + top[..., 0])


@checked
def noisy_mean_accuracy(records: Records, target: int, sigma: Sigma) -> float:
    """Return the accuracy of the optimal attacker on the noisy mean.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records, known to the attacker; n even, 2 to 16.
    target : int
        Index of the record in question.

    Returns
    -------
    float
        In [1/2, 1]; absolute error below 1e-11.

    Notes
    -----
    MIP paper, Proposition 2: one half plus half the total variation distance between the
    distributions with and without the record.  Where the densities cross is found numerically;
    between crossings the area is a difference of normal distribution functions.

    Examples
    --------
    >>> round(noisy_mean_accuracy([0.0, 1.0], 1, 0.5), 9)
    0.841344746
    """
    return float(_accuracies([_half_means(records, target)], sigma)[0])


@checked
def noisy_mean_accuracies(records: Records, sigma: Sigma) -> Array:
    """Return `noisy_mean_accuracy` for every record as the target, at the cost of few.

    Examples
    --------
    >>> noisy_mean_accuracies([0.0, 1.0], 0.5).round(6)
    array([0.841345, 0.841345])
    """
    members = subsets(records.size)
    means = members @ records / (records.size // 2)
    return _accuracies([(means[has], means[~has]) for has in members.T], sigma)


def _accuracies(sides: list[tuple[Array, Array]], sigma: float) -> Array:
    each = np.full(sides[0][0].size, 1 / sides[0][0].size)
    distances = mixture_distances([(*means, (each, each)) for means in sides], sigma)
    return np.minimum(1.0, 0.5 + distances / 2)


@checked
def noisy_mean_line_accuracy(records: Records, target: int, sigma: Sigma, line: Finite) -> float | Array:
    """Return the accuracy of the attacker who draws a line and says *in* on the better side.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records, known to the attacker; n even, 2 to 16.
    target : int
        Index of the record in question.
    line : array_like
        Where the attacker changes its mind, finite.

    Returns
    -------
    float or ndarray
        In [1/2, 1], exact: every half is counted.

    Notes
    -----
    The game of MIP paper, Definition 1; no line does better than `noisy_mean_accuracy`.

    Examples
    --------
    >>> round(noisy_mean_line_accuracy([0.0, 1.0], 1, 0.5, 0.5), 9)
    0.841344746
    """
    inside, outside = _half_means(records, target)
    with np.errstate(over="ignore"):
        above, wrong = (ndtr((m - line[..., None]) / sigma).mean(axis=-1) for m in (inside, outside))
    return validate.plain(np.asarray(np.minimum(1.0, 0.5 + np.abs(above - wrong) / 2)))


@checked
def noisy_mean_silent_accuracy(
    records: Records, target: int, sigma: Sigma, spoken: Annotated[float, Number(1e-9, 1.0)]
) -> float:
    """Return how often an attacker is right who answers only when the released mean lies far out.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records, known to the attacker; n even, 2 to 16.
    target : int
        Index of the record in question.
    spoken : float
        The share of rounds with an answer.

    Returns
    -------
    float
        In [1/2, 1]; absolute error below 1e-9.

    Notes
    -----
    The game of MIP paper, Definition 1.  Who is in one half is out of the other, so the two
    distributions mirror each other, and it answers as often above as below.

    Examples
    --------
    >>> round(noisy_mean_silent_accuracy([0.0, 1.0], 1, 0.5, 1.0), 9)
    0.841344746
    """
    size = float(np.abs(records).max()) or 1.0
    with np.errstate(over="ignore"):
        width = min(max(sigma / size, 1e-300), 1e300)
    records = records / size
    halves = [half - records.mean() for half in _half_means(records, target)]

    def beyond(far: float) -> list[float]:
        return [float(ndtr((half - far) / width).mean()) for half in halves]

    widest, far = 4 + 10 * width, 0.0
    if spoken < sum(beyond(far)):
        far = brentq(lambda far: sum(beyond(far)) - spoken, 0.0, widest, xtol=1e-300, maxiter=2000)
    # Under noise that no number resolves, the side of a step on which it answers.
    found = beyond(far) if sum(beyond(far)) else beyond(far * (1 - 1e-14))
    return max(found) / sum(found)


@checked
def noisy_mean_shares(
    records: Records, target: int, sigma: Sigma, edges: FiniteVector
) -> tuple[Array, Array]:
    """Return how often a released mean falls between two edges, with the target in and with it out.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records; n even, 2 to 16.
    target : int
        Index of the record in question.
    edges : array_like of shape (k + 1,)
        Finite and increasing.

    Returns
    -------
    inside, outside : ndarray of shape (k,)
        In [0, 1], exact: every half is counted.

    Notes
    -----
    The game of MIP paper, Definition 1.

    Examples
    --------
    >>> inside, outside = noisy_mean_shares([0.0, 1.0], 1, 0.5, [-0.5, 0.5, 1.5])
    >>> inside.round(3), outside.round(3)
    (array([0.157, 0.683]), array([0.683, 0.157]))
    """
    if not (edges[1:] > edges[:-1]).all():
        validate.refuse("edges", edges, "finite and increasing")
    with np.errstate(over="ignore", invalid="ignore"):  # so far away is at the end
        inside, outside = (
            np.diff(ndtr((edges[:, None] - means) / sigma).mean(axis=1))
            for means in _half_means(records, target)
        )
    return inside, outside


# --- The total variation distance of two mixtures of normal distributions, by all crossings ---------------

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
