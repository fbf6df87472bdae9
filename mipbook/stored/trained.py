"""Training with clip and noise, as stored: what networks reach, plans cost, runs tell, shadows find."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import OneOf, checked
from mipbook.base.types import Array
from mipbook.data.mnist import small_digits
from mipbook.dpsgd.accountant import certified_epsilon, certified_sigma
from mipbook.dpsgd.profile import schedule
from mipbook.stored.store import load

# From the name of a network to its hidden units.
NETWORKS = {"softmax": 0, "64-32-10": 32}
CLIPS = (0.03, 0.05, 0.07, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0)
SIGMAS = (
    *(0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
    *(2.4, 2.8, 3.2, 3.6, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0),
)
# How likely a record takes part in a step, and how many steps there are.
RATE, STEPS = 0.1, 300
SETTINGS: dict[str, Any] = {
    "version": 1,
    "networks": ["softmax"],
    "clips": CLIPS,
    "sigmas": SIGMAS,
    # In units of 1 / clip.
    "learning rates": (0.5, 2.0, 8.0),
}
SETTINGS |= {"rate": RATE, "steps": STEPS, "repeats": 6, "train": 898, "validation": 300, "seed": 171}
# A run of its own, so that neither waits for the other.
NETWORK_SETTINGS = {**SETTINGS, "networks": ["64-32-10"], "seed": 172}
_STORED = {"softmax": ("trained_digits", SETTINGS), "64-32-10": ("trained_network", NETWORK_SETTINGS)}
PROMISED: dict[str, Any] = {"version": 1, "sigmas": SIGMAS[1:], "rate": RATE, "steps": STEPS}
PROMISED |= {"delta": 1e-5, "fpr": 0.01, "points": 41}


class Trained(NamedTuple):
    """What networks trained with one clip reach, one entry a noise of `SIGMAS`.

    Attributes
    ----------
    accuracy : ndarray of shape (sigmas,)
        Mean share of test digits told right, at the learning rate that is best on validation digits.
    half_width : ndarray of shape (sigmas,)
        Of its 95% interval by Student's distribution over the repeats, each with its own split.
    """

    accuracy: Array
    half_width: Array


class Promised(NamedTuple):
    """What 300 noisy steps on a tenth of the records each promise.

    Attributes
    ----------
    epsilon : float
        At delta = 1e-5, by adding or removing a record; infinite without noise.
    accuracy, tpr : float
        The most that any attack reaches: its share of right calls where members and others are
        equally many, and its TPR at a false positive rate of 1%.
    """

    epsilon: float
    accuracy: float
    tpr: float


def promised(sigma: float) -> Promised:
    """Return what is stored of the promise of a noise.

    Parameters
    ----------
    sigma : float
        One of `SIGMAS`.

    Notes
    -----
    `mipbook.dpsgd.training_epsilon` and `training_delta`: exact for the worst record, all
    steps published.

    Examples
    --------
    >>> round(promised(4.0).epsilon, 2), promised(0.0).accuracy
    (1.77, 1.0)
    """
    sigma = validate.choice("sigma", sigma, SIGMAS)
    if sigma == 0:
        return Promised(np.inf, 1.0, 1.0)
    arrays, place = load("trained_promise", PROMISED).arrays, SIGMAS.index(sigma) - 1
    return Promised(*(float(arrays[name][place]) for name in ("epsilon", "accuracy", "tpr")))


@lru_cache(maxsize=64)
def trained(network: str, clip: float) -> Trained:
    """Return what is stored of a network at a clip.

    Parameters
    ----------
    network : {"softmax", "64-32-10"}
    clip : float
        One of `CLIPS`.

    Notes
    -----
    Digits of scikit-learn: 898 to train, 300 to pick the learning rate, 599 to test.  The pick
    looks at data and is not accounted for in any epsilon.

    Examples
    --------
    >>> found = trained("softmax", 1.0)
    >>> bool(0.9 < found.accuracy[0] < 1)
    True
    """
    from scipy.stats import t  # slow to import, and only needed here

    run, settings = _STORED[validate.choice("network", network, list(_STORED))]
    clip = validate.choice("clip", clip, CLIPS)
    arrays = load(run, settings).arrays
    place = 0, CLIPS.index(clip)
    best = arrays["validation"][place].mean(axis=-1).argmax(axis=-1)
    tests = len(small_digits().labels) - SETTINGS["train"] - SETTINGS["validation"]
    shares = arrays["test"][place][np.arange(len(best)), best] / tests
    repeats = shares.shape[-1]
    half = t.ppf(0.975, repeats - 1) * shares.std(axis=-1, ddof=1) / np.sqrt(repeats)
    return Trained(shares.mean(axis=-1), half)


# --- LiRA with few shadow models ----------------------------------------------------------------

DIMENSIONS = (1, 5, 20)
FPRS = (0.001, 0.01, 0.1)
MODELS = (
    *(4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64),
    *(80, 96, 128, 160, 192, 256, 320, 384, 448, 512),
)
# Offline with a known variance is exact, by `mipbook.mis.mean_attack_tpr`.
SIMULATED = ("online, pooled", "online, each", "offline, each")
SHADOWS: dict[str, Any] = {"version": 1, "n": 10, "draws": 100_000, "seed": 173}
SHADOWS |= {"dimensions": DIMENSIONS, "models": MODELS, "attacks": SIMULATED, "fpr": FPRS}


@lru_cache(maxsize=64)
@checked
def few_shadows(
    d: Annotated[int, OneOf(DIMENSIONS)],
    attack: Annotated[str, OneOf(SIMULATED)],
    fpr: Annotated[float, OneOf(FPRS)],
) -> tuple[Array, Array, Array]:
    """Return the TPR of LiRA on the mean of ten records over `MODELS`, and its band's ends.

    Parameters
    ----------
    d : {1, 5, 20}
        Coordinates of a record.
    attack : {"online, pooled", "online, each", "offline, each"}
    fpr : {0.001, 0.01, 0.1}

    Returns
    -------
    tpr, low, high : ndarray of shape (25,)
        Estimates from 100,000 members and as many others, with 95% bands for each alone.

    Examples
    --------
    >>> tpr, low, high = few_shadows(20, "online, pooled", 0.01)
    >>> bool((low < tpr).all() and (tpr < high).all())
    True
    """
    place = DIMENSIONS.index(d), SIMULATED.index(attack), slice(None), slice(None), FPRS.index(fpr)
    tpr, low, high = load("few_shadows", SHADOWS).arrays["tpr"][place].T.astype(float)
    return tpr, low, high


# --- What a plan costs ---------------------------------------------------------------------------

# The stops of a page; with a kernel any number is computed.
RECORDS, BATCHES, PASSES = (1000, 60_000), (100, 500), (10, 60)
PLAN_DELTA = 1e-5
LAB_NOISES, BUDGETS = (0.8, 1.1, 2.0), (1.0, 3.0, 8.0)
LAB: dict[str, Any] = {"version": 2, "records": RECORDS, "batches": BATCHES, "passes": PASSES}
LAB |= {"noises": LAB_NOISES, "budgets": BUDGETS, "delta": PLAN_DELTA}


def plan(n: int, batch: int, passes: int, sigma: float) -> Array:
    """Return epsilon at 1e-5 of a plan, from both sides: stored, or computed.

    Parameters
    ----------
    n, batch, passes : int
        As `schedule` takes them.
    sigma : float
        The noise over the clip.

    Examples
    --------
    >>> plan(10_000, 256, 10, 1.1).round(2).tolist()
    [2.66, 2.66]
    """
    if place := _place(n, batch, passes, sigma, ends=LAB_NOISES):
        return np.asarray(load("accounting_lab", LAB).arrays["sides"][place])
    sampling, steps = schedule(n, batch, passes)
    sides = certified_epsilon(sampling, sigma, steps, PLAN_DELTA)
    return np.array([sides.low, sides.high])


def needed(n: int, batch: int, passes: int, epsilon: float) -> float:
    """Return a noise that keeps a plan within a budget at 1e-5: stored, or computed.

    Parameters
    ----------
    n, batch, passes : int
        As `schedule` takes them.
    epsilon : float
        The budget.

    Examples
    --------
    >>> round(needed(10_000, 256, 10, 3.0), 2)
    1.03
    """
    if place := _place(n, batch, passes, epsilon, ends=BUDGETS):
        return float(load("accounting_lab", LAB).arrays["noise"][place])
    return certified_sigma(*schedule(n, batch, passes), epsilon, PLAN_DELTA)


def _place(*values: float, ends: tuple[float, ...]) -> tuple[int, ...]:
    """Return where a plan is stored; nothing where it is not."""
    stops: tuple[tuple[float, ...], ...] = (RECORDS, BATCHES, PASSES, ends)
    stored = all(value in some for value, some in zip(values, stops, strict=True))
    return tuple(map(tuple.index, stops, values)) if stored else ()


# --- What runs tell -----------------------------------------------------------------------------

# At the corners of a grid: less noise, a larger sampling rate or more steps tell at least as much,
# since the run that tells less can be made of the other without the record.  Noise is added, a step
# is replaced by noise alone by a coin toss of its own, steps are left out.  So a run is bounded by
# two runs of the grid: its numbers rounded to the side that tells more, and to the side that tells less.
Codes = NDArray[np.int64]
# A published run, at a point of the grid.
_RATE, _STEPS = 256 / 60_000, 14_063
RATES = tuple(sorted({min(1.0, _RATE * 1.3**k) for k in range(-15, 22)}))
# How many steps a run has.
LENGTHS = (1, 2, 4, 7, 10, 15, 22, 32, 46, *(round(_STEPS * 1.4**k) for k in range(-16, 10)))
NOISES = (
    *(0.5, 0.525, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6),
    *(1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0),
)
DELTAS = tuple(float(f"1e-{digit}") for digit in range(8, 2, -1))
# What is told of each run: epsilon at each delta, the advantage, the TPR at two FPRs, and 1 less
# MIS's security, which is that of a record that is replaced.
TOLD = (*(f"epsilon at {d:g}" for d in DELTAS), "advantage", "TPR at 1%", "TPR at 0.1%", "insecurity")
# Numbers of three digits: those above a thousandth are a hundredth apart, smaller ones lie closer.  So a
# place between two of them is a number between, near 0 too.
_NEAR = 1e-3
LADDER = np.array([0.0, *(float(f"{_NEAR * (1.01**k - 1):.3g}") for k in range(1, 1066)), np.inf])
GRID = {"version": 2, "rates": RATES, "steps": LENGTHS, "noises": NOISES, "deltas": DELTAS}


@cache
def corners(replaced: bool) -> tuple[Codes, Codes]:
    """Return what each run tells at most and at least, as places in ``LADDER``.

    Parameters
    ----------
    replaced : bool
        Whether neighbours differ by a record that is replaced; else it is added or removed.

    Returns
    -------
    high, low : ndarray of int of shape (rates, noises, told, steps)

    Examples
    --------
    >>> at = RATES.index(256 / 60_000), NOISES.index(1.1), DELTAS.index(1e-5), LENGTHS.index(14_063)
    >>> [float(LADDER[side[at]]) for side in corners(False)]
    [2.39, 2.35]
    """
    stored = load(f"dpsgd_runs_{'replace' if replaced else 'add_remove'}", GRID).arrays
    high = np.cumsum(np.cumsum(stored["high"], axis=-1, dtype=np.int64), axis=-1)
    return high, np.maximum(high - stored["gap"], 0)


def ceiling(value: Array) -> Codes:
    """Return the place in ``LADDER`` of the least number that is not below each.

    Examples
    --------
    >>> LADDER[ceiling(np.array([0.0, 2.3817, 5000.0]))].tolist()
    [0.0, 2.39, inf]
    """
    return np.asarray(np.searchsorted(LADDER * (1.0 + 1e-12), value))


def floor(value: Array) -> Codes:
    """Return the place in ``LADDER`` of the largest number that is not above each.

    Examples
    --------
    >>> LADDER[floor(np.array([1e-9, 2.3817, 5000.0]))].tolist()
    [0.0, 2.37, 40.0]
    """
    return np.asarray(np.searchsorted(LADDER * (1.0 - 1e-12), value, side="right") - 1)
