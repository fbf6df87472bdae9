"""What runs of DP-SGD tell at the corners of a grid: a run between them tells no more than the next.

Less noise, a larger sampling rate or more steps tell at least as much, since the run that tells
less can be made of the other without the record: noise is added, a step is replaced by noise alone
by a coin toss of its own, steps are left out.  So a run is bounded by two runs of the grid: its
numbers rounded to the side that tells more, and to the side that tells less.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from mipbook.base.types import Array
from mipbook.stored.store import load

Codes = NDArray[np.int64]
# A published run, at a point of the grid.
_RATE, _STEPS = 256 / 60_000, 14_063
RATES = tuple(sorted({min(1.0, _RATE * 1.3**k) for k in range(-15, 22)}))
STEPS = (1, 2, 4, 7, 10, 15, 22, 32, 46, *(round(_STEPS * 1.4**k) for k in range(-16, 10)))
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
SETTINGS = {"version": 2, "rates": RATES, "steps": STEPS, "noises": NOISES, "deltas": DELTAS}


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
    >>> at = RATES.index(256 / 60_000), NOISES.index(1.1), DELTAS.index(1e-5), STEPS.index(14_063)
    >>> [float(LADDER[side[at]]) for side in corners(False)]
    [2.39, 2.35]
    """
    stored = load(f"dpsgd_runs_{'replace' if replaced else 'add_remove'}", SETTINGS).arrays
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
