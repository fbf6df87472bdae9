"""What runs of DP-SGD tell at the corners of a grid: all steps of a rate and a noise at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from scipy.special import logsumexp

from mipbook.base.types import Array
from mipbook.dpsgd.lattice import Lattice, Plan, Sums, above, below
from mipbook.dpsgd.step import Training
from mipbook.mis.notion import sharp_delta
from mipbook.stored.trained import DELTAS, GRID, LENGTHS, NOISES, RATES, TOLD, ceiling, floor
from studies.run import Run, told

# Cells so wide, in standard deviations of a step's loss, leave a thousandth.
_WIDE, _TAIL = 0.14, 1e-17
# Where the sums lie, and what their windows leave out: little enough for all that is asked.
_TILT, _OUTSIDE = 0.3, -32.0
_TILTS = np.concatenate([-np.geomspace(1e-3, 64.0, 60)[::-1], np.geomspace(1e-3, 64.0, 60)])
# More is told as *no promise*.
_MOST = 40.0
_LEAST_GAP = 2
_FPRS = np.array([0.01, 0.001])


def _most(tilt: Array) -> Array:
    return -tilt * np.log1p(1.0 / tilt) - np.log1p(tilt)


def _window(moments: Array, spread: float, steps: int, width: float) -> Plan:
    """Return how to add up so many steps; Chernoff's windows by the moments of one."""
    tilt = min(_TILT / (spread * np.sqrt(steps)), _TILT)
    at = int(np.argmin(np.abs(_TILTS - tilt)))
    with np.errstate(divide="ignore", invalid="ignore"):
        far = (steps * (moments - moments[at]) - _OUTSIDE) / (_TILTS - _TILTS[at])
    upper, lower = far[at + 1 :].argmin() + at + 1, far[:at].argmax()
    return Plan(0.0, 0.0, float(_TILTS[at]), float(_TILTS[lower]), float(_TILTS[upper]), width, 0.0, _OUTSIDE)


def _rates(sums: Sums, upper: bool) -> Array:
    """Return the TPR at each FPR: the least line of delta, of the first distribution."""
    losses, delta = sums.curve
    keep = np.abs(losses) < 200.0
    slopes, heights = np.exp(losses[keep]), delta[keep]
    if not upper:
        heights = np.append(heights, [0.0, delta[0]])
        slopes = np.append(slopes, [slopes[-1], 0.0])
    found = [float((heights + fpr * slopes).min()) for fpr in _FPRS]
    return np.clip(found, _FPRS, 1.0)


def _numbers(sums: Sums, replaced: bool, upper: bool) -> Array:
    """Return what is told, in the order of ``TOLD``."""
    losses, delta = sums.curve
    left = 0.0
    if replaced and upper:
        here = (losses > 0.0) & (losses < _MOST)
        left = float(min(sharp_delta(losses[here], delta[here]).min(initial=1.0), sums.delta(np.zeros(1))[0]))
    epsilons = [sums.epsilon(d) for d in DELTAS]
    return np.array([*epsilons, sums.delta(np.zeros(1))[0], *_rates(sums, upper), left])


def _moments(one: Lattice) -> Array:
    return np.array([logsumexp(t * one.losses, b=one.masses) for t in _TILTS])


def _kept(flipped: Lattice, other: Array, steps: int, epsilons: Array) -> Array:
    """Return epsilons that a record that is added keeps too."""
    right = _TILTS > 0.0
    chernoff = steps * other[right] + _most(_TILTS[right])
    bound = (chernoff - _TILTS[right] * epsilons[:, None]).min(axis=1)
    if (bound <= np.log(DELTAS)).all():
        return epsilons
    mean = float(flipped.masses @ flipped.losses)
    spread = float(np.sqrt(flipped.masses @ (flipped.losses - mean) ** 2))
    sums = Sums(flipped, steps, _window(other, spread, steps, flipped.width), True)
    return np.maximum(epsilons, [sums.epsilon(d) for d in DELTAS])


def row(sampling: float, sigma: float, replaced: bool, every: Sequence[int] = LENGTHS) -> tuple[Array, Array]:
    """Return what runs of several numbers of steps tell, at most and at least.

    Parameters
    ----------
    sampling : float
        The chance of each record to be in a step's batch.
    sigma : float
        The noise over the clip.
    replaced : bool
        Whether a record is replaced.
    every : sequence of int
        The numbers of steps, rising.

    Returns
    -------
    high, low : ndarray of shape (told, steps)

    Examples
    --------
    >>> high, low = row(0.1, 2.0, False)
    >>> at = LENGTHS.index(127)
    >>> bool(2.6 < low[3, at] < high[3, at] < 2.7)
    True
    """
    step = Training(sampling, sigma, 1, replaced)
    log_mass, loss = step.table()
    spread, mean = float(np.sqrt(np.exp(log_mass) @ (loss - step.lost) ** 2)), step.lost
    pairs = above(step, _WIDE * spread, _TAIL), below(step, _WIDE * spread, _TAIL)
    moments = [_moments(one) for one in pairs]
    flipped = pairs[0].mirrored()
    other = _moments(flipped)
    found = np.zeros((2, len(TOLD), len(every)))
    found[0] = np.inf
    for place, steps in enumerate(every):
        if steps * mean > _MOST:
            break
        for side, (one, moment) in enumerate(zip(pairs, moments, strict=True)):
            plan = _window(moment, spread, steps, one.width)
            found[side, :, place] = _numbers(Sums(one, steps, plan, side == 0), replaced, side == 0)
        if not replaced:
            each = found[0, : len(DELTAS), place]
            found[0, : len(DELTAS), place] = _kept(flipped, other, steps, each)
    # Fewer steps tell no more: what was cut off at one place, another may know.
    high = np.minimum.accumulate(found[0][:, ::-1], axis=1)[:, ::-1]
    return high, np.maximum.accumulate(found[1], axis=1)


def _packed(high: Array, low: Array) -> dict[str, Array]:
    """Return both ends of all runs as places in the ladder, small numbers where they are smooth."""
    # What a run with a larger rate, or with less noise, tells at most, this one does too.
    high = np.minimum.accumulate(np.minimum.accumulate(high[::-1])[::-1], axis=1)
    low = np.maximum.accumulate(np.maximum.accumulate(low[:, ::-1], axis=1)[:, ::-1])
    upper, lower = ceiling(high), floor(low)
    lower[:, :, -1] = upper[:, :, -1]  # the security is told at least, and not at most
    # Straight pieces are differences of nothing.
    twice = np.diff(upper, n=2, axis=-1, prepend=np.zeros((*high.shape[:3], 2), dtype=np.int64))
    # Mostly two places apart at most; to say so everywhere makes the table a third smaller.
    gap = np.maximum(upper - lower, _LEAST_GAP)
    return {"high": twice.astype(np.int16), "gap": gap.astype(np.uint16)}


def _runs(replaced: bool) -> dict[str, Array]:
    settings = told(list(product(RATES, NOISES)), "dpsgd_runs", "settings")
    rows = Parallel(n_jobs=-1)(delayed(row)(q, s, replaced) for q, s in settings)
    shape = (len(RATES), len(NOISES), len(TOLD), len(LENGTHS))
    return _packed(*(np.array([each[side] for each in rows]).reshape(shape) for side in (0, 1)))


RUNS = tuple(
    Run(f"dpsgd_runs_{name}", GRID, partial(_runs, name == "replace")) for name in ("add_remove", "replace")
)
