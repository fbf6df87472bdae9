"""What a release promises, in words that may be published with it."""

from __future__ import annotations

import math

import numpy as np

from mipbook.base.rounding import at_least, at_most, up
from mipbook.mip.grid import Calibration

__all__ = ["statement_of"]

_GROUNDS = {
    "spread": "the spread of the fits",
    "swap": "what the swap of one record changes on average",
    "sensitivity": "the largest change that one record can make",
    "sigma": "the given spread",
}


def statement_of(noise: Calibration, rounding: float) -> str:
    """Return the promise, its ground, the noise, what each route needs, and what is left out.

    Parameters
    ----------
    noise : Calibration
        The noise of the release.
    rounding : float
        How much of eta the grid takes.

    Examples
    --------
    >>> one = np.ones(1)
    >>> noise = Calibration(2.0, 0.1, "gaussian", 2.0, one, one, 0, 1.0, route="sigma")
    >>> statement_of(noise, 1e-8)[:55]
    'eta = 0.1: nobody is right more than 60.0% of the time '
    """
    law = "Gaussian" if noise.noise == "gaussian" else "of density exp(-|x|)"
    digits = max(1, math.ceil(-math.log10(noise.eta)) - 1)
    right = f"{up(0.5 + noise.eta, 2 + digits):.{digits}%}"
    steps = np.array2string(noise.steps, precision=3, threshold=6)
    parts = [
        f"eta = {at_most(noise.eta, 6)}: nobody is right more than {right} of the time "
        "about whether a record was in the half, over its random draw.",
        f"Noise {law}, scale {noise.scale:.6g} in units of "
        f"{np.array2string(noise.weights, precision=4, threshold=6)}.",
        _routes(noise),
        _ground(noise),
        f"Value and noise are whole steps of a public grid, {steps}; what the rounding may tell, "
        f"{at_most(rounding, 2)} of eta at most, is counted.",
    ]
    parts.append(
        "A half on which the fit fails is released as if its fit were a fixed vector, which all "
        "the data give: a failure cannot be told from a fit."
    )
    if noise.exact:
        parts.append(
            "The noise is drawn in whole numbers, with every error counted, so the promise holds "
            "for all digits."
        )
    else:
        parts.append(
            "The noise is drawn in floating point before it is rounded, and how near it comes to "
            "its distribution is not proved: take Gaussian noise, or M = 1 or 2, for a proof."
        )
    parts.append(
        "Not promised: that a record is hidden from those who know the half in part, that it is "
        "hidden that a record was among all the data, that rare outputs reveal nothing, or "
        "anything about a second release."
    )
    return " ".join(parts)


def _routes(noise: Calibration) -> str:
    told = []
    for route, scale in noise.routes.items():
        need = f"{scale:.6g}" if math.isfinite(scale) else "more fits than there were"
        told.append(f"by {_GROUNDS[route]} {need}{' (taken)' if route == noise.route else ''}")
    for route, what in (("swap", "swaps"), ("sensitivity", "a sensitivity")):
        if route not in noise.routes and noise.route != "sigma":
            told.append(f"by {_GROUNDS[route]} unknown, for want of {what}")
    return f"Scale needed: {'; '.join(told)}." if told else ""


def _ground(noise: Calibration) -> str:
    if noise.route == "sigma":
        return (
            "Guaranteed if the given sigma really bounds the spread, with the halves on which the "
            "fit fails; that was not checked."
        )
    if noise.route == "sensitivity":
        return (
            "Guaranteed if the given sensitivity is never exceeded, next to a half on which the "
            "fit fails either; that was not checked."
        )
    sure = at_least(noise.confidence, 6)
    return (
        f"Guaranteed with {sure} confidence over the fits that set the noise, {noise.fits} and "
        "those with a record swapped."
        if noise.route == "swap"
        else f"Guaranteed with {sure} confidence over the {noise.fits} fits that set the noise."
    )
