"""The exact eta of a real-valued query with Laplace noise, over all halves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mipbook import validate
from mipbook.mip._scan import faded_sums

__all__ = ["laplace_eta", "minimal_laplace_scale", "signed_atoms"]

Array = NDArray[np.float64]
# Numbers that fit the cache with their temporaries.
_CELLS = 1 << 18


def signed_atoms(outputs: Any, members: Any) -> tuple[Array, Array]:
    """Return the distinct outputs, sorted, and P_in - P_out of each, one column a record."""
    outputs = validate.array("outputs", outputs, ndim=1)
    if outputs.size == 0 or not np.isfinite(outputs).all():
        validate.refuse("outputs", outputs.tolist(), "a vector of finite numbers, at least one")
    members = np.asarray(members)
    if members.dtype != bool or members.ndim != 2 or len(members) != outputs.size:
        shape = f"{members.dtype} array of shape {members.shape}"
        validate.refuse("members", shape, f"a boolean array of shape ({outputs.size}, records)")
    inside = members.sum(axis=0)
    if members.shape[1] == 0 or np.any((inside == 0) | (inside == len(members))):
        validate.refuse("members", inside.tolist(), "such that each record is in some halves only")
    weights = np.where(members, 1 / inside, -1 / (len(members) - inside))
    order = np.argsort(outputs, kind="stable")
    ranked = outputs[order]
    first = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    return ranked[first], np.add.reduceat(weights[order], first, axis=0)


def _eta(atoms: Array, signed: Array, scale: float) -> Array:
    """Return TV/2 of the two Laplace mixtures, one entry a record."""
    if np.isinf(scale):
        return np.zeros(signed.shape[1])
    with np.errstate(over="ignore"):
        places = (atoms - atoms[0]) / scale if scale else np.full(atoms.size, np.inf)
    if not np.isfinite(places[-1]):
        # No noise, or atoms that are infinitely far apart in units of it.
        return np.asarray(np.abs(signed).sum(axis=0) / 4)
    gaps = np.diff(places)
    # A few columns at a time stay in the cache.
    step = max(1, _CELLS // atoms.size)
    columns = range(0, signed.shape[1], step)
    parts = [_columns_eta(places, gaps, signed[:, c : c + step]) for c in columns]
    return np.concatenate(parts)


def _columns_eta(places: Array, gaps: Array, signed: Array) -> Array:
    decay, grows = np.exp(-gaps)[:, None], -np.expm1(-gaps)[:, None]
    left = faded_sums(places, signed)
    right = faded_sums(places[-1] - places[::-1], signed[::-1])[::-1]
    # Between two atoms the density is l e^(-u) + r e^(u - d), which changes sign at most once.
    start, end = left[:-1], right[1:]
    plain = np.abs(start + end) * grows
    # sqrt(l e^(-d)) sqrt(r) against the ends decides whether the sign changes inside the gap.
    small, large = np.minimum(np.abs(start), np.abs(end)), np.maximum(np.abs(start), np.abs(end))
    turns = (start * end < 0) & (small > large * decay)
    turned = (small + large) * (1 + decay) - 4 * np.sqrt(small * large * decay)
    area = np.where(turns, turned, plain).sum(axis=0)
    total = np.abs(right[0]) + np.abs(left[-1]) + area
    return np.asarray(np.clip(total / 8, 0.0, 0.5))


def laplace_eta(outputs: ArrayLike, members: ArrayLike, scale: float) -> float:
    """Return the smallest eta for which the query with Laplace noise is eta-MIP, exactly.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half, each half equally likely.
    members : array_like of bool, shape (halves, records)
        Which records each half holds; each record in some halves and not in others.
    scale : float
        Scale of the Laplace noise, in [0, inf].

    Returns
    -------
    float
        Half the total variation distance between the noisy answers with and without the
        record, for the worst record; in [0, 1/2].

    Raises
    ------
    ValueError
        For a malformed argument.

    Notes
    -----
    MIP paper, Proposition 2, for additive noise in one dimension.  Closed form: two exponential
    scans over the sorted answers, then one area a gap; no quadrature.  Absolute error about
    1e-15 times the number of halves, at most.

    Examples
    --------
    >>> import numpy as np
    >>> members = np.array([[True, False], [False, True]])
    >>> round(laplace_eta([1.0, -1.0], members, 4.48142011772455), 12)
    0.1
    """
    atoms, signed = signed_atoms(outputs, members)
    scale = validate.number("scale", scale, 0.0)
    return float(_eta(atoms, signed, scale).max())


def minimal_laplace_scale(outputs: ArrayLike, members: ArrayLike, eta: float) -> float:
    """Return the smallest Laplace scale that makes the query eta-MIP, exactly.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half, each half equally likely.
    members : array_like of bool, shape (halves, records)
        Which records each half holds.
    eta : float
        The promise, in (0, 1/2].

    Returns
    -------
    float
        0 where no noise is needed; otherwise rounded up, relative error below 1e-11.

    Raises
    ------
    ValueError
        For a malformed argument.

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
    atoms, signed = signed_atoms(outputs, members)
    eta = validate.number("eta", eta, 0.0, 0.5, open_low=True)
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

    def too_much(log_scale: float) -> float:
        return float(_eta(atoms, signed, float(np.exp(log_scale)))[0]) - eta

    from scipy.optimize import brentq

    # Noise for the whole range of answers always suffices; from there go down to a failure.
    high = float(np.log((atoms[-1] - atoms[0]) / (-2 * np.log1p(-2 * eta)))) + 1e-9
    low = high - 1.0
    while too_much(low) <= 0:
        high, low = low, low - 2 * (high - low)
    root = float(np.exp(brentq(too_much, low, high, xtol=1e-13, rtol=1e-14)))
    step = 1e-14
    while too_much(float(np.log(root))) > 0:
        root, step = root * (1 + step), 2 * step
    return root
