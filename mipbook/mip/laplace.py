"""A real-valued query on all halves: its exact eta with Laplace noise, and how far its answers move."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from explorable.checked import Number, Numbers, checked
from mipbook.base.types import Array, FiniteVector, Members

# Within a block exponents stay below this, so that nothing overflows.
_SPAN = 300.0
# Below exp(-_GONE) a term is lost in the rounding of those after it.
_GONE = 42.0


def faded_sums(places: Array, weights: Array) -> Array:
    """Return s with s[i] = sum over j <= i of exp(places[j] - places[i]) weights[j].

    Parameters
    ----------
    places : ndarray of shape (m,)
        Rising and finite.
    weights : ndarray of shape (m, columns)
        Any real numbers.

    Returns
    -------
    ndarray of shape (m, columns)
    """
    total = places[-1] - places[0]
    if total <= _SPAN * 4096:
        return _by_blocks(places, weights)
    return _by_doubling(places, weights)


def _by_blocks(places: Array, weights: Array) -> Array:
    # Rising exponentials inside a block, a carry from one block to the next.
    block = np.floor((places - places[0]) / _SPAN)
    starts = np.flatnonzero(np.append(True, np.diff(block) > 0))
    ends = np.append(starts[1:], places.size)
    sums = np.empty_like(weights)
    carry, at = np.zeros(weights.shape[1]), places[0]
    for start, end in zip(starts, ends, strict=True):
        rise = np.exp(places[start:end] - places[start])[:, None]
        part = np.cumsum(weights[start:end] * rise, axis=0)
        part += carry * np.exp(max(at - places[start], -745.0))
        part /= rise
        sums[start:end] = part
        carry, at = part[-1], places[end - 1]
    return sums


def _by_doubling(places: Array, weights: Array) -> Array:
    # So far apart that only few terms reach each other: double the reach until none is left.
    sums = weights.copy()
    reach = 1
    while reach < places.size:
        gap = places[reach:] - places[:-reach]
        near = np.flatnonzero(gap < _GONE)
        if near.size == 0:
            break
        add = sums[near] * np.exp(-gap[near])[:, None]
        sums[near + reach] += add
        reach *= 2
    return sums


# Numbers that fit the cache with their temporaries.
_CELLS = 1 << 18


def _fit(outputs: Array, members: Array) -> None:
    """Refuse halves that are none of these records'."""
    if outputs.size == 0:
        validate.refuse("outputs", outputs.tolist(), "a vector of finite numbers, at least one")
    if len(members) != outputs.size:
        validate.refuse(
            "members", members.shape, f"of shape ({outputs.size}, records), a row for each of outputs"
        )
    inside = members.sum(axis=0)
    if members.shape[1] == 0 or np.any((inside == 0) | (inside == len(members))):
        validate.refuse("members", inside.tolist(), "such that each record is in some halves only")


