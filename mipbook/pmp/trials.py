"""The simulations of the PMP paper: one trial of each mechanism, readings of its figures, sweeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np

from explorable import progress, validate
from explorable.checked import Called, Instance, Integer, Number, OneOf, Size, Squarable, Switched, checked
from mipbook import tradeoff
from mipbook.base.types import Array, Chance, Count, Positive, Rng
from mipbook.data import clip_norm, gaussian_points, scale_outliers, unit_vectors
from mipbook.pmp import exponential as bounds
from mipbook.pmp.exponential import exponential_risks
from mipbook.pmp.exponential_estimates import exponential_epsilon_estimate
from mipbook.pmp.gaussian_bound import gaussian_epsilon_bound
from mipbook.pmp.gaussian_bound import pool as pool_of
from mipbook.pmp.gaussian_rows import Rows, diameter, standardised

T = TypeVar("T")


@checked
def sweep(
    function: Annotated[Callable[..., T], Called("of a case and rng")],
    cases: Sequence[Mapping[str, Any]],
    *,
    trials: int = 1,
    seed: Annotated[int, Integer(0)] = 0,
) -> list[list[T]]:
    """Call a function on every case, several times with randomness of its own.

    Parameters
    ----------
    function : callable
        Called as ``function(**case, rng=generator)``; defined at the top of a module, so that
        other processes find it.
    cases : sequence of mapping
        The keyword arguments, one mapping a case.
    trials : int
        Calls for each case, at least 1.  Trial i draws from the same numbers in every case, so
        that cases are compared on the same data.
    seed : int
        At least 0; the results depend on it and on nothing else.

    Returns
    -------
    list of list
        One list of ``trials`` results a case.

    Notes
    -----
    The simulations of the PMP paper, Figures 1 to 6, are such sweeps.  ``joblib.parallel_config``
    says how many processes there are; with its ``backend="dask"`` the calls run on a Dask cluster.

    Examples
    --------
    >>> from mipbook.data import gaussian_points
    >>> drawn = sweep(gaussian_points, [{"count": 2, "dimension": 1, "sigma": 1.0}], trials=3)
    >>> len(drawn), len(drawn[0])
    (1, 3)
    """
    from joblib import Parallel, delayed

    if not isinstance(cases, Sequence) or not all(isinstance(case, Mapping) for case in cases):
        validate.refuse("cases", cases, "a list of mappings from argument names to values")
    trials = validate.size("trials", trials, beside=max(1, 100 * len(cases)))
    found = Parallel(return_as="generator")(
        delayed(function)(**case, rng=np.random.default_rng((seed, trial)))
        for case in cases
        for trial in range(trials)
    )
    flat = list(progress.track(found, len(cases) * trials, what="sweep", unit="trials"))
    return [flat[i * trials : (i + 1) * trials] for i in range(len(cases))]


# How much of 2C/n each sensitivity is, times 2.
SHARES = {"2C/n": 2.0, "C/n": 1.0}


class GaussianTrial(NamedTuple):
    """What one trial gives.

    Attributes
    ----------
    epsilon : float
        DP parameter over all data sets within the clip threshold.
    epsilon_subset : float
        DP parameter inside the pool.
    epsilon_pmp : float
        Proposition 12's bound on the PMP parameter.
    sigma : float
        Standard deviation of the noise.
    """

    epsilon: float
    epsilon_subset: float
    epsilon_pmp: float
    sigma: float


@checked
def gaussian_sensitivity(n: Count, clip: Positive) -> float:
    """Largest change of a mean of n records when one of them is replaced.

    Parameters
    ----------
    n : int
        Records in the mean, at least 1.

    Returns
    -------
    float
        2 clip / n.

    Notes
    -----
    PMP paper, Lemma 10, for the mean of clipped records.

    Examples
    --------
    >>> gaussian_sensitivity(100, 50.0)
    1.0
    """
    return bounds.norm_sensitivity(n, clip, "triangle")


def gaussian_pool(
    n: int, dimension: int, sigma: float, clip: float, outliers: int, factor: float, rng: np.random.Generator
) -> Array:
    """Draw the pool of one trial: normal records, a few scaled up, all clipped.

    Parameters
    ----------
    n : int
        Records in a half; 2n are drawn.
    sigma : float
        Standard deviation of each coordinate.
    clip : float
        Largest length of a record, in (0, inf].
    outliers, factor : int, float
        How many records are scaled, and by what, before the clipping.

    Notes
    -----
    PMP paper, numerical simulations of the Gaussian mechanism.

    Examples
    --------
    >>> pool = gaussian_pool(3, 2, 1.0, 1.5, 1, 10.0, np.random.default_rng(0))
    >>> pool.shape, round(float(np.linalg.norm(pool, axis=1).max()), 12)
    ((6, 2), 1.5)
    """
    n = validate.size("n", n, beside=2)
    dimension = validate.size("dimension", dimension, beside=2 * n)
    sigma = validate.number("sigma", sigma, 0.0, 1e300)
    rng = validate.generator("rng", rng)
    drawn = gaussian_points(2 * n, dimension, sigma, rng)
    return clip_norm(scale_outliers(drawn, outliers, factor, rng), clip)


@checked
def gaussian_ratios(
    values: Array,
    full: Positive,
    delta: Chance,
    held: Annotated[str, OneOf(("epsilon", "subset"))],
    epsilon: Annotated[float, Number(0.0, 1e100)],  # beyond it squares in units of sigma overflow
) -> GaussianTrial:
    """Set the noise of a sum over a given pool and return the three parameters.

    Parameters
    ----------
    full : float
        Sensitivity over all data sets, in (0, inf).
    held : {"epsilon", "subset"}
        Whether ``epsilon`` is the DP parameter over all data sets or inside the pool.
    epsilon : float
        In [0, 1e100].

    Raises
    ------
    ValueError
        For a pool of equal records where ``held`` is "subset".

    Notes
    -----
    PMP paper, the approach of the section on the Gaussian mechanism.

    Examples
    --------
    >>> found = gaussian_ratios(np.array([[0.0], [1.0]]), 2.0, 0.01, "subset", 5.0)
    >>> round(found.epsilon, 6), round(found.epsilon_pmp, 6)
    (13.57964, 5.0)
    """
    widest = diameter(values)
    if held == "subset" and widest == 0:
        validate.refuse("values", values, "not all equal, so that inside the pool noise is needed")
    sigma = float(
        tradeoff.gaussian_sigma(epsilon, delta=delta, sensitivity=full if held == "epsilon" else widest)
    )
    overall, inside = (
        epsilon if held == name else float(tradeoff.gaussian_epsilon(delta, sigma=sigma, sensitivity=size))
        for name, size in (("epsilon", full), ("subset", widest))
    )
    return GaussianTrial(overall, inside, gaussian_epsilon_bound(values, sigma, delta), sigma)


def gaussian_trial(
    n: int,
    dimension: int,
    sigma: float,
    clip: float,
    outliers: int,
    factor: float,
    delta: float,
    held: str,
    epsilon: float,
    rng: np.random.Generator,
    sensitivity: str = "2C/n",
) -> GaussianTrial:
    """Run one trial of the Gaussian simulations.

    Parameters
    ----------
    n, dimension, sigma, clip, outliers, factor
        As in `gaussian_pool`.
    delta, held, epsilon
        As in `gaussian_ratios`.
    sensitivity : {"2C/n", "C/n"}
        Sensitivity of the clipped mean over all data sets; "2C/n" is the true one.

    Notes
    -----
    PMP paper, Figures 4 to 6.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> trial = gaussian_trial(20, 5, 1.0, 50.0, 0, 1.0, 0.01, "subset", 5.0, rng)
    >>> trial.epsilon_pmp < trial.epsilon_subset < trial.epsilon
    True
    """
    share = SHARES[validate.choice("sensitivity", sensitivity, tuple(SHARES))]
    full = gaussian_sensitivity(n, clip) * share / 2
    if validate.number("sigma", sigma, 0.0, 1e300) == 0 and held == "subset":
        validate.refuse("sigma", sigma, "above 0, so that inside the pool noise is needed")
    drawn = gaussian_pool(n, dimension, sigma, clip, outliers, factor, rng)
    return gaussian_ratios(drawn / n, full, delta, held, epsilon)


_DELTA = 0.01


class Reading(NamedTuple):
    """What stands on the axis, the sensitivity as a share of C / n, and how records count."""

    axis: str  # "eps", "eps(X)", or "eps Delta_X / Delta", the surrogate of Figures 1 to 3
    share: float
    over: str  # delta of the worst record, "max", or its "mean" over the records

    def __str__(self) -> str:
        sensitivity = "2C/n" if self.share == 2.0 else "C/n"
        return f"{self.axis} on the axis, {sensitivity}, {self.over} over records"


# The first is the text's own words; the others change one thing or two.
READINGS = (
    Reading("eps(X)", 2.0, "max"),
    Reading("eps Delta_X / Delta", 2.0, "max"),
    Reading("eps", 2.0, "max"),
    Reading("eps", 1.0, "max"),
    Reading("eps", 2.0, "mean"),
    Reading("eps", 1.0, "mean"),
)


class ReadingResult(NamedTuple):
    """Means over pools: what the text quotes of Figures 4, 5 and 6, under one reading.

    The trends are changes of eps~/eps and of eps~/eps(X) from the first to the last axis point.
    """

    at_ten: float
    trends_4: Array
    at_hundred: float
    trends_5: Array
    trends_6: Array


def on_average(values: Array, sigma: float, delta: float, top: float) -> float:
    """Return the epsilon at which Proposition 12's delta, averaged over the records, is enough."""
    return Rows(standardised(values, sigma)).mean_root(delta, top) if top > 0 else 0.0


