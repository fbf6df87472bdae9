"""Attacks on the mean of normal records with noise: their rates, and LiRA with few shadow models."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from scipy.special import gammainc, gammaincinv, ndtr, ndtri

from explorable import validate
from explorable.checked import Integer, Number, OneOf, checked
from mipbook.base.types import Array, Floats, Rng
from mipbook.mis.means import legendre, log_chi, pair_delta


def log_ratio(
    score: Array, mean_in: Array, var_in: Array | float, mean_out: Array, var_out: Array | float
) -> Array:
    """Return ln N(score; in) - ln N(score; out).

    Examples
    --------
    >>> float(log_ratio(np.array(1.0), np.array(1.0), 1.0, np.array(0.0), 1.0))
    0.5
    """
    away = (score - mean_out) ** 2 / var_out - (score - mean_in) ** 2 / var_in
    return np.asarray((away + np.log(var_out) - np.log(var_in)) / 2)


# Further from the root of the degrees than this a length has a chance below e^-60.
_REACH = 11.0
_NODES = 160


def lengths(d: int, scale: Array, start: Array | float = 0.0) -> tuple[Array, Array]:
    """Return lengths and their weights, one row for each ``scale``, from ``start`` on.

    A hyperbolic angle resolves what happens at that scale next to the start.

    Examples
    --------
    >>> length, weight = lengths(20, np.array([1.0]))
    >>> bool(np.isclose((length**2 * weight).sum(), 20))
    True
    """
    root = math.sqrt(d)
    begin = np.maximum(np.broadcast_to(start, scale.shape), 0.0)
    low = np.maximum(root - _REACH - begin, 0.0)
    high = np.maximum(root, begin) + _REACH - begin
    unit = np.clip(scale, 1e-12, 1e12)
    first, last = np.arcsinh(low / unit), np.arcsinh(high / unit)
    nodes, weights = legendre(_NODES)
    angle = first[:, None] + (last - first)[:, None] * nodes
    length = begin[:, None] + unit[:, None] * np.sinh(angle)
    slope = unit[:, None] * np.cosh(angle) * (last - first)[:, None]
    with np.errstate(under="ignore"):
        weight = np.exp(log_chi(length, d)) * slope * weights
    return length, weight


MEAN_ATTACKS = ("best", "lira", "offline", "two-sided", "loss")
_LEAST_FPR = 1e-12
# A probit of 8 is a rate that a double cannot tell from 1.
_ALMOST = 1 - 1e-15
_RUNGS, _STEPS, _CLOSE = 33, 24, 1e-13

Records = Annotated[int, Integer(2, 10**9)]
Dimension = Annotated[int, Integer(1, 10**6)]
Noise = Annotated[float, Number(0.0, 1e3)]
Searched = Annotated[str, OneOf(("best", "lira"))]


@checked
def people_worth(n: Records, tau: Noise) -> float:
    """Return how many people without noise hide a record as well as n people with noise.

    Parameters
    ----------
    n : int
        Records in the mean, in [2, 10^9], each normal with variance 1 in every coordinate.
    tau : float
        Standard deviation of the noise on each coordinate of the mean, in [0, 10^3].

    Returns
    -------
    float
        n + n^2 tau^2, exact.

    Notes
    -----
    A record and the release are normal pairs, one a coordinate; all that an attack can use is
    their correlation, whose square is one over this number.

    Examples
    --------
    >>> people_worth(10, 0.3)
    19.0
    """
    return n + (n * tau) ** 2


def _rates_best(bar: Array, rho: float, d: int) -> tuple[Array, Array]:
    """Return the rates of the test that accuses where the log likelihood ratio is at least -bar.

    Constants apart: given a length r the log ratio is normal with standard deviation rho r and
    mean 0 for members, and with standard deviation w and mean -w^2 for others.
    """
    bent = rho / math.sqrt(1 - rho**2)
    length, weight = lengths(d, np.abs(bar) / rho)
    w = bent * length
    fpr = (ndtr(bar[:, None] / w - w) * weight).sum(axis=1)
    tpr = (ndtr(bar[:, None] / (rho * length)) * weight).sum(axis=1)
    return fpr, tpr


def _rates_lira(bar: Array, rho: float, d: int) -> tuple[Array, Array]:
    """Return the rates of online LiRA; members' shadows are heard where r^2 + bar is positive.

    Given the length r of the record, the projection of the release is N(0, 1) for others and
    N(rho r, 1 - rho^2) for members: their ratio is large in an interval around r / rho.
    """
    rest = 1 - rho**2
    start = np.sqrt(np.maximum(-bar, 0.0))
    length, weight = lengths(d, np.sqrt(np.abs(bar)), start)
    half = np.sqrt(rest * np.maximum(length**2 + bar[:, None], 0.0))
    # (length - half) / rho without cancellation.
    near = (rho * length**2 - rest * bar[:, None] / rho) / (length + half)
    far = (length + half) / rho
    fpr = ((ndtr(-near) - ndtr(-far)) * weight).sum(axis=1)
    shift, spread = rho * length, math.sqrt(rest)
    tpr = ((ndtr((shift - near) / spread) - ndtr((shift - far) / spread)) * weight).sum(axis=1)
    return fpr, tpr


_RATES: dict[str, Callable[[Array, float, int], tuple[Array, Array]]]
_RATES = {"best": _rates_best, "lira": _rates_lira}


def _probit(rates: Array) -> Array:
    return np.asarray(ndtri(np.clip(rates, 1e-300, _ALMOST)))


@lru_cache(maxsize=256)
def _ladder(attack: str, rho: float, d: int) -> tuple[Array, Array]:
    """Return thresholds from one end to the other, and the probits of their rates."""
    longest = math.sqrt(d) + 12.0
    bent = rho / math.sqrt(1 - rho**2)
    widest = bent * longest * (bent * longest + 12.0)
    least, most = (-widest, widest)
    if attack == "lira":
        # Twice a log ratio; no length is below the root of minus the threshold.
        least, most = max(-2 * widest, -(longest**2)), 2 * widest
    bars = np.linspace(least, most, _RUNGS)
    return bars, np.maximum.accumulate(_probit(_RATES[attack](bars, rho, d)[0]))


def _bars(attack: str, fpr: Array, rho: float, d: int) -> Array:
    """Return where a test has these false positive rates: by a ladder, then the Illinois rule.

    The probit of the rate is nearly a straight line in the threshold.
    """
    bars, probits = _ladder(attack, rho, d)
    target = _probit(fpr)
    place = np.clip(np.searchsorted(probits, target), 1, _RUNGS - 1)
    low, high = bars[place - 1], bars[place]
    below, above = probits[place - 1] - target, probits[place] - target
    kept = np.zeros(fpr.shape)
    for _ in range(_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            line = np.clip((low * above - high * below) / (above - below), low, high)
        middle = np.where(above > below, line, low)
        found = _probit(_RATES[attack](middle, rho, d)[0]) - target
        if (np.abs(found) <= _CLOSE).all():
            break
        over = found >= 0
        # An end that stays twice counts half, so that the other one comes nearer.
        below = np.where(over, np.where(kept > 0, below / 2, below), found)
        above = np.where(over, found, np.where(kept < 0, above / 2, above))
        low, high = np.where(over, low, middle), np.where(over, middle, high)
        kept = np.where(over, 1.0, -1.0)
    return middle


@checked
def mean_attack_tpr(
    fpr: Any,
    n: Records,
    d: Dimension = 1,
    tau: Noise = 0.0,
    attack: Annotated[str, OneOf(MEAN_ATTACKS)] = "best",
    shadows: Annotated[float, Number(1.0)] = math.inf,
) -> Floats:
    """Return the share of members that an attack on a noisy mean finds.

    Parameters
    ----------
    fpr : array_like
        The share of others that it accuses: 0, or in [1e-12, 1]; at most 10^4 of them.
    n : int
        Records in the mean, in [2, 10^9], each N(0, I).
    d : int
        Coordinates of a record, in [1, 10^6].
    tau : float
        Standard deviation of the noise N(0, tau^2 I) on the mean, in [0, 10^3].
    attack : {"best", "lira", "offline", "two-sided", "loss"}
        The likelihood ratio of the whole release; LiRA on the projection of the release on the
        record with infinitely many shadow models, with and without the record; LiRA with out
        models alone; the same by a density instead of a tail; one threshold on the loss, the
        squared distance of record and release, for all records.
    shadows : float
        Out models of ``attack="offline"``, at least 1; their variance is known.

    Returns
    -------
    float or ndarray
        Exact up to about 1e-9.

    References
    ----------
    N. Carlini et al., "Membership Inference Attacks From First Principles", 2022, for LiRA.

    Examples
    --------
    >>> np.round(mean_attack_tpr([0.001, 0.01, 0.1], 10, 20), 4)
    array([0.0494, 0.1838, 0.5622])
    >>> round(mean_attack_tpr(0.01, 10, 20, attack="offline", shadows=2), 4)
    0.1138
    """
    rates = validate.array("fpr", fpr, 0.0, 1.0)
    if rates.size > 10_000 or ((rates > 0) & (rates < _LEAST_FPR)).any():
        validate.refuse("fpr", fpr, f"0, or in [{_LEAST_FPR:g}, 1], and at most 10,000 of them")
    if attack != "offline" and shadows < math.inf:
        validate.refuse("shadows", shadows, "infinite, except for the attack 'offline'")
    rho = 1 / math.sqrt(people_worth(n, tau))
    flat = np.clip(rates.ravel(), _LEAST_FPR, 1.0)
    if attack in _RATES:
        # A few thousand points at a time: each needs a row of nodes.
        parts = np.array_split(flat, max(1, math.ceil(flat.size / 500)))
        found = np.concatenate([_RATES[attack](_bars(attack, part, rho, d), rho, d)[1] for part in parts])
    elif attack == "loss":
        # The squared distance of a record from the release is a multiple of a chi-square.
        spread = 1 / n + tau**2 + 1
        found = gammainc(d / 2, gammaincinv(d / 2, flat) * spread / (spread - 2 / n))
    else:
        length, weight = lengths(d, np.ones(1))
        shift, rest = rho * length, 1 - rho**2
        if attack == "offline":
            bar = ndtri(flat)[:, None] * math.sqrt(1 + 1 / shadows)
            hit = ndtr((shift + bar) / math.sqrt(rest + 1 / shadows))
        else:
            bar, width = ndtri(flat / 2)[:, None], math.sqrt(rest)
            hit = ndtr((shift + bar) / width) + ndtr((bar - shift) / width)
        found = (hit * weight).sum(axis=1)
    found = np.where(rates.ravel() == 0, 0.0, np.where(flat == 1, 1.0, np.clip(found, 0, 1)))
    return validate.plain(found.reshape(rates.shape))


@checked
def mean_attack_roc(
    n: Records, d: Dimension, points: Annotated[int, Integer(2, 10_000)]
) -> tuple[Array, Array]:
    """Return points of the ROC curve of the best attack on a mean without noise.

    Parameters
    ----------
    n, d
        As in `mean_attack_tpr`.
    points : int
        How many, in [2, 10^4].

    Returns
    -------
    fpr, tpr : ndarray of shape (points,)
        Rising; exact points of the curve, from a false positive rate of about 1e-9 to almost 1.

    Notes
    -----
    As `mean_attack_tpr`, at thresholds of its own choice: no threshold is searched for.

    Examples
    --------
    >>> fpr, tpr = mean_attack_roc(10, 20, 61)
    >>> bool((tpr > fpr).all())
    True
    """
    rho = 1 / math.sqrt(n)
    # Any bars give points of the curve; these stand in about equal steps of the probit.
    rungs, probits = _ladder("best", rho, d)
    return _rates_best(np.interp(np.linspace(-6.0, 6.0, points), probits, rungs), rho, d)


@checked
def mean_attack_advantage(n: Records, d: Dimension = 1, tau: Noise = 0.0, attack: Searched = "best") -> float:
    """Return the largest TPR - FPR of the best attack or of LiRA on a noisy mean.

    Parameters
    ----------
    n, d, tau
        As in `mean_attack_tpr`.
    attack : {"best", "lira"}

    Returns
    -------
    float
        Exact up to about 1e-9; of the best attack it is Delta, and 1 less it is the MIS.

    Notes
    -----
    The best attack's is `mipbook.mis.gaussian_mean_delta` at `people_worth` people.  LiRA's is
    reached where the ratio of its two densities is 1.

    Examples
    --------
    >>> round(mean_attack_advantage(10, 20), 6), round(mean_attack_advantage(10, 20, 0, "lira"), 6)
    (0.535403, 0.523896)
    """
    if attack == "best":
        return pair_delta(people_worth(n, tau), d, 0.0)
    rho = 1 / math.sqrt(people_worth(n, tau))
    # Where the ratio of the projections is 1.
    fpr, tpr = _rates_lira(np.array([-math.log1p(-(rho**2))]), rho, d)
    return float(tpr[0] - fpr[0])


FEW_ATTACKS = ("online, pooled", "online, each", "offline, pooled", "offline, each")


@checked
def few_shadow_scores(
    models: Annotated[int, Integer(4, 10**6, multiple_of=2)],
    n: Records,
    d: Dimension,
    rng: Rng,
    *,
    attack: Annotated[str, OneOf(FEW_ATTACKS)] = FEW_ATTACKS[0],
    draws: Annotated[int, Integer(1, 10**6)] = 100_000,
) -> tuple[Array, Array]:
    """Play LiRA with few shadow models on the mean; return the scores.

    Parameters
    ----------
    models : int
        Shadow models in all, even, in [4, 10^6].  Online half of them have the record; offline
        none has it.
    n : int
        Records in the mean, in [2, 10^9], each N(0, I).
    d : int
        Coordinates of a record, in [1, 10^6].
    attack : {"online, pooled", "online, each", "offline, pooled", "offline, each"}
        *Pooled*: the variances are known, as pooling over many records would find them; *each*:
        they are estimated from this record's models.
    draws : int
        Members, and as many others, in [1, 10^6].

    Returns
    -------
    inside, outside : ndarray of shape (draws,)
        Scores of members and of others, larger for *in*.

    Notes
    -----
    The mean of a record's shadow models is normal and their variance is chi-square, independent of
    it, so no shadow model is drawn.

    Examples
    --------
    >>> inside, outside = few_shadow_scores(16, 10, 20, np.random.default_rng(0))
    >>> bool(0.8 < (inside[:, None] > outside[:100]).mean() < 0.85)
    True
    """
    rho = 1 / math.sqrt(n)
    method, variance = attack.split(", ")
    shift = rho * np.sqrt(rng.chisquare(d, (2, draws)))
    # Of the projection of the release on the record: others N(0, 1), members N(shift, rest).
    rest = 1 - rho**2
    seen = rng.standard_normal((2, draws))
    seen[0] = shift[0] + math.sqrt(rest) * seen[0]
    many = models if method == "offline" else models // 2
    mean_out = rng.standard_normal((2, draws)) / math.sqrt(many)
    free = many - 1
    var_out = rng.chisquare(free, (2, draws)) / free if variance == "each" else np.ones((2, 1))
    if method == "offline":
        scores = (seen - mean_out) / np.sqrt(var_out)
    else:
        mean_in = shift + math.sqrt(rest / many) * rng.standard_normal((2, draws))
        var_in = rest * rng.chisquare(free, (2, draws)) / free if variance == "each" else rest
        scores = log_ratio(seen, mean_in, var_in, mean_out, var_out)
    return scores[0], scores[1]