@checked
def cumulated_atoms(outputs: FiniteVector, members: Members) -> tuple[Array, Array]:
    """Return the distinct outputs, sorted, and P_in - P_out up to each, one column a record."""
    _fit(outputs, members)
    inside = members.sum(axis=0)
    outside = len(members) - inside
    order = np.argsort(outputs, kind="stable")
    ranked = outputs[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    # Counts are whole numbers, so the differences of their shares are exact to the last digit.
    with_it = np.cumsum(members[order], axis=0)[last]
    without = (last + 1)[:, None] - with_it
    return ranked[last], (with_it * outside - without * inside) / (inside * outside)


def _eta(atoms: Array, cumulated: Array, scale: float) -> Array:
    """Return TV/2 of the two Laplace mixtures, one entry a record."""
    if np.isinf(scale):
        return np.zeros(cumulated.shape[1])
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        places = (atoms - atoms[0]) / scale
        if not np.isfinite(places[-1]):
            places = atoms / scale - atoms[0] / scale
    if not np.isfinite(places[-1]):
        # No noise, or atoms that are infinitely far apart in units of it.
        steps = np.diff(cumulated, axis=0, prepend=0.0)
        return np.asarray(np.abs(steps).sum(axis=0) / 4)
    # A few columns at a time stay in the cache.
    step = max(1, _CELLS // atoms.size)
    columns = range(0, cumulated.shape[1], step)
    return np.concatenate([_columns_eta(places, cumulated[:, c : c + step]) for c in columns])


def _columns_eta(places: Array, cumulated: Array) -> Array:
    """Return the area between the two densities, gap by gap between the atoms.

    In a gap of length d the difference of the densities is l e^(-u) + r e^(u - d).  Here l is
    C, the difference of the masses on the left, plus what has faded of it; and r is -C plus the
    like.  What fades is summed by itself, so that no digit is lost where it is small.
    """
    if places.size == 1:
        return np.zeros(cumulated.shape[1])
    gaps = np.diff(places)
    decay, grows = np.exp(-gaps)[:, None], -np.expm1(-gaps)[:, None]
    level = cumulated[:-1]
    faded = -grows * level
    nothing = np.zeros((1, level.shape[1]))
    left = np.concatenate([nothing, faded_sums(places[1:], faded)])
    right = -faded_sums(places[-1] - places[-2::-1], faded[::-1])[::-1]
    right = np.concatenate([right, nothing])
    start, end = level + left[:-1], right[1:] - level
    both = np.abs(left[:-1] + right[1:])
    small = np.minimum(np.abs(start), np.abs(end))
    large = np.maximum(np.abs(start), np.abs(end))
    # The sign changes inside the gap if neither end outweighs what reaches it from the other.
    keeps = small * grows - both * decay
    turns = (start * end < 0) & (keeps > 0)
    # (large + small)(1 + e^-d) - 4 sqrt(large small e^-d) as a sum of two squares.
    a, b, q = np.sqrt(small), np.sqrt(large), np.sqrt(decay)
    bottom = np.where(turns, (a + b * q) * (b + a * q), 1.0)
    first = np.where(turns, large * grows - both, 0.0) * (b + a * q) / bottom
    second = np.where(turns, both + small * grows, 0.0) * (a + b * q) / bottom
    area = np.where(turns, first**2 + second**2, both * grows).sum(axis=0)
    total = np.abs(right[0]) + np.abs(left[-1]) + area
    return np.asarray(np.clip(total / 8, 0.0, 0.5))


def laplace_mixture(outputs: Array, scale: float, points: Array) -> Array:
    """Return the density of a random output with Laplace noise, at some points; no checks."""
    near = np.exp(-np.abs(points[:, None] - outputs) / scale)
    return np.asarray(near.mean(axis=1) / (2 * scale))


@checked
def laplace_eta(outputs: ArrayLike, members: ArrayLike, scale: Annotated[float, Number(0.0)]) -> float:
    """Return the smallest eta for which the query with Laplace noise is eta-MIP, exactly.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half, each half equally likely.
    scale : float
        Scale of the Laplace noise, in [0, inf].

    Returns
    -------
    float
        Half the total variation distance between the noisy answers with and without the
        record, for the worst record; in [0, 1/2].

    Notes
    -----
    MIP paper, Proposition 2, for additive noise in one dimension.  Closed form: two exponential
    scans over the sorted answers, then one area a gap; no quadrature.  What fades of each atom
    is summed by itself, so the relative error is about 1e-15 also where eta is tiny.

    Examples
    --------
    >>> import numpy as np
    >>> members = np.array([[True, False], [False, True]])
    >>> round(laplace_eta([1.0, -1.0], members, 4.48142011772455), 12)
    0.1
    """
    atoms, signed = cumulated_atoms(outputs, members)
    return float(_eta(atoms, signed, scale).max())


@checked
def minimal_laplace_scale(
    outputs: ArrayLike, members: ArrayLike, eta: Annotated[float, Number(0.0, 0.5, open_low=True)]
) -> float:
    """Return the smallest Laplace scale that makes the query eta-MIP, exactly.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half, each half equally likely.
    eta : float
        The promise, in (0, 1/2].

    Returns
    -------
    float
        0 where no noise is needed; otherwise rounded up: eta there is at most the promise,
        also when the rounding errors of `laplace_eta` are counted.

    Raises
    ------
    ValueError
        For a malformed argument, or an eta so small that the scale is no finite number.

    Notes
    -----
    More noise is post-processing, so eta falls with the scale and bisection is valid.

    Examples
    --------
    >>> import numpy as np
    >>> members = np.array([[True, False], [False, True]])
    >>> round(minimal_laplace_scale([1.0, -1.0], members, 0.1), 9)
    4.481420118
    """
    atoms, signed = cumulated_atoms(outputs, members)
    if 0 < atoms[-1] / 2 - atoms[0] / 2 < 1e-290:
        validate.refuse("outputs", outputs, "all equal, or further apart than 1e-290")
    worst = int(_eta(atoms, signed, 0.0).argmax())
    scale = 0.0
    # The scale for one record; then the record that this scale serves worst, until none is.
    while (etas := _eta(atoms, signed, scale)).max() > eta:
        if scale > 0:
            worst = int(etas.argmax())
        scale = max(_scale_for(atoms, signed[:, [worst]], eta), np.nextafter(scale, np.inf))
    return scale


def _scale_for(atoms: Array, signed: Array, eta: float) -> float:
    """Return the smallest scale for one record, rounded up."""
    safe = eta * (1 - 1e-15 * (8 + np.sqrt(atoms.size)))

    def too_much(log_scale: float) -> float:
        return float(_eta(atoms, signed, float(np.exp(log_scale)))[0] / safe - 1)

    from scipy.optimize import brentq

    # Noise for the whole range of answers always suffices; from there go down to a failure.
    span = float(np.log(atoms[-1] / 2 - atoms[0] / 2) + np.log(2))
    high = span - float(np.log(-2 * np.log1p(-2 * safe))) + 1e-9
    if not high < 709:
        validate.refuse("eta", eta, "so large that the scale stays finite for these outputs")
    low = high - 1.0
    while too_much(low) <= 0:
        high, low = low, low - 2 * (high - low)
    root = float(np.exp(brentq(too_much, low, high, xtol=1e-13, rtol=1e-14)))
    step = 1e-15
    while too_much(float(np.log(root))) > 0:
        root, step = root * (1 + step), 2 * step
    return root


@checked
def laplace_posterior(
    outputs: FiniteVector,
    members: Members,
    scale: Annotated[float, Number(0.0, open_low=True)],
    released: FiniteVector,
) -> Array:
    """Return the probability that each record was in the half, after each release.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half, each half equally likely.
    scale : float
        Scale of the Laplace noise.
    released : array_like of shape (n,)
        Answers with noise.

    Returns
    -------
    ndarray of shape (n, records)

    Notes
    -----
    Bayes' rule: each half weighs as much as the density of the noise that it needs.

    Examples
    --------
    >>> import numpy as np
    >>> members = np.array([[True, False], [False, True]])
    >>> laplace_posterior([1.0, -1.0], members, 1.0, [0.0]).tolist()
    [[0.5, 0.5]]
    """
    _fit(outputs, members)
    # Divided last: under the smallest scale all but the nearest halves have no chance at all.
    far = np.abs(released[:, None] - outputs)
    with np.errstate(over="ignore"):
        near = np.exp((far.min(axis=1, keepdims=True) - far) / scale)
    return np.asarray(near @ members / near.sum(axis=1, keepdims=True))


# --- How far the answers of two halves are apart ----------------------------------------------------------


@checked
def average_sensitivity(outputs: ArrayLike, members: Members) -> Array:
    """Return how much the answer changes on average when a record is swapped for another.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half of an even number of records, each equally likely.
    members : array_like of bool, shape (halves, records)
        Which records each half holds; every half once.

    Returns
    -------
    ndarray of shape (records,)
        For each record x, the mean of ``|A(D) - A(D - x + x')|`` over halves D with x and
        records x' left out.

    Raises
    ------
    ValueError
        For a malformed argument, or if a neighbouring half is missing.

    Notes
    -----
    New here: noise with density ``exp(-|x|/b)`` gives
    ``eta <= (1 - exp(-average_sensitivity / 2b)) / 2`` for every query.  At most the
    sensitivity, and at most twice `mean_deviation`.

    Examples
    --------
    >>> average_sensitivity([1.0, -1.0], [[True, False], [False, True]]).tolist()
    [2.0, 2.0]
    """
    totals, pairs = np.zeros((2, members.shape[1]))
    for x, changes in _swap_changes(outputs, members):
        with np.errstate(over="ignore"):
            totals[x] += changes.sum()
        pairs[x] += changes.size
    if not np.isfinite(totals).all():
        validate.refuse("outputs", outputs, "such that their distances are finite")
    return np.asarray(totals / pairs)


def largest_sensitivity(outputs: ArrayLike, members: ArrayLike) -> float:
    """Return the largest change of the answer when a record is swapped for another.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half of an even number of records.
    members : array_like of bool, shape (halves, records)
        Which records each half holds; every half once.

    Notes
    -----
    The sensitivity of DP, for this query and these records.

    Examples
    --------
    >>> largest_sensitivity([1.0, -1.0], [[True, False], [False, True]])
    2.0
    """
    largest = max(float(changes.max()) for _, changes in _swap_changes(outputs, members))
    if not np.isfinite(largest):
        validate.refuse("outputs", outputs, "such that their distances are finite")
    return largest


def _swap_changes(outputs: ArrayLike, members: ArrayLike) -> Iterator[tuple[int, Array]]:
    """Yield a record, and how much the answers change when another one takes its place."""
    cumulated_atoms(outputs, members)
    answers, flags = np.asarray(outputs, dtype=float), np.asarray(members)
    n = flags.shape[1]
    if n > 62:
        validate.refuse("members", n, "at most 62 records, one bit each")
    codes = flags @ (1 << np.arange(n, dtype=np.int64))
    order = np.argsort(codes)
    sorted_codes = codes[order]
    for x, other in permutations(range(n), 2):
        with_x = np.flatnonzero(flags[:, x] & ~flags[:, other])
        wanted = codes[with_x] - (1 << x) + (1 << other)
        place = np.minimum(np.searchsorted(sorted_codes, wanted), codes.size - 1)
        if np.any(sorted_codes[place] != wanted):
            validate.refuse("members", "a half is missing", "all halves, each once")
        with np.errstate(over="ignore"):
            changes = np.abs(answers[with_x] - answers[order[place]])
        if changes.size:
            yield x, changes


@checked
def mean_deviation(outputs: Annotated[Any, Numbers(ndim=1)]) -> float:
    """Return the first absolute moment around the best centre, the median.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half.

    Returns
    -------
    float
        ``E|A - m|`` for m the median: the sigma that `noise_scale` asks for, at its least.

    Notes
    -----
    MIP paper, Theorem 9 with M = 1 and the best centre.

    Examples
    --------
    >>> mean_deviation([0.0, 0.0, 3.0])
    1.0
    """
    if outputs.size == 0 or not np.isfinite(outputs).all():
        validate.refuse("outputs", outputs, "finite numbers, at least one")
    with np.errstate(over="ignore"):
        found = float(np.abs(outputs - np.median(outputs / 2) * 2).mean())
    if not np.isfinite(found):
        validate.refuse("outputs", outputs, "such that their mean deviation is finite")
    return found
