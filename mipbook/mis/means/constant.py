"""The one constant behind the rate of empirical means and of discrete data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from explorable import validate
from mipbook.base.estimate import Estimate

__all__ = ["universal_constant", "universal_constant_from_samples"]

LAWS = ("gaussian", "one-hot", "exponential", "mean and variance")


def universal_constant(law: str, *, dimension: int = 1, p: Any = None) -> float:
    """Return the limit of sqrt(n) Delta for a learner that releases a mean.

    Parameters
    ----------
    law : {"gaussian", "one-hot", "exponential", "mean and variance"}
        What is averaged: a normal vector; the indicator vector of a discrete record, so that
        the mean is a histogram; an exponential variable; (z, z^2) of a normal z.
    dimension : int
        Of the normal vector, in [1, 10^12]; not used by the other distributions.
    p : array_like, optional
        Probabilities of the discrete record's values, for *one-hot* only.

    Returns
    -------
    float
        Exact up to rounding: E|S^(-1/2)(L - EL)| / sqrt(2 pi) with S the covariance of L.

    References
    ----------
    Limits paper, Theorems 13 and 14: one limit for both.  For one-hot L it is
    C_K / sqrt(2 pi), the constant of Corollary 15.  That it is the limit is proved for
    Gaussian and for finite discrete records, and checked for the two others.

    Examples
    --------
    >>> universal_constant("gaussian") == 1 / math.pi
    True
    >>> round(universal_constant("one-hot", p=[0.5, 0.5]), 6)
    0.398942
    """
    law = validate.choice("law", law, LAWS)
    dimension = validate.integer("dimension", dimension, 1, 10**12)
    if (p is None) == (law == "one-hot"):
        validate.refuse("p", p, "given for 'one-hot', and for no other distribution")
    if law == "gaussian":
        half = dimension / 2
        return 1 / math.pi if dimension == 1 else _gamma_ratio(half) / math.sqrt(math.pi)
    if law == "one-hot":
        vector = validate.probability_vector("p", p)
        return float(np.sqrt(vector * np.maximum(1 - vector, 0)).sum()) / math.sqrt(2 * math.pi)
    if law == "exponential":
        return 2 / math.e / math.sqrt(2 * math.pi)
    # The covariance of (z, z^2) is diagonal: 1 and 2.
    nodes, weights = np.polynomial.legendre.leggauss(200)
    z, step = 10 * (nodes + 1), 10 * weights
    length = np.sqrt(z**2 + (z**2 - 1) ** 2 / 2)
    return float(2 * (length * np.exp(-(z**2) / 2) @ step)) / (2 * math.pi)


def _gamma_ratio(x: float) -> float:
    """Return Gamma(x + 1/2) / Gamma(x)."""
    if x < 160:
        return math.gamma(x + 0.5) / math.gamma(x)
    # Logarithms of the two would lose the digits in which they differ.
    y = 1 / x
    return math.sqrt(x) * (1 - y / 8 * (1 - y / 16 * (1 + y * 5 / 8 * (1 - y * 21 / 160))))


def universal_constant_from_samples(samples: Any, confidence: float = 0.95) -> Estimate:
    """Estimate the limit of sqrt(n) Delta from draws of what is averaged.

    Parameters
    ----------
    samples : array_like of shape (draws,) or (draws, dimension)
        Independent draws of L, at least 10 a coordinate, with an invertible covariance.

    Returns
    -------
    Estimate
        The plug-in value.  Its interval takes into account that the mean and the covariance
        are estimated too, and holds for many draws only.

    References
    ----------
    Limits paper, Theorem 13.  Coordinates that repeat one another, as in X'X, must be dropped
    first: they leave the covariance without an inverse.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal(20_000)
    >>> found = universal_constant_from_samples(draws)
    >>> found.low < 1 / math.pi < found.high
    True
    """
    from scipy.special import ndtri

    confidence = validate.confidence(confidence)
    table = validate.squarable("samples", samples)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        validate.refuse("samples", f"of shape {table.shape}", "of shape (draws,) or (draws, dimension)")
    count, dimension = table.shape
    if dimension == 0 or count < 10 * dimension or not np.isfinite(table).all():
        validate.refuse("samples", f"of shape {table.shape}", "finite, with 10 rows a column")
    centred = table - table.mean(axis=0)
    size = np.sqrt((centred**2).mean(axis=0))
    if not (size > 0).all():
        validate.refuse("samples", "a constant column", "of columns that vary")
    axes, spread, _ = np.linalg.svd(centred / size, full_matrices=False)
    if spread[-1] < 1e-7 * spread[0]:
        validate.refuse("samples", "linearly dependent columns", "of columns none of which repeats")
    white = axes * math.sqrt(count)
    length = np.sqrt((white**2).sum(axis=1))
    value = float(length.mean())
    # How one more draw moves the value: by its own length, through the mean, through the
    # covariance.  The spread of that is the standard error.
    unit = white / np.maximum(length, 1e-300)[:, None]
    turn = unit.T @ white / count
    moved = length - white @ unit.mean(axis=0) - ((white @ turn) * white).sum(axis=1) / 2
    half = float(ndtri((1 + confidence) / 2)) * float(moved.std()) / math.sqrt(count)
    root = math.sqrt(2 * math.pi)
    return Estimate(
        value / root,
        max(0.0, value - half) / root,
        (value + half) / root,
        "estimate",
        confidence,
        "the interval holds for many draws only",
    )
