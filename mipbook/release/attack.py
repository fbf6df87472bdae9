"""Attacks on releases: by shadow fits, and by the digits of noise that is added in floating point."""

from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Number, Squarable, checked
from explorable.private import private
from mipbook import game, mip
from mipbook.base.types import Array, Count, Members, Positive, Rng, Values
from mipbook.mip.grid import Calibration

Real = Annotated[float, Number()]
_CELLS = 1 << 20
# Records whose presence moves the fit most are attacked.
_EXPOSED = 3


class AttackReport(NamedTuple):
    """How often an attack on one record was right, with a band for the best of all attacked."""

    record: int
    accuracy: float
    low: float
    high: float


@private("fits", "members")
@checked
def measure_attack(
    fits: Annotated[Any, Squarable(ndim=2)], members: Members, noise: Calibration, rng: Rng
) -> AttackReport:
    """Return the accuracy of a likelihood-ratio attack on the three most exposed records.

    Parameters
    ----------
    fits : array_like of shape (count, d)
        Fits on random halves, without noise; at least 40.
    noise : Calibration
        The noise of the release.

    Returns
    -------
    AttackReport
        Of the record for which the attack was right most often; the band is of 95% for all at once.

    Notes
    -----
    MIP paper, Proposition 2, with the distributions of the release replaced by those of one half of
    the fits; the other half is attacked.  An attack is a lower bound: a better one may exist.

    Examples
    --------
    >>> from mipbook import mip
    >>> rng = np.random.default_rng(0)
    >>> members = np.arange(400)[:, None] % 2 == np.arange(2)
    >>> fits = np.where(members[:, :1], 1.0, -1.0)
    >>> noise = mip.Calibration(1.0, 0.32, "laplace", np.ones(1), np.zeros(1), 400, 0.9)
    >>> measure_attack(fits, members, noise, rng).accuracy > 0.7
    True
    """
    if len(members) != len(fits) or len(fits) < 40:
        shape = f"{members.dtype} array of shape {members.shape}"
        validate.refuse_as("members", shape, f"booleans, one row for each of {len(fits)} fits (>= 40)")
    if not isinstance(noise, Calibration) or noise.weights.size != fits.shape[1]:
        validate.refuse("noise", noise, f"a Calibration for {fits.shape[1]} numbers")
    half = len(fits) // 2
    inside = members[:half].sum(axis=0)
    known = np.flatnonzero((inside > 1) & (inside < half - 1))
    if known.size == 0:
        validate.refuse("members", members, "such that a record is in some halves only")
    means_in = members[:half].T @ fits[:half] / np.maximum(inside, 1)[:, None]
    means_out = (~members[:half]).T @ fits[:half] / np.maximum(half - inside, 1)[:, None]
    shift = np.abs((means_in - means_out) / noise.weights).sum(axis=1)
    exposed = known[np.argsort(-shift[known])[:_EXPOSED]]
    released = noise.release(fits[half:], rng)
    # All gaps of a part fit into a few megabytes.
    step = max(1, _CELLS // (half * released.shape[1]))
    parts = [released[i : i + step] for i in range(0, len(released), step)]
    seen = members[:half, exposed]
    edges = np.concatenate([_edges(part, fits[:half], seen, noise) for part in parts])
    right = ((edges >= 0) == members[half:, exposed]).sum(axis=0)
    best, games = int(right.argmax()), len(edges)
    low, high = game.clopper_pearson(int(right[best]), games, 1 - 0.05 / exposed.size)
    return AttackReport(int(exposed[best]), int(right[best]) / games, low, high)


def _edges(released: Array, known: Array, flags: Any, noise: Calibration) -> Array:
    """Return the log odds of *in* for each release and record; infinite beyond the doubles."""
    near = noise.log_density(released[:, None, :] - known[None])
    near = np.exp(near - near.max(axis=1, keepdims=True))
    with np.errstate(divide="ignore"):
        within, without = (
            np.log(near @ side) - np.log(side.sum(axis=0))
            for side in (flags.astype(float), (~flags).astype(float))
        )
    return np.asarray(within - without)


# Doubles on each side of the one computed that rounding may have led to the same release.
_NEAR = 6
# Of more doubles that begin alike the gaps average out.
_FEW = 16


@checked
def last_digit_edge(released: Values, out: Real, inside: Real, sigma: Positive) -> Array:
    """Return the log odds that a release came from ``inside``, read from all its digits.

    Parameters
    ----------
    released : array_like
        Releases, finite.
    out, inside : float
        The value without the record, and with it.

    Returns
    -------
    ndarray
        Positive for *in*; infinite where a sum in floating point cannot give this
        double from one of the two values.

    Notes
    -----
    For either value, every double that the noise can be is traced back: which double, times
    sigma, rounds to it, and is the sum rounded to this release?

    References
    ----------
    I. Mironov, "On Significance of the Least Significant Bits for Differential Privacy",
    CCS 2012.

    Examples
    --------
    >>> edge = last_digit_edge([0.1 + 0.4 * 0.7, 0.4 * 0.7], 0.0, 0.1, 0.4)
    >>> edge.shape
    (2,)
    """
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        edge = _log_chance(released, inside, sigma) - _log_chance(released, out, sigma)
    # Impossible from both means that other arithmetic was used: only the value is left.
    return np.where(np.isnan(edge), _plain_edge(released, out, inside, sigma), edge)


def _plain_edge(released: Array, out: float, inside: float, sigma: float) -> Array:
    """Return the log odds of *in* that the value alone gives."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return np.asarray(((released - out) ** 2 - (released - inside) ** 2) / (2 * np.float64(sigma) ** 2))


@checked
def cut_edge(
    released: Annotated[Any, Squarable(ndim=1)], decimals: Count, out: Real, inside: Real, sigma: Positive
) -> Array:
    """Return the log odds of *in* for one who reads so many decimals and no more.

    Parameters
    ----------
    released : array_like of shape (n,)
        Releases, finite.
    decimals : int
        How many are read; the rest is cut off.
    out, inside : float
        The value without the record, and with it.

    Returns
    -------
    ndarray of shape (n,)

    Notes
    -----
    All doubles that begin with these decimals may have been printed. If they are few, their chances
    by `last_digit_edge` are added; of many their middle tells as much.

    Examples
    --------
    >>> cut_edge([0.1 + 0.4 * 0.7], 3, 0.0, 0.1, 0.4).shape
    (1,)
    """
    side, size, scale = np.where(released < 0, -1.0, 1.0), np.abs(released), 10**decimals
    kept = [int(Decimal(repr(each)).scaleb(decimals)) for each in size.tolist()]
    low = np.array([number / scale for number in kept])
    high = np.maximum(np.nextafter([(number + 1) / scale for number in kept], 0.0), size)
    each = np.stack([low, *_neighbours(low, _FEW)[-_FEW:]], axis=1)
    few = each[:, -1] > high
    row, column = np.nonzero((each <= high[:, None]) & few[:, None])
    numbers, chances = side[row] * each[row, column], []
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        for value in (out, inside):
            chance = np.exp(_log_chance(numbers, value, sigma))
            chances.append(np.log(np.bincount(row, chance, minlength=side.size)))
        edge = chances[1] - chances[0]
    return np.where(few & ~np.isnan(edge), edge, _plain_edge(side * (low + high) / 2, out, inside, sigma))


class DigitGames(NamedTuple):
    """Releases, whether the record was in, and the log odds of *in* by all digits."""

    released: Array
    member: NDArray[np.bool_]
    edge: Array


def digit_games(
    out: float, inside: float, eta: float, games: int, rng: np.random.Generator, *, on_grid: bool
) -> DigitGames:
    """Release one of two values again and again, with Gaussian noise that is just enough for eta.

    Parameters
    ----------
    out, inside : float
        The value without the record, and with it, the larger one.
    games : int
        How many.
    on_grid : bool
        Whether value and noise are added on a public grid, or in floating point.

    Examples
    --------
    >>> digit_games(0.0, 0.1, 0.05, 4, np.random.default_rng(0), on_grid=False).edge.shape
    (4,)
    """
    sigma = float(mip.gaussian_sigma_for_mip((inside - out) / 2, eta))
    member = rng.random(games) < 0.5
    theta = np.where(member, inside, out)
    if on_grid:
        one = np.ones(1)
        noise = mip.Calibration(sigma, eta, "gaussian", one, 0 * one, 0, 1.0)
        released = noise.release(theta[:, None], rng)[:, 0]
    else:
        released = theta + sigma * rng.standard_normal(games)
    return DigitGames(released, member, last_digit_edge(released, out, inside, sigma))


def _log_chance(released: Array, value: float, sigma: float) -> Array:
    """Return the log of the chance of each release, in units of the noise's density."""
    noise = released - value
    total = np.zeros(released.shape)
    hits = np.zeros(released.shape, dtype=int)
    for e in _neighbours(noise, _NEAR):
        fits = value + e == released
        hits += fits
        total += np.where(fits, _width(e, sigma), 0.0)
    # So many doubles lead to this release that their gaps average out.
    total = np.where(hits == 2 * _NEAR + 1, np.spacing(np.abs(released)), total)
    return np.asarray(np.log(total) - 0.5 * (noise / sigma) ** 2)


def _width(noise: Array, sigma: float) -> Array:
    """Return how long the interval of real numbers is that ends as each double of the noise."""
    total = np.zeros(noise.shape)
    for z in _neighbours(noise / sigma, 3):
        total += np.where(z * sigma == noise, np.spacing(np.abs(z)) * sigma, 0.0)
    return total


def _neighbours(start: Array, reach: int) -> list[Array]:
    found = [start]
    for end in (-np.inf, np.inf):
        at = start
        for _ in range(reach):
            at = np.nextafter(at, end)
            found.append(at)
    return found