Named = Annotated[Reading, Instance(Reading, "one of READINGS")]


@checked
def gaussian_reading(
    values: Annotated[Any, Squarable()],
    clip: Annotated[float, Number(0.0, 1e150, open_low=True)],
    epsilon: Annotated[float, Number(0.0, 1e100, open_low=True)],
    reading: Named,
) -> tuple[float, float, float]:
    """Return eps, eps(X) and eps~ of the Gaussian mechanism on one pool, under one reading.

    Parameters
    ----------
    values : ndarray of shape (2n, d)
        The records, clipped, divided by n.
    clip : float
        The clip threshold C, in (0, 1e150].
    epsilon : float
        What the axis says, in (0, 1e100].
    reading : Reading
        How it is read.

    Returns
    -------
    tuple of float
        eps and eps(X), exact under the reading, and eps~ by Proposition 12.  It is a bound on the
        PMP parameter for the maximum over the records only.

    Notes
    -----
    PMP paper, simulations of the Gaussian mechanism.  Only delta = 0.01 occurs.

    Examples
    --------
    >>> values = np.array([[0.0], [1.0], [2.0], [4.0]]) / 2
    >>> gaussian_reading(values, 4.0, 1.0, READINGS[0])[1]
    1.0
    """
    if not 1e-140 < np.ptp(pool_of(values), axis=0).max() < 1e140:
        validate.refuse("values", values, "not all equal, and within 1e140 of each other")
    full, held = reading.share * clip / (len(values) // 2), "epsilon"
    nominal = epsilon
    if reading.axis == "eps(X)":
        held = "subset"
    elif reading.axis != "eps":
        nominal = epsilon * full / diameter(values)
    if full == 0 or nominal > 1e100:
        validate.refuse("clip", clip, "neither so small nor so large beside the values and epsilon")
    trial = gaussian_ratios(values, full, _DELTA, held, nominal)
    inside = trial.epsilon_subset if reading.axis == "eps" else epsilon
    found = trial.epsilon_pmp
    if reading.over == "mean":
        found = on_average(values, trial.sigma, _DELTA, found)
    return trial.epsilon, inside, found


def _means(settings: list[tuple[float, dict[str, Any]]], reading: Reading, pools: int) -> tuple[Array, Array]:
    """Return mean eps~, and mean ratios to eps and eps(X), at each epsilon on its pools."""
    values, ratios = [], []
    for epsilon, case in settings:
        found = []
        for rng in np.random.default_rng(0).spawn(pools):
            drawn = gaussian_pool(100, **case, factor=10.0, rng=rng)
            found.append(gaussian_reading(drawn / 100, case["clip"], epsilon, reading))
        whole, inside, pmp = np.array(found).T
        values.append(pmp.mean())
        ratios.append([(pmp / whole).mean(), (pmp / inside).mean()])
    return np.array(values), np.array(ratios)


@checked
def read_figures(reading: Named, pools: Annotated[int, Integer(1, 10**5)] = 3) -> ReadingResult:
    """Return what the text quotes of Figures 4 to 6, computed under one reading.

    Parameters
    ----------
    reading : Reading
        How the simulations are read.
    pools : int
        Pools for each point, at least 1.

    Returns
    -------
    ReadingResult
        Estimates: means over the pools.

    Notes
    -----
    PMP paper, Figures 4 (axis 0.5 to 10), 5 (C from 20 to 200 at 5) and 6 (d from 1 to 100 at 5).

    Examples
    --------
    >>> 6 < read_figures(READINGS[0], pools=1).at_ten < 8
    True
    """
    base = {"dimension": 20, "sigma": 1.0, "clip": 50.0, "outliers": 0}
    four = [(epsilon, base) for epsilon in (0.5, 10.0)]
    five = [(5.0, {"dimension": 10, "sigma": 5.0, "clip": c, "outliers": 2}) for c in (20.0, 100.0, 200.0)]
    six = [(5.0, {**base, "dimension": d}) for d in (1, 100)]
    (_, ten), rise = _means(four, reading, pools)
    (_, hundred, _), shrink = _means(five, reading, pools)
    _, grow = _means(six, reading, pools)
    changes = [ratios[-1] - ratios[0] for ratios in (rise, shrink, grow)]
    return ReadingResult(float(ten), changes[0], float(hundred), changes[1], changes[2])


# Draws of halves for an estimate: its error is small beside that from one data set to the next.
_SAMPLES = 1000


class Pool(NamedTuple):
    """A drawn data set: the objects, the losses, and the clipped records."""

    objects: Array
    values: Array
    losses: Array


class ExponentialTrial(NamedTuple):
    """The four epsilons on one data set, the surrogate, and the best attack.

    Attributes
    ----------
    epsilon : float
        What the mechanism is nominally (exact).
    true_bound : float
        What it provably is, on all data sets (bound).
    surrogate : float
        What the paper's figures call eps(X) (bound on ``subset``).
    subset : float or None
        DP on halves of the pool (exact); None where it was not asked for.
    pmp : float
        The PMP parameter (exact).
    success : float
        How often the best practical attacker is right (exact).
    """

    epsilon: float
    true_bound: float
    surrogate: float
    subset: float | None
    pmp: float
    success: float


@checked
def draw_pool(
    n: Annotated[int, Size(beside=2)],
    dimension: int,
    objects: int,
    sigma: float,
    clip: float,
    outliers: int,
    factor: float,
    rng: Rng,
) -> Pool:
    """Draw a pool as the paper's simulations do.

    Parameters
    ----------
    n, dimension, objects : int
        Half of the records, their coordinates d, the objects m; each at least 1.
    sigma : float
        Spread of the records around the first object, in [0, inf).
    outliers : int
        Records that are scaled, in [0, 2n].
    factor : float
        What they are scaled by, in (0, inf).

    Notes
    -----
    PMP paper, the simulations of Figures 1 to 3: unit objects, records around the first of
    them, outliers scaled before they are clipped.

    Examples
    --------
    >>> draw_pool(6, 5, 32, 1.0, 50.0, 2, 100.0, np.random.default_rng(0)).losses.shape
    (12, 32)
    """
    objects = validate.size("objects", objects, beside=2 * n)
    dimension = validate.size("dimension", dimension, beside=max(objects, 2 * n))
    centres = unit_vectors(objects, dimension, rng)
    values = gaussian_points(2 * n, dimension, sigma, rng, centres[0])
    values = clip_norm(scale_outliers(values, outliers, factor, rng), clip)
    return Pool(centres, values, bounds.norm_losses(values, centres))


@checked
def exponential_trial(
    n: int = 6,
    dimension: int = 1,
    objects: int = 10,
    sigma: float = 1.0,
    clip: float = 10.0,
    outliers: int = 0,
    factor: float = 100.0,
    epsilon: Positive = 5.0,
    held: Annotated[str, OneOf(("surrogate", "epsilon"))] = "surrogate",
    convention: Annotated[str, OneOf(bounds.SENSITIVITIES)] = "attained",
    subset: Annotated[bool, Switched()] = False,
    counted: Annotated[int, Integer(1)] = 10**6,
    *,
    rng: Rng,
) -> ExponentialTrial:
    """Draw one data set and return its four epsilons.

    Parameters
    ----------
    n, dimension, objects, sigma, clip, outliers, factor
        As in `draw_pool`.
    epsilon : float
        The value of what is held fixed, in (0, inf).
    held : {"surrogate", "epsilon"}
        Whether ``epsilon`` is the paper's eps(X) or the nominal parameter.
    convention : {"attained", "triangle"}
        The sensitivity, as in `norm_sensitivity`.
    subset : bool
        Whether to compute the exact eps(X) too, which takes longest.
    counted : int
        The largest n whose halves are counted, unless there are two objects only; beyond it
        ``pmp`` is an estimate, and ``success`` what it allows at most.

    Raises
    ------
    ValueError
        For a pool of equal records where eps(X) is held.

    Notes
    -----
    PMP paper, Figures 1 to 3.

    Examples
    --------
    >>> found = exponential_trial(rng=np.random.default_rng(0))
    >>> found.pmp < found.surrogate < found.epsilon
    True
    """
    pool = draw_pool(n, dimension, objects, sigma, clip, outliers, factor, rng)
    sensitivity = bounds.norm_sensitivity(n, clip, convention)
    local = bounds.local_sensitivity(pool.losses)
    if local == 0 and held != "epsilon":
        validate.refuse("sigma", sigma, "such that records differ within clip: eps(X) is 0 for equal ones")
    nominal = epsilon if held == "epsilon" else epsilon * sensitivity / local
    bound = bounds.true_epsilon_bound(pool.objects, n, nominal, sensitivity)
    inside = bounds.subset_epsilon(pool.losses, nominal, sensitivity) if subset else None
    if n <= counted or len(np.unique(pool.objects, axis=0)) <= 2:
        risks = exponential_risks(pool.losses, nominal, sensitivity)
    else:
        found = exponential_epsilon_estimate(pool.losses, nominal, sensitivity, rng, samples=_SAMPLES)
        risks = found.value, float(tradeoff.dp_accuracy(found.value))
    return ExponentialTrial(nominal, bound, nominal * local / sensitivity, inside, *risks)
